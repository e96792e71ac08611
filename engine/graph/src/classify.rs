//! From the type of a callee to the outcome of its call site (handbook §3).

use bindery_facts::{BindingKind, CallSite, DeclKind, Expr, ExprIndex, Literal, Name, ScopeIndex, TypeExpr};

use crate::call::Arguments;
use crate::infer::Frame;
use crate::{
    CallType, Callee, Construction, Def, DropReason, External, FunctionTy, Namespace, Outcome, ParamId,
    Session, Ty,
};

/// What a callee's type leads to.
enum Target {
    /// Symbols of the set.
    Set { callees: Vec<Callee>, is_construction: bool },
    /// Something outside the set that an import names.
    Outside { external: External, is_construction: bool },
    /// The language's own.
    Builtin,
    /// A member that a type of the set has from a base outside it.
    Inherited,
    /// Nothing that is known.
    None,
}

/// How far a receiver is followed to where it starts; the chains of real code are far shorter.
const MAX_RECEIVER_STEPS: usize = 256;

/// How a receiver is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Receiver {
    /// The receiver of the method around.
    This,
    /// An attribute of it, or of an attribute of it.
    Attribute,
    /// Reached through it otherwise.
    ThroughThis,
    /// A string literal.
    StringLiteral,
    /// Another literal or display.
    Literal,
    /// Anything else.
    Other,
}

