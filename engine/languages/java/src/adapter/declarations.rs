//! Packages, imports and types.

use bindery_facts::{
    BindingKind, Decl, DeclFlags, DeclIndex, DeclKind, DeclText, Import, ImportBinding, Name, Shape,
    TypeExpr, Visibility,
};
use bindery_syntax::{NodeIndex, Spelling, doc_comment, text};

use super::kinds::{Field, Kind};
use super::reader::{DeclDraft, Reader};
use super::source_text;

/// The name of a class body without a declaration.
pub(super) const ANONYMOUS: &str = "<anonymous>";

impl Reader<'_> {
    // ---- Package and imports

    pub(super) fn read_package(&mut self, node: NodeIndex) -> bool {
        let name = self
            .tree
            .children(node)
            .find(|child| matches!(self.kind(*child), Kind::Identifier | Kind::ScopedIdentifier));
        self.package_doc = source_text::doc_before(self.source, self.start(node));
        self.package = name.map(|name| self.segments(name).join(".").into());
        false
    }

    pub(super) fn read_import(&mut self, node: NodeIndex) -> bool {
        let Some(name) = self
            .tree
            .children(node)
            .find(|child| matches!(self.kind(*child), Kind::Identifier | Kind::ScopedIdentifier))
        else {
            return false;
        };
        let path: Vec<Name> = self.segments(name).into_iter().map(Name::from).collect();
        let binds = match self.tree.child_of_kind(node, Kind::Asterisk) {
            Some(_) => ImportBinding::Glob,
            None => ImportBinding::Name(path.last().cloned().unwrap_or_default()),
        };
        self.imports.push(Import {
            owner: Name::default(),
            path,
            level: 0,
            is_member: self.tree.child_of_kind(node, Kind::Static).is_some(),
            binds,
            visibility: Visibility::Private,
            is_conditional: false,
        });
        false
    }

    /// The identifiers of a dotted name, comments between them left out.
    fn segments(&self, name: NodeIndex) -> Vec<String> {
        let range = self.start(name)..self.end(name);
        let comments = source_text::comments(self.source, range.clone());
        let plain = text::folded_with(self.source, range, &comments);
        plain.split('.').map(|segment| segment.trim().to_owned()).collect()
    }

    // ---- Types

    pub(super) fn open_type(&mut self, node: NodeIndex) {
        let kind = match self.kind(node) {
            Kind::ClassDeclaration => DeclKind::Class,
            Kind::RecordDeclaration => DeclKind::Record,
            Kind::EnumDeclaration => DeclKind::Enum,
            _ => DeclKind::Interface,
        };
        let name = self.child_text(node, Field::Name);
        let mut decl = new_decl(kind, name);
        decl.type_params = self.type_params(node);
        decl.supertypes = self.supertypes(node);
        decl.flags.is_static = self.is_static_type(node);
        decl.flags.is_test = decl.supertypes.iter().any(is_test_case);
        if kind == DeclKind::Record {
            decl.params = self.parameters(node);
            decl.shape = Shape::Fields;
        }
        let index = self.declare(node, decl, vec![plain(name), part(format!("{name}(type)"))]);
        if kind == DeclKind::Record {
            self.read_components(index);
        }
        let scope = self.scope(node);
        if self.info(scope).is_local {
            self.bind(scope, name, 0, BindingKind::Decl(index), None, None);
        }
    }

    /// Whether instances of a member type have no instance of the type around (JLS 8.1.3).
    fn is_static_type(&self, node: NodeIndex) -> bool {
        let of_interface = matches!(
            self.kind(self.parent(node)),
            Kind::Program | Kind::InterfaceBody | Kind::AnnotationTypeBody
        );
        self.kind(node) != Kind::ClassDeclaration || of_interface || self.has_modifier(node, Kind::Static)
    }

    /// The superclass first, then the interfaces.
    fn supertypes(&self, node: NodeIndex) -> Vec<TypeExpr> {
        let mut written = Vec::new();
        for clause in self.tree.children(node) {
            match self.kind(clause) {
                Kind::Superclass => written.extend(self.types_in(clause)),
                Kind::SuperInterfaces | Kind::ExtendsInterfaces => {
                    let list = self.tree.child_of_kind(clause, Kind::TypeList);
                    written.extend(list.into_iter().flat_map(|list| self.types_in(list)));
                }
                _ => {}
            }
        }
        written
    }

    pub(super) fn open_enum_constant(&mut self, node: NodeIndex) {
        let name = self.child_text(node, Field::Name);
        let mut decl = new_decl(DeclKind::Variant, name);
        decl.flags.is_static = true;
        self.declare(node, decl, vec![plain(name)]);
    }

    /// The class that a body behind `new T(…)` or an enum constant is.
    pub(super) fn declare_anonymous(&mut self, body: NodeIndex) -> DeclIndex {
        let creation = self.parent(body);
        let mut decl = new_decl(DeclKind::Class, ANONYMOUS);
        decl.visibility = Visibility::Private;
        let constant = self.decl_of.get(&creation).copied();
        decl.supertypes = match constant {
            Some(_) => self.enclosing_enum(creation).into_iter().collect(),
            None => self.child(creation, Field::Type).map(|ty| self.type_expr(ty)).into_iter().collect(),
        };
        let index = self.declare(body, decl, vec![plain(ANONYMOUS)]);
        if constant.is_some() {
            self.decls[index.0 as usize].owner = constant;
        }
        index
    }

    /// The enum whose constant a node is, as a written type.
    pub(super) fn enclosing_enum(&self, constant: NodeIndex) -> Option<TypeExpr> {
        let declaration = self.parent(self.parent(constant));
        (self.kind(declaration) == Kind::EnumDeclaration)
            .then(|| TypeExpr::named(self.child_text(declaration, Field::Name)))
    }

    // ---- What all declarations have

    /// Adds a declaration whose span is that of `node`.
    pub(super) fn declare(&mut self, node: NodeIndex, mut decl: Decl, spellings: Vec<Spelling>) -> DeclIndex {
        let modifiers = self.tree.child_of_kind(node, Kind::Modifiers);
        decl.decorators = self.annotations(modifiers);
        if decl.visibility == Visibility::Public {
            decl.visibility = self.visibility(node);
        }
        let name_node = self.child(node, Field::Name).unwrap_or(node);
        let text = DeclText {
            line_start: self.line(node),
            line_end: self.lines.last_line(self.start(node), self.end(node)),
            name_line: self.line(name_node),
            signature: self.signature(node, modifiers, &decl.name),
            doc: source_text::doc_before(self.source, self.start(node))
                .and_then(|doc| doc_comment::first_paragraph(&doc)),
        };
        let owner = self.info(self.scope(node)).owner;
        self.decls.push(DeclDraft { decl, text, owner, spellings });
        let index = DeclIndex(self.decls.len() as u32 - 1);
        self.decl_of.insert(node, index);
        index
    }

    /// Annotations as written, without `@`.
    fn annotations(&self, modifiers: Option<NodeIndex>) -> Vec<Name> {
        let children = modifiers.into_iter().flat_map(|modifiers| self.tree.children(modifiers));
        children
            .filter(|child| self.kind(*child).is_annotation())
            .map(|annotation| text::folded(self.text(annotation).trim_start_matches('@')).into())
            .collect()
    }

    fn visibility(&self, node: NodeIndex) -> Visibility {
        let of_interface = matches!(
            self.kind(self.parent(node)),
            Kind::InterfaceBody | Kind::AnnotationTypeBody | Kind::EnumBody
        );
        match () {
            () if self.has_modifier(node, Kind::Public) => Visibility::Public,
            () if self.has_modifier(node, Kind::Private) => Visibility::Private,
            () if self.has_modifier(node, Kind::Protected) => Visibility::Restricted("protected".into()),
            () if of_interface => Visibility::Public,
            () => Visibility::Restricted("package".into()),
        }
    }

    /// The head on one line: annotations in front, then from the first keyword to before the body.
    fn signature(&self, node: NodeIndex, modifiers: Option<NodeIndex>, name: &str) -> String {
        if name == ANONYMOUS {
            let ty = self.child_text(self.parent(node), Field::Type);
            return text::signature("", &text::folded(&format!("new {ty}() {{…}} {ANONYMOUS}")), name);
        }
        let leading = modifiers.map(|modifiers| {
            let children = self.tree.children(modifiers);
            children.take_while(|child| self.kind(*child).is_annotation()).last()
        });
        let start = leading.flatten().map_or(self.start(node), |annotation| self.end(annotation));
        let body = self.child(node, Field::Body);
        let end = body.map_or(self.end(node), |body| self.start(body));
        let plain = |range: std::ops::Range<u32>| {
            text::folded_with(self.source, range.clone(), &source_text::comments(self.source, range))
        };
        let head = plain(start..end);
        text::signature(&plain(self.start(node)..start), head.trim_end_matches(';').trim_end(), name)
    }
}

/// The plain spelling of a name.
pub(super) fn plain(name: &str) -> Spelling {
    Spelling::Part(name.into())
}

/// A more telling spelling.
pub(super) fn part(text: String) -> Spelling {
    Spelling::Part(text.into())
}

pub(super) fn new_decl(kind: DeclKind, name: &str) -> Decl {
    Decl {
        kind,
        name: name.into(),
        qualname: Name::default(),
        owner: Name::default(),
        visibility: Visibility::Public,
        flags: DeclFlags::default(),
        decorators: Vec::new(),
        type_params: Vec::new(),
        params: Vec::new(),
        returns: None,
        result: None,
        supertypes: Vec::new(),
        target: None,
        shape: Shape::Unit,
    }
}

/// JUnit 3 runs the classes that extend its `TestCase`.
fn is_test_case(supertype: &TypeExpr) -> bool {
    match supertype {
        TypeExpr::Path(segments) => segments.last().is_some_and(|last| last.name.ends_with("TestCase")),
        _ => false,
    }
}
