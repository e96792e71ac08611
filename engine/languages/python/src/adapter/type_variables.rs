//! Type parameters in the older spelling: module variables made by `TypeVar`, which become parameters
//! of the classes and functions that mention them (typing documentation, "Generics").

use bindery_facts::{Decl, DeclKind, Expr, Exprs, Literal, Name, Segment, TypeExpr, TypeParam, Variable};
use rustc_hash::{FxHashMap, FxHashSet};

/// The type variables of a file.
pub(super) struct TypeVariables(FxHashMap<Name, Vec<TypeExpr>>);

impl TypeVariables {
    pub(super) fn new(variables: &[Variable]) -> Self {
        let top = variables.iter().filter(|variable| variable.owner.is_empty());
        let made =
            top.filter_map(|variable| Some((variable.name.clone(), bounds(variable.value.as_ref()?)?)));
        Self(made.collect())
    }

    /// Gives every class and function the type parameters it mentions and does not have from around.
    pub(super) fn add_to(&self, decls: &mut [Decl]) {
        if self.0.is_empty() {
            return;
        }
        let mut owned: FxHashMap<Name, FxHashSet<Name>> = FxHashMap::default();
        for decl in decls {
            let mut known = owned.get(&decl.owner).cloned().unwrap_or_default();
            let mentioned =
                if decl.kind == DeclKind::Class { self.of_class(decl) } else { self.of_function(decl) };
            for name in mentioned {
                if known.insert(name.clone()) {
                    let bounds = self.0[&name].clone();
                    decl.type_params.push(TypeParam { name, bounds, default: None });
                }
            }
            known.extend(decl.type_params.iter().map(|param| param.name.clone()));
            owned.insert(decl.qualname.clone(), known);
        }
    }

    /// The parameters in the order of `Generic[…]` or `Protocol[…]`, else of first mention.
    fn of_class(&self, decl: &Decl) -> Vec<Name> {
        let listing = decl.supertypes.iter().find(|base| match base {
            TypeExpr::Path(segments) => segments.last().is_some_and(|last| {
                matches!(last.name.as_str(), "Generic" | "Protocol") && !last.args.is_empty()
            }),
            _ => false,
        });
        let mut found = Vec::new();
        match listing {
            Some(listing) => self.mentioned(listing, &mut found),
            None => decl.supertypes.iter().for_each(|base| self.mentioned(base, &mut found)),
        }
        found
    }

    fn of_function(&self, decl: &Decl) -> Vec<Name> {
        let mut found = Vec::new();
        let written = decl.params.iter().filter_map(|param| param.ty.as_ref()).chain(&decl.returns);
        written.for_each(|ty| self.mentioned(ty, &mut found));
        found
    }

    /// Appends the type variables in `ty`, which the type reader has bounded in depth.
    fn mentioned(&self, ty: &TypeExpr, found: &mut Vec<Name>) {
        let mut open = vec![ty];
        while let Some(ty) = open.pop() {
            match ty {
                TypeExpr::Path(segments) => {
                    if let [Segment { name, .. }] = segments.as_slice()
                        && self.0.contains_key(name)
                        && !found.contains(name)
                    {
                        found.push(name.clone());
                    }
                    open.extend(segments.iter().flat_map(|segment| &segment.args).rev());
                }
                TypeExpr::Tuple(items) | TypeExpr::Union(items) => open.extend(items.iter().rev()),
                TypeExpr::Optional(inner) | TypeExpr::Slice(inner) | TypeExpr::ClassOf(inner) => {
                    open.push(inner)
                }
                TypeExpr::Function { params, returns } => {
                    open.extend(returns.as_deref());
                    open.extend(params.iter().rev());
                }
                _ => {}
            }
        }
    }
}

/// The bounds of a type variable, if `value` makes one.
fn bounds(value: &Exprs) -> Option<Vec<TypeExpr>> {
    let Some(Expr::Call { callee, args, keywords }) = value.root().map(|root| value.get(root)) else {
        return None;
    };
    let name = match value.get(*callee) {
        Expr::Name { name, .. } | Expr::Member { name, .. } => name,
        _ => return None,
    };
    if !matches!(name.as_str(), "TypeVar" | "ParamSpec" | "TypeVarTuple") {
        return None;
    }
    let first = args.len() - keywords.len().min(args.len());
    let bound = keywords.iter().position(|keyword| keyword == "bound").and_then(|at| args.get(first + at));
    Some(bound.and_then(|bound| written(value, *bound)).into_iter().collect())
}

/// An expression that names a type, as a written type.
fn written(value: &Exprs, mut at: bindery_facts::ExprIndex) -> Option<TypeExpr> {
    let mut segments = Vec::new();
    loop {
        match value.get(at) {
            Expr::Path { path, .. } => return Some(path.clone()),
            Expr::Name { name, .. } => {
                segments.push(Segment::plain(name.clone()));
                segments.reverse();
                return Some(TypeExpr::Path(segments));
            }
            Expr::Member { base, name, .. } => {
                segments.push(Segment::plain(name.clone()));
                at = *base;
            }
            Expr::Literal(Literal::String) => return None,
            _ => return None,
        }
    }
}
