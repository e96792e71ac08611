//! The members of types (JLS 8.2, 8.4.8, 9.4.1).

use std::rc::Rc;

use bindery_facts::{DeclKind, Name, ParamKind, Visibility};
use bindery_graph::{
    CallableTy, Construction, Def, FunctionTy, Item, Namespace, Place, Provided, Session, Subst, Ty, defaults,
};

use super::{inheritance, operations};

/// The name that constructor calls (`this(…)`, `super(…)`) are lowered to.
const CONSTRUCTOR: &str = "<init>";
/// What stands before the name of an inner class that a receiver constructs (`outer.new Inner()`).
const INNER: &str = "new ";

/// A member of exactly this value or type.
pub(super) fn direct_member(
    session: &Session,
    from: &Place,
    receiver: &Ty,
    name: &Name,
    namespace: Namespace,
) -> Option<Ty> {
    if let (Some(inner), Namespace::Method) = (name.strip_prefix(INNER), namespace) {
        return member_type(session, receiver, &inner.into());
    }
    match receiver {
        Ty::Instance(def, args) if name == CONSTRUCTOR => {
            Some(constructors(session, &Ty::Instance(def.clone(), args.clone())))
        }
        Ty::Super(def, args) if name == CONSTRUCTOR => {
            Some(constructors(session, &inheritance::superclass(session, def, args)))
        }
        Ty::Instance(def, args) => of_bases(session, receiver, &session.linear(def, args), name, namespace),
        Ty::Super(def, args) => {
            // Not what the class has from its own interfaces (JLS 15.11.2, 15.12.1).
            let this = Ty::Instance(def.clone(), args.clone());
            let Ty::Instance(base, base_args) = inheritance::superclass(session, def, args) else {
                return None;
            };
            of_bases(session, &this, &session.linear(&base, &base_args), name, namespace)
        }
        Ty::Type(instance) => match &**instance {
            Ty::Instance(def, args) => {
                let bases = session.linear(def, args);
                let member = of_bases(session, receiver, &bases, name, namespace);
                member.or_else(|| match namespace {
                    Namespace::Method => None,
                    _ => member_type(session, instance, name),
                })
            }
            _ => defaults::direct_member(session, from, receiver, name, namespace),
        },
        Ty::Param(def, index) => {
            let bounds = session.param_bounds(def, *index);
            let mut members = bounds.iter().map(|bound| &bound.ty).map(|bound| match bound {
                Ty::Param(..) => session.rules().member(session, from, bound, name, namespace),
                bound => direct_member(session, from, bound, name, namespace).unwrap_or_default(),
            });
            let found = members.find(Ty::is_known);
            found.or_else(|| direct_member(session, from, &operations::object(session), name, namespace))
        }
        _ => defaults::direct_member(session, from, receiver, name, namespace),
    }
}

fn of_bases(session: &Session, receiver: &Ty, bases: &[Ty], name: &Name, namespace: Namespace) -> Option<Ty> {
    match namespace {
        Namespace::Method => methods(session, receiver, bases, name),
        Namespace::Type => bases.first().and_then(|this| member_type(session, this, name)),
        _ => field(session, bases, name),
    }
}

/// Whether a member of a base type is inherited: private ones are not, nor are static methods of
/// interfaces (JLS 8.2, 8.4.8).
fn is_inherited(base: &Def, member: &Provided) -> bool {
    match (member.decl(), member.variable()) {
        (Some(decl), _) => {
            decl.visibility != Visibility::Private
                && !(decl.flags.is_static
                    && decl.kind == DeclKind::Method
                    && base.decl().kind == DeclKind::Interface)
        }
        (_, Some(variable)) => variable.visibility != Visibility::Private,
        _ => true,
    }
}

// ---- Methods

/// All methods of a name that the types have, overridden ones left out; one is itself.
fn methods(session: &Session, receiver: &Ty, bases: &[Ty], name: &Name) -> Option<Ty> {
    let mut found: Vec<Ty> = Vec::new();
    for (distance, base) in bases.iter().enumerate() {
        let Some(def) = base.instance_def() else { continue };
        let place = def.place();
        for item in session.members(&place.path, &place.owner, name).iter() {
            let is_method = item.decl().is_some_and(|decl| decl.kind == DeclKind::Method);
            if !is_method || distance > 0 && !is_inherited(def, item) {
                continue;
            }
            let Some(method) = session.def(item) else { continue };
            let function = bound(session, receiver, base, method);
            match found.iter_mut().find(|known| has_same_parameters(session, known, &function)) {
                None => found.push(function),
                Some(known) if gives_way(session, known, def) => *known = function,
                Some(_) => {}
            }
        }
    }
    match found.len() {
        0 => bases.first().and_then(|this| accessor(session, this, name)),
        1 => found.pop(),
        _ => Some(Ty::Overloads(found.into())),
    }
}

