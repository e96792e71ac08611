//! Written types, read off the tree.
//!
//! Types without a name of their own become paths whose first segment no program can spell:
//! [`STRUCTURE`] for `{ a: T }`, its members as bindings; [`TYPEOF`] for `typeof a.b`, the path as its
//! argument; [`LOOKUP`] for `T["a"]`, the key as a binding; [`PREDICATE`] for `x is T`. The rules give them their meaning.

use bindery_facts::{Name, Segment, TypeExpr, TypeParam};
use bindery_syntax::NodeIndex;

use super::kinds::{Field, Kind};
use super::reader::Reader;

/// The segment of an object type.
pub(crate) const STRUCTURE: &str = "{}";
/// The segment of `typeof`.
pub(crate) const TYPEOF: &str = "typeof";
/// The segment of an indexed access type.
pub(crate) const LOOKUP: &str = "[]";

/// The segment of what a call of a value gives.
pub(crate) const RESULT: &str = "=>";
/// The segment of `import("…")` as a type, the specifier as a binding.
pub(crate) const IMPORT_TYPE: &str = "import()";
/// The segment of a type predicate.
pub(crate) const PREDICATE: &str = "is";

/// How deep types may nest.
const MAX_NESTING: u32 = 24;
/// The most members of an object type that are kept.
const MEMBER_LIMIT: usize = 64;

