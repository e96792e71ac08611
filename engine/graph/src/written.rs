//! From written types and paths to [`Ty`].

use std::rc::Rc;

use bindery_facts::{DeclKind, Name, Segment, TypeExpr};

use crate::{Args, Bound, Builtin, CallableTy, Def, LIBRARY, Namespace, ParamId, Place, Session, Ty};

impl Session<'_> {
    pub(crate) fn written_type(&self, place: &Place, ty: &TypeExpr) -> Ty {
        match ty {
            TypeExpr::Unknown => Ty::Unknown,
            TypeExpr::Never => Ty::Never,
            TypeExpr::Path(segments) => self.written_segments(place, segments),
            TypeExpr::Ref(inner) => self.written(place, inner),
            TypeExpr::Tuple(parts) => Ty::Tuple(self.written_all(place, parts)),
            TypeExpr::Slice(inner) => self.builtin(Builtin::Slice, [self.written(place, inner)].into()),
            TypeExpr::Function { params, returns } => Ty::Callable(Rc::new(CallableTy {
                params: self.written_all(place, params),
                result: returns.as_ref().map_or(Ty::Tuple([].into()), |ty| self.written(place, ty)),
            })),
            TypeExpr::Union(parts) => Ty::union(self.written_all(place, parts).iter().cloned()),
            TypeExpr::Optional(inner) => self.optional(self.written(place, inner)),
            TypeExpr::Dyn(bounds) | TypeExpr::Opaque(bounds) => Ty::Bounded(self.bounds(place, bounds)),
            TypeExpr::Qualified { ty, of_trait, rest } => {
                let base = self.written(place, ty);
                let of_trait = of_trait.as_ref().map(|ty| self.written(place, ty));
                match rest.as_slice() {
                    [last] => self.associated(base, of_trait, &last.name),
                    _ => Ty::Unknown,
                }
            }
            TypeExpr::ClassOf(inner) => self.written(place, inner).into_type(),
        }
    }

    /// Several written types.
    pub fn written_all(&self, place: &Place, types: &[TypeExpr]) -> Args {
        types.iter().map(|ty| self.written(place, ty)).collect()
    }

    /// Written bounds, with the associated types they name.
    pub fn bounds(&self, place: &Place, bounds: &[TypeExpr]) -> Rc<[Bound]> {
        bounds.iter().map(|bound| self.bound(place, bound)).collect()
    }

    fn bound(&self, place: &Place, bound: &TypeExpr) -> Bound {
        let bindings: &[(Name, TypeExpr)] = match bound {
            TypeExpr::Path(segments) => segments.last().map_or(&[], |last| &last.bindings),
            _ => &[],
        };
        let written = |(name, ty): &(Name, TypeExpr)| (name.clone(), self.written(place, ty));
        Bound { ty: self.written(place, bound), bindings: bindings.iter().map(written).collect() }
    }

    /// `inner` or nothing.
    pub fn optional(&self, inner: Ty) -> Ty {
        match self.rules().builtin_name(Builtin::Optional) {
            _ if self.rules().ignores_nothing() => inner,
            Some(name) => self.library_instance(name, [inner].into()),
            None if inner.is_known() => Ty::union([inner, self.builtin(Builtin::None, [].into())]),
            None => Ty::Unknown,
        }
    }

    fn written_segments(&self, place: &Place, segments: &[Segment]) -> Ty {
        let special = if place.path == LIBRARY {
            self.library_path(place, segments)
        } else {
            self.rules().written_path(self, place, segments)
        };
        if let Some(ty) = special {
            return ty;
        }
        self.path_by_members(place, segments, Namespace::Type).into_instance()
    }

    /// Paths of library data that need more than going from member to member: `Self`, and names with
    /// their module in front.
    fn library_path(&self, place: &Place, segments: &[Segment]) -> Option<Ty> {
        let (last, before) = segments.split_last()?;
        if last.name == "Self" && before.is_empty() {
            let mut owner = self.place_def(place)?;
            while !matches!(owner.decl().kind, DeclKind::Impl) && owner.decl().kind.type_kind().is_none() {
                owner = self.owner(&owner)?;
            }
            return Some(self.self_type(&owner));
        }
        if let [only] = before
            && only.name == "Self"
        {
            let this = self.library_path(place, before)?;
            return Some(self.associated(this, None, &last.name));
        }
        let names: Vec<&str> = before.iter().map(|segment| segment.name.as_str()).collect();
        let module = self.symbol(&LIBRARY.into(), &names.join("::").into())?;
        let ty = self.declared(&module.place(), &last.name, Namespace::Type)?;
        Some(self.with_args(place, ty, &last.args).into_instance())
    }

    /// The value or type of a written path: [`crate::Rules::path`], else the first segment by its
    /// scope and the others as members of what comes before.
    pub fn path_value(&self, place: &Place, path: &TypeExpr, namespace: Namespace) -> Ty {
        if let Some(ty) = self.rules().path(self, place, path, namespace) {
            return ty;
        }
        match path {
            TypeExpr::Path(segments) => self.path_by_members(place, segments, namespace),
            other => self.written(place, other).into_type(),
        }
    }

    /// The engine's way with a path: the first segment by its scope, the others as members. Only the
    /// last segment is looked up in `namespace`; those before it are types or modules.
    pub fn path_by_members(&self, place: &Place, segments: &[Segment], namespace: Namespace) -> Ty {
        let Some((first, rest)) = segments.split_first() else { return Ty::Unknown };
        let first_namespace = if rest.is_empty() { namespace } else { Namespace::Type };
        let start = self.name_in(place, &first.name, first_namespace);
        self.path_from(place, self.with_args(place, start, &first.args), rest, namespace)
    }

    /// Goes on from `start` along `rest`.
    pub fn path_from(&self, place: &Place, start: Ty, rest: &[Segment], namespace: Namespace) -> Ty {
        let mut ty = start;
        for (index, segment) in rest.iter().enumerate() {
            let is_last = index + 1 == rest.len();
            let namespace = if is_last { namespace } else { Namespace::Type };
            let member = self.path_member(place, &ty, &segment.name, namespace);
            ty = self.with_args(place, member, &segment.args);
        }
        ty
    }

    fn path_member(&self, place: &Place, base: &Ty, name: &Name, namespace: Namespace) -> Ty {
        match base {
            Ty::Module(module) => self.rules().module_member(self, place, module, name, namespace),
            Ty::Type(instance) => {
                let member = self.rules().member(self, place, base, name, namespace);
                if namespace == Namespace::Type && !member.is_known() {
                    return self.associated((**instance).clone(), None, name).into_type();
                }
                member
            }
            _ => self.rules().member(self, place, base, name, namespace),
        }
    }

    /// The associated type `name` of `base`; kept as such while the base is a type parameter.
    pub fn associated(&self, base: Ty, of_trait: Option<Ty>, name: &Name) -> Ty {
        if !base.is_known() {
            return Ty::Unknown;
        }
        if let Some(ty) = self.nested(|| self.rules().associated(self, &base, of_trait.as_ref(), name)) {
            return ty;
        }
        if base.is_generic() {
            return Ty::Associated(Rc::new((base, of_trait, name.clone())));
        }
        Ty::Unknown
    }

    /// A type or function with written type arguments.
    pub fn with_args(&self, place: &Place, ty: Ty, args: &[TypeExpr]) -> Ty {
        if args.is_empty() {
            return ty;
        }
        self.with_types(ty, &self.written_all(place, args))
    }

    /// A type or function with these type arguments.
    pub fn with_types(&self, ty: Ty, args: &Args) -> Ty {
        match &ty {
            Ty::Type(instance) => match &**instance {
                Ty::Instance(def, known) if known.is_empty() => {
                    Ty::Instance(def.clone(), args.clone()).into_type()
                }
                inner => self.alias_with_types(inner, args).into_type(),
            },
            Ty::Function(function) => {
                let mut subst = function.subst.to_vec();
                let id = |index: usize| ParamId { owner: function.def.id(), index: index as u32 };
                subst.extend(args.iter().enumerate().map(|(index, ty)| (id(index), ty.clone())));
                let mut function = (**function).clone();
                function.subst = subst.into();
                Ty::Function(Rc::new(function))
            }
            Ty::Alternatives(all) => {
                Ty::alternatives(all.iter().map(|one| self.with_types(one.clone(), args)).collect())
            }
            _ => ty,
        }
    }

    /// The target of a generic alias, its own parameters filled in.
    fn alias_with_types(&self, target: &Ty, args: &Args) -> Ty {
        let mut aliases: Vec<Def> = Vec::new();
        collect_aliases(target, &mut aliases);
        let Some(alias) = aliases.first() else { return target.clone() };
        let count = alias.decl().type_params.len();
        let arg = |index: usize| args.get(index).cloned().unwrap_or_default();
        let id = |index: usize| ParamId { owner: alias.id(), index: index as u32 };
        let subst: Vec<_> = (0..count).map(|index| (id(index), arg(index))).collect();
        self.substituted(target, &subst.into())
    }
}

fn collect_aliases(ty: &Ty, aliases: &mut Vec<Def>) {
    match ty {
        Ty::Param(def, _) if def.decl().kind == DeclKind::Alias => aliases.push(def.clone()),
        Ty::Instance(_, args) | Ty::Tuple(args) => args.iter().for_each(|arg| collect_aliases(arg, aliases)),
        Ty::Union(members) => members.iter().for_each(|member| collect_aliases(member, aliases)),
        Ty::Type(inner) | Ty::Awaitable(inner) => collect_aliases(inner, aliases),
        Ty::Associated(parts) => collect_aliases(&parts.0, aliases),
        Ty::Callable(callable) => {
            callable.params.iter().for_each(|param| collect_aliases(param, aliases));
            collect_aliases(&callable.result, aliases);
        }
        Ty::Bounded(bounds) => {
            for bound in bounds.iter() {
                collect_aliases(&bound.ty, aliases);
                bound.bindings.iter().for_each(|(_, ty)| collect_aliases(ty, aliases));
            }
        }
        _ => {}
    }
}
