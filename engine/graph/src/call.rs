//! What calls give: written results with type parameters filled in, constructions, closures.

use std::rc::Rc;

use bindery_facts::{Expr, ExprIndex, Name, Param, ParamKind};

use crate::generics::bound_callable;
use crate::infer::Frame;
use crate::{CallView, Construction, FunctionTy, Learned, Namespace, ParamId, Session, Signature, Ty};

/// The arguments of a call, typed when they are asked for.
#[derive(Clone, Copy)]
pub(crate) struct Arguments<'c> {
    pub(crate) frame: &'c Frame<'c>,
    pub(crate) args: &'c [ExprIndex],
    pub(crate) keywords: &'c [Name],
}

impl Arguments<'_> {
    const NONE: Arguments<'static> = Arguments { frame: &Frame::Body, args: &[], keywords: &[] };

    fn param_of(&self, function: &FunctionTy, arg: usize) -> Option<usize> {
        param_of(function, arg, self.args.len(), self.keywords)
    }
}

/// The parameter each argument goes to, by position or name; the receiver is counted if it is not taken
/// already.
fn param_of(function: &FunctionTy, arg: usize, arg_count: usize, keywords: &[Name]) -> Option<usize> {
    let positional = arg_count - keywords.len().min(arg_count);
    if arg >= positional {
        let name = &keywords[arg - positional];
        return function.def.decl().params.iter().position(|param| param.name == *name);
    }
    Some(arg + usize::from(function.takes_receiver()))
}

impl FunctionTy {
    /// Whether the first parameter is taken by a receiver.
    pub fn takes_receiver(&self) -> bool {
        use bindery_facts::ParamKind::Receiver;
        self.receiver.is_some() && self.def.decl().params.first().is_some_and(|param| param.kind == Receiver)
    }
}

