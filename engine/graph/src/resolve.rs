//! The resolution of one file, from start to end.

use std::collections::BTreeSet;

use bindery_facts::{Access, DeclIndex, DeclKind, Expr, ExprIndex, FileFacts, Import, Name, TypeExpr};
use bindery_source::RepoPath;

use crate::display::written_text;
use crate::{
    Def, Item, Lookup, Namespace, Place, Provided, Recorder, Resolution, Rules, Session, StateAccess,
    Supertype, Symbol, Ty,
};

/// Resolves one file.
pub fn resolve(
    path: &RepoPath,
    facts: &FileFacts,
    rules: &'static dyn Rules,
    lookup: &dyn Lookup,
) -> Resolution {
    let recorder = Recorder::new(lookup);
    let session = Session::new(path, facts, rules, &recorder);
    session.evaluate_in_order();
    let outcomes = facts.bodies.sites.iter().map(|site| session.outcome(site)).collect();
    let accesses = session.state_accesses();
    let supertypes = session.all_supertypes();
    let imported_files = session.imported_files(path);
    drop(session);
    Resolution { outcomes, accesses, supertypes, imported_files, needs: recorder.into_needs() }
}

impl Session<'_> {
    /// Types what has parts in arena order: they stand before it, so that long chains nest no deeper
    /// than one step each.
    fn evaluate_in_order(&self) {
        for index in 0..self.facts.bodies.exprs.0.len() as u32 {
            let index = ExprIndex(index);
            let is_leaf = matches!(
                self.body_expr(index),
                Expr::Unknown
                    | Expr::Name { .. }
                    | Expr::Path { .. }
                    | Expr::Literal(_)
                    | Expr::Closure { .. }
            );
            if !is_leaf {
                self.ty(index);
            }
        }
    }

    fn state_accesses(&self) -> Vec<StateAccess> {
        let accesses = self.facts.bodies.accesses.iter().enumerate();
        accesses.filter_map(|(number, access)| self.state_access(number as u32, access)).collect()
    }

    fn state_access(&self, number: u32, access: &Access) -> Option<StateAccess> {
        let (owner, name, through_self) = match self.body_expr(access.expr) {
            Expr::Member { base, name, .. } => self.attribute_owner(*base, name)?,
            Expr::Name { name, scope, at } => {
                if self.locals.seen(self.facts, self.rules(), name, *scope, *at).is_some_and(|s| !s.is_global)
                {
                    return None;
                }
                let owner = self.variable_owner(&self.place_of(*scope), name)?;
                // A variable of a type is reached by its name alone through the receiver.
                let through_self = !owner.qualname.is_empty();
                (owner, name, through_self)
            }
            Expr::Path { path: TypeExpr::Path(segments), scope, .. } => {
                let (last, before) = segments.split_last().filter(|(_, before)| !before.is_empty())?;
                let place = self.place_of(*scope);
                let owner = self.path_value(&place, &TypeExpr::Path(before.to_vec()), Namespace::Type);
                (self.variable_in(&owner, &last.name)?, &last.name, false)
            }
            _ => return None,
        };
        Some(StateAccess { owner, name: name.clone(), access: number, through_self })
    }

    fn attribute_owner<'n>(&self, base: ExprIndex, name: &'n Name) -> Option<(Symbol, &'n Name, bool)> {
        let through_self = self.is_this(base);
        let base = self.ty(base);
        if let Some(owner) = self.variable_in(&base, name) {
            return Some((owner, name, through_self));
        }
        let mut value = self.rules().deref(self, &base)?;
        for _ in 0..4 {
            if let Some(owner) = self.variable_in(&value, name) {
                return Some((owner, name, through_self));
            }
            value = self.rules().deref(self, &value)?;
        }
        None
    }

    fn is_this(&self, mut base: ExprIndex) -> bool {
        loop {
            match self.body_expr(base) {
                Expr::Ref(inner) | Expr::Deref(inner) => base = *inner,
                Expr::Name { name, scope, at } => return self.is_receiver(name, *scope, *at),
                other => return matches!(other, Expr::This { .. } | Expr::Super { .. }),
            }
        }
    }

    /// Whose variable `name` is, as a member of a type, instance or module of the set.
    pub(crate) fn variable_in(&self, holder: &Ty, name: &Name) -> Option<Symbol> {
        match holder {
            Ty::Instance(def, args) | Ty::Super(def, args) => {
                let bases = self.linear(def, args);
                let mut declaring = bases.iter().filter_map(Ty::instance_def);
                declaring
                    .find(|def| self.has_variable(&def.place(), name))
                    .filter(|def| !def.is_library() && def.decl().kind != DeclKind::Anonymous)
                    .map(|def| def.symbol())
            }
            Ty::Type(inner) => self.variable_in(inner, name),
            Ty::Module(module) => {
                self.rules().variable_file(self, module, name).map(|path| file_symbol(&path))
            }
            _ => None,
        }
    }

    /// Whether a scope itself declares a variable of this name.
    pub fn has_variable(&self, scope: &Place, name: &Name) -> bool {
        self.members(&scope.path, &scope.owner, name)
            .iter()
            .any(|item| matches!(item.item(), Item::Variable(_)))
    }

    /// The file whose module variable a free name is.
    fn variable_owner(&self, place: &Place, name: &Name) -> Option<Symbol> {
        let mut scope = place.clone();
        loop {
            let reach = self.place_def(&scope).map(|def| (self.rules().reach(def.decl().kind), def));
            if let Some((crate::Reach::Open, def)) = &reach
                && def.decl().kind.type_kind().is_some()
                && let Some(owner) = self.variable_in(&Ty::instance(def.clone()), name)
            {
                return Some(owner);
            }
            let items = match &reach {
                Some((crate::Reach::Hidden, _)) => [].into(),
                _ => self.members(&scope.path, &scope.owner, name),
            };
            if !items.is_empty() {
                return self.variable_of_items(&scope, &items, name);
            }
            match reach {
                Some((crate::Reach::Wall, _)) => return None,
                Some((_, def)) => scope.owner = def.decl().owner.clone(),
                None if !scope.owner.is_empty() => scope.owner = Name::default(),
                None => {
                    let module = self.rules().module_of(self, &scope.path);
                    return self.rules().variable_file(self, &module, name).map(|path| file_symbol(&path));
                }
            }
        }
    }

    fn variable_of_items(&self, scope: &Place, items: &[Provided], name: &Name) -> Option<Symbol> {
        if items.iter().any(|item| matches!(item.item(), Item::Variable(_))) {
            return Some(file_symbol(&scope.path));
        }
        let import = items.iter().find_map(Provided::import)?;
        let (last, before) = import.path.split_last()?;
        let container = Import { path: before.to_vec(), is_member: false, ..import.clone() };
        let _ = name;
        self.variable_in(&self.rules().import_target(self, scope, &container, Namespace::Type), last)
    }

    fn all_supertypes(&self) -> Vec<(DeclIndex, Vec<Supertype>)> {
        let decls = self.facts.summary.decls.iter().enumerate();
        decls
            .filter(|(_, decl)| decl.kind.type_kind().is_some())
            .map(|(index, _)| DeclIndex(index as u32))
            .map(|index| (index, self.supertypes(&self.own_def(index))))
            .filter(|(_, supertypes)| !supertypes.is_empty())
            .collect()
    }

    fn supertypes(&self, def: &Def) -> Vec<Supertype> {
        let written = self.rules().written_supertypes(self, def);
        written.iter().map(|(place, ty)| self.supertype(place, ty)).collect()
    }

    fn supertype(&self, place: &Place, written: &TypeExpr) -> Supertype {
        match self.written(place, written) {
            Ty::Instance(def, _) if !def.is_library() => Supertype::Type(def.symbol()),
            Ty::Instance(def, _) => match self.rules().library() {
                Some(library) if !self.is_prelude(&def) => {
                    let external = library.external(&def);
                    Supertype::Boundary { specifier: external.specifier, name: external.name }
                }
                _ => Supertype::Written(written_text(written, self.rules().separator())),
            },
            Ty::ExternalInstance(external) => {
                Supertype::Boundary { specifier: external.specifier.clone(), name: external.name.clone() }
            }
            _ => Supertype::Written(written_text(written, self.rules().separator())),
        }
    }

    fn imported_files(&self, own: &RepoPath) -> Vec<RepoPath> {
        let mut files = BTreeSet::new();
        for import in &self.facts.summary.imports {
            let place = Place { path: self.path.clone(), owner: import.owner.clone() };
            for namespace in [Namespace::Type, Namespace::Value] {
                self.add_file(&self.rules().import_target(self, &place, import, namespace), &mut files);
            }
            if let Some((_, before)) = import.path.split_last().filter(|(_, before)| !before.is_empty()) {
                let container = Import { path: before.to_vec(), is_member: false, ..import.clone() };
                let target = self.rules().import_target(self, &place, &container, Namespace::Type);
                if files.is_empty() || matches!(target, Ty::Module(_)) {
                    self.add_variable_file(&target, import, &mut files);
                }
            }
        }
        files.remove(own);
        files.into_iter().collect()
    }

    /// A variable's file is that of the module it is imported from.
    fn add_variable_file(&self, container: &Ty, import: &Import, files: &mut BTreeSet<RepoPath>) {
        let Some(symbol) = import.path.last().and_then(|name| self.variable_in(container, name)) else {
            return;
        };
        files.insert(symbol.path);
    }

    fn add_file(&self, target: &Ty, files: &mut BTreeSet<RepoPath>) {
        match target {
            Ty::Module(module) => {
                files.extend(self.rules().module_files(self, module).iter().map(|path| RepoPath::new(path)));
            }
            Ty::Type(instance) => self.add_file(instance, files),
            Ty::Instance(def, _) if !def.is_library() => {
                files.insert(def.symbol().path);
            }
            Ty::Function(function) if !function.def.is_library() => {
                files.insert(function.def.symbol().path);
            }
            Ty::Alternatives(all) => all.iter().for_each(|one| self.add_file(one, files)),
            _ => {}
        }
    }
}

fn file_symbol(path: &Name) -> Symbol {
    Symbol { path: RepoPath::new(path), qualname: Name::default() }
}
