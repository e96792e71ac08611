//! Library data: what typing needs to know of a language's built-in and standard types, as text.
//!
//! One declaration a line; indentation says what stands inside what. Types are written alike for all
//! languages: `a::B<C, Item = D>`, `(A, B)`, `[T]`, `Fn(A) -> B`, `A?` for optional, `dyn A + B`,
//! `impl A + B`, `<T as A>::B`, `A | B`, `!`. A line whose first sign is `#` is a comment.
//!
//! ```text
//! prelude Option Vec print                     names available without an import
//! mod std::collections                         what follows belongs to this module
//! struct HashMap<K, V>                         or class, interface, trait, enum, each with `: A + B`
//!   fn new() -> Self                           without `self`: belongs to the type
//!   fn get(self, Q) -> Option<V>
//!   abstract apply(self, T) -> R               without a body: what a closure may stand for
//!   capacity: int                              an attribute
//!   Some(T)                                    a variant (in an enum)
//! impl<K, V> IntoIterator for HashMap<K, V>
//!   type Item = (K, V)
//! alias Result<T> = core::Result<T, Error>
//! fn drop(T)                                   a function of the module
//! ```
//!
//! The text becomes an ordinary [`Summary`] of one virtual file named [`LIBRARY`], so that look-up,
//! inheritance and substitution treat library declarations like any others; only classification tells
//! them apart.

use std::sync::Arc;

use bindery_facts::{
    Decl, DeclFlags, DeclKind, Language, Name, Param, ParamKind, Shape, Summary, TypeExpr, TypeParam,
    Variable, VariableKind, Visibility,
};
use bindery_source::RepoPath;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Contents, External, IndexedUnit, Item, Key, Provided, Rules, Unit};

mod notation;

use notation::Cursor;

/// The path of the virtual file that library declarations stand in.
pub const LIBRARY: &str = "<library>";

/// About how long a declaration of library data is, so that their list seldom grows.
const BYTES_PER_DECLARATION: usize = 36;

/// Parsed library data.
pub struct Library {
    unit: IndexedUnit,
    by_name: FxHashMap<Name, u32>,
    prelude: FxHashSet<Name>,
}

impl Library {
    /// Reads the notation. `rules` adds its own keys, as for any file; it is not asked for its
    /// library while that is being made.
    ///
    /// # Panics
    /// On a line that is not in the notation: the text is part of the program.
    pub fn parse(language: Language, text: &str, rules: &'static dyn Rules) -> Self {
        let mut reader = Reader::new(language);
        reader.summary.decls.reserve(text.len() / BYTES_PER_DECLARATION);
        for (number, line) in text.lines().enumerate() {
            let content = line.split(" # ").next().unwrap_or(line).trim_end();
            if content.is_empty() || content.starts_with('#') {
                continue;
            }
            if let Err(problem) = reader.line(content) {
                panic!("library data, line {}: {problem}: `{content}`", number + 1);
            }
        }
        let Reader { summary, prelude, mut by_name, .. } = reader;
        // Variants are members of their enum, except those the prelude brings into scope.
        for (index, decl) in summary.decls.iter().enumerate() {
            if decl.kind == DeclKind::Variant && prelude.contains(&decl.name) {
                by_name.entry(decl.name.clone()).or_insert(index as u32);
            }
        }
        let unit =
            Arc::new(Unit { path: RepoPath::new(LIBRARY), contents: Contents::Source(Arc::new(summary)) });
        Self { unit: IndexedUnit::new(unit, rules), by_name, prelude }
    }

    pub(crate) fn unit(&self) -> &IndexedUnit {
        &self.unit
    }

    /// The declaration of this name, in whatever module; of several the first in the text.
    pub fn declared(&self, name: &str) -> Option<Provided> {
        self.by_name.get(name).map(|index| self.unit.item(Item::Decl(*index)))
    }

    /// The declaration of a name that is available without an import.
    pub fn prelude(&self, name: &str) -> Option<Provided> {
        self.prelude.contains(name).then(|| self.declared(name)).flatten()
    }

    /// Whether a name is available without an import.
    pub fn is_prelude(&self, name: &str) -> bool {
        self.prelude.contains(name)
    }

