//! Rust's rules of resolution: modules and crates, `use`, impls and traits, what the standard library
//! gives.
//!
//! [`crates`] knows which file is which module of which crate, [`paths`] what a path leads to,
//! [`members`] what `x.f` and `T::f` are, [`traits`] who implements what, [`values`] operators, macros
//! and iteration. What other files say is asked for under the keys of [`offers`] and the engine's own.

mod crates;
mod members;
mod offers;
mod paths;
mod traits;
mod values;

use std::rc::Rc;
use std::sync::OnceLock;

use bindery_facts::{
    Decl, DeclKind, ExprIndex, Import, Language, Name, Segment, Shape, TypeExpr, Visibility,
};
use bindery_graph::{
    Args, Bound, Builtin, CallView, Construction, Def, Item, Key, Learned, Library, Module, Namespace, Place,
    Provided, Reach, Rules, Session, Ty, Unit,
};

/// The rules of Rust.
pub static RULES: RustRules = RustRules;

/// See [`RULES`].
pub struct RustRules;

static STANDARD_LIBRARY: &str = include_str!("../../library/std.txt");

impl Rules for RustRules {
    fn custom_offers(&self, unit: &Unit, pairs: &mut Vec<(Key, Item)>) {
        offers::add(unit, pairs);
    }

    fn library(&self) -> Option<&'static Library> {
        static LIBRARY: OnceLock<Library> = OnceLock::new();
        Some(LIBRARY.get_or_init(|| Library::parse(Language::Rust, STANDARD_LIBRARY, &RULES)))
    }

    fn builtin_name(&self, builtin: Builtin) -> Option<&'static str> {
        Some(match builtin {
            Builtin::String => "str",
            Builtin::Char => "char",
            Builtin::Integer => "i32",
            Builtin::Float => "f64",
            Builtin::Bool => "bool",
            Builtin::List => "Vec",
            Builtin::Array | Builtin::Slice | Builtin::Bytes => "slice",
            Builtin::Optional => "Option",
            Builtin::Range => "Range",
            Builtin::Tuple => "tuple",
            _ => return None,
        })
    }

    fn separator(&self) -> &'static str {
        "::"
    }

    fn nested_functions_capture(&self) -> bool {
        false
    }

    fn reach(&self, kind: DeclKind) -> Reach {
        match kind {
            DeclKind::Module => Reach::Wall,
            kind if kind.is_callable() => Reach::Open,
            _ => Reach::Hidden,
        }
    }

    fn keeps_methods_apart(&self) -> bool {
        true
    }

    fn choose(&self, session: &Session, items: &[Provided], namespace: Namespace) -> Vec<Provided> {
        paths::choose(session, items, namespace)
    }

    fn is_in_namespace(&self, decl: &Decl, namespace: Namespace) -> bool {
        use DeclKind::{Alias, Enum, Macro, Module, OtherType, Struct, Trait, Variant};
        match namespace {
            Namespace::Type => {
                matches!(decl.kind, Struct | Enum | Trait | Alias | OtherType | Module | Variant)
            }
            Namespace::Value => decl.kind.is_callable() || matches!(decl.kind, Struct | Variant),
            Namespace::Method => decl.kind.is_callable(),
            Namespace::Macro => decl.kind == Macro,
        }
    }

    fn is_its_own_value(&self, decl: &Decl) -> bool {
        decl.kind == DeclKind::Struct && decl.shape == Shape::Unit
    }

    fn is_visible(
        &self,
        session: &Session,
        from: &Place,
        container: &Place,
        visibility: &Visibility,
    ) -> bool {
        paths::is_visible(session, from, container, visibility)
    }

    fn submodule(&self, session: &Session, module: &Module, name: &Name) -> Option<Module> {
        crates::submodule(session, module, name)
    }

    fn module_member(
        &self,
        session: &Session,
        from: &Place,
        module: &Module,
        name: &Name,
        namespace: Namespace,
    ) -> Ty {
        paths::module_member(session, from, module, name, namespace)
    }

    fn import_target(&self, session: &Session, place: &Place, import: &Import, namespace: Namespace) -> Ty {
        paths::import_target(session, place, import, namespace)
    }

    fn outer_name(&self, session: &Session, place: &Place, name: &Name, namespace: Namespace) -> Ty {
        paths::outer_name(session, place, name, namespace)
    }

    fn path(&self, session: &Session, place: &Place, path: &TypeExpr, namespace: Namespace) -> Option<Ty> {
        paths::path(session, place, path, namespace)
    }

    fn written_path(&self, session: &Session, place: &Place, segments: &[Segment]) -> Option<Ty> {
        paths::written_path(session, place, segments)
    }

    fn written_supertypes(&self, session: &Session, def: &Def) -> Vec<(Place, TypeExpr)> {
        traits::written_supertypes(session, def)
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
        traits::deref(session, ty)
    }

    fn may_inherit(&self, session: &Session, receiver: &Ty, _name: &Name) -> bool {
        traits::may_inherit(session, receiver)
    }

    fn element(&self, session: &Session, base: &Ty, _is_async: bool) -> Ty {
        values::element(session, base)
    }

    fn index(&self, session: &Session, base: &Ty, index: &Ty) -> Ty {
        values::index(session, base, index)
    }

    fn awaited(&self, session: &Session, base: &Ty) -> Ty {
        values::awaited(session, base)
    }

    fn tried(&self, _session: &Session, base: &Ty) -> Ty {
        values::tried(base)
    }

    fn dereferenced(&self, session: &Session, base: &Ty) -> Ty {
        values::dereferenced(session, base)
    }

    fn operation(&self, session: &Session, operator: &str, operands: &[Ty]) -> Ty {
        values::operation(session, operator, operands)
    }

    fn macro_value(&self, session: &Session, name: &Name, args: &[ExprIndex]) -> Ty {
        values::macro_value(session, name, args)
    }

    fn is_builtin_macro(&self, name: &Name) -> bool {
        values::is_builtin_macro(name)
    }

    fn filled(&self, session: &Session, written: Ty, value: ExprIndex) -> Ty {
        values::filled(session, written, value)
    }

    fn construction(&self, _session: &Session, instance: &Ty) -> Construction {
        match instance {
            Ty::Instance(def, _) => Construction::Synthetic(def.clone()),
            _ => Construction::Unknown,
        }
    }

    fn call_result(&self, session: &Session, call: &CallView<'_>) -> Option<Ty> {
        values::call_result(session, call)
    }

    fn linearization(&self, session: &Session, def: &Def, args: &Args) -> Rc<[Ty]> {
        match def.decl().kind {
            DeclKind::Trait => bindery_graph::defaults::linearization(session, def, args),
            _ => [Ty::Instance(def.clone(), args.clone())].into(),
        }
    }

    fn associated(&self, session: &Session, base: &Ty, of_trait: Option<&Ty>, name: &Name) -> Option<Ty> {
        traits::associated(session, base, of_trait, name)
    }

    fn learn_from_bound(&self, session: &Session, bound: &Bound, actual: &Ty, learned: &mut Learned) {
        traits::learn_from_bound(session, bound, actual, learned);
    }
}
