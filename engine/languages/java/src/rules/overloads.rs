//! Which of several methods of one name a call means (JLS 15.12.2).
//!
//! The phases of the language: first methods that take the arguments as they are, then with boxing, then
//! with a rest parameter; of those that a phase leaves the most specific. Where the type of an argument is
//! not known, what it decides is not decided: then the call is only told if all methods that may be meant
//! take the same type in that place.

use bindery_facts::{BindingKind, Expr, ExprIndex, ParamKind, ScopeIndex};
use bindery_graph::{CallView, Def, FunctionTy, Session, Ty};

use super::inheritance::is_subtype;
use super::members::{parameters, same_erasure};
use super::{functional, operations};

/// The keyword that marks the call inside a method reference.
const REFERENCE: &str = "::";

/// How an argument fits a parameter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Fit {
    /// As it is.
    Plain,
    /// With boxing or unboxing.
    Boxed,
    /// Whether it does is not known.
    Open,
    /// Not at all.
    Not,
}

/// A method that may be meant.
struct Candidate<'c> {
    ty: &'c Ty,
    function: &'c FunctionTy,
    params: Vec<Ty>,
    has_rest: bool,
}

/// The passes of the language over the candidates.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Plain,
    Boxed,
    Rest,
}

/// The method that a call means; none if it cannot be told.
pub(super) fn select(session: &Session, all: &[Ty], call: &CallView<'_>) -> Option<Ty> {
    if is_reference(call) {
        return None;
    }
    let args: Vec<Ty> = (0..call.arg_count).map(|index| (call.args)(index)).collect();
    let candidates: Vec<Candidate<'_>> = all.iter().filter_map(|ty| candidate(session, ty)).collect();
    let is_possible = |candidate: &&Candidate<'_>| {
        [Phase::Plain, Phase::Boxed, Phase::Rest]
            .iter()
            .any(|phase| fit(session, candidate, &args, *phase) != Fit::Not)
    };
    let possible: Vec<&Candidate<'_>> = candidates.iter().filter(is_possible).collect();
    if let [only] = possible.as_slice() {
        return Some(only.ty.clone());
    }
    for phase in [Phase::Plain, Phase::Boxed, Phase::Rest] {
        let fits: Vec<(&Candidate<'_>, Fit)> = possible
            .iter()
            .map(|candidate| (*candidate, fit(session, candidate, &args, phase)))
            .filter(|(_, fit)| *fit != Fit::Not)
            .collect();
        if fits.is_empty() {
            continue;
        }
        let is_sure = fits.iter().all(|(_, fit)| *fit != Fit::Open);
        let pool: Vec<&Candidate<'_>> = if is_sure {
            fits.into_iter().map(|(candidate, _)| candidate).collect()
        } else {
            // What fits for sure ends the phases; else a later one may decide.
            let ends = fits.iter().any(|(_, fit)| *fit != Fit::Open);
            let pool = if ends {
                fits.into_iter().map(|(candidate, _)| candidate).collect()
            } else {
                possible.clone()
            };
            if !open_places_agree(session, &pool, &args) {
                return None;
            }
            pool
        };
        return most_specific(session, &pool, &args, phase);
    }
    None
}

fn is_reference(call: &CallView<'_>) -> bool {
    call.keywords.first().is_some_and(|keyword| keyword == REFERENCE)
}

fn candidate<'c>(session: &Session, ty: &'c Ty) -> Option<Candidate<'c>> {
    let Ty::Function(function) = ty else { return None };
    let has_rest = function.def.decl().params.last().is_some_and(|last| last.kind == ParamKind::Variadic);
    Some(Candidate { ty, function, params: parameters(session, function), has_rest })
}

/// What parameter number `index` takes; in the last phase the elements of a rest parameter.
fn expected(candidate: &Candidate<'_>, index: usize, phase: Phase) -> Option<Ty> {
    let last = candidate.params.len().checked_sub(1)?;
    if phase == Phase::Rest && index >= last {
        return operations::array_element(&candidate.params[last]);
    }
    candidate.params.get(index).cloned()
}

/// How a candidate can be called in a phase: the worst of its arguments.
fn fit(session: &Session, candidate: &Candidate<'_>, args: &[Ty], phase: Phase) -> Fit {
    let count = candidate.params.len();
    let is_right_count = match phase {
        Phase::Rest => candidate.has_rest && args.len() + 1 >= count,
        _ => args.len() == count,
    };
    if !is_right_count {
        return Fit::Not;
    }
    let mut worst = Fit::Plain;
    for (index, arg) in args.iter().enumerate() {
        let Some(expected) = expected(candidate, index, phase) else { return Fit::Not };
        let one = argument_fit(session, Some(candidate.function), &expected, arg);
        if one == Fit::Boxed && phase == Phase::Plain {
            return Fit::Not;
        }
        worst = worst.max(one);
    }
    worst
}