impl Session<'_> {
    /// The outcome of a call site.
    pub(crate) fn outcome(&self, site: &CallSite) -> Outcome {
        match self.body_expr(site.expr) {
            Expr::Call { callee, args, keywords } => self.called_outcome(*callee, args, keywords),
            Expr::New { ty, args, scope, at } => self.new_outcome(ty, args, *scope, *at),
            Expr::MacroCall { name, scope, .. } => self.macro_outcome(name, *scope),
            _ => Outcome::Dropped(DropReason::BareName),
        }
    }

    fn called_outcome(&self, callee: ExprIndex, args: &[ExprIndex], keywords: &[Name]) -> Outcome {
        let mut ty = self.ty(callee);
        let arguments = Arguments { frame: &Frame::Body, args, keywords };
        if let Ty::Overloads(all) = &ty {
            ty = self.selected(all, &arguments).or_else(|| self.of_one_body(all)).unwrap_or_default();
        }
        if matches!(ty, Ty::Type(_)) && self.rules().calls_convert() {
            return Outcome::Dropped(DropReason::Builtin);
        }
        if let Some(outcome) = self.overloaded_construction(&ty, &arguments) {
            return outcome;
        }
        self.written_outcome(callee, &ty)
    }

    /// The outcome of calling a value of type `ty` that is written as `callee`.
    fn written_outcome(&self, callee: ExprIndex, ty: &Ty) -> Outcome {
        match self.body_expr(callee) {
            Expr::Member { base, name, .. } => self.member_outcome(*base, name, ty),
            Expr::Name { name, scope, at } => self.name_outcome(name, *scope, *at, ty),
            Expr::Path { path, scope, .. } => self.path_outcome(path, *scope, ty),
            Expr::This { .. } | Expr::Super { .. } => {
                self.plain_outcome(ty, CallType::SelfMethod, DropReason::BareName)
            }
            // `f[T](…)` where the language writes type arguments like an index.
            Expr::Index { base, .. } if matches!(self.ty(*base), Ty::Function(_)) => {
                self.written_outcome(*base, ty)
            }
            _ if matches!(ty, Ty::Instance(..)) => match self.call_operator(ty) {
                Some(member) => self.plain_outcome(&member, CallType::ParamMethod, DropReason::BareName),
                None => Outcome::Dropped(DropReason::BareName),
            },
            _ => self.plain_outcome(ty, CallType::ParamMethod, DropReason::BareName),
        }
    }

    /// One of several heads, if all are those of one body.
    fn of_one_body(&self, all: &[Ty]) -> Option<Ty> {
        let body = |ty: &Ty| match ty {
            Ty::Function(function) => Some(self.rules().definition(self, &function.def)),
            _ => None,
        };
        let first = body(all.first()?)?;
        let is_one =
            !first.decl().flags.is_bodiless && all.iter().all(|ty| body(ty).as_ref() == Some(&first));
        is_one.then(|| all[0].clone())
    }

    /// The outcome if the target decides alone.
    fn plain_outcome(&self, ty: &Ty, call_type: CallType, reason: DropReason) -> Outcome {
        match self.target(ty) {
            Target::Set { callees, is_construction: true } => {
                Outcome::Edges(CallType::InternalConstructor, callees)
            }
            Target::Set { callees, .. } => Outcome::Edges(call_type, callees),
            Target::Outside { external, is_construction } => boundary(external, is_construction),
            Target::Builtin => Outcome::Dropped(DropReason::Builtin),
            Target::Inherited => Outcome::Dropped(DropReason::InheritedMethod),
            Target::None => Outcome::Dropped(reason),
        }
    }

    /// The outcome of constructing a type of the set that has several constructors.
    fn overloaded_construction(&self, ty: &Ty, arguments: &Arguments<'_>) -> Option<Outcome> {
        let Ty::Type(instance) = ty else { return None };
        instance.instance_def().filter(|def| !def.is_library())?;
        let Construction::Overloads(all) = self.rules().construction(self, instance) else { return None };
        let callee = match self.selected(&all, arguments) {
            Some(Ty::Function(function)) if function.def.decl().kind.is_callable() => {
                Callee::Function(function.def.symbol())
            }
            Some(Ty::Function(function)) => Callee::New(function.def.symbol()),
            _ => return Some(Outcome::Dropped(DropReason::BareName)),
        };
        Some(Outcome::Edges(CallType::InternalConstructor, vec![callee]))
    }

    /// A name that is called in a language where functions have names of their own: a method of a type
    /// around, called on the receiver there, or a function in scope.
    fn function_name_outcome(&self, name: &Name, scope: ScopeIndex, ty: &Ty) -> Outcome {
        let call_type = match ty {
            Ty::Function(function) if function.receiver.is_some() => CallType::SelfMethod,
            _ => CallType::InternalFunc,
        };
        let outcome = self.plain_outcome(ty, call_type, DropReason::BareName);
        let may_inherit = |def: &Def| self.rules().may_inherit(self, &self.self_type(def), name);
        match outcome {
            Outcome::Dropped(DropReason::BareName) if self.types_around(scope).iter().any(may_inherit) => {
                Outcome::Dropped(DropReason::InheritedMethod)
            }
            other => other,
        }
    }

    /// The types whose inside a scope is in, innermost first.
    fn types_around(&self, scope: ScopeIndex) -> Vec<Def> {
        let mut place = self.place_of(scope);
        let mut types = Vec::new();
        while let Some(def) = self.place_def(&place) {
            place.owner = def.decl().owner.clone();
            types.extend(def.decl().kind.type_kind().map(|_| def));
        }
        types
    }

    fn name_outcome(&self, name: &Name, scope: ScopeIndex, at: u32, ty: &Ty) -> Outcome {
        if self.rules().keeps_functions_apart() {
            return self.function_name_outcome(name, scope, ty);
        }
        let seen = self.locals.seen(self.facts, self.rules(), name, scope, at);
        let is_variable = seen.is_some_and(|seen| {
            seen.bindings.iter().any(|number| {
                let kind = self.facts.bodies.bindings[*number as usize].kind;
                !matches!(kind, BindingKind::Decl(_) | BindingKind::Import(_))
            })
        });
        match (is_variable, ty) {
            // What a local variable holds is a value: calling it runs its call operator.
            (true, Ty::Instance(..)) => self.operator_outcome(ty, CallType::ParamMethod),
            (true, _) => self.plain_outcome(ty, local_call_type(ty), DropReason::LocalVarMethod),
            (false, Ty::Instance(..)) => self.operator_outcome(ty, CallType::ParamMethod),
            (false, _) => self.plain_outcome(ty, CallType::InternalFunc, DropReason::BareName),
        }
    }

    fn operator_outcome(&self, instance: &Ty, call_type: CallType) -> Outcome {
        match self.call_operator(instance) {
            Some(member) => self.plain_outcome(&member, call_type, DropReason::LocalVarMethod),
            None => Outcome::Dropped(DropReason::LocalVarMethod),
        }
    }

    fn path_outcome(&self, path: &TypeExpr, scope: ScopeIndex, ty: &Ty) -> Outcome {
        let outcome = self.plain_outcome(ty, CallType::InternalFunc, DropReason::BareName);
        if outcome != Outcome::Dropped(DropReason::BareName) {
            return outcome;
        }
        let (owner, name) = match path {
            TypeExpr::Path(segments) => {
                let Some((last, before)) = segments.split_last().filter(|(_, before)| !before.is_empty())
                else {
                    return outcome;
                };
                let before = TypeExpr::Path(before.to_vec());
                (self.path_value(&self.place_of(scope), &before, Namespace::Type), &last.name)
            }
            TypeExpr::Qualified { ty, rest, .. } => {
                let Some(last) = rest.last() else { return outcome };
                (self.written(&self.place_of(scope), ty).into_type(), &last.name)
            }
            _ => return outcome,
        };
        match self.unanswered(&owner, name) {
            Some(reason) => Outcome::Dropped(reason),
            None => outcome,
        }
    }

    /// Why a type that is known does not have a member that was called.
    fn unanswered(&self, owner: &Ty, name: &Name) -> Option<DropReason> {
        if self.is_builtin_type(owner) {
            return Some(DropReason::Builtin);
        }
        self.rules().may_inherit(self, owner, name).then_some(DropReason::InheritedMethod)
    }

    fn member_outcome(&self, base: ExprIndex, name: &Name, ty: &Ty) -> Outcome {
        let receiver = self.receiver_form(base);
        let base_ty = self.ty(base);
        let call_type = match (receiver, &base_ty) {
            (Receiver::This, _) => CallType::SelfMethod,
            (_, Ty::Type(_) | Ty::Module(_) | Ty::Function(_)) => CallType::InternalFunc,
            (Receiver::Attribute, _) => CallType::SelfAttrMethod,
            _ => CallType::ParamMethod,
        };
        let outcome = match ty {
            Ty::Instance(..) => self.operator_outcome(ty, call_type),
            _ => self.plain_outcome(ty, call_type, DropReason::LocalVarMethod),
        };
        match outcome {
            Outcome::Edges(..) => outcome,
            Outcome::Dropped(reason) => Outcome::Dropped(self.member_drop(receiver, &base_ty, name, reason)),
        }
    }

    fn member_drop(&self, receiver: Receiver, base: &Ty, name: &Name, reason: DropReason) -> DropReason {
        match receiver {
            Receiver::StringLiteral => return DropReason::StringLiteralMethod,
            Receiver::Literal => return DropReason::Builtin,
            _ if matches!(reason, DropReason::Builtin | DropReason::InheritedMethod) => return reason,
            _ => {}
        }
        if let Some(reason) = self.unanswered(base, name) {
            return reason;
        }
        match receiver {
            Receiver::This | Receiver::Attribute | Receiver::ThroughThis => DropReason::SelfAttrUnknown,
            _ => DropReason::LocalVarMethod,
        }
    }

    fn receiver_form(&self, base: ExprIndex) -> Receiver {
        let mut form = Receiver::This;
        let mut at = base;
        for _ in 0..MAX_RECEIVER_STEPS {
            match self.body_expr(at) {
                Expr::This { .. } | Expr::Super { .. } => return form,
                Expr::Name { name, scope, at } => {
                    return match form {
                        _ if self.is_receiver(name, *scope, *at) => form,
                        Receiver::This | Receiver::Attribute if self.is_attribute(name, *scope, *at) => {
                            Receiver::Attribute
                        }
                        _ if self.is_attribute(name, *scope, *at) => Receiver::ThroughThis,
                        _ => Receiver::Other,
                    };
                }
                Expr::Literal(Literal::String) if form == Receiver::This => return Receiver::StringLiteral,
                Expr::Literal(_) | Expr::Sequence { .. } | Expr::Mapping { .. } | Expr::Tuple(_)
                    if form == Receiver::This =>
                {
                    return Receiver::Literal;
                }
                Expr::Ref(inner) | Expr::Deref(inner) => at = *inner,
                Expr::Member { base, .. } => {
                    form = if form == Receiver::This { Receiver::Attribute } else { form };
                    at = *base;
                }
                Expr::Call { callee, .. } => match self.body_expr(*callee) {
                    Expr::Super { .. } if form == Receiver::This => return Receiver::This,
                    Expr::Name { name, .. } if form == Receiver::This && name == "super" => {
                        return Receiver::This;
                    }
                    _ => (form, at) = (Receiver::ThroughThis, *callee),
                },
                Expr::Index { base, .. }
                | Expr::Element { base, .. }
                | Expr::TupleItem { base, .. }
                | Expr::Await(base)
                | Expr::Try(base) => (form, at) = (Receiver::ThroughThis, *base),
                _ => return Receiver::Other,
            }
        }
        Receiver::Other
    }

    pub(crate) fn is_receiver(&self, name: &Name, scope: ScopeIndex, at: u32) -> bool {
        let seen = self.locals.seen(self.facts, self.rules(), name, scope, at).unwrap_or_default();
        let is_receiver =
            |number: &u32| self.facts.bodies.bindings[*number as usize].kind == BindingKind::Receiver;
        !seen.bindings.is_empty() && seen.bindings.iter().all(is_receiver)
    }

    /// Whether a name alone is an attribute of a type around, reached through the receiver there.
    fn is_attribute(&self, name: &Name, scope: ScopeIndex, at: u32) -> bool {
        let is_open = |def: &Def| self.rules().reach(def.decl().kind) == crate::Reach::Open;
        let is_local = || self.locals.seen(self.facts, self.rules(), name, scope, at).is_some();
        let mut types = self.types_around(scope).into_iter().filter(is_open);
        types.any(|def| self.variable_in(&Ty::instance(def), name).is_some()) && !is_local()
    }

    fn new_outcome(&self, ty: &TypeExpr, args: &[ExprIndex], scope: ScopeIndex, at: u32) -> Outcome {
        let namespace = self.rules().construction_namespace();
        let ty = self.path_expr(&Frame::Body, ty, scope, at, namespace);
        let constructed = match ty {
            Ty::Instance(..) if namespace == Namespace::Type => ty.into_type(),
            other => other,
        };
        let arguments = Arguments { frame: &Frame::Body, args, keywords: &[] };
        if let Some(outcome) = self.overloaded_construction(&constructed, &arguments) {
            return outcome;
        }
        match self.literal_target(&constructed) {
            Target::Set { callees, .. } => Outcome::Edges(CallType::InternalConstructor, callees),
            Target::Outside { external, .. } => boundary(external, true),
            Target::Builtin => Outcome::Dropped(DropReason::Builtin),
            Target::Inherited | Target::None => Outcome::Dropped(DropReason::BareName),
        }
    }

    fn macro_outcome(&self, name: &Name, scope: ScopeIndex) -> Outcome {
        if self.rules().is_builtin_macro(name) {
            return Outcome::Dropped(DropReason::Builtin);
        }
        match self.rules().macro_boundary(self, &self.place_of(scope), name) {
            Some(ty) => self.plain_outcome(&ty, CallType::InternalFunc, DropReason::BareName),
            None => Outcome::Dropped(DropReason::BareName),
        }
    }

    /// Whether it is, or is a member-less view of, a type that is available without an import.
    fn is_builtin_type(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Instance(def, _) => def.is_library() && self.is_prelude(def),
            Ty::Type(inner) => self.is_builtin_type(inner),
            Ty::Tuple(_) | Ty::Callable(_) | Ty::Closure(_) => true,
            Ty::Union(members) => members.iter().all(|member| self.is_builtin_type(member)),
            _ => false,
        }
    }

    /// Whether a library declaration, or the type it is a member of, is available without an import.
    pub(crate) fn is_prelude(&self, def: &Def) -> bool {
        let Some(library) = self.rules().library() else { return false };
        let external = library.external(def);
        library.is_prelude(if external.class.is_empty() { &external.name } else { &external.class })
    }

    fn target(&self, ty: &Ty) -> Target {
        match ty {
            Ty::Function(function) => self.function_target(function),
            Ty::Type(instance) => self.construction_target(instance),
            Ty::External(external) => {
                let is_construction = self.rules().is_external_type(external);
                Target::Outside { external: (**external).clone(), is_construction }
            }
            Ty::Closure(closure) => match self.closure_decl(*closure) {
                Some(decl) => set(Callee::Function(self.own_def(decl).symbol()), false),
                None => Target::None,
            },
            Ty::Alternatives(all) => {
                self.alternative_targets(all.iter().map(|one| self.target(one)).collect())
            }
            _ => Target::None,
        }
    }

    fn alternative_targets(&self, targets: Vec<Target>) -> Target {
        let mut all = Vec::new();
        let mut rest = Target::None;
        let mut is_any_construction = false;
        for target in targets {
            match target {
                Target::Set { callees, is_construction } => {
                    all.extend(callees);
                    is_any_construction |= is_construction;
                }
                Target::None => {}
                other => rest = other,
            }
        }
        if all.is_empty() {
            return rest;
        }
        all.sort_unstable();
        all.dedup();
        Target::Set { callees: all, is_construction: is_any_construction }
    }

    fn function_target(&self, function: &FunctionTy) -> Target {
        let def = &function.def;
        if def.is_library() {
            let is_inherited = function.receiver.as_ref().is_some_and(is_of_set)
                || function.subst.iter().any(|(id, ty)| id.index == ParamId::SELF && is_of_set(ty));
            return if is_inherited { Target::Inherited } else { self.library_member_target(function) };
        }
        match def.decl().kind {
            DeclKind::Variant => set(Callee::Variant(def.symbol()), true),
            kind if kind.is_callable() => {
                set(Callee::Function(self.rules().definition(self, def).symbol()), false)
            }
            // The constructor that a type has without a declaration.
            kind if kind.type_kind().is_some() => set(Callee::New(def.symbol()), true),
            _ => Target::None,
        }
    }

    /// A library function. In a language where the written type of the receiver names a member, it
    /// does so whatever base of that type declares it.
    fn library_member_target(&self, function: &FunctionTy) -> Target {
        let receiver = match (&function.receiver, self.rules().is_statically_typed()) {
            (Some(Ty::Instance(def, _)), false) if def.is_library() => def,
            _ => return self.library_target(&function.def, false),
        };
        match self.library_target(receiver, false) {
            Target::Outside { external: External { specifier, name: class, .. }, is_construction } => {
                let name = function.def.decl().name.clone();
                Target::Outside { external: External { specifier, class, name }, is_construction }
            }
            other => other,
        }
    }

    fn library_target(&self, def: &Def, is_construction: bool) -> Target {
        match self.rules().library() {
            Some(library) if !self.is_prelude(def) => {
                Target::Outside { external: library.external(def), is_construction }
            }
            _ => Target::Builtin,
        }
    }

    fn construction_target(&self, instance: &Ty) -> Target {
        match instance {
            Ty::Instance(def, _) if def.is_library() => self.library_target(def, true),
            Ty::Instance(def, _) => match self.rules().construction(self, instance) {
                Construction::Constructor(constructor) if !constructor.def.is_library() => {
                    let definition = self.rules().definition(self, &constructor.def);
                    set(Callee::Function(definition.symbol()), true)
                }
                Construction::Unknown | Construction::Overloads(_) => Target::None,
                _ => set(Callee::New(def.symbol()), true),
            },
            Ty::ExternalInstance(external) => {
                Target::Outside { external: (**external).clone(), is_construction: true }
            }
            _ => Target::None,
        }
    }

    /// A construction in its own syntax, which may name a variant.
    fn literal_target(&self, ty: &Ty) -> Target {
        match ty {
            Ty::Function(function) if function.def.decl().kind == DeclKind::Variant => self.target(ty),
            // Where classes are values, a function can be constructed with as well.
            Ty::Function(_) if self.rules().construction_namespace() == Namespace::Value => self.target(ty),
            Ty::Type(_) => self.target(ty),
            Ty::External(external) => {
                Target::Outside { external: (**external).clone(), is_construction: true }
            }
            Ty::Alternatives(all) => {
                self.alternative_targets(all.iter().map(|one| self.literal_target(one)).collect())
            }
            _ => Target::None,
        }
    }
}

/// Whether a value is an instance of a type of the set.
fn is_of_set(ty: &Ty) -> bool {
    match ty {
        Ty::Instance(def, _) | Ty::Super(def, _) => !def.is_library(),
        Ty::Type(inner) => is_of_set(inner),
        _ => false,
    }
}

/// Calling a local variable that holds a named closure is a call of a function in scope.
fn local_call_type(ty: &Ty) -> CallType {
    match ty {
        Ty::Closure(_) => CallType::InternalFunc,
        _ => CallType::ParamMethod,
    }
}

fn set(callee: Callee, is_construction: bool) -> Target {
    Target::Set { callees: vec![callee], is_construction }
}

fn boundary(external: External, is_construction: bool) -> Outcome {
    let External { specifier, class, name } = external;
    let call_type = if is_construction { CallType::BoundaryConstructor } else { CallType::Boundary };
    if specifier.is_empty() && class.is_empty() {
        // A module that is called has no member name of its own.
        return Outcome::Edges(call_type, vec![Callee::Boundary { specifier: name.clone(), class, name }]);
    }
    Outcome::Edges(call_type, vec![Callee::Boundary { specifier, class, name }])
}
