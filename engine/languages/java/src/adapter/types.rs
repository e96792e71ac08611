//! Written types.

use bindery_facts::{Segment, TypeExpr};
use bindery_syntax::NodeIndex;

use super::kinds::{Field, Kind};
use super::reader::Reader;

/// The deepest nesting of types that is read.
const DEPTH_LIMIT: u32 = 24;

impl Reader<'_> {
    /// A written type; primitive types are names, `void` is the empty tuple, `var` and `?` are unknown.
    pub(super) fn type_expr(&self, node: NodeIndex) -> TypeExpr {
        self.nested_type(node, 0)
    }

    /// The types among a node's children.
    pub(super) fn types_in(&self, node: NodeIndex) -> Vec<TypeExpr> {
        let types = self.tree.children(node).filter(|child| self.kind(*child).is_type());
        types.map(|ty| self.type_expr(ty)).collect()
    }

    /// The type that `node` declares for `declarator`, whose name may carry dimensions of its own; none
    /// for `var`.
    pub(super) fn declared_type(&self, node: NodeIndex, declarator: NodeIndex) -> Option<TypeExpr> {
        let written = self
            .child(node, Field::Type)
            .or_else(|| self.tree.children(node).find(|child| self.kind(*child).is_type()))?;
        if self.text(written) == "var" {
            return None;
        }
        let ty = self.type_expr(written);
        Some(with_dimensions(ty, self.dimensions(declarator)))
    }

    fn dimensions(&self, node: NodeIndex) -> usize {
        let text = self.child_text(node, Field::Dimensions);
        text.bytes().filter(|byte| *byte == b'[').count()
    }

    fn nested_type(&self, node: NodeIndex, depth: u32) -> TypeExpr {
        if depth > DEPTH_LIMIT {
            return TypeExpr::Unknown;
        }
        match self.kind(node) {
            Kind::IntegralType | Kind::FloatingPointType | Kind::BooleanType => {
                TypeExpr::named(self.text(node))
            }
            Kind::VoidType => TypeExpr::Tuple(Vec::new()),
            Kind::TypeIdentifier | Kind::Identifier => TypeExpr::named(self.text(node)),
            Kind::ScopedTypeIdentifier | Kind::GenericType => {
                self.path(node, depth).map_or(TypeExpr::Unknown, TypeExpr::Path)
            }
            Kind::ArrayType => {
                let element = self.child(node, Field::Element);
                let element = element.map_or(TypeExpr::Unknown, |inner| self.nested_type(inner, depth + 1));
                with_dimensions(element, self.dimensions(node))
            }
            Kind::AnnotatedType | Kind::Wildcard => {
                // `? extends T` and `? super T` as `T`.
                let inner = self.tree.children(node).find(|child| self.kind(*child).is_type());
                inner.map_or(TypeExpr::Unknown, |inner| self.nested_type(inner, depth + 1))
            }
            _ => TypeExpr::Unknown,
        }
    }

    /// The segments of a qualified or generic type, outermost first.
    fn path(&self, node: NodeIndex, depth: u32) -> Option<Vec<Segment>> {
        let mut parts: Vec<(NodeIndex, Option<NodeIndex>)> = Vec::new();
        let mut at = node;
        let mut args = None;
        loop {
            match self.kind(at) {
                Kind::GenericType => {
                    args = self.tree.child_of_kind(at, Kind::TypeArguments);
                    at = self.tree.children(at).next()?;
                }
                Kind::ScopedTypeIdentifier => {
                    let last = self.tree.children(at).filter(|child| self.kind(*child).is_type()).last()?;
                    parts.push((last, args.take()));
                    at = self.tree.children(at).next()?;
                }
                _ => {
                    parts.push((at, args.take()));
                    break;
                }
            }
        }
        parts.reverse();
        let segments = parts.into_iter().map(|(name, args)| Segment {
            name: self.text(name).into(),
            args: args.map(|args| self.type_args(args, depth)).unwrap_or_default(),
            bindings: Vec::new(),
        });
        Some(segments.collect())
    }

    fn type_args(&self, list: NodeIndex, depth: u32) -> Vec<TypeExpr> {
        let args = self.tree.children(list).filter(|child| !self.kind(*child).is_annotation());
        args.map(|arg| self.nested_type(arg, depth + 1)).collect()
    }

    /// The type arguments of a call (`this.<T>f()`).
    pub(super) fn call_type_args(&self, call: NodeIndex) -> Vec<TypeExpr> {
        self.child(call, Field::TypeArguments).map(|list| self.type_args(list, 0)).unwrap_or_default()
    }
}

pub(super) fn with_dimensions(ty: TypeExpr, count: usize) -> TypeExpr {
    // No array has more than 255 dimensions (JVMS 4.3.2).
    (0..count.min(255)).fold(ty, |ty, _| TypeExpr::Slice(Box::new(ty)))
}
