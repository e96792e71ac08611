//! Names that are bound: parameters, variables, patterns, loop variables; assignments.

use bindery_facts::{
    BindingKind, Expr, ExprIndex, Literal, Name, Param, ParamKind, ScopeIndex, ScopeKind, Segment, TypeExpr,
    VariableKind, Visibility,
};
use bindery_syntax::{NodeIndex, text};

use super::kinds::{Field, Kind, unwrapped};
use super::reader::{Reader, VariableDraft};

/// What is bound to a name.
#[derive(Clone)]
pub(super) struct Bound {
    pub(super) value: Option<ExprIndex>,
    pub(super) ty: Option<TypeExpr>,
    pub(super) scope: ScopeIndex,
    pub(super) visibility: Visibility,
    pub(super) is_constant: bool,
}

impl Reader<'_> {
    // ---- Parameters

    fn parameter_nodes(&self, function: NodeIndex) -> Vec<NodeIndex> {
        if let Some(single) = self.child(function, Field::Parameter) {
            return vec![single];
        }
        let Some(list) = self.child(function, Field::Parameters) else { return Vec::new() };
        let is_param = |node: &NodeIndex| {
            !matches!(self.kind(*node), Kind::Error | Kind::Decorator) && !self.is_this_param(*node)
        };
        self.tree.children(list).filter(is_param).collect()
    }

    /// `this: T`, which only types what a function is called on.
    pub(super) fn is_this_param(&self, node: NodeIndex) -> bool {
        self.child(node, Field::Pattern).is_some_and(|pattern| self.kind(pattern) == Kind::This)
    }

    pub(super) fn parameters(&self, function: NodeIndex) -> Vec<Param> {
        self.parameter_nodes(function).into_iter().map(|node| self.parameter(node)).collect()
    }

    /// The pattern, default value and kind of a parameter.
    fn parameter_parts(&self, node: NodeIndex) -> (NodeIndex, Option<NodeIndex>, ParamKind) {
        let (mut pattern, mut default) = match self.kind(node) {
            Kind::RequiredParameter | Kind::OptionalParameter => (
                self.child(node, Field::Pattern).or(self.child(node, Field::Name)).unwrap_or(node),
                self.child(node, Field::Value),
            ),
            _ => (node, None),
        };
        if self.kind(pattern) == Kind::AssignmentPattern {
            default = self.child(pattern, Field::Right);
            pattern = self.child(pattern, Field::Left).unwrap_or(pattern);
        }
        if self.kind(pattern) == Kind::RestPattern {
            let inner = self.tree.children(pattern).next().unwrap_or(pattern);
            return (inner, default, ParamKind::Variadic);
        }
        (pattern, default, ParamKind::Normal)
    }

    fn parameter(&self, node: NodeIndex) -> Param {
        let (pattern, default, kind) = self.parameter_parts(node);
        let written = self.child(node, Field::Type).filter(|_| self.kind(node) != Kind::ArrowFunction);
        let ty = self.annotated(node).map(|ty| match kind {
            ParamKind::Variadic => element_type(ty),
            _ => ty,
        });
        let type_text = written.map(|ty| text::folded(self.text(ty).trim_start_matches(':')));
        Param {
            name: text::folded(self.text(pattern)).into(),
            kind,
            ty,
            type_text: type_text.unwrap_or_default().into(),
            has_default: default.is_some() || self.kind(node) == Kind::OptionalParameter,
        }
    }

    /// Binds the parameters of a function in its scope, and the fields that a constructor's modifiers
    /// declare.
    pub(super) fn bind_parameters(&mut self, function: NodeIndex, scope: ScopeIndex) {
        let expected = self.expected_by(function);
        let doc = self.function_doc(function);
        for (position, node) in self.parameter_nodes(function).into_iter().enumerate() {
            let (pattern, _, kind) = self.parameter_parts(node);
            let name: Name = text::folded(self.text(pattern)).into();
            let ty = self.annotated(node).or_else(|| doc.param(&name));
            let ty = ty.filter(|_| kind != ParamKind::Variadic);
            let position = position as u32;
            let value = match (&ty, kind) {
                (None, ParamKind::Normal) => expected.as_ref().map(|expected| match expected {
                    Expected::Argument(call, arg) => {
                        Expr::ClosureParam { call: *call, arg: *arg, param: position }
                    }
                    Expected::Written(ty) => Expr::TupleItem { base: *ty, index: position },
                }),
                _ => None,
            };
            let value = value.map(|value| self.push(value));
            self.bind(scope, &name, 0, BindingKind::Param(position), ty.clone(), value);
            if self.kind(pattern) != Kind::Identifier {
                let base = self.push(Expr::Name { name, scope, at: 0 });
                self.bind_pattern(pattern, Bound::local(scope, Some(base)));
            }
            self.read_parameter_property(function, node, pattern, ty);
        }
    }

    /// Default values stand in the parameter list, and are read after the parameters are bound.
    pub(super) fn read_default(&mut self, node: NodeIndex) {
        let (pattern, Some(default), ParamKind::Normal) = self.parameter_parts(node) else { return };
        if self.annotated(node).is_some() || self.kind(pattern) != Kind::Identifier {
            return;
        }
        let (scope, value) = (self.scope(node), self.value(default));
        let name = self.text(pattern);
        let bindings = self.bodies.bindings.iter_mut().rev();
        let mut own = bindings.filter(|binding| binding.scope == scope && binding.name == name);
        if let Some(binding) = own.next().filter(|binding| binding.value.is_none()) {
            binding.value = Some(value);
        }
    }

    fn read_parameter_property(
        &mut self,
        function: NodeIndex,
        node: NodeIndex,
        pattern: NodeIndex,
        ty: Option<TypeExpr>,
    ) {
        let words = ["readonly", "override"];
        let is_property = self.tree.child_of_kind(node, Kind::AccessibilityModifier).is_some()
            || (matches!(self.kind(node), Kind::RequiredParameter | Kind::OptionalParameter)
                && words.iter().any(|word| self.has_word(node, pattern, word)));
        if !is_property {
            return;
        }
        let owner = self.info(self.scope(function)).owner;
        let name: Name = self.text(pattern).into();
        let visibility = self.member_visibility(node, &name);
        self.variables.push(VariableDraft {
            name,
            owner,
            kind: VariableKind::Instance,
            ty,
            value: None,
            assigned_in: None,
            visibility,
        });
    }

    /// What says what a function without written parameter types is called with.
    fn expected_by(&mut self, function: NodeIndex) -> Option<Expected> {
        if !self.kind(function).is_function_value() {
            return None;
        }
        let mut node = function;
        while self.kind(self.parent(node)) == Kind::ParenthesizedExpression {
            node = self.parent(node);
        }
        let parent = self.parent(node);
        if self.kind(parent) == Kind::Arguments {
            let call = self.parent(parent);
            let position = self.tree.children(parent).position(|argument| argument == node)?;
            let callee = self.callee(call)?;
            return Some(Expected::Argument(self.value(callee), position as u32));
        }
        let holds = self.kind(parent) == Kind::VariableDeclarator || self.kind(parent).is_field();
        if !holds || self.field(node) != Field::Value {
            return None;
        }
        let ty = self.annotated(parent)?;
        let scope = self.scope(parent);
        let cast = self.push(Expr::Cast { base: None, ty, scope, at: self.start(parent) });
        Some(Expected::Written(cast))
    }

    // ---- Variables

    /// The scope a declarator binds in: `var` reaches through blocks.
    pub(super) fn variable_scope(&self, declarator: NodeIndex) -> ScopeIndex {
        let scope = self.scope(declarator);
        match self.kind(self.parent(declarator)) {
            Kind::VariableDeclaration => self.info(scope).function,
            _ => scope,
        }
    }

    pub(super) fn read_declarator(&mut self, node: NodeIndex) {
        let Some(target) = self.child(node, Field::Name) else { return };
        let statement = self.parent(node);
        let value = self.child(node, Field::Value);
        let scope = self.variable_scope(node);
        let visibility = self.visibility(self.span_node(statement));
        if value.is_some_and(|value| self.read_require(target, value, scope)) {
            return;
        }
        if self.kind(target) == Kind::Identifier
            && let Some(value) = value
            && let Some(decl) = self.decl_of.get(&value).copied()
            && self.decls[decl.0 as usize].decl.kind != bindery_facts::DeclKind::Object
        {
            return;
        }
        let is_constant = self.has_word(statement, node, "const");
        let ty = self.annotated(node).or_else(|| self.doc_types(self.start(self.span_node(statement))).ty);
        let lowered = value.map(|value| self.value(value)).filter(|value| *value != ExprIndex(0));
        if let (Kind::Identifier, Some(object)) = (self.kind(target), self.object_behind(value)) {
            self.named.insert((scope, self.text(target).into()), object);
        }
        let is_object = value.is_some_and(|value| self.decl_of.contains_key(&value));
        if is_object && !self.info(scope).is_top && ty.is_none() {
            return;
        }
        let bound = Bound { value: lowered, ty, scope, visibility, is_constant };
        self.bind_pattern(target, bound);
    }

    /// The object that a value, through assignments in a chain, is.
    fn object_behind(&self, value: Option<NodeIndex>) -> Option<bindery_facts::DeclIndex> {
        let mut at = value?;
        while self.kind(at) == Kind::AssignmentExpression {
            at = self.child(at, Field::Right)?;
        }
        let decl = *self.decl_of.get(&at)?;
        (self.decls[decl.0 as usize].decl.kind == bindery_facts::DeclKind::Object).then_some(decl)
    }

    /// Binds every name in a pattern to its part of the value.
    pub(super) fn bind_pattern(&mut self, pattern: NodeIndex, bound: Bound) {
        let mut open = vec![(pattern, bound)];
        while let Some((pattern, bound)) = open.pop() {
            match self.kind(pattern) {
                Kind::Identifier | Kind::ShorthandPattern => self.bind_name(self.text(pattern), bound),
                Kind::AssignmentPattern | Kind::ObjectAssignmentPattern => {
                    open.extend(self.child(pattern, Field::Left).map(|left| (left, bound)));
                }
                Kind::ObjectPattern => self.open_object_pattern(pattern, bound, &mut open),
                Kind::ArrayPattern => self.open_array_pattern(pattern, bound, &mut open),
                Kind::RestPattern => {
                    let rest = Bound { value: None, ty: None, ..bound };
                    open.extend(self.tree.children(pattern).next().map(|inner| (inner, rest)));
                }
                _ => {}
            }
        }
    }

    /// The value to take apart: what is written counts.
    fn whole(&mut self, bound: &Bound, at: NodeIndex) -> Option<ExprIndex> {
        match &bound.ty {
            Some(ty) => {
                let (ty, scope) = (ty.clone(), bound.scope);
                Some(self.push(Expr::Cast { base: None, ty, scope, at: self.start(at) }))
            }
            None => bound.value,
        }
    }

    fn open_object_pattern(&mut self, pattern: NodeIndex, bound: Bound, open: &mut Vec<(NodeIndex, Bound)>) {
        let base = self.whole(&bound, pattern);
        let parts: Vec<NodeIndex> = self.tree.children(pattern).collect();
        for part in parts {
            let (key, target) = match self.kind(part) {
                Kind::PairPattern => (self.child(part, Field::Key), self.child(part, Field::Value)),
                Kind::ObjectAssignmentPattern => {
                    (self.child(part, Field::Left), self.child(part, Field::Left))
                }
                Kind::ShorthandPattern => (Some(part), Some(part)),
                _ => (None, Some(part)),
            };
            let Some(target) = target else { continue };
            let value = match (base, key) {
                (Some(base), Some(key)) => {
                    let name = self.key_text(key);
                    Some(self.push(Expr::Member { base, name, type_args: Vec::new() }))
                }
                _ => None,
            };
            open.push((target, Bound { value, ty: None, ..bound.clone() }));
        }
    }

    fn open_array_pattern(&mut self, pattern: NodeIndex, bound: Bound, open: &mut Vec<(NodeIndex, Bound)>) {
        let base = self.whole(&bound, pattern);
        let parts: Vec<NodeIndex> = self.tree.children(pattern).collect();
        let mut at = self.start(pattern) + 1;
        let mut index = 0;
        for part in parts {
            // Positions may be left empty, and have no node then.
            index += self.between(at, self.start(part)).matches(',').count() as u32;
            at = self.end(part);
            let value = match (base, self.kind(part)) {
                (Some(base), kind) if kind != Kind::RestPattern => {
                    Some(self.push(Expr::TupleItem { base, index }))
                }
                _ => None,
            };
            open.push((part, Bound { value, ty: None, ..bound.clone() }));
        }
    }

    pub(super) fn bind_name(&mut self, name: &str, bound: Bound) {
        let Bound { value, ty, scope, visibility, is_constant } = bound;
        // What is declared counts, whatever is assigned.
        let value = value.filter(|_| ty.is_none());
        if !self.info(scope).is_top {
            self.bind(scope, name, 0, BindingKind::Local, ty, value);
            return;
        }
        let owner = self.info(scope).owner;
        let kind = if is_constant { VariableKind::Constant } else { VariableKind::Module };
        let draft =
            VariableDraft { name: name.into(), owner, kind, ty, value, assigned_in: None, visibility };
        self.variables.push(draft);
    }

    // ---- Blocks

    /// Opens the scope of a block; a function's or namespace's own body is that of the function.
    pub(super) fn open_block(&mut self, node: NodeIndex) {
        let parent = self.kind(self.parent(node));
        let is_body = parent.is_function()
            || matches!(parent, Kind::InternalModule | Kind::Module | Kind::ClassStaticBlock);
        if !is_body {
            self.open_scope(node, ScopeKind::Block, None, |_, _| {});
        }
        if self.kind(node) == Kind::CatchClause
            && let Some(pattern) = self.child(node, Field::Parameter)
        {
            let scope = self.inner_scopes.get(&node).copied().unwrap_or(ScopeIndex::FILE);
            self.bind_pattern(pattern, Bound::local(scope, None));
        }
    }

    /// What is known of names in one part of a statement or expression only.
    pub(super) fn enter_branch(&mut self, node: NodeIndex, parent: NodeIndex) {
        match (self.kind(parent), self.field(node)) {
            (Kind::ForInStatement, Field::Body) => self.bind_loop_variable(parent),
            (Kind::IfStatement, Field::Consequence)
            | (Kind::TernaryExpression, Field::Consequence)
            | (Kind::WhileStatement, Field::Body) => {
                let condition = self.child(parent, Field::Condition);
                self.narrow(node, condition);
            }
            (Kind::BinaryExpression, Field::Right) => {
                let is_and = self
                    .child(parent, Field::Left)
                    .is_some_and(|left| self.between(self.end(left), self.start(node)).trim() == "&&");
                if is_and {
                    let condition = self.child(parent, Field::Left);
                    self.narrow(node, condition);
                }
            }
            _ => {}
        }
    }

    fn bind_loop_variable(&mut self, statement: NodeIndex) {
        let (Some(left), Some(right)) =
            (self.child(statement, Field::Left), self.child(statement, Field::Right))
        else {
            return;
        };
        let words = self.between(self.end(left), self.start(right));
        let is_of = words.split_whitespace().next() == Some("of");
        let is_async = self.between(self.start(statement), self.start(left)).contains("await");
        let value = match is_of {
            true => Expr::Element { base: self.value(right), is_async },
            false => Expr::Literal(Literal::String),
        };
        let value = self.push(value);
        if let Some(word) = self.child(statement, Field::KindWord).map(|word| self.text(word)).or_else(|| {
            let before = self.between(self.start(statement), self.start(left));
            ["const", "let", "var"].into_iter().find(|word| before.contains(*word))
        }) {
            let inner = self.inner_scopes.get(&statement).copied().unwrap_or(ScopeIndex::FILE);
            let scope = if word == "var" { self.info(inner).function } else { inner };
            self.bind_pattern(left, Bound::local(scope, Some(value)));
        } else if self.kind(left) == Kind::Identifier {
            let scope = self.scope(statement);
            self.assignments.push((scope, self.text(left).into(), value));
        }
    }

    /// Puts `node` into a scope of its own where a condition that holds there proves types.
    fn narrow(&mut self, node: NodeIndex, condition: Option<NodeIndex>) {
        let proofs = condition.map(|condition| self.proofs(condition)).unwrap_or_default();
        if proofs.is_empty() {
            return;
        }
        let parent = self.scope(node);
        let scope = ScopeIndex(self.bodies.scopes.len() as u32);
        self.bodies.scopes.push(bindery_facts::Scope {
            parent: Some(parent),
            kind: ScopeKind::Block,
            decl: None,
        });
        let mut info = self.info(parent).clone();
        info.is_top = false;
        self.infos.push(info);
        self.set_scope(node, scope);
        self.bind_proofs(proofs, scope, self.start(node));
    }

    fn bind_proofs(&mut self, proofs: Vec<Proof>, scope: ScopeIndex, at: u32) {
        for Proof { name, ty, check } in proofs {
            let value = check.map(|operands| {
                self.push(Expr::Operation { operator: crate::PROVEN.into(), operands: operands.to_vec() })
            });
            self.bodies.bindings.push(bindery_facts::Binding {
                scope,
                name,
                at,
                kind: BindingKind::Narrow,
                ty,
                value,
            });
        }
    }

    /// `if (!(x instanceof C)) return;` proves what it checks for all that follows in the block.
    pub(super) fn read_guard(&mut self, node: NodeIndex) {
        if self.child(node, Field::Alternative).is_some() {
            return;
        }
        let (Some(condition), Some(consequence)) =
            (self.child(node, Field::Condition), self.child(node, Field::Consequence))
        else {
            return;
        };
        let condition = unwrapped(self.tree, condition);
        let is_negated =
            self.kind(condition) == Kind::UnaryExpression && self.text(condition).starts_with('!');
        let last = match self.kind(consequence) {
            Kind::StatementBlock => self.tree.children(consequence).last(),
            _ => Some(consequence),
        };
        let leaves =
            last.is_some_and(|last| matches!(self.kind(last), Kind::ReturnStatement | Kind::ThrowStatement));
        if !is_negated || !leaves {
            return;
        }
        let proofs = self.tree.children(condition).last().map(|inner| self.proofs(inner)).unwrap_or_default();
        let scope = self.scope(node);
        self.bind_proofs(proofs, scope, self.end(node));
    }

    /// The types that a condition proves where it holds: `x instanceof C`, `typeof x === "…"`.
    fn proofs(&self, condition: NodeIndex) -> Vec<Proof> {
        let (mut proofs, mut open) = (Vec::new(), vec![condition]);
        while let Some(node) = open.pop() {
            let node = unwrapped(self.tree, node);
            if self.kind(node) == Kind::CallExpression {
                proofs.extend(self.call_proof(node));
            }
            if self.kind(node) != Kind::BinaryExpression {
                continue;
            }
            let (Some(left), Some(right)) = (self.child(node, Field::Left), self.child(node, Field::Right))
            else {
                continue;
            };
            match self.between(self.end(left), self.start(right)).trim() {
                "&&" => open.extend([right, left]),
                "instanceof" if self.kind(left) == Kind::Identifier => {
                    if let Some(names) = self.dotted(right) {
                        let path = names.into_iter().map(Segment::plain).collect();
                        proofs.push(Proof::of(self.text(left), TypeExpr::Path(path)));
                    }
                }
                "===" | "==" => proofs.extend(self.typeof_proof(left, right)),
                _ => {}
            }
        }
        proofs
    }

    /// A call of what may be a type guard: `isCat(x)`.
    fn call_proof(&self, call: NodeIndex) -> Option<Proof> {
        let list = self.child(call, Field::Arguments)?;
        let first = self.tree.children(list).next().filter(|first| self.kind(*first) == Kind::Identifier)?;
        let check = [self.value(call), self.value(first)];
        Some(Proof { name: self.text(first).into(), ty: None, check: Some(check) })
    }

    fn typeof_proof(&self, left: NodeIndex, right: NodeIndex) -> Option<Proof> {
        let is_typeof = self.kind(left) == Kind::UnaryExpression && self.text(left).starts_with("typeof");
        let operand = self.tree.children(left).last().filter(|_| is_typeof)?;
        let word = super::types::unquoted(self.text(right));
        let is_plain = matches!(word, "string" | "number" | "boolean" | "symbol" | "bigint");
        (is_plain && self.kind(operand) == Kind::Identifier)
            .then(|| Proof::of(self.text(operand), TypeExpr::named(word)))
    }

    // ---- Assignments

    pub(super) fn read_assignment(&mut self, node: NodeIndex) {
        let (Some(left), Some(right)) = (self.child(node, Field::Left), self.child(node, Field::Right))
        else {
            return;
        };
        let value = self.value(right);
        self.set_value(node, value);
        let scope = self.scope(node);
        match self.kind(left) {
            Kind::Identifier => {
                self.assignments.push((scope, self.text(left).into(), value));
                self.record_name_write(left);
            }
            Kind::MemberExpression => {
                self.mark_written(left);
                self.read_member_assignment(left, right, value, scope);
            }
            Kind::SubscriptExpression => self.mark_changed(left),
            _ => {}
        }
    }

    fn read_member_assignment(
        &mut self,
        left: NodeIndex,
        right: NodeIndex,
        value: ExprIndex,
        scope: ScopeIndex,
    ) {
        let (name, owner, is_static): (Name, _, _) = if self.text(left) == "module.exports" {
            let exports = self.exports_object();
            if self.decl_of.get(&right) == Some(&exports) || self.object_behind(Some(right)) == Some(exports)
            {
                return;
            }
            (crate::WHOLE.into(), exports, false)
        } else {
            let Some((owner, is_static)) = self.place_of_target(left, scope) else { return };
            (self.child_text(left, Field::Property).into(), owner, is_static)
        };
        if self.decl_of.get(&right).is_some_and(|decl| {
            let draft = &self.decls[decl.0 as usize];
            draft.owner == Some(owner) && draft.decl.name == name
        }) {
            return;
        }
        let assigned_in = self.info(scope).caller;
        let kind = if is_static { VariableKind::Class } else { VariableKind::Instance };
        let draft = VariableDraft {
            name,
            owner: Some(owner),
            kind,
            ty: self.doc_types(self.start(left)).ty,
            value: Some(value).filter(|value| *value != ExprIndex(0)),
            assigned_in,
            visibility: Visibility::Public,
        };
        self.variables.push(draft);
    }

    pub(super) fn read_return(&mut self, node: NodeIndex) {
        let function = self.info(self.scope(node)).function;
        if let Some(value) = self.tree.children(node).next().map(|value| self.value(value)) {
            self.returned.entry(function).or_default().push(value);
        }
    }
}

