//! Go's rules of resolution.
//!
//! [`packages`] knows which package a file belongs to and what an import leads to, [`members`] what
//! `x.f` is, [`values`] what operations give, [`constraints`] which files are built together. What other
//! files say is asked for under the keys of [`offers`] and the engine's own.
//!
//! A variable that holds a function is called through its type only, unless it is a local one that is
//! never assigned again.

mod constraints;
mod members;
mod offers;
mod packages;
mod values;

use std::rc::Rc;
use std::sync::OnceLock;

use bindery_facts::{Decl, DeclKind, Import, Language, Name};
use bindery_graph::{
    Args, Builtin, CallView, Construction, Def, External, Item, Key, Library, Module, Namespace, Place,
    Rules, Session, Ty, Unit,
};

/// The rules of Go.
pub static RULES: GoRules = GoRules;

/// See [`RULES`].
pub struct GoRules;

static PREDECLARED: &str = include_str!("../../library/go.txt");

impl Rules for GoRules {
    fn custom_offers(&self, unit: &Unit, pairs: &mut Vec<(Key, Item)>) {
        offers::add(unit, pairs);
    }

    fn library(&self) -> Option<&'static Library> {
        static LIBRARY: OnceLock<Library> = OnceLock::new();
        Some(LIBRARY.get_or_init(|| Library::parse(Language::Go, PREDECLARED, &RULES)))
    }

    fn builtin_name(&self, builtin: Builtin) -> Option<&'static str> {
        values::builtin_name(builtin)
    }

    fn separator(&self) -> &'static str {
        "/"
    }

    /// A function literal is found through the variable that holds it, from where that is declared.
    fn is_in_namespace(&self, decl: &Decl, _namespace: Namespace) -> bool {
        decl.kind != DeclKind::Closure
    }

    fn module_of(&self, session: &Session, path: &Name) -> Module {
        packages::package(session, path)
    }

    fn module_files(&self, session: &Session, module: &Module) -> Vec<Name> {
        packages::main_file(session, module).into_iter().collect()
    }

    fn variable_file(&self, session: &Session, module: &Module, name: &Name) -> Option<Name> {
        packages::variable_file(session, module, name)
    }

    fn module_member(
        &self,
        session: &Session,
        from: &Place,
        module: &Module,
        name: &Name,
        namespace: Namespace,
    ) -> Ty {
        packages::member(session, &from.path, module, name, namespace).unwrap_or_default()
    }

    fn import_target(&self, session: &Session, place: &Place, import: &Import, _namespace: Namespace) -> Ty {
        packages::import_target(session, place, import)
    }

    fn glob_exposes(&self, _session: &Session, _module: &Module, name: &Name) -> bool {
        values::is_exported(name)
    }

    fn outer_name(&self, session: &Session, place: &Place, name: &Name, namespace: Namespace) -> Ty {
        packages::outer_name(session, place, name, namespace)
    }

    fn linearization(&self, session: &Session, def: &Def, args: &Args) -> Rc<[Ty]> {
        let levels = members::levels(session, def, args);
        levels.iter().flat_map(|level| level.iter().map(|embedded| embedded.ty.clone())).collect()
    }

    fn direct_member(
        &self,
        session: &Session,
        from: &Place,
        receiver: &Ty,
        name: &Name,
        namespace: Namespace,
    ) -> Option<Ty> {
        members::direct_member(session, from, receiver, name, namespace)
    }

    /// A value of a defined function type is called like the function it is.
    fn deref(&self, session: &Session, ty: &Ty) -> Option<Ty> {
        values::function_of(session, ty)
    }

    /// Of a package outside only its own names are known; whether one is a type or a variable is not.
    fn external_member(&self, external: &External, name: &Name) -> Ty {
        if !external.name.is_empty() {
            return Ty::Unknown;
        }
        Ty::External(Rc::new(External { name: name.clone(), ..external.clone() }))
    }

    fn is_external_type(&self, _external: &External) -> bool {
        false
    }

    fn element(&self, session: &Session, base: &Ty, _is_async: bool) -> Ty {
        values::element(session, base)
    }

    fn index(&self, session: &Session, base: &Ty, index: &Ty) -> Ty {
        values::index(session, base, index)
    }

    fn item(&self, _session: &Session, _base: &Ty, _index: u32) -> Ty {
        Ty::Unknown
    }

    fn operation(&self, session: &Session, operator: &str, operands: &[Ty]) -> Ty {
        values::operation(session, operator, operands)
    }

    fn calls_convert(&self) -> bool {
        true
    }

    fn construction(&self, _session: &Session, instance: &Ty) -> Construction {
        match instance {
            Ty::Instance(def, _) if def.decl().kind.type_kind().is_some() => {
                Construction::Synthetic(def.clone())
            }
            _ => Construction::Unknown,
        }
    }

    fn call_result(&self, _session: &Session, call: &CallView<'_>) -> Option<Ty> {
        values::call_result(call)
    }
}
