//! Lowering of expressions, after their children.

use bindery_facts::{Expr, ExprIndex, Literal, Segment, TypeExpr};
use bindery_syntax::NodeIndex;

use super::kinds::{Field, Kind};
use super::reader::Reader;
use super::source_text;
use super::types::with_dimensions;
use bindery_syntax::text;

/// The most results of a `switch` or lambda that are kept: they have one type.
const RESULT_LIMIT: usize = 8;

impl Reader<'_> {
    /// Lowers a node that is an expression; leaves others without a value.
    pub(super) fn lower(&mut self, node: NodeIndex) {
        let literal = |literal| Some(Expr::Literal(literal));
        let expr = match self.kind(node) {
            Kind::Identifier => return self.lower_name(node),
            Kind::This => Some(Expr::This { scope: self.info(self.scope(node)).type_scope }),
            Kind::FieldAccess => return self.lower_field_access(node),
            Kind::ArrayAccess => self.lower_array_access(node),
            Kind::ParenthesizedExpression => {
                return self.pass_on(node, self.tree.children(node).next());
            }
            Kind::LambdaExpression => self.lower_lambda(node),
            Kind::MethodReference => self.lower_method_reference(node),
            Kind::CastExpression => self.lower_cast(node),
            Kind::AssignmentExpression => return self.lower_assignment(node),
            Kind::BinaryExpression => self.lower_binary(node),
            Kind::UnaryExpression => self.lower_unary(node),
            Kind::UpdateExpression => return self.lower_update(node),
            Kind::TernaryExpression => self.lower_ternary(node),
            Kind::SwitchExpression => self.lower_switch(node),
            Kind::ArrayCreationExpression => self.lower_array_creation(node),
            Kind::ClassLiteral => self.lower_class_literal(node),
            Kind::DecimalInteger | Kind::HexInteger | Kind::OctalInteger | Kind::BinaryInteger => {
                match self.text(node).ends_with(['l', 'L']) {
                    true => Some(self.of_type(node, TypeExpr::named("long"))),
                    false => literal(Literal::Integer),
                }
            }
            Kind::DecimalFloat | Kind::HexFloat => match self.text(node).ends_with(['f', 'F']) {
                true => Some(self.of_type(node, TypeExpr::named("float"))),
                false => literal(Literal::Float),
            },
            Kind::True | Kind::False => literal(Literal::Bool),
            Kind::Character => literal(Literal::Char),
            Kind::String => literal(Literal::String),
            Kind::Null => literal(Literal::None),
            _ => None,
        };
        if let Some(expr) = expr {
            let index = self.push(expr);
            self.set_value(node, index);
        }
    }

    fn pass_on(&mut self, node: NodeIndex, from: Option<NodeIndex>) {
        if let Some(from) = from {
            let value = self.value(from);
            self.set_value(node, value);
        }
    }

    /// A value of which nothing but its type is known.
    fn of_type(&self, node: NodeIndex, ty: TypeExpr) -> Expr {
        Expr::Cast { base: None, ty, scope: self.scope(node), at: self.start(node) }
    }

    // ---- Names and fields

    fn lower_name(&mut self, node: NodeIndex) {
        let parent = self.kind(self.parent(node));
        let is_part = matches!(self.tree.node(node).field, Field::Name | Field::Member | Field::Parameters)
            || matches!(
                parent,
                Kind::LabeledStatement
                    | Kind::InferredParameters
                    | Kind::TypePattern
                    | Kind::RecordPattern
                    | Kind::RecordPatternComponent
                    | Kind::ReceiverParameter
            )
            || self.is_referenced_method(node);
        if is_part {
            return;
        }
        let name = self.text(node).into();
        let expr = self.push(Expr::Name { name, scope: self.scope(node), at: self.start(node) });
        self.set_value(node, expr);
        self.record_name_read(node, expr);
    }

    /// The identifier behind `::`.
    fn is_referenced_method(&self, node: NodeIndex) -> bool {
        let parent = self.parent(node);
        self.kind(parent) == Kind::MethodReference && self.tree.children(parent).next() != Some(node)
    }

    fn lower_field_access(&mut self, node: NodeIndex) {
        let (Some(object), Some(field)) = (self.child(node, Field::Object), self.child(node, Field::Member))
        else {
            return;
        };
        if self.kind(field) == Kind::This {
            let expr = self.outer_receiver(object, false);
            let index = self.push(expr);
            return self.set_value(node, index);
        }
        let base = self.receiver(node, object);
        let expr = self.push(Expr::Member { base, name: self.text(field).into(), type_args: Vec::new() });
        self.set_value(node, expr);
        self.record_field_read(node, field, expr);
    }

    /// The object of a field access or call: an expression, `super`, or `T.super`.
    pub(super) fn receiver(&mut self, node: NodeIndex, object: NodeIndex) -> ExprIndex {
        if self.kind(object) == Kind::Super {
            let scope = self.info(self.scope(node)).type_scope;
            return self.push(Expr::Super { scope });
        }
        if self.tree.child_of_kind(node, Kind::Super).is_some() {
            let expr = self.outer_receiver(object, true);
            return self.push(expr);
        }
        self.value(object)
    }

    /// `T.this` and `T.super`: the receiver of a class around, or the view of an interface.
    fn outer_receiver(&self, qualifier: NodeIndex, is_super: bool) -> Expr {
        let name = self.text(qualifier);
        let mut scope = self.info(self.scope(qualifier)).type_scope;
        loop {
            let here = &self.bodies.scopes[scope.0 as usize];
            if here.decl.is_some_and(|decl| self.decls[decl.0 as usize].decl.name == name) {
                return if is_super { Expr::Super { scope } } else { Expr::This { scope } };
            }
            match here.parent {
                Some(parent) if scope != bindery_facts::ScopeIndex::FILE => {
                    scope = self.info(parent).type_scope;
                }
                _ => break,
            }
        }
        let path = name.split('.').map(|segment| Segment::plain(segment.trim())).collect();
        self.of_type(qualifier, TypeExpr::Path(path))
    }

    fn lower_array_access(&mut self, node: NodeIndex) -> Option<Expr> {
        let base = self.child(node, Field::Array).map(|base| self.value(base))?;
        let index = self.child(node, Field::Index).map(|index| self.value(index));
        Some(Expr::Index { base, index })
    }

    // ---- Functions as values

    fn lower_lambda(&mut self, node: NodeIndex) -> Option<Expr> {
        let body = self.child(node, Field::Body)?;
        let value = match self.kind(body) {
            Kind::Block => {
                let results = self.lambda_results.remove(&node);
                results.map(|results| self.one_of(results))
            }
            _ => Some(self.value(body)),
        };
        Some(Expr::Closure { scope: self.inner_scope(node), decl: None, body: value, is_async: false })
    }

    /// One of several values.
    fn one_of(&mut self, mut values: Vec<ExprIndex>) -> ExprIndex {
        values.truncate(RESULT_LIMIT);
        match values.as_slice() {
            [only] => *only,
            _ => self.push(Expr::Join(values)),
        }
    }

    /// `T::f`, `x::f`, `super::f`, `T::new`: a closure without parameters of its own, in the file's scope.
    fn lower_method_reference(&mut self, node: NodeIndex) -> Option<Expr> {
        let object = self.tree.children(node).next()?;
        let last = self.tree.children(node).last()?;
        let (scope, at) = (self.scope(node), self.start(node));
        let written = || if self.kind(object).is_type() { Some(self.type_expr(object)) } else { None };
        let body = if self.kind(last) == Kind::New {
            let ty = written().unwrap_or_else(|| self.named_type(object));
            match ty {
                TypeExpr::Path(_) => self.push(Expr::New { ty, args: Vec::new(), scope, at }),
                _ => self.push(Expr::Cast { base: None, ty, scope, at }),
            }
        } else {
            let base = match written() {
                Some(path @ TypeExpr::Path(_)) => self.push(Expr::Path { path, scope, at }),
                Some(_) => ExprIndex(0),
                None => self.receiver(node, object),
            };
            let name = self.text(last).into();
            let callee = self.push(Expr::Member { base, name, type_args: Vec::new() });
            self.push(Expr::Call { callee, args: Vec::new(), keywords: vec!["::".into()] })
        };
        let scope = bindery_facts::ScopeIndex::FILE;
        Some(Expr::Closure { scope, decl: None, body: Some(body), is_async: false })
    }

    /// An expression that names a type, as a written type.
    fn named_type(&self, node: NodeIndex) -> TypeExpr {
        let text = self.text(node);
        if text.contains(['(', '"', '[']) {
            return TypeExpr::Unknown;
        }
        TypeExpr::Path(text.split('.').map(|segment| Segment::plain(segment.trim())).collect())
    }

    // ---- Operators

    fn lower_cast(&mut self, node: NodeIndex) -> Option<Expr> {
        let ty = self.child(node, Field::Type).map(|ty| self.type_expr(ty))?;
        if let Some(value) = self.child(node, Field::Value) {
            self.give_type(value, ty.clone());
        }
        Some(self.of_type(node, ty))
    }

    fn lower_assignment(&mut self, node: NodeIndex) {
        let Some(left) = self.child(node, Field::Left) else { return };
        let right = self.child(node, Field::Right);
        if let Some(lambda) = right.filter(|right| self.kind(*right) == Kind::LambdaExpression) {
            let expected = self.value(left);
            self.fill_lambda(lambda, expected, 0);
        }
        let operator = self.operator(self.end(left), right.map_or(self.end(node), |right| self.start(right)));
        self.mark_written(left, operator != "=");
        self.pass_on(node, Some(left));
    }

    fn lower_update(&mut self, node: NodeIndex) {
        let operand = self.tree.children(node).next();
        if let Some(operand) = operand {
            self.mark_written(operand, true);
        }
        self.pass_on(node, operand);
    }

    /// The operator in the source between two places.
    fn operator(&self, from: u32, to: u32) -> String {
        text::folded_with(self.source, from..to, &source_text::comments(self.source, from..to))
    }

    fn lower_binary(&mut self, node: NodeIndex) -> Option<Expr> {
        let (left, right) = (self.child(node, Field::Left)?, self.child(node, Field::Right)?);
        let operator = self.operator(self.end(left), self.start(right));
        Some(match operator.as_str() {
            "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||" => Expr::Literal(Literal::Bool),
            _ => Expr::Operation {
                operator: operator.into(),
                operands: vec![self.value(left), self.value(right)],
            },
        })
    }

    fn lower_unary(&mut self, node: NodeIndex) -> Option<Expr> {
        let operand = self.child(node, Field::Operand)?;
        let operator = self.operator(self.start(node), self.start(operand));
        Some(match operator.as_str() {
            "!" => Expr::Literal(Literal::Bool),
            _ => Expr::Operation { operator: operator.into(), operands: vec![self.value(operand)] },
        })
    }

    fn lower_ternary(&mut self, node: NodeIndex) -> Option<Expr> {
        let consequence = self.child(node, Field::Consequence)?;
        let alternative = self.child(node, Field::Alternative)?;
        Some(Expr::Join(vec![self.value(consequence), self.value(alternative)]))
    }

    fn lower_switch(&mut self, node: NodeIndex) -> Option<Expr> {
        let mut results = self.switch_results.remove(&node)?;
        results.truncate(RESULT_LIMIT);
        Some(Expr::Join(results))
    }

    fn lower_array_creation(&mut self, node: NodeIndex) -> Option<Expr> {
        let element = self.child(node, Field::Type).map(|ty| self.type_expr(ty))?;
        let parts = self.tree.children(node);
        let count: usize = parts
            .map(|part| match self.kind(part) {
                Kind::DimensionsExpr => 1,
                Kind::Dimensions => self.text(part).bytes().filter(|byte| *byte == b'[').count(),
                _ => 0,
            })
            .sum();
        Some(self.of_type(node, with_dimensions(element, count)))
    }

    fn lower_class_literal(&mut self, node: NodeIndex) -> Option<Expr> {
        let ty = self.tree.children(node).next().map(|ty| self.type_expr(ty))?;
        let class = Segment { args: vec![ty], ..Segment::plain("Class") };
        Some(self.of_type(node, TypeExpr::Path(vec![class])))
    }
}