impl Bound {
    /// A local variable or a part of a parameter.
    pub(super) fn local(scope: ScopeIndex, value: Option<ExprIndex>) -> Self {
        Self { value, ty: None, scope, visibility: Visibility::Private, is_constant: true }
    }
}

/// What a condition proves of a name.
struct Proof {
    name: Name,
    /// The type it proves.
    ty: Option<TypeExpr>,
    /// Or the call that may do so, and what it is called with.
    check: Option<[ExprIndex; 2]>,
}

impl Proof {
    fn of(name: &str, ty: TypeExpr) -> Self {
        Self { name: name.into(), ty: Some(ty), check: None }
    }
}

/// What a function value is passed or assigned to.
enum Expected {
    /// The callee it is an argument of, and its position.
    Argument(ExprIndex, u32),
    /// A written type, as an expression.
    Written(ExprIndex),
}

/// What an array type holds.
fn element_type(ty: TypeExpr) -> TypeExpr {
    match ty {
        TypeExpr::Slice(inner) => *inner,
        TypeExpr::Path(mut segments) => match segments.pop() {
            Some(last) if segments.is_empty() && last.name.ends_with("Array") => {
                last.args.into_iter().next().unwrap_or(TypeExpr::Unknown)
            }
            _ => TypeExpr::Unknown,
        },
        _ => TypeExpr::Unknown,
    }
}