impl Session<'_> {
    pub(crate) fn call_value(&self, frame: &Frame<'_>, index: ExprIndex) -> Ty {
        let Expr::Call { callee, args, keywords } = self.expr_at(frame, index) else { return Ty::Unknown };
        let callee_ty = self.expr(frame, *callee);
        let arguments = Arguments { frame, args, keywords };
        let result = self.viewed(&callee_ty, Some(self.expr_at(frame, *callee)), &arguments, |view| {
            self.rules().call_result(self, view)
        });
        match result {
            Some(ty) => ty,
            None => self.called(&callee_ty, &arguments),
        }
    }

    /// Shows a call to one of the rules' hooks.
    fn viewed<T>(
        &self,
        callee: &Ty,
        callee_expr: Option<&Expr>,
        arguments: &Arguments<'_>,
        look: impl FnOnce(&CallView<'_>) -> T,
    ) -> T {
        let Arguments { frame, args, keywords } = *arguments;
        let place = match frame {
            Frame::Body => self.file_place(),
            Frame::Extract(_) => self.scope_place(frame, bindery_facts::ScopeIndex::FILE),
        };
        look(&CallView {
            callee,
            callee_expr,
            args: &|index| args.get(index).map_or(Ty::Unknown, |arg| self.expr(frame, *arg)),
            arg_count: args.len(),
            keywords,
            place: &place,
        })
    }

    /// What calling a function-like value gives, whatever it is called with.
    pub fn result_of_callable(&self, callee: &Ty, params: &[Ty]) -> Ty {
        let _ = params;
        self.nested(|| self.called(callee, &Arguments::NONE))
    }

    fn called(&self, callee: &Ty, arguments: &Arguments<'_>) -> Ty {
        match callee {
            Ty::Function(function) => self.function_result(function, arguments),
            Ty::Type(instance) => self.construction_result(instance, arguments),
            Ty::Callable(callable) => callable.result.clone(),
            Ty::Closure(closure) => self.closure_result(*closure),
            Ty::External(external) if self.rules().is_external_type(external) => {
                Ty::ExternalInstance(external.clone())
            }
            Ty::Alternatives(all) => {
                Ty::alternatives(all.iter().map(|one| self.called(one, arguments)).collect())
            }
            Ty::Overloads(all) => match self.selected(all, arguments) {
                Some(one) => self.called(&one, arguments),
                None => self.agreed_result(all, arguments),
            },
            Ty::Param(def, index) if *index != ParamId::SELF => {
                self.bounds_result(&self.param_bounds(def, *index))
            }
            Ty::Bounded(bounds) => self.bounds_result(bounds),
            Ty::Instance(..) => match self.call_operator(callee) {
                Some(member) => self.called(&member, arguments),
                None => Ty::Unknown,
            },
            _ => Ty::Unknown,
        }
    }

    /// What all functions give that take what they are called with, if that is one.
    fn agreed_result(&self, all: &Rc<[Ty]>, arguments: &Arguments<'_>) -> Ty {
        let callee = Ty::Overloads(all.clone());
        let fitting: Vec<&Ty> = self.viewed(&callee, None, arguments, |view| {
            let takes = |one: &&Ty| match one {
                Ty::Function(function) => self.takes(function, view),
                _ => true,
            };
            all.iter().filter(takes).collect()
        });
        let mut results = fitting.into_iter().map(|one| self.called(one, arguments));
        let Some(first) = results.next() else { return Ty::Unknown };
        results.fold(first, |known, result| match (&known, &result) {
            _ if known == result => known,
            // Of one type at least; what its arguments are is open.
            (Ty::Instance(def, _), Ty::Instance(other, _)) if def == other => Ty::instance(def.clone()),
            _ => Ty::Unknown,
        })
    }

    /// Which of several functions is meant, by what it is called with.
    pub(crate) fn selected(&self, all: &Rc<[Ty]>, arguments: &Arguments<'_>) -> Option<Ty> {
        let callee = Ty::Overloads(all.clone());
        self.viewed(&callee, None, arguments, |view| self.rules().select(self, all, view))
    }

    /// The only one of several functions that can be called so, as far as that is known.
    pub fn only_fitting(&self, candidates: &[Ty], call: &CallView<'_>) -> Option<Ty> {
        let mut fitting = candidates.iter().filter(|one| match one {
            Ty::Function(function) => self.takes(function, call),
            _ => true,
        });
        match (fitting.next(), fitting.next()) {
            (Some(only), None) => Some(only.clone()),
            _ => None,
        }
    }

    /// Whether a function can be called with these arguments, as far as they are known.
    fn takes(&self, function: &FunctionTy, call: &CallView<'_>) -> bool {
        let params = &function.def.decl().params;
        let taken = usize::from(function.takes_receiver());
        let is_rest = |param: &Param| matches!(param.kind, ParamKind::Variadic | ParamKind::KeywordVariadic);
        let needed = params.iter().skip(taken).filter(|param| !param.has_default && !is_rest(param)).count();
        let has_rest = params.iter().any(is_rest);
        let given = call.arg_count;
        if given < needed || (given + taken > params.len() && !has_rest) {
            return false;
        }
        let signature = self.signature(&function.def);
        (0..given).all(|index| {
            let param = param_of(function, index, given, call.keywords);
            let param = param.and_then(|param| signature.params.get(param));
            let Some(expected) = param.map(|ty| self.substituted(ty, &function.subst)) else { return true };
            self.may_fit(&expected, &(call.args)(index))
        })
    }

    /// False only if a value of this type can certainly not be passed.
    fn may_fit(&self, expected: &Ty, actual: &Ty) -> bool {
        match (expected, actual) {
            (Ty::Instance(expected_def, _), Ty::Instance(def, args)) => {
                expected_def == def
                    || self
                        .linear(def, args)
                        .iter()
                        .any(|base| !base.is_known() || base.instance_def() == Some(expected_def))
                    || self
                        .rules()
                        .deref(self, actual)
                        .is_some_and(|inner| inner.instance_def() == Some(expected_def))
            }
            (Ty::Tuple(expected), Ty::Tuple(actual)) => expected.len() == actual.len(),
            (Ty::Instance(..), Ty::Tuple(_)) | (Ty::Tuple(_), Ty::Instance(..)) => false,
            (Ty::ExternalInstance(expected), Ty::ExternalInstance(actual)) => expected == actual,
            (Ty::ExternalInstance(_), Ty::Instance(..)) | (Ty::Instance(..), Ty::ExternalInstance(_)) => {
                !self.rules().is_statically_typed()
            }
            _ => true,
        }
    }

    fn bounds_result(&self, bounds: &[crate::Bound]) -> Ty {
        bounds.iter().find_map(bound_callable).map_or(Ty::Unknown, |callable| callable.result.clone())
    }

    /// The member that calling an instance runs, or the function it derefs to.
    pub(crate) fn call_operator(&self, instance: &Ty) -> Option<Ty> {
        if let Some(name) = self.rules().called_member() {
            let member = self.rules().member(
                self,
                &self.file_place(),
                instance,
                &Name::new_static(name),
                Namespace::Method,
            );
            return Some(member).filter(|member| matches!(member, Ty::Function(_) | Ty::Callable(_)));
        }
        let inner = self.rules().deref(self, instance)?;
        matches!(inner, Ty::Callable(_) | Ty::Closure(_) | Ty::Bounded(_) | Ty::Param(..)).then_some(inner)
    }

    /// What a construction in its own syntax gives, type arguments that are not written learned from
    /// the arguments.
    pub(crate) fn construction_value(&self, frame: &Frame<'_>, instance: Ty, args: &[ExprIndex]) -> Ty {
        self.construction_result(&instance, &Arguments { frame, args, keywords: &[] })
    }

    fn construction_result(&self, instance: &Ty, arguments: &Arguments<'_>) -> Ty {
        let (Ty::Instance(def, _), true) = (instance, instance_lacks_args(instance)) else {
            return instance.clone();
        };
        let Some(function) = self.constructor(instance, arguments) else { return instance.clone() };
        let signature = self.signature(&function.def);
        let mut learned = Learned::default();
        self.learn_from_arguments(&function, &signature, arguments, &mut learned);
        let args = self.own_params(def);
        let subst = learned.into_subst();
        let known = |arg: &Ty| match self.substituted(arg, &subst) {
            Ty::Param(..) => Ty::Unknown,
            other => other,
        };
        Ty::Instance(def.clone(), args.iter().map(known).collect())
    }

    /// The constructor that constructing an instance with these arguments calls, if one is known.
    pub(crate) fn constructor(&self, instance: &Ty, arguments: &Arguments<'_>) -> Option<Rc<FunctionTy>> {
        match self.rules().construction(self, instance) {
            Construction::Constructor(function) => Some(function),
            Construction::Overloads(all) => match self.selected(&all, arguments) {
                Some(Ty::Function(function)) => Some(function),
                _ => None,
            },
            _ => None,
        }
    }

    fn function_result(&self, function: &FunctionTy, arguments: &Arguments<'_>) -> Ty {
        let signature = self.signature(&function.def);
        if !signature.result.is_generic() {
            return signature.result.clone();
        }
        let mut learned = Learned::new(&function.subst);
        let decl = function.def.decl();
        if let Some(receiver) = &function.receiver
            && function.takes_receiver()
            && let Some(pattern) = signature.params.first()
        {
            self.unify(pattern, receiver, &mut learned);
        }
        if !decl.type_params.is_empty() || !function.takes_receiver() {
            self.learn_from_arguments(function, &signature, arguments, &mut learned);
        }
        let mut subst = learned.into_subst().to_vec();
        for index in 0..decl.type_params.len() as u32 {
            let id = ParamId { owner: function.def.id(), index };
            if !subst.iter().any(|(known, ty)| *known == id && ty.is_known())
                && let Some(ty) = self.rules().unlearned(self, &function.def, index)
            {
                subst.retain(|(known, _)| *known != id);
                subst.push((id, ty));
            }
        }
        self.substituted(&signature.result, &subst.into())
    }

    /// Learns the type parameters of a function from what it is called with, then from the bounds of
    /// what was learned.
    fn learn_from_arguments(
        &self,
        function: &FunctionTy,
        signature: &Signature,
        arguments: &Arguments<'_>,
        learned: &mut Learned,
    ) {
        for (index, arg) in arguments.args.iter().enumerate() {
            let Some(pattern) = taken_as(function, signature, arguments, index) else { continue };
            if pattern.is_generic() {
                let actual = self.expr(arguments.frame, *arg);
                self.unify(&pattern, &actual, learned);
            }
        }
        self.learn_from_bounds(function, signature, learned);
    }

    fn learn_from_bounds(&self, function: &FunctionTy, signature: &Signature, learned: &mut Learned) {
        for (index, bounds) in signature.bounds.iter().enumerate() {
            let id = ParamId { owner: function.def.id(), index: index as u32 };
            let Some(actual) = learned.get(id).cloned() else { continue };
            bounds.iter().for_each(|bound| self.unify_bound(bound, &actual, learned));
        }
    }

    /// What parameter `param` of a closure receives that is argument `arg` of a call or construction, or
    /// stands where the value of `call` is expected.
    pub(crate) fn closure_param(&self, frame: &Frame<'_>, call: ExprIndex, arg: u32, param: u32) -> Ty {
        let (args, keywords): (&[ExprIndex], &[Name]) = match self.expr_at(frame, call) {
            Expr::Call { args, keywords, .. } => (args, keywords),
            Expr::New { args, .. } => (args, &[]),
            _ => (&[], &[]),
        };
        let arguments = Arguments { frame, args, keywords };
        let callee = match self.expr_at(frame, call) {
            Expr::New { .. } => {
                let constructor = self.constructor(&self.expr(frame, call), &arguments);
                constructor.map_or(Ty::Unknown, Ty::Function)
            }
            Expr::Call { callee, .. } => self.expr(frame, *callee),
            _ => self.expr(frame, call),
        };
        let function = match callee {
            Ty::Function(function) => function,
            Ty::Overloads(all) => match self.selected(&all, &arguments) {
                Some(Ty::Function(function)) => function,
                _ => return Ty::Unknown,
            },
            Ty::Type(instance) => match self.constructor(&instance, &arguments) {
                Some(constructor) => constructor,
                None => return Ty::Unknown,
            },
            expected => {
                let callable = self.rules().callable(self, &expected);
                let param = callable.and_then(|callable| callable.params.get(param as usize).cloned());
                return param.unwrap_or_default();
            }
        };
        let signature = self.signature(&function.def);
        let index = match args.is_empty() {
            true => Some(arg as usize + usize::from(function.takes_receiver())),
            false => arguments.param_of(&function, arg as usize),
        };
        let Some(expected) = index.and_then(|index| signature.params.get(index)) else {
            return Ty::Unknown;
        };
        let Some(ty) = self.callable_param(expected, &signature, param) else { return Ty::Unknown };
        let mut learned = Learned::new(&function.subst);
        if let (Some(receiver), Some(pattern)) = (&function.receiver, signature.params.first())
            && function.takes_receiver()
        {
            self.unify(pattern, receiver, &mut learned);
        }
        if ty.is_generic() {
            // A closure's own body would lead back here: it is left out by the cycle guard of the
            // expression, and so says nothing of the parameter.
            let others: Vec<ExprIndex> = args
                .iter()
                .copied()
                .take_while(|index| !matches!(self.expr_at(frame, *index), Expr::Closure { .. }))
                .collect();
            let before = Arguments { frame, args: &others, keywords: &[] };
            self.learn_from_arguments(&function, &signature, &before, &mut learned);
        }
        self.substituted(&ty, &learned.into_subst())
    }

    /// Parameter number `param` of the function type that a parameter expects.
    fn callable_param(&self, expected: &Ty, signature: &Signature, param: u32) -> Option<Ty> {
        if let Some(callable) = self.rules().callable(self, expected) {
            return callable.params.get(param as usize).cloned();
        }
        let callable = match expected {
            Ty::Callable(callable) => callable.clone(),
            Ty::Bounded(bounds) => bounds.iter().find_map(bound_callable)?,
            Ty::Union(members) => {
                let mut callables = members.iter().filter(|member| matches!(member, Ty::Callable(_)));
                match (callables.next(), callables.next()) {
                    (Some(Ty::Callable(only)), None) => only.clone(),
                    _ => return None,
                }
            }
            Ty::Param(def, index) => {
                let bounds = match signature.bounds.get(*index as usize) {
                    Some(bounds) if bounds.iter().any(|bound| bound_callable(bound).is_some()) => {
                        bounds.clone()
                    }
                    _ => self.param_bounds(def, *index),
                };
                bounds.iter().find_map(bound_callable)?
            }
            Ty::Instance(_, args) => match args.first()? {
                Ty::Bounded(bounds) => bounds.iter().find_map(bound_callable)?,
                Ty::Callable(callable) => callable.clone(),
                _ => return None,
            },
            _ => return None,
        };
        callable.params.get(param as usize).cloned()
    }
}

/// The type that argument number `index` is to fit: of a rest parameter, which takes all that are left, that
/// of its elements.
fn taken_as(
    function: &FunctionTy,
    signature: &Signature,
    arguments: &Arguments<'_>,
    index: usize,
) -> Option<Ty> {
    let param = arguments.param_of(function, index)?;
    let is_positional = index + arguments.keywords.len() < arguments.args.len();
    let rest = function.def.decl().params.iter().position(|param| param.kind == ParamKind::Variadic);
    match rest.filter(|rest| is_positional && param >= *rest) {
        Some(rest) => signature.params.get(rest).map(|collection| collection.arg(0)),
        None => signature.params.get(param).cloned(),
    }
}

fn instance_lacks_args(instance: &Ty) -> bool {
    matches!(instance, Ty::Instance(def, args) if args.is_empty() && !def.decl().type_params.is_empty())
}

/// A function read as a member of nothing.
impl From<FunctionTy> for Ty {
    fn from(function: FunctionTy) -> Self {
        Ty::Function(Rc::new(function))
    }
}