/// How a value fits where a type is expected by a parameter of `function`, if by one (JLS 5.3).
fn argument_fit(session: &Session, function: Option<&FunctionTy>, expected: &Ty, arg: &Ty) -> Fit {
    match (expected, arg) {
        (Ty::Unknown, Ty::Unknown) => Fit::Open,
        (_, Ty::Never) => {
            if operations::primitive_name(expected).is_some() {
                Fit::Not
            } else {
                Fit::Plain
            }
        }
        (_, Ty::Closure(closure)) => closure_fit(session, expected, *closure),
        (Ty::Param(..), _) if expected == arg => Fit::Plain,
        (Ty::Param(def, index), _) if function.is_some_and(|function| is_free(function, def)) => {
            variable_fit(session, def, *index, arg)
        }
        (Ty::Param(..), _) if !function.is_some_and(|function| is_rigid(function, expected)) => Fit::Open,
        (_, Ty::Param(def, index)) => param_fit(session, expected, def, *index),
        (Ty::Instance(..), Ty::Instance(..)) => instance_fit(session, function, expected, arg),
        (Ty::Param(..), Ty::Instance(..) | Ty::ExternalInstance(_)) => Fit::Not,
        (Ty::ExternalInstance(a), Ty::ExternalInstance(b)) if a == b => Fit::Plain,
        (Ty::ExternalInstance(_), Ty::Instance(def, args)) => {
            let may_have = def.is_library() || operations::primitive_name(arg).is_some();
            let bases = session.linear(def, args);
            match () {
                () if bases.contains(expected) => Fit::Plain,
                // The platform's types have no bases outside it, and nothing has that knows all its bases.
                () if may_have || bases.iter().all(|base| base.instance_def().is_some()) => Fit::Not,
                () => Fit::Open,
            }
        }
        (Ty::Instance(def, _), Ty::ExternalInstance(_)) => {
            let is_object = Some(def) == operations::object(session).instance_def();
            match () {
                () if is_object => Fit::Plain,
                () if operations::is_final(expected) => Fit::Not,
                () => Fit::Open,
            }
        }
        _ => Fit::Open,
    }
}

/// Whether a call decides what a type parameter stands for: it is the method's own, or the type is raw or
/// leaves its arguments to be inferred.
fn is_free(function: &FunctionTy, param_of: &Def) -> bool {
    *param_of == function.def || function.subst.is_empty() && !param_of.decl().kind.is_callable()
}

/// Whether a type parameter is what a type argument of the receiver is: nothing fits it but itself.
fn is_rigid(function: &FunctionTy, expected: &Ty) -> bool {
    function.subst.iter().any(|(_, ty)| ty == expected)
}

/// What a call may let a type parameter stand for: whatever its bounds take.
fn variable_fit(session: &Session, def: &Def, index: u32, arg: &Ty) -> Fit {
    if !arg.is_known() {
        return Fit::Open;
    }
    let base = if operations::primitive_name(arg).is_some() { Fit::Boxed } else { Fit::Plain };
    let bounds = session.param_bounds(def, index);
    // A bound in terms of type parameters is not held against the argument.
    let fits = bounds.iter().filter(|bound| !bound.ty.is_generic());
    fits.map(|bound| argument_fit(session, None, &bound.ty, arg)).max().unwrap_or(base).max(base)
}

/// A value of a type parameter's type is known by its bounds.
fn param_fit(session: &Session, expected: &Ty, def: &Def, index: u32) -> Fit {
    if operations::primitive_name(expected).is_some() {
        return Fit::Not;
    }
    let expected_def = match expected {
        Ty::Instance(def, _) => Some(def),
        Ty::Param(..) => None,
        _ => return Fit::Open,
    };
    if expected_def.is_some() && expected_def == operations::object(session).instance_def() {
        return Fit::Plain;
    }
    let bounds = session.param_bounds(def, index);
    bounds.iter().map(|bound| argument_fit(session, None, expected, &bound.ty)).min().unwrap_or(Fit::Not)
}

