//! Cutting a value out of a file's bodies, so that it can stand in the summary.
//!
//! A summary's expressions have no positions and no scopes, so names of locals would mean something
//! else there. Each local is therefore replaced by the values it may hold at that place; parameters
//! keep their names.

use bindery_facts::{Binding, BindingKind, Bodies, Expr, ExprIndex, Exprs, Name, ScopeIndex, ScopeKind};
use rustc_hash::FxHashMap;

use super::reader::ScopeInfo;

/// The most expressions of one value.
const SIZE_LIMIT: usize = 48;
/// The deepest nesting that is followed.
const DEPTH_LIMIT: u32 = 16;
/// The most values a local may hold before it counts as unknown.
const JOIN_LIMIT: usize = 4;

/// Cuts out values.
pub(super) struct ValueCutter<'b> {
    bodies: &'b Bodies,
    infos: &'b [ScopeInfo],
    /// The bindings of each name of each function, class, lambda, comprehension or file, in order.
    bindings: FxHashMap<(ScopeIndex, &'b str), Vec<u32>>,
}

struct Cut {
    out: Exprs,
    is_over: bool,
}

impl<'b> ValueCutter<'b> {
    pub(super) fn new(bodies: &'b Bodies, infos: &'b [ScopeInfo]) -> Self {
        let mut bindings: FxHashMap<(ScopeIndex, &str), Vec<u32>> = FxHashMap::default();
        for (index, binding) in bodies.bindings.iter().enumerate() {
            let names = infos[binding.scope.0 as usize].names;
            bindings.entry((names, binding.name.as_str())).or_default().push(index as u32);
        }
        Self { bodies, infos, bindings }
    }

    /// Whether a name is bound in a scope of its own inside the file, seen from `scope`.
    pub(super) fn is_local(&self, scope: ScopeIndex, name: &str) -> bool {
        self.binding_names(scope, name).is_some_and(|names| names != ScopeIndex::FILE)
    }

    /// A value as an arena of its own; none if nothing of it is known or it is too large.
    pub(super) fn cut(&self, value: ExprIndex) -> Option<Exprs> {
        self.cut_join(&[value])
    }

    /// One of several values.
    pub(super) fn cut_join(&self, values: &[ExprIndex]) -> Option<Exprs> {
        let mut cut = Cut { out: Exprs::default(), is_over: false };
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
            Expr::Closure { .. } => {
                let closure =
                    Expr::Closure { scope: ScopeIndex::FILE, decl: None, body: None, is_async: false };
                cut.out.push(closure)
            }
            expr => {
                let mut copy = expr.clone();
                copy.map_children(&mut |child| self.copy(child, cut, depth + 1));
                copy.forget_place();
                cut.out.push(copy)
            }
        }
    }

    fn copy_name(&self, name: &Name, scope: ScopeIndex, at: u32, cut: &mut Cut, depth: u32) -> ExprIndex {
        let kept = Expr::Name { name: name.clone(), scope: ScopeIndex::FILE, at: 0 };
        let Some(names) = self.binding_names(scope, name) else { return cut.out.push(kept) };
        let kind = self.bodies.scopes[names.0 as usize].kind;
        if matches!(kind, ScopeKind::Module | ScopeKind::Type) {
            return cut.out.push(kept);
        }
        let reaching = self.reaching(names, scope, name, at);
        if reaching.is_empty() || reaching.len() > JOIN_LIMIT {
            return cut.out.push(Expr::Unknown);
        }
        let mut parts: Vec<ExprIndex> =
            reaching.into_iter().map(|binding| self.copy_binding(binding, &kept, cut, depth)).collect();
        if parts.len() == 1 { parts.remove(0) } else { cut.out.push(Expr::Join(parts)) }
    }

    fn copy_binding(&self, binding: &Binding, kept: &Expr, cut: &mut Cut, depth: u32) -> ExprIndex {
        let expr = match (binding.kind, &binding.ty, binding.value) {
            (BindingKind::Param(_) | BindingKind::Receiver, ..) => {
                let scope = self.infos[binding.scope.0 as usize].names;
                match self.bodies.scopes[scope.0 as usize].decl {
                    Some(_) => kept.clone(),
                    // A lambda's parameter has no name outside of it.
                    None => Expr::Unknown,
                }
            }
            (BindingKind::Import(_) | BindingKind::Decl(_) | BindingKind::Global, ..) => kept.clone(),
            (BindingKind::Local | BindingKind::Narrow, Some(ty), _) => {
                Expr::Cast { base: None, ty: ty.clone(), scope: ScopeIndex::FILE, at: 0 }
            }
            (BindingKind::Local, None, Some(value)) => return self.copy(value, cut, depth + 1),
            _ => Expr::Unknown,
        };
        cut.out.push(expr)
    }

    /// The function, class, comprehension or file whose name `name` is at `scope`. Class bodies are
    /// seen only from themselves (Execution model, "Resolution of names").
    fn binding_names(&self, scope: ScopeIndex, name: &str) -> Option<ScopeIndex> {
        let mut names = self.infos[scope.0 as usize].names;
        let mut is_first = true;
        loop {
            let this = &self.bodies.scopes[names.0 as usize];
            let is_seen = is_first || this.kind != ScopeKind::Type;
            if let Some(all) = self.bindings.get(&(names, name)).filter(|_| is_seen) {
                let is_global =
                    |index: &u32| self.bodies.bindings[*index as usize].kind == BindingKind::Global;
                return Some(if all.iter().any(is_global) { ScopeIndex::FILE } else { names });
            }
            is_first &= this.kind == ScopeKind::Comprehension;
            names = self.infos[this.parent?.0 as usize].names;
        }
    }

    /// The bindings that may have given a name the value it has at a place, latest first: back to the
    /// first that every way to the place passes.
    fn reaching(&self, names: ScopeIndex, scope: ScopeIndex, name: &str, at: u32) -> Vec<&Binding> {
        let Some(all) = self.bindings.get(&(names, name)) else { return Vec::new() };
        let binding = |index: &u32| &self.bodies.bindings[*index as usize];
        if self.infos[scope.0 as usize].names != names {
            // Seen from a nested function: whatever it holds at any time.
            return all.iter().take(JOIN_LIMIT + 1).map(binding).collect();
        }
        let mut reaching = Vec::new();
        // The bindings are in the order of their positions.
        let before = &all[..all.partition_point(|index| binding(index).at <= at)];
        for binding in before.iter().rev().map(binding) {
            if binding.kind == BindingKind::Narrow && !self.encloses(binding.scope, scope) {
                continue;
            }
            reaching.push(binding);
            if self.encloses(binding.scope, scope) || reaching.len() > JOIN_LIMIT {
                break;
            }
        }
        reaching
    }

    fn encloses(&self, outer: ScopeIndex, mut inner: ScopeIndex) -> bool {
        loop {
            if outer == inner {
                return true;
            }
            match self.bodies.scopes[inner.0 as usize].parent {
                Some(parent) => inner = parent,
                None => return false,
            }
        }
    }
}
