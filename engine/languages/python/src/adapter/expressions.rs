//! Lowering of expressions, after their children.

use bindery_facts::{BindingKind, Expr, ExprIndex, Literal, ScopeIndex, SequenceKind, TypeExpr};
use bindery_syntax::NodeIndex;

use super::kinds::{Field, Kind, unparenthesized};
use super::reader::Reader;
use super::statements::Assigned;
use super::strings;
use super::type_text::type_expr;

/// The most items of a display that are kept: what they have in common shows in the first few.
const ITEM_LIMIT: usize = 8;
/// The most items of a tuple display that are kept.
const TUPLE_LIMIT: usize = 24;

impl Reader<'_> {
    /// Lowers a node that is an expression; leaves others without a value.
    pub(super) fn lower(&mut self, node: NodeIndex) {
        let literal = |literal| Some(Expr::Literal(literal));
        let expr = match self.kind(node) {
            Kind::Identifier => return self.lower_name(node),
            Kind::Attribute => return self.lower_attribute(node),
            Kind::Call => return self.close_site(node),
            Kind::ParenthesizedExpression | Kind::Interpolation => {
                return self.pass_on(node, self.tree.children(node).next());
            }
            Kind::KeywordArgument => return self.pass_on(node, self.child(node, Field::Value)),
            Kind::AsPattern => return self.pass_on(node, self.tree.children(node).next()),
            Kind::Subscript => self.lower_subscript(node),
            Kind::Slice => Some(Expr::Range(None)),
            Kind::Await => self.tree.children(node).next().map(|base| Expr::Await(self.value(base))),
            Kind::Lambda => self.lower_lambda(node),
            Kind::ConditionalExpression => self.lower_conditional(node),
            Kind::BooleanOperator => return self.lower_boolean(node),
            Kind::NotOperator | Kind::ComparisonOperator | Kind::True | Kind::False => literal(Literal::Bool),
            Kind::BinaryOperator => self.lower_binary(node),
            Kind::UnaryOperator => return self.pass_on(node, self.tree.children(node).next()),
            Kind::List => self.lower_sequence(node, SequenceKind::List),
            Kind::Set => self.lower_sequence(node, SequenceKind::Set),
            Kind::Tuple | Kind::ExpressionList => self.lower_tuple(node),
            Kind::Dictionary | Kind::DictionaryComprehension => self.lower_mapping(node),
            Kind::ListComprehension => self.lower_comprehension(node, SequenceKind::List),
            Kind::SetComprehension => self.lower_comprehension(node, SequenceKind::Set),
            Kind::GeneratorExpression => self.lower_comprehension(node, SequenceKind::Generator),
            Kind::String | Kind::ConcatenatedString => self.lower_string(node),
            Kind::Integer => literal(Literal::Integer),
            Kind::Float => literal(Literal::Float),
            Kind::None => literal(Literal::None),
            Kind::Ellipsis => literal(Literal::Other),
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

    /// The expressions of a node's children, at most `limit`.
    fn values(&self, node: NodeIndex, limit: usize) -> Vec<ExprIndex> {
        self.tree.children(node).take(limit).map(|child| self.value(child)).collect()
    }

    fn lower_name(&mut self, node: NodeIndex) {
        let parent = self.parent(node);
        match (self.tree.node(node).field, self.kind(parent)) {
            // Parts of other nodes, no expressions of their own.
            (Field::Attribute | Field::Alias, _) => return,
            (Field::Name, kind) if kind != Kind::NamedExpression => return,
            (_, Kind::DottedName) => return,
            _ => {}
        }
        let name = self.text(node).into();
        let expr = self.push(Expr::Name { name, scope: self.scope(node), at: self.start(node) });
        self.set_value(node, expr);
        self.record_name_read(node, expr);
    }

    fn lower_attribute(&mut self, node: NodeIndex) {
        let (Some(object), Some(attribute)) =
            (self.child(node, Field::Object), self.child(node, Field::Attribute))
        else {
            return;
        };
        let (base, name) = (self.value(object), self.text(attribute).into());
        let expr = self.push(Expr::Member { base, name, type_args: Vec::new() });
        self.set_value(node, expr);
        self.record_attribute_read(node, attribute, expr);
    }

    fn lower_subscript(&mut self, node: NodeIndex) -> Option<Expr> {
        let base = self.child(node, Field::Value).map(|base| self.value(base))?;
        let mut subscripts =
            self.tree.children(node).filter(|child| self.tree.node(*child).field == Field::Subscript);
        let index = subscripts.next().map(|index| self.value(index)).filter(|_| subscripts.next().is_none());
        Some(Expr::Index { base, index })
    }

    fn lower_lambda(&mut self, node: NodeIndex) -> Option<Expr> {
        let scope = self.inner_scopes.get(&node).copied()?;
        let decl = self.bodies.scopes[scope.0 as usize].decl;
        let body = self.child(node, Field::Body).map(|body| self.value(body));
        if let (Some(decl), Some(body)) = (decl, body) {
            self.decls[decl.0 as usize].returned.push(body);
        }
        Some(Expr::Closure { scope, decl, body, is_async: false })
    }

    fn lower_conditional(&mut self, node: NodeIndex) -> Option<Expr> {
        let parts = self.values(node, 3);
        (parts.len() == 3).then(|| Expr::Join(vec![parts[0], parts[2]]))
    }

    /// `a or b` is one of the two. `a and b` is `b`, or an `a` that is false and so hardly ever
    /// what a member is asked of.
    fn lower_boolean(&mut self, node: NodeIndex) {
        let (Some(left), Some(right)) = (self.child(node, Field::Left), self.child(node, Field::Right))
        else {
            return;
        };
        if super::narrowing::is_and(self.tree, self.source, node) {
            return self.pass_on(node, Some(right));
        }
        let join = Expr::Join(vec![self.value(left), self.value(right)]);
        let index = self.push(join);
        self.set_value(node, index);
    }

    fn lower_binary(&mut self, node: NodeIndex) -> Option<Expr> {
        let (left, right) = (self.child(node, Field::Left)?, self.child(node, Field::Right)?);
        let operator =
            self.between(self.end(left), self.start(right)).trim_matches(|c: char| !is_operator(c));
        Some(Expr::Operation {
            operator: operator.into(),
            operands: vec![self.value(left), self.value(right)],
        })
    }

    /// A display; one with an unpacked part says nothing of its items.
    fn lower_sequence(&mut self, node: NodeIndex, kind: SequenceKind) -> Option<Expr> {
        let is_open =
            self.tree.children(node).take(ITEM_LIMIT).any(|item| self.kind(item) == Kind::ListSplat);
        let items = if is_open { vec![ExprIndex(0)] } else { self.values(node, ITEM_LIMIT) };
        Some(Expr::Sequence { kind, items })
    }

    fn lower_tuple(&mut self, node: NodeIndex) -> Option<Expr> {
        let is_open =
            self.tree.children(node).take(TUPLE_LIMIT).any(|item| self.kind(item) == Kind::ListSplat);
        (!is_open).then(|| Expr::Tuple(self.values(node, TUPLE_LIMIT)))
    }

    fn lower_mapping(&mut self, node: NodeIndex) -> Option<Expr> {
        let first = self.tree.children(node).next();
        let pair = first.filter(|first| self.kind(*first) == Kind::Pair);
        let part = |field| pair.and_then(|pair| self.child(pair, field)).map(|part| self.value(part));
        Some(Expr::Mapping { key: part(Field::Key), value: part(Field::Value) })
    }

    fn lower_comprehension(&mut self, node: NodeIndex, kind: SequenceKind) -> Option<Expr> {
        let body = self.child(node, Field::Body).map(|body| self.value(body))?;
        Some(Expr::Sequence { kind, items: vec![body] })
    }

    fn lower_string(&mut self, node: NodeIndex) -> Option<Expr> {
        let first =
            if self.kind(node) == Kind::String { Some(node) } else { self.tree.children(node).next() };
        let text = first.map(|first| self.text(first)).unwrap_or_default();
        let prefix = &text[..text.find(['"', '\'']).unwrap_or(0)];
        let is_bytes = prefix.contains(['b', 'B']);
        Some(Expr::Literal(if is_bytes { Literal::Bytes } else { Literal::String }))
    }

    // ---- Calls whose value is more than their callee's result

    /// What a call is worth where the language gives that callee a meaning of its own.
    pub(super) fn special_value(&mut self, call: NodeIndex, scope: ScopeIndex) -> Option<Expr> {
        let callee = self.callee(call)?;
        let arguments = self.child(call, Field::Arguments)?;
        match self.text(callee) {
            "super" => self.is_plain_super(arguments, scope).then_some(Expr::Super { scope }),
            "cast" | "typing.cast" | "t.cast" | "typing_extensions.cast" => self.cast(arguments, scope),
            _ => None,
        }
    }

    /// `super()`, or the long form that names the class around it.
    fn is_plain_super(&self, arguments: NodeIndex, scope: ScopeIndex) -> bool {
        let Some(first) = self.tree.children(arguments).next() else { return true };
        let class = self.info(scope).receiver.as_ref().map(|receiver| receiver.class);
        class.is_some_and(|class| self.decls[class.0 as usize].decl.name == self.text(first))
    }

    fn cast(&mut self, arguments: NodeIndex, scope: ScopeIndex) -> Option<Expr> {
        let mut arguments = self.tree.children(arguments);
        let (ty, base) = (arguments.next()?, arguments.next()?);
        let ty = type_expr(self.text(ty));
        let at = self.start(base);
        (ty != TypeExpr::Unknown).then(|| Expr::Cast { base: Some(self.value(base)), ty, scope, at })
    }

    /// The bound of a type variable may be a string; it is lowered to the type it names.
    pub(super) fn keyword_value(&mut self, argument: NodeIndex, callee: NodeIndex) -> ExprIndex {
        let value = self.child(argument, Field::Value).map(|value| unparenthesized(self.tree, value));
        let is_bound =
            self.child_text(argument, Field::Name) == "bound" && self.text(callee).ends_with("TypeVar");
        match value {
            Some(value) if is_bound && self.kind(value) == Kind::String => {
                let path = type_expr(&strings::content(self.text(value)));
                self.push(Expr::Path { path, scope: ScopeIndex::FILE, at: self.start(value) })
            }
            _ => self.value(argument),
        }
    }

    // ---- Patterns of `match`

    /// Binds what the patterns of a case bind: `case Point(x=0) as point`, `case other`.
    pub(super) fn read_case_pattern(&mut self, node: NodeIndex) {
        if self.kind(self.parent(node)) != Kind::CaseClause {
            return;
        }
        let scope = self.scope(node);
        let at = self.end(node);
        let mut open = vec![(node, None::<TypeExpr>)];
        while let Some((pattern, ty)) = open.pop() {
            match self.kind(pattern) {
                Kind::AsPattern => self.bind_as_pattern(pattern, &mut open, scope, at),
                Kind::DottedName | Kind::Identifier => self.capture(pattern, ty, scope, at),
                Kind::ClassPattern => {
                    open.extend(self.tree.children(pattern).skip(1).map(|inner| (inner, None)))
                }
                Kind::KeywordPattern => {
                    open.extend(self.tree.children(pattern).skip(1).map(|inner| (inner, None)));
                }
                _ => open.extend(self.tree.children(pattern).map(|inner| (inner, None))),
            }
        }
        self.narrow_subject(node, scope);
    }

    fn bind_as_pattern(
        &mut self,
        pattern: NodeIndex,
        open: &mut Vec<(NodeIndex, Option<TypeExpr>)>,
        scope: ScopeIndex,
        at: u32,
    ) {
        let mut parts = self.tree.children(pattern);
        let (Some(inner), Some(name)) = (parts.next(), parts.next()) else { return };
        let ty = self.class_of_pattern(inner);
        open.push((inner, None));
        self.capture(name, ty, scope, at);
    }

    fn capture(&mut self, name: NodeIndex, ty: Option<TypeExpr>, scope: ScopeIndex, at: u32) {
        let text = self.text(name);
        if text == "_" || text.contains('.') {
            return;
        }
        let value = ty.map(|ty| self.push(Expr::Cast { base: None, ty, scope, at }));
        self.assign_plain(text, Assigned { value, ty: None, scope, at, is_change: false });
    }

    fn assign_plain(&mut self, name: &str, assigned: Assigned) {
        let kind = if assigned.value.is_some() { BindingKind::Local } else { BindingKind::Opaque };
        self.bind_value(assigned.scope, name, assigned.at, kind, None, assigned.value);
    }

    /// The class that a class pattern, under any parentheses, tests for.
    fn class_of_pattern(&self, mut pattern: NodeIndex) -> Option<TypeExpr> {
        while matches!(self.kind(pattern), Kind::CasePattern | Kind::AsPattern) {
            pattern = self.tree.children(pattern).next()?;
        }
        let class =
            self.tree.children(pattern).next().filter(|_| self.kind(pattern) == Kind::ClassPattern)?;
        Some(type_expr(self.text(class)))
    }

    /// `match x: case Point(): …` proves the type of `x`.
    fn narrow_subject(&mut self, pattern: NodeIndex, scope: ScopeIndex) {
        let statement = self.parent(self.parent(self.parent(pattern)));
        let subject = self.child(statement, Field::Subject);
        let subject = subject.and_then(|subject| super::kinds::dotted_text(self.tree, subject, self.source));
        if let (Some(subject), Some(ty)) = (subject, self.class_of_pattern(pattern)) {
            let at = self.end(pattern);
            self.bind_value(scope, subject, at, BindingKind::Narrow, Some(ty), None);
        }
    }
}

fn is_operator(c: char) -> bool {
    "+-*/%@&|^<>".contains(c)
}
