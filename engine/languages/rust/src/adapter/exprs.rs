//! Expressions and scopes inside bodies.

use bindery_facts::{
    BindingKind, Decl, DeclIndex, DeclKind, Expr, ExprIndex, Exprs, Literal, Name, Param, ParamKind,
    ScopeIndex, ScopeKind, SequenceKind, TypeExpr,
};
use bindery_syntax::{NodeIndex, text::folded};

use super::attributes::Before;
use super::kinds::{Field, Kind};
use super::macros::last_segment;
use super::reader::{Lowered, Reader};
use super::types::plain_name;

/// Macros that never give a value.
const DIVERGING_MACROS: &[&str] = &["bail", "compile_error", "panic", "todo", "unimplemented", "unreachable"];
/// The suffixes of numbers.
const NUMBER_TYPES: &[&str] =
    &["u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "u128", "i128", "isize", "usize", "f32", "f64"];
/// A `break` is followed to its loop through this many nodes; real code nests less.
const MAX_BREAK_DEPTH: usize = 200;
/// A closure's value is kept with its declaration up to this many expressions.
const RESULT_LIMIT: usize = 32;

impl Reader<'_> {
    /// Opens the scopes of bodies and binds what is known before the children.
    pub(super) fn enter_body_part(&mut self, node: NodeIndex, kind: Kind) {
        match kind {
            Kind::ClosureExpression => self.enter_closure(node),
            Kind::AsyncBlock => self.open_scope(node, ScopeKind::Closure, None),
            Kind::MatchArm => self.enter_match_arm(node),
            Kind::ForExpression => self.open_scope(node, ScopeKind::Block, None),
            Kind::IfExpression | Kind::WhileExpression if self.has_let_condition(node) => {
                self.open_scope(node, ScopeKind::Block, None);
            }
            Kind::ElseClause => self.leave_if_scope(node),
            Kind::Block => self.enter_block(node),
            _ => {}
        }
    }

    fn enter_block(&mut self, node: NodeIndex) {
        let parent = self.parent(node);
        match self.kind(parent) {
            // These have a scope of their own that holds the parameters.
            Kind::FunctionItem | Kind::ClosureExpression | Kind::AsyncBlock => {}
            Kind::ForExpression => {
                self.bind_loop_variable(parent, self.tree.node(node).start);
                self.open_scope(node, ScopeKind::Block, None);
            }
            _ => self.open_scope(node, ScopeKind::Block, None),
        }
    }

    fn bind_loop_variable(&mut self, node: NodeIndex, at: u32) {
        let (Some(pattern), Some(value)) =
            (self.tree.child(node, Field::Pattern), self.tree.child(node, Field::Value))
        else {
            return;
        };
        let base = self.value(value);
        let element = self.push(Expr::Element { base, is_async: false });
        self.bind_pattern(pattern, element, at);
    }

    fn has_let_condition(&self, node: NodeIndex) -> bool {
        let condition = self.tree.child(node, Field::Condition).map(|condition| self.kind(condition));
        matches!(condition, Some(Kind::LetCondition | Kind::LetChain))
    }

    /// Names bound by `if let` do not reach into `else`.
    fn leave_if_scope(&mut self, node: NodeIndex) {
        if self.has_let_condition(self.parent(node)) {
            self.save_context(node);
            let scope = &self.bodies.scopes[self.context.scope.0 as usize];
            self.context.scope = scope.parent.expect("the scope of an `if let` was opened inside another");
        }
    }

    fn enter_match_arm(&mut self, node: NodeIndex) {
        self.open_scope(node, ScopeKind::Block, None);
        let matched = self.tree.child(self.parent(self.parent(node)), Field::Value);
        let pattern = self.tree.child(node, Field::Pattern).and_then(|pattern| self.parts(pattern).next());
        if let (Some(matched), Some(pattern)) = (matched, pattern) {
            let base = self.value(matched);
            self.bind_pattern(pattern, base, self.tree.node(pattern).start);
        }
    }

    fn enter_closure(&mut self, node: NodeIndex) {
        let decl = self.declare_closure(node);
        let call = self.argument_position(node);
        self.open_scope(node, ScopeKind::Closure, decl);
        if let Some(index) = decl {
            self.enter_decl(index);
            self.context.caller = Some(index);
        }
        let Some(list) = self.tree.child(node, Field::Parameters) else { return };
        let params: Vec<_> = self.parts(list).collect();
        for (position, param) in params.into_iter().enumerate() {
            let is_typed = self.kind(param) == Kind::Parameter;
            let pattern = if is_typed { self.tree.child(param, Field::Pattern) } else { Some(param) };
            let ty = if is_typed { self.tree.child(param, Field::Type) } else { None };
            let position = position as u32;
            let value = call.filter(|_| ty.is_none());
            let value = value.map(|(call, arg)| self.push(Expr::ClosureParam { call, arg, param: position }));
            if let Some(pattern) = pattern {
                self.bind_declared(
                    pattern,
                    BindingKind::Param(position),
                    ty,
                    value,
                    self.tree.node(param).start,
                );
            }
        }
    }

    /// The callee of the call that a closure is an argument of, and which argument it is.
    fn argument_position(&mut self, node: NodeIndex) -> Option<(ExprIndex, u32)> {
        let list = self.parent(node);
        let call = self.parent(list);
        if self.kind(list) != Kind::Arguments || self.kind(call) != Kind::CallExpression {
            return None;
        }
        let position = self.position_in(list, node);
        let callee = self.tree.child(call, Field::Function)?;
        Some((self.value(callee), position))
    }

    /// Which of the parts of `list` the part `node` is. The walk asks in order, so the search goes on
    /// where it ended.
    fn position_in(&mut self, list: NodeIndex, node: NodeIndex) -> u32 {
        let (mut next, mut position) = self.searched.get(&list).copied().unwrap_or((list + 1, 0));
        while next < node {
            position += u32::from(!self.kind(next).is_trivia());
            next = self.tree.node(next).after;
        }
        self.searched.insert(list, (next, position));
        position
    }

    /// A closure that `let` binds to a name is a declaration; its span is the whole statement.
    fn declare_closure(&mut self, node: NodeIndex) -> Option<DeclIndex> {
        let statement = self.parent(node);
        if self.kind(statement) != Kind::LetDeclaration || self.tree.node(node).field != Field::Value {
            return None;
        }
        let pattern = self.tree.child(statement, Field::Pattern)?;
        self.plain_pattern(pattern)?;
        let mut draft = self.draft(node, pattern, DeclKind::Closure, &Before::default());
        draft.text.line_start = self.lines.line(self.tree.node(statement).start);
        draft.text.line_end =
            self.lines.last_line(self.tree.node(statement).start, self.tree.node(statement).end);
        let (from, to) = (self.tree.node(statement).start as usize, self.tree.node(node).start as usize);
        let binding = self.source.get(from..to).unwrap_or_default();
        draft.text.signature = bindery_syntax::text::signature(
            "",
            &folded(&format!("{binding}{}", draft.text.signature)),
            &draft.decl.name.clone(),
        );
        draft.decl.params = self.closure_params(node);
        draft.decl.returns = self.tree.child(node, Field::ReturnType).map(|ty| self.types.lower(ty));
        draft.decl.flags.is_async = self.is_async_closure(node);
        Some(self.declare(draft))
    }

    fn closure_params(&self, node: NodeIndex) -> Vec<Param> {
        let list = self.tree.child(node, Field::Parameters);
        let params = list.into_iter().flat_map(|list| self.parts(list));
        let param = |node: NodeIndex| {
            let is_typed = self.kind(node) == Kind::Parameter;
            let pattern = if is_typed { self.tree.child(node, Field::Pattern).unwrap_or(node) } else { node };
            let ty = self.tree.child(node, Field::Type).filter(|_| is_typed);
            Param {
                name: plain_name(&folded(self.text(pattern))),
                kind: ParamKind::Normal,
                ty: ty.map(|ty| self.types.lower(ty)),
                type_text: ty.map_or(Name::default(), |ty| Name::from(folded(self.text(ty)))),
                has_default: false,
            }
        };
        params.map(param).collect()
    }

    fn is_async_closure(&self, node: NodeIndex) -> bool {
        let text = self.text(node);
        text.trim_start_matches("static").trim_start().starts_with("async")
    }

    /// Lowers the expression that a node is, or binds what it binds, when its parts are known.
    pub(super) fn exit_body_part(&mut self, node: NodeIndex) {
        let lowered = match self.kind(node) {
            Kind::LetDeclaration => return self.exit_let(node),
            Kind::LetCondition => return self.exit_let_condition(node),
            Kind::CallExpression => self.call(node),
            Kind::StructExpression => self.construction(node),
            Kind::MacroInvocation => self.macro_call(node),
            Kind::FieldExpression => self.member(node),
            Kind::AwaitExpression => self.awaited(node),
            Kind::TryExpression => self.wrapped(node, Expr::Try),
            Kind::ReferenceExpression => self.wrapped(node, Expr::Ref),
            Kind::UnaryExpression => self.unary(node),
            Kind::BinaryExpression => self.binary(node),
            Kind::AssignmentExpression => {
                self.exit_assignment(node);
                self.unit()
            }
            Kind::CompoundAssignment => self.unit(),
            Kind::TypeCastExpression => self.type_cast(node),
            Kind::BreakExpression => {
                self.exit_break(node);
                Lowered::Diverges
            }
            Kind::LoopExpression => self.endless(node),
            Kind::ReturnExpression | Kind::ContinueExpression => Lowered::Diverges,
            Kind::ParenthesizedExpression | Kind::UnsafeBlock | Kind::ConstBlock | Kind::ElseClause => {
                self.parts(node).last().map_or(Lowered::Not, |inner| self.lowered(inner))
            }
            Kind::TupleExpression => self.items(node, Expr::Tuple),
            Kind::ArrayExpression => self.array(node),
            Kind::IndexExpression => self.index(node),
            Kind::RangeExpression => {
                let bound = self.parts(node).next().map(|bound| self.value(bound));
                Lowered::To(self.push(Expr::Range(bound)))
            }
            Kind::ClosureExpression => self.closure(node),
            Kind::AsyncBlock => self.async_block(node),
            Kind::Block => self.block(node),
            Kind::IfExpression => self.branches(node),
            Kind::MatchArm => {
                self.tree.child(node, Field::Value).map_or(Lowered::Not, |value| self.lowered(value))
            }
            Kind::MatchExpression => self.arms(node),
            Kind::WhileExpression | Kind::ForExpression => self.unit(),
            Kind::Identifier | Kind::ScopedIdentifier => return self.note_static(node),
            _ => return,
        };
        self.memo[node as usize] = lowered;
    }

    fn exit_let(&mut self, node: NodeIndex) {
        let Some(pattern) = self.tree.child(node, Field::Pattern) else { return };
        let value = self.tree.child(node, Field::Value).map(|value| self.value(value));
        let ty = self.tree.child(node, Field::Type);
        self.bind_declared(pattern, BindingKind::Local, ty, value, self.tree.node(node).end);
        if let (None, None, Some(name)) = (ty, value, self.plain_pattern(pattern))
            && self.bodies.bindings.last().is_some_and(|binding| binding.name == name)
        {
            let number = self.bodies.bindings.len() as u32 - 1;
            let bound = self.unassigned.entry(name).or_default();
            bound.pop_if(|(known, _)| *known == number);
            bound.push((number, true));
        }
    }

    /// `x = value` after `let x;`: the value is what the variable holds. Of several, on different ways, each
    /// has the variable's type.
    fn exit_assignment(&mut self, node: NodeIndex) {
        let (Some(left), Some(right)) =
            (self.tree.child(node, Field::Left), self.tree.child(node, Field::Right))
        else {
            return;
        };
        if self.kind(left) != Kind::Identifier {
            return;
        }
        let Some(number) = self.assigned_later(&plain_name(self.text(left))) else { return };
        if let Lowered::To(value) = self.lowered(right) {
            let value = match self.bodies.bindings[number as usize].value {
                Some(known) => self.push(Expr::Join(vec![known, value])),
                None => value,
            };
            self.bodies.bindings[number as usize].value = Some(value);
        }
    }

    fn exit_let_condition(&mut self, node: NodeIndex) {
        let (Some(pattern), Some(value)) =
            (self.tree.child(node, Field::Pattern), self.tree.child(node, Field::Value))
        else {
            return;
        };
        let base = self.value(value);
        self.bind_pattern(pattern, base, self.tree.node(node).end);
    }

    /// What a node's expression became; names, paths and literals are lowered when they are asked for.
    pub(super) fn lowered(&mut self, node: NodeIndex) -> Lowered {
        if self.memo[node as usize] == Lowered::Not
            && let Some(expr) = self.leaf(node)
        {
            let index = self.push(expr);
            self.memo[node as usize] = Lowered::To(index);
        }
        self.memo[node as usize]
    }

    /// As [`Reader::lowered`]; unknown if it is no expression or gives no value.
    pub(super) fn value(&mut self, node: NodeIndex) -> ExprIndex {
        match self.lowered(node) {
            Lowered::To(index) => index,
            Lowered::Not | Lowered::Diverges => self.push(Expr::Unknown),
        }
    }

    fn leaf(&mut self, node: NodeIndex) -> Option<Expr> {
        let (scope, at, text) = (self.context.scope, self.tree.node(node).start, self.text(node));
        Some(match self.kind(node) {
            Kind::Identifier | Kind::SelfWord | Kind::ShorthandFieldIdentifier => {
                Expr::Name { name: plain_name(text), scope, at }
            }
            Kind::ScopedIdentifier => Expr::Path { path: self.types.lower(node), scope, at },
            Kind::GenericFunction => return self.generic_function(node),
            Kind::StringLiteral | Kind::RawStringLiteral => Expr::Literal(match text.as_bytes().first() {
                Some(b'b') => Literal::Bytes,
                Some(b'c') => Literal::Other,
                _ => Literal::String,
            }),
            Kind::CharLiteral if text.starts_with('b') => typed(TypeExpr::named("u8"), None, scope, at),
            Kind::CharLiteral => Expr::Literal(Literal::Char),
            Kind::BooleanLiteral => Expr::Literal(Literal::Bool),
            Kind::IntegerLiteral => self.number(Literal::Integer, text, scope, at),
            Kind::FloatLiteral => self.number(Literal::Float, text, scope, at),
            Kind::UnitExpression => Expr::Tuple(Vec::new()),
            _ => return None,
        })
    }

    /// `f::<T>`, `a::f::<T>` and `a.f::<T>`.
    fn generic_function(&mut self, node: NodeIndex) -> Option<Expr> {
        let function = self.tree.child(node, Field::Function)?;
        if self.kind(function) != Kind::FieldExpression {
            let (scope, at) = (self.context.scope, self.tree.node(node).start);
            return Some(Expr::Path { path: self.types.lower(node), scope, at });
        }
        let arguments = self.tree.child(node, Field::TypeArguments);
        let Expr::Member { base, name, .. } = self.member_expr(function)? else { return None };
        let type_args = arguments.map_or(Vec::new(), |list| self.types.argument_list(list));
        Some(Expr::Member { base, name, type_args })
    }

    fn number(&mut self, literal: Literal, text: &str, scope: ScopeIndex, at: u32) -> Expr {
        let is_hexadecimal = text.starts_with("0x");
        let suffix = NUMBER_TYPES
            .iter()
            .find(|suffix| text.ends_with(**suffix) && !(is_hexadecimal && suffix.starts_with('f')));
        match suffix {
            None => Expr::Literal(literal),
            Some(suffix) => {
                let base = self.push(Expr::Literal(literal));
                typed(TypeExpr::named(*suffix), Some(base), scope, at)
            }
        }
    }

    /// `base.name` as an expression, without recording that it is read.
    pub(super) fn member_expr(&mut self, node: NodeIndex) -> Option<Expr> {
        let base = self.tree.child(node, Field::Value)?;
        let name = self.tree.child(node, Field::Member)?;
        let base = self.value(base);
        Some(Expr::Member { base, name: plain_name(self.text(name)), type_args: Vec::new() })
    }

    /// The first part of a node that is an expression.
    fn operand(&mut self, node: NodeIndex) -> Option<ExprIndex> {
        let mut parts = self.parts(node).filter(|part| self.kind(*part) != Kind::MutableSpecifier);
        let operand = parts.next()?;
        Some(self.value(operand))
    }

    fn wrapped(&mut self, node: NodeIndex, wrap: fn(ExprIndex) -> Expr) -> Lowered {
        match self.operand(node) {
            Some(inner) => Lowered::To(self.push(wrap(inner))),
            None => Lowered::Not,
        }
    }

    fn awaited(&mut self, node: NodeIndex) -> Lowered {
        let mut operand = self.parts(node).next();
        while let Some(inner) = operand.filter(|inner| self.kind(*inner) == Kind::ParenthesizedExpression) {
            operand = self.parts(inner).next();
        }
        // The call that is awaited was left just before.
        if let (Some(operand), Some((site_node, site))) = (operand, self.sites.last_mut())
            && *site_node == operand
        {
            site.is_await = true;
        }
        self.wrapped(node, Expr::Await)
    }

    fn unary(&mut self, node: NodeIndex) -> Lowered {
        let Some(inner) = self.operand(node) else { return Lowered::Not };
        let expr = match self.text(node).as_bytes().first() {
            Some(b'*') => Expr::Deref(inner),
            operator => Expr::Operation {
                operator: Name::from(if operator == Some(&b'!') { "!" } else { "-" }),
                operands: vec![inner],
            },
        };
        Lowered::To(self.push(expr))
    }

    fn binary(&mut self, node: NodeIndex) -> Lowered {
        let (Some(left), Some(right)) =
            (self.tree.child(node, Field::Left), self.tree.child(node, Field::Right))
        else {
            return Lowered::Not;
        };
        let between = self.tree.node(left).end as usize..self.tree.node(right).start as usize;
        let between = self.source.get(between).unwrap_or_default();
        let operator = between.split_whitespace().find(|word| !word.starts_with(['/', ')']) || *word == "/");
        let operator = Name::from(operator.unwrap_or(between).trim());
        let operands = vec![self.value(left), self.value(right)];
        Lowered::To(self.push(Expr::Operation { operator, operands }))
    }

    /// `break value` gives its value to the loop it ends.
    fn exit_break(&mut self, node: NodeIndex) {
        if let Some(ended) = self.ended_by(node) {
            let value = match self.parts(node).last() {
                Some(value) => self.value(value),
                None => self.push(Expr::Tuple(Vec::new())),
            };
            self.broken_with.entry(ended).or_default().push(value);
        }
    }

    /// The `loop` that a `break` ends: the innermost around it, or that with its label.
    fn ended_by(&self, node: NodeIndex) -> Option<NodeIndex> {
        let behind = self.text(node).strip_prefix("break")?.trim_start();
        let end =
            behind.find(|c: char| c != '\'' && c != '_' && !c.is_alphanumeric()).unwrap_or(behind.len());
        let label = behind.get(..end).filter(|label| label.starts_with('\''));
        let mut around = self.parent(node);
        for _ in 0..MAX_BREAK_DEPTH {
            let is_loop = matches!(
                self.kind(around),
                Kind::LoopExpression | Kind::WhileExpression | Kind::ForExpression
            );
            let is_named = |label: &str| {
                let rest = self.text(around).strip_prefix(label);
                rest.is_some_and(|rest| rest.trim_start().starts_with(':'))
            };
            if is_loop && label.is_none_or(is_named) {
                return Some(around).filter(|ended| self.kind(*ended) == Kind::LoopExpression);
            }
            if matches!(self.kind(around), Kind::ClosureExpression | Kind::FunctionItem | Kind::AsyncBlock) {
                return None;
            }
            around = self.parent(around);
        }
        None
    }

    /// `loop { … }` gives what `break` gives it; without one it never ends.
    fn endless(&mut self, node: NodeIndex) -> Lowered {
        match self.broken_with.remove(&node).unwrap_or_default().as_slice() {
            [] => Lowered::Diverges,
            [only] => Lowered::To(*only),
            several => {
                let join = Expr::Join(several.to_vec());
                Lowered::To(self.push(join))
            }
        }
    }

    fn unit(&mut self) -> Lowered {
        Lowered::To(self.push(Expr::Tuple(Vec::new())))
    }

    fn type_cast(&mut self, node: NodeIndex) -> Lowered {
        let base = self.tree.child(node, Field::Value).map(|value| self.value(value));
        let ty = self.tree.child(node, Field::Type).map_or(TypeExpr::Unknown, |ty| self.types.lower(ty));
        let cast = typed(ty, base, self.context.scope, self.tree.node(node).start);
        Lowered::To(self.push(cast))
    }

    pub(super) fn values(&mut self, node: NodeIndex) -> Vec<ExprIndex> {
        let parts: Vec<_> = self.parts(node).collect();
        parts.into_iter().map(|part| self.value(part)).collect()
    }

    fn items(&mut self, node: NodeIndex, build: fn(Vec<ExprIndex>) -> Expr) -> Lowered {
        let items = self.values(node);
        Lowered::To(self.push(build(items)))
    }

    /// The items of `[a, b]`, or the one of `[a; n]`.
    fn array_items(&mut self, node: NodeIndex) -> Vec<ExprIndex> {
        let parts: Vec<_> =
            self.parts(node).filter(|part| self.tree.node(*part).field != Field::Length).collect();
        parts.into_iter().map(|part| self.value(part)).collect()
    }

    fn array(&mut self, node: NodeIndex) -> Lowered {
        let items = self.array_items(node);
        Lowered::To(self.push(Expr::Sequence { kind: SequenceKind::Array, items }))
    }

    fn index(&mut self, node: NodeIndex) -> Lowered {
        let parts = self.values(node);
        match parts.as_slice() {
            [base, rest @ ..] => {
                Lowered::To(self.push(Expr::Index { base: *base, index: rest.first().copied() }))
            }
            [] => Lowered::Not,
        }
    }

    fn macro_call(&mut self, node: NodeIndex) -> Lowered {
        let path = self.tree.child(node, Field::Macro).map_or("", |name| self.text(name));
        let list = self.tree.child_of_kind(node, Kind::TokenTree).and_then(|tokens| {
            self.parts(tokens)
                .find(|part| matches!(self.kind(*part), Kind::Arguments | Kind::ArrayExpression))
        });
        if DIVERGING_MACROS.contains(&last_segment(path)) {
            return Lowered::Diverges;
        }
        let args = list.map_or(Vec::new(), |list| self.macro_arguments(list));
        let expr = match last_segment(path) {
            "vec" => Expr::Sequence { kind: SequenceKind::List, items: args },
            _ => Expr::MacroCall { name: Name::from(folded(path)), args, scope: self.context.scope },
        };
        Lowered::To(self.push(expr))
    }

    /// Arguments by name (`x = f()`) count by their value.
    fn macro_arguments(&mut self, list: NodeIndex) -> Vec<ExprIndex> {
        if self.kind(list) == Kind::ArrayExpression {
            return self.array_items(list);
        }
        let parts: Vec<_> = self.parts(list).collect();
        let argument = |part: NodeIndex| match self.kind(part) {
            Kind::AssignmentExpression => self.tree.child(part, Field::Right).unwrap_or(part),
            _ => part,
        };
        let arguments: Vec<_> = parts.into_iter().map(argument).collect();
        arguments.into_iter().map(|argument| self.value(argument)).collect()
    }

    fn closure(&mut self, node: NodeIndex) -> Lowered {
        let scope = self.context.scope;
        let decl = self.bodies.scopes[scope.0 as usize].decl;
        let mut body = self.tree.child(node, Field::Body).map(|body| self.value(body));
        if let Some(returns) = self.tree.child(node, Field::ReturnType) {
            let ty = self.types.lower(returns);
            body = Some(self.push(typed(ty, body, scope, self.tree.node(returns).start)));
        }
        if let (Some(DeclIndex(index)), Some(body)) = (decl, body) {
            let result = self.result_of(body);
            let Decl { result: slot, returns, .. } = &mut self.drafts[index as usize].decl;
            *slot = result.filter(|_| returns.is_none());
        }
        let is_async = self.is_async_closure(node);
        Lowered::To(self.push(Expr::Closure { scope, decl, body, is_async }))
    }

    fn result_of(&self, body: ExprIndex) -> Option<Exprs> {
        self.bodies.exprs.extract(body, RESULT_LIMIT)
    }

    fn async_block(&mut self, node: NodeIndex) -> Lowered {
        let body = self.parts(node).last().map(|body| self.value(body));
        let scope = self.context.scope;
        let callee = self.push(Expr::Closure { scope, decl: None, body, is_async: true });
        Lowered::To(self.push(Expr::Call { callee, args: Vec::new(), keywords: Vec::new() }))
    }

    /// A block's value is that of its last expression, if no `;` follows.
    fn block(&mut self, node: NodeIndex) -> Lowered {
        let Some(last) = self.parts(node).last() else { return self.unit() };
        match self.kind(last) {
            Kind::ExpressionStatement => {
                let Some(inner) = self.parts(last).next() else { return self.unit() };
                let lowered = self.lowered(inner);
                if self.text(last).ends_with(';') && lowered != Lowered::Diverges {
                    self.unit()
                } else {
                    lowered
                }
            }
            Kind::LetDeclaration => self.unit(),
            _ => match self.lowered(last) {
                Lowered::Not => self.unit_or_unknown(last),
                lowered => lowered,
            },
        }
    }

    fn unit_or_unknown(&mut self, last: NodeIndex) -> Lowered {
        let is_item = matches!(
            self.kind(last),
            Kind::FunctionItem | Kind::UseDeclaration | Kind::StructItem | Kind::EnumItem | Kind::ConstItem
        );
        if is_item { self.unit() } else { Lowered::To(self.push(Expr::Unknown)) }
    }

    fn join(&mut self, branches: Vec<NodeIndex>) -> Lowered {
        let mut values = Vec::new();
        for branch in branches {
            match self.lowered(branch) {
                Lowered::To(index) => values.push(index),
                Lowered::Diverges => {}
                Lowered::Not => values.push(self.push(Expr::Unknown)),
            }
        }
        match values.as_slice() {
            [] => Lowered::Diverges,
            [only] => Lowered::To(*only),
            _ => Lowered::To(self.push(Expr::Join(values))),
        }
    }

    fn branches(&mut self, node: NodeIndex) -> Lowered {
        match (self.tree.child(node, Field::Consequence), self.tree.child(node, Field::Alternative)) {
            (Some(consequence), Some(alternative)) => self.join(vec![consequence, alternative]),
            _ => self.unit(),
        }
    }

    fn arms(&mut self, node: NodeIndex) -> Lowered {
        let Some(body) = self.tree.child(node, Field::Body) else { return Lowered::Not };
        let arms: Vec<_> = self.parts(body).filter(|arm| self.kind(*arm) == Kind::MatchArm).collect();
        if arms.is_empty() { Lowered::Diverges } else { self.join(arms) }
    }
}

fn typed(ty: TypeExpr, base: Option<ExprIndex>, scope: ScopeIndex, at: u32) -> Expr {
    Expr::Cast { base, ty, scope, at }
}
