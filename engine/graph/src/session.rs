use std::any::Any;
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use bindery_facts::{Expr, ExprIndex, FileFacts, Name, TypeExpr};
use bindery_source::{Language, RepoPath};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::indexed_unit::IndexedUnit;
use crate::locals::LocalIndex;
use crate::uses::UseIndex;
use crate::{
    Args, Contents, Def, DefData, Item, Key, LIBRARY, Library, Lookup, Namespace, Place, Provided, Rules,
    Signature, Subst, Ty, Unit,
};

/// How deep evaluation may nest before it gives up. Expressions are evaluated children first, so
/// only chains of declarations (aliases of aliases, results of results) nest at all.
const MAX_DEPTH: u32 = 64;

/// The resolution of one file while it runs: what it asked, what it worked out.
///
/// Everything known of other files comes through [`Session::provided`], which records the question.
/// The file's own declarations are answered from its facts and not recorded: a file whose facts
/// change is resolved again anyway.
pub struct Session<'a> {
    pub(crate) path: Name,
    pub(crate) facts: &'a FileFacts,
    pub(crate) rules: &'static dyn Rules,
    lookup: &'a dyn Lookup,
    own: IndexedUnit,
    answers: RefCell<FxHashMap<Key, Arc<[Provided]>>>,
    defs: RefCell<FxHashMap<(Name, u32), Def>>,
    pub(crate) locals: LocalIndex,
    pub(crate) callees: FxHashSet<ExprIndex>,
    pub(crate) uses: OnceCell<UseIndex>,
    pub(crate) completed: RefCell<FxHashMap<u32, Ty>>,
    pub(crate) exprs: RefCell<Vec<Slot>>,
    pub(crate) names: RefCell<FxHashMap<(Place, Name, Namespace), Option<Ty>>>,
    pub(crate) imports: RefCell<FxHashMap<(Name, u32, Namespace), Ty>>,
    pub(crate) signatures: RefCell<FxHashMap<u32, Rc<Signature>>>,
    pub(crate) variables: RefCell<FxHashMap<(Place, Name), Ty>>,
    pub(crate) linearizations: RefCell<FxHashMap<u32, Rc<[Ty]>>>,
    paths: RefCell<FxHashMap<usize, Name>>,
    busy: RefCell<FxHashSet<(u8, u32, Name)>>,
    busy_names: RefCell<FxHashSet<(u8, Place, Name)>>,
    depth: Cell<u32>,
    state: OnceCell<Box<dyn Any>>,
}

/// What is known of an expression's type so far.
#[derive(Clone, Debug, Default)]
pub(crate) enum Slot {
    /// Not asked yet.
    #[default]
    Empty,
    /// Being worked out: asking again means a cycle.
    Busy,
    /// Known.
    Done(Ty),
}

impl<'a> Session<'a> {
    pub(crate) fn new(
        path: &RepoPath,
        facts: &'a FileFacts,
        rules: &'static dyn Rules,
        lookup: &'a dyn Lookup,
    ) -> Self {
        let unit = Arc::new(Unit { path: path.clone(), contents: Contents::Source(facts.summary.clone()) });
        Self {
            path: path.as_str().into(),
            facts,
            rules,
            lookup,
            own: IndexedUnit::new(unit, rules),
            answers: RefCell::default(),
            defs: RefCell::default(),
            locals: LocalIndex::new(facts, rules.scoping()),
            callees: callees(facts),
            uses: OnceCell::new(),
            completed: RefCell::default(),
            exprs: RefCell::new(vec![Slot::Empty; facts.bodies.exprs.0.len()]),
            names: RefCell::default(),
            imports: RefCell::default(),
            signatures: RefCell::default(),
            variables: RefCell::default(),
            linearizations: RefCell::default(),
            paths: RefCell::default(),
            busy: RefCell::default(),
            busy_names: RefCell::default(),
            depth: Cell::new(0),
            state: OnceCell::new(),
        }
    }

