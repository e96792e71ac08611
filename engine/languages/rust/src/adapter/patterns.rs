//! What patterns bind.

use bindery_facts::{BindingKind, Expr, ExprIndex, Name};
use bindery_syntax::NodeIndex;

use super::kinds::{Field, Kind};
use super::reader::Reader;
use super::types::plain_name;

/// A variant's path is copied for each of its fields, so a larger one is left unknown.
const MAX_PATH_NODES: usize = 100;

impl Reader<'_> {
    /// Binds the names of a pattern in the current scope, from byte `at` on, as parts of `base`.
    ///
    /// Of alternatives (`A(x) | B(x)`) the first is read: the language has them bind the same names to
    /// the same types.
    pub(super) fn bind_pattern(&mut self, pattern: NodeIndex, base: ExprIndex, at: u32) {
        let mut open = vec![(pattern, base)];
        while let Some((pattern, base)) = open.pop() {
            let first_new = open.len();
            match self.kind(pattern) {
                Kind::Identifier | Kind::ShorthandFieldIdentifier => self.bind_name(pattern, base, at),
                Kind::RefPattern => {
                    let base = self.push(Expr::Ref(base));
                    open.extend(self.last_part(pattern).map(|inner| (inner, base)));
                }
                Kind::ReferencePattern => {
                    let base = self.push(Expr::Deref(base));
                    open.extend(self.last_part(pattern).map(|inner| (inner, base)));
                }
                Kind::MutPattern => open.extend(self.last_part(pattern).map(|inner| (inner, base))),
                Kind::CapturedPattern => open.extend(self.parts(pattern).map(|inner| (inner, base))),
                Kind::OrPattern => open.extend(self.parts(pattern).next().map(|inner| (inner, base))),
                Kind::TuplePattern => self.open_tuple(pattern, base, &mut open),
                Kind::SlicePattern => self.open_slice(pattern, base, &mut open),
                Kind::TupleStructPattern | Kind::StructPattern => self.open_variant(pattern, base, &mut open),
                _ => {}
            }
            // The stack gives the last first; parts are bound in the order of the source.
            open[first_new..].reverse();
        }
    }

    fn bind_name(&mut self, node: NodeIndex, base: ExprIndex, at: u32) {
        let name = plain_name(self.text(node));
        if !name.starts_with(char::is_uppercase) {
            self.bind(name, at, BindingKind::Local, None, Some(base));
        }
    }

    fn last_part(&self, node: NodeIndex) -> Option<NodeIndex> {
        self.parts(node).filter(|part| self.kind(*part) != Kind::MutableSpecifier).last()
    }

    /// The position of each part; none behind a `..`, where it cannot be counted from the front.
    fn positions(&self, pattern: NodeIndex) -> Vec<(NodeIndex, Option<u32>)> {
        let mut position = Some(0);
        let mut parts = Vec::new();
        for part in self.parts(pattern).filter(|part| self.tree.node(*part).field != Field::Type) {
            parts.push((part, position));
            let is_rest = self.kind(part) == Kind::RemainingFieldPattern;
            position = position.filter(|_| !is_rest).map(|position| position + 1);
        }
        parts
    }

    fn open_tuple(&mut self, pattern: NodeIndex, base: ExprIndex, open: &mut Vec<(NodeIndex, ExprIndex)>) {
        for (part, position) in self.positions(pattern) {
            let item = match position {
                Some(index) => Expr::TupleItem { base, index },
                None => Expr::Unknown,
            };
            let item = self.push(item);
            open.push((part, item));
        }
    }

    fn open_slice(&mut self, pattern: NodeIndex, base: ExprIndex, open: &mut Vec<(NodeIndex, ExprIndex)>) {
        let element = self.push(Expr::Element { base, is_async: false });
        for part in self.parts(pattern) {
            let is_rest = self.kind(part) == Kind::CapturedPattern
                && self.last_part(part).is_some_and(|part| self.kind(part) == Kind::RemainingFieldPattern);
            open.push((part, if is_rest { base } else { element }));
        }
    }

    fn open_variant(&mut self, pattern: NodeIndex, base: ExprIndex, open: &mut Vec<(NodeIndex, ExprIndex)>) {
        let Some(path) = self.tree.child(pattern, Field::Type) else { return };
        let (variant, at) = (self.types.lower_small(path, MAX_PATH_NODES), self.tree.node(path).start);
        let scope = self.context.scope;
        for (part, position) in self.positions(pattern) {
            let (inner, field) = if self.kind(part) == Kind::FieldPattern {
                let Some(name) = self.tree.child(part, Field::Name) else { continue };
                (self.tree.child(part, Field::Pattern).unwrap_or(name), Some(plain_name(self.text(name))))
            } else {
                (part, position.map(|position| Name::from(position.to_string())))
            };
            let value = match field {
                Some(field) => Expr::VariantField { base, variant: variant.clone(), field, scope, at },
                None => Expr::Unknown,
            };
            let value = self.push(value);
            open.push((inner, value));
        }
    }

    /// Binds a parameter or `let`: a plain name as `kind`, a pattern's names as parts of it.
    pub(super) fn bind_declared(
        &mut self,
        pattern: NodeIndex,
        kind: BindingKind,
        ty: Option<NodeIndex>,
        value: Option<ExprIndex>,
        at: u32,
    ) {
        let written = ty.map(|node| self.types.lower(node));
        if let Some(name) = self.plain_pattern(pattern) {
            if !name.starts_with(char::is_uppercase) {
                self.bind(name, at, kind, written, value);
            }
            return;
        }
        let base = match (written, value) {
            (Some(ty), base) => self.push(Expr::Cast { base, ty, scope: self.context.scope, at }),
            (None, Some(value)) => value,
            (None, None) => self.push(Expr::Unknown),
        };
        self.bind_pattern(pattern, base, at);
    }

    /// The name of a pattern that is nothing but a name, `mut` apart.
    pub(super) fn plain_pattern(&self, pattern: NodeIndex) -> Option<Name> {
        let inner = match self.kind(pattern) {
            Kind::MutPattern => self.last_part(pattern)?,
            _ => pattern,
        };
        matches!(self.kind(inner), Kind::Identifier | Kind::SelfWord).then(|| plain_name(self.text(inner)))
    }
}
