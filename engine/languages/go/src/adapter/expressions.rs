//! Expressions, lowered when their parts are.

use bindery_facts::{
    BindingKind, DeclIndex, DeclKind, Expr, ExprIndex, Literal, Name, ScopeKind, Segment, TypeExpr,
};
use bindery_syntax::{NodeIndex, text::folded};

use super::kinds::{Field, Kind};
use super::reader::Reader;

impl Reader<'_> {
    /// Lowers the expression that a node is.
    pub(super) fn exit_expression(&mut self, node: NodeIndex) {
        let expr = match self.kind(node) {
            Kind::CallExpression => self.call(node),
            Kind::CompositeLiteral => self.construction(node),
            Kind::TypeConversion => self.conversion(node),
            Kind::SelectorExpression => self.selector(node),
            Kind::ParenthesizedExpression | Kind::LiteralElement => {
                self.parts(node).next().map(|inner| self.value(inner))
            }
            // `list...` passes each element.
            Kind::VariadicArgument => self.parts(node).next().map(|inner| {
                let base = self.value(inner);
                self.push(Expr::Index { base, index: None })
            }),
            Kind::UnaryExpression => self.unary(node),
            Kind::BinaryExpression => self.binary(node),
            Kind::IndexExpression => self.index(node),
            Kind::SliceExpression => self.operation(node, "[:]", &[Field::Operand]),
            Kind::TypeAssertion => self.assertion(node),
            Kind::TypeInstantiation => self.instantiation(node),
            Kind::FuncLiteral => self.literal(node),
            Kind::Identifier => return self.note_variable(node),
            _ => return,
        };
        self.memo[node as usize] = expr;
    }

    /// What a node's expression became; names and literals are lowered when they are asked for.
    pub(super) fn value(&mut self, node: NodeIndex) -> ExprIndex {
        if let Some(known) = self.memo[node as usize] {
            return known;
        }
        let expr = self.leaf(node).unwrap_or(Expr::Unknown);
        let index = self.push(expr);
        self.memo[node as usize] = Some(index);
        index
    }

    fn leaf(&self, node: NodeIndex) -> Option<Expr> {
        let (scope, at) = (self.context.scope, self.tree.node(node).start);
        let literal = |literal| Some(Expr::Literal(literal));
        match self.kind(node) {
            Kind::Identifier => Some(Expr::Name { name: Name::from(self.text(node)), scope, at }),
            Kind::StringLiteral | Kind::RawStringLiteral => literal(Literal::String),
            Kind::IntLiteral | Kind::Iota => literal(Literal::Integer),
            Kind::FloatLiteral => literal(Literal::Float),
            Kind::RuneLiteral => literal(Literal::Char),
            Kind::ImaginaryLiteral => literal(Literal::Other),
            Kind::True | Kind::False => literal(Literal::Bool),
            Kind::Nil => literal(Literal::None),
            kind if is_type(kind) => Some(Expr::Cast { base: None, ty: self.types.lower(node), scope, at }),
            _ => None,
        }
    }

    /// `base.name`.
    fn selector(&mut self, node: NodeIndex) -> Option<ExprIndex> {
        let base = self.tree.child(node, Field::Operand)?;
        let name = Name::from(self.text(self.tree.child(node, Field::Member)?));
        let base = self.value(base);
        let expr = self.push(Expr::Member { base, name, type_args: Vec::new() });
        if !self.is_callee(node) {
            self.add_access(node, expr);
        }
        Some(expr)
    }

    fn unary(&mut self, node: NodeIndex) -> Option<ExprIndex> {
        let operand = self.tree.child(node, Field::Operand)?;
        let base = self.value(operand);
        let operator = self.text(node).chars().next().unwrap_or(' ');
        let expr = match operator {
            '*' => Expr::Deref(base),
            '&' => {
                // What its address is taken of may be assigned by whoever has the address.
                self.assign(operand, None);
                Expr::Ref(base)
            }
            '<' => operation("<-", vec![base]),
            '!' => operation("!", vec![base]),
            _ => operation("-", vec![base]),
        };
        Some(self.push(expr))
    }

    fn binary(&mut self, node: NodeIndex) -> Option<ExprIndex> {
        let (left, right) = (self.tree.child(node, Field::Left)?, self.tree.child(node, Field::Right)?);
        let between =
            self.source.get(self.tree.node(left).end as usize..self.tree.node(right).start as usize);
        let operator = operator_in(between.unwrap_or_default());
        let operands = vec![self.value(left), self.value(right)];
        Some(self.push(operation(operator, operands)))
    }

    fn operation(&mut self, node: NodeIndex, operator: &'static str, fields: &[Field]) -> Option<ExprIndex> {
        let operands: Option<Vec<_>> = fields.iter().map(|field| self.tree.child(node, *field)).collect();
        let operands = operands?.into_iter().map(|operand| self.value(operand)).collect();
        Some(self.push(operation(operator, operands)))
    }

    fn index(&mut self, node: NodeIndex) -> Option<ExprIndex> {
        let base = self.tree.child(node, Field::Operand)?;
        let base = self.value(base);
        let index = self.tree.child(node, Field::Index).map(|index| self.value(index));
        Some(self.push(Expr::Index { base, index }))
    }

    fn assertion(&mut self, node: NodeIndex) -> Option<ExprIndex> {
        let base = self.tree.child(node, Field::Operand).map(|operand| self.value(operand));
        let ty = self.types.lower(self.tree.child(node, Field::Type)?);
        let (scope, at) = (self.context.scope, self.tree.node(node).start);
        Some(self.push(Expr::Cast { base, ty, scope, at }))
    }

    /// `f[A, B]` where it is no call: the function, its type arguments written.
    fn instantiation(&mut self, node: NodeIndex) -> Option<ExprIndex> {
        let generic = self.tree.child(node, Field::Type)?;
        let args: Vec<_> = self.parts(node).filter(|part| *part != generic).collect();
        let args = args.into_iter().map(|part| self.types.lower(part)).collect();
        let mut path = self.types.lower(generic);
        if let TypeExpr::Path(segments) = &mut path
            && let Some(last) = segments.last_mut()
        {
            last.args = args;
        }
        let (scope, at) = (self.context.scope, self.tree.node(node).start);
        Some(self.push(Expr::Path { path, scope, at }))
    }

    /// A callee with the type arguments of its call.
    pub(super) fn with_arguments(&mut self, function: NodeIndex, list: NodeIndex) -> ExprIndex {
        let type_args = self.types.arguments(list);
        let expr = match (self.kind(function), self.tree.child(function, Field::Operand)) {
            (Kind::SelectorExpression, Some(base)) => {
                let name = self.tree.child(function, Field::Member).map_or("", |name| self.text(name));
                let base = self.value(base);
                Expr::Member { base, name: Name::from(name), type_args }
            }
            (Kind::Identifier, _) => {
                let name = Name::from(self.text(function));
                let path = TypeExpr::Path(vec![Segment { name, args: type_args, bindings: Vec::new() }]);
                Expr::Path { path, scope: self.context.scope, at: self.tree.node(function).start }
            }
            _ => return self.value(function),
        };
        self.push(expr)
    }

    /// Opens the scope of a function literal; one that is bound to a name is declared.
    pub(super) fn enter_literal(&mut self, node: NodeIndex) {
        let decl = self.declare_literal(node);
        self.open_scope(node, ScopeKind::Closure, decl);
        if decl.is_some() {
            (self.context.owner, self.context.caller) = (decl, decl);
        }
        self.bind_signature(node, 0);
    }

    fn literal(&mut self, node: NodeIndex) -> Option<ExprIndex> {
        let scope = self.context.scope;
        let decl = self.bodies.scopes[scope.0 as usize].decl;
        let at = self.tree.node(node).start;
        let result = self.types.result(node);
        let body = result.map(|ty| self.push(Expr::Cast { base: None, ty, scope, at }));
        Some(self.push(Expr::Closure { scope, decl, body, is_async: false }))
    }

    /// A function literal that a statement gives a name is a declaration; its span is the statement's.
    fn declare_literal(&mut self, node: NodeIndex) -> Option<DeclIndex> {
        let list = self.parent(node);
        let is_listed = self.kind(list) == Kind::ExpressionList;
        let statement = if is_listed { self.parent(list) } else { list };
        let position = self.parts(list).position(|part| part == node).filter(|_| is_listed)?;
        let names = match self.kind(statement) {
            Kind::ShortVarDeclaration | Kind::AssignmentStatement => self.listed(statement, Field::Left),
            Kind::VarSpec => self.fields(statement, Field::Name),
            _ => return None,
        };
        let in_right = matches!(self.field(list), Field::Right | Field::Value);
        let name = *names.get(position).filter(|_| in_right && names.len() == self.parts(list).count())?;
        let is_name = self.kind(name) == Kind::Identifier && self.text(name) != "_";
        let is_assignment = self.kind(statement) == Kind::AssignmentStatement;
        if !is_name || is_assignment && self.binding_of(self.text(name)).is_none() {
            return None;
        }
        let mut draft = self.draft(node, name, DeclKind::Closure, "");
        let head = draft.text.signature.clone();
        let signature = folded(&format!("{} := {head}", self.text(name)));
        draft.text.signature = bindery_syntax::text::signature("", &signature, self.text(name));
        if names.len() == 1 {
            let place = self.tree.node(statement);
            draft.text.line_start = self.lines.line(place.start);
            draft.text.line_end = self.lines.last_line(place.start, place.end);
        }
        let parameters = self.tree.child(node, Field::Parameters);
        draft.decl.params = parameters.map_or(Vec::new(), |list| self.params(list));
        draft.decl.returns = self.types.result(node);
        draft.decl.visibility = bindery_facts::Visibility::Private;
        Some(self.declare(draft))
    }

    /// Whether a name stands for a local variable or parameter here.
    pub(super) fn is_local_name(&self, name: &str) -> bool {
        let is_variable =
            |number: u32| !matches!(self.bodies.bindings[number as usize].kind, BindingKind::Decl(_));
        self.binding_of(name).is_some_and(is_variable)
    }
}

fn operation(operator: &'static str, operands: Vec<ExprIndex>) -> Expr {
    Expr::Operation { operator: Name::new_static(operator), operands }
}

/// The operator between two operands, as far as it decides the type of the result: comparisons and logic
/// give a truth value, shifts what is shifted, everything else what the operands are.
fn operator_in(between: &str) -> &'static str {
    let is_comparison = ["==", "!=", "<=", ">=", "&&", "||"].iter().any(|sign| between.contains(sign));
    if between.contains("<<") || between.contains(">>") {
        "<<"
    } else if is_comparison || between.contains(['<', '>']) {
        "=="
    } else {
        "+"
    }
}

fn is_type(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::TypeIdentifier
            | Kind::QualifiedType
            | Kind::GenericType
            | Kind::PointerType
            | Kind::ArrayType
            | Kind::SliceType
            | Kind::StructType
            | Kind::InterfaceType
            | Kind::MapType
            | Kind::ChannelType
            | Kind::FunctionType
            | Kind::ParenthesizedType
    )
}
