use std::rc::Rc;

use bindery_facts::{
    DeclKind, Expr, ExprIndex, Import, Literal, Name, Segment, SequenceKind, TypeExpr, Visibility,
};

use crate::{
    Args, CallableTy, Def, External, FunctionTy, Item, Key, Library, Module, Place, Provided, Session, Ty,
    Unit, defaults,
};

/// The name spaces a language keeps apart. Languages with one ignore it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Namespace {
    /// Types and modules.
    Type,
    /// Functions, variables, constructors.
    Value,
    /// Members that are called, in languages where attributes of the same name are told apart from
    /// them (see [`Rules::keeps_methods_apart`]); else these are [`Namespace::Value`].
    Method,
    /// Macros.
    Macro,
}

/// How local names are scoped inside functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scoping {
    /// In blocks; a name holds from where it is bound and the latest binding before the use counts
    /// (Rust, Go, Java, C).
    Block,
    /// In whole functions, whatever block they are bound in. The latest binding before the use that
    /// dominates it counts; else all that may reach it are joined (Python, Ruby, PHP).
    Function,
}

/// How names declared directly in a declaration are seen by code nested in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// They are in scope (functions; classes in Java and C#).
    Open,
    /// They are not, look further out (classes in Python; types and impls in Rust). Type parameters
    /// of the declaration are in scope all the same.
    Hidden,
    /// They are, and nothing further out is (inline modules in Rust).
    Wall,
}

/// Types the language makes without naming them; each is looked up in [`Rules::library`] by the name
/// [`Rules::builtin_name`] gives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the words say what they name")]
pub enum Builtin {
    String,
    Bytes,
    Char,
    Integer,
    Float,
    Bool,
    None,
    /// A list display, one type argument.
    List,
    /// A set display, one type argument.
    Set,
    /// An array display, one type argument.
    Array,
    /// A written array or slice type, one type argument.
    Slice,
    /// A generator expression or a generator's result, one type argument.
    Generator,
    /// A dictionary display, two type arguments.
    Map,
    /// `Optional`, one type argument. Without a name, [`Ty::Union`] with [`Builtin::None`].
    Optional,
    /// A range, one type argument.
    Range,
    /// A tuple, for its members; its type arguments are its parts.
    Tuple,
    /// A function, for its members.
    Function,
    /// What every type derives from (`object`), for its members.
    Object,
}

/// What is known at one call.
pub struct CallView<'c> {
    /// The type of the callee expression.
    pub callee: &'c Ty,
    /// The callee as written, if the call stands in an arena at hand.
    pub callee_expr: Option<&'c Expr>,
    /// The types of the arguments, in order; not computed before it is asked for.
    pub args: &'c dyn Fn(usize) -> Ty,
    /// How many arguments there are, those passed by name included.
    pub arg_count: usize,
    /// The names of the last arguments.
    pub keywords: &'c [Name],
    /// Where the call stands.
    pub place: &'c Place,
}

/// What constructing a type calls.
#[derive(Clone, PartialEq, Debug)]
pub enum Construction {
    /// A constructor that is declared in the set or in the library.
    Constructor(Rc<FunctionTy>),
    /// Several, told apart by what they are called with (see [`Rules::select`]). A function whose
    /// declaration is the type itself stands for the one that the language makes without a declaration,
    /// which takes the parameters of the type's own head.
    Overloads(Rc<[Ty]>),
    /// The type has none: the synthetic `<type id>.<new>`.
    Synthetic(Def),
    /// It inherits one, or may, from outside the set.
    Outside,
    /// Several fit, or it cannot be constructed.
    Unknown,
}

/// What differs between languages in resolution. One value per language, in the language's crate.
///
/// A hook gets the [`Session`] of the file that is resolved and asks it for everything: other files
/// only through its recorded look-ups. Hooks must be pure: what they return may depend on nothing but
/// arguments and answers. [`Ty::Unknown`] is always a right answer; a guess never is.
///
/// Most languages need `import_target`, `outer_name`, `builtin_name` and a table or two;
/// every other hook has the commonest rule as its default, available in [`defaults`] to hooks that
/// want to do something first.
pub trait Rules: Sync {
    /// Adds what a file offers under keys of the language's own ([`Key::Custom`]).
    fn custom_offers(&self, unit: &Unit, pairs: &mut Vec<(Key, Item)>) {
        let _ = (unit, pairs);
    }