impl Reader<'_> {
    /// The type in an annotation (`: T`), type argument or alias.
    pub(super) fn type_of(&self, node: NodeIndex) -> TypeExpr {
        self.type_at(node, 0)
    }

    /// The type that a node's `type` field writes.
    pub(super) fn annotated(&self, node: NodeIndex) -> Option<TypeExpr> {
        self.child(node, Field::Type).map(|ty| self.type_of(ty)).filter(|ty| *ty != TypeExpr::Unknown)
    }

    fn inner(&self, node: NodeIndex, depth: u32) -> TypeExpr {
        self.tree.children(node).next().map_or(TypeExpr::Unknown, |inner| self.type_at(inner, depth))
    }

    fn type_at(&self, node: NodeIndex, depth: u32) -> TypeExpr {
        if depth > MAX_NESTING {
            return TypeExpr::Unknown;
        }
        let next = depth + 1;
        match self.kind(node) {
            Kind::TypeAnnotation
            | Kind::OmittingTypeAnnotation
            | Kind::OptingTypeAnnotation
            | Kind::AddingTypeAnnotation
            | Kind::ParenthesizedType
            | Kind::ReadonlyType
            | Kind::OptionalType
            | Kind::Constraint
            | Kind::DefaultType => self.inner(node, next),
            Kind::PredefinedType => predefined(self.text(node)),
            Kind::TypeIdentifier | Kind::Identifier => TypeExpr::named(self.text(node)),
            Kind::LiteralType => self.literal_type(node),
            Kind::Undefined | Kind::Null | Kind::AssertsAnnotation | Kind::Asserts => {
                TypeExpr::named("undefined")
            }
            Kind::TemplateLiteralType | Kind::IndexTypeQuery => TypeExpr::named("string"),
            Kind::TypePredicateAnnotation => self.inner(node, next),
            Kind::TypePredicate => self.predicate(node, next),
            Kind::ThisType => TypeExpr::named("this"),
            Kind::NestedTypeIdentifier | Kind::NestedIdentifier | Kind::MemberExpression => {
                self.dotted_type(node)
            }
            Kind::GenericType => self.generic_type(node, next),
            Kind::UnionType => self.union_type(node, next),
            Kind::IntersectionType => TypeExpr::Dyn(self.spread_out(node, Kind::IntersectionType, next)),
            Kind::ArrayType => TypeExpr::Slice(Box::new(self.inner(node, next))),
            Kind::TupleType => {
                TypeExpr::Tuple(self.tree.children(node).map(|part| self.tuple_part(part, next)).collect())
            }
            Kind::FunctionType => self.function_type(node, next),
            Kind::TypeQuery => self.type_query(node),
            Kind::LookupType => self.lookup_type(node, next),
            Kind::ObjectType => self.object_type(node, next),
            _ => TypeExpr::Unknown,
        }
    }

    /// `x is T`: of whatever is passed, as far as it is the first parameter.
    fn predicate(&self, node: NodeIndex, depth: u32) -> TypeExpr {
        match self.child(node, Field::Type) {
            Some(ty) => special(PREDICATE, vec![self.type_at(ty, depth)], Vec::new()),
            None => TypeExpr::named("boolean"),
        }
    }

    fn literal_type(&self, node: NodeIndex) -> TypeExpr {
        let Some(literal) = self.tree.children(node).next() else { return TypeExpr::Unknown };
        TypeExpr::named(match self.kind(literal) {
            Kind::String => "string",
            Kind::True | Kind::False => "boolean",
            Kind::Null | Kind::Undefined => "undefined",
            _ => "number",
        })
    }

    /// The segments of a dotted name; none if it is anything else.
    pub(super) fn dotted(&self, node: NodeIndex) -> Option<Vec<Name>> {
        let mut names = Vec::new();
        let mut at = node;
        loop {
            let (head, last) = match self.kind(at) {
                Kind::Identifier | Kind::TypeIdentifier => {
                    names.push(self.text(at).into());
                    names.reverse();
                    return Some(names);
                }
                Kind::NestedTypeIdentifier => (self.child(at, Field::Module), self.child(at, Field::Name)),
                Kind::NestedIdentifier | Kind::MemberExpression => {
                    (self.child(at, Field::Object), self.child(at, Field::Property))
                }
                _ => return None,
            };
            names.push(self.text(last?).into());
            at = head?;
        }
    }

    fn dotted_type(&self, node: NodeIndex) -> TypeExpr {
        match self.dotted(node) {
            Some(names) => TypeExpr::Path(names.into_iter().map(Segment::plain).collect()),
            None => TypeExpr::Unknown,
        }
    }

    fn generic_type(&self, node: NodeIndex, depth: u32) -> TypeExpr {
        let name = self.child(node, Field::Name).map_or(TypeExpr::Unknown, |name| self.dotted_type(name));
        let args = self.child(node, Field::TypeArguments).map(|args| self.type_args(args, depth));
        with_args(name, args.unwrap_or_default())
    }

    /// The types between `<` and `>`.
    pub(super) fn type_args(&self, node: NodeIndex, depth: u32) -> Vec<TypeExpr> {
        self.tree.children(node).map(|arg| self.type_at(arg, depth)).collect()
    }

    /// The members of a union or intersection, which the grammar nests to the left.
    fn spread_out(&self, node: NodeIndex, kind: Kind, depth: u32) -> Vec<TypeExpr> {
        let (mut members, mut open) = (Vec::new(), vec![node]);
        while let Some(node) = open.pop() {
            if self.kind(node) == kind {
                let mut parts: Vec<NodeIndex> = self.tree.children(node).collect();
                parts.reverse();
                open.extend(parts);
            } else if members.len() < MEMBER_LIMIT {
                members.push(self.type_at(node, depth));
            }
        }
        members
    }

    fn union_type(&self, node: NodeIndex, depth: u32) -> TypeExpr {
        let nothing = TypeExpr::named("undefined");
        let mut members: Vec<TypeExpr> = Vec::new();
        for member in self.spread_out(node, Kind::UnionType, depth) {
            if member != nothing && !members.contains(&member) {
                members.push(member);
            }
        }
        match members.len() {
            0 => nothing,
            1 => members.remove(0),
            _ => TypeExpr::Union(members),
        }
    }

    fn tuple_part(&self, node: NodeIndex, depth: u32) -> TypeExpr {
        match self.kind(node) {
            Kind::RequiredParameter | Kind::OptionalParameter => {
                self.child(node, Field::Type).map_or(TypeExpr::Unknown, |ty| self.type_at(ty, depth))
            }
            Kind::RestType => TypeExpr::Unknown,
            _ => self.type_at(node, depth),
        }
    }

    fn function_type(&self, node: NodeIndex, depth: u32) -> TypeExpr {
        let params = self.child(node, Field::Parameters).map(|list| self.param_types(list, depth));
        let returns = self.child(node, Field::ReturnType).or(self.child(node, Field::Type));
        let returns = returns.map_or(TypeExpr::Unknown, |ty| self.type_at(ty, depth));
        TypeExpr::Function { params: params.unwrap_or_default(), returns: Some(Box::new(returns)) }
    }

    /// `(a: A): B;`
    pub(super) fn call_signature(&self, node: NodeIndex) -> TypeExpr {
        self.function_type(node, 1)
    }

    fn param_types(&self, list: NodeIndex, depth: u32) -> Vec<TypeExpr> {
        let is_param =
            |node: &NodeIndex| matches!(self.kind(*node), Kind::RequiredParameter | Kind::OptionalParameter);
        let ty = |node| self.child(node, Field::Type).map_or(TypeExpr::Unknown, |ty| self.type_at(ty, depth));
        self.tree.children(list).filter(is_param).filter(|node| !self.is_this_param(*node)).map(ty).collect()
    }

    fn type_query(&self, node: NodeIndex) -> TypeExpr {
        let target = self.tree.children(node).next().and_then(|target| self.dotted(target));
        let Some(names) = target else { return TypeExpr::Unknown };
        let path = TypeExpr::Path(names.into_iter().map(Segment::plain).collect());
        special(TYPEOF, vec![path], Vec::new())
    }

    fn lookup_type(&self, node: NodeIndex, depth: u32) -> TypeExpr {
        let mut parts = self.tree.children(node);
        let (Some(base), Some(key)) = (parts.next(), parts.next()) else { return TypeExpr::Unknown };
        let key = self.tree.children(key).next().filter(|inner| self.kind(*inner) == Kind::String);
        let Some(key) = key else { return TypeExpr::Unknown };
        let key = (Name::from(unquoted(self.text(key))), TypeExpr::Unknown);
        special(LOOKUP, vec![self.type_at(base, depth)], vec![key])
    }

    /// `{ a: T; b(): U }`; one with nothing but a call signature is a function.
    fn object_type(&self, node: NodeIndex, depth: u32) -> TypeExpr {
        let mut members = Vec::new();
        for member in self.tree.children(node).take(MEMBER_LIMIT) {
            let name = self.child(member, Field::Name).map(|name| Name::from(unquoted(self.text(name))));
            let ty = match self.kind(member) {
                Kind::PropertySignature => {
                    self.child(member, Field::Type).map_or(TypeExpr::Unknown, |ty| self.type_at(ty, depth))
                }
                Kind::MethodSignature => self.function_type(member, depth),
                Kind::CallSignature => return self.function_type(member, depth),
                _ => continue,
            };
            members.extend(name.map(|name| (name, ty)));
        }
        special(STRUCTURE, Vec::new(), members)
    }

    /// `<T extends A = B>`.
    pub(super) fn type_params(&self, node: NodeIndex) -> Vec<TypeParam> {
        let Some(list) = self.child(node, Field::TypeParameters) else { return Vec::new() };
        let is_param = |node: &NodeIndex| self.kind(*node) == Kind::TypeParameter;
        self.tree.children(list).filter(is_param).map(|node| self.type_param(node)).collect()
    }

    fn type_param(&self, node: NodeIndex) -> TypeParam {
        let bound = self.child(node, Field::Constraint).map(|bound| self.type_of(bound));
        let bounds = match bound {
            None | Some(TypeExpr::Unknown) => Vec::new(),
            Some(TypeExpr::Dyn(members)) => members,
            Some(bound) => vec![bound],
        };
        TypeParam {
            name: self.child_text(node, Field::Name).into(),
            bounds,
            default: self.child(node, Field::Value).map(|ty| self.type_of(ty)),
        }
    }

    /// An expression that names a type: `extends a.B<C>`.
    pub(super) fn type_of_expression(&self, value: NodeIndex, args: Option<NodeIndex>) -> TypeExpr {
        let args = args.map(|args| self.type_args(args, 1)).unwrap_or_default();
        match self.kind(value) {
            Kind::GenericType => self.type_of(value),
            _ => with_args(self.dotted_type(value), args),
        }
    }
}

