use serde::{Deserialize, Serialize};

use crate::{Exprs, Language, Name, TypeExpr};

/// Index of a declaration in [`Summary::decls`]; means something only together with its file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DeclIndex(pub u32);

/// The position-free half of a file's facts.
///
/// Nothing in here may change when a function body, a comment or a blank line changes. Items name
/// each other by qualname, never by index, so an item is equal as long as it says the same.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Summary {
    /// The language the file was read as.
    pub language: Language,
    /// Every declaration, parents before children, else in source order.
    pub decls: Vec<Decl>,
    /// Every import, at whatever depth, in source order.
    pub imports: Vec<Import>,
    /// Variables and constants of modules and types, instance attributes included, in source order;
    /// one entry for each assignment.
    pub variables: Vec<Variable>,
    /// The names a file says it exports (`__all__`), if it says so.
    pub exports: Option<Vec<Name>>,
    /// File-level marks in the language's own words (`no_std`, `cfg(test)`).
    pub marks: Vec<Name>,
}

impl Summary {
    /// The summary of an empty file.
    pub fn empty(language: Language) -> Self {
        Self {
            language,
            decls: Vec::new(),
            imports: Vec::new(),
            variables: Vec::new(),
            exports: None,
            marks: Vec::new(),
        }
    }
}

/// What a declaration is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum DeclKind {
    /// A function that is not a member of a type; nested functions too.
    Function,
    /// A member function, static and class methods too.
    Method,
    /// A constructor by the language's own rule (`__init__`).
    Constructor,
    /// A property's getter.
    Getter,
    /// A property's setter.
    Setter,
    /// A closure or lambda bound to a name.
    Closure,
    /// A class.
    Class,
    /// An interface (`Protocol` is a class: the native keyword decides).
    Interface,
    /// A struct.
    Struct,
    /// A record.
    Record,
    /// An enum.
    Enum,
    /// A variant of an enum; its own symbol, synthetic in the graph.
    Variant,
    /// A trait.
    Trait,
    /// A type alias.
    Alias,
    /// A type declaration with no word of its own in the vocabulary (a union).
    OtherType,
    /// A module declared inside a file (`mod x { … }`), or a declaration that another file is one
    /// (`mod x;`, see [`Decl::is_external_module`]). Not a symbol of the graph.
    Module,
    /// A block that adds members to a type declared elsewhere (`impl`). Not a symbol of the graph;
    /// its members' qualnames start with the type's name.
    Impl,
    /// A macro by example. Not a symbol of the graph.
    Macro,
    /// A type without a name that is known by its members (`struct { … }` where a type is written). Its
    /// name is of the adapter's making. Not a symbol of the graph.
    Anonymous,
    /// An object written out, whose functions are its members (`const o = { f() {} }`). Not a symbol of
    /// the graph; as a value it is a module whose names are only reached through it.
    Object,
    /// A part of a function or file whose declarations nobody outside can name: a block, a function
    /// without a name. Not a symbol of the graph.
    Scope,
}

impl DeclKind {
    /// Whether it is called: a node of the graph and a row of `functions.csv`.
    pub fn is_callable(self) -> bool {
        use DeclKind::*;
        matches!(self, Function | Method | Constructor | Getter | Setter | Closure)
    }

    /// The word of the closed vocabulary of types (`class`, `interface` … `other`), if it is a type.
    pub fn type_kind(self) -> Option<&'static str> {
        use DeclKind::*;
        Some(match self {
            Class => "class",
            Interface => "interface",
            Struct => "struct",
            Record => "record",
            Enum => "enum",
            Trait => "trait",
            Alias => "alias",
            OtherType => "other",
            _ => return None,
        })
    }

    /// The word used in `functions.csv` for a callable.
    pub fn callable_kind(self) -> Option<&'static str> {
        use DeclKind::*;
        Some(match self {
            Function => "function",
            Method => "method",
            Constructor => "constructor",
            Getter => "getter",
            Setter => "setter",
            Closure => "closure",
            _ => return None,
        })
    }
}

/// One declaration, without any position.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Decl {
    /// What it is.
    pub kind: DeclKind,
    /// The qualname of the declaration it stands in (a type, function, inline module or [`DeclKind::Impl`]);
    /// empty at the top of the file.
    pub owner: Name,
    /// Its own name.
    pub name: Name,
    /// Enclosing names and the name joined with `.`, made unique within the file by the adapter
    /// (handbook §3): what the language tells apart first (`f(int)`, trait of an impl, `set`), an
    /// ordinal `#n` last. This is the symbol's identity within the file.
    pub qualname: Name,
    /// Who may use it.
    pub visibility: Visibility,
    /// Properties that are either there or not.
    pub flags: DeclFlags,
    /// Decorators and attributes as written, without `@` and `#[…]`, white space folded.
    pub decorators: Vec<Name>,
    /// Type parameters with their bounds, `where` clauses folded in.
    pub type_params: Vec<TypeParam>,
    /// Parameters in order, the receiver first if there is one.
    pub params: Vec<Param>,
    /// The written return type. A property's type for getters; the field's type never stands here.
    pub returns: Option<TypeExpr>,
    /// What the function gives back, where nothing is written and the language's rules allow to
    /// follow it (`return Foo()`), joined over all returns.
    pub result: Option<Exprs>,
    /// Base classes, extended and implemented types, super-traits, in source order. Of an
    /// [`DeclKind::Impl`]: the trait, if it has one.
    pub supertypes: Vec<TypeExpr>,
    /// An alias's target; an [`DeclKind::Impl`]'s self type.
    pub target: Option<TypeExpr>,
    /// For variants: how they are built.
    pub shape: Shape,
}

