//! What a variable's later uses say of its type, in statically typed languages: `let mut v = Vec::new();
//! v.push(x)` makes it a `Vec` of whatever `x` is.

use bindery_facts::{Expr, ExprIndex, FileFacts, Name};
use rustc_hash::FxHashMap;

use crate::infer::Frame;
use crate::names::guard;
use crate::{Def, Learned, Namespace, ParamId, Session, Ty};

/// The calls of members of plain names, by the name.
pub(crate) type UseIndex = FxHashMap<Name, Vec<ExprIndex>>;

fn index(facts: &FileFacts) -> UseIndex {
    let exprs = &facts.bodies.exprs;
    let mut uses = UseIndex::default();
    for (number, expr) in exprs.0.iter().enumerate() {
        if let Expr::Call { callee, .. } = expr
            && let Expr::Member { base, .. } = exprs.get(*callee)
            && let Expr::Name { name, .. } = exprs.get(*base)
        {
            uses.entry(name.clone()).or_default().push(ExprIndex(number as u32));
        }
    }
    uses
}

impl Session<'_> {
    /// What a binding that is never bound again holds: its value, what that leaves open taken from
    /// the variable's uses.
    pub(crate) fn declared_once(&self, number: u32) -> Ty {
        let binding = &self.facts.bodies.bindings[number as usize];
        let ty = self.binding(binding, Namespace::Value);
        if binding.value.is_none() || !ty.is_known() || !ty.has_holes() {
            return ty;
        }
        if let Some(known) = self.completed.borrow().get(&number) {
            return known.clone();
        }
        let completed = self.guarded(guard::USES, number, &binding.name, || {
            Some(self.completed_by_uses(number, &binding.name, ty.clone()))
        });
        let Some(completed) = completed else { return ty };
        self.completed.borrow_mut().insert(number, completed.clone());
        completed
    }

    fn completed_by_uses(&self, number: u32, name: &Name, ty: Ty) -> Ty {
        let Ty::Instance(def, _) = &ty else { return ty };
        let def = def.clone();
        let uses = self.uses.get_or_init(|| index(self.facts));
        let mut ty = ty;
        for call in uses.get(name).map_or(&[] as &[ExprIndex], Vec::as_slice) {
            if !ty.has_holes() {
                break;
            }
            if let Some(args) = self.use_says(&def, number, *call) {
                ty = self.merged(ty, Ty::Instance(def.clone(), args));
            }
        }
        ty
    }

    /// The type arguments of `def` that a call on the variable shows.
    fn use_says(&self, def: &Def, number: u32, call: ExprIndex) -> Option<crate::Args> {
        let Expr::Call { callee, args, .. } = self.body_expr(call) else { return None };
        let Expr::Member { base, name, .. } = self.body_expr(*callee) else { return None };
        let Expr::Name { name: variable, scope, at } = self.body_expr(*base) else { return None };
        let seen = self.locals.seen(self.facts, self.rules(), variable, *scope, *at)?;
        if seen.bindings != [number] {
            return None;
        }
        let pattern = Ty::Instance(def.clone(), self.own_params(def));
        let member = self.rules().member(self, &self.file_place(), &pattern, name, Namespace::Method);
        let Ty::Function(function) = member else { return None };
        let signature = self.signature(&function.def);
        let mut learned = Learned::default();
        for (param, arg) in signature.params.iter().skip(1).zip(args) {
            let param = self.substituted(param, &function.subst);
            if param.is_generic() {
                self.unify(&param, &self.expr(&Frame::Body, *arg), &mut learned);
            }
        }
        let count = def.decl().type_params.len() as u32;
        let arg = |index| learned.get(ParamId { owner: def.id(), index }).cloned().unwrap_or_default();
        Some((0..count).map(arg).collect())
    }
}
