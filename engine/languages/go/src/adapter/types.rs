//! Written types, lowered to [`TypeExpr`].

use bindery_facts::{Name, Segment, TypeExpr, TypeParam};
use bindery_syntax::NodeIndex;
use rustc_hash::FxHashMap;

use super::kinds::{Field, Kind, Tree};

/// A type nested deeper is unknown from there on.
const MAX_DEPTH: u32 = 100;
/// A type of more nodes is unknown.
const MAX_NODES: usize = 4_000;

/// Reads types off a tree.
pub(super) struct Types<'t> {
    pub(super) tree: &'t Tree,
    pub(super) source: &'t str,
    /// The names given to struct types without a name.
    pub(super) anonymous: FxHashMap<NodeIndex, Name>,
}

impl<'t> Types<'t> {
    /// Names every struct type that has no name, by the top declaration it stands in and its place there.
    pub(super) fn new(tree: &'t Tree, source: &'t str) -> Self {
        let mut types = Self { tree, source, anonymous: FxHashMap::default() };
        let mut counts: FxHashMap<String, u32> = FxHashMap::default();
        for top in tree.children(0) {
            let mut prefix = None;
            for node in tree.subtree(top) {
                if types.is_anonymous(node) {
                    let prefix = prefix.get_or_insert_with(|| types.top_name(top));
                    let count = counts.entry(prefix.clone()).or_default();
                    *count += 1;
                    types.anonymous.insert(node, Name::from(format!("{prefix}.struct#{count}")));
                }
            }
        }
        types
    }

    fn is_anonymous(&self, node: NodeIndex) -> bool {
        if self.tree.kind(node) != Kind::StructType {
            return false;
        }
        let parent = self.tree.node(node).parent;
        !(self.tree.kind(parent) == Kind::TypeSpec && self.tree.node(node).field == Field::Type)
    }

    fn top_name(&self, top: NodeIndex) -> String {
        let receiver = self.tree.child(top, Field::Receiver).map(|list| self.receiver_name(list));
        let mut named = self.tree.subtree(top).filter(|node| self.tree.node(*node).field == Field::Name);
        let name = match self.tree.kind(top) {
            Kind::MethodDeclaration => self.tree.child(top, Field::Name),
            _ => named.next(),
        };
        let name = name.map_or("", |node| self.text(node));
        match receiver {
            Some(receiver) => format!("{receiver}.{name}"),
            None => name.to_owned(),
        }
    }

