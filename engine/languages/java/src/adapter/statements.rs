//! Local variables and what statements say of values.

use bindery_facts::{BindingKind, Expr, ExprIndex, ScopeIndex, TypeExpr};
use bindery_syntax::NodeIndex;

use super::kinds::{Field, Kind};
use super::reader::Reader;

impl Reader<'_> {
    /// A declarator of a local variable or field, its initializer read.
    pub(super) fn read_declarator(&mut self, node: NodeIndex) {
        let declaration = self.parent(node);
        let kind = self.kind(declaration);
        let is_local = kind == Kind::LocalVariableDeclaration;
        if !is_local && !matches!(kind, Kind::FieldDeclaration | Kind::ConstantDeclaration) {
            return;
        }
        let ty = self.declared_type(declaration, node);
        let initializer = self.child(node, Field::Value);
        if let (Some(ty), Some(initializer)) = (&ty, initializer) {
            self.give_type(initializer, ty.clone());
        }
        if is_local {
            let value = initializer.filter(|_| ty.is_none()).map(|value| self.value(value));
            let name = self.child_text(node, Field::Name);
            self.bind_local(self.scope(node), name, self.end(node), ty, value);
        }
    }

    fn bind_local(
        &mut self,
        scope: ScopeIndex,
        name: &str,
        at: u32,
        ty: Option<TypeExpr>,
        value: Option<ExprIndex>,
    ) {
        if name != "_" {
            self.bind(scope, name, at, BindingKind::Local, ty, value);
        }
    }

    /// `try (T x = …)`: the variable holds in the rest of the statement.
    pub(super) fn read_resource(&mut self, node: NodeIndex) {
        if self.child(node, Field::Name).is_none() {
            return;
        }
        let ty = self.declared_type(node, node);
        let value = self.child(node, Field::Value).filter(|_| ty.is_none()).map(|value| self.value(value));
        let name = self.child_text(node, Field::Name);
        self.bind_local(self.scope(node), name, self.end(node), ty, value);
    }

    pub(super) fn read_catch_parameter(&mut self, node: NodeIndex) {
        let types = self.tree.child_of_kind(node, Kind::CatchType).map(|list| self.types_in(list));
        let mut types = types.unwrap_or_default();
        let ty = if types.len() == 1 { types.remove(0) } else { TypeExpr::Union(types) };
        let name = self.child_text(node, Field::Name);
        self.bind_local(self.scope(node), name, self.end(node), Some(ty), None);
    }

    // ---- Patterns

    /// `x instanceof T y`. Where the pattern variable holds depends on what the condition decides
    /// (JLS 6.3.1); it is bound in the whole block from here on, because a program that uses the name
    /// where it does not hold means something else by it only if that is declared further out.
    pub(super) fn read_instanceof(&mut self, node: NodeIndex) {
        if let (Some(name), Some(right)) = (self.child(node, Field::Name), self.child(node, Field::Right)) {
            let ty = self.type_expr(right);
            self.bind_local(self.scope(node), self.text(name), self.end(node), Some(ty), None);
        }
        let value = self.push(Expr::Literal(bindery_facts::Literal::Bool));
        self.set_value(node, value);
    }

    /// The variable of a type pattern or of a record pattern's component.
    pub(super) fn read_pattern_variable(&mut self, node: NodeIndex) {
        let mut parts = self.tree.children(node);
        let (Some(written), Some(name)) = (parts.next(), parts.next()) else { return };
        if self.kind(name) != Kind::Identifier {
            return;
        }
        let ty = match self.text(written) {
            "var" => None,
            _ => Some(self.type_expr(written)),
        };
        let (scope, at) = (self.scope(node), self.end(node));
        let value = if ty.is_none() { self.component_value(node, scope, at) } else { None };
        self.bind_local(scope, self.text(name), at, ty, value);
    }

    /// `var` in a record pattern has the type of the component it stands for.
    fn component_value(&mut self, node: NodeIndex, scope: ScopeIndex, at: u32) -> Option<ExprIndex> {
        let list = self.parent(node);
        let position = self.tree.children(list).position(|part| part == node)?;
        let record = self.tree.children(self.parent(list)).next()?;
        let ty = self.type_expr(record);
        let pattern = self.push(Expr::Cast { base: None, ty, scope, at });
        Some(self.push(Expr::TupleItem { base: pattern, index: position as u32 }))
    }

    // ---- Results of lambdas, methods and switches

    pub(super) fn read_return(&mut self, node: NodeIndex) {
        let Some(value) = self.tree.children(node).next() else { return };
        let info = *self.info(self.scope(node));
        match info.lambda {
            Some(lambda) => {
                let result = self.value(value);
                self.lambda_results.entry(lambda).or_default().push(result);
            }
            None => {
                let returns =
                    info.caller.and_then(|caller| self.decls[caller.0 as usize].decl.returns.clone());
                if let Some(returns) = returns {
                    self.give_type(value, returns);
                }
            }
        }
    }

    pub(super) fn read_yield(&mut self, node: NodeIndex) {
        let Some(value) = self.tree.children(node).next().map(|value| self.value(value)) else { return };
        let Some(switch) = self.info(self.scope(node)).switch else { return };
        self.switch_results.entry(switch).or_default().push(value);
    }

    /// `case … -> expression;` gives the expression.
    pub(super) fn read_switch_rule(&mut self, node: NodeIndex) {
        let result = self.tree.children(node).last();
        let Some(result) = result.filter(|result| self.kind(*result) == Kind::ExpressionStatement) else {
            return;
        };
        let Some(value) = self.tree.children(result).next().map(|value| self.value(value)) else { return };
        let switch = self.parent(self.parent(node));
        self.switch_results.entry(switch).or_default().push(value);
    }

    // ---- Types from the context

    /// What stands where a value of type `ty` is expected: the lambdas in it take their parameters
    /// from the function type that `ty` is.
    pub(super) fn give_type(&mut self, node: NodeIndex, ty: TypeExpr) {
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            match self.kind(node) {
                Kind::ParenthesizedExpression => open.extend(self.tree.children(node)),
                Kind::TernaryExpression => {
                    let branches = [Field::Consequence, Field::Alternative];
                    open.extend(branches.into_iter().filter_map(|branch| self.child(node, branch)));
                }
                Kind::LambdaExpression => {
                    if self.open_params.get(&node).is_none_or(Vec::is_empty) {
                        continue;
                    }
                    let (scope, at) = (self.scope(node), self.start(node));
                    let expected = self.push(Expr::Cast { base: None, ty: ty.clone(), scope, at });
                    self.fill_lambda(node, expected, 0);
                }
                _ => {}
            }
        }
    }

    /// Says that the open parameters of a lambda are what the function type expected as argument `arg`
    /// of `call` takes; `call` may be a cast to that function type.
    pub(super) fn fill_lambda(&mut self, lambda: NodeIndex, call: ExprIndex, arg: u32) {
        for binding in self.open_params.remove(&lambda).unwrap_or_default() {
            let BindingKind::Param(param) = self.bodies.bindings[binding as usize].kind else { continue };
            let value = self.push(Expr::ClosureParam { call, arg, param });
            self.bodies.bindings[binding as usize].value = Some(value);
        }
    }
}
