use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::{DeclIndex, Name, ScopeIndex};

/// Index of an expression in its arena.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ExprIndex(pub u32);

/// An arena of expressions; children come before their parents. Where it stands for one expression
/// (a variable's value, a function's result) that one is the last.
///
/// Packed, an expression names a child by how far it stands before: mostly one.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Exprs(pub Vec<Expr>);

impl Serialize for Exprs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut elements = serializer.serialize_seq(Some(self.0.len()))?;
        for (index, expr) in self.0.iter().enumerate() {
            let distance = |child: ExprIndex| ExprIndex((index as u32).wrapping_sub(child.0));
            match expr.is_leaf() {
                true => elements.serialize_element(expr)?,
                false => elements.serialize_element(&expr.clone_with(&mut |child| distance(child)))?,
            }
        }
        elements.end()
    }
}

impl<'de> Deserialize<'de> for Exprs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut exprs = Vec::<Expr>::deserialize(deserializer)?;
        let count = exprs.len() as u32;
        let mut is_sound = true;
        for (index, expr) in exprs.iter_mut().enumerate() {
            expr.map_children(&mut |distance| {
                let child = (index as u32).wrapping_sub(distance.0);
                is_sound &= child < count;
                ExprIndex(child)
            });
        }
        match is_sound {
            true => Ok(Self(exprs)),
            false => Err(de::Error::custom("an expression has a child that is not there")),
        }
    }
}

impl Exprs {
    /// Adds an expression and returns its index.
    pub fn push(&mut self, expr: Expr) -> ExprIndex {
        self.0.push(expr);
        ExprIndex(self.0.len() as u32 - 1)
    }

    /// The expression at `index`.
    pub fn get(&self, index: ExprIndex) -> &Expr {
        &self.0[index.0 as usize]
    }

    /// The last expression, which the arena stands for.
    pub fn root(&self) -> Option<ExprIndex> {
        self.0.len().checked_sub(1).map(|last| ExprIndex(last as u32))
    }

    /// The expression at `index` with all it refers to, as an arena of its own whose last element it
    /// is, for use in a [`crate::Summary`]: scopes become [`ScopeIndex::FILE`] and positions 0, so the
    /// result is position-free. Closures in it lose their bodies. None past `limit` expressions.
    pub fn extract(&self, index: ExprIndex, limit: usize) -> Option<Exprs> {
        let mut wanted = vec![index];
        let mut at = 0;
        while at < wanted.len() {
            self.get(wanted[at]).children(|child| wanted.push(child));
            at += 1;
            if wanted.len() > limit {
                return None;
            }
        }
        wanted.sort_unstable();
        wanted.dedup();
        let renumbered = |old: ExprIndex| {
            ExprIndex(wanted.binary_search(&old).expect("every child was collected above") as u32)
        };
        Some(Exprs(wanted.iter().map(|old| self.get(*old).position_free(&renumbered)).collect()))
    }
}

/// An expression, lowered to what typing a receiver needs. What an adapter cannot say is
/// [`Expr::Unknown`]; call sites inside it are recorded all the same.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the sentence on each variant names its fields")]
pub enum Expr {
    /// Cannot be typed.
    Unknown,
    /// An identifier, looked up in `scope` as seen from position `at` (see [`crate::Binding::at`]).
    Name { name: Name, scope: ScopeIndex, at: u32 },
    /// A path with more than one segment, or with type arguments, or through a type
    /// (`a::b::f`, `Vec::<u8>::new`, `Self::x`, `<T as Trait>::f`). Languages that write `.` between
    /// all segments use [`Expr::Member`] instead.
    Path { path: TypeExpr, scope: ScopeIndex, at: u32 },
    /// The receiver where it is a keyword and no parameter (`this`).
    This { scope: ScopeIndex },
    /// The receiver seen as its base type (`super()`, `super`).
    Super { scope: ScopeIndex },
    /// `base.name`, and optional type arguments at a call (`base.name::<T>`).
    Member { base: ExprIndex, name: Name, type_args: Vec<TypeExpr> },
    /// A call. `keywords` are the names of the last arguments, those passed by name.
    Call { callee: ExprIndex, args: Vec<ExprIndex>, keywords: Vec<Name> },
    /// A construction in its own syntax: `new T(…)`, struct literal. `ty` is looked up in `scope`.
    New { ty: TypeExpr, args: Vec<ExprIndex>, scope: ScopeIndex, at: u32 },
    /// A call of a macro whose arguments could be read as expressions; `name` as written without `!`.
    MacroCall { name: Name, args: Vec<ExprIndex>, scope: ScopeIndex },
    /// A literal.
    Literal(Literal),
    /// A list, array, set or vector display.
    Sequence { kind: SequenceKind, items: Vec<ExprIndex> },
    /// A dictionary display; only its first entry is kept.
    Mapping { key: Option<ExprIndex>, value: Option<ExprIndex> },
    /// A tuple display.
    Tuple(Vec<ExprIndex>),
    /// `base[index]`.
    Index { base: ExprIndex, index: Option<ExprIndex> },
    /// What iterating over `base` gives.
    Element { base: ExprIndex, is_async: bool },
    /// The i-th part of a destructured value.
    TupleItem { base: ExprIndex, index: u32 },
    /// The part of an enum value that a pattern binds: `variant` is the variant's path, `field` its
    /// field's name or position.
    VariantField { base: ExprIndex, variant: TypeExpr, field: Name, scope: ScopeIndex, at: u32 },
    /// `await base`.
    Await(ExprIndex),
    /// `base?`: the value inside an optional or result.
    Try(ExprIndex),
    /// `*base`.
    Deref(ExprIndex),
    /// `&base`.
    Ref(ExprIndex),
    /// `base as ty`, `cast(ty, base)`.
    Cast { base: Option<ExprIndex>, ty: TypeExpr, scope: ScopeIndex, at: u32 },
    /// One of several values: branches, `a or b`, `a if c else b`, match arms.
    Join(Vec<ExprIndex>),
    /// A closure: its parameters are bindings of `scope`; `body` is the value it gives.
    Closure { scope: ScopeIndex, decl: Option<DeclIndex>, body: Option<ExprIndex>, is_async: bool },
    /// What parameter number `param` of a closure receives, when the closure is argument number
    /// `arg` of `call` (an [`Expr::Call`], or its callee if the call is not built yet).
    ClosureParam { call: ExprIndex, arg: u32, param: u32 },
    /// What entering a context manager gives (`with base as x`).
    Enter { base: ExprIndex, is_async: bool },
    /// A binary or unary operation by its operator (`+`, `and`, `not`, `==`).
    Operation { operator: Name, operands: Vec<ExprIndex> },
    /// A range (`a..b`), by the type of its bounds.
    Range(Option<ExprIndex>),
}

