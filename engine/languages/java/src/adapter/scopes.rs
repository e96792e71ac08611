//! Which scope the children of each node are read in.

use bindery_facts::{BindingKind, DeclIndex, Expr, ScopeIndex, ScopeKind};
use bindery_syntax::NodeIndex;

use super::kinds::{Field, Kind};
use super::reader::Reader;

impl Reader<'_> {
    pub(super) fn scope_of_children(&mut self, node: NodeIndex) -> ScopeIndex {
        let outer = self.scope(node);
        self.bind_loop_variable(node, outer);
        match self.kind(node) {
            Kind::Program => ScopeIndex::FILE,
            kind if kind.is_type_body() => self.type_scope(node, outer),
            kind if kind.declares_callable() => self.function_scope(node, outer),
            Kind::LambdaExpression => self.open_scope(outer, ScopeKind::Closure, None, |_, info| {
                info.lambda = Some(node);
            }),
            Kind::SwitchBlock => {
                let switch = self.parent(node);
                self.open_scope(outer, ScopeKind::Block, None, |_, info| info.switch = Some(switch))
            }
            Kind::Block if self.is_body_of_function(node) => outer,
            Kind::Block
            | Kind::ForStatement
            | Kind::EnhancedForStatement
            | Kind::TryWithResourcesStatement
            | Kind::CatchClause
            | Kind::SwitchRule => self.open_scope(outer, ScopeKind::Block, None, |_, _| {}),
            _ => outer,
        }
    }

    /// A method's own block opens no scope beside the method's; an initializer's does.
    fn is_body_of_function(&self, block: NodeIndex) -> bool {
        let kind = self.kind(self.parent(block));
        kind.declares_callable() || kind == Kind::LambdaExpression
    }

    fn type_scope(&mut self, body: NodeIndex, outer: ScopeIndex) -> ScopeIndex {
        let declaring = self.parent(body);
        let decl = match self.decl_of.get(&declaring) {
            Some(decl) if self.kind(declaring).declares_type() => *decl,
            _ => self.declare_anonymous(body),
        };
        self.open_scope(outer, ScopeKind::Type, Some(decl), |scope, info| {
            info.owner = Some(decl);
            info.type_scope = scope;
            info.lambda = None;
        })
    }

    fn function_scope(&mut self, node: NodeIndex, outer: ScopeIndex) -> ScopeIndex {
        let Some(decl) = self.decl_of.get(&node).copied() else { return outer };
        let scope = self.open_scope(outer, ScopeKind::Function, Some(decl), |_, info| {
            info.owner = Some(decl);
            info.caller = Some(decl);
            info.is_local = true;
            info.lambda = None;
        });
        self.bind_parameters(node, scope, decl);
        scope
    }

    fn bind_parameters(&mut self, node: NodeIndex, scope: ScopeIndex, decl: DeclIndex) {
        let params = self.decls[decl.0 as usize].decl.params.clone();
        let at = self.start(node);
        for (index, param) in params.into_iter().enumerate() {
            // What a rest parameter is inside the method is for the engine to say.
            let ty = param.ty.filter(|_| param.kind == bindery_facts::ParamKind::Normal);
            self.bind(scope, &param.name, at, BindingKind::Param(index as u32), ty, None);
        }
    }

    /// `for (T x : xs)`: the variable holds in the body, `xs` was read before it.
    fn bind_loop_variable(&mut self, body: NodeIndex, scope: ScopeIndex) {
        let statement = self.parent(body);
        if self.kind(statement) != Kind::EnhancedForStatement || self.tree.node(body).field != Field::Body {
            return;
        }
        self.bind_for_each(statement, scope, self.start(body));
    }

    /// Binds the variable of an enhanced `for` before its body, which is read in `scope`.
    pub(super) fn bind_for_each(&mut self, statement: NodeIndex, scope: ScopeIndex, at: u32) {
        let ty = self.declared_type(statement, statement);
        let value = match &ty {
            Some(_) => None,
            None => {
                let base = self.child(statement, Field::Value).map(|value| self.value(value));
                base.map(|base| self.push(Expr::Element { base, is_async: false }))
            }
        };
        let name = self.child_text(statement, Field::Name);
        self.bind(scope, name, at, BindingKind::Local, ty, value);
    }
}