/// What calling a value of this type gives.
pub(super) fn result_of(ty: TypeExpr) -> TypeExpr {
    match ty {
        TypeExpr::Function { returns, .. } => returns.map_or(TypeExpr::Unknown, |returns| *returns),
        ty => special(RESULT, vec![ty], Vec::new()),
    }
}

fn special(name: &'static str, args: Vec<TypeExpr>, bindings: Vec<(Name, TypeExpr)>) -> TypeExpr {
    TypeExpr::Path(vec![Segment { name: Name::new_static(name), args, bindings }])
}

fn with_args(ty: TypeExpr, args: Vec<TypeExpr>) -> TypeExpr {
    match ty {
        TypeExpr::Path(mut segments) => {
            if let Some(last) = segments.last_mut() {
                last.args = args;
            }
            TypeExpr::Path(segments)
        }
        other => other,
    }
}

fn predefined(name: &str) -> TypeExpr {
    match name {
        "any" | "unknown" => TypeExpr::Unknown,
        "void" | "undefined" | "null" => TypeExpr::named("undefined"),
        "never" => TypeExpr::Never,
        other => TypeExpr::named(other.split_whitespace().next().unwrap_or(other)),
    }
}

/// The text of a string literal or plain key without its quotes.
pub(super) fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '\'', '`'])
}
