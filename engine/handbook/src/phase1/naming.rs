//! Names that follow from facts: ids of synthetic nodes, boundary ids, the type a member belongs to.

use bindery_facts::{CallSite, Decl, DeclKind, Expr, ExprIndex, FileFacts, TypeExpr};
use bindery_graph::{Callee, Name, Symbol};

/// The name of the node that stands for the calls of a file outside any function.
pub(super) const MODULE: &str = "<module>";
/// The name of the node that stands for a construction without a constructor.
pub(super) const NEW: &str = "<new>";

/// The ids of symbols, as the caller of this module knows them.
pub(super) type Ids<'a> = &'a dyn Fn(&Symbol) -> String;

/// The id of the node a call leads to.
pub(super) fn callee_id(callee: &Callee, ids: Ids<'_>) -> String {
    match callee {
        Callee::Function(symbol) | Callee::Variant(symbol) => ids(symbol),
        Callee::New(symbol) => format!("{}.{NEW}", ids(symbol)),
        Callee::Boundary { specifier, class, name } => boundary_id(specifier, class, name),
    }
}

/// `boundary:` and the qualname of a name outside the set.
pub(super) fn boundary_id(specifier: &str, class: &str, name: &str) -> String {
    format!("boundary:{}", boundary_qualname(specifier, class, name))
}

/// Specifier, type if there is one, and name, joined with `.`.
pub(super) fn boundary_qualname(specifier: &str, class: &str, name: &str) -> String {
    let parts = [specifier, class, name];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(".")
}

/// The qualname of the type a declaration is a member of.
pub(super) fn class_name<'a>(decl: &'a Decl, owner: Option<&Decl>) -> Option<&'a str> {
    let owner = owner?;
    match owner.kind {
        DeclKind::Impl => implementing_type(decl, &owner.owner),
        kind if kind.type_kind().is_some() => Some(&decl.owner),
        _ => None,
    }
}

/// Of a member of an `impl`: its qualname up to its own name, looked for behind the qualname of the
/// scope the `impl` stands in. What follows the name may tell equal names apart and hold anything.
fn implementing_type<'a>(decl: &'a Decl, scope: &Name) -> Option<&'a str> {
    let qualname = decl.qualname.as_str();
    let start = if qualname.starts_with(scope.as_str()) { scope.len() } else { 0 };
    let name = decl.name.as_str();
    let ends_name = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let dots = qualname[start..].match_indices('.').map(|(at, _)| start + at).filter(|at| *at > start);
    dots.into_iter()
        .find(|at| qualname[at + 1..].strip_prefix(name).is_some_and(ends_name))
        .map(|at| &qualname[..at])
}

/// The last name of a site's callee expression; the whole expression if it has none.
pub(super) fn callee_name<'a>(facts: &'a FileFacts, site: &'a CallSite) -> &'a str {
    let exprs = &facts.bodies.exprs;
    let get = |index: ExprIndex| exprs.0.get(index.0 as usize);
    let callee = match get(site.expr) {
        Some(Expr::Call { callee, .. }) => get(*callee),
        other => other,
    };
    let name = match callee {
        Some(Expr::Name { name, .. } | Expr::Member { name, .. }) => Some(name.as_str()),
        Some(Expr::MacroCall { name, .. }) => name.rsplit("::").next(),
        Some(Expr::Path { path: ty, .. } | Expr::New { ty, .. }) => last_segment(ty),
        _ => None,
    };
    name.unwrap_or(&site.raw)
}

fn last_segment(ty: &TypeExpr) -> Option<&str> {
    match ty {
        TypeExpr::Path(segments) | TypeExpr::Qualified { rest: segments, .. } => {
            segments.last().map(|segment| segment.name.as_str())
        }
        _ => None,
    }
}
