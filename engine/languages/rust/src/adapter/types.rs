//! Written types and paths, lowered to [`TypeExpr`].

use bindery_facts::{Name, Segment, TypeExpr, TypeParam};
use bindery_syntax::{NodeIndex, text::folded};

use super::kinds::{Field, Kind, Tree};

/// A type nested deeper is unknown from there on.
const MAX_DEPTH: u32 = 100;
/// A type of more nodes is unknown.
const MAX_NODES: usize = 4_000;

/// Reads types off a tree.
#[derive(Clone, Copy)]
pub(super) struct Types<'t> {
    pub(super) tree: &'t Tree,
    pub(super) source: &'t str,
}

/// A name without the `r#` that only keeps it apart from a keyword.
pub(super) fn plain_name(text: &str) -> Name {
    Name::from(text.strip_prefix("r#").unwrap_or(text))
}

impl<'t> Types<'t> {
    /// The type that `node` writes; unknown if it is larger than any that a person wrote.
    pub(super) fn lower(self, node: NodeIndex) -> TypeExpr {
        self.lower_small(node, MAX_NODES)
    }

    /// As [`Types::lower`], unknown past `limit` nodes.
    pub(super) fn lower_small(self, node: NodeIndex, limit: usize) -> TypeExpr {
        if self.tree.subtree(node).len() > limit { TypeExpr::Unknown } else { self.at_depth(node, 0) }
    }