/// How a struct or variant is constructed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Shape {
    /// Not a product, or without fields.
    #[default]
    Unit,
    /// Positional fields; they are [`Variable`]s named `0`, `1` ….
    Tuple,
    /// Named fields.
    Fields,
}

/// Yes-or-no properties of a declaration.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct DeclFlags {
    /// `async`.
    pub is_async: bool,
    /// Belongs to the type, not to an instance.
    pub is_static: bool,
    /// Takes the class as receiver (`@classmethod`).
    pub is_class_method: bool,
    /// Read like an attribute (`@property`, getter).
    pub is_property: bool,
    /// A member without a body (interface, trait, abstract, `.pyi` overload).
    pub is_bodiless: bool,
    /// Stands under conditional compilation, so that declarations of equal name may be alternatives.
    pub is_conditional: bool,
    /// Test code by the language's marks.
    pub is_test: bool,
    /// A generator (its call gives an iterator of what it yields).
    pub is_generator: bool,
    /// For [`DeclKind::Module`]: the body is another file.
    pub is_external_module: bool,
}

/// Who may use a declaration or import.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Visibility {
    /// Whoever can name it.
    #[default]
    Public,
    /// The declaring scope and those inside it.
    Private,
    /// What the language's own words say (`crate`, `super`, `protected`).
    Restricted(Name),
}

/// A type parameter.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TypeParam {
    /// Its name.
    pub name: Name,
    /// Every bound written for it.
    pub bounds: Vec<TypeExpr>,
    /// Its default.
    pub default: Option<TypeExpr>,
}

/// A parameter.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Param {
    /// Its name; of a pattern, the text folded.
    pub name: Name,
    /// How it takes arguments.
    pub kind: ParamKind,
    /// Its written type.
    pub ty: Option<TypeExpr>,
    /// The type as written, white space folded, for display; empty if none.
    pub type_text: Name,
    /// Whether it may be left out.
    pub has_default: bool,
}

/// How a parameter takes arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ParamKind {
    /// `self`, `cls`, `&mut self`.
    Receiver,
    /// By position or name.
    Normal,
    /// By name only.
    Keyword,
    /// The rest of the positions.
    Variadic,
    /// The rest of the names.
    KeywordVariadic,
}

/// A variable or constant of a module or type, or an instance attribute: one assignment or
/// declaration of it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Variable {
    /// Its name.
    pub name: Name,
    /// The qualname of the type, variant or inline module it belongs to; empty for the file's top.
    pub owner: Name,
    /// What it is.
    pub kind: VariableKind,
    /// Its written type.
    pub ty: Option<TypeExpr>,
    /// What it is assigned, if nothing is written and the language's rules allow to follow it.
    pub value: Option<Exprs>,
    /// For values that mention parameters (`self.x = x`): the qualname of the function the
    /// assignment stands in; empty if it stands in the type or module itself.
    pub assigned_in: Name,
    /// Who may use it.
    pub visibility: Visibility,
    /// Whether it can change after it was first set: `static mut`, interior mutability by type,
    /// rebound or mutated module variable. Decides about registers.
    pub is_mutable: bool,
}

/// What a [`Variable`] is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum VariableKind {
    /// Of a module.
    Module,
    /// A declared field, or an attribute assigned through the receiver.
    Instance,
    /// Of the type itself.
    Class,
    /// A constant.
    Constant,
}

/// One imported name, in the language's own terms, groups already spread out.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Import {
    /// The qualname of the function, type or inline module it stands in; empty for the file's top.
    pub owner: Name,
    /// The path as segments (`std`, `collections`, `HashMap`; `a`, `b`), without leading dots.
    pub path: Vec<Name>,
    /// Leading dots of a relative import (Python), else 0.
    pub level: u32,
    /// For `from a import b`: the last segment of `path` is `b`, looked up in `a`. For `import a.b`: false.
    pub is_member: bool,
    /// What the import binds.
    pub binds: ImportBinding,
    /// Whether other files can see the name through this one (`pub use`, any Python import).
    pub visibility: Visibility,
    /// Stands under conditional compilation, `try`, or `if TYPE_CHECKING`.
    pub is_conditional: bool,
}

/// What an [`Import`] binds in its scope.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ImportBinding {
    /// The target under this name.
    Name(Name),
    /// The first segment of the path (`import a.b` binds `a`).
    First,
    /// Every name the target exports.
    Glob,
    /// No name, for effect only, or `as _`.
    Nothing,
    /// The name the target gives itself, which only the target can tell (a Go package's clause). It is
    /// for the language's rules to offer and to find.
    Own,
}

/// What a package manifest or tool configuration says, as far as resolution or the narrator asks.
/// Entries are language-defined triples, for instance `("dependency", "grep", "path:crates/grep")`.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Manifest {
    /// In the order of the file.
    pub entries: Vec<ManifestEntry>,
    /// Why it could not be read (it is then empty): line and message.
    pub problem: Option<(u32, String)>,
}

/// One statement of a [`Manifest`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ManifestEntry {
    /// What kind of statement it is.
    pub kind: Name,
    /// Its subject.
    pub key: Name,
    /// What it says.
    pub value: Name,
}
