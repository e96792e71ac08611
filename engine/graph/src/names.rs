//! What a name means: outwards through declarations, imports, globs, to what the language provides.

use bindery_facts::{DeclKind, Import, ImportBinding, Name, Shape};

use crate::{Def, FunctionTy, Item, Key, LIBRARY, Module, Namespace, Place, Provided, Reach, Session, Ty};

/// Keeps the cycle guards of different questions apart.
pub(crate) mod guard {
    pub(crate) const GLOB: u8 = 16;
    pub(crate) const ALIAS: u8 = 2;
    pub(crate) const SIGNATURE: u8 = 3;
    pub(crate) const RESULT: u8 = 4;
    pub(crate) const VARIABLE: u8 = 5;
    pub(crate) const LINEARIZATION: u8 = 6;
    pub(crate) const USES: u8 = 7;
    pub(crate) const IMPORT: u8 = 8;
    /// Languages number their own guards from here.
    pub(crate) const LANGUAGE: u8 = 64;
}

/// The first number a language's rules may use with [`Session::guarded`].
pub const LANGUAGE_GUARD: u8 = guard::LANGUAGE;

impl Session<'_> {
    /// What a name means at a place, local variables aside: type parameters and members of the
    /// declarations around it as far as [`crate::Rules::reach`] lets them be seen, imports among
    /// them, globs, and at last [`crate::Rules::outer_name`].
    pub fn name_in(&self, place: &Place, name: &Name, namespace: Namespace) -> Ty {
        let key = (place.clone(), name.clone(), namespace);
        if let Some(known) = self.names.borrow().get(&key) {
            // None marks a question that is being answered: a cycle of imports.
            return known.clone().unwrap_or_default();
        }
        self.names.borrow_mut().insert(key.clone(), None);
        let ty = self.nested(|| self.name_outwards(place, name, namespace));
        self.names.borrow_mut().insert(key, Some(ty.clone()));
        ty
    }

    fn name_outwards(&self, place: &Place, name: &Name, namespace: Namespace) -> Ty {
        let mut scope = place.clone();
        while let Some(def) = self.place_def(&scope) {
            let decl = def.decl();
            if let Some(index) = decl.type_params.iter().position(|param| param.name == *name) {
                return Ty::Param(def.clone(), index as u32).into_type();
            }
            let reach = self.rules().reach(decl.kind);
            if reach != Reach::Hidden
                && let Some(ty) = self.rules().inner_name(self, place, &scope, Some(&def), name, namespace)
            {
                return ty;
            }
            if reach == Reach::Wall {
                return self.outer_name(place, name, namespace);
            }
            scope.owner = decl.owner.clone();
        }
        scope.owner = Name::default();
        match self.rules().inner_name(self, place, &scope, None, name, namespace) {
            Some(ty) => ty,
            None => self.outer_name(place, name, namespace),
        }
    }

    /// Library data names all of the library, whatever module it is in.
    fn outer_name(&self, place: &Place, name: &Name, namespace: Namespace) -> Ty {
        if place.path != LIBRARY {
            return self.rules().outer_name(self, place, name, namespace);
        }
        let declared = self.rules().library().and_then(|library| library.declared(name));
        declared.map_or(Ty::Unknown, |item| self.item_value(&item, namespace))
    }

    /// What a scope itself makes of a name: its declarations, variables and imports, then its globs.
    pub fn name_of_scope(
        &self,
        from: &Place,
        scope: &Place,
        name: &Name,
        namespace: Namespace,
    ) -> Option<Ty> {
        self.declared(scope, name, namespace).or_else(|| self.through_globs(from, scope, name, namespace))
    }

    /// What is declared or imported directly under `name` in a scope; none if nothing is.
    pub fn declared(&self, scope: &Place, name: &Name, namespace: Namespace) -> Option<Ty> {
        let items = self.members(&scope.path, &scope.owner, name);
        self.chosen_value(&items, scope, name, namespace)
    }

    /// The value of whichever of `items` a use means; none if no item is of the name space.
    pub fn chosen_value(
        &self,
        items: &[Provided],
        scope: &Place,
        name: &Name,
        namespace: Namespace,
    ) -> Option<Ty> {
        if items.is_empty() {
            return None;
        }
        let chosen = self.rules().choose(self, items, namespace);
        if chosen.is_empty() {
            let fits = |item: &Provided| {
                item.decl().is_none_or(|decl| self.rules().is_in_namespace(decl, namespace))
            };
            return items.iter().any(fits).then_some(Ty::Unknown);
        }
        if chosen.iter().all(|item| matches!(item.item(), Item::Variable(_))) {
            return Some(self.variable(scope, name, &chosen));
        }
        let values: Vec<Ty> = chosen.iter().map(|item| self.item_value(item, namespace)).collect();
        let is_head = |item: &Provided| {
            item.decl().is_some_and(|decl| decl.flags.is_bodiless && !decl.flags.is_conditional)
        };
        if values.len() > 1 && chosen.iter().all(is_head) {
            return Some(Ty::Overloads(values.into()));
        }
        Some(Ty::alternatives(values))
    }

    /// What the glob imports of a scope make of a name. Several globs that lead to different things
    /// are ambiguous.
    pub fn through_globs(
        &self,
        from: &Place,
        scope: &Place,
        name: &Name,
        namespace: Namespace,
    ) -> Option<Ty> {
        let globs = self.provided(&Key::Globs { path: scope.path.clone(), owner: scope.owner.clone() });
        if globs.is_empty() {
            return None;
        }
        self.guarded_name(guard::GLOB + namespace as u8, scope, name, || {
            let (mut found, mut are_conditional): (Vec<Ty>, bool) = (Vec::new(), true);
            for import in globs.iter().filter_map(Provided::import) {
                if let Some(ty) = self.through_glob(from, scope, import, name, namespace)
                    && !found.contains(&ty)
                {
                    found.push(ty);
                    are_conditional &= import.is_conditional;
                }
            }
            if found.len() > 1 {
                found.retain(Ty::is_known);
            }
            match found.len() {
                0 => None,
                1 => found.pop(),
                _ if are_conditional => Some(Ty::alternatives(found)),
                _ => Some(Ty::Unknown),
            }
        })
    }

    fn through_glob(
        &self,
        from: &Place,
        scope: &Place,
        import: &Import,
        name: &Name,
        namespace: Namespace,
    ) -> Option<Ty> {
        if !self.rules().is_visible(self, from, scope, &import.visibility) {
            return None;
        }
        match self.rules().import_target(self, scope, import, Namespace::Type) {
            Ty::Module(module) => {
                if !self.rules().glob_exposes(self, &module, name) {
                    return None;
                }
                Some(self.rules().module_member(self, scope, &module, name, namespace)).filter(Ty::is_known)
            }
            Ty::Type(instance) => match &*instance {
                Ty::Instance(def, _) => self.declared(&def.place(), name, namespace),
                _ => None,
            },
            _ => None,
        }
    }

    /// What an item is worth as a value or type.
    pub fn item_value(&self, item: &Provided, namespace: Namespace) -> Ty {
        match item.item() {
            Item::Decl(_) => self.def(item).map_or(Ty::Unknown, |def| self.def_value_in(&def, namespace)),
            Item::Variable(_) => {
                let variable = item.variable().expect("the item is a variable");
                let scope = Place { path: self.path_of(item), owner: variable.owner.clone() };
                self.variable(&scope, &variable.name, std::slice::from_ref(item))
            }
            Item::Import(index) => self.import_item(item, index, namespace),
            Item::File => Ty::Module(self.rules().module_of(self, &self.path_of(item))),
            Item::Entry(_) => Ty::Unknown,
        }
    }

    /// What an import leads to; nothing, if it leads back to itself.
    fn import_item(&self, item: &Provided, index: u32, namespace: Namespace) -> Ty {
        let path = self.path_of(item);
        let key = (path.clone(), index, namespace);
        if let Some(known) = self.imports.borrow().get(&key) {
            return known.clone();
        }
        let Some(import) = item.import() else { return Ty::Unknown };
        let subject = index * 4 + namespace as u32;
        let ty = self.guarded(guard::IMPORT, subject, &path, || {
            let scope = Place { path: path.clone(), owner: import.owner.clone() };
            self.rules().import_target(self, &scope, import, namespace)
        });
        self.imports.borrow_mut().insert(key, ty.clone());
        ty
    }

    /// What a declaration is worth in a name space: a unit struct's name is its value as well.
    pub(crate) fn def_value_in(&self, def: &Def, namespace: Namespace) -> Ty {
        if namespace == Namespace::Value && self.rules().is_its_own_value(def.decl()) {
            return Ty::instance(def.clone());
        }
        self.def_value(def)
    }

    /// What a declaration is worth as a value or type, [`crate::Rules::decorated`] applied.
    pub fn def_value(&self, def: &Def) -> Ty {
        let decl = def.decl();
        let plain = match decl.kind {
            kind if kind.is_callable() => self.function(def, None),
            DeclKind::Variant if decl.shape == Shape::Unit => match self.owner(def) {
                Some(owner) => Ty::instance(owner),
                None => Ty::Unknown,
            },
            DeclKind::Variant => self.function(def, None),
            DeclKind::Alias => self.alias_target(def),
            DeclKind::Module => return self.module_value(def),
            DeclKind::Object => {
                return Ty::Module(Module { path: def.path().clone(), owner: decl.qualname.clone() });
            }
            DeclKind::Impl | DeclKind::Macro | DeclKind::Scope => return Ty::Unknown,
            _ => Ty::instance(def.clone()).into_type(),
        };
        self.rules().decorated(self, def, plain)
    }

    /// A function as a value, nothing known of its type parameters.
    pub fn function(&self, def: &Def, receiver: Option<Ty>) -> Ty {
        Ty::Function(FunctionTy { def: def.clone(), receiver, subst: [].into() }.into())
    }

    fn alias_target(&self, def: &Def) -> Ty {
        let Some(target) = &def.decl().target else { return Ty::Unknown };
        self.guarded(guard::ALIAS, def.id(), &Name::default(), || self.written(&def.place(), target))
            .into_type()
    }

    fn module_value(&self, def: &Def) -> Ty {
        let decl = def.decl();
        if !decl.flags.is_external_module {
            return Ty::Module(Module { path: def.path().clone(), owner: decl.qualname.clone() });
        }
        let parent = Module { path: def.path().clone(), owner: decl.owner.clone() };
        match self.rules().submodule(self, &parent, &decl.name) {
            Some(module) => Ty::Module(module),
            None => Ty::Unknown,
        }
    }

    /// What an import binds in its scope, as a value or type.
    pub fn import_value(&self, place: &Place, import: &Import, namespace: Namespace) -> Ty {
        match import.binds {
            ImportBinding::Glob | ImportBinding::Nothing | ImportBinding::Own => Ty::Unknown,
            _ => self.rules().import_target(self, place, import, namespace),
        }
    }
}