    /// The file that is resolved.
    pub fn path(&self) -> &Name {
        &self.path
    }

    /// Its facts.
    pub fn facts(&self) -> &'a FileFacts {
        self.facts
    }

    /// Its language.
    pub fn language(&self) -> Language {
        self.facts.summary.language
    }

    /// The language's rules.
    pub fn rules(&self) -> &'static dyn Rules {
        self.rules
    }

    /// What a language's rules keep for the length of the session; made on first use.
    pub fn state<T: Default + 'static>(&self) -> &T {
        self.state
            .get_or_init(|| Box::<T>::default())
            .downcast_ref()
            .expect("a language's rules use one type of state throughout")
    }

    /// All items under a key. Questions about other files are recorded.
    pub fn provided(&self, key: &Key) -> Arc<[Provided]> {
        if let Some(unit) = self.own_unit(key) {
            return unit.declared(key);
        }
        if let Some(known) = self.answers.borrow().get(key) {
            return known.clone();
        }
        let mut answer = self.lookup.provided(key);
        if let (Key::Custom { .. }, Some(library)) = (key, self.rules.library()) {
            let mut more = Vec::new();
            library.unit().provide(key, &mut more);
            if !more.is_empty() {
                answer = answer.iter().cloned().chain(more).collect();
            }
        }
        self.answers.borrow_mut().insert(key.clone(), answer.clone());
        answer
    }

    /// The unit that answers a key without asking other files: the file's own or the library's.
    fn own_unit(&self, key: &Key) -> Option<&IndexedUnit> {
        let (Key::Symbol { path, .. } | Key::Member { path, .. } | Key::Globs { path, .. }) = key else {
            return None;
        };
        if *path == self.path {
            return Some(&self.own);
        }
        (*path == LIBRARY).then(|| self.rules.library()).flatten().map(Library::unit)
    }

    /// Whether a file of this path is in the set.
    pub fn has_file(&self, path: &str) -> bool {
        path == self.path || !self.provided(&Key::File(path.into())).is_empty()
    }

    /// What is declared directly under `name` in `owner` of a file.
    pub fn members(&self, path: &Name, owner: &Name, name: &Name) -> Arc<[Provided]> {
        self.provided(&Key::Member { path: path.clone(), owner: owner.clone(), name: name.clone() })
    }

    /// Items under a key of the language's own.
    pub fn custom(&self, kind: &'static str, subject: &str, name: &str) -> Arc<[Provided]> {
        self.provided(&Key::Custom {
            language: self.language(),
            kind,
            subject: subject.into(),
            name: name.into(),
        })
    }

    /// The declaration an item is, interned.
    pub fn def(&self, item: &Provided) -> Option<Def> {
        let Item::Decl(index) = item.item() else { return None };
        let path = self.path_of(item);
        let mut defs = self.defs.borrow_mut();
        let next = defs.len() as u32;
        let def = defs
            .entry((path.clone(), index))
            .or_insert_with(|| Rc::new(DefData { id: next, index, item: item.clone(), path }));
        Some(def.clone())
    }

    /// The path of the file an item belongs to, as keys spell it.
    pub fn path_of(&self, item: &Provided) -> Name {
        // Answers are kept for the length of the session, so an address means one file throughout.
        let path = item.path().as_str();
        let mut paths = self.paths.borrow_mut();
        paths.entry(path.as_ptr().addr()).or_insert_with(|| path.into()).clone()
    }

    /// The declaration with this qualname in this file.
    pub fn symbol(&self, path: &Name, qualname: &Name) -> Option<Def> {
        if qualname.is_empty() {
            return None;
        }
        let items = self.provided(&Key::Symbol { path: path.clone(), qualname: qualname.clone() });
        items.first().and_then(|item| self.def(item))
    }

    /// The declaration at this place in the file that is resolved.
    pub fn own_def(&self, index: bindery_facts::DeclIndex) -> Def {
        self.def(&self.own.item(Item::Decl(index.0))).expect("the item is a declaration")
    }

    /// The declaration around a declaration (type, impl, function, inline module).
    pub fn owner(&self, def: &Def) -> Option<Def> {
        self.symbol(def.path(), &def.decl().owner)
    }

    /// The declaration whose inside a place is.
    pub fn place_def(&self, place: &Place) -> Option<Def> {
        self.symbol(&place.path, &place.owner)
    }

    /// Runs `evaluate` unless it is already running for the same subject or nests too deep; then
    /// nothing is known. `kind` keeps the guards of different questions apart.
    pub fn guarded<T: Default>(
        &self,
        kind: u8,
        subject: u32,
        name: &Name,
        evaluate: impl FnOnce() -> T,
    ) -> T {
        let key = (kind, subject, name.clone());
        if self.depth.get() >= MAX_DEPTH || !self.busy.borrow_mut().insert(key.clone()) {
            return T::default();
        }
        self.depth.set(self.depth.get() + 1);
        let value = evaluate();
        self.depth.set(self.depth.get() - 1);
        self.busy.borrow_mut().remove(&key);
        value
    }

    /// Like [`Session::guarded`], for a name at a place.
    pub(crate) fn guarded_name<T: Default>(
        &self,
        kind: u8,
        place: &Place,
        name: &Name,
        evaluate: impl FnOnce() -> T,
    ) -> T {
        let key = (kind, place.clone(), name.clone());
        if self.depth.get() >= MAX_DEPTH || !self.busy_names.borrow_mut().insert(key.clone()) {
            return T::default();
        }
        self.depth.set(self.depth.get() + 1);
        let value = evaluate();
        self.depth.set(self.depth.get() - 1);
        self.busy_names.borrow_mut().remove(&key);
        value
    }

    /// Like [`Session::guarded`], against depth only.
    pub(crate) fn nested<T: Default>(&self, evaluate: impl FnOnce() -> T) -> T {
        if self.depth.get() >= MAX_DEPTH {
            return T::default();
        }
        self.depth.set(self.depth.get() + 1);
        let value = evaluate();
        self.depth.set(self.depth.get() - 1);
        value
    }

    /// An instance of a library type by its name anywhere in the library.
    pub fn library_instance(&self, name: &str, args: Args) -> Ty {
        let Some(library) = self.rules.library() else { return Ty::Unknown };
        match library.declared(name).and_then(|item| self.def(&item)) {
            Some(def) => Ty::Instance(def, args),
            None => Ty::Unknown,
        }
    }

    /// An instance of a type the language makes without naming it.
    pub fn builtin(&self, builtin: crate::Builtin, args: Args) -> Ty {
        match self.rules.builtin_name(builtin) {
            Some(name) => self.library_instance(name, args),
            None => Ty::Unknown,
        }
    }

    /// What a name means that is available without an import.
    pub fn library_name(&self, name: &Name) -> Ty {
        let item = self.rules.library().and_then(|library| library.prelude(name));
        item.map_or(Ty::Unknown, |item| self.item_value(&item, Namespace::Value))
    }

    /// The instance type that a written type means at a place.
    pub fn written(&self, place: &Place, ty: &TypeExpr) -> Ty {
        self.nested(|| self.written_type(place, ty))
    }

    /// `ty` with the type parameters in `subst` replaced.
    pub fn substituted(&self, ty: &Ty, subst: &Subst) -> Ty {
        if subst.is_empty() || !ty.is_generic() {
            return ty.clone();
        }
        self.nested(|| self.replace_params(ty, subst))
    }
}

/// The expressions that are called.
fn callees(facts: &FileFacts) -> FxHashSet<ExprIndex> {
    let called = |expr: &Expr| match expr {
        Expr::Call { callee, .. } => Some(*callee),
        _ => None,
    };
    facts.bodies.exprs.0.iter().filter_map(called).collect()
}