fn instance_fit(session: &Session, function: Option<&FunctionTy>, expected: &Ty, arg: &Ty) -> Fit {
    match (operations::primitive_name(expected), operations::primitive_name(arg)) {
        (Some(to), Some(from)) => return if operations::widens(from, to) { Fit::Plain } else { Fit::Not },
        (Some(to), None) => {
            let unboxed = operations::unboxed_name(arg);
            return if unboxed.is_some_and(|from| operations::widens(from, to)) {
                Fit::Boxed
            } else {
                Fit::Not
            };
        }
        (None, Some(from)) => {
            let boxed = operations::boxed(session, from);
            return instance_fit(session, function, expected, &boxed).max(Fit::Boxed);
        }
        (None, None) => {}
    }
    if let (Some(expected), Some(arg)) = (operations::array_element(expected), operations::array_element(arg))
    {
        let is_primitive =
            operations::primitive_name(&expected).is_some() || operations::primitive_name(&arg).is_some();
        return match is_primitive {
            true if same_erasure(&expected, &arg) => Fit::Plain,
            true => Fit::Not,
            false => argument_fit(session, function, &expected, &arg),
        };
    }
    let Some(base) = expected.instance_def() else { return Fit::Open };
    match is_subtype(session, arg, base) {
        Some(true) => Fit::Plain,
        Some(false) => Fit::Not,
        None => Fit::Open,
    }
}

// ---- Lambdas

/// Whether a lambda or method reference may stand for a type (JLS 15.12.2.1).
fn closure_fit(session: &Session, expected: &Ty, closure: ExprIndex) -> Fit {
    let callable = match expected {
        Ty::Instance(..) => match functional::callable(session, expected) {
            Some(callable) => callable,
            None => return Fit::Not,
        },
        _ => return Fit::Open,
    };
    let Expr::Closure { scope, body, .. } = session.body_expr(closure) else { return Fit::Open };
    if *scope == ScopeIndex::FILE {
        return Fit::Open;
    }
    if parameter_count(session, *scope) != callable.params.len() {
        return Fit::Not;
    }
    let gives_nothing = callable.result == Ty::Tuple([].into());
    match body {
        // A block that gives nothing.
        None if !gives_nothing => Fit::Not,
        _ => Fit::Open,
    }
}

fn parameter_count(session: &Session, scope: ScopeIndex) -> usize {
    let bindings = session.facts().bodies.bindings.iter();
    bindings.filter(|binding| binding.scope == scope && matches!(binding.kind, BindingKind::Param(_))).count()
}

// ---- The most specific

/// Whether, in each place whose argument may or may not fit, all candidates take the same, so that it
/// makes no difference.
fn open_places_agree(session: &Session, pool: &[&Candidate<'_>], args: &[Ty]) -> bool {
    let Some((first, others)) = pool.split_first() else { return false };
    args.iter().enumerate().all(|(index, arg)| {
        let of = |candidate: &Candidate<'_>| candidate.params.get(index).cloned().unwrap_or_default();
        let is_open = pool.iter().any(|candidate| {
            candidate.has_rest
                || argument_fit(session, Some(candidate.function), &of(candidate), arg) == Fit::Open
        });
        !is_open || others.iter().all(|other| agree(&of(first), &of(other)))
    })
}

fn agree(a: &Ty, b: &Ty) -> bool {
    a.is_known() && same_erasure(a, b)
}

/// The candidate whose parameters all others take as well (JLS 15.12.2.5); of several with the same
/// parameters the nearest.
fn most_specific(session: &Session, pool: &[&Candidate<'_>], args: &[Ty], phase: Phase) -> Option<Ty> {
    let places = |candidate: &Candidate<'_>| -> Vec<Ty> {
        let expected = |index| expected(candidate, index, phase).unwrap_or_default();
        (0..args.len()).map(expected).collect()
    };
    let is_more_specific = |a: &Candidate<'_>, b: &Candidate<'_>| {
        places(a).iter().zip(&places(b)).all(|(taken, wider)| {
            agree(taken, wider) || argument_fit(session, Some(b.function), wider, taken) == Fit::Plain
        })
    };
    let is_most = |candidate: &&&Candidate<'_>| {
        pool.iter().all(|other| std::ptr::eq(**candidate, *other) || is_more_specific(candidate, other))
    };
    let mut most = pool.iter().filter(is_most);
    let first = most.next()?;
    let is_same = |other: &&Candidate<'_>| places(first).iter().zip(&places(other)).all(|(a, b)| agree(a, b));
    most.all(is_same).then(|| first.ty.clone())
}

// ---- Method references

/// What the call inside a method reference gives: what it is called with is not known, so that all
/// methods of the name must give the same.
pub(super) fn reference_result(session: &Session, call: &CallView<'_>) -> Option<Ty> {
    if !is_reference(call) {
        return None;
    }
    let Ty::Overloads(all) = call.callee else { return None };
    let result = |function: &FunctionTy| {
        session.substituted(&session.signature(&function.def).result, &function.subst)
    };
    let results: Vec<Ty> = all
        .iter()
        .map(|ty| match ty {
            Ty::Function(function) => result(function),
            _ => Ty::Unknown,
        })
        .collect();
    let first = results.first().cloned().unwrap_or_default();
    Some(if results.iter().all(|ty| *ty == first) { first } else { Ty::Unknown })
}