/// Whether an abstract method that was found gives way to one with the same parameters of another
/// interface: its own type does not inherit from that one. Which of several abstract methods is meant
/// is open (JLS 15.12.2.5); compilers take the last.
fn gives_way(session: &Session, known: &Ty, interface: &Def) -> bool {
    let Ty::Function(known) = known else { return false };
    known.def.decl().flags.is_bodiless
        && interface.decl().kind == DeclKind::Interface
        && session.owner(&known.def).is_some_and(|owner| {
            inheritance::is_subtype(session, &Ty::instance(owner), interface) == Some(false)
        })
}

fn bound(session: &Session, receiver: &Ty, base: &Ty, method: Def) -> Ty {
    let is_static = method.decl().flags.is_static || matches!(receiver, Ty::Type(_));
    let receiver = (!is_static).then(|| receiver.clone());
    FunctionTy { def: method, receiver, subst: subst_of(session, base) }.into()
}

/// What the type parameters of a base stand for; nothing is said of them in a raw type.
fn subst_of(session: &Session, base: &Ty) -> Subst {
    match base {
        Ty::Instance(def, args) if !args.is_empty() => session.args_subst(def, args),
        _ => [].into(),
    }
}

/// What a method takes, type arguments of its receiver filled in, without a receiver parameter.
pub(super) fn parameters(session: &Session, function: &FunctionTy) -> Vec<Ty> {
    let signature = session.signature(&function.def);
    let taken = usize::from(takes_receiver(&function.def));
    let params = signature.params.iter().skip(taken);
    params.map(|param| session.substituted(param, &function.subst)).collect()
}

/// Whether the first parameter in the facts is the receiver: in the platform's data only.
pub(super) fn takes_receiver(def: &Def) -> bool {
    def.decl().params.first().is_some_and(|first| first.kind == ParamKind::Receiver)
}

/// Whether one method overrides the other, going by what both take; type arguments do not count
/// (JLS 8.4.2).
fn has_same_parameters(session: &Session, a: &Ty, b: &Ty) -> bool {
    let (Ty::Function(a), Ty::Function(b)) = (a, b) else { return false };
    let count =
        |function: &FunctionTy| function.def.decl().params.len() - usize::from(takes_receiver(&function.def));
    if count(a) != count(b) {
        return false;
    }
    if count(a) == 0 {
        return true;
    }
    let pairs = parameters(session, a).into_iter().zip(parameters(session, b));
    pairs.enumerate().all(|(index, (first, second))| match first.is_known() && second.is_known() {
        true => same_erasure(&first, &second),
        // Types that do not resolve are the same if they are written alike.
        false => written(a, index) == written(b, index),
    })
}

/// A parameter as written: how it takes arguments, and its type.
fn written(function: &FunctionTy, index: usize) -> (ParamKind, &str) {
    let taken = usize::from(takes_receiver(&function.def));
    let param = &function.def.decl().params[index + taken];
    (param.kind, param.type_text.as_str())
}

/// Whether two types are the same when type arguments are left out. A method's own type parameters are
/// the same if their bounds are.
pub(super) fn same_erasure(a: &Ty, b: &Ty) -> bool {
    match (a, b) {
        (Ty::Instance(a, a_args), Ty::Instance(b, b_args)) => {
            let of_array = || operations::is_array(a).then(|| (a_args.first(), b_args.first()));
            a == b
                && of_array().is_none_or(|pair| match pair {
                    (Some(a), Some(b)) => same_erasure(a, b),
                    _ => false,
                })
        }
        (Ty::Param(a, a_index), Ty::Param(b, b_index)) => {
            a == b && a_index == b_index
                || a_index == b_index
                    && a.decl().type_params.len() == b.decl().type_params.len()
                    && a.decl().kind == DeclKind::Method
                    && b.decl().kind == DeclKind::Method
        }
        (Ty::ExternalInstance(a), Ty::ExternalInstance(b)) => a == b,
        _ => false,
    }
}

/// The accessor that a record has for each component without declaring it (JLS 8.10.3): no symbol, but
/// its result is known.
fn accessor(session: &Session, this: &Ty, name: &Name) -> Option<Ty> {
    let def = this.instance_def().filter(|def| def.decl().kind == DeclKind::Record)?;
    let index = def.decl().params.iter().position(|param| param.name == *name)?;
    let result = session.substituted(&session.param(def, index), &subst_of(session, this));
    Some(Ty::Callable(Rc::new(CallableTy { params: [].into(), result })))
}

