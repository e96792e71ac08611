//! Scopes and what statements bind.

use bindery_facts::{BindingKind, Expr, ExprIndex, ScopeKind, TypeExpr, VariableKind};
use bindery_syntax::NodeIndex;

use super::kinds::{Field, Kind};
use super::reader::Reader;

impl Reader<'_> {
    /// Opens the scopes of statements (*Blocks* in the specification).
    pub(super) fn enter_statement(&mut self, node: NodeIndex, kind: Kind) {
        match kind {
            Kind::FuncLiteral => self.enter_literal(node),
            Kind::IfStatement
            | Kind::ForStatement
            | Kind::ExpressionSwitch
            | Kind::TypeSwitch
            | Kind::ExpressionCase
            | Kind::CommunicationCase => self.open_scope(node, ScopeKind::Block, None),
            Kind::TypeCase | Kind::DefaultCase => {
                self.open_scope(node, ScopeKind::Block, None);
                self.bind_switched(node);
            }
            Kind::Block => {
                let holder = self.kind(self.parent(node));
                let has_scope =
                    matches!(holder, Kind::FunctionDeclaration | Kind::MethodDeclaration | Kind::FuncLiteral);
                if !has_scope {
                    self.open_scope(node, ScopeKind::Block, None);
                }
            }
            _ => {}
        }
    }

    /// In a clause that lists exactly one type the variable of a type switch has that type, else that of
    /// the value that is switched on (*Type switches*).
    fn bind_switched(&mut self, node: NodeIndex) {
        let switch = self.parent(node);
        let Some(alias) =
            self.tree.child(switch, Field::Alias).filter(|_| self.kind(switch) == Kind::TypeSwitch)
        else {
            return;
        };
        let name = self.text(alias);
        let types = self.fields(node, Field::Type);
        let at = self.tree.node(node).start;
        match types.as_slice() {
            [only] if self.text(*only) != "nil" => {
                let ty = self.types.lower(*only);
                self.bind(name, at, BindingKind::Local, Some(ty), None);
            }
            _ => {
                let value = self.tree.child(switch, Field::Value).map(|value| self.value(value));
                self.bind(name, at, BindingKind::Local, None, value);
            }
        }
    }

    /// Binds what a statement binds, when its parts are known.
    pub(super) fn exit_statement(&mut self, node: NodeIndex) {
        match self.kind(node) {
            Kind::ShortVarDeclaration => {
                let (names, values) = (self.listed(node, Field::Left), self.listed(node, Field::Right));
                let values = self.spread(&values, names.len());
                self.bind_short(&names, &values, self.tree.node(node).end);
            }
            Kind::ReceiveStatement if self.tree.child(node, Field::Left).is_some() => {
                let (names, values) = (self.listed(node, Field::Left), self.listed(node, Field::Right));
                let values = self.spread(&values, names.len());
                self.bind_or_assign(node, &names, &values);
            }
            Kind::RangeClause => self.exit_range(node),
            Kind::AssignmentStatement => self.exit_assignment(node),
            Kind::VarSpec => self.exit_var(node),
            Kind::ConstSpec => self.exit_const(node),
            Kind::TypeSpec | Kind::TypeAlias => {
                self.repeated = (None, Vec::new());
            }
            _ => {}
        }
    }

    /// The value that each of `count` variables takes: one for each, or the parts of a single one.
    fn spread(&mut self, values: &[NodeIndex], count: usize) -> Vec<ExprIndex> {
        let &[single] = values else { return values.iter().map(|value| self.value(*value)).collect() };
        let base = self.value(single);
        if count < 2 {
            return vec![base];
        }
        let mut inner = single;
        while self.kind(inner) == Kind::ParenthesizedExpression {
            let Some(part) = self.parts(inner).next() else { break };
            inner = part;
        }
        if self.kind(inner) == Kind::CallExpression {
            return (0..count as u32).map(|index| self.push(Expr::TupleItem { base, index })).collect();
        }
        // `v, ok := m[k]`, `v, ok := x.(T)`, `v, ok := <-c`: the value, and whether there was one.
        let is_there = self.push(Expr::Literal(bindery_facts::Literal::Bool));
        vec![base, is_there]
    }

    /// `:=` declares those names that its scope does not hold yet and assigns the others.
    fn bind_short(&mut self, names: &[NodeIndex], values: &[ExprIndex], at: u32) {
        for (position, node) in names.iter().enumerate() {
            let name = self.text(*node);
            match self.locals.in_scope(self.context.scope, name) {
                Some(binding) => self.locals.assign(binding, None),
                None => self.bind(name, at, BindingKind::Local, None, values.get(position).copied()),
            }
        }
    }

    fn bind_or_assign(&mut self, node: NodeIndex, names: &[NodeIndex], values: &[ExprIndex]) {
        let end = names.last().map_or(0, |name| self.tree.node(*name).end) as usize;
        let declares = self.source.get(end..).is_some_and(|rest| rest.trim_start().starts_with(":="));
        if declares {
            return self.bind_short(names, values, self.tree.node(node).end);
        }
        for name in names {
            self.assign(*name, None);
        }
    }

    fn exit_range(&mut self, node: NodeIndex) {
        let (names, values) = (self.listed(node, Field::Left), self.listed(node, Field::Right));
        let &[value] = values.as_slice() else { return };
        let base = self.value(value);
        let base = self.push(Expr::Element { base, is_async: false });
        let parts: Vec<_> = (0..names.len() as u32).collect();
        let values: Vec<_> =
            parts.into_iter().map(|index| self.push(Expr::TupleItem { base, index })).collect();
        self.bind_or_assign(node, &names, &values);
    }

    fn exit_assignment(&mut self, node: NodeIndex) {
        let (names, values) = (self.listed(node, Field::Left), self.listed(node, Field::Right));
        let is_plain = names.len() == values.len();
        for (position, name) in names.iter().enumerate() {
            let value = values.get(position).filter(|_| is_plain);
            let literal = value.filter(|value| self.kind(**value) == Kind::FuncLiteral);
            let literal = literal.copied().map(|value| self.value(value));
            self.assign(*name, literal);
        }
    }

    /// Notes that a place is assigned, if it is a local variable.
    pub(super) fn assign(&mut self, place: NodeIndex, literal: Option<ExprIndex>) {
        if self.kind(place) == Kind::Identifier
            && let Some(binding) = self.binding_of(self.text(place))
        {
            self.locals.assign(binding, literal);
        }
    }

    fn exit_var(&mut self, node: NodeIndex) {
        let names = self.fields(node, Field::Name);
        let ty = self.tree.child(node, Field::Type).map(|ty| self.types.lower(ty));
        let written = self.listed(node, Field::Value);
        let values = self.spread(&written, names.len());
        if !self.is_local() {
            let ty = ty.or_else(|| self.literal_type(&written));
            return self.add_package_variables(&names, VariableKind::Module, ty.as_ref(), &values);
        }
        self.bind_declared(&names, ty.as_ref(), &values, self.tree.node(node).end);
    }

    /// The type of a package variable that is given a function literal.
    fn literal_type(&self, values: &[NodeIndex]) -> Option<TypeExpr> {
        match values {
            [only] if self.kind(*only) == Kind::FuncLiteral => Some(self.types.lower(*only)),
            _ => None,
        }
    }

    fn bind_declared(&mut self, names: &[NodeIndex], ty: Option<&TypeExpr>, values: &[ExprIndex], at: u32) {
        for (position, name) in names.iter().enumerate() {
            let value = values.get(position).filter(|_| ty.is_none()).copied();
            self.bind(self.text(*name), at, BindingKind::Local, ty.cloned(), value);
        }
    }

    /// A constant without a value repeats the type and values of the one before (*Constant declarations*).
    fn exit_const(&mut self, node: NodeIndex) {
        let names = self.fields(node, Field::Name);
        let written = self.listed(node, Field::Value);
        if !written.is_empty() {
            let ty = self.tree.child(node, Field::Type).map(|ty| self.types.lower(ty));
            self.repeated = (ty, self.spread(&written, names.len()));
        }
        let (ty, values) = self.repeated.clone();
        if self.is_local() {
            self.bind_declared(&names, ty.as_ref(), &values, self.tree.node(node).end);
        } else {
            self.add_package_variables(&names, VariableKind::Constant, ty.as_ref(), &values);
        }
    }
}
