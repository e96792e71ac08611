//! Call sites, constructions, conversions, and accesses to state.

use bindery_facts::{Access, CallSite, Expr, ExprIndex, Name, SiteKind};
use bindery_syntax::{NodeIndex, text::raw_after};

use super::kinds::{Field, Kind};
use super::reader::Reader;

/// Longer callees are cut by `bindery_syntax::text::raw`.
const RAW_LIMIT: usize = 120;

impl Reader<'_> {
    /// `f(…)`, `a.f(…)`, `f[T](…)`.
    pub(super) fn call(&mut self, node: NodeIndex) -> Option<ExprIndex> {
        let function = self.tree.child(node, Field::Function)?;
        let callee = match self.tree.child(node, Field::TypeArguments) {
            Some(list) => self.with_arguments(function, list),
            None => self.value(function),
        };
        let list = self.tree.child(node, Field::Arguments);
        let args: Vec<_> = list.into_iter().flat_map(|list| self.parts(list)).collect();
        let args = args.into_iter().map(|arg| self.value(arg)).collect();
        let expr = Expr::Call { callee, args, keywords: Vec::new() };
        Some(self.add_site(node, function, expr, SiteKind::Call))
    }

    /// `T{ … }`.
    pub(super) fn construction(&mut self, node: NodeIndex) -> Option<ExprIndex> {
        let ty = self.tree.child(node, Field::Type)?;
        let (scope, at) = (self.context.scope, self.tree.node(ty).start);
        let expr = Expr::New { ty: self.types.lower(ty), args: Vec::new(), scope, at };
        Some(self.add_site(node, ty, expr, SiteKind::Construct))
    }

    /// `[]T(x)`, and `f[T](x)`, which the grammar reads as a conversion too.
    pub(super) fn conversion(&mut self, node: NodeIndex) -> Option<ExprIndex> {
        let ty = self.tree.child(node, Field::Type)?;
        let (scope, at) = (self.context.scope, self.tree.node(ty).start);
        let callee = self.push(Expr::Path { path: self.types.lower(ty), scope, at });
        let operand = self.tree.child(node, Field::Operand);
        let args = operand.map(|operand| self.value(operand)).into_iter().collect();
        let expr = Expr::Call { callee, args, keywords: Vec::new() };
        Some(self.add_site(node, ty, expr, SiteKind::Call))
    }

    fn add_site(&mut self, node: NodeIndex, callee: NodeIndex, expr: Expr, kind: SiteKind) -> ExprIndex {
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
        expr
    }

    /// The node of the name that a callee ends with; the callee itself if it has none.
    fn name_of(&self, callee: NodeIndex) -> NodeIndex {
        let mut node = callee;
        loop {
            let inner = match self.kind(node) {
                Kind::SelectorExpression => self.tree.child(node, Field::Member),
                Kind::QualifiedType => self.tree.child(node, Field::Name),
                Kind::GenericType | Kind::TypeInstantiation => self.tree.child(node, Field::Type),
                Kind::IndexExpression => self.tree.child(node, Field::Operand),
                Kind::ParenthesizedExpression => self.parts(node).next(),
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
        // Most callees are a name or a short chain and are shown as they stand.
        let is_plain = |c: char| !c.is_whitespace() && !matches!(c, '(' | '{' | '/');
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
                Kind::ArgumentList => "(…)",
                Kind::Block | Kind::LiteralValue | Kind::FieldDeclarationList => "{…}",
                Kind::Comment => "",
                _ => {
                    next += 1;
                    continue;
                }
            };
            replaced.push((node.start..node.end, replacement));
            next = node.after;
        }
        // A chain that goes on in the next line has its dot at the end of the one before.
        Name::from(raw_after(&shown, self.source, start..place.end, &replaced).replace(". ", "."))
    }

    /// The call that a chain goes on from, and its site.
    fn call_before(&self, callee: NodeIndex) -> Option<(NodeIndex, u32)> {
        let mut node = callee;
        loop {
            node = match self.kind(node) {
                Kind::SelectorExpression
                | Kind::IndexExpression
                | Kind::SliceExpression
                | Kind::TypeAssertion => self.tree.child(node, Field::Operand)?,
                Kind::CallExpression => return self.site_of.get(&node).map(|site| (node, *site)),
                _ => return None,
            }
        }
    }

    /// Whether a selector or name is what a call calls.
    pub(super) fn is_callee(&self, node: NodeIndex) -> bool {
        self.field(node) == Field::Function && self.kind(self.parent(node)) == Kind::CallExpression
    }

    /// Notes that a field or package variable is read or written.
    pub(super) fn add_access(&mut self, node: NodeIndex, expr: ExprIndex) {
        let access = Access {
            expr,
            caller: self.context.caller,
            line: self.lines.line(self.tree.node(self.name_of(node)).start),
            is_write: self.is_written(node),
        };
        self.accesses.push((node, access));
    }

    /// A name that is not local, in the place of an expression, may be a package variable.
    pub(super) fn note_variable(&mut self, node: NodeIndex) {
        if self.is_operand(node) && !self.is_callee(node) && !self.is_local_name(self.text(node)) {
            let expr = self.value(node);
            self.add_access(node, expr);
        }
    }

    /// Whether a name stands where an expression does: not in a declaration, and not before a selector
    /// of an imported package.
    fn is_operand(&self, node: NodeIndex) -> bool {
        let parent = self.parent(node);
        match self.kind(parent) {
            Kind::SelectorExpression => {
                let name = self.text(node);
                !self.imports.iter().any(|import| match &import.binds {
                    bindery_facts::ImportBinding::Name(bound) => bound == name,
                    _ => import.path.last().is_some_and(|last| last == name),
                })
            }
            Kind::ExpressionList => {
                self.kind(self.parent(parent)) != Kind::ShortVarDeclaration
                    || self.field(parent) != Field::Left
            }
            // The key of an element is a field's name, unless it is a value, which only the type tells.
            Kind::LiteralElement => self.field(parent) != Field::Key,
            Kind::UnaryExpression
            | Kind::BinaryExpression
            | Kind::IndexExpression
            | Kind::SliceExpression
            | Kind::TypeAssertion
            | Kind::TypeConversion
            | Kind::ArgumentList
            | Kind::VariadicArgument
            | Kind::ParenthesizedExpression
            | Kind::IncStatement
            | Kind::DecStatement
            | Kind::IfStatement
            | Kind::ForStatement
            | Kind::RangeClause
            | Kind::ExpressionSwitch
            | Kind::TypeSwitch => true,
            _ => false,
        }
    }

    /// Whether a place is assigned, itself or through an index or `*`.
    fn is_written(&self, node: NodeIndex) -> bool {
        let mut node = node;
        loop {
            let parent = self.parent(node);
            match self.kind(parent) {
                Kind::IncStatement | Kind::DecStatement => return true,
                Kind::AssignmentStatement | Kind::RangeClause | Kind::ReceiveStatement => {
                    return self.field(node) == Field::Left;
                }
                Kind::ExpressionList | Kind::ParenthesizedExpression => node = parent,
                Kind::IndexExpression if self.field(node) == Field::Operand => node = parent,
                Kind::UnaryExpression if self.text(parent).starts_with('*') => node = parent,
                _ => return false,
            }
        }
    }
}
