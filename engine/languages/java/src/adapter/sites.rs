//! Call sites and accesses.

use bindery_facts::{Access, CallSite, Expr, ExprIndex, Name, Segment, SiteKind, TypeExpr};
use bindery_syntax::{NodeIndex, text};

use super::kinds::{Field, Kind};
use super::reader::Reader;
use super::source_text;

/// How much of a callee's end is looked at for its display text, in bytes: enough for the characters
/// that are shown, and a bound on the work that a long chain of calls makes.
const RAW_WINDOW: u32 = 4096;

impl Reader<'_> {
    // ---- Call sites

    /// Takes the site's place in the order of starts; [`Reader::close_site`] fills it in.
    pub(super) fn open_site(&mut self, call: NodeIndex) {
        let scope = self.scope(call);
        let named = self.named_part(call);
        let kind = match self.kind(call) {
            Kind::ObjectCreationExpression | Kind::EnumConstant => SiteKind::Construct,
            _ => SiteKind::Call,
        };
        self.open_sites.push(self.bodies.sites.len() as u32);
        self.bodies.sites.push(CallSite {
            expr: ExprIndex(0),
            caller: self.info(scope).caller,
            scope,
            line: self.line(named),
            raw: self.raw(call, named),
            is_await: false,
            kind,
        });
    }

    /// The part of a call that names what is called.
    fn named_part(&self, call: NodeIndex) -> NodeIndex {
        let field = match self.kind(call) {
            Kind::ObjectCreationExpression => Field::Type,
            Kind::ExplicitConstructorInvocation => Field::Constructor,
            _ => Field::Name,
        };
        self.child(call, field).unwrap_or(call)
    }

    pub(super) fn close_site(&mut self, call: NodeIndex) {
        let site = self.open_sites.pop().expect("every call that is left was entered");
        let list = self.child(call, Field::Arguments);
        let arguments: Vec<NodeIndex> = list.into_iter().flat_map(|list| self.tree.children(list)).collect();
        let args: Vec<ExprIndex> = arguments.iter().map(|argument| self.value(*argument)).collect();
        let expr = match self.kind(call) {
            Kind::ObjectCreationExpression => {
                let ty = self.child(call, Field::Type).map_or(TypeExpr::Unknown, |ty| self.type_expr(ty));
                match self.outer_instance(call) {
                    Some(outer) => self.inner_construction(outer, &ty, args),
                    None => self.construction(call, ty, args),
                }
            }
            Kind::EnumConstant => {
                let ty = self.enclosing_enum(call).unwrap_or(TypeExpr::Unknown);
                self.construction(call, ty, args)
            }
            Kind::ExplicitConstructorInvocation => self.constructor_call(call, args),
            _ => self.method_call(call, args),
        };
        let expr = self.push(expr);
        self.bodies.sites[site as usize].expr = expr;
        self.set_value(call, expr);
        for (position, argument) in arguments.into_iter().enumerate() {
            self.fill_argument(argument, expr, position as u32);
        }
    }

    /// The object of `outer.new Inner()`.
    fn outer_instance(&self, call: NodeIndex) -> Option<NodeIndex> {
        let first = self.tree.children(call).next()?;
        (self.kind(first) != Kind::New).then_some(first)
    }

    fn inner_construction(&mut self, outer: NodeIndex, ty: &TypeExpr, args: Vec<ExprIndex>) -> Expr {
        let inner = match ty {
            TypeExpr::Path(segments) => names(segments).join("."),
            _ => String::new(),
        };
        let base = self.value(outer);
        let name = format!("new {inner}").into();
        let callee = self.push(Expr::Member { base, name, type_args: Vec::new() });
        Expr::Call { callee, args, keywords: Vec::new() }
    }

    fn construction(&self, call: NodeIndex, ty: TypeExpr, args: Vec<ExprIndex>) -> Expr {
        Expr::New { ty, args, scope: self.scope(call), at: self.start(call) }
    }

    fn constructor_call(&mut self, call: NodeIndex, args: Vec<ExprIndex>) -> Expr {
        let scope = self.info(self.scope(call)).type_scope;
        let is_super =
            self.child(call, Field::Constructor).is_some_and(|word| self.kind(word) == Kind::Super);
        let base = self.push(if is_super { Expr::Super { scope } } else { Expr::This { scope } });
        let callee = self.push(Expr::Member { base, name: "<init>".into(), type_args: Vec::new() });
        Expr::Call { callee, args, keywords: Vec::new() }
    }

    fn method_call(&mut self, call: NodeIndex, args: Vec<ExprIndex>) -> Expr {
        let name: Name = self.child_text(call, Field::Name).into();
        let callee = match self.child(call, Field::Object) {
            Some(object) => {
                let base = self.receiver(call, object);
                Expr::Member { base, name, type_args: self.call_type_args(call) }
            }
            None => Expr::Name { name, scope: self.scope(call), at: self.start(call) },
        };
        let callee = self.push(callee);
        Expr::Call { callee, args, keywords: Vec::new() }
    }

    /// Lambdas among the arguments take what the function they are passed to calls them with.
    fn fill_argument(&mut self, argument: NodeIndex, call: ExprIndex, position: u32) {
        let mut open = vec![argument];
        while let Some(node) = open.pop() {
            match self.kind(node) {
                Kind::LambdaExpression => self.fill_lambda(node, call, position),
                Kind::ParenthesizedExpression => open.extend(self.tree.children(node)),
                Kind::TernaryExpression => {
                    let branches = [Field::Consequence, Field::Alternative];
                    open.extend(branches.into_iter().filter_map(|branch| self.child(node, branch)));
                }
                _ => {}
            }
        }
    }

    fn raw(&self, call: NodeIndex, named: NodeIndex) -> Name {
        if self.kind(call) == Kind::ObjectCreationExpression {
            let TypeExpr::Path(segments) = self.type_expr(named) else { return self.text(named).into() };
            return Name::from(names(&segments).join("."));
        }
        if self.child(call, Field::Object).is_none() {
            return self.text(named).into();
        }
        let end = self.end(named);
        let mut start = self.start(call).max(end.saturating_sub(RAW_WINDOW));
        while !self.source.is_char_boundary(start as usize) {
            start += 1;
        }
        let mut replaced = self.argument_lists(call, start..end);
        replaced.extend(source_text::comments(self.source, start..end));
        replaced.sort_unstable_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
        text::raw(self.source, start..end, &replaced).into()
    }

    /// The argument lists and class bodies in a range of a callee. The chain of receivers is walked from
    /// its end, so that a long one costs no more than the window.
    fn argument_lists(
        &self,
        call: NodeIndex,
        window: std::ops::Range<u32>,
    ) -> Vec<(std::ops::Range<u32>, &'static str)> {
        let mut found = Vec::new();
        let mut open = vec![call];
        while let Some(node) = open.pop() {
            if self.end(node) <= window.start || self.start(node) >= window.end {
                continue;
            }
            let range = self.start(node)..self.end(node);
            match self.kind(node) {
                Kind::ArgumentList => found.push((range, "(…)")),
                Kind::ClassBody | Kind::Block => found.push((range, "{…}")),
                _ => open.extend(self.tree.children(node)),
            }
        }
        found
    }

    // ---- Accesses

    pub(super) fn record_field_read(&mut self, node: NodeIndex, field: NodeIndex, expr: ExprIndex) {
        let caller = self.info(self.scope(node)).caller;
        self.bodies.accesses.push(Access { expr, caller, line: self.line(field), is_write: false });
    }

    pub(super) fn record_name_read(&mut self, node: NodeIndex, expr: ExprIndex) {
        let caller = self.info(self.scope(node)).caller;
        // The line is filled in for the few that turn out to be fields.
        self.name_accesses.push(Access { expr, caller, line: self.start(node), is_write: false });
    }

    /// A variable is assigned to: its read, which was recorded just before, is a write, and if the
    /// assignment is a change (`+=`, `++`) it stays a read as well. An element that is set changes what
    /// holds the array.
    pub(super) fn mark_written(&mut self, target: NodeIndex, is_change: bool) {
        let mut target = target;
        while matches!(self.kind(target), Kind::ArrayAccess | Kind::ParenthesizedExpression) {
            match self.tree.children(target).next() {
                Some(inner) => target = inner,
                None => return,
            }
        }
        let expr = self.value(target);
        let accesses = match self.kind(target) {
            Kind::Identifier => &mut self.name_accesses,
            Kind::FieldAccess => &mut self.bodies.accesses,
            _ => return,
        };
        let found = accesses.iter().rposition(|access| access.expr == expr);
        if let Some(found) = found {
            if is_change {
                let read = accesses[found].clone();
                accesses.insert(found, read);
                accesses[found + 1].is_write = true;
            } else {
                accesses[found].is_write = true;
            }
        }
    }
}

fn names(segments: &[Segment]) -> Vec<&str> {
    segments.iter().map(|segment| segment.name.as_str()).collect()
}
