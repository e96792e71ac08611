use std::rc::Rc;

use bindery_facts::{Decl, ExprIndex, Name};

use crate::{Provided, Symbol};

/// A declaration as resolution handles it: interned for one session, cheap to copy, compared by
/// [`DefData::id`].
pub type Def = Rc<DefData>;

/// Type arguments, parallel to the type parameters of a declaration. Fewer than those (usually none)
/// means that the rest is not known.
pub type Args = Rc<[Ty]>;

/// What a [`Def`] holds.
#[derive(Debug)]
pub struct DefData {
    pub(crate) id: u32,
    pub(crate) index: u32,
    pub(crate) item: Provided,
    pub(crate) path: Name,
}

impl DefData {
    /// A number that is this declaration's own within the session. Not stable: never sort by it.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// The file it stands in; [`crate::LIBRARY`] for declarations of the language's library data.
    pub fn path(&self) -> &Name {
        &self.path
    }

    /// Its place among the declarations of its file.
    pub fn index(&self) -> u32 {
        self.index
    }

    /// The declaration as written.
    pub fn decl(&self) -> &Decl {
        self.item.decl().expect("a definition is interned only for an item that is a declaration")
    }

    /// Whether it belongs to the language's library data and not to the set.
    pub fn is_library(&self) -> bool {
        self.path == crate::LIBRARY
    }

    /// Its identity outside the session.
    pub fn symbol(&self) -> Symbol {
        Symbol { path: self.item.path().clone(), qualname: self.decl().qualname.clone() }
    }

    /// Where the names that its head mentions are looked up: its own parameters first, then outwards.
    pub fn place(&self) -> Place {
        Place { path: self.path.clone(), owner: self.decl().qualname.clone() }
    }
}

impl PartialEq for DefData {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for DefData {}

/// A place names are looked up from, seen from outside bodies: a file and the qualname of the
/// innermost declaration around it (empty: the file's top).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// The file, or [`crate::LIBRARY`].
    pub path: Name,
    /// A qualname of that file.
    pub owner: Name,
}

impl Place {
    /// A place by its two names.
    pub fn new(path: impl Into<Name>, owner: impl Into<Name>) -> Self {
        Self { path: path.into(), owner: owner.into() }
    }
}

/// A module or package. What `path` means is up to the language: a file, a directory, a package name.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Module {
    /// The file, directory or package.
    pub path: Name,
    /// The qualname of an inline module inside the file; empty for the file itself.
    pub owner: Name,
}

impl Module {
    /// The module that a whole file is.
    pub fn file(path: impl Into<Name>) -> Self {
        Self { path: path.into(), owner: Name::default() }
    }
}

/// Names a type parameter: the declaration it belongs to and its place there, or [`ParamId::SELF`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ParamId {
    /// [`DefData::id`] of the declaration.
    pub owner: u32,
    /// Its index among the declaration's type parameters.
    pub index: u32,
}

impl ParamId {
    /// The implementing type itself, inside a trait.
    pub const SELF: u32 = u32::MAX;
}

/// What stands for type parameters. Small, so a list.
pub type Subst = Rc<[(ParamId, Ty)]>;

/// One bound of a value known by its traits or interfaces only.
#[derive(Clone, PartialEq, Debug)]
pub struct Bound {
    /// The trait.
    pub ty: Ty,
    /// Associated types written out (`Item = T`).
    pub bindings: Rc<[(Name, Ty)]>,
}

/// Something outside the set that an import names: `specifier` is the module path in the language's
/// own spelling, `class` the type if it is a member of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct External {
    /// The module path (`std::mem`, `os.path`).
    pub specifier: Name,
    /// The type it is a member of, else empty.
    pub class: Name,
    /// Its name; empty for the module itself.
    pub name: Name,
}

/// A function as a value.
#[derive(Clone, PartialEq, Debug)]
pub struct FunctionTy {
    /// The function, method, or variant with fields.
    pub def: Def,
    /// What it was read from, if it was read as a member of a value: then the receiver parameter is
    /// already taken.
    pub receiver: Option<Ty>,
    /// What is known of the type parameters of the declaration and of its owners.
    pub subst: Subst,
}

/// A function type as written.
#[derive(Clone, PartialEq, Debug)]
pub struct CallableTy {
    /// What it takes.
    pub params: Rc<[Ty]>,
    /// What it gives.
    pub result: Ty,
}

/// What is known of an expression's value. Always cheap to clone.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Ty {
    /// Nothing.
    #[default]
    Unknown,
    /// It never comes to a value.
    Never,
    /// An instance of a declared type.
    Instance(Def, Args),
    /// An instance of a type outside the set.
    ExternalInstance(Rc<External>),
    /// A value known by its traits or interfaces (`dyn A + B`, `impl A`).
    Bounded(Rc<[Bound]>),
    /// A value whose type is a type parameter.
    Param(Def, u32),
    /// The associated type `name` of `base`, not known yet: base, trait if written, name.
    Associated(Rc<(Ty, Option<Ty>, Name)>),
    /// The receiver seen as its base types (`super()`), by its own type.
    Super(Def, Args),
    /// A type itself, of which the given is an instance (`C` in `C()` and `C.f`).
    Type(Rc<Ty>),
    /// A module.
    Module(Module),
    /// Something an import names outside the set; whether module, type, function is not known.
    External(Rc<External>),
    /// A function or method of the set or of the library.
    Function(Rc<FunctionTy>),
    /// A value of a written function type.
    Callable(Rc<CallableTy>),
    /// A closure of the file that is resolved.
    Closure(ExprIndex),
    /// What `await` takes apart.
    Awaitable(Rc<Ty>),
    /// A tuple.
    Tuple(Args),
    /// One of several types.
    Union(Rc<[Ty]>),
    /// Several functions of one name, told apart by what they are called with.
    Overloads(Rc<[Ty]>),
    /// One of several declarations of the same name, which one is for conditional compilation to say.
    Alternatives(Rc<[Ty]>),
}

