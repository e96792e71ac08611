//! Call sites and accesses.

use bindery_facts::{Access, CallSite, Expr, ExprIndex, Name, SiteKind};
use bindery_syntax::{NodeIndex, text};

use super::kinds::{Field, Kind};
use super::reader::Reader;
use super::strings;

/// How much of a callee's end is looked at for its display text, in bytes: enough for the characters
/// that are shown, and a bound on the work that a long chain of calls makes.
const RAW_WINDOW: u32 = 4096;

/// Methods of the built-in containers that change them.
const MUTATING_METHODS: &[&str] = &[
    "add",
    "append",
    "appendleft",
    "clear",
    "discard",
    "extend",
    "extendleft",
    "insert",
    "pop",
    "popitem",
    "popleft",
    "remove",
    "reverse",
    "setdefault",
    "sort",
    "update",
];

impl Reader<'_> {
    // ---- Call sites

    /// Takes the site's place in the order of starts; [`Reader::close_site`] fills it in.
    pub(super) fn open_site(&mut self, call: NodeIndex) {
        let scope = self.scope(call);
        let callee = self.callee(call).unwrap_or(call);
        let named = self.child(callee, Field::Attribute).filter(|_| self.kind(callee) == Kind::Attribute);
        self.open_sites.push(self.bodies.sites.len() as u32);
        self.bodies.sites.push(CallSite {
            expr: ExprIndex(0),
            caller: self.info(scope).caller,
            scope,
            line: self.line(named.unwrap_or(callee)),
            raw: self.raw(callee),
            is_await: self.is_awaited(call),
            kind: SiteKind::Call,
        });
    }

    pub(super) fn close_site(&mut self, call: NodeIndex) {
        let site = self.open_sites.pop().expect("every call that is left was entered");
        let scope = self.scope(call);
        let callee = self.callee(call);
        let (args, keywords) = self.arguments(call, callee.unwrap_or(call));
        let callee_expr = callee.map_or(ExprIndex(0), |callee| self.value(callee));
        let expr = self.push(Expr::Call { callee: callee_expr, args, keywords });
        self.bodies.sites[site as usize].expr = expr;
        let special = self.special_value(call, scope);
        let value = special.map_or(expr, |special| self.push(special));
        self.set_value(call, value);
        self.read_mutation(call);
    }

    /// What is called. The grammar reads `*f(x)` as a call of `*f`.
    pub(super) fn callee(&self, call: NodeIndex) -> Option<NodeIndex> {
        let callee = self.child(call, Field::Function)?;
        if self.kind(callee) == Kind::ListSplat { self.tree.children(callee).next() } else { Some(callee) }
    }

    fn arguments(&mut self, call: NodeIndex, callee: NodeIndex) -> (Vec<ExprIndex>, Vec<Name>) {
        let (mut args, mut keywords) = (Vec::new(), Vec::new());
        let Some(list) = self.child(call, Field::Arguments) else { return (args, keywords) };
        if self.kind(list) == Kind::GeneratorExpression {
            return (vec![self.value(list)], keywords);
        }
        let children: Vec<NodeIndex> = self.tree.children(list).collect();
        for argument in children {
            match self.kind(argument) {
                Kind::KeywordArgument => {
                    keywords.push(self.child_text(argument, Field::Name).into());
                    args.push(self.keyword_value(argument, callee));
                }
                // Unpacked behind keywords: it fills positions that are not known anyway.
                Kind::ListSplat if !keywords.is_empty() => {}
                Kind::DictionarySplat => {}
                _ => args.push(self.value(argument)),
            }
        }
        (args, keywords)
    }

    fn is_awaited(&self, call: NodeIndex) -> bool {
        let mut parent = self.parent(call);
        while self.kind(parent) == Kind::ParenthesizedExpression {
            parent = self.parent(parent);
        }
        self.kind(parent) == Kind::Await
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
        replaced.extend(strings::comments(self.source, start..end));
        replaced.sort_unstable_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
        text::raw(self.source, start..end, &replaced).into()
    }

    /// The argument lists inside a callee, from byte `start` on. The chain of receivers is walked from
    /// its end, so that a long one costs no more than the window.
    fn argument_lists(&self, callee: NodeIndex, start: u32) -> Vec<(std::ops::Range<u32>, &'static str)> {
        let mut found = Vec::new();
        let mut open = vec![callee];
        while let Some(node) = open.pop() {
            if self.end(node) <= start {
                continue;
            }
            if self.kind(node) == Kind::ArgumentList {
                found.push((self.start(node)..self.end(node), "(…)"));
            } else {
                open.extend(self.tree.children(node));
            }
        }
        found
    }

    // ---- Accesses

    pub(super) fn record_attribute_read(&mut self, node: NodeIndex, attribute: NodeIndex, expr: ExprIndex) {
        if self.annotation_depth > 0 || self.is_callee(node) {
            return;
        }
        let access = Access {
            expr,
            caller: self.info(self.scope(node)).caller,
            line: self.line(attribute),
            is_write: false,
        };
        self.bodies.accesses.push(access);
    }

    pub(super) fn record_name_read(&mut self, node: NodeIndex, expr: ExprIndex) {
        if self.annotation_depth > 0 || self.is_callee(node) || self.is_plain_target(node) {
            return;
        }
        let caller = self.info(self.scope(node)).caller;
        // The line is filled in for the few that turn out to be module variables.
        self.name_accesses.push(Access { expr, caller, line: self.start(node), is_write: false });
    }

    /// A name that is assigned to through `global`, or changed in place (`+=`).
    pub(super) fn record_name_write(&mut self, node: NodeIndex) {
        let caller = self.info(self.scope(node)).caller;
        let expr = self.value(node);
        self.name_accesses.push(Access { expr, caller, line: self.start(node), is_write: true });
    }

    fn is_callee(&self, node: NodeIndex) -> bool {
        let parent = self.parent(node);
        match self.kind(parent) {
            Kind::Call => self.tree.node(node).field == Field::Function,
            Kind::ListSplat => self.tree.node(parent).field == Field::Function,
            _ => false,
        }
    }

    fn is_plain_target(&self, node: NodeIndex) -> bool {
        let kind = self.kind(self.parent(node));
        match self.tree.node(node).field {
            Field::Left => matches!(
                kind,
                Kind::Assignment | Kind::AugmentedAssignment | Kind::ForStatement | Kind::ForInClause
            ),
            _ => matches!(
                kind,
                Kind::PatternList | Kind::TuplePattern | Kind::ListPattern | Kind::AsPatternTarget
            ),
        }
    }

    /// An attribute is assigned or deleted: its read, which was recorded just before, is a write.
    pub(super) fn mark_written(&mut self, attribute: NodeIndex) {
        let expr = self.value(attribute);
        let accesses = self.bodies.accesses.iter_mut().rev().take_while(|access| access.expr >= expr);
        if let Some(access) = accesses.into_iter().find(|access| access.expr == expr) {
            access.is_write = true;
        }
    }

    /// An item of a container is set or deleted, which changes what holds the container.
    pub(super) fn mark_changed(&mut self, subscript: NodeIndex) {
        let mut base = self.child(subscript, Field::Value);
        while let Some(inner) = base.filter(|base| self.kind(*base) == Kind::Subscript) {
            base = self.child(inner, Field::Value);
        }
        self.mark_holder_changed(base);
    }

    fn mark_holder_changed(&mut self, holder: Option<NodeIndex>) {
        match holder.map(|holder| (holder, self.kind(holder))) {
            Some((holder, Kind::Attribute)) => self.mark_written(holder),
            Some((holder, Kind::Identifier)) => {
                let expr = self.value(holder);
                let accesses = self.name_accesses.iter_mut().rev().take_while(|access| access.expr >= expr);
                if let Some(access) = accesses.into_iter().find(|access| access.expr == expr) {
                    access.is_write = true;
                }
            }
            _ => {}
        }
    }

    /// `holder.append(…)` and the like change what the holder holds; `__all__.extend(…)` adds exports.
    fn read_mutation(&mut self, call: NodeIndex) {
        let Some(callee) = self.callee(call).filter(|callee| self.kind(*callee) == Kind::Attribute) else {
            return;
        };
        let method = self.child_text(callee, Field::Attribute);
        if !MUTATING_METHODS.contains(&method) {
            return;
        }
        let is_extend = method == "extend";
        let is_append = method == "append";
        let holder = self.child(callee, Field::Object);
        self.mark_holder_changed(holder);
        let is_exports = holder.is_some_and(|holder| self.text(holder) == "__all__");
        let list = self.child(call, Field::Arguments);
        if is_exports && self.info(self.scope(call)).names == bindery_facts::ScopeIndex::FILE {
            let argument = list.and_then(|list| self.tree.children(list).next());
            match (argument, list) {
                (Some(argument), _) if is_extend => self.add_exports(argument, true),
                (Some(argument), _) if is_append => self.add_export(argument),
                _ => self.exports.is_open = true,
            }
        }
    }

    fn add_export(&mut self, name: NodeIndex) {
        let is_known = self.kind(name) == Kind::String;
        self.exports.is_open |= !is_known;
        let exported = Name::from(strings::content(self.text(name)));
        self.exports.names.get_or_insert_default().extend(is_known.then_some(exported));
    }
}
