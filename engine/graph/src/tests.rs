//! The engine on facts made by hand, under the rules of a toy language: files are modules, `use` paths
//! name a file and a member, `Base` and its kin come from library data.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use bindery_facts::*;
use bindery_source::RepoPath;

use crate::*;

struct Toy;

static TOY: Toy = Toy;

const LIBRARY_TEXT: &str = "\
prelude List text
mod core
struct List<T>
  fn first(self) -> Maybe<T>
  fn map<U>(self, f: Fn(T) -> U) -> List<U>
enum Maybe<T>
  Some(T)
  fn get(self) -> T
trait Loud
  type Sound
  fn shout(self) -> Self::Sound
impl<T> Loud for List<T>
  type Sound = T
struct text
fn helper(List<text>) -> text
";

impl Rules for Toy {
    fn library(&self) -> Option<&'static Library> {
        static LIBRARY: OnceLock<Library> = OnceLock::new();
        Some(LIBRARY.get_or_init(|| Library::parse(Language::Rust, LIBRARY_TEXT, &TOY)))
    }

    fn builtin_name(&self, builtin: Builtin) -> Option<&'static str> {
        match builtin {
            Builtin::List => Some("List"),
            Builtin::String => Some("text"),
            _ => None,
        }
    }

    fn import_target(&self, session: &Session, place: &Place, import: &Import, namespace: Namespace) -> Ty {
        let [file, name] = import.path.as_slice() else { return Ty::Unknown };
        let path: Name = format!("{file}.rs").into();
        if !session.has_file(&path) {
            return Ty::External(
                External { specifier: file.clone(), class: Name::default(), name: name.clone() }.into(),
            );
        }
        self.module_member(session, place, &Module::file(path), name, namespace)
    }
}

