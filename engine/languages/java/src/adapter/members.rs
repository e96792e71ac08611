//! Methods, constructors, parameters and fields.

use bindery_facts::{
    BindingKind, DeclFlags, DeclIndex, DeclKind, Param, ParamKind, TypeExpr, TypeParam, VariableKind,
    Visibility,
};
use bindery_syntax::{NodeIndex, text};

use super::declarations::{new_decl, part, plain};
use super::kinds::{Field, Kind};
use super::reader::{Reader, VariableDraft};

/// Annotations of the test frameworks that mark a test method.
const TEST_ANNOTATIONS: &[&str] =
    &["Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate", "Theory"];

impl Reader<'_> {
    // ---- Methods and constructors

    pub(super) fn open_callable(&mut self, node: NodeIndex) {
        let name = self.child_text(node, Field::Name);
        let kind = match self.kind(node) {
            Kind::ConstructorDeclaration | Kind::CompactConstructorDeclaration => DeclKind::Constructor,
            _ => DeclKind::Method,
        };
        let mut decl = new_decl(kind, name);
        decl.type_params = self.type_params(node);
        decl.params = match self.kind(node) {
            Kind::CompactConstructorDeclaration => self.record_parameters(node),
            _ => self.parameters(node),
        };
        if kind == DeclKind::Method {
            decl.returns = self.declared_type(node, node);
        }
        decl.flags = DeclFlags {
            is_static: self.has_modifier(node, Kind::Static),
            is_bodiless: self.child(node, Field::Body).is_none() && !self.has_modifier(node, Kind::Native),
            is_test: self.is_test_method(node, name),
            ..DeclFlags::default()
        };
        self.is_entry_point |= is_main(&decl);
        let types: Vec<String> = decl.params.iter().map(spelled_type).collect();
        let told_apart = format!("{name}({})", types.join(","));
        self.declare(node, decl, vec![plain(name), part(told_apart)]);
    }

    fn is_test_method(&self, node: NodeIndex, name: &str) -> bool {
        let modifiers = self.tree.child_of_kind(node, Kind::Modifiers);
        let annotations = modifiers.into_iter().flat_map(|modifiers| self.tree.children(modifiers));
        let mut names = annotations.filter(|child| self.kind(*child).is_annotation()).map(|annotation| {
            self.child_text(annotation, Field::Name).rsplit('.').next().unwrap_or_default()
        });
        if names.any(|name| TEST_ANNOTATIONS.contains(&name)) {
            return true;
        }
        let owner = self.info(self.scope(node)).owner;
        name.starts_with("test") && owner.is_some_and(|owner| self.decls[owner.0 as usize].decl.flags.is_test)
    }

    /// A compact constructor takes the record's components (JLS 8.10.4.2).
    fn record_parameters(&self, node: NodeIndex) -> Vec<Param> {
        let owner = self.info(self.scope(node)).owner;
        owner.map(|owner| self.decls[owner.0 as usize].decl.params.clone()).unwrap_or_default()
    }

    // ---- Parameters

    pub(super) fn parameters(&self, node: NodeIndex) -> Vec<Param> {
        let list = self.child(node, Field::Parameters);
        let nodes = list.into_iter().flat_map(|list| self.tree.children(list));
        nodes.filter_map(|param| self.parameter(param)).collect()
    }

    fn parameter(&self, node: NodeIndex) -> Option<Param> {
        let (kind, named) = match self.kind(node) {
            Kind::FormalParameter => (ParamKind::Normal, node),
            Kind::SpreadParameter => {
                (ParamKind::Variadic, self.tree.child_of_kind(node, Kind::VariableDeclarator)?)
            }
            _ => return None,
        };
        let written = self.tree.children(node).find(|child| self.kind(*child).is_type())?;
        let dimensions = self.child_text(named, Field::Dimensions);
        Some(Param {
            name: self.child_text(named, Field::Name).into(),
            kind,
            ty: self.declared_type(node, named),
            type_text: text::folded(&format!("{}{dimensions}", self.text(written))).into(),
            has_default: false,
        })
    }

    pub(super) fn type_params(&self, node: NodeIndex) -> Vec<TypeParam> {
        let list = self.child(node, Field::TypeParameters);
        let params = list.into_iter().flat_map(|list| self.tree.children(list));
        params
            .filter(|param| self.kind(*param) == Kind::TypeParameter)
            .map(|param| {
                let name = self.tree.child_of_kind(param, Kind::TypeIdentifier);
                let bound = self.tree.child_of_kind(param, Kind::TypeBound);
                TypeParam {
                    name: name.map(|name| self.text(name)).unwrap_or_default().into(),
                    bounds: bound.map(|bound| self.types_in(bound)).unwrap_or_default(),
                    default: None,
                }
            })
            .collect()
    }

    // ---- Lambdas

    /// Binds the parameters of a lambda; what the context decides is filled in when the call around, or
    /// the type it is assigned to, is known.
    pub(super) fn bind_lambda_parameters(&mut self, lambda: NodeIndex) {
        let scope = self.inner_scope(lambda);
        let at = self.start(lambda);
        let Some(params) = self.child(lambda, Field::Parameters) else { return };
        let mut open = Vec::new();
        if self.kind(params) == Kind::FormalParameters {
            for (index, param) in self.parameters(lambda).into_iter().enumerate() {
                let is_open = param.ty.is_none();
                let kind = BindingKind::Param(index as u32);
                let ty = match param.kind {
                    ParamKind::Variadic => param.ty.map(|ty| TypeExpr::Slice(Box::new(ty))),
                    _ => param.ty,
                };
                let binding = self.bind(scope, &param.name, at, kind, ty, None);
                open.extend(is_open.then_some(binding));
            }
        } else {
            let names: Vec<NodeIndex> = match self.kind(params) {
                Kind::InferredParameters => self.tree.children(params).collect(),
                _ => vec![params],
            };
            for (index, name) in names.into_iter().enumerate() {
                let name = self.text(name);
                open.push(self.bind(scope, name, at, BindingKind::Param(index as u32), None, None));
            }
        }
        self.open_params.insert(lambda, open);
    }

    // ---- Fields

    /// The components of a record are its fields (JLS 8.10.3).
    pub(super) fn read_components(&mut self, record: DeclIndex) {
        for param in self.decls[record.0 as usize].decl.params.clone() {
            self.variables.push(VariableDraft {
                name: param.name,
                owner: record,
                kind: VariableKind::Instance,
                ty: match param.kind {
                    ParamKind::Variadic => param.ty.map(|ty| TypeExpr::Slice(Box::new(ty))),
                    _ => param.ty,
                },
                visibility: Visibility::Private,
                is_mutable: false,
            });
        }
    }

    pub(super) fn read_fields(&mut self, node: NodeIndex) {
        let scope = self.scope(node);
        let Some(owner) = self.info(scope).owner else { return };
        let of_interface = self.kind(node) == Kind::ConstantDeclaration;
        let is_static = of_interface || self.has_modifier(node, Kind::Static);
        let is_final = of_interface || self.has_modifier(node, Kind::Final);
        let kind = match (is_static, is_final) {
            (true, true) => VariableKind::Constant,
            (true, false) => VariableKind::Class,
            (false, _) => VariableKind::Instance,
        };
        let visibility = match () {
            () if self.has_modifier(node, Kind::Private) => Visibility::Private,
            () if of_interface || self.has_modifier(node, Kind::Public) => Visibility::Public,
            () => Visibility::Restricted("package".into()),
        };
        let declarators: Vec<NodeIndex> = self.tree.children(node).collect();
        for declarator in declarators {
            if self.kind(declarator) != Kind::VariableDeclarator {
                continue;
            }
            let name = self.child_text(declarator, Field::Name);
            let ty = self.declared_type(node, declarator);
            if self.info(scope).is_local {
                // Fields of a class inside a method hide the method's variables.
                self.bind(scope, name, 0, BindingKind::Local, ty.clone(), None);
            }
            self.variables.push(VariableDraft {
                name: name.into(),
                owner,
                kind,
                ty,
                visibility: visibility.clone(),
                is_mutable: is_static && !is_final,
            });
        }
    }
}

/// `public static void main(String[] args)`, where a program starts (JLS 12.1.4).
fn is_main(decl: &bindery_facts::Decl) -> bool {
    let takes_strings = match decl.params.as_slice() {
        [only] => match only.kind {
            ParamKind::Variadic => only.type_text == "String",
            _ => only.type_text.replace(' ', "") == "String[]",
        },
        _ => false,
    };
    decl.name == "main"
        && decl.flags.is_static
        && takes_strings
        && decl.returns == Some(TypeExpr::Tuple(vec![]))
}

fn spelled_type(param: &Param) -> String {
    let rest = if param.kind == ParamKind::Variadic { "..." } else { "" };
    format!("{}{rest}", param.type_text.replace(", ", ","))
}
