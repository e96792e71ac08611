//! Lowering of expressions, after their children.

use bindery_facts::{
    DeclIndex, DeclKind, Expr, ExprIndex, Literal, Name, ScopeIndex, Segment, SequenceKind, TypeExpr,
};
use bindery_syntax::NodeIndex;

use super::kinds::{Field, Kind};
use super::reader::Reader;
use super::types::unquoted;

/// The most items of an array literal, and properties of an object literal, that are kept.
const ITEM_LIMIT: usize = 8;
const PROPERTY_LIMIT: usize = 16;

impl Reader<'_> {
    /// Lowers a node that is an expression; leaves others without a value.
    pub(super) fn lower(&mut self, node: NodeIndex) {
        let literal = |literal| Some(Expr::Literal(literal));
        let expr = match self.kind(node) {
            Kind::Identifier | Kind::ShorthandProperty => return self.lower_name(node),
            Kind::MemberExpression => return self.lower_member(node),
            Kind::CallExpression | Kind::NewExpression => return self.close_site(node),
            Kind::AssignmentExpression => return self.read_assignment(node),
            Kind::AugmentedAssignment => return self.lower_augmented(node),
            Kind::UpdateExpression => return self.lower_update(node),
            Kind::ParenthesizedExpression
            | Kind::NonNullExpression
            | Kind::SatisfiesExpression
            | Kind::InstantiationExpression => {
                return self.pass_on(node, self.tree.children(node).next());
            }
            Kind::JsxExpression | Kind::TemplateSubstitution => None,
            Kind::SequenceExpression => return self.pass_on(node, self.tree.children(node).last()),
            Kind::RequiredParameter | Kind::OptionalParameter | Kind::AssignmentPattern => {
                return self.read_default(node);
            }
            Kind::Pair => return self.lower_pair(node),
            Kind::Object => self.lower_object(node),
            Kind::InterfaceDeclaration | Kind::TypeAliasDeclaration => return self.close_named_type(node),
            Kind::CallSignature => return self.read_call_signature(node),
            Kind::AsExpression | Kind::TypeAssertion => return self.lower_cast(node),
            Kind::This => self.lower_this(node),
            Kind::Super => Some(Expr::Super { scope: self.scope(node) }),
            Kind::Import => {
                Some(Expr::Name { name: "import".into(), scope: ScopeIndex::FILE, at: self.start(node) })
            }
            Kind::SubscriptExpression => self.lower_subscript(node),
            Kind::AwaitExpression => {
                self.tree.children(node).next().map(|base| Expr::Await(self.value(base)))
            }
            Kind::TernaryExpression => self.lower_ternary(node),
            Kind::BinaryExpression => return self.lower_binary(node),
            Kind::UnaryExpression => self.lower_unary(node),
            Kind::Array => self.lower_array(node),
            Kind::String | Kind::TemplateString => literal(Literal::String),
            Kind::Regex => Some(self.named_type("RegExp", node)),
            Kind::Number => literal(Literal::Integer),
            Kind::True | Kind::False => literal(Literal::Bool),
            Kind::Null | Kind::Undefined => literal(Literal::None),
            kind if kind.is_class() => self.decl_of.get(&node).map(|decl| self.decl_value(*decl)),
            _ => None,
        };
        if let Some(expr) = expr {
            let index = self.push(expr);
            self.set_value(node, index);
        }
    }

    fn named_type(&self, name: &'static str, node: NodeIndex) -> Expr {
        Expr::Cast { base: None, ty: TypeExpr::named(name), scope: self.scope(node), at: self.start(node) }
    }

    fn pass_on(&mut self, node: NodeIndex, from: Option<NodeIndex>) {
        if let Some(from) = from {
            let value = self.value(from);
            self.set_value(node, value);
        }
    }

    /// A declaration of this file as a value, whatever is in scope. Its number is replaced by its
    /// qualname once that is known.
    pub(super) fn decl_value(&self, decl: DeclIndex) -> Expr {
        marker(crate::DECL, decl.0.to_string().into(), ScopeIndex::FILE)
    }

    fn lower_name(&mut self, node: NodeIndex) {
        if self.type_depth > 0 {
            return;
        }
        let parent = self.parent(node);
        match (self.field(node), self.kind(parent)) {
            (Field::Name, kind) if !matches!(kind, Kind::JsxOpening | Kind::JsxSelfClosing) => return,
            (Field::Pattern | Field::Parameter, _) => return,
            (_, Kind::FormalParameters | Kind::RestPattern | Kind::ArrayPattern | Kind::ObjectPattern) => {
                return;
            }
            (Field::Left, Kind::AssignmentPattern) | (Field::Value, Kind::PairPattern) => return,
            _ => {}
        }
        if let Some(value) = self.exports_name(node) {
            let value = self.push(value);
            return self.set_value(node, value);
        }
        let name = self.text(node).into();
        let expr = self.push(Expr::Name { name, scope: self.scope(node), at: self.start(node) });
        self.set_value(node, expr);
        self.record_name_read(node, expr);
        if self.kind(node) == Kind::ShorthandProperty {
            self.read_property(parent, self.text(node).into(), node);
        }
    }

    fn lower_member(&mut self, node: NodeIndex) {
        let (Some(object), Some(property)) =
            (self.child(node, Field::Object), self.child(node, Field::Property))
        else {
            return;
        };
        if let Some(value) = self.exports_value(node) {
            let value = self.push(value);
            return self.set_value(node, value);
        }
        let (base, name) = (self.value(object), self.text(property).into());
        let expr = self.push(Expr::Member { base, name, type_args: Vec::new() });
        self.set_value(node, expr);
        self.record_member_read(node, property, expr);
    }

    /// `exports` where the file has such an object and nothing else is called so.
    fn exports_name(&self, node: NodeIndex) -> Option<Expr> {
        let exports = self.exports.filter(|_| self.text(node) == "exports")?;
        self.declared(self.scope(node), "exports").is_none().then(|| self.decl_value(exports))
    }

    /// `module.exports` where the file has such an object.
    fn exports_value(&self, node: NodeIndex) -> Option<Expr> {
        let is_exports = self.text(node) == "module.exports";
        is_exports.then_some(self.exports).flatten().map(|exports| self.decl_value(exports))
    }

    fn lower_this(&self, node: NodeIndex) -> Option<Expr> {
        let scope = self.scope(node);
        if let Some(ty) = self.info(scope).this_type.clone() {
            return Some(Expr::Cast { base: None, ty, scope, at: self.start(node) });
        }
        let this = self.info(scope).this?;
        if self.plain_receiver(scope) == Some((this.decl, this.is_static)) {
            return Some(Expr::This { scope });
        }
        let is_class = self.decls[this.decl.0 as usize].decl.kind == DeclKind::Class;
        let word = if is_class && !this.is_static { crate::THIS } else { crate::DECL };
        Some(marker(word, this.decl.0.to_string().into(), ScopeIndex::FILE))
    }

    /// The innermost class or object around, and whether a static member is in between: what
    /// [`Expr::This`] means to the engine.
    fn plain_receiver(&self, scope: ScopeIndex) -> Option<(DeclIndex, bool)> {
        let (mut at, mut is_static) = (self.info(scope).owner, false);
        while let Some(index) = at {
            let draft = &self.decls[index.0 as usize];
            let kind = draft.decl.kind;
            if kind.type_kind().is_some() || kind == DeclKind::Object {
                return Some((index, is_static && kind != DeclKind::Object));
            }
            is_static |= draft.decl.flags.is_static;
            at = draft.owner;
        }
        None
    }

    fn lower_subscript(&mut self, node: NodeIndex) -> Option<Expr> {
        let (object, index) = (self.child(node, Field::Object)?, self.child(node, Field::Index)?);
        let base = self.value(object);
        if self.kind(index) == Kind::String {
            let name = unquoted(self.text(index)).into();
            return Some(Expr::Member { base, name, type_args: Vec::new() });
        }
        Some(Expr::Index { base, index: Some(self.value(index)) })
    }

    fn lower_ternary(&mut self, node: NodeIndex) -> Option<Expr> {
        let parts = [self.child(node, Field::Consequence)?, self.child(node, Field::Alternative)?];
        Some(Expr::Join(parts.map(|part| self.value(part)).to_vec()))
    }

    fn lower_binary(&mut self, node: NodeIndex) {
        let (Some(left), Some(right)) = (self.child(node, Field::Left), self.child(node, Field::Right))
        else {
            return;
        };
        let operator = self.between(self.end(left), self.start(right)).trim();
        let operands = vec![self.value(left), self.value(right)];
        let expr = match operator {
            // What is false or missing on the left is hardly ever what a member is asked of.
            "&&" => return self.pass_on(node, Some(right)),
            "||" | "??" => Expr::Join(operands),
            "==" | "===" | "!=" | "!==" | "<" | ">" | "<=" | ">=" | "in" | "instanceof" => {
                Expr::Literal(Literal::Bool)
            }
            other => Expr::Operation { operator: other.into(), operands },
        };
        let index = self.push(expr);
        self.set_value(node, index);
    }

    fn lower_unary(&mut self, node: NodeIndex) -> Option<Expr> {
        let text = self.text(node);
        Some(match text {
            _ if text.starts_with('!') || text.starts_with("delete") => Expr::Literal(Literal::Bool),
            _ if text.starts_with("typeof") => Expr::Literal(Literal::String),
            _ if text.starts_with("void") => Expr::Literal(Literal::None),
            _ => Expr::Literal(Literal::Integer),
        })
    }

    fn lower_augmented(&mut self, node: NodeIndex) {
        let (Some(left), Some(right)) = (self.child(node, Field::Left), self.child(node, Field::Right))
        else {
            return;
        };
        let operator = self.between(self.end(left), self.start(right)).trim();
        if matches!(operator, "||=" | "??=" | "&&=") {
            let join = Expr::Join(vec![self.value(left), self.value(right)]);
            let index = self.push(join);
            self.set_value(node, index);
        }
        self.mark_target_changed(left);
    }

    fn lower_update(&mut self, node: NodeIndex) {
        if let Some(target) = self.tree.children(node).next() {
            self.mark_target_changed(target);
        }
        let index = self.push(Expr::Literal(Literal::Integer));
        self.set_value(node, index);
    }

    fn lower_array(&mut self, node: NodeIndex) -> Option<Expr> {
        let mut items = Vec::new();
        let children: Vec<NodeIndex> = self.tree.children(node).take(ITEM_LIMIT).collect();
        for item in children {
            items.push(match self.kind(item) {
                Kind::SpreadElement => {
                    let base = self.tree.children(item).next().map_or(ExprIndex(0), |base| self.value(base));
                    self.push(Expr::Element { base, is_async: false })
                }
                _ => self.value(item),
            });
        }
        Some(Expr::Sequence { kind: SequenceKind::List, items })
    }

    fn lower_cast(&mut self, node: NodeIndex) {
        let mut parts = self.tree.children(node);
        let (Some(first), second) = (parts.next(), parts.next()) else { return };
        let (base, ty) = match (self.kind(node), second) {
            (Kind::TypeAssertion, Some(base)) => (base, self.tree.children(first).next()),
            (_, ty) => (first, ty),
        };
        // `as const` and `as any` leave the value what it is to us.
        let ty = ty.map(|ty| self.type_of(ty)).filter(|ty| *ty != TypeExpr::named("const"));
        let value = self.value(base);
        let value = match ty {
            None => value,
            Some(ty) => {
                let (scope, at) = (self.scope(node), self.start(node));
                self.push(Expr::Cast { base: Some(value), ty, scope, at })
            }
        };
        self.set_value(node, value);
    }

    fn lower_pair(&mut self, node: NodeIndex) {
        let (Some(key), Some(value)) = (self.child(node, Field::Key), self.child(node, Field::Value)) else {
            return;
        };
        let lowered = self.value(value);
        self.set_value(node, lowered);
        self.read_property(self.parent(node), self.key_text(key), value);
    }

    /// An object with functions is a declaration; any other is an operation by the names of its
    /// properties.
    fn lower_object(&mut self, node: NodeIndex) -> Option<Expr> {
        if let Some(decl) = self.decl_of.get(&node) {
            return Some(self.decl_value(*decl));
        }
        let mut names: Vec<Name> = Vec::new();
        let mut operands = Vec::new();
        for property in self.tree.children(node) {
            let name = match self.kind(property) {
                Kind::Pair => self.child(property, Field::Key).map(|key| self.key_text(key)),
                Kind::ShorthandProperty => Some(self.text(property).into()),
                Kind::SpreadElement => Some(Name::new_static(crate::SPREAD)),
                _ => return None,
            };
            names.extend(name.filter(|name| !name.contains([',', '{'])));
            operands.push(match self.kind(property) {
                Kind::SpreadElement => {
                    self.tree.children(property).next().map_or(ExprIndex(0), |inner| self.value(inner))
                }
                _ => self.value(property),
            });
        }
        if names.len() != operands.len() || names.len() > PROPERTY_LIMIT {
            return None;
        }
        let names: Vec<&str> = names.iter().map(Name::as_str).collect();
        Some(Expr::Operation { operator: format!("{{{}}}", names.join(",")).into(), operands })
    }

    // ---- Functions

    pub(super) fn close_function(&mut self, node: NodeIndex) {
        let Some(scope) = self.inner_scopes.get(&node).copied() else { return };
        let body = self.child(node, Field::Body).filter(|body| self.kind(*body) != Kind::StatementBlock);
        let mut values = self.returned.remove(&scope).unwrap_or_default();
        values.extend(body.map(|body| self.value(body)));
        let decl = self.bodies.scopes[scope.0 as usize].decl.filter(|_| self.decl_of.contains_key(&node));
        if let Some(decl) = decl {
            self.decls[decl.0 as usize].returned = values;
            if self.kind(node).is_function_value() {
                let value = self.decl_value(decl);
                let value = self.push(value);
                self.set_value(node, value);
            }
            return;
        }
        let before = self.child(node, Field::Parameters).or(self.child(node, Field::Parameter));
        let is_async = before.is_some_and(|before| self.has_word(node, before, "async"));
        let written = self.child(node, Field::ReturnType).map(|ty| self.type_of(ty));
        let body = match (written, values.len()) {
            (Some(ty), _) => {
                let at = self.start(node);
                Some(self.push(Expr::Cast { base: None, ty, scope, at }))
            }
            (None, 0) => None,
            (None, 1) => values.pop(),
            _ => Some(self.push(Expr::Join(values))),
        };
        // A written type of an asynchronous function is that of the promise already.
        let is_async = is_async && self.child(node, Field::ReturnType).is_none();
        let closure = self.push(Expr::Closure { scope, decl: None, body, is_async });
        self.set_value(node, closure);
    }
}

/// A path that names a declaration or module by what no program can spell.
pub(super) fn marker(word: &'static str, subject: Name, scope: ScopeIndex) -> Expr {
    let segments = vec![Segment::plain(Name::new_static(word)), Segment::plain(subject)];
    Expr::Path { path: TypeExpr::Path(segments), scope, at: 0 }
}