/// What a literal is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Literal {
    /// Text.
    String,
    /// Bytes.
    Bytes,
    /// A character.
    Char,
    /// An integer without a type suffix.
    Integer,
    /// A number with a fraction.
    Float,
    /// True or false.
    Bool,
    /// `None`, `null`, `nil`.
    None,
    /// Anything else (`...`, complex numbers, regular expressions).
    Other,
}

/// What a sequence display makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum SequenceKind {
    /// A list or vector.
    List,
    /// A set.
    Set,
    /// An array of fixed size.
    Array,
    /// A generator expression.
    Generator,
}

impl Expr {
    /// Calls `visit` on every direct child expression.
    pub fn children(&self, mut visit: impl FnMut(ExprIndex)) {
        match self {
            Expr::Unknown
            | Expr::Name { .. }
            | Expr::Path { .. }
            | Expr::This { .. }
            | Expr::Super { .. }
            | Expr::Literal(_) => {}
            Expr::Member { base, .. }
            | Expr::Element { base, .. }
            | Expr::TupleItem { base, .. }
            | Expr::VariantField { base, .. }
            | Expr::Enter { base, .. }
            | Expr::ClosureParam { call: base, .. }
            | Expr::Await(base)
            | Expr::Try(base)
            | Expr::Deref(base)
            | Expr::Ref(base) => visit(*base),
            Expr::Call { callee, args, .. } => {
                visit(*callee);
                args.iter().copied().for_each(visit);
            }
            Expr::New { args: items, .. }
            | Expr::MacroCall { args: items, .. }
            | Expr::Sequence { items, .. }
            | Expr::Tuple(items)
            | Expr::Join(items)
            | Expr::Operation { operands: items, .. } => items.iter().copied().for_each(visit),
            Expr::Mapping { key, value } => [key, value].into_iter().flatten().copied().for_each(visit),
            Expr::Index { base, index } => {
                visit(*base);
                index.iter().copied().for_each(visit);
            }
            Expr::Cast { base: part, .. } | Expr::Closure { body: part, .. } | Expr::Range(part) => {
                part.iter().copied().for_each(visit);
            }
        }
    }

    fn position_free(&self, renumbered: &dyn Fn(ExprIndex) -> ExprIndex) -> Expr {
        let mut expr = self.clone_with(&mut |child| renumbered(child));
        expr.forget_place();
        expr
    }

    /// Takes the scope and position out, so that nothing of the place it was written in is left.
    pub fn forget_place(&mut self) {
        match self {
            Expr::Name { scope, at, .. }
            | Expr::Path { scope, at, .. }
            | Expr::New { scope, at, .. }
            | Expr::VariantField { scope, at, .. }
            | Expr::Cast { scope, at, .. } => (*scope, *at) = (ScopeIndex::FILE, 0),
            Expr::This { scope } | Expr::Super { scope } | Expr::MacroCall { scope, .. } => {
                *scope = ScopeIndex::FILE;
            }
            Expr::Closure { scope, decl, .. } => (*scope, *decl) = (ScopeIndex::FILE, None),
            _ => {}
        }
    }