    fn text(self, node: NodeIndex) -> &'t str {
        self.tree.text(node, self.source)
    }

    /// Children that are types, bounds or patterns: neither comments nor what a keyword wrote.
    fn parts(self, node: NodeIndex) -> impl Iterator<Item = NodeIndex> + 't {
        self.tree.children(node).filter(move |child| {
            let kind = self.tree.kind(*child);
            !kind.is_trivia() && !matches!(kind, Kind::MutableSpecifier | Kind::FunctionModifiers)
        })
    }

    fn field(self, node: NodeIndex, field: Field, depth: u32) -> TypeExpr {
        self.tree.child(node, field).map_or(TypeExpr::Unknown, |child| self.at_depth(child, depth))
    }

    fn at_depth(self, node: NodeIndex, depth: u32) -> TypeExpr {
        if depth > MAX_DEPTH {
            return TypeExpr::Unknown;
        }
        let deeper = depth + 1;
        match self.tree.kind(node) {
            Kind::ReferenceType | Kind::PointerType => {
                TypeExpr::Ref(Box::new(self.field(node, Field::Type, deeper)))
            }
            Kind::TupleType => {
                TypeExpr::Tuple(self.parts(node).map(|part| self.at_depth(part, deeper)).collect())
            }
            Kind::UnitType => TypeExpr::Tuple(Vec::new()),
            Kind::ArrayType => TypeExpr::Slice(Box::new(self.field(node, Field::Element, deeper))),
            Kind::NeverType => TypeExpr::Never,
            Kind::DynamicType => TypeExpr::Dyn(self.trait_field(node, deeper)),
            Kind::AbstractType => TypeExpr::Opaque(self.trait_field(node, deeper)),
            Kind::BoundedType => self.bounded(node, deeper),
            Kind::FunctionType if self.tree.child(node, Field::Trait).is_none() => {
                self.function(node, deeper)
            }
            Kind::HigherRankedTraitBound => self.field(node, Field::Type, deeper),
            _ => self.path_or_qualified(node, deeper),
        }
    }

    /// `dyn A + B` is written as a bounded type whose first part is `dyn A`, or as `dyn` of one.
    fn bounded(self, node: NodeIndex, depth: u32) -> TypeExpr {
        let parts: Vec<_> = self.parts(node).map(|part| self.at_depth(part, depth)).collect();
        let mut bounds = Vec::new();
        let mut is_opaque = false;
        for part in parts {
            match part {
                TypeExpr::Dyn(inner) => bounds.extend(inner),
                TypeExpr::Opaque(inner) => {
                    is_opaque = true;
                    bounds.extend(inner);
                }
                TypeExpr::Unknown => {}
                other => bounds.push(other),
            }
        }
        if is_opaque { TypeExpr::Opaque(bounds) } else { TypeExpr::Dyn(bounds) }
    }

    fn trait_field(self, node: NodeIndex, depth: u32) -> Vec<TypeExpr> {
        match self.field(node, Field::Trait, depth) {
            TypeExpr::Dyn(bounds) => bounds,
            TypeExpr::Unknown => Vec::new(),
            bound => vec![bound],
        }
    }

    fn function(self, node: NodeIndex, depth: u32) -> TypeExpr {
        let parameters = self.tree.child(node, Field::Parameters);
        let params = parameters.map_or(Vec::new(), |list| {
            self.parts(list)
                .map(|part| match self.tree.kind(part) {
                    Kind::Parameter => self.field(part, Field::Type, depth),
                    _ => self.at_depth(part, depth),
                })
                .collect()
        });
        let returns = self.tree.child(node, Field::ReturnType);
        TypeExpr::Function { params, returns: returns.map(|node| Box::new(self.at_depth(node, depth))) }
    }

    fn path_or_qualified(self, node: NodeIndex, depth: u32) -> TypeExpr {
        let mut segments = Vec::new();
        match self.path(node, depth, &mut segments) {
            None => TypeExpr::Unknown,
            Some(None) if segments.is_empty() => TypeExpr::Unknown,
            Some(None) => TypeExpr::Path(segments),
            Some(Some((ty, of_trait))) if segments.is_empty() && of_trait.is_none() => *ty,
            Some(Some((ty, of_trait))) => TypeExpr::Qualified { ty, of_trait, rest: segments },
        }
    }

    /// Collects the segments of a path, and what stands in angle brackets before them. None if the
    /// node is no path.
    #[expect(clippy::type_complexity, reason = "the two parts of `<T as Trait>` have no name of their own")]
    fn path(
        self,
        node: NodeIndex,
        depth: u32,
        segments: &mut Vec<Segment>,
    ) -> Option<Option<(Box<TypeExpr>, Option<Box<TypeExpr>>)>> {
        if depth > MAX_DEPTH {
            return None;
        }
        match self.tree.kind(node) {
            Kind::TypeIdentifier
            | Kind::PrimitiveType
            | Kind::Identifier
            | Kind::FieldIdentifier
            | Kind::SelfWord
            | Kind::SuperWord
            | Kind::CrateWord
            | Kind::Metavariable => {
                segments.push(Segment::plain(plain_name(self.text(node))));
                Some(None)
            }
            Kind::ScopedTypeIdentifier | Kind::ScopedIdentifier => {
                let before = match self.tree.child(node, Field::Path) {
                    Some(path) => self.path(path, depth + 1, segments)?,
                    None => {
                        segments.push(Segment::plain(""));
                        None
                    }
                };
                let name = self.tree.child(node, Field::Name)?;
                segments.push(Segment::plain(plain_name(self.text(name))));
                Some(before)
            }
            Kind::GenericType | Kind::GenericTypeWithTurbofish | Kind::GenericFunction => {
                let named = self.tree.child(node, Field::Type).or(self.tree.child(node, Field::Function))?;
                let before = self.path(named, depth + 1, segments)?;
                let arguments = self.tree.child(node, Field::TypeArguments);
                if let (Some(last), Some(arguments)) = (segments.last_mut(), arguments) {
                    self.arguments(arguments, depth, last);
                }
                Some(before)
            }
            Kind::FunctionType => {
                let named = self.tree.child(node, Field::Trait)?;
                let before = self.path(named, depth + 1, segments)?;
                let signature = self.function(node, depth + 1);
                segments.last_mut()?.args.push(signature);
                Some(before)
            }
            Kind::BracketedType => self.bracketed(node, depth),
            _ => None,
        }
    }

    #[expect(clippy::type_complexity, reason = "the two parts of `<T as Trait>` have no name of their own")]
    fn bracketed(
        self,
        node: NodeIndex,
        depth: u32,
    ) -> Option<Option<(Box<TypeExpr>, Option<Box<TypeExpr>>)>> {
        let inner = self.parts(node).next()?;
        if self.tree.kind(inner) != Kind::QualifiedType {
            return Some(Some((Box::new(self.at_depth(inner, depth + 1)), None)));
        }
        let ty = Box::new(self.field(inner, Field::Type, depth + 1));
        let of_trait = self.tree.child(inner, Field::Alias);
        Some(Some((ty, of_trait.map(|node| Box::new(self.at_depth(node, depth + 1))))))
    }

    fn arguments(self, list: NodeIndex, depth: u32, segment: &mut Segment) {
        for part in self.parts(list) {
            match self.tree.kind(part) {
                Kind::TypeBinding => {
                    let name = self.tree.child(part, Field::Name).map_or("", |name| self.text(name));
                    segment.bindings.push((plain_name(name), self.field(part, Field::Type, depth + 1)));
                }
                Kind::TraitBounds => {}
                // A constant: it holds a place among the arguments, but is no type.
                Kind::Block | Kind::IntegerLiteral | Kind::BooleanLiteral | Kind::CharLiteral => {
                    segment.args.push(TypeExpr::Unknown);
                }
                _ => segment.args.push(self.at_depth(part, depth + 1)),
            }
        }
    }

    /// The type arguments of a list `<A, B>`.
    pub(super) fn argument_list(self, list: NodeIndex) -> Vec<TypeExpr> {
        let mut segment = Segment::plain("");
        self.arguments(list, 0, &mut segment);
        segment.args
    }

    /// The bounds after a `:`, lifetimes and `?Sized` left out.
    pub(super) fn bounds(self, list: NodeIndex) -> Vec<TypeExpr> {
        self.parts(list).map(|part| self.lower(part)).filter(|bound| *bound != TypeExpr::Unknown).collect()
    }

    /// The type parameters of an item with the bounds of its `where` clauses folded in. A predicate
    /// on something else than one of them becomes an entry of its own, named as it is written.
    pub(super) fn type_params(self, item: NodeIndex) -> Vec<TypeParam> {
        let mut params = Vec::new();
        for child in self.tree.children(item) {
            match self.tree.kind(child) {
                Kind::TypeParameters => {
                    params.extend(self.parts(child).filter_map(|part| self.type_param(part)))
                }
                Kind::WhereClause => self.fold_where(child, &mut params),
                _ => {}
            }
        }
        params
    }

    fn type_param(self, node: NodeIndex) -> Option<TypeParam> {
        let name = match self.tree.kind(node) {
            Kind::Metavariable => node,
            Kind::TypeParameter | Kind::ConstParameter => self.tree.child(node, Field::Name)?,
            _ => return None,
        };
        let bounds = self.tree.child(node, Field::Bounds).map_or(Vec::new(), |list| self.bounds(list));
        let default = self.tree.child(node, Field::DefaultType).map(|node| self.lower(node));
        Some(TypeParam { name: plain_name(self.text(name)), bounds, default })
    }

    fn fold_where(self, clause: NodeIndex, params: &mut Vec<TypeParam>) {
        for predicate in self.parts(clause) {
            let (Some(left), Some(list)) =
                (self.tree.child(predicate, Field::Left), self.tree.child(predicate, Field::Bounds))
            else {
                continue;
            };
            let (name, bounds) = (plain_name(&folded(self.text(left))), self.bounds(list));
            match params.iter_mut().find(|param| param.name == name) {
                Some(param) => param.bounds.extend(bounds),
                None if bounds.is_empty() => {}
                None => params.push(TypeParam { name, bounds, default: None }),
            }
        }
    }
}