    /// A library declaration as something an import names: module, type if it is a member, name.
    pub fn external(&self, def: &crate::Def) -> External {
        let decl = def.decl();
        let mut owner = decl.owner.clone();
        let mut class = Name::default();
        // A module's own path may hold the separator.
        let key = Key::Symbol { path: LIBRARY.into(), qualname: owner.clone() };
        let is_module = |item: &Provided| item.decl().is_some_and(|decl| decl.kind == DeclKind::Module);
        let is_in_module = self.unit.declared(&key).first().is_some_and(is_module);
        if !is_in_module && let Some((before, of_type)) = owner.rsplit_once(TYPE_SEPARATOR) {
            (class, owner) = (of_type.split('<').next().unwrap_or(of_type).into(), before.into());
        }
        External { specifier: owner, class, name: decl.name.clone() }
    }
}

/// Between the module and the type in the qualname of a library type.
const TYPE_SEPARATOR: char = '/';

struct Reader {
    summary: Summary,
    modules: FxHashSet<Name>,
    functions: FxHashSet<Name>,
    prelude: FxHashSet<Name>,
    /// The first declaration of each name that stands in a module.
    by_name: FxHashMap<Name, u32>,
    module: Name,
    owner: Name,
    owner_kind: DeclKind,
}

impl Reader {
    fn new(language: Language) -> Self {
        let summary = Summary {
            language,
            decls: Vec::new(),
            imports: Vec::new(),
            variables: Vec::new(),
            exports: None,
            marks: Vec::new(),
        };
        Self {
            summary,
            modules: FxHashSet::default(),
            functions: FxHashSet::default(),
            prelude: FxHashSet::default(),
            by_name: FxHashMap::default(),
            module: Name::default(),
            owner: Name::default(),
            owner_kind: DeclKind::Module,
        }
    }

