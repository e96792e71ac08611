//! The commonest rule for each hook of [`crate::Rules`], for languages that keep it and for hooks that
//! only want to do something first.

use std::rc::Rc;

use bindery_facts::{DeclKind, Literal, Name, SequenceKind};

use crate::{
    Args, Builtin, Construction, Def, External, FunctionTy, Item, Module, Namespace, ParamId, Place,
    Provided, Session, Subst, Ty,
};

/// See [`crate::Rules::choose`]: the only item of the name space; declarations before imports; all
/// variables of the name; all items if each is conditional; else it cannot be told.
pub fn choose(session: &Session, items: &[Provided], namespace: Namespace) -> Vec<Provided> {
    let rules = session.rules();
    let fits = |item: &&Provided| match item.decl() {
        Some(decl) => decl.kind != DeclKind::Impl && rules.is_in_namespace(decl, namespace),
        None => item.variable().is_none() || matches!(namespace, Namespace::Value),
    };
    let mut chosen: Vec<Provided> = items.iter().filter(fits).cloned().collect();
    let is_conditional = |item: &Provided| {
        item.decl().is_some_and(|decl| decl.flags.is_conditional)
            || item.import().is_some_and(|import| import.is_conditional)
    };
    if chosen.len() > 1 && chosen.iter().all(is_conditional) {
        return chosen;
    }
    let is_import = |item: &Provided| matches!(item.item(), Item::Import(_));
    if chosen.len() > 1 && !chosen.iter().all(is_import) {
        chosen.retain(|item| !is_import(item));
    }
    let is_variable = |item: &Provided| matches!(item.item(), Item::Variable(_));
    if chosen.len() <= 1 || chosen.iter().all(is_variable) || chosen.iter().all(is_conditional) {
        return chosen;
    }
    Vec::new()
}

/// See [`crate::Rules::module_member`].
pub fn module_member(
    session: &Session,
    from: &Place,
    module: &Module,
    name: &Name,
    namespace: Namespace,
) -> Ty {
    let scope = Place { path: module.path.clone(), owner: module.owner.clone() };
    if let Some(ty) = session.declared(&scope, name, namespace) {
        return ty;
    }
    if let Some(module) = session.rules().submodule(session, module, name) {
        return Ty::Module(module);
    }
    session.through_globs(from, &scope, name, namespace).unwrap_or_default()
}

/// See [`crate::Rules::literal`].
pub fn literal(session: &Session, literal: Literal) -> Ty {
    let builtin = match literal {
        Literal::String => Builtin::String,
        Literal::Bytes => Builtin::Bytes,
        Literal::Char => Builtin::Char,
        Literal::Integer => Builtin::Integer,
        Literal::Float => Builtin::Float,
        Literal::Bool => Builtin::Bool,
        Literal::None => Builtin::None,
        Literal::Other => return Ty::Unknown,
    };
    session.builtin(builtin, [].into())
}

/// See [`crate::Rules::sequence`].
pub fn sequence(session: &Session, kind: SequenceKind, element: Ty) -> Ty {
    let builtin = match kind {
        SequenceKind::List => Builtin::List,
        SequenceKind::Set => Builtin::Set,
        SequenceKind::Array => Builtin::Array,
        SequenceKind::Generator => Builtin::Generator,
    };
    session.builtin(builtin, [element].into())
}

/// See [`crate::Rules::linearization`]: depth first, in source order, each type once.
pub fn linearization(session: &Session, def: &Def, args: &Args) -> Rc<[Ty]> {
    let mut bases = vec![Ty::Instance(def.clone(), args.clone())];
    for written in &def.decl().supertypes {
        let base = session.written(&def.place(), written);
        let further: Rc<[Ty]> = match &base {
            Ty::Instance(base_def, base_args) => session.linear(base_def, base_args),
            other => [other.clone()].into(),
        };
        for ty in further.iter() {
            if !bases.contains(ty) {
                bases.push(ty.clone());
            }
        }
    }
    bases.into()
}

/// How many times a value is taken for what it derefs to.
const MAX_DEREFS: usize = 8;

/// See [`crate::Rules::member`].
pub fn member(session: &Session, from: &Place, receiver: &Ty, name: &Name, namespace: Namespace) -> Ty {
    match receiver {
        Ty::Union(members) => union_member(session, from, members, name, namespace),
        Ty::Alternatives(all) => {
            let each = all.iter().map(|one| session.rules().member(session, from, one, name, namespace));
            Ty::alternatives(each.collect())
        }
        _ => {
            let mut receiver = receiver.clone();
            for _ in 0..MAX_DEREFS {
                if let Some(found) = session.rules().direct_member(session, from, &receiver, name, namespace)
                {
                    return found;
                }
                match session.rules().deref(session, &receiver) {
                    Some(next @ (Ty::Union(_) | Ty::Alternatives(_))) => {
                        let of_parts = || session.rules().member(session, from, &next, name, namespace);
                        return session.nested(of_parts);
                    }
                    Some(next) => receiver = next,
                    None => break,
                }
            }
            Ty::Unknown
        }
    }
}