    /// Its position, if it has one.
    pub(crate) fn position_mut(&mut self) -> Option<&mut u32> {
        match self {
            Expr::Name { at, .. }
            | Expr::Path { at, .. }
            | Expr::New { at, .. }
            | Expr::VariantField { at, .. }
            | Expr::Cast { at, .. } => Some(at),
            _ => None,
        }
    }

    /// Whether it can have no child.
    fn is_leaf(&self) -> bool {
        matches!(
            self,
            Expr::Unknown
                | Expr::Name { .. }
                | Expr::Path { .. }
                | Expr::This { .. }
                | Expr::Super { .. }
                | Expr::Literal(_)
        )
    }

    fn clone_with(&self, child: &mut dyn FnMut(ExprIndex) -> ExprIndex) -> Expr {
        let mut expr = self.clone();
        expr.map_children(child);
        expr
    }

    /// Replaces every direct child expression by what `child` makes of it.
    pub fn map_children(&mut self, child: &mut dyn FnMut(ExprIndex) -> ExprIndex) {
        match self {
            Expr::Unknown
            | Expr::Name { .. }
            | Expr::Path { .. }
            | Expr::This { .. }
            | Expr::Super { .. }
            | Expr::Literal(_) => {}
            Expr::Member { base, .. }
            | Expr::Element { base, .. }
            | Expr::TupleItem { base, .. }
            | Expr::VariantField { base, .. }
            | Expr::Enter { base, .. }
            | Expr::ClosureParam { call: base, .. }
            | Expr::Await(base)
            | Expr::Try(base)
            | Expr::Deref(base)
            | Expr::Ref(base) => *base = child(*base),
            Expr::Call { callee, args, .. } => {
                *callee = child(*callee);
                args.iter_mut().for_each(|arg| *arg = child(*arg));
            }
            Expr::New { args: items, .. }
            | Expr::MacroCall { args: items, .. }
            | Expr::Sequence { items, .. }
            | Expr::Tuple(items)
            | Expr::Join(items)
            | Expr::Operation { operands: items, .. } => {
                items.iter_mut().for_each(|item| *item = child(*item));
            }
            Expr::Mapping { key, value } => {
                for part in [key, value].into_iter().flatten() {
                    *part = child(*part);
                }
            }
            Expr::Index { base, index } => {
                *base = child(*base);
                if let Some(index) = index {
                    *index = child(*index);
                }
            }
            Expr::Cast { base: part, .. } | Expr::Closure { body: part, .. } | Expr::Range(part) => {
                if let Some(part) = part {
                    *part = child(*part);
                }
            }
        }
    }
}

/// A written type.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the sentence on each variant names its fields")]
pub enum TypeExpr {
    /// Not written, not readable, or `_`.
    Unknown,
    /// A path of names, each with its type arguments: `a.b.C[int]`, `std::vec::Vec<T>`, `Self`.
    /// A leading `::` is an empty first segment.
    Path(Vec<Segment>),
    /// A reference or pointer; all kinds, lifetimes dropped.
    Ref(Box<TypeExpr>),
    /// A tuple; empty is the unit type.
    Tuple(Vec<TypeExpr>),
    /// An array or slice.
    Slice(Box<TypeExpr>),
    /// A function type.
    Function { params: Vec<TypeExpr>, returns: Option<Box<TypeExpr>> },
    /// One of several (`A | B`, `Union[A, B]`).
    Union(Vec<TypeExpr>),
    /// May be absent (`Optional[T]`, `T?`, `T | None`).
    Optional(Box<TypeExpr>),
    /// A value known by its traits only (`dyn A + B`).
    Dyn(Vec<TypeExpr>),
    /// An opaque type known by its traits only (`impl A + B`).
    Opaque(Vec<TypeExpr>),
    /// `<ty as trait>::rest`.
    Qualified { ty: Box<TypeExpr>, of_trait: Option<Box<TypeExpr>>, rest: Vec<Segment> },
    /// The type of classes rather than instances (`type[C]`).
    ClassOf(Box<TypeExpr>),
    /// No value (`!`, `Never`).
    Never,
}

/// One segment of a path in a type.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Segment {
    /// The name.
    pub name: Name,
    /// Its type arguments. `Fn(A) -> B` has one [`TypeExpr::Function`]; associated type bindings
    /// (`Item = T`) stand in [`Segment::bindings`].
    pub args: Vec<TypeExpr>,
    /// Associated types written out: name and type.
    pub bindings: Vec<(Name, TypeExpr)>,
}

impl Segment {
    /// A segment without arguments.
    pub fn plain(name: impl Into<Name>) -> Self {
        Self { name: name.into(), args: Vec::new(), bindings: Vec::new() }
    }
}

impl TypeExpr {
    /// A path of one plain name.
    pub fn named(name: impl Into<Name>) -> Self {
        Self::Path(vec![Segment::plain(name)])
    }
}
