//! How Java names resolve.
//!
//! The engine asks and these files answer: [`packages`] what a simple or qualified name of a type means
//! and which of several files of one name is in the same build, [`imports`] what an import leads to,
//! [`scopes`] what the inside of a type or file makes of a name, [`inheritance`] which types a type
//! inherits from, [`members`] what its members are, [`overloads`] which of several methods a call means,
//! [`functional`] which method a lambda stands for, [`operations`] what operators give. The types of the
//! Java platform are data in `library/platform.txt`.

mod functional;
mod imports;
mod inheritance;
mod members;
mod operations;
mod overloads;
mod packages;
mod scopes;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::OnceLock;

use bindery_facts::{Decl, DeclKind, Import, Language, Literal, Name, Segment};
use bindery_graph::{
    Args, Builtin, CallView, CallableTy, Construction, Def, Item, Key, Library, Module, Namespace, Place,
    Reach, Rules, Session, Ty, Unit,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The resolution rules of Java.
pub struct JavaRules;

static LIBRARY: OnceLock<Library> = OnceLock::new();

/// What is kept for the length of a session.
#[derive(Default)]
pub(crate) struct State {
    /// The package of each file.
    packages: RefCell<FxHashMap<Name, Name>>,
    /// The base types of each type, in terms of its own type parameters.
    bases: RefCell<FxHashMap<u32, Rc<[Ty]>>>,
    /// The types whose base types are being worked out, by [`bindery_graph::DefData::id`].
    open_headers: RefCell<FxHashSet<u32>>,
    /// The method a lambda of each interface stands for, with the base it is declared in.
    functional: RefCell<FxHashMap<u32, Option<(Def, Ty)>>>,
}

impl Rules for JavaRules {
    fn custom_offers(&self, unit: &Unit, pairs: &mut Vec<(Key, Item)>) {
        packages::offers(unit, pairs);
        functional::offers(unit, pairs);
    }

    fn library(&self) -> Option<&'static Library> {
        let text = include_str!("../../library/platform.txt");
        Some(LIBRARY.get_or_init(|| Library::parse(Language::Java, text, &LibraryRules)))
    }

    fn builtin_name(&self, builtin: Builtin) -> Option<&'static str> {
        Some(match builtin {
            Builtin::String => "String",
            Builtin::Char => "char",
            Builtin::Integer => "int",
            Builtin::Float => "double",
            Builtin::Bool => "boolean",
            Builtin::List | Builtin::Array | Builtin::Slice => operations::ARRAY,
            Builtin::Object => "Object",
            _ => return None,
        })
    }

    fn reach(&self, _: DeclKind) -> Reach {
        Reach::Open
    }

    fn keeps_methods_apart(&self) -> bool {
        true
    }

    fn keeps_functions_apart(&self) -> bool {
        true
    }

    fn is_in_namespace(&self, decl: &Decl, namespace: Namespace) -> bool {
        scopes::is_in_namespace(decl, namespace)
    }

    fn inner_name(
        &self,
        session: &Session,
        from: &Place,
        scope: &Place,
        def: Option<&Def>,
        name: &Name,
        namespace: Namespace,
    ) -> Option<Ty> {
        scopes::inner_name(session, from, scope, def, name, namespace)
    }

    fn module_member(
        &self,
        session: &Session,
        from: &Place,
        module: &Module,
        name: &Name,
        namespace: Namespace,
    ) -> Ty {
        packages::member(session, from, module, name, namespace)
    }

    fn import_target(&self, session: &Session, place: &Place, import: &Import, namespace: Namespace) -> Ty {
        imports::target(session, place, import, namespace)
    }

    fn outer_name(&self, session: &Session, place: &Place, name: &Name, namespace: Namespace) -> Ty {
        scopes::outer_name(session, place, name, namespace)
    }

    fn written_path(&self, session: &Session, _: &Place, segments: &[Segment]) -> Option<Ty> {
        operations::primitive(session, segments)
    }

    fn literal(&self, session: &Session, literal: Literal) -> Ty {
        operations::literal(session, literal)
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

    fn may_inherit(&self, session: &Session, receiver: &Ty, _: &Name) -> bool {
        inheritance::may_inherit(session, receiver)
    }

    fn element(&self, session: &Session, base: &Ty, _: bool) -> Ty {
        operations::element(session, base)
    }

    fn index(&self, _: &Session, base: &Ty, _: &Ty) -> Ty {
        operations::array_element(base).unwrap_or_default()
    }

    fn item(&self, session: &Session, base: &Ty, index: u32) -> Ty {
        operations::component(session, base, index)
    }

    fn operation(&self, session: &Session, operator: &str, operands: &[Ty]) -> Ty {
        operations::operation(session, operator, operands)
    }

    fn construction(&self, session: &Session, instance: &Ty) -> Construction {
        members::construction(session, instance)
    }

    fn select(&self, session: &Session, candidates: &[Ty], call: &CallView<'_>) -> Option<Ty> {
        overloads::select(session, candidates, call)
    }

    fn unlearned(&self, session: &Session, function: &Def, index: u32) -> Option<Ty> {
        Some(functional::unlearned(session, function, index))
    }

    fn callable(&self, session: &Session, ty: &Ty) -> Option<Rc<CallableTy>> {
        functional::callable(session, ty)
    }

    fn call_result(&self, session: &Session, call: &CallView<'_>) -> Option<Ty> {
        overloads::reference_result(session, call)
    }
}

/// The rules while the library itself is read: nothing but what it offers.
struct LibraryRules;

impl Rules for LibraryRules {
    fn custom_offers(&self, unit: &Unit, pairs: &mut Vec<(Key, Item)>) {
        functional::offers(unit, pairs);
    }

    fn import_target(&self, _: &Session, _: &Place, _: &Import, _: Namespace) -> Ty {
        Ty::Unknown
    }
}
