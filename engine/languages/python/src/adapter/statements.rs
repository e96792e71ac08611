//! Assignments and the other statements that bind names.

use bindery_facts::{BindingKind, Expr, ExprIndex, Name, ScopeIndex, TypeExpr, VariableKind};
use bindery_syntax::NodeIndex;

use super::kinds::{Field, Kind, dotted_text, unparenthesized};
use super::reader::{Reader, VariableDraft};
use super::strings;
use super::type_comments;
use super::type_text::type_expr;

/// A value on its way to the names it is assigned to.
#[derive(Clone)]
pub(super) struct Assigned {
    pub(super) value: Option<ExprIndex>,
    pub(super) ty: Option<TypeExpr>,
    /// The scope the names are bound in, and from where on they hold.
    pub(super) scope: ScopeIndex,
    pub(super) at: u32,
    /// Whether this changes what the target held (`+=`).
    pub(super) is_change: bool,
}

impl Reader<'_> {
    // ---- Statements

    pub(super) fn read_assignment(&mut self, node: NodeIndex) {
        let Some(target) = self.child(node, Field::Left) else { return };
        let right = self.child(node, Field::Right);
        let ty = self.child(node, Field::Type).map(|ty| self.text(ty));
        let value = right.map(|right| self.value(right));
        if let Some(value) = value {
            self.set_value(node, value);
        }
        self.read_exports(target, right, false);
        self.assign(
            target,
            Assigned {
                value: value.filter(|value| *value != ExprIndex(0)),
                ty: match ty {
                    Some(ty) => Some(type_expr(ty)).filter(|ty| *ty != TypeExpr::Unknown),
                    None => type_comments::behind(self.source, self.end(node)),
                },
                scope: self.scope(node),
                at: self.end(node),
                is_change: false,
            },
            ty,
        );
    }

    pub(super) fn read_augmented_assignment(&mut self, node: NodeIndex) {
        let (Some(target), Some(right)) = (self.child(node, Field::Left), self.child(node, Field::Right))
        else {
            return;
        };
        let operator = self.between(self.end(target), self.start(right)).trim();
        let operands = vec![self.value(target), self.value(right)];
        let value = self.push(Expr::Operation { operator: operator.into(), operands });
        self.read_exports(target, Some(right), true);
        let assigned = Assigned {
            value: Some(value),
            ty: None,
            scope: self.scope(node),
            at: self.end(node),
            is_change: true,
        };
        self.assign(target, assigned, None);
    }

    pub(super) fn read_named_expression(&mut self, node: NodeIndex) {
        let (Some(name), Some(value)) = (self.child(node, Field::Name), self.child(node, Field::Value))
        else {
            return;
        };
        let value = self.value(value);
        self.set_value(node, value);
        let mut scope = self.scope(node);
        while self.bodies.scopes[self.info(scope).names.0 as usize].kind
            == bindery_facts::ScopeKind::Comprehension
        {
            let names = self.info(scope).names;
            scope = self.bodies.scopes[names.0 as usize].parent.unwrap_or(ScopeIndex::FILE);
        }
        let assigned = Assigned { value: Some(value), ty: None, scope, at: self.end(node), is_change: false };
        self.assign(name, assigned, None);
    }

    /// Binds the targets of a `for` statement at the start of its body.
    pub(super) fn bind_loop_target(&mut self, node: NodeIndex, scope: ScopeIndex, at: u32) {
        let (Some(target), Some(iterable)) = (self.child(node, Field::Left), self.child(node, Field::Right))
        else {
            return;
        };
        let is_async = self.is_async(node);
        let value = self.push(Expr::Element { base: self.value(iterable), is_async });
        let is_statement = self.kind(node) == Kind::ForStatement;
        let ty = is_statement.then(|| type_comments::behind(self.source, self.end(iterable))).flatten();
        self.assign(target, Assigned { value: Some(value), ty, scope, at, is_change: false }, None);
    }

    /// Binds the targets of a comprehension's clause in the comprehension, whose parts before the
    /// clause see them too.
    pub(super) fn read_for_in_clause(&mut self, node: NodeIndex) {
        let at = self.start(self.parent(node));
        self.bind_loop_target(node, self.scope(node), at);
    }

    pub(super) fn read_with_item(&mut self, node: NodeIndex) {
        let Some(item) = self.child(node, Field::Value).map(|item| unparenthesized(self.tree, item)) else {
            return;
        };
        let target = self.tree.child_of_kind(item, Kind::AsPatternTarget);
        let manager = self.tree.children(item).next();
        let (Kind::AsPattern, Some(target), Some(manager)) = (self.kind(item), target, manager) else {
            return;
        };
        let statement = self.ancestor(node, Kind::WithStatement);
        let is_async = statement.is_some_and(|statement| self.is_async(statement));
        let value = self.push(Expr::Enter { base: self.value(manager), is_async });
        let assigned = Assigned {
            value: Some(value),
            ty: type_comments::behind(self.source, self.end(node)),
            scope: self.scope(node),
            at: self.end(node),
            is_change: false,
        };
        self.assign(target, assigned, None);
    }

    fn ancestor(&self, node: NodeIndex, kind: Kind) -> Option<NodeIndex> {
        let parent = self.parent(node);
        [parent, self.parent(parent)].into_iter().find(|node| self.kind(*node) == kind)
    }

    /// `except E as name`: the name is an instance of one of the classes.
    pub(super) fn bind_exception(&mut self, clause: NodeIndex) {
        let Some(caught) = self.child(clause, Field::Value) else { return };
        let (types, target) = match self.kind(caught) {
            Kind::AsPattern => {
                (self.tree.children(caught).next(), self.tree.child_of_kind(caught, Kind::AsPatternTarget))
            }
            _ => (Some(caught), self.child(clause, Field::Alias)),
        };
        let (Some(types), Some(target)) = (types, target) else { return };
        let scope = self.scope(clause);
        let at = self.end(target);
        let ty = match type_expr(self.text(types)) {
            TypeExpr::Tuple(members) => TypeExpr::Union(members),
            other => other,
        };
        let value = self.push(Expr::Cast { base: None, ty, scope, at });
        self.assign(target, Assigned { value: Some(value), ty: None, scope, at, is_change: false }, None);
    }

    pub(super) fn read_return(&mut self, node: NodeIndex) {
        let value = self.tree.children(node).next().map(|value| self.value(value));
        let caller = self.info(self.scope(node)).caller;
        if let (Some(value), Some(caller)) = (value, caller) {
            self.decls[caller.0 as usize].returned.push(value);
        }
    }

    pub(super) fn read_yield(&mut self, node: NodeIndex) {
        let is_from = self.text(node).trim_start_matches("yield").trim_start().starts_with("from");
        let value = self.tree.children(node).next().map(|value| self.value(value));
        let Some(caller) = self.info(self.scope(node)).caller else { return };
        let value = match value {
            Some(base) if is_from => Some(self.push(Expr::Element { base, is_async: false })),
            other => other,
        };
        let draft = &mut self.decls[caller.0 as usize];
        draft.decl.flags.is_generator = true;
        draft.yielded.extend(value);
    }

    pub(super) fn read_delete(&mut self, node: NodeIndex) {
        let mut targets: Vec<NodeIndex> = self.tree.children(node).collect();
        while let Some(target) = targets.pop() {
            match self.kind(target) {
                Kind::Identifier => {
                    self.bind(self.scope(node), self.text(target), self.end(node), BindingKind::Opaque);
                }
                Kind::Attribute => self.mark_written(target),
                Kind::Subscript => self.mark_changed(target),
                _ => targets.extend(self.tree.children(target)),
            }
        }
    }

    pub(super) fn read_assert(&mut self, node: NodeIndex) {
        let Some(condition) = self.tree.children(node).next() else { return };
        let proofs = super::narrowing::proofs(self.tree, self.source, condition, true);
        for proof in proofs {
            let (scope, at) = (self.scope(node), self.end(node));
            self.bind_value(scope, &proof.name, at, BindingKind::Narrow, Some(proof.ty), None);
        }
    }

    // ---- Targets

    /// Assigns to every name, attribute and item of a target.
    pub(super) fn assign(&mut self, target: NodeIndex, assigned: Assigned, annotation: Option<&str>) {
        let mut open = vec![(target, assigned)];
        while let Some((target, assigned)) = open.pop() {
            match self.kind(target) {
                Kind::Identifier => self.assign_name(target, assigned, annotation),
                Kind::Attribute => self.assign_attribute(target, assigned, annotation),
                Kind::Subscript => self.mark_changed(target),
                Kind::ListSplatPattern | Kind::ListSplat => {
                    let opaque = Assigned { value: None, ty: None, ..assigned };
                    open.extend(self.tree.children(target).map(|inner| (inner, opaque.clone())));
                }
                Kind::TuplePattern | Kind::ListPattern | Kind::PatternList | Kind::Tuple | Kind::List => {
                    self.take_apart(target, assigned, &mut open);
                }
                Kind::AsPatternTarget | Kind::ParenthesizedExpression => {
                    open.extend(self.tree.children(target).next().map(|inner| (inner, assigned)));
                }
                _ => {}
            }
        }
    }

    /// Gives each part of a destructuring target its part of the value; behind a starred one the
    /// positions are not known.
    fn take_apart(&mut self, target: NodeIndex, assigned: Assigned, open: &mut Vec<(NodeIndex, Assigned)>) {
        let mut is_known = true;
        let mut parts = Vec::new();
        for (index, part) in self.tree.children(target).enumerate() {
            is_known &= !matches!(self.kind(part), Kind::ListSplatPattern | Kind::ListSplat);
            let base = assigned.value.filter(|_| is_known);
            let value =
                base.map(|base| self.bodies.exprs.push(Expr::TupleItem { base, index: index as u32 }));
            let ty = match &assigned.ty {
                Some(TypeExpr::Tuple(types)) if is_known => types.get(index).cloned(),
                _ => None,
            };
            parts.push((part, Assigned { value, ty, ..assigned.clone() }));
        }
        open.extend(parts.into_iter().rev());
    }

    fn assign_name(&mut self, target: NodeIndex, assigned: Assigned, annotation: Option<&str>) {
        let name = self.text(target);
        let names = self.info(assigned.scope).names;
        let is_global = names != ScopeIndex::FILE && self.globals.contains(&(names, name.into()));
        let owner = self.enclosing_class(assigned.scope);
        if is_global || names == ScopeIndex::FILE || owner.is_some() {
            let kind = match (owner, annotation) {
                _ if is_global => VariableKind::Module,
                (_, Some(annotation)) if is_final(annotation) => VariableKind::Constant,
                (None, _) => VariableKind::Module,
                // A field declaration, unless it says that it belongs to the class.
                (Some(_), Some(annotation)) if !annotation.contains("ClassVar") => VariableKind::Instance,
                (Some(_), _) => VariableKind::Class,
            };
            self.add_variable(name, owner.filter(|_| !is_global), kind, &assigned, is_global);
        }
        if is_global || assigned.is_change {
            self.record_name_write(target);
        }
        if !is_global {
            let kind = match (&assigned.value, &assigned.ty) {
                (None, None) => BindingKind::Opaque,
                _ => BindingKind::Local,
            };
            self.bind_value(assigned.scope, name, assigned.at, kind, assigned.ty, assigned.value);
        }
    }

    fn assign_attribute(&mut self, target: NodeIndex, assigned: Assigned, annotation: Option<&str>) {
        self.mark_written(target);
        let object = self.child(target, Field::Object).map(|object| self.text(object));
        let receiver = self.info(assigned.scope).receiver.clone();
        let Some(receiver) = receiver.filter(|receiver| object == Some(receiver.name.as_str())) else {
            return;
        };
        let name = self.child_text(target, Field::Attribute).to_owned();
        let kind = match annotation {
            Some(annotation) if is_final(annotation) => VariableKind::Constant,
            _ if receiver.is_class => VariableKind::Class,
            _ => VariableKind::Instance,
        };
        self.add_variable(&name, Some(receiver.class), kind, &assigned, false);
        // Behind `self.x = Foo()` the attribute holds what was assigned, whatever else it may hold.
        if let Some(dotted) = dotted_text(self.tree, target, self.source) {
            self.bind_value(
                assigned.scope,
                dotted,
                assigned.at,
                BindingKind::Local,
                assigned.ty,
                assigned.value,
            );
        }
    }

    fn add_variable(
        &mut self,
        name: &str,
        owner: Option<bindery_facts::DeclIndex>,
        kind: VariableKind,
        assigned: &Assigned,
        is_global: bool,
    ) {
        let info = self.info(assigned.scope);
        let (assigned_in, is_conditional) = (info.caller, info.is_conditional);
        let is_change = assigned.is_change || is_global;
        self.variables.push(VariableDraft {
            name: Name::from(name),
            owner,
            kind,
            ty: assigned.ty.clone(),
            value: assigned.value,
            assigned_in,
            is_change,
            is_conditional,
        });
    }

    // ---- __all__

    /// Follows assignments to `__all__` at the top of the file.
    fn read_exports(&mut self, target: NodeIndex, right: Option<NodeIndex>, is_added: bool) {
        let (Some(right), "__all__") = (right, self.text(target)) else { return };
        if self.info(self.scope(target)).names == ScopeIndex::FILE {
            self.add_exports(right, is_added);
        }
    }

    pub(super) fn add_exports(&mut self, list: NodeIndex, is_added: bool) {
        let names = self.exported_names(list);
        self.exports.is_open |= names.is_none();
        let exported = self.exports.names.get_or_insert_default();
        if !is_added {
            exported.clear();
        }
        exported.extend(names.unwrap_or_default());
    }

    /// The strings of a list or tuple display; none if anything else stands in it.
    fn exported_names(&self, list: NodeIndex) -> Option<Vec<Name>> {
        let list = unparenthesized(self.tree, list);
        if !matches!(self.kind(list), Kind::List | Kind::Tuple | Kind::Set | Kind::ExpressionList) {
            return None;
        }
        let literal =
            |item| (self.kind(item) == Kind::String).then(|| Name::from(strings::content(self.text(item))));
        self.tree.children(list).map(literal).collect()
    }
}

fn is_final(annotation: &str) -> bool {
    let head = annotation.split('[').next().unwrap_or_default().trim();
    head.rsplit('.').next() == Some("Final")
}