fn decl(kind: DeclKind, qualname: &str) -> Decl {
    let (owner, name) = qualname.rsplit_once('.').unwrap_or(("", qualname));
    Decl {
        kind,
        name: name.into(),
        qualname: qualname.into(),
        owner: owner.into(),
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

fn method(qualname: &str, params: &[&str], returns: Option<TypeExpr>) -> Decl {
    let receiver = Param {
        name: "self".into(),
        kind: ParamKind::Receiver,
        ty: None,
        type_text: Name::default(),
        has_default: false,
    };
    let written = |name: &&str| Param {
        name: "p".into(),
        kind: ParamKind::Normal,
        ty: Some(TypeExpr::named(*name)),
        ..receiver.clone()
    };
    let params = std::iter::once(receiver.clone()).chain(params.iter().map(written)).collect();
    Decl { params, returns, ..decl(DeclKind::Method, qualname) }
}

fn import(path: [&str; 2]) -> Import {
    Import {
        owner: Name::default(),
        path: path.iter().map(|segment| Name::from(*segment)).collect(),
        level: 0,
        is_member: true,
        binds: ImportBinding::Name(path[1].into()),
        visibility: Visibility::Public,
        is_conditional: false,
    }
}

/// A file: its declarations and imports, and calls in its first function.
#[derive(Default)]
struct File {
    decls: Vec<Decl>,
    imports: Vec<Import>,
    bodies: Bodies,
}

impl File {
    fn new(decls: Vec<Decl>, imports: Vec<Import>) -> Self {
        let file_scope = Scope { parent: None, kind: ScopeKind::Module, decl: None };
        let function =
            Scope { parent: Some(ScopeIndex(0)), kind: ScopeKind::Function, decl: Some(DeclIndex(0)) };
        let bodies = Bodies { scopes: vec![file_scope, function], ..Bodies::default() };
        Self { decls, imports, bodies }
    }

    fn name(&mut self, name: &str, at: u32) -> ExprIndex {
        self.bodies.exprs.push(Expr::Name { name: name.into(), scope: ScopeIndex(1), at })
    }

    fn bind(&mut self, name: &str, at: u32, ty: TypeExpr) {
        self.bodies.bindings.push(Binding {
            scope: ScopeIndex(1),
            name: name.into(),
            at,
            kind: BindingKind::Local,
            ty: Some(ty),
            value: None,
        });
    }

    fn member(&mut self, base: ExprIndex, name: &str) -> ExprIndex {
        self.bodies.exprs.push(Expr::Member { base, name: name.into(), type_args: Vec::new() })
    }

    fn call(&mut self, callee: ExprIndex, args: Vec<ExprIndex>) -> ExprIndex {
        let expr = self.bodies.exprs.push(Expr::Call { callee, args, keywords: Vec::new() });
        self.bodies.sites.push(CallSite {
            expr,
            caller: Some(DeclIndex(0)),
            scope: ScopeIndex(1),
            line: 1,
            raw: Name::default(),
            is_await: false,
            kind: SiteKind::Call,
        });
        expr
    }

    fn facts(self) -> FileFacts {
        FileFacts {
            summary: Arc::new(Summary {
                language: Language::Rust,
                decls: self.decls,
                imports: self.imports,
                variables: Vec::new(),
                exports: None,
                marks: Vec::new(),
            }),
            texts: Vec::new(),
            bodies: self.bodies,
            doc: None,
            line_count: 1,
            first_error: None,
            is_entry_point: false,
            is_test: false,
        }
    }
}

fn resolve_first(files: Vec<(&str, File)>) -> (Resolution, BTreeSet<String>) {
    struct Spy(MapLookup, RefCell<BTreeSet<String>>);
    impl Lookup for Spy {
        fn provided(&self, key: &Key) -> Arc<[Provided]> {
            self.1.borrow_mut().insert(key.to_string());
            self.0.provided(key)
        }
    }
    let files: Vec<(RepoPath, FileFacts)> =
        files.into_iter().map(|(path, file)| (RepoPath::new(path), file.facts())).collect();
    let units = files.iter().map(|(path, facts)| {
        let contents = Contents::Source(facts.summary.clone());
        (Arc::new(Unit { path: path.clone(), contents }), &TOY as &'static dyn Rules)
    });
    let spy = Spy(MapLookup::new(units), RefCell::default());
    let resolution = resolve(&files[0].0, &files[0].1, &TOY, &spy);
    (resolution, spy.1.into_inner())
}

fn function_of(path: &str, qualname: &str) -> Callee {
    Callee::Function(Symbol { path: RepoPath::new(path), qualname: qualname.into() })
}

fn path(name: &str, args: &[&str]) -> TypeExpr {
    let args = args.iter().map(|arg| TypeExpr::named(*arg)).collect();
    TypeExpr::Path(vec![Segment { name: name.into(), args, bindings: Vec::new() }])
}

#[test]
fn other_files_are_asked_for_and_misses_count() {
    let mut a = File::new(
        vec![decl(DeclKind::Function, "main")],
        vec![import(["b", "there"]), import(["b", "gone"])],
    );
    for name in ["there", "gone", "main", "nowhere"] {
        let callee = a.name(name, 0);
        a.call(callee, Vec::new());
    }
    let b = File::new(vec![decl(DeclKind::Function, "there")], Vec::new());
    let (resolution, asked) = resolve_first(vec![("a.rs", a), ("b.rs", b)]);
    assert_eq!(
        resolution.outcomes,
        [
            Outcome::Edges(CallType::InternalFunc, vec![function_of("b.rs", "there")]),
            Outcome::Dropped(DropReason::BareName),
            Outcome::Edges(CallType::InternalFunc, vec![function_of("a.rs", "main")]),
            Outcome::Dropped(DropReason::BareName),
        ]
    );
    let expected =
        ["file `b.rs`", "glob imports of `b.rs`", "name `gone` in `b.rs`", "name `there` in `b.rs`"];
    assert_eq!(asked, expected.map(String::from).into());
    assert_eq!(resolution.needs.len(), 4);
    assert_eq!(resolution.imported_files, [RepoPath::new("b.rs")]);
}

#[test]
fn imports_that_lead_to_each_other_lead_nowhere() {
    let mut a = File::new(vec![decl(DeclKind::Function, "main")], vec![import(["b", "x"])]);
    let callee = a.name("x", 0);
    a.call(callee, Vec::new());
    let b = File::new(Vec::new(), vec![import(["a", "x"])]);
    let (resolution, _) = resolve_first(vec![("a.rs", a), ("b.rs", b)]);
    assert_eq!(resolution.outcomes, [Outcome::Dropped(DropReason::BareName)]);
}

#[test]
fn type_arguments_travel_through_library_members() {
    let mut a = File::new(
        vec![
            decl(DeclKind::Function, "main"),
            decl(DeclKind::Struct, "A"),
            method("A.go", &[], Some(path("List", &["A"]))),
        ],
        Vec::new(),
    );
    a.bind("list", 0, path("List", &["A"]));
    let list = a.name("list", 1);
    let first = a.member(list, "first");
    let maybe = a.call(first, Vec::new());
    let get = a.member(maybe, "get");
    let value = a.call(get, Vec::new());
    let go = a.member(value, "go");
    a.call(go, Vec::new());
    let (resolution, _) = resolve_first(vec![("a.rs", a)]);
    assert_eq!(
        resolution.outcomes,
        [
            Outcome::Dropped(DropReason::Builtin),
            Outcome::Edges(
                CallType::Boundary,
                vec![Callee::Boundary {
                    specifier: "core".into(),
                    class: "Maybe".into(),
                    name: "get".into()
                }]
            ),
            Outcome::Edges(CallType::ParamMethod, vec![function_of("a.rs", "A.go")]),
        ]
    );
}

#[test]
fn a_binding_holds_from_where_it_stands_and_the_latest_counts() {
    let mut a = File::new(
        vec![
            decl(DeclKind::Function, "main"),
            decl(DeclKind::Struct, "A"),
            method("A.go", &[], None),
            decl(DeclKind::Struct, "B"),
            method("B.go", &[], None),
        ],
        Vec::new(),
    );
    a.bind("x", 10, TypeExpr::named("A"));
    a.bind("x", 20, TypeExpr::named("B"));
    for at in [5, 15, 25] {
        let x = a.name("x", at);
        let go = a.member(x, "go");
        a.call(go, Vec::new());
    }
    let (resolution, _) = resolve_first(vec![("a.rs", a)]);
    let method = |name| Outcome::Edges(CallType::ParamMethod, vec![function_of("a.rs", name)]);
    assert_eq!(
        resolution.outcomes,
        [Outcome::Dropped(DropReason::LocalVarMethod), method("A.go"), method("B.go")]
    );
}

#[test]
fn unions_answer_only_if_all_members_agree() {
    let base = Decl { supertypes: Vec::new(), ..decl(DeclKind::Class, "Base") };
    let child =
        |name: &str| Decl { supertypes: vec![TypeExpr::named("Base")], ..decl(DeclKind::Class, name) };
    let mut a = File::new(
        vec![
            decl(DeclKind::Function, "main"),
            base,
            method("Base.same", &[], None),
            child("L"),
            method("L.own", &[], None),
            child("R"),
            method("R.own", &[], None),
        ],
        Vec::new(),
    );
    a.bind("x", 0, TypeExpr::Union(vec![TypeExpr::named("L"), TypeExpr::named("R")]));
    for name in ["same", "own"] {
        let x = a.name("x", 1);
        let member = a.member(x, name);
        a.call(member, Vec::new());
    }
    let (resolution, _) = resolve_first(vec![("a.rs", a)]);
    assert_eq!(
        resolution.outcomes,
        [
            Outcome::Edges(CallType::ParamMethod, vec![function_of("a.rs", "Base.same")]),
            Outcome::Dropped(DropReason::LocalVarMethod),
        ]
    );
    let base = Supertype::Type(Symbol { path: RepoPath::new("a.rs"), qualname: "Base".into() });
    assert_eq!(resolution.supertypes, [(DeclIndex(3), vec![base.clone()]), (DeclIndex(5), vec![base])]);
}

#[test]
fn members_of_a_base_outside_the_set_are_inherited() {
    let child = Decl { supertypes: vec![TypeExpr::named("Far")], ..decl(DeclKind::Class, "Near") };
    let mut a = File::new(
        vec![decl(DeclKind::Function, "main"), child, method("Near.own", &[], None)],
        vec![import(["lib", "Far"])],
    );
    a.bind("x", 0, TypeExpr::named("Near"));
    for name in ["own", "far"] {
        let x = a.name("x", 1);
        let member = a.member(x, name);
        a.call(member, Vec::new());
    }
    let far = a.name("Far", 1);
    a.call(far, Vec::new());
    let near = a.name("Near", 1);
    a.call(near, Vec::new());
    let (resolution, _) = resolve_first(vec![("a.rs", a)]);
    let boundary = Callee::Boundary { specifier: "lib".into(), class: Name::default(), name: "Far".into() };
    let new = Callee::New(Symbol { path: RepoPath::new("a.rs"), qualname: "Near".into() });
    assert_eq!(
        resolution.outcomes,
        [
            Outcome::Edges(CallType::ParamMethod, vec![function_of("a.rs", "Near.own")]),
            Outcome::Dropped(DropReason::InheritedMethod),
            Outcome::Edges(CallType::BoundaryConstructor, vec![boundary]),
            Outcome::Edges(CallType::InternalConstructor, vec![new]),
        ]
    );
}

#[test]
fn only_alternatives_of_conditional_compilation_give_several_edges() {
    let conditional = |qualname: &str| {
        let mut decl = decl(DeclKind::Function, "f");
        decl.qualname = qualname.into();
        decl.flags.is_conditional = true;
        decl
    };
    let plain = |qualname: &str| Decl { qualname: qualname.into(), ..decl(DeclKind::Function, "g") };
    let mut a = File::new(
        vec![
            decl(DeclKind::Function, "main"),
            conditional("f#1"),
            conditional("f#2"),
            plain("g#1"),
            plain("g#2"),
        ],
        Vec::new(),
    );
    for name in ["f", "g"] {
        let callee = a.name(name, 0);
        a.call(callee, Vec::new());
    }
    let (resolution, _) = resolve_first(vec![("a.rs", a)]);
    assert_eq!(
        resolution.outcomes,
        [
            Outcome::Edges(
                CallType::InternalFunc,
                vec![function_of("a.rs", "f#1"), function_of("a.rs", "f#2")]
            ),
            Outcome::Dropped(DropReason::BareName),
        ]
    );
}

#[test]
fn long_chains_and_deep_types_end_without_a_deep_stack() {
    let mut a = File::new(
        vec![
            decl(DeclKind::Function, "main"),
            decl(DeclKind::Struct, "A"),
            method("A.go", &[], Some(TypeExpr::named("A"))),
        ],
        Vec::new(),
    );
    a.bind("x", 0, TypeExpr::named("A"));
    let mut chain = a.name("x", 1);
    for _ in 0..5_000 {
        let go = a.member(chain, "go");
        chain = a.call(go, Vec::new());
    }
    let mut nested = a.name("x", 1);
    for _ in 0..5_000 {
        nested = a.bodies.exprs.push(Expr::Tuple(vec![nested]));
    }
    let callee = a.member(nested, "go");
    a.call(callee, Vec::new());
    let (resolution, _) = resolve_first(vec![("a.rs", a)]);
    let go = Outcome::Edges(CallType::ParamMethod, vec![function_of("a.rs", "A.go")]);
    assert_eq!(resolution.outcomes[..5_000], vec![go; 5_000]);
    assert_eq!(resolution.outcomes.len(), 5_001);
    assert!(matches!(resolution.outcomes[5_000], Outcome::Dropped(_)));
}

#[test]
#[should_panic(expected = "library data, line 2: a name expected")]
fn library_data_that_is_no_notation_is_refused() {
    Library::parse(Language::Rust, "mod m\nfn f(", &TOY);
}
