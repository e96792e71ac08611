//! Which of several declarations of one name is meant.

use bindery_facts::{Decl, DeclKind};
use bindery_graph::{Def, Item, Namespace, Provided, Session};

/// Whether a declaration is a type, a value, or both (TypeScript handbook, "Declaration Merging").
pub(super) fn is_in_namespace(decl: &Decl, namespace: Namespace) -> bool {
    use DeclKind::*;
    match decl.kind {
        Interface | Alias => namespace == Namespace::Type,
        Class | Enum | Module => true,
        Scope => false,
        _ => namespace != Namespace::Type,
    }
}

/// What a name stands for in one name space. Of declarations that are merged the one that is called or
/// constructed comes first, an overloaded function is its heads.
pub(super) fn choose(items: &[Provided], namespace: Namespace) -> Vec<Provided> {
    let decls: Vec<&Provided> = items
        .iter()
        .filter(|item| item.decl().is_some_and(|decl| is_in_namespace(decl, namespace)))
        .collect();
    let of_kind = |wanted: &dyn Fn(&Decl) -> bool| -> Vec<Provided> {
        decls.iter().filter(|item| item.decl().is_some_and(wanted)).map(|item| (*item).clone()).collect()
    };
    if namespace == Namespace::Type {
        let order: [&dyn Fn(&Decl) -> bool; 3] = [
            &|decl| {
                matches!(decl.kind, DeclKind::Class | DeclKind::Enum | DeclKind::Interface | DeclKind::Alias)
            },
            &|decl| decl.kind == DeclKind::Module,
            &|_| true,
        ];
        let found = order.into_iter().map(of_kind).find(|found| !found.is_empty());
        return match found {
            Some(found) => found.into_iter().take(1).collect(),
            None => imports(items),
        };
    }
    let variables = variables(items);
    let is_written =
        variables.iter().any(|item| item.variable().is_some_and(|variable| variable.ty.is_some()));
    let functions = functions(&of_kind(&|decl| decl.kind.is_callable()));
    if !functions.is_empty() {
        return functions;
    }
    let types = of_kind(&|decl| matches!(decl.kind, DeclKind::Class | DeclKind::Enum));
    if !types.is_empty() {
        return types.into_iter().take(1).collect();
    }
    let objects = of_kind(&|decl| matches!(decl.kind, DeclKind::Object | DeclKind::Module));
    if !objects.is_empty() && !is_written {
        return objects.into_iter().take(1).collect();
    }
    if !variables.is_empty() { variables } else { imports(items) }
}

fn imports(items: &[Provided]) -> Vec<Provided> {
    items.iter().filter(|item| matches!(item.item(), Item::Import(_))).take(1).cloned().collect()
}

/// The heads of an overloaded function, else the function; none if it cannot be told which.
pub(super) fn functions(callables: &[Provided]) -> Vec<Provided> {
    let flag = |item: &&Provided, wanted: fn(&Decl) -> bool| item.decl().is_some_and(wanted);
    let getter: Vec<Provided> =
        callables.iter().filter(|item| flag(item, |decl| decl.kind == DeclKind::Getter)).cloned().collect();
    if !getter.is_empty() {
        return getter.into_iter().take(1).collect();
    }
    let is_plain = |item: &&Provided| flag(item, |decl| decl.kind != DeclKind::Setter);
    let (heads, bodies): (Vec<&Provided>, Vec<&Provided>) = callables
        .iter()
        .filter(is_plain)
        .partition(|item| item.decl().is_some_and(|decl| decl.flags.is_bodiless));
    match (heads.len(), bodies.len()) {
        (0, 1) => vec![bodies[0].clone()],
        (0, _) => Vec::new(),
        _ => heads.into_iter().cloned().collect(),
    }
}

/// The declaration of a variable where there is one, else all that is assigned to it.
pub(super) fn variables(items: &[Provided]) -> Vec<Provided> {
    let all: Vec<&Provided> = items.iter().filter(|item| item.variable().is_some()).collect();
    let is =
        |item: &&Provided, wanted: fn(&bindery_facts::Variable) -> bool| item.variable().is_some_and(wanted);
    let written: Vec<Provided> = all
        .iter()
        .filter(|item| is(item, |variable| variable.ty.is_some()))
        .map(|item| (*item).clone())
        .collect();
    if !written.is_empty() {
        return written;
    }
    let own: Vec<Provided> = all
        .iter()
        .filter(|item| is(item, |variable| variable.assigned_in.is_empty() && variable.value.is_some()))
        .map(|item| (*item).clone())
        .collect();
    if !own.is_empty() {
        return own;
    }
    let assigned: Vec<Provided> = all
        .iter()
        .filter(|item| is(item, |variable| !variable.assigned_in.is_empty()))
        .map(|item| (*item).clone())
        .collect();
    // What a constructor assigns declares the field; other methods only change it.
    let in_constructor: Vec<Provided> = assigned
        .iter()
        .filter(|item| is(item, |variable| variable.value.is_some() && is_constructor(&variable.assigned_in)))
        .cloned()
        .collect();
    if !in_constructor.is_empty() {
        return in_constructor;
    }
    if !assigned.is_empty() { assigned } else { all.into_iter().cloned().collect() }
}

fn is_constructor(qualname: &str) -> bool {
    qualname.rsplit('.').next() == Some("constructor")
}

/// The declaration with the body of an overloaded function.
pub(super) fn definition(session: &Session, def: &Def) -> Def {
    let decl = def.decl();
    if !decl.flags.is_bodiless || def.is_library() {
        return def.clone();
    }
    let items = session.members(def.path(), &decl.owner, &decl.name);
    let mut bodies = items.iter().filter_map(|item| session.def(item)).filter(|other| {
        let other = other.decl();
        other.kind == decl.kind && other.flags.is_static == decl.flags.is_static && !other.flags.is_bodiless
    });
    bodies.next().unwrap_or_else(|| def.clone())
}
