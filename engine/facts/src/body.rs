use serde::{Deserialize, Serialize};

use crate::{DeclIndex, Expr, ExprIndex, Exprs, Name, TypeExpr};

/// Index of a scope in [`Bodies::scopes`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ScopeIndex(pub u32);

impl ScopeIndex {
    /// The file's own scope, always the first.
    pub const FILE: ScopeIndex = ScopeIndex(0);
}

/// What happens inside a file, with positions.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(from = "crate::stored::OwnedBodies")]
pub struct Bodies {
    /// Lexical scopes, parents before children; number 0 is the file.
    pub scopes: Vec<Scope>,
    /// Names bound in scopes, in source order.
    pub bindings: Vec<Binding>,
    /// Every expression that a call, a binding or an access needs.
    pub exprs: Exprs,
    /// Every call, in source order of its start; constructions too.
    pub sites: Vec<CallSite>,
    /// Reads and writes of attributes and module variables, in source order.
    pub accesses: Vec<Access>,
}

impl Bodies {
    /// Replaces byte offsets by numbers that compare alike: a binding's position becomes its place among
    /// the positions of all bindings, from 1, and an expression's the number of those at or before it. A
    /// position is only ever asked whether a binding holds there, so the numbers say the same; they are
    /// small, and an edit in front leaves them as they are. On 2,823 Python files they take a seventh off
    /// the blobs.
    pub fn number_positions(&mut self) {
        let mut positions: Vec<u32> = self.bindings.iter().map(|binding| binding.at).collect();
        positions.sort_unstable();
        positions.dedup();
        let number = |at: u32| positions.partition_point(|position| *position <= at) as u32;
        self.bindings.iter_mut().for_each(|binding| binding.at = number(binding.at));
        for at in self.exprs.0.iter_mut().filter_map(Expr::position_mut) {
            *at = number(*at);
        }
    }
}

/// A lexical scope.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Scope {
    /// The enclosing scope; none for the file.
    pub parent: Option<ScopeIndex>,
    /// What opens it.
    pub kind: ScopeKind,
    /// The declaration whose scope it is: function, type, inline module, impl.
    pub decl: Option<DeclIndex>,
}

/// What opens a scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ScopeKind {
    /// The file, or an inline module.
    Module,
    /// A type's or impl's body.
    Type,
    /// A function's parameters and body.
    Function,
    /// A closure's or lambda's parameters and body.
    Closure,
    /// A block, branch, loop body, match arm. In languages without block scopes names are not bound
    /// here, but narrowing and dominance follow it.
    Block,
    /// A [`ScopeKind::Block`] that never runs to its end: its last statement returns, raises, breaks
    /// or continues. What it binds is not seen behind it.
    Leaving,
    /// A statement of whose direct child scopes exactly one runs (`if` with all its branches, a missing
    /// `else` included). Names are bound in the children only.
    Choice,
    /// A comprehension.
    Comprehension,
}

/// A name bound in a scope. Parameters, locals, loop variables, patterns; imports and declarations
/// inside functions too, so that a look-up finds them in order.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Binding {
    /// Where it is bound.
    pub scope: ScopeIndex,
    /// The name.
    pub name: Name,
    /// Position from which it holds, in bytes until [`Bodies::number_positions`]. For `let x = x` this is
    /// behind the value.
    pub at: u32,
    /// What binds it.
    pub kind: BindingKind,
    /// Its written type.
    pub ty: Option<TypeExpr>,
    /// Its value, if there is one to follow.
    pub value: Option<ExprIndex>,
}

/// What binds a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum BindingKind {
    /// The receiver parameter.
    Receiver,
    /// A parameter; its position among the function's params.
    Param(u32),
    /// An assignment or `let`, pattern parts included.
    Local,
    /// A check that proves a type from here on in this scope (`isinstance`).
    Narrow,
    /// An import, by its index in [`crate::Summary::imports`].
    Import(u32),
    /// A declaration.
    Decl(DeclIndex),
    /// `global x`: the name means the file's.
    Global,
    /// `nonlocal x`: the name means an enclosing function's.
    Nonlocal,
    /// `del x`, or a name whose value cannot be known (exception group, star target).
    Opaque,
}

/// One call as written.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CallSite {
    /// The [`crate::Expr::Call`], [`crate::Expr::New`] or [`crate::Expr::MacroCall`].
    pub expr: ExprIndex,
    /// The function it belongs to: the innermost named declaration that is called (a lambda without
    /// a name belongs to its owner); none at module and class level.
    pub caller: Option<DeclIndex>,
    /// The scope it stands in.
    pub scope: ScopeIndex,
    /// The line the callee's name stands on, from 1.
    pub line: u32,
    /// The callee expression, white space folded, argument lists as `(…)`, at most 120 characters
    /// (see `bindery_syntax::raw`).
    pub raw: Name,
    /// Whether the call is awaited.
    pub is_await: bool,
    /// How the site is written.
    pub kind: SiteKind,
}

/// How a call site is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum SiteKind {
    /// `f(…)`, `a.f(…)`.
    Call,
    /// `new T(…)`, `T { … }`.
    Construct,
    /// `@decorator` applied, which calls it.
    Decorator,
}

/// A read or write of something that keeps state.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Access {
    /// The [`crate::Expr::Member`] or [`crate::Expr::Name`] read or written.
    pub expr: ExprIndex,
    /// The function it stands in, as in [`CallSite::caller`].
    pub caller: Option<DeclIndex>,
    /// The line, from 1.
    pub line: u32,
    /// Written (assigned, augmented, deleted, mutably borrowed) or read.
    pub is_write: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_positions_compare_like_offsets() {
        let binding = |at| Binding {
            scope: ScopeIndex::FILE,
            name: "x".into(),
            at,
            kind: BindingKind::Local,
            ty: None,
            value: None,
        };
        let name = |at| Expr::Name { name: "x".into(), scope: ScopeIndex::FILE, at };
        let offsets = [0, 4, 5, 6, 40, 41, u32::MAX];
        let mut bodies = Bodies {
            bindings: [5, 5, 40, 7].map(binding).to_vec(),
            exprs: Exprs(offsets.map(name).to_vec()),
            ..Bodies::default()
        };
        bodies.number_positions();
        let bindings: Vec<u32> = bodies.bindings.iter().map(|binding| binding.at).collect();
        assert_eq!(bindings, [1, 1, 3, 2]);
        let uses: Vec<u32> =
            bodies.exprs.0.iter_mut().filter_map(|expr| expr.position_mut().copied()).collect();
        assert_eq!(uses, [0, 0, 1, 1, 3, 3, 3]);
    }
}
