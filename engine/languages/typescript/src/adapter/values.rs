//! Cutting a value out of a file's bodies, so that it can stand in the summary.
//!
//! A summary's expressions have no positions and no scopes, so names of locals would mean something
//! else there. Each local is therefore replaced by the value it holds; the parameters of the function
//! the value is given back by keep their names.

use bindery_facts::{Binding, BindingKind, Bodies, DeclIndex, Expr, ExprIndex, Exprs, Name, ScopeIndex};
use rustc_hash::FxHashMap;

/// The most expressions of one value.
const SIZE_LIMIT: usize = 48;
/// The deepest nesting that is followed.
const DEPTH_LIMIT: u32 = 16;
/// The most values that are joined.
const JOIN_LIMIT: usize = 6;

/// Cuts out values.
pub(super) struct ValueCutter<'b> {
    bodies: &'b Bodies,
    /// The bindings of each scope by name, in order.
    bindings: FxHashMap<(ScopeIndex, &'b str), Vec<u32>>,
}

struct Cut {
    out: Exprs,
    is_over: bool,
    /// The function whose parameters keep their names.
    function: Option<DeclIndex>,
}

impl<'b> ValueCutter<'b> {
    pub(super) fn new(bodies: &'b Bodies) -> Self {
        let mut bindings: FxHashMap<(ScopeIndex, &str), Vec<u32>> = FxHashMap::default();
        for (index, binding) in bodies.bindings.iter().enumerate() {
            bindings.entry((binding.scope, binding.name.as_str())).or_default().push(index as u32);
        }
        Self { bodies, bindings }
    }

    /// Whether a name is bound inside a function or block, seen from `scope`.
    pub(super) fn is_local(&self, scope: ScopeIndex, name: &str) -> bool {
        self.binding(scope, name, u32::MAX).is_some()
    }

    /// One of several values as an arena of its own; none if nothing of it is known or it is too large.
    pub(super) fn cut(&self, values: &[ExprIndex], function: Option<DeclIndex>) -> Option<Exprs> {
        if values.len() > JOIN_LIMIT {
            return None;
        }
        let mut cut = Cut { out: Exprs::default(), is_over: false, function };
        let mut parts: Vec<ExprIndex> = values.iter().map(|value| self.copy(*value, &mut cut, 0)).collect();
        parts.dedup();
        if parts.len() > 1 {
            cut.out.push(Expr::Join(parts));
        }
        let is_known = !matches!(cut.out.0.last(), None | Some(Expr::Unknown));
        (is_known && !cut.is_over).then_some(cut.out)
    }

    fn copy(&self, value: ExprIndex, cut: &mut Cut, depth: u32) -> ExprIndex {
        if depth > DEPTH_LIMIT || cut.out.0.len() >= SIZE_LIMIT {
            cut.is_over |= cut.out.0.len() >= SIZE_LIMIT;
            return cut.out.push(Expr::Unknown);
        }
        match self.bodies.exprs.get(value) {
            Expr::Name { name, scope, at } => self.copy_name(name, *scope, *at, cut, depth),
            Expr::Closure { .. } => cut.out.push(Expr::Unknown),
            Expr::New { ty, scope, at, .. } if self.names_local(ty, *scope, *at) => {
                cut.out.push(Expr::Unknown)
            }
            Expr::Path { path, scope, at } if self.names_local(path, *scope, *at) => {
                cut.out.push(Expr::Unknown)
            }
            expr => {
                let mut copy = expr.clone();
                copy.map_children(&mut |child| self.copy(child, cut, depth + 1));
                copy.forget_place();
                cut.out.push(copy)
            }
        }
    }

    /// Whether a path starts with a local variable, which it cannot name from elsewhere.
    fn names_local(&self, path: &bindery_facts::TypeExpr, scope: ScopeIndex, at: u32) -> bool {
        let bindery_facts::TypeExpr::Path(segments) = path else { return false };
        let Some(binding) = segments.first().and_then(|first| self.binding(scope, &first.name, at)) else {
            return false;
        };
        !matches!(binding.kind, BindingKind::Decl(_) | BindingKind::Import(_))
    }

    fn copy_name(&self, name: &Name, scope: ScopeIndex, at: u32, cut: &mut Cut, depth: u32) -> ExprIndex {
        let kept = Expr::Name { name: name.clone(), scope: ScopeIndex::FILE, at: 0 };
        let Some(binding) = self.binding(scope, name, at) else { return cut.out.push(kept) };
        let expr = match (binding.kind, &binding.ty, binding.value) {
            (BindingKind::Param(_), _, value) => {
                let function = self.bodies.scopes[binding.scope.0 as usize].decl;
                match (function.is_some() && function == cut.function, value) {
                    (true, _) => kept,
                    (false, Some(value)) => return self.copy(value, cut, depth + 1),
                    (false, None) => Expr::Unknown,
                }
            }
            (BindingKind::Decl(decl), ..) => {
                super::expressions::marker(crate::DECL, decl.0.to_string().into(), ScopeIndex::FILE)
            }
            (BindingKind::Import(_), ..) => kept,
            (BindingKind::Local | BindingKind::Narrow, Some(ty), _) => {
                Expr::Cast { base: None, ty: ty.clone(), scope: ScopeIndex::FILE, at: 0 }
            }
            (BindingKind::Local, None, Some(value)) => return self.copy(value, cut, depth + 1),
            _ => Expr::Unknown,
        };
        cut.out.push(expr)
    }

    /// The binding that a name means at a place.
    fn binding(&self, mut scope: ScopeIndex, name: &str, at: u32) -> Option<&Binding> {
        loop {
            if let Some(all) = self.bindings.get(&(scope, name)) {
                let bindings = all.iter().rev().map(|index| &self.bodies.bindings[*index as usize]);
                if let Some(binding) = bindings.into_iter().find(|binding| binding.at <= at) {
                    return Some(binding);
                }
            }
            scope = self.bodies.scopes[scope.0 as usize].parent?;
        }
    }
}