    /// Declarations of the language's built-in and standard types, as far as typing needs them. Parsed
    /// once per process and only when asked for.
    fn library(&self) -> Option<&'static Library> {
        None
    }

    /// The library's name for a type the language makes without naming it.
    fn builtin_name(&self, builtin: Builtin) -> Option<&'static str> {
        let _ = builtin;
        None
    }

    /// Between the segments of a module path in the language's own spelling (`::`, `.`, `/`).
    fn separator(&self) -> &'static str {
        "."
    }

    /// Whether all values of a join, and all assignments of one variable, have one type, so that one
    /// known type stands for all (statically typed languages).
    fn is_statically_typed(&self) -> bool {
        true
    }

    /// Whether a value that may be nothing counts as what it is otherwise: `Foo | None` as `Foo`, and
    /// assignments of nothing beside others not at all. For languages where using it is no error.
    fn ignores_nothing(&self) -> bool {
        false
    }

    // ---- Names

    /// How local names are scoped.
    fn scoping(&self) -> Scoping {
        Scoping::Block
    }

    /// Whether a function inside a function sees the outer one's variables.
    fn nested_functions_capture(&self) -> bool {
        true
    }

    /// How the names of a declaration of this kind are seen from inside.
    fn reach(&self, kind: DeclKind) -> Reach {
        if kind.is_callable() { Reach::Open } else { Reach::Hidden }
    }

    /// Whether `x.f()` means a method where `x` has an attribute `f` as well.
    fn keeps_methods_apart(&self) -> bool {
        false
    }

    /// Whether `f()` means a function where a variable `f` is in scope as well: the names of functions
    /// and of variables are kept apart, and a called name is a [`Namespace::Method`].
    fn keeps_functions_apart(&self) -> bool {
        false
    }

    /// What the inside of a declaration, or of the file if there is none, makes of a name: `scope` is the
    /// declaration `def` as a place, `from` where the name is used. The default: what is declared or
    /// imported directly there, then its globs. Languages where a type's inside sees inherited members
    /// say so here.
    fn inner_name(
        &self,
        session: &Session,
        from: &Place,
        scope: &Place,
        def: Option<&Def>,
        name: &Name,
        namespace: Namespace,
    ) -> Option<Ty> {
        let _ = def;
        session.name_of_scope(from, scope, name, namespace)
    }

    /// Which of several items of one name in one scope a use means. Usually one; several only where
    /// conditional compilation decides; none if it cannot be told. Only items of one scope come here.
    fn choose(&self, session: &Session, items: &[Provided], namespace: Namespace) -> Vec<Provided> {
        defaults::choose(session, items, namespace)
    }

    /// Whether a declaration of this kind is found in a name space. Imports and variables are not
    /// asked about.
    fn is_in_namespace(&self, decl: &bindery_facts::Decl, namespace: Namespace) -> bool {
        let _ = (decl, namespace);
        true
    }

    /// Whether a type's name in an expression is its only value (unit structs).
    fn is_its_own_value(&self, decl: &bindery_facts::Decl) -> bool {
        let _ = decl;
        false
    }

    /// Whether `visibility`, written in the module or type `container`, lets code at `from` use the
    /// item. Asked where several ways lead on, for globs above all.
    fn is_visible(
        &self,
        session: &Session,
        from: &Place,
        container: &Place,
        visibility: &Visibility,
    ) -> bool {
        let _ = (session, from, container, visibility);
        true
    }

    /// The module a file is.
    fn module_of(&self, session: &Session, path: &Name) -> Module {
        let _ = session;
        Module::file(path.clone())
    }

    /// The files that stand for a module among the files that another imports. The default: the file
    /// it is, if it is one.
    fn module_files(&self, session: &Session, module: &Module) -> Vec<Name> {
        if session.has_file(&module.path) { vec![module.path.clone()] } else { Vec::new() }
    }

    /// The file that declares a variable of a module. The default: the file the module is.
    fn variable_file(&self, session: &Session, module: &Module, name: &Name) -> Option<Name> {
        let scope = Place { path: module.path.clone(), owner: module.owner.clone() };
        session.has_variable(&scope, name).then(|| module.path.clone())
    }

    /// A module that is found by its name in another without being declared there (a file in a
    /// package's directory).
    fn submodule(&self, session: &Session, module: &Module, name: &Name) -> Option<Module> {
        let _ = (session, module, name);
        None
    }

    /// What `name` means as a member of a module, seen from `from`. The default: what the file
    /// declares, else [`Rules::submodule`], else its glob imports.
    fn module_member(
        &self,
        session: &Session,
        from: &Place,
        module: &Module,
        name: &Name,
        namespace: Namespace,
    ) -> Ty {
        defaults::module_member(session, from, module, name, namespace)
    }

    /// What an import at `place` leads to: for [`bindery_facts::ImportBinding::Name`] and `Nothing` the
    /// target, for `First` what the first segment names, for `Glob` the module or type whose names it
    /// brings in. Outside the set: [`Ty::External`].
    fn import_target(&self, session: &Session, place: &Place, import: &Import, namespace: Namespace) -> Ty;

    /// Whether a glob import of `module` brings in this name (`__all__`, leading underscores).
    fn glob_exposes(&self, session: &Session, module: &Module, name: &Name) -> bool {
        let _ = (session, module, name);
        true
    }

    /// What a name means that no scope, declaration or import of the file answers: the package's other
    /// files, extern crates, the prelude, builtins.
    fn outer_name(&self, session: &Session, place: &Place, name: &Name, namespace: Namespace) -> Ty {
        let _ = (place, namespace);
        session.library_name(name)
    }

    /// The value of a written path that needs more than going from member to member (`crate::a::b`,
    /// `<T as Trait>::f`, `Self`). None: the engine's way, first segment by scope, then members.
    fn path(&self, session: &Session, place: &Place, path: &TypeExpr, namespace: Namespace) -> Option<Ty> {
        let _ = (session, place, path, namespace);
        None
    }

    // ---- Types

    /// The instance type that a written path means where the engine's way does not do (`Optional[X]`,
    /// `Self`, `Annotated[T, …]`).
    fn written_path(&self, session: &Session, place: &Place, segments: &[Segment]) -> Option<Ty> {
        let _ = (session, place, segments);
        None
    }

    /// The type of a literal.
    fn literal(&self, session: &Session, literal: Literal) -> Ty {
        defaults::literal(session, literal)
    }

    /// The type of a list, set, array or generator display over elements of one type.
    fn sequence(&self, session: &Session, kind: SequenceKind, element: Ty) -> Ty {
        defaults::sequence(session, kind, element)
    }

    /// The type of a parameter without written type (`self.x` default values, conventions).
    fn unwritten_param(&self, session: &Session, function: &Def, index: u32) -> Ty {
        let _ = (session, function, index);
        Ty::Unknown
    }

    /// What a function gives whose return type and result the facts do not tell.
    fn unwritten_return(&self, session: &Session, function: &Def) -> Ty {
        let _ = (session, function);
        Ty::Unknown
    }

    /// What a declared name is worth as a value, decorators applied: the default is the function or
    /// type itself.
    fn decorated(&self, session: &Session, def: &Def, plain: Ty) -> Ty {
        let _ = (session, def);
        plain
    }

    // ---- Members

    /// A type's base types in the order its members are looked up, itself first, type arguments
    /// filled in from `args`; what does not resolve is [`Ty::Unknown`] in its place, outside the set
    /// [`Ty::ExternalInstance`]. The default is depth first.
    fn linearization(&self, session: &Session, def: &Def, args: &Args) -> Rc<[Ty]> {
        defaults::linearization(session, def, args)
    }

    /// The base types a type declaration is listed with, each with the place its names are looked up
    /// from. The default is those written at the declaration.
    fn written_supertypes(&self, session: &Session, def: &Def) -> Vec<(Place, TypeExpr)> {
        let _ = session;
        def.decl().supertypes.iter().map(|ty| (def.place(), ty.clone())).collect()
    }

    /// A member of a value, type or module, as seen from `from`. Gives the member as a value: a
    /// [`Ty::Function`] (see [`Rules::bound`]), the type of an attribute, a nested type. The default
    /// looks along [`Rules::linearization`] and splits unions and alternatives; whatever it does not
    /// answer is [`Ty::Unknown`].
    fn member(
        &self,
        session: &Session,
        from: &Place,
        receiver: &Ty,
        name: &Name,
        namespace: Namespace,
    ) -> Ty {
        defaults::member(session, from, receiver, name, namespace)
    }

    /// A member of exactly this value or type, without following [`Rules::deref`]; none if it has no
    /// such member. The default [`Rules::member`] calls this.
    fn direct_member(
        &self,
        session: &Session,
        from: &Place,
        receiver: &Ty,
        name: &Name,
        namespace: Namespace,
    ) -> Option<Ty> {
        defaults::direct_member(session, from, receiver, name, namespace)
    }

    /// What a value is turned into where its own type does not answer: smart pointers, arrays as slices.
    fn deref(&self, session: &Session, ty: &Ty) -> Option<Ty> {
        let _ = (session, ty);
        None
    }

    /// A member of something outside the set of which nothing but its name is known.
    fn external_member(&self, external: &External, name: &Name) -> Ty {
        defaults::external_member(self.separator(), external, name)
    }

    /// Whether something outside the set is a type, going by its name alone.
    fn is_external_type(&self, external: &External) -> bool {
        external.name.starts_with(char::is_uppercase)
    }

    /// What reading a callable member gives. `base` is the base type it was found on, `receiver` what
    /// it was read from. The default: a property's value, else the function, bound to the receiver
    /// unless it is static or the receiver is the type itself.
    fn bound(&self, session: &Session, receiver: &Ty, base: &Ty, def: &Def) -> Ty {
        defaults::bound(session, receiver, base, def)
    }

    /// Whether a member that was not found may come from outside the set: some base type is external,
    /// is library or does not resolve. Decides for `inherited_method`.
    fn may_inherit(&self, session: &Session, receiver: &Ty, name: &Name) -> bool {
        let _ = name;
        defaults::may_inherit(session, receiver)
    }

    // ---- Operations

    /// Fills in what a binding's written type leaves open (`Vec<_>`) from its value, number `value` of
    /// the file's bodies.
    fn filled(&self, session: &Session, written: Ty, value: ExprIndex) -> Ty {
        session.merged(written, session.ty(value))
    }

    /// What iterating over a value gives.
    fn element(&self, session: &Session, base: &Ty, is_async: bool) -> Ty {
        defaults::element(session, base, is_async)
    }

    /// `base[index]`; `key` is the index's literal text for tuples, where known.
    fn index(&self, session: &Session, base: &Ty, index: &Ty) -> Ty {
        let _ = index;
        defaults::index(session, base)
    }

    /// The part number `index` of a destructured value that is no tuple.
    fn item(&self, session: &Session, base: &Ty, index: u32) -> Ty {
        let _ = index;
        self.element(session, base, false)
    }

    /// `await base`.
    fn awaited(&self, session: &Session, base: &Ty) -> Ty {
        defaults::awaited(session, base)
    }

    /// The value inside an optional or result (`base?`).
    fn tried(&self, session: &Session, base: &Ty) -> Ty {
        let _ = session;
        base.clone()
    }

    /// `*base`. References are not part of [`Ty`], so this matters for smart pointers only.
    fn dereferenced(&self, session: &Session, base: &Ty) -> Ty {
        let _ = session;
        base.clone()
    }

    /// What entering a context manager gives.
    fn entered(&self, session: &Session, base: &Ty, is_async: bool) -> Ty {
        let _ = (session, base, is_async);
        Ty::Unknown
    }

    /// The value of an operator applied.
    fn operation(&self, session: &Session, operator: &str, operands: &[Ty]) -> Ty {
        let _ = (session, operator, operands);
        Ty::Unknown
    }

    /// The value of a macro call.
    fn macro_value(&self, session: &Session, name: &Name, args: &[ExprIndex]) -> Ty {
        let _ = (session, name, args);
        Ty::Unknown
    }

    /// Whether a macro is the language's own (dropped as `builtin`) — else its call sites are
    /// `bare_name`, unless [`Rules::macro_boundary`] names where it comes from.
    fn is_builtin_macro(&self, name: &Name) -> bool {
        let _ = name;
        false
    }

    /// Where a macro comes from that an import or path names outside the set.
    fn macro_boundary(&self, session: &Session, place: &Place, name: &Name) -> Option<Ty> {
        let _ = (session, place, name);
        None
    }

    // ---- Calls

    /// Whether calling a type converts a value (Go, Solidity) and so is the language's own operation
    /// instead of a construction.
    fn calls_convert(&self) -> bool {
        false
    }

    /// Which of several functions of one name a call means, by what it is called with; none if it cannot
    /// be told. The default: the only one that can be called so.
    fn select(&self, session: &Session, candidates: &[Ty], call: &CallView<'_>) -> Option<Ty> {
        session.only_fitting(candidates, call)
    }

    /// What stands for type parameter `index` of a called function in its result, if the call does not
    /// tell; none: the parameter itself.
    fn unlearned(&self, session: &Session, function: &Def, index: u32) -> Option<Ty> {
        let _ = (session, function, index);
        None
    }

    /// The function type that a closure stands for where a value of type `ty` is expected, if `ty` is
    /// declared (functional interfaces).
    fn callable(&self, session: &Session, ty: &Ty) -> Option<Rc<CallableTy>> {
        let _ = (session, ty);
        None
    }

    /// The name space that the type of a construction in its own syntax (`new T`) is looked up in: that
    /// of values where classes are values like any others.
    fn construction_namespace(&self) -> Namespace {
        Namespace::Type
    }

    /// What constructing with a variant, or where it is allowed with a function, gives.
    fn constructed(&self, session: &Session, function: &FunctionTy) -> Ty {
        session.signature(&function.def).result.clone()
    }

    /// The declaration that edges to `def` lead to: where a head is declared apart from its body
    /// (overloads, forward declarations), that with the body.
    fn definition(&self, session: &Session, def: &Def) -> Def {
        let _ = session;
        def.clone()
    }

    /// The names constructors are declared under (`__init__`, `constructor`), beside the type's own.
    fn constructor_names(&self) -> &'static [&'static str] {
        &[]
    }

    /// What constructing an instance of `instance` calls. The default: a member of kind
    /// [`DeclKind::Constructor`], looked up where the language inherits them; else synthetic.
    fn construction(&self, session: &Session, instance: &Ty) -> Construction {
        defaults::construction(session, instance)
    }

    /// The member that calling a value that is no function runs (`__call__`, `operator()`), if the
    /// language has one.
    fn called_member(&self) -> Option<&'static str> {
        None
    }

    /// The result of a call that signatures cannot tell (`super()`, `type(x)`, `cast(T, x)`); none:
    /// the engine's way.
    fn call_result(&self, session: &Session, call: &CallView<'_>) -> Option<Ty> {
        let _ = (session, call);
        None
    }

    /// What calling a function gives, seen from its body's value: a coroutine, a generator.
    fn wrapped_result(&self, session: &Session, function: &Def, value: Ty) -> Ty {
        defaults::wrapped_result(session, function, value)
    }

    /// Replaces an associated type once its base is known (`<T as Iterator>::Item`).
    fn associated(&self, session: &Session, base: &Ty, of_trait: Option<&Ty>, name: &Name) -> Option<Ty> {
        let _ = (session, base, of_trait, name);
        None
    }

    /// Learns type parameters from a bound: `actual` stands for a parameter that is bounded by
    /// `bound`. Called after plain unification, for instance to learn what an iterator yields.
    fn learn_from_bound(
        &self,
        session: &Session,
        bound: &crate::Bound,
        actual: &Ty,
        learned: &mut crate::Learned,
    ) {
        let _ = (session, bound, actual, learned);
    }
}
