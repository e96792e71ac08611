//! How Python names resolve.
//!
//! The engine asks and these files answer: [`modules`] what an import leads to, [`declared`] which of
//! several declarations of one name is meant, [`inheritance`] in what order classes are searched,
//! [`members`] what reading an attribute gives, [`operations`] and [`calls`] what expressions are
//! worth. Built-in and standard types are data in `library.txt`.

mod calls;
mod declared;
mod inheritance;
mod members;
mod modules;
mod operations;
mod standard_modules;

use std::rc::Rc;
use std::sync::OnceLock;

use bindery_facts::{DeclKind, Import, Language, Name, Segment};
use bindery_graph::{
    Args, Builtin, CallView, Construction, Def, External, Item, Key, Library, Module, Namespace, Place,
    Provided, Reach, Rules, Scoping, Session, Ty, Unit, defaults,
};

/// The resolution rules of Python.
pub struct PythonRules;

static LIBRARY: OnceLock<Library> = OnceLock::new();

impl Rules for PythonRules {
    fn custom_offers(&self, unit: &Unit, pairs: &mut Vec<(Key, Item)>) {
        modules::offers(unit, pairs);
    }

    fn library(&self) -> Option<&'static Library> {
        Some(
            LIBRARY
                .get_or_init(|| Library::parse(Language::Python, include_str!("library.txt"), &LibraryRules)),
        )
    }

    fn builtin_name(&self, builtin: Builtin) -> Option<&'static str> {
        Some(match builtin {
            Builtin::String => "str",
            Builtin::Bytes => "bytes",
            Builtin::Integer => "int",
            Builtin::Float => "float",
            Builtin::Bool => "bool",
            Builtin::None => "NoneType",
            Builtin::List => "list",
            Builtin::Set => "set",
            Builtin::Slice | Builtin::Tuple => "tuple",
            Builtin::Generator => "Generator",
            Builtin::Map => "dict",
            Builtin::Range => "slice",
            Builtin::Function => "function",
            Builtin::Object => "object",
            _ => return None,
        })
    }

    fn is_statically_typed(&self) -> bool {
        false
    }

    fn ignores_nothing(&self) -> bool {
        true
    }

    fn scoping(&self) -> Scoping {
        Scoping::Function
    }

    fn reach(&self, kind: DeclKind) -> Reach {
        if kind.is_callable() { Reach::Open } else { Reach::Hidden }
    }

    fn choose(&self, _: &Session, items: &[Provided], _: Namespace) -> Vec<Provided> {
        declared::choose(items)
    }

    fn submodule(&self, session: &Session, module: &Module, name: &Name) -> Option<Module> {
        modules::submodule(session, module, name)
    }

    fn module_member(
        &self,
        session: &Session,
        from: &Place,
        module: &Module,
        name: &Name,
        _: Namespace,
    ) -> Ty {
        modules::member(session, from, module, name)
    }

    fn import_target(&self, session: &Session, place: &Place, import: &Import, _: Namespace) -> Ty {
        modules::import_target(session, place, import)
    }

    fn glob_exposes(&self, session: &Session, module: &Module, name: &Name) -> bool {
        modules::exposes(session, module, name)
    }

    fn written_path(&self, session: &Session, place: &Place, segments: &[Segment]) -> Option<Ty> {
        members::written_path(session, place, segments)
    }

    fn decorated(&self, session: &Session, def: &Def, plain: Ty) -> Ty {
        calls::decorated(session, def, plain)
    }

    fn linearization(&self, session: &Session, def: &Def, args: &Args) -> Rc<[Ty]> {
        inheritance::linearization(session, def, args)
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

    fn external_member(&self, external: &External, name: &Name) -> Ty {
        defaults::external_member(self.separator(), external, name)
    }

    fn bound(&self, session: &Session, receiver: &Ty, base: &Ty, def: &Def) -> Ty {
        members::bound(session, receiver, base, def)
    }

    fn may_inherit(&self, session: &Session, receiver: &Ty, name: &Name) -> bool {
        inheritance::may_inherit(session, receiver, name)
    }

    fn element(&self, session: &Session, base: &Ty, is_async: bool) -> Ty {
        operations::element(session, base, is_async)
    }

    fn index(&self, session: &Session, base: &Ty, index: &Ty) -> Ty {
        operations::index(session, base, index)
    }

    fn awaited(&self, session: &Session, base: &Ty) -> Ty {
        operations::awaited(session, base)
    }

    fn entered(&self, session: &Session, base: &Ty, is_async: bool) -> Ty {
        operations::entered(session, base, is_async)
    }

    fn operation(&self, session: &Session, operator: &str, operands: &[Ty]) -> Ty {
        operations::operation(session, operator, operands)
    }

    fn constructor_names(&self) -> &'static [&'static str] {
        &["__init__"]
    }

    fn construction(&self, session: &Session, instance: &Ty) -> Construction {
        calls::construction(session, instance)
    }

    fn called_member(&self) -> Option<&'static str> {
        Some("__call__")
    }

    fn wrapped_result(&self, session: &Session, function: &Def, value: Ty) -> Ty {
        calls::wrapped_result(session, function, value)
    }

    fn call_result(&self, session: &Session, call: &CallView<'_>) -> Option<Ty> {
        calls::call_result(session, call)
    }
}

/// The rules while the library itself is read: nothing but defaults.
struct LibraryRules;

impl Rules for LibraryRules {
    fn import_target(&self, _: &Session, _: &Place, _: &Import, _: Namespace) -> Ty {
        Ty::Unknown
    }
}