    fn line(&mut self, line: &str) -> Result<(), &'static str> {
        let is_member = line.starts_with(' ');
        let line = line.trim_start();
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let mut cursor = Cursor::new(rest);
        if !is_member {
            self.owner = self.module.clone();
            self.owner_kind = DeclKind::Module;
        }
        match word {
            "prelude" => self.prelude.extend(rest.split_whitespace().map(Name::from)),
            "mod" => self.open_module(rest.into()),
            "class" => self.open_type(DeclKind::Class, &mut cursor)?,
            "struct" => self.open_type(DeclKind::Struct, &mut cursor)?,
            "interface" => self.open_type(DeclKind::Interface, &mut cursor)?,
            "trait" => self.open_type(DeclKind::Trait, &mut cursor)?,
            "enum" => self.open_type(DeclKind::Enum, &mut cursor)?,
            "alias" | "type" => self.alias(&mut cursor)?,
            "fn" => self.function(&mut cursor, DeclFlags::default())?,
            "property" => {
                self.function(&mut cursor, DeclFlags { is_property: true, ..DeclFlags::default() })?;
            }
            "abstract" => {
                self.function(&mut cursor, DeclFlags { is_bodiless: true, ..DeclFlags::default() })?;
            }
            "async" => {
                self.function(&mut cursor, DeclFlags { is_async: true, ..DeclFlags::default() })?;
            }
            _ if word.starts_with("impl") => self.open_impl(&mut Cursor::new(&line["impl".len()..]))?,
            _ if is_member => self.field_or_variant(&mut Cursor::new(line))?,
            _ => return Err("a declaration expected"),
        }
        Ok(())
    }

    fn open_module(&mut self, name: Name) {
        self.module = name.clone();
        if self.modules.insert(name.clone()) {
            let mut decl = blank(DeclKind::Module, name.clone());
            decl.qualname = name;
            self.summary.decls.push(decl);
        }
    }

    fn add(&mut self, mut decl: Decl) -> Name {
        let index = self.summary.decls.len();
        let is_in_module = self.owner_kind == DeclKind::Module;
        let separator = if is_in_module { TYPE_SEPARATOR } else { '.' };
        let mut qualname = String::with_capacity(self.owner.len() + decl.name.len() + 8);
        qualname.push_str(&self.owner);
        qualname.push(separator);
        qualname.push_str(&decl.name);
        decl.owner = self.owner.clone();
        decl.qualname = match decl.kind {
            DeclKind::Impl => format!("{qualname}<{index}>").into(),
            kind => {
                let name = Name::from(qualname);
                // Overloads have names of their own, so that each is looked up with its own type parameters.
                let is_overload = kind.is_callable() && !self.functions.insert(name.clone());
                if is_overload { format!("{name}#{index}").into() } else { name }
            }
        };
        if is_in_module && decl.kind != DeclKind::Impl {
            self.by_name.entry(decl.name.clone()).or_insert(index as u32);
        }
        let qualname = decl.qualname.clone();
        self.summary.decls.push(decl);
        qualname
    }

    fn open(&mut self, decl: Decl) {
        let kind = decl.kind;
        self.owner = self.add(decl);
        self.owner_kind = kind;
    }

    fn open_type(&mut self, kind: DeclKind, cursor: &mut Cursor<'_>) -> Result<(), &'static str> {
        let mut decl = blank(kind, cursor.name()?);
        decl.type_params = cursor.type_params()?;
        decl.shape = Shape::Fields;
        if cursor.eat(":") {
            decl.supertypes = cursor.bounds()?;
        }
        self.open(decl);
        cursor.end()
    }

    fn open_impl(&mut self, cursor: &mut Cursor<'_>) -> Result<(), &'static str> {
        let type_params = cursor.type_params()?;
        let mut target = cursor.ty()?;
        let mut supertypes = Vec::new();
        if cursor.eat_word("for") {
            supertypes.push(std::mem::replace(&mut target, cursor.ty()?));
        }
        let mut decl = blank(DeclKind::Impl, last_name(&target));
        (decl.type_params, decl.target, decl.supertypes) = (type_params, Some(target), supertypes);
        self.open(decl);
        cursor.end()
    }

    fn alias(&mut self, cursor: &mut Cursor<'_>) -> Result<(), &'static str> {
        let mut decl = blank(DeclKind::Alias, cursor.name()?);
        decl.type_params = cursor.type_params()?;
        if cursor.eat("=") {
            decl.target = Some(cursor.ty()?);
        }
        self.add(decl);
        cursor.end()
    }

    fn function(&mut self, cursor: &mut Cursor<'_>, mut flags: DeclFlags) -> Result<(), &'static str> {
        let kind = if self.owner_kind == DeclKind::Module { DeclKind::Function } else { DeclKind::Method };
        let mut decl = blank(kind, cursor.name()?);
        decl.type_params = cursor.type_params()?;
        decl.params = cursor.params()?;
        let has_receiver = decl.params.first().is_some_and(|param| param.kind == ParamKind::Receiver);
        flags.is_static = kind == DeclKind::Method && !has_receiver;
        if cursor.eat("->") {
            decl.returns = Some(cursor.ty()?);
        }
        decl.flags = flags;
        self.add(decl);
        cursor.end()
    }

    fn field_or_variant(&mut self, cursor: &mut Cursor<'_>) -> Result<(), &'static str> {
        let name = cursor.name()?;
        if cursor.eat(":") {
            let ty = cursor.ty()?;
            let owner = self.owner.clone();
            self.summary.variables.push(field(name, owner, ty));
            return cursor.end();
        }
        let mut decl = blank(DeclKind::Variant, name);
        let fields = if cursor.eat("(") { cursor.types_until(")")? } else { Vec::new() };
        if !fields.is_empty() {
            decl.shape = Shape::Tuple;
        }
        let qualname = self.add(decl);
        for (index, ty) in fields.into_iter().enumerate() {
            self.summary.variables.push(field(index.to_string().into(), qualname.clone(), ty));
        }
        cursor.end()
    }
}

fn last_name(ty: &TypeExpr) -> Name {
    match ty {
        TypeExpr::Path(segments) => segments.last().map(|last| last.name.clone()).unwrap_or_default(),
        TypeExpr::Ref(inner) => last_name(inner),
        TypeExpr::Slice(_) => "[]".into(),
        _ => Name::default(),
    }
}

fn blank(kind: DeclKind, name: Name) -> Decl {
    Decl {
        kind,
        name,
        qualname: Name::default(),
        owner: Name::default(),
        visibility: Visibility::Public,
        flags: DeclFlags::default(),
        decorators: Vec::new(),
        type_params: Vec::<TypeParam>::new(),
        params: Vec::<Param>::new(),
        returns: None,
        result: None,
        supertypes: Vec::new(),
        target: None,
        shape: Shape::Unit,
    }
}

fn field(name: Name, owner: Name, ty: TypeExpr) -> Variable {
    Variable {
        name,
        owner,
        kind: VariableKind::Instance,
        ty: Some(ty),
        value: None,
        assigned_in: Name::default(),
        visibility: Visibility::Public,
        is_mutable: false,
    }
}