/// All members but nothing must agree on what the name is.
fn union_member(session: &Session, from: &Place, members: &[Ty], name: &Name, namespace: Namespace) -> Ty {
    let nothing = session.builtin(Builtin::None, [].into());
    let mut found: Option<Ty> = None;
    for member in members.iter().filter(|member| !member.is_known() || **member != nothing) {
        let ty = session.rules().member(session, from, member, name, namespace);
        match &found {
            _ if !ty.is_known() => return Ty::Unknown,
            Some(before) if !same_target(before, &ty) => return Ty::Unknown,
            Some(_) => {}
            None => found = Some(ty),
        }
    }
    found.unwrap_or_default()
}

fn same_target(a: &Ty, b: &Ty) -> bool {
    match (a, b) {
        (Ty::Function(a), Ty::Function(b)) => a.def == b.def,
        _ => a == b,
    }
}

/// See [`crate::Rules::direct_member`].
pub fn direct_member(
    session: &Session,
    from: &Place,
    receiver: &Ty,
    name: &Name,
    namespace: Namespace,
) -> Option<Ty> {
    let rules = session.rules();
    let member_of = |ty: &Ty| Some(rules.member(session, from, ty, name, namespace)).filter(Ty::is_known);
    match receiver {
        Ty::Instance(def, args) => {
            member_of_bases(session, receiver, &session.linear(def, args), name, namespace)
        }
        Ty::Super(def, args) => {
            let this = Ty::Instance(def.clone(), args.clone());
            member_of_bases(session, &this, session.linear(def, args).get(1..)?, name, namespace)
        }
        Ty::Type(instance) => match &**instance {
            Ty::Instance(def, args) => {
                member_of_bases(session, receiver, &session.linear(def, args), name, namespace)
            }
            Ty::ExternalInstance(external) => Some(member_of_external_type(external, name)),
            _ => None,
        },
        Ty::Module(module) => {
            Some(rules.module_member(session, from, module, name, value_of(namespace))).filter(Ty::is_known)
        }
        Ty::External(external) => Some(rules.external_member(external, name)),
        Ty::ExternalInstance(external) => Some(member_of_external_type(external, name)),
        Ty::Param(def, index) if *index != ParamId::SELF => {
            session.param_bounds(def, *index).iter().find_map(|bound| member_of(&bound.ty))
        }
        Ty::Param(def, _) => member_of(&Ty::Instance(def.clone(), session.own_params(def))),
        Ty::Bounded(bounds) => bounds.iter().find_map(|bound| member_of(&bound.ty)),
        Ty::Tuple(parts) => member_of(&session.builtin(Builtin::Tuple, parts.clone())),
        Ty::Function(_) | Ty::Callable(_) | Ty::Closure(_) => {
            member_of(&session.builtin(Builtin::Function, [].into()))
        }
        _ => None,
    }
}

/// The first of `bases` that declares `name` answers.
pub fn member_of_bases(
    session: &Session,
    receiver: &Ty,
    bases: &[Ty],
    name: &Name,
    namespace: Namespace,
) -> Option<Ty> {
    bases.iter().find_map(|base| member_of_base(session, receiver, base, name, namespace))
}

/// What `base` itself declares under a name, as read from `receiver`.
pub fn member_of_base(
    session: &Session,
    receiver: &Ty,
    base: &Ty,
    name: &Name,
    namespace: Namespace,
) -> Option<Ty> {
    let scope = base.instance_def()?.place();
    let items = session.members(&scope.path, &scope.owner, name);
    if items.is_empty() {
        return None;
    }
    let chosen = session.rules().choose(session, &items, namespace);
    let functions: Vec<Ty> = chosen
        .iter()
        .filter_map(|item| session.def(item))
        .filter(|member| member.decl().kind.is_callable())
        .map(|member| session.rules().bound(session, receiver, base, &member))
        .collect();
    if !functions.is_empty() {
        return Some(Ty::alternatives(functions));
    }
    let value = session.chosen_value(&items, &scope, name, namespace)?;
    Some(session.substituted(&value, &base_subst(session, base)))
}

/// The name space of free names: methods are no kind of their own there.
pub fn value_of(namespace: Namespace) -> Namespace {
    if namespace == Namespace::Method { Namespace::Value } else { namespace }
}

/// What the type parameters of a base type stand for.
pub fn base_subst(session: &Session, base: &Ty) -> Subst {
    match base {
        Ty::Instance(def, args) => session.args_subst(def, args),
        _ => [].into(),
    }
}

/// The member of an instance of a type outside the set: only its name is known.
pub fn member_of_external_type(external: &External, name: &Name) -> Ty {
    if !external.class.is_empty() || external.name.is_empty() {
        return Ty::Unknown;
    }
    Ty::External(Rc::new(External {
        specifier: external.specifier.clone(),
        class: external.name.clone(),
        name: name.clone(),
    }))
}

