//! Call sites and accesses.

use bindery_facts::{Access, CallSite, Expr, ExprIndex, Name, ScopeIndex, Segment, SiteKind, TypeExpr};
use bindery_syntax::{NodeIndex, text};

use super::expressions::marker;
use super::kinds::{Field, Kind};
use super::reader::Reader;
use super::types::unquoted;

/// How much of a callee's end is looked at for its display text, in bytes: enough for the characters
/// that are shown, and a bound on the work that a long chain of calls makes.
const RAW_WINDOW: u32 = 4096;

/// Methods of the built-in containers that change them.
const MUTATING_METHODS: &[&str] = &[
    "add",
    "clear",
    "copyWithin",
    "delete",
    "fill",
    "pop",
    "push",
    "reverse",
    "set",
    "shift",
    "sort",
    "splice",
    "unshift",
];

impl Reader<'_> {
    // ---- Call sites

    /// Takes the site's place in the order of starts; [`Reader::close_site`] fills it in.
    pub(super) fn open_site(&mut self, call: NodeIndex) {
        let kind = match self.kind(call) {
            Kind::NewExpression => SiteKind::Construct,
            _ if self.kind(self.parent(call)) == Kind::Decorator => SiteKind::Decorator,
            _ => SiteKind::Call,
        };
        self.add_site(call, self.callee(call), kind);
    }

    fn add_site(&mut self, call: NodeIndex, callee: Option<NodeIndex>, kind: SiteKind) {
        let scope = self.scope(call);
        let callee = callee.unwrap_or(call);
        let named =
            self.child(callee, Field::Property).filter(|_| self.kind(callee) == Kind::MemberExpression);
        self.open_sites.push(self.bodies.sites.len() as u32);
        self.bodies.sites.push(CallSite {
            expr: ExprIndex(0),
            caller: self.info(scope).caller,
            scope,
            line: self.line(named.unwrap_or(callee)),
            raw: self.raw(callee),
            is_await: self.is_awaited(call),
            kind,
        });
    }

    fn close_with(&mut self, expr: Expr) -> ExprIndex {
        let site = self.open_sites.pop().expect("every call that is left was entered");
        let expr = self.push(expr);
        self.bodies.sites[site as usize].expr = expr;
        expr
    }

    /// What is called or constructed.
    pub(super) fn callee(&self, call: NodeIndex) -> Option<NodeIndex> {
        self.child(call, Field::Function).or(self.child(call, Field::Constructor))
    }

    pub(super) fn close_site(&mut self, call: NodeIndex) {
        let scope = self.scope(call);
        let args = self.arguments(call);
        let callee = self.callee(call);
        let type_args =
            self.child(call, Field::TypeArguments).map(|args| self.type_args(args, 1)).unwrap_or_default();
        let dotted = callee.filter(|_| self.kind(call) == Kind::NewExpression);
        if let Some(names) = dotted.and_then(|callee| self.dotted(callee)) {
            let ty = path(names, type_args);
            let expr = self.close_with(Expr::New { ty, args, scope, at: self.start(call) });
            return self.set_value(call, expr);
        }
        let callee_expr = callee.map_or(ExprIndex(0), |callee| self.callee_value(callee, type_args));
        let expr = self.close_with(Expr::Call { callee: callee_expr, args, keywords: Vec::new() });
        let value = self.module_value(call).map_or(expr, |value| self.push(value));
        self.set_value(call, value);
        if let Some(callee) = callee {
            self.read_mutation(callee);
        }
    }

    fn callee_value(&mut self, callee: NodeIndex, type_args: Vec<TypeExpr>) -> ExprIndex {
        let value = self.value(callee);
        match self.bodies.exprs.get(value).clone() {
            Expr::Super { .. } => {
                self.push(Expr::Member { base: value, name: "constructor".into(), type_args })
            }
            _ if type_args.is_empty() => value,
            Expr::Member { base, name, .. } => self.push(Expr::Member { base, name, type_args }),
            Expr::Name { name, scope, at } => {
                let path = path(vec![name], type_args);
                self.push(Expr::Path { path, scope, at })
            }
            _ => value,
        }
    }

    fn arguments(&mut self, call: NodeIndex) -> Vec<ExprIndex> {
        let Some(list) = self.child(call, Field::Arguments) else { return Vec::new() };
        if self.kind(list) != Kind::Arguments {
            return Vec::new();
        }
        self.tree.children(list).map(|argument| self.value(argument)).collect()
    }

    /// What `require("…")` and `import("…")` of a literal give.
    fn module_value(&mut self, call: NodeIndex) -> Option<Expr> {
        let (word, specifier) = self.module_call(call)?;
        let specifier = Name::from(specifier);
        self.import_for_effect(&specifier);
        Some(marker(word, specifier, ScopeIndex::FILE))
    }

    /// The word and literal of a call that loads a module.
    pub(super) fn module_call(&self, call: NodeIndex) -> Option<(&'static str, &str)> {
        if self.kind(call) != Kind::CallExpression {
            return None;
        }
        let word = match self.text(self.callee(call)?) {
            "require" => crate::REQUIRE,
            "import" => crate::IMPORT,
            _ => return None,
        };
        let list = self.child(call, Field::Arguments)?;
        let first = self.tree.children(list).next().filter(|first| self.kind(*first) == Kind::String)?;
        Some((word, unquoted(self.text(first))))
    }

    fn is_awaited(&self, call: NodeIndex) -> bool {
        let mut parent = self.parent(call);
        while self.kind(parent) == Kind::ParenthesizedExpression {
            parent = self.parent(parent);
        }
        self.kind(parent) == Kind::AwaitExpression
    }

    fn raw(&self, callee: NodeIndex) -> Name {
        if self.kind(callee) == Kind::Identifier {
            return self.text(callee).into();
        }
        let end = self.end(callee);
        let mut start = self.start(callee).max(end.saturating_sub(RAW_WINDOW));
        while !self.source.is_char_boundary(start as usize) {
            start += 1;
        }
        let mut replaced = self.argument_lists(callee, start);
        replaced.sort_unstable_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
        text::raw(self.source, start..end, &replaced).into()
    }

    /// The argument lists and function bodies inside a callee, from byte `start` on.
    fn argument_lists(&self, callee: NodeIndex, start: u32) -> Vec<(std::ops::Range<u32>, &'static str)> {
        let mut found = Vec::new();
        let mut open = vec![callee];
        while let Some(node) = open.pop() {
            if self.end(node) <= start {
                continue;
            }
            match self.kind(node) {
                Kind::Arguments => found.push((self.start(node)..self.end(node), "(…)")),
                Kind::StatementBlock => found.push((self.start(node)..self.end(node), "{…}")),
                _ => open.extend(self.tree.children(node)),
            }
        }
        found
    }

    // ---- Components and decorators

    /// The name of a JSX element that is a component, which rendering calls.
    fn component(&self, element: NodeIndex) -> Option<NodeIndex> {
        let name = self.child(element, Field::Name)?;
        let is_component = super::is_component(self.text(name));
        (is_component && matches!(self.kind(name), Kind::Identifier | Kind::MemberExpression)).then_some(name)
    }

    pub(super) fn open_jsx_site(&mut self, element: NodeIndex) {
        if let Some(name) = self.component(element) {
            self.add_site(element, Some(name), SiteKind::Call);
        }
    }

    pub(super) fn close_jsx_site(&mut self, element: NodeIndex) {
        if let Some(name) = self.component(element) {
            let callee = self.value(name);
            self.close_with(Expr::Call { callee, args: Vec::new(), keywords: Vec::new() });
        }
    }

    pub(super) fn open_decorator(&mut self, decorator: NodeIndex) {
        if let Some(inner) = self.plain_decorator(decorator) {
            self.add_site(decorator, Some(inner), SiteKind::Decorator);
        }
    }

    pub(super) fn close_decorator(&mut self, decorator: NodeIndex) {
        if let Some(inner) = self.plain_decorator(decorator) {
            let callee = self.value(inner);
            self.close_with(Expr::Call { callee, args: Vec::new(), keywords: Vec::new() });
        }
    }

    /// What a decorator names that is no call already.
    fn plain_decorator(&self, decorator: NodeIndex) -> Option<NodeIndex> {
        let inner = self.tree.children(decorator).next()?;
        (self.kind(inner) != Kind::CallExpression).then_some(inner)
    }

    // ---- Accesses

    pub(super) fn record_member_read(&mut self, node: NodeIndex, property: NodeIndex, expr: ExprIndex) {
        if self.type_depth > 0 || self.is_callee(node) {
            return;
        }
        let caller = self.info(self.scope(node)).caller;
        let line = self.line(property);
        self.bodies.accesses.push(Access { expr, caller, line, is_write: false });
    }

    pub(super) fn record_name_read(&mut self, node: NodeIndex, expr: ExprIndex) {
        let is_target = self.field(node) == Field::Left
            && matches!(self.kind(self.parent(node)), Kind::AssignmentExpression | Kind::ForInStatement);
        if self.is_callee(node) || is_target {
            return;
        }
        let caller = self.info(self.scope(node)).caller;
        // The line is filled in for the few that turn out to be module variables.
        self.name_accesses.push(Access { expr, caller, line: self.start(node), is_write: false });
    }

    pub(super) fn record_name_write(&mut self, node: NodeIndex) {
        let caller = self.info(self.scope(node)).caller;
        let expr = self.value(node);
        self.name_accesses.push(Access { expr, caller, line: self.start(node), is_write: true });
    }

    fn is_callee(&self, node: NodeIndex) -> bool {
        matches!(self.field(node), Field::Function | Field::Constructor)
            || matches!(
                self.kind(self.parent(node)),
                Kind::JsxOpening | Kind::JsxSelfClosing | Kind::Decorator
            )
    }

    /// A member is assigned or deleted: its read, which was recorded just before, is a write.
    pub(super) fn mark_written(&mut self, member: NodeIndex) {
        let expr = self.value(member);
        let accesses = self.bodies.accesses.iter_mut().rev().take_while(|access| access.expr >= expr);
        if let Some(access) = accesses.into_iter().find(|access| access.expr == expr) {
            access.is_write = true;
        }
        // A property of what a variable holds changes what it holds.
        if let Some(holder) = self.child(member, Field::Object) {
            self.mark_holder_changed(holder);
        }
    }

    /// `x += 1`, `x.y++`.
    pub(super) fn mark_target_changed(&mut self, target: NodeIndex) {
        match self.kind(target) {
            Kind::Identifier => self.record_name_write(target),
            Kind::MemberExpression => self.mark_written(target),
            Kind::SubscriptExpression => self.mark_changed(target),
            _ => {}
        }
    }

    /// An item of a container is set or deleted, which changes what holds the container.
    pub(super) fn mark_changed(&mut self, subscript: NodeIndex) {
        let mut base = subscript;
        while self.kind(base) == Kind::SubscriptExpression {
            match self.child(base, Field::Object) {
                Some(inner) => base = inner,
                None => return,
            }
        }
        self.mark_holder_changed(base);
    }

    fn mark_holder_changed(&mut self, holder: NodeIndex) {
        let expr = self.value(holder);
        let accesses = match self.kind(holder) {
            Kind::MemberExpression => &mut self.bodies.accesses,
            Kind::Identifier => &mut self.name_accesses,
            _ => return,
        };
        let accesses = accesses.iter_mut().rev().take_while(|access| access.expr >= expr);
        if let Some(access) = accesses.into_iter().find(|access| access.expr == expr) {
            access.is_write = true;
        }
    }

    /// `holder.push(…)` and the like change what the holder holds.
    fn read_mutation(&mut self, callee: NodeIndex) {
        if self.kind(callee) != Kind::MemberExpression {
            return;
        }
        let is_mutating = MUTATING_METHODS.contains(&self.child_text(callee, Field::Property));
        if let Some(holder) = self.child(callee, Field::Object).filter(|_| is_mutating) {
            self.mark_holder_changed(holder);
        }
    }
}

fn path(names: Vec<Name>, type_args: Vec<TypeExpr>) -> TypeExpr {
    let mut segments: Vec<Segment> = names.into_iter().map(Segment::plain).collect();
    if let Some(last) = segments.last_mut() {
        last.args = type_args;
    }
    TypeExpr::Path(segments)
}