    /// The name of the type that a receiver's list writes.
    pub(super) fn receiver_name(&self, list: NodeIndex) -> &'t str {
        let names = [Kind::TypeIdentifier];
        let mut found = self.tree.subtree(list).filter(|node| names.contains(&self.tree.kind(*node)));
        found.next().map_or("", |node| self.text(node))
    }

    fn text(&self, node: NodeIndex) -> &'t str {
        self.tree.text(node, self.source)
    }

    /// The type that `node` writes; unknown if it is larger than any that a person wrote.
    pub(super) fn lower(&self, node: NodeIndex) -> TypeExpr {
        let is_by_head = matches!(self.tree.kind(node), Kind::StructType | Kind::FuncLiteral);
        if self.tree.subtree(node).len() > MAX_NODES && !is_by_head {
            return TypeExpr::Unknown;
        }
        self.at_depth(node, 0)
    }

    fn parts(&self, node: NodeIndex) -> impl Iterator<Item = NodeIndex> + 't {
        let tree = self.tree;
        tree.children(node).filter(move |child| tree.kind(*child) != Kind::Comment)
    }

    fn field(&self, node: NodeIndex, field: Field, depth: u32) -> TypeExpr {
        self.tree.child(node, field).map_or(TypeExpr::Unknown, |child| self.at_depth(child, depth))
    }

    fn first(&self, node: NodeIndex, depth: u32) -> TypeExpr {
        self.parts(node).next().map_or(TypeExpr::Unknown, |child| self.at_depth(child, depth))
    }

    fn at_depth(&self, node: NodeIndex, depth: u32) -> TypeExpr {
        if depth > MAX_DEPTH {
            return TypeExpr::Unknown;
        }
        let deeper = depth + 1;
        match self.tree.kind(node) {
            Kind::TypeIdentifier | Kind::Identifier => TypeExpr::named(self.text(node)),
            Kind::QualifiedType | Kind::SelectorExpression => self.qualified(node),
            Kind::GenericType => self.generic(node, deeper),
            Kind::PointerType => TypeExpr::Ref(Box::new(self.first(node, deeper))),
            Kind::ArrayType | Kind::ImplicitLengthArrayType | Kind::SliceType => {
                TypeExpr::Slice(Box::new(self.field(node, Field::Element, deeper)))
            }
            Kind::MapType => {
                let key = self.field(node, Field::Key, deeper);
                with_args("map", vec![key, self.field(node, Field::Value, deeper)])
            }
            Kind::ChannelType => with_args("chan", vec![self.field(node, Field::Value, deeper)]),
            Kind::FunctionType | Kind::FuncLiteral => self.function(node, deeper),
            Kind::StructType => self.anonymous.get(&node).cloned().map_or(TypeExpr::Unknown, TypeExpr::named),
            Kind::InterfaceType => self.interface(node, deeper),
            Kind::ParenthesizedType | Kind::ParenthesizedExpression | Kind::NegatedType => {
                self.first(node, deeper)
            }
            Kind::TypeElem | Kind::TypeConstraint => self.elements(node, deeper),
            _ => TypeExpr::Unknown,
        }
    }

    fn qualified(&self, node: NodeIndex) -> TypeExpr {
        let parts: Vec<Segment> = self.parts(node).map(|part| Segment::plain(self.text(part))).collect();
        if parts.len() == 2 { TypeExpr::Path(parts) } else { TypeExpr::Unknown }
    }

    fn generic(&self, node: NodeIndex, depth: u32) -> TypeExpr {
        let mut ty = self.field(node, Field::Type, depth);
        if let (TypeExpr::Path(segments), Some(list)) = (&mut ty, self.tree.child(node, Field::TypeArguments))
            && let Some(last) = segments.last_mut()
        {
            last.args = self.parts(list).map(|part| self.at_depth(part, depth)).collect();
        }
        ty
    }

    /// The type arguments of a list `[A, B]`.
    pub(super) fn arguments(&self, list: NodeIndex) -> Vec<TypeExpr> {
        self.parts(list).map(|part| self.lower(part)).collect()
    }

    fn function(&self, node: NodeIndex, depth: u32) -> TypeExpr {
        let list = self.tree.child(node, Field::Parameters);
        let params = list.map_or(Vec::new(), |list| self.listed(list, depth));
        TypeExpr::Function { params, returns: self.result_at(node, depth).map(Box::new) }
    }

    /// The type of each parameter of a list, one for each name.
    fn listed(&self, list: NodeIndex, depth: u32) -> Vec<TypeExpr> {
        let mut types = Vec::new();
        for part in self.parts(list) {
            let ty = self.field(part, Field::Type, depth);
            let ty = match self.tree.kind(part) {
                Kind::VariadicParameterDeclaration => TypeExpr::Slice(Box::new(ty)),
                _ => ty,
            };
            let names = self.tree.children(part).filter(|it| self.tree.node(*it).field == Field::Name);
            for _ in 0..names.count().max(1) {
                types.push(ty.clone());
            }
        }
        types
    }

    /// What a function, function type or literal says it gives: none for nothing, a tuple for several.
    pub(super) fn result(&self, node: NodeIndex) -> Option<TypeExpr> {
        self.result_at(node, 0)
    }

    fn result_at(&self, node: NodeIndex, depth: u32) -> Option<TypeExpr> {
        let result = self.tree.child(node, Field::Result)?;
        if self.tree.kind(result) != Kind::ParameterList {
            return Some(self.at_depth(result, depth));
        }
        let mut types = self.listed(result, depth);
        match types.len() {
            0 => None,
            1 => types.pop(),
            _ => Some(TypeExpr::Tuple(types)),
        }
    }

    /// An interface without a name: what it embeds. Its own methods are no symbols.
    fn interface(&self, node: NodeIndex, depth: u32) -> TypeExpr {
        let embedded: Vec<TypeExpr> = self.embedded(node, depth);
        match (embedded.as_slice(), self.parts(node).next()) {
            ([], None) => TypeExpr::named("any"),
            ([], Some(_)) => TypeExpr::Unknown,
            _ => TypeExpr::Dyn(embedded),
        }
    }

    fn embedded(&self, node: NodeIndex, depth: u32) -> Vec<TypeExpr> {
        let elements = self.parts(node).filter(|part| self.tree.kind(*part) == Kind::TypeElem);
        elements.map(|part| self.at_depth(part, depth)).collect()
    }

    /// The interfaces that an interface embeds; type sets are left out.
    pub(super) fn embedded_interfaces(&self, node: NodeIndex) -> Vec<TypeExpr> {
        let elements = self.parts(node).filter(|part| self.tree.kind(*part) == Kind::TypeElem);
        let single = elements.filter(|part| {
            let mut inner = self.parts(*part);
            let kind = inner.next().map(|inner| self.tree.kind(inner));
            let is_name =
                matches!(kind, Some(Kind::TypeIdentifier | Kind::QualifiedType | Kind::GenericType));
            is_name && inner.next().is_none()
        });
        single.map(|part| self.lower(part)).collect()
    }

    /// One type, or one of several (`A | B`).
    fn elements(&self, node: NodeIndex, depth: u32) -> TypeExpr {
        let mut parts: Vec<TypeExpr> = self.parts(node).map(|part| self.at_depth(part, depth)).collect();
        if parts.len() == 1 { parts.remove(0) } else { TypeExpr::Union(parts) }
    }

    /// The type parameters of a declaration.
    pub(super) fn type_params(&self, item: NodeIndex) -> Vec<TypeParam> {
        let Some(list) = self.tree.child(item, Field::TypeParameters) else { return Vec::new() };
        let mut params = Vec::new();
        for part in self.parts(list) {
            let bound = self.tree.child(part, Field::Type).map(|node| self.lower(node));
            let names = self.tree.children(part).filter(|it| self.tree.node(*it).field == Field::Name);
            params.extend(names.map(|name| TypeParam {
                name: Name::from(self.text(name)),
                bounds: bound.iter().cloned().collect(),
                default: None,
            }));
        }
        params
    }

    /// The type parameters that a receiver names: the arguments of its type.
    pub(super) fn receiver_params(&self, list: NodeIndex) -> Vec<TypeParam> {
        let arguments = self.tree.subtree(list).find(|node| self.tree.kind(*node) == Kind::TypeArguments);
        let names = arguments.into_iter().flat_map(|node| self.parts(node));
        let param = |node| TypeParam { name: Name::from(self.text(node)), bounds: Vec::new(), default: None };
        names.map(param).collect()
    }
}

fn with_args(name: &'static str, args: Vec<TypeExpr>) -> TypeExpr {
    TypeExpr::Path(vec![Segment { name: Name::new_static(name), args, bindings: Vec::new() }])
}
