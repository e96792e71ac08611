//! Call sites, constructions, and accesses to state.

use bindery_facts::{Access, CallSite, Expr, ExprIndex, Name, SiteKind};
use bindery_syntax::{NodeIndex, text::raw_after};

use super::kinds::{Field, Kind};
use super::reader::{Lowered, Reader};

/// Longer callees are cut by `bindery_syntax::text::raw`.
const RAW_LIMIT: usize = 120;

impl Reader<'_> {
    /// `f(…)`, `a.f(…)`.
    pub(super) fn call(&mut self, node: NodeIndex) -> Lowered {
        let Some(function) = self.tree.child(node, Field::Function) else { return Lowered::Not };
        let callee = self.value(function);
        let args = self.tree.child(node, Field::Arguments).map_or(Vec::new(), |list| self.values(list));
        let expr = Expr::Call { callee, args, keywords: Vec::new() };
        self.add_site(node, function, expr, SiteKind::Call)
    }

    /// `T { … }`, with the values of its fields as arguments.
    pub(super) fn construction(&mut self, node: NodeIndex) -> Lowered {
        let Some(name) = self.tree.child(node, Field::Name) else { return Lowered::Not };
        let list = self.tree.child(node, Field::Body);
        let fields: Vec<_> = list.into_iter().flat_map(|list| self.parts(list)).collect();
        let values = fields.into_iter().filter_map(|field| match self.kind(field) {
            Kind::FieldInitializer => self.tree.child(field, Field::Value),
            Kind::ShorthandFieldInitializer => self.parts(field).last(),
            _ => None,
        });
        let values: Vec<_> = values.collect();
        let args = values.into_iter().map(|value| self.value(value)).collect();
        let (scope, at) = (self.context.scope, self.tree.node(name).start);
        let expr = Expr::New { ty: self.types.lower(name), args, scope, at };
        self.add_site(node, name, expr, SiteKind::Construct)
    }

    fn add_site(&mut self, node: NodeIndex, callee: NodeIndex, expr: Expr, kind: SiteKind) -> Lowered {
        let expr = self.push(expr);
        let site = CallSite {
            expr,
            caller: self.context.caller,
            scope: self.context.scope,
            line: self.lines.line(self.tree.node(self.name_of(callee)).start),
            raw: self.raw(callee),
            is_await: false,
            kind,
        };
        self.site_of.insert(node, self.sites.len() as u32);
        self.sites.push((node, site));
        Lowered::To(expr)
    }

    /// The node of the name that a callee ends with; the callee itself if it has none.
    fn name_of(&self, callee: NodeIndex) -> NodeIndex {
        let mut node = callee;
        loop {
            let inner = match self.kind(node) {
                Kind::FieldExpression => self.tree.child(node, Field::Member),
                Kind::ScopedIdentifier | Kind::ScopedTypeIdentifier => self.tree.child(node, Field::Name),
                Kind::GenericFunction => self.tree.child(node, Field::Function),
                Kind::GenericType | Kind::GenericTypeWithTurbofish => self.tree.child(node, Field::Type),
                _ => None,
            };
            match inner {
                Some(inner) => node = inner,
                None => return node,
            }
        }
    }

    fn raw(&self, callee: NodeIndex) -> Name {
        let text = self.text(callee);
        // Most callees are a path or a short chain and are shown as they stand.
        let is_plain = |c: char| !c.is_whitespace() && !matches!(c, '(' | '{' | '[' | '/');
        if text.len() <= RAW_LIMIT && text.chars().all(is_plain) {
            return Name::from(text);
        }
        let place = self.tree.node(callee);
        // A chain goes on from the call before it, whose text is known: looking at all of it again for
        // each call would be quadratic.
        let (shown, start, mut next) = match self.call_before(callee) {
            Some((call, site)) => {
                let before = &self.sites[site as usize].1.raw;
                (format!("{before}(…)"), self.tree.node(call).end, self.tree.node(call).after)
            }
            None => (String::new(), place.start, callee),
        };
        let mut replaced = Vec::new();
        while next < place.after {
            let node = self.tree.node(next);
            let replacement = match node.kind {
                Kind::Arguments | Kind::TokenTree => "(…)",
                Kind::Block | Kind::MatchBlock => "{…}",
                Kind::LineComment | Kind::BlockComment => "",
                _ => {
                    next += 1;
                    continue;
                }
            };
            replaced.push((node.start..node.end, replacement));
            next = node.after;
        }
        Name::from(raw_after(&shown, self.source, start..place.end, &replaced))
    }

    /// The call that a chain goes on from, and its site.
    fn call_before(&self, callee: NodeIndex) -> Option<(NodeIndex, u32)> {
        let mut node = callee;
        loop {
            node = match self.kind(node) {
                Kind::FieldExpression => self.tree.child(node, Field::Value)?,
                Kind::GenericFunction => self.tree.child(node, Field::Function)?,
                Kind::TryExpression | Kind::AwaitExpression | Kind::IndexExpression => {
                    self.parts(node).next()?
                }
                Kind::CallExpression => return self.site_of.get(&node).map(|site| (node, *site)),
                _ => return None,
            }
        }
    }

    /// `base.name` where it is not called: a field is read or written.
    pub(super) fn member(&mut self, node: NodeIndex) -> Lowered {
        let Some(expr) = self.member_expr(node) else { return Lowered::Not };
        let expr = self.push(expr);
        if !self.is_callee(node) {
            self.add_access(node, expr);
        }
        Lowered::To(expr)
    }

    fn is_callee(&self, node: NodeIndex) -> bool {
        let mut node = node;
        loop {
            let parent = self.parent(node);
            match self.kind(parent) {
                _ if self.tree.node(node).field != Field::Function => return false,
                Kind::GenericFunction => node = parent,
                kind => return kind == Kind::CallExpression,
            }
        }
    }

    fn add_access(&mut self, node: NodeIndex, expr: ExprIndex) {
        let access = Access {
            expr,
            caller: self.context.caller,
            line: self.lines.line(self.tree.node(self.name_of(node)).start),
            is_write: self.is_written(node),
        };
        self.accesses.push((node, access));
    }

    /// A name in capitals in the place of an expression may be a static.
    pub(super) fn note_static(&mut self, node: NodeIndex) {
        let name = self.text(self.name_of(node));
        let is_capital = name.len() > 1
            && name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
            && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
            && name.bytes().any(|byte| byte.is_ascii_uppercase());
        if is_capital && self.is_operand(node) && !self.is_callee(node) {
            let expr = self.value(node);
            self.add_access(node, expr);
        }
    }

    /// Whether a name stands where an expression does, not in a pattern, path, type or declaration.
    fn is_operand(&self, node: NodeIndex) -> bool {
        match self.tree.node(node).field {
            Field::Value | Field::Right | Field::Left | Field::Condition | Field::Function | Field::Body => {
                !matches!(self.kind(self.parent(node)), Kind::WherePredicate | Kind::RangePattern)
            }
            Field::None | Field::Length => matches!(
                self.kind(self.parent(node)),
                Kind::Arguments
                    | Kind::ArrayExpression
                    | Kind::ArrayType
                    | Kind::AwaitExpression
                    | Kind::BinaryExpression
                    | Kind::Block
                    | Kind::BreakExpression
                    | Kind::ExpressionStatement
                    | Kind::IndexExpression
                    | Kind::LetChain
                    | Kind::ParenthesizedExpression
                    | Kind::RangeExpression
                    | Kind::ReferenceExpression
                    | Kind::ReturnExpression
                    | Kind::TryExpression
                    | Kind::TupleExpression
                    | Kind::UnaryExpression
            ),
            _ => false,
        }
    }

    /// Whether a place is assigned or mutably borrowed, itself or through an index or `*`.
    fn is_written(&self, node: NodeIndex) -> bool {
        let mut node = node;
        loop {
            let parent = self.parent(node);
            let is_first = self.parts(parent).next() == Some(node);
            match self.kind(parent) {
                Kind::AssignmentExpression | Kind::CompoundAssignment => {
                    return self.tree.node(node).field == Field::Left;
                }
                Kind::ReferenceExpression => {
                    return self.tree.child_of_kind(parent, Kind::MutableSpecifier).is_some();
                }
                Kind::IndexExpression if is_first => node = parent,
                Kind::ParenthesizedExpression => node = parent,
                Kind::UnaryExpression if self.text(parent).starts_with('*') => node = parent,
                _ => return false,
            }
        }
    }
}
