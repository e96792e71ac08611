//! Type parameters: replacing them, and learning what they stand for.

use std::rc::Rc;

use crate::{Args, Bound, CallableTy, Def, FunctionTy, ParamId, Session, Subst, Ty};

/// What type parameters were found to stand for, while a call is worked out. The first find counts.
#[derive(Clone, Debug, Default)]
pub struct Learned(Vec<(ParamId, Ty)>);

impl Learned {
    /// Starts from what is known.
    pub fn new(known: &Subst) -> Self {
        Self(known.to_vec())
    }

    /// What a parameter stands for, if that is known.
    pub fn get(&self, id: ParamId) -> Option<&Ty> {
        self.0.iter().find(|(known, ty)| *known == id && ty.is_known()).map(|(_, ty)| ty)
    }

    /// Notes what a parameter stands for, unless that is known already.
    pub fn learn(&mut self, id: ParamId, ty: Ty) {
        if ty.is_known() && self.get(id).is_none() {
            self.0.retain(|(known, _)| *known != id);
            self.0.push((id, ty));
        }
    }

    /// All that is known.
    pub fn into_subst(self) -> Subst {
        self.0.into()
    }
}

/// How many steps of coercion are tried to make an argument fit.
const MAX_COERCIONS: usize = 6;

impl Session<'_> {
    pub(crate) fn replace_params(&self, ty: &Ty, subst: &Subst) -> Ty {
        let replace = |ty: &Ty| self.substituted(ty, subst);
        let replace_all = |all: &Rc<[Ty]>| -> Rc<[Ty]> { all.iter().map(replace).collect() };
        match ty {
            Ty::Param(def, index) => {
                let id = ParamId { owner: def.id(), index: *index };
                match subst.iter().find(|(known, _)| *known == id) {
                    Some((_, known)) => known.clone(),
                    None => ty.clone(),
                }
            }
            Ty::Associated(parts) => {
                let of_trait = parts.1.as_ref().map(replace);
                self.associated(replace(&parts.0), of_trait, &parts.2)
            }
            Ty::Instance(def, args) => Ty::Instance(def.clone(), replace_all(args)),
            Ty::Super(def, args) => Ty::Super(def.clone(), replace_all(args)),
            Ty::Tuple(args) => Ty::Tuple(replace_all(args)),
            Ty::Union(members) => Ty::union(members.iter().map(replace)),
            Ty::Alternatives(members) => Ty::alternatives(members.iter().map(replace).collect()),
            Ty::Overloads(members) => Ty::Overloads(replace_all(members)),
            Ty::Type(inner) => replace(inner).into_type(),
            Ty::Awaitable(inner) => Ty::Awaitable(Rc::new(replace(inner))),
            Ty::Callable(callable) => Ty::Callable(Rc::new(CallableTy {
                params: replace_all(&callable.params),
                result: replace(&callable.result),
            })),
            Ty::Bounded(bounds) => {
                Ty::Bounded(bounds.iter().map(|bound| self.replace_in_bound(bound, subst)).collect())
            }
            Ty::Function(function) => {
                let known = function.subst.iter().map(|(id, ty)| (*id, replace(ty))).collect();
                Ty::Function(Rc::new(FunctionTy { subst: known, ..(**function).clone() }))
            }
            other => other.clone(),
        }
    }

    /// A bound with type parameters replaced.
    pub fn replace_in_bound(&self, bound: &Bound, subst: &Subst) -> Bound {
        Bound {
            ty: self.substituted(&bound.ty, subst),
            bindings: bound
                .bindings
                .iter()
                .map(|(name, ty)| (name.clone(), self.substituted(ty, subst)))
                .collect(),
        }
    }

    /// A declaration's own type parameters, as type arguments for itself.
    pub fn own_params(&self, def: &Def) -> Args {
        let count = def.decl().type_params.len() as u32;
        (0..count).map(|index| Ty::Param(def.clone(), index)).collect()
    }

    /// What the type parameters of `def` stand for in an instance with `args`; what is missing is
    /// unknown.
    pub fn args_subst(&self, def: &Def, args: &Args) -> Subst {
        let count = def.decl().type_params.len();
        let pair = |index: usize| {
            let id = ParamId { owner: def.id(), index: index as u32 };
            (id, args.get(index).cloned().unwrap_or_default())
        };
        (0..count).map(pair).collect()
    }

    /// Learns what the type parameters in `pattern` stand for, if `actual` is to fit it.
    pub fn unify(&self, pattern: &Ty, actual: &Ty, learned: &mut Learned) {
        if actual.is_known() && pattern.is_generic() {
            self.nested(|| self.unify_known(pattern, actual, learned));
        }
    }

    fn unify_known(&self, pattern: &Ty, actual: &Ty, learned: &mut Learned) {
        match (pattern, actual) {
            (Ty::Param(def, index), _) => {
                learned.learn(ParamId { owner: def.id(), index: *index }, actual.clone());
            }
            (Ty::Instance(..), Ty::Closure(_)) => {
                if let Some(callable) = self.rules().callable(self, pattern) {
                    self.unify_callable(&callable, actual, learned);
                }
            }
            (Ty::Instance(def, args), _) => self.unify_instance(def, args, actual, learned),
            (Ty::Tuple(parts), Ty::Tuple(actuals)) => self.unify_all(parts, actuals, learned),
            (Ty::Type(inner), Ty::Type(actual)) | (Ty::Awaitable(inner), Ty::Awaitable(actual)) => {
                self.unify(inner, actual, learned);
            }
            (Ty::Callable(callable), _) => self.unify_callable(callable, actual, learned),
            (Ty::Bounded(bounds), _) => {
                bounds.iter().for_each(|bound| self.unify_bound(bound, actual, learned));
            }
            (Ty::Union(members), _) => self.unify_union(members, actual, learned),
            _ => {}
        }
    }

    fn unify_all(&self, patterns: &[Ty], actuals: &[Ty], learned: &mut Learned) {
        for (pattern, actual) in patterns.iter().zip(actuals) {
            self.unify(pattern, actual, learned);
        }
    }

    /// The actual type itself, a base of it, or what it coerces to.
    fn unify_instance(&self, def: &Def, args: &Args, actual: &Ty, learned: &mut Learned) {
        let mut actual = actual.clone();
        for _ in 0..MAX_COERCIONS {
            if let Ty::Instance(actual_def, actual_args) = &actual {
                if actual_def == def {
                    return self.unify_all(args, actual_args, learned);
                }
                let bases = self.linear(actual_def, actual_args);
                let base = bases.iter().find(|base| base.instance_def() == Some(def));
                if let Some(Ty::Instance(_, base_args)) = base {
                    return self.unify_all(args, base_args, learned);
                }
            }
            match self.rules().deref(self, &actual) {
                Some(next) => actual = next,
                None => return,
            }
        }
    }

    /// `Optional[T]` learns from what is not nothing; `A | T` only if one member is generic.
    fn unify_union(&self, members: &[Ty], actual: &Ty, learned: &mut Learned) {
        let mut generic = members.iter().filter(|member| member.is_generic());
        let (Some(pattern), None) = (generic.next(), generic.next()) else { return };
        let rest: Vec<Ty> = match actual {
            Ty::Union(actuals) => actuals.iter().filter(|ty| !members.contains(ty)).cloned().collect(),
            other => vec![other.clone()],
        };
        self.unify(pattern, &Ty::union(rest), learned);
    }

    /// Learns from the result of a function-like value.
    pub fn unify_callable(&self, callable: &CallableTy, actual: &Ty, learned: &mut Learned) {
        if callable.result.is_generic() {
            let result = self.result_of_callable(actual, &callable.params);
            self.unify(&callable.result, &result, learned);
        }
        if let Ty::Callable(actual) = actual {
            self.unify_all(&callable.params, &actual.params, learned);
        }
    }

    /// Learns from a bound that `actual` meets: a function's result, or what
    /// [`crate::Rules::learn_from_bound`] knows.
    pub fn unify_bound(&self, bound: &Bound, actual: &Ty, learned: &mut Learned) {
        match bound_callable(bound) {
            Some(callable) => self.unify_callable(&callable, actual, learned),
            None => self.rules().learn_from_bound(self, bound, actual, learned),
        }
    }
}

/// The function type in a bound like `FnOnce(A) -> B`.
pub fn bound_callable(bound: &Bound) -> Option<Rc<CallableTy>> {
    match &bound.ty {
        Ty::Callable(callable) => Some(callable.clone()),
        Ty::Instance(_, args) => args.iter().find_map(|arg| match arg {
            Ty::Callable(callable) => Some(callable.clone()),
            _ => None,
        }),
        _ => None,
    }
}