/// See [`crate::Rules::external_member`]: names that start with a capital are types, others modules.
pub fn external_member(separator: &str, external: &External, name: &Name) -> Ty {
    let next = |specifier: Name, class: Name| {
        Ty::External(Rc::new(External { specifier, class, name: name.clone() }))
    };
    if external.name.is_empty() {
        return next(external.specifier.clone(), Name::default());
    }
    if !external.class.is_empty() {
        return Ty::Unknown;
    }
    if external.name.starts_with(char::is_uppercase) {
        return next(external.specifier.clone(), external.name.clone());
    }
    let specifier = match external.specifier.as_str() {
        "" => external.name.clone(),
        before => format!("{before}{separator}{}", external.name).into(),
    };
    next(specifier, Name::default())
}

/// See [`crate::Rules::bound`].
pub fn bound(session: &Session, receiver: &Ty, base: &Ty, def: &Def) -> Ty {
    let subst = base_subst(session, base);
    let decl = def.decl();
    let from_type = matches!(receiver, Ty::Type(_));
    let is_taken = !decl.flags.is_static && (!from_type || decl.flags.is_class_method);
    let receiver = is_taken.then(|| receiver.clone());
    let function = FunctionTy { def: def.clone(), receiver, subst };
    if decl.flags.is_property && !from_type {
        let getter = Ty::Function(Rc::new(FunctionTy { receiver: None, ..function }));
        return session.rules().decorated(session, def, session.result_of_callable(&getter, &[]));
    }
    session.rules().decorated(session, def, Ty::Function(Rc::new(function)))
}

/// See [`crate::Rules::may_inherit`].
pub fn may_inherit(session: &Session, receiver: &Ty) -> bool {
    match receiver {
        Ty::Instance(def, args) | Ty::Super(def, args) => session
            .linear(def, args)
            .iter()
            .skip(1)
            .any(|base| base.instance_def().is_none_or(|def| def.is_library())),
        Ty::Type(inner) => may_inherit(session, inner),
        _ => false,
    }
}

/// See [`crate::Rules::element`]: the first type argument of a library collection.
pub fn element(session: &Session, base: &Ty, is_async: bool) -> Ty {
    let _ = (session, is_async);
    match base {
        Ty::Tuple(parts) => Ty::union(parts.iter().cloned()),
        Ty::Instance(def, args) if def.is_library() => args.first().cloned().unwrap_or_default(),
        _ => Ty::Unknown,
    }
}

/// See [`crate::Rules::index`]: the last type argument of a library collection.
pub fn index(session: &Session, base: &Ty) -> Ty {
    let _ = session;
    match base {
        Ty::Instance(def, args) if def.is_library() => args.last().cloned().unwrap_or_default(),
        _ => Ty::Unknown,
    }
}

/// See [`crate::Rules::awaited`].
pub fn awaited(session: &Session, base: &Ty) -> Ty {
    let _ = session;
    match base {
        Ty::Awaitable(inner) => inner.as_ref().clone(),
        _ => Ty::Unknown,
    }
}

/// See [`crate::Rules::construction`].
pub fn construction(session: &Session, instance: &Ty) -> Construction {
    let Ty::Instance(def, args) = instance else { return Construction::Unknown };
    for base in session.linear(def, args).iter() {
        let Some(base_def) = base.instance_def() else { return Construction::Outside };
        if let Some(constructor) = own_constructor(session, base_def) {
            let function = FunctionTy {
                def: constructor,
                receiver: Some(instance.clone()),
                subst: base_subst(session, base),
            };
            return Construction::Constructor(Rc::new(function));
        }
    }
    Construction::Synthetic(def.clone())
}

/// The constructor a type itself declares, if it is the only one.
fn own_constructor(session: &Session, def: &Def) -> Option<Def> {
    let scope = def.place();
    let named = |name: &Name| session.members(&scope.path, &scope.owner, name);
    let own = named(&def.decl().name);
    let conventional = session.rules().constructor_names().iter().map(|name| named(&Name::new_static(name)));
    let all: Vec<Def> = std::iter::once(own)
        .chain(conventional)
        .flat_map(|items| items.iter().filter_map(|item| session.def(item)).collect::<Vec<_>>())
        .filter(|member| member.decl().kind == DeclKind::Constructor)
        .collect();
    match all.as_slice() {
        [only] => Some(only.clone()),
        _ => None,
    }
}

/// See [`crate::Rules::wrapped_result`].
pub fn wrapped_result(session: &Session, function: &Def, value: Ty) -> Ty {
    let flags = &function.decl().flags;
    if flags.is_generator {
        return session.builtin(Builtin::Generator, [value].into());
    }
    if flags.is_async { Ty::Awaitable(Rc::new(value)) } else { value }
}