// ---- Fields and types

fn field(session: &Session, bases: &[Ty], name: &Name) -> Option<Ty> {
    for (distance, base) in bases.iter().enumerate() {
        let Some(def) = base.instance_def() else { continue };
        let place = def.place();
        let items = session.members(&place.path, &place.owner, name);
        let is_seen = |item: &&Provided| distance == 0 || is_inherited(def, item);
        let mut variables = items.iter().filter(is_seen).filter(|item| item.variable().is_some());
        if let Some(variable) = variables.next() {
            let ty = session.item_value(variable, Namespace::Value);
            return Some(session.substituted(&ty, &subst_of(session, base)));
        }
        let is_constant = |item: &&Provided| item.decl().is_some_and(|decl| decl.kind == DeclKind::Variant);
        if let Some(constant) = items.iter().find(is_constant) {
            return Some(session.item_value(constant, Namespace::Value));
        }
    }
    None
}

/// A member type of a type, inherited ones included.
pub(super) fn member_type(session: &Session, this: &Ty, name: &Name) -> Option<Ty> {
    let Ty::Instance(def, args) = this else { return None };
    own_type(session, this, name).or_else(|| {
        let bases = session.linear(def, args);
        let inherited = bases.iter().skip(1).filter_map(|base| own_type(session, base, name));
        inherited.into_iter().find(|ty| !is_private(ty))
    })
}

fn is_private(ty: &Ty) -> bool {
    let Ty::Type(instance) = ty else { return false };
    instance.instance_def().is_some_and(|def| def.decl().visibility == Visibility::Private)
}

/// A type that a type itself declares.
pub(super) fn own_type(session: &Session, this: &Ty, name: &Name) -> Option<Ty> {
    let def = this.instance_def()?;
    if def.is_library() {
        // Types in types of the platform stand in a module named after the outer type.
        let outer = def.decl().qualname.replace('/', ".");
        let inner = session.symbol(def.path(), &format!("{outer}/{name}").into())?;
        return Some(Ty::instance(inner).into_type());
    }
    let place = def.place();
    let items = session.members(&place.path, &place.owner, name);
    let ty = items.iter().find(|item| {
        matches!(item.item(), Item::Decl(_))
            && item.decl().is_some_and(|decl| decl.kind.type_kind().is_some())
    })?;
    Some(session.item_value(ty, Namespace::Type))
}

// ---- Constructors

/// What `this(…)` or `super(…)` may call.
fn constructors(session: &Session, instance: &Ty) -> Ty {
    match instance {
        Ty::Instance(def, _) if !def.is_library() => match construction(session, instance) {
            Construction::Constructor(constructor) => Ty::Function(constructor),
            Construction::Overloads(all) => Ty::Overloads(all),
            _ => instance.clone().into_type(),
        },
        Ty::Instance(..) => instance.clone().into_type(),
        Ty::ExternalInstance(external) => Ty::External(external.clone()),
        _ => Ty::Unknown,
    }
}

/// What constructing a type calls: its own constructors. A class without one has one that takes nothing
/// (JLS 8.8.9), a record one that takes its components unless it is written (JLS 8.10.4).
pub(super) fn construction(session: &Session, instance: &Ty) -> Construction {
    let Ty::Instance(def, _) = instance else { return Construction::Unknown };
    let place = def.place();
    let items = session.members(&place.path, &place.owner, &def.decl().name);
    let declared = items
        .iter()
        .filter(|item| item.decl().is_some_and(|decl| decl.kind == DeclKind::Constructor))
        .filter_map(|item| session.def(item));
    let mut all: Vec<Def> = declared.collect();
    if all.is_empty() {
        return Construction::Synthetic(def.clone());
    }
    if def.decl().kind == DeclKind::Record && !all.iter().any(|constructor| is_canonical(constructor, def)) {
        all.push(def.clone());
    }
    let mut functions: Vec<Rc<FunctionTy>> =
        all.into_iter().map(|constructor| of_instance(session, constructor, instance)).collect();
    match functions.len() {
        1 => Construction::Constructor(functions.remove(0)),
        _ => Construction::Overloads(functions.into_iter().map(Ty::Function).collect()),
    }
}

fn of_instance(session: &Session, constructor: Def, instance: &Ty) -> Rc<FunctionTy> {
    Rc::new(FunctionTy {
        def: constructor,
        receiver: Some(instance.clone()),
        subst: subst_of(session, instance),
    })
}

fn is_canonical(constructor: &Def, record: &Def) -> bool {
    let types =
        |def: &Def| -> Vec<Name> { def.decl().params.iter().map(|param| param.type_text.clone()).collect() };
    types(constructor) == types(record)
}
