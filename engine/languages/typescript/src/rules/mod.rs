//! How names resolve.
//!
//! The engine asks and these files answer: [`modules`] what an import leads to and what a file exports,
//! [`specifiers`] which file a specifier means, [`declared`] which of several declarations of one name is
//! meant, [`members`] what reading a member gives, [`operations`] what expressions are worth. Built-in
//! types are data in `library.txt`.

mod declared;
mod members;
mod modules;
mod operations;
mod specifiers;

use std::rc::Rc;
use std::sync::OnceLock;

use bindery_facts::{Decl, DeclKind, Import, Language, Name, Segment, TypeExpr};
use bindery_graph::{
    Args, Builtin, Construction, Def, External, FunctionTy, Item, Key, Library, Module, Namespace, Place,
    Provided, Reach, Rules, Scoping, Session, Ty, Unit,
};

/// The resolution rules of TypeScript and JavaScript.
pub struct ScriptRules;

static LIBRARY: OnceLock<Library> = OnceLock::new();

impl Rules for ScriptRules {
    fn custom_offers(&self, unit: &Unit, pairs: &mut Vec<(Key, Item)>) {
        specifiers::offers(unit, pairs);
    }

    fn library(&self) -> Option<&'static Library> {
        Some(
            LIBRARY.get_or_init(|| {
                Library::parse(Language::TypeScript, include_str!("library.txt"), &LibraryRules)
            }),
        )
    }

    fn builtin_name(&self, builtin: Builtin) -> Option<&'static str> {
        Some(match builtin {
            Builtin::String | Builtin::Char => "string",
            Builtin::Integer | Builtin::Float => "number",
            Builtin::Bool => "boolean",
            Builtin::None => "undefined",
            Builtin::List | Builtin::Slice | Builtin::Array => "Array",
            Builtin::Generator => "Generator",
            Builtin::Function => "Function",
            Builtin::Object => "Object",
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
        Scoping::Block
    }

    fn reach(&self, kind: DeclKind) -> Reach {
        let is_lexical = kind.is_callable() || matches!(kind, DeclKind::Module | DeclKind::Scope);
        if is_lexical { Reach::Open } else { Reach::Hidden }
    }

    fn choose(&self, _: &Session, items: &[Provided], namespace: Namespace) -> Vec<Provided> {
        declared::choose(items, namespace)
    }

    fn is_in_namespace(&self, decl: &Decl, namespace: Namespace) -> bool {
        declared::is_in_namespace(decl, namespace)
    }

    fn module_member(
        &self,
        session: &Session,
        from: &Place,
        module: &Module,
        name: &Name,
        namespace: Namespace,
    ) -> Ty {
        modules::member(session, from, module, name, namespace)
    }

    fn import_target(&self, session: &Session, place: &Place, import: &Import, namespace: Namespace) -> Ty {
        modules::import_target(session, place, import, namespace)
    }

    fn glob_exposes(&self, _: &Session, _: &Module, name: &Name) -> bool {
        name != "default"
    }

    fn path(&self, session: &Session, place: &Place, path: &TypeExpr, _: Namespace) -> Option<Ty> {
        modules::marked(session, place, path)
    }

    fn written_path(&self, session: &Session, place: &Place, segments: &[Segment]) -> Option<Ty> {
        members::written_path(session, place, segments)
    }

    fn decorated(&self, _: &Session, def: &Def, plain: Ty) -> Ty {
        // An alias of an object type is a type with members of its own.
        let decl = def.decl();
        let is_own = decl.kind == DeclKind::Alias && decl.target.is_none();
        if is_own { Ty::instance(def.clone()).into_type() } else { plain }
    }

    fn linearization(&self, session: &Session, def: &Def, args: &Args) -> Rc<[Ty]> {
        members::linearization(session, def, args)
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

    fn deref(&self, session: &Session, ty: &Ty) -> Option<Ty> {
        match ty {
            Ty::Awaitable(inner) => Some(session.library_instance("Promise", [(**inner).clone()].into())),
            _ => None,
        }
    }

    fn external_member(&self, external: &External, name: &Name) -> Ty {
        modules::external_member(external, name)
    }

    fn is_external_type(&self, _: &External) -> bool {
        // Types are constructed with `new`; whatever is called is a function.
        false
    }

    fn bound(&self, session: &Session, receiver: &Ty, base: &Ty, def: &Def) -> Ty {
        members::bound(session, receiver, base, def)
    }

    fn element(&self, session: &Session, base: &Ty, is_async: bool) -> Ty {
        operations::element(session, base, is_async)
    }

    fn index(&self, session: &Session, base: &Ty, index: &Ty) -> Ty {
        operations::index(session, base, index)
    }

    fn item(&self, session: &Session, base: &Ty, index: u32) -> Ty {
        operations::item(session, base, index)
    }

    fn awaited(&self, session: &Session, base: &Ty) -> Ty {
        operations::awaited(session, base)
    }

    fn operation(&self, session: &Session, operator: &str, operands: &[Ty]) -> Ty {
        operations::operation(session, operator, operands)
    }

    fn construction_namespace(&self) -> Namespace {
        Namespace::Value
    }

    fn constructed(&self, session: &Session, function: &FunctionTy) -> Ty {
        members::constructed(session, &function.def)
    }

    fn definition(&self, session: &Session, def: &Def) -> Def {
        declared::definition(session, def)
    }

    fn constructor_names(&self) -> &'static [&'static str] {
        &["constructor"]
    }

    fn construction(&self, session: &Session, instance: &Ty) -> Construction {
        members::construction(session, instance)
    }

    fn called_member(&self) -> Option<&'static str> {
        Some(crate::adapter::CALL_MEMBER)
    }

    fn wrapped_result(&self, session: &Session, function: &Def, value: Ty) -> Ty {
        operations::wrapped_result(session, function, value)
    }
}

/// The rules while the library itself is read: nothing but defaults.
struct LibraryRules;

impl Rules for LibraryRules {
    fn import_target(&self, _: &Session, _: &Place, _: &Import, _: Namespace) -> Ty {
        Ty::Unknown
    }
}