impl Ty {
    /// An instance of `def` without known type arguments.
    pub fn instance(def: Def) -> Ty {
        Ty::Instance(def, Rc::from([]))
    }

    /// The type itself, of which `self` is an instance.
    pub fn into_type(self) -> Ty {
        match self {
            Ty::Unknown => Ty::Unknown,
            Ty::Alternatives(all) => Ty::Alternatives(all.iter().cloned().map(Ty::into_type).collect()),
            other => Ty::Type(Rc::new(other)),
        }
    }

    /// An instance of the type that `self` is; unknown if it is none.
    pub fn into_instance(self) -> Ty {
        match self {
            Ty::Type(instance) => instance.as_ref().clone(),
            Ty::External(external) => Ty::ExternalInstance(external),
            Ty::Alternatives(all) => Ty::alternatives(all.iter().cloned().map(Ty::into_instance).collect()),
            _ => Ty::Unknown,
        }
    }

    /// Several declarations that exclude each other; one is itself, none is unknown.
    pub fn alternatives(mut all: Vec<Ty>) -> Ty {
        all.retain(Ty::is_known);
        all.dedup();
        match all.len() {
            0 => Ty::Unknown,
            1 => all.remove(0),
            _ => Ty::Alternatives(all.into()),
        }
    }

    /// One of `members`, nested unions spread out and equal ones folded; one is itself.
    pub fn union(members: impl IntoIterator<Item = Ty>) -> Ty {
        let mut flat: Vec<Ty> = Vec::new();
        for member in members {
            let parts: &[Ty] = match &member {
                Ty::Union(parts) => parts,
                Ty::Never => &[],
                other => std::slice::from_ref(other),
            };
            for part in parts {
                if !flat.contains(part) {
                    flat.push(part.clone());
                }
            }
        }
        match flat.len() {
            0 => Ty::Never,
            1 => flat.remove(0),
            _ => Ty::Union(flat.into()),
        }
    }

    /// Whether anything is known.
    pub fn is_known(&self) -> bool {
        !matches!(self, Ty::Unknown)
    }

    /// The declaration of an instance's type.
    pub fn instance_def(&self) -> Option<&Def> {
        match self {
            Ty::Instance(def, _) => Some(def),
            _ => None,
        }
    }

    /// The known type argument at `index` of an instance.
    pub fn arg(&self, index: usize) -> Ty {
        match self {
            Ty::Instance(_, args) => args.get(index).cloned().unwrap_or_default(),
            _ => Ty::Unknown,
        }
    }

    /// Whether types nest in each other more than `limit` times.
    pub(crate) fn is_deeper_than(&self, limit: u32) -> bool {
        let Some(rest) = limit.checked_sub(1) else { return true };
        let any = |parts: &[Ty]| parts.iter().any(|part| part.is_deeper_than(rest));
        match self {
            Ty::Instance(_, parts) | Ty::Super(_, parts) | Ty::Tuple(parts) => any(parts),
            Ty::Union(parts) | Ty::Alternatives(parts) | Ty::Overloads(parts) => any(parts),
            Ty::Type(inner) | Ty::Awaitable(inner) => inner.is_deeper_than(rest),
            Ty::Associated(parts) => parts.0.is_deeper_than(rest),
            Ty::Callable(callable) => callable.result.is_deeper_than(rest) || any(&callable.params),
            Ty::Bounded(bounds) => bounds.iter().any(|bound| {
                bound.ty.is_deeper_than(rest) || bound.bindings.iter().any(|(_, ty)| ty.is_deeper_than(rest))
            }),
            Ty::Function(function) => {
                function.receiver.as_ref().is_some_and(|receiver| receiver.is_deeper_than(rest))
                    || function.subst.iter().any(|(_, ty)| ty.is_deeper_than(rest))
            }
            _ => false,
        }
    }

    /// Whether some part of an instance or tuple is not known.
    pub fn has_holes(&self) -> bool {
        match self {
            Ty::Unknown => true,
            Ty::Instance(def, args) => {
                args.len() < def.decl().type_params.len() || args.iter().any(Ty::has_holes)
            }
            Ty::Tuple(args) => args.iter().any(Ty::has_holes),
            _ => false,
        }
    }

    /// Whether a type parameter or associated type stands anywhere in it.
    pub fn is_generic(&self) -> bool {
        match self {
            Ty::Param(..) | Ty::Associated(_) => true,
            Ty::Instance(_, args) | Ty::Super(_, args) | Ty::Tuple(args) => args.iter().any(Ty::is_generic),
            Ty::Union(members) | Ty::Alternatives(members) | Ty::Overloads(members) => {
                members.iter().any(Ty::is_generic)
            }
            Ty::Type(inner) | Ty::Awaitable(inner) => inner.is_generic(),
            Ty::Callable(callable) => {
                callable.result.is_generic() || callable.params.iter().any(Ty::is_generic)
            }
            Ty::Bounded(bounds) => bounds
                .iter()
                .any(|bound| bound.ty.is_generic() || bound.bindings.iter().any(|(_, ty)| ty.is_generic())),
            Ty::Function(function) => function.subst.iter().any(|(_, ty)| ty.is_generic()),
            _ => false,
        }
    }
}
