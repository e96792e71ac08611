//! What declarations say of types: parameters, results, receivers, variables, base types.

use std::rc::Rc;

use bindery_facts::{DeclKind, Exprs, Name, Param, ParamKind, Variable};

use crate::infer::{Extract, Frame};
use crate::names::guard;
use crate::{Args, Bound, Builtin, Def, Item, ParamId, Place, Provided, Session, Ty};

/// The head of a function in types; type parameters stand as [`Ty::Param`].
#[derive(Clone, Debug, Default)]
pub struct Signature {
    /// What each parameter takes, the receiver included; a rest parameter is the collection it is
    /// inside the function.
    pub params: Vec<Ty>,
    /// What a call gives.
    pub result: Ty,
    /// The bounds of each type parameter.
    pub bounds: Vec<Rc<[Bound]>>,
}

impl Session<'_> {
    /// The head of a function, variant or type.
    pub fn signature(&self, def: &Def) -> Rc<Signature> {
        if let Some(known) = self.signatures.borrow().get(&def.id()) {
            return known.clone();
        }
        let signature = self.guarded(guard::SIGNATURE, def.id(), &Name::default(), || {
            let place = def.place();
            let params = match def.decl().kind {
                DeclKind::Variant => self.positional_fields(def),
                _ => (0..def.decl().params.len()).map(|index| self.param(def, index)).collect(),
            };
            let params_of_types = def.decl().type_params.iter();
            let bounds = params_of_types.map(|param| self.bounds(&place, &param.bounds)).collect();
            Some(Rc::new(Signature { params, result: self.result(def), bounds }))
        });
        let Some(signature) = signature else { return Rc::default() };
        self.signatures.borrow_mut().insert(def.id(), signature.clone());
        signature
    }

    /// The bounds of a type parameter.
    pub fn param_bounds(&self, def: &Def, index: u32) -> Rc<[Bound]> {
        match def.decl().type_params.get(index as usize) {
            Some(param) if def.decl().kind.type_kind().is_some() || def.decl().kind == DeclKind::Impl => {
                self.nested(|| Some(self.bounds(&def.place(), &param.bounds))).unwrap_or_else(|| [].into())
            }
            Some(_) => self.signature(def).bounds.get(index as usize).cloned().unwrap_or_else(|| [].into()),
            None => [].into(),
        }
    }

    /// What a parameter is inside its function.
    pub fn param(&self, def: &Def, index: usize) -> Ty {
        let Some(param) = def.decl().params.get(index) else { return Ty::Unknown };
        match (&param.ty, param.kind) {
            (Some(ty), _) => self.collected(param, self.written(&def.place(), ty)),
            (None, ParamKind::Receiver) => self.receiver(def),
            (None, _) => {
                let unwritten = self.rules().unwritten_param(self, def, index as u32);
                self.collected(param, unwritten)
            }
        }
    }

    fn collected(&self, param: &Param, ty: Ty) -> Ty {
        match param.kind {
            ParamKind::Variadic => self.builtin(Builtin::List, [ty].into()),
            ParamKind::KeywordVariadic => {
                let key = self.builtin(Builtin::String, [].into());
                self.builtin(Builtin::Map, [key, ty].into())
            }
            _ => ty,
        }
    }

    /// What the receiver of a method is: the instance it belongs to, or the type itself for class
    /// methods.
    pub fn receiver(&self, def: &Def) -> Ty {
        let Some(owner) = self.owner(def) else { return Ty::Unknown };
        let instance = self.self_type(&owner);
        if def.decl().flags.is_class_method { instance.into_type() } else { instance }
    }

    /// What `self` is in a type, trait or impl.
    pub fn self_type(&self, owner: &Def) -> Ty {
        let decl = owner.decl();
        match decl.kind {
            DeclKind::Impl => match &decl.target {
                Some(target) => self.written(&owner.place(), target),
                None => Ty::Unknown,
            },
            DeclKind::Trait => Ty::Param(owner.clone(), ParamId::SELF),
            kind if kind.type_kind().is_some() => Ty::Instance(owner.clone(), self.own_params(owner)),
            _ => Ty::Unknown,
        }
    }

    fn positional_fields(&self, variant: &Def) -> Vec<Ty> {
        let place = variant.place();
        let mut fields = Vec::new();
        loop {
            let name: Name = fields.len().to_string().into();
            let items = self.members(&place.path, &place.owner, &name);
            let Some(variable) = items.first().and_then(Provided::variable) else { return fields };
            fields.push(variable.ty.as_ref().map_or(Ty::Unknown, |ty| self.written(&place, ty)));
        }
    }

    /// What a call of a function gives.
    fn result(&self, def: &Def) -> Ty {
        let decl = def.decl();
        if decl.kind == DeclKind::Variant {
            return self.owner(def).map_or(Ty::Unknown, |owner| self.self_type(&owner));
        }
        let value = match (&decl.returns, &decl.result) {
            (Some(ty), _) => self.written(&def.place(), ty),
            (None, Some(result)) => self.guarded(guard::RESULT, def.id(), &Name::default(), || {
                let Some(root) = result.root() else { return Ty::Unknown };
                let extract = Extract::new(result, def.place(), Some(def.clone())).of_result();
                self.expr(&Frame::Extract(extract), root)
            }),
            (None, None) => self.rules().unwritten_return(self, def),
        };
        self.rules().wrapped_result(self, def, value)
    }

    /// The value of an extracted arena, which stands at `place`, in `function` if it is in one.
    pub fn extract_value(&self, exprs: &Exprs, place: Place, function: Option<&Def>) -> Ty {
        let Some(root) = exprs.root() else { return Ty::Unknown };
        self.expr(&Frame::Extract(Extract::new(exprs, place, function.cloned())), root)
    }

    /// The type of a variable of a module or type, all its assignments seen together: a written type
    /// counts first.
    pub fn variable(&self, scope: &Place, name: &Name, items: &[Provided]) -> Ty {
        let key = (scope.clone(), name.clone());
        if let Some(known) = self.variables.borrow().get(&key) {
            return known.clone();
        }
        let ty = self.guarded_name(guard::VARIABLE, scope, name, || self.joined_assignments(scope, items));
        self.variables.borrow_mut().insert(key, ty.clone());
        ty
    }

    fn joined_assignments(&self, scope: &Place, items: &[Provided]) -> Ty {
        let variables: Vec<&Variable> = items
            .iter()
            .filter(|item| matches!(item.item(), Item::Variable(_)))
            .filter_map(Provided::variable)
            .collect();
        let place = |variable: &Variable| Place { path: scope.path.clone(), owner: variable.owner.clone() };
        let written: Vec<Ty> = variables
            .iter()
            .filter_map(|variable| variable.ty.as_ref().map(|ty| self.written(&place(variable), ty)))
            .collect();
        if !written.is_empty() {
            return Ty::alternatives(written);
        }
        self.joined(variables.into_iter().map(|variable| self.assigned_value(scope, variable)))
    }

    fn assigned_value(&self, scope: &Place, variable: &Variable) -> Ty {
        let Some(value) = &variable.value else { return Ty::Unknown };
        let function = self.symbol(&scope.path, &variable.assigned_in);
        let owner = if function.is_some() { &variable.assigned_in } else { &variable.owner };
        self.extract_value(value, Place { path: scope.path.clone(), owner: owner.clone() }, function.as_ref())
    }

    /// One of several values: where all must have one type all that is known of it, else their union,
    /// unknown if one of them is.
    pub fn joined(&self, values: impl IntoIterator<Item = Ty>) -> Ty {
        let values = values.into_iter().filter(|value| *value != Ty::Never);
        if self.rules().is_statically_typed() {
            return values.fold(Ty::Unknown, |joined, value| self.merged(joined, value));
        }
        let mut members: Vec<Ty> = values.collect();
        if self.rules().ignores_nothing() && members.len() > 1 {
            let nothing = self.builtin(Builtin::None, [].into());
            let is_all_nothing = members.iter().all(|member| *member == nothing);
            members.retain(|member| is_all_nothing || *member != nothing);
        }
        if members.is_empty() || members.contains(&Ty::Unknown) {
            return Ty::Unknown;
        }
        Ty::union(members)
    }

    /// `known` with what it leaves open filled in from another view of the same type.
    pub fn merged(&self, known: Ty, other: Ty) -> Ty {
        match (&known, &other) {
            (Ty::Unknown, _) => other,
            (Ty::Instance(def, args), Ty::Instance(other_def, others))
                if def == other_def && known.has_holes() =>
            {
                Ty::Instance(def.clone(), self.merged_parts(args, others))
            }
            (Ty::Tuple(parts), Ty::Tuple(others)) if parts.len() == others.len() && known.has_holes() => {
                Ty::Tuple(self.merged_parts(parts, others))
            }
            _ => known,
        }
    }

    fn merged_parts(&self, parts: &Args, others: &Args) -> Args {
        let part = |all: &Args, index: usize| all.get(index).cloned().unwrap_or_default();
        (0..parts.len().max(others.len()))
            .map(|index| self.nested(|| self.merged(part(parts, index), part(others, index))))
            .collect()
    }

    /// The linearization of a type with these type arguments; see [`crate::Rules::linearization`].
    pub fn linear(&self, def: &Def, args: &Args) -> Rc<[Ty]> {
        let plain = self.plain_linearization(def);
        if def.decl().type_params.is_empty() {
            return plain;
        }
        let subst = self.args_subst(def, args);
        plain.iter().map(|base| self.substituted(base, &subst)).collect()
    }

    fn plain_linearization(&self, def: &Def) -> Rc<[Ty]> {
        if let Some(known) = self.linearizations.borrow().get(&def.id()) {
            return known.clone();
        }
        let bases = self.guarded(guard::LINEARIZATION, def.id(), &Name::default(), || {
            Some(self.rules().linearization(self, def, &self.own_params(def)))
        });
        let Some(bases) = bases else { return [Ty::Unknown].into() };
        self.linearizations.borrow_mut().insert(def.id(), bases.clone());
        bases
    }
}
