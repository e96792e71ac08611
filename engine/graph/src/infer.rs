//! Types of expressions, each worked out once, children first.

use std::cell::RefCell;
use std::rc::Rc;

use bindery_facts::{
    Binding, BindingKind, DeclIndex, DeclKind, Expr, ExprIndex, Exprs, Name, ParamKind, ScopeIndex, Segment,
    TypeExpr,
};

use crate::session::Slot;
use crate::{Builtin, Def, Namespace, ParamId, Place, Session, Ty};

/// Types that nest deeper in each other say nothing, so that no input makes work on them recurse far.
const MAX_TYPE_DEPTH: u32 = 24;

/// The arena an expression stands in.
pub(crate) enum Frame<'f> {
    /// The bodies of the file that is resolved.
    Body,
    /// A value that stands on its own: a variable's value, a function's result.
    Extract(Extract<'f>),
}

/// An extracted arena and where it stands.
pub(crate) struct Extract<'f> {
    exprs: &'f Exprs,
    place: Place,
    function: Option<Def>,
    /// Whether it is what the function gives, so that its receiver may be of a derived type.
    is_result: bool,
    slots: RefCell<Vec<Slot>>,
}

impl<'f> Extract<'f> {
    pub(crate) fn new(exprs: &'f Exprs, place: Place, function: Option<Def>) -> Self {
        let slots = RefCell::new(vec![Slot::Empty; exprs.0.len()]);
        Self { exprs, place, function, is_result: false, slots }
    }

    /// The same as what its function gives.
    pub(crate) fn of_result(self) -> Self {
        Self { is_result: true, ..self }
    }
}

impl Session<'_> {
    /// The type of an expression of the file's bodies.
    pub fn ty(&self, index: ExprIndex) -> Ty {
        self.expr(&Frame::Body, index)
    }

    /// The expression at `index` of the file's bodies.
    pub fn body_expr(&self, index: ExprIndex) -> &Expr {
        self.facts.bodies.exprs.get(index)
    }

    pub(crate) fn expr(&self, frame: &Frame<'_>, index: ExprIndex) -> Ty {
        let slots = match frame {
            Frame::Body => &self.exprs,
            Frame::Extract(extract) => &extract.slots,
        };
        match &slots.borrow()[index.0 as usize] {
            Slot::Done(ty) => return ty.clone(),
            Slot::Busy => return Ty::Unknown,
            Slot::Empty => {}
        }
        slots.borrow_mut()[index.0 as usize] = Slot::Busy;
        let mut ty = self.nested(|| self.evaluate(frame, index));
        if ty.is_deeper_than(MAX_TYPE_DEPTH) {
            ty = Ty::Unknown;
        }
        slots.borrow_mut()[index.0 as usize] = Slot::Done(ty.clone());
        ty
    }

    pub(crate) fn expr_at<'s>(&'s self, frame: &'s Frame<'_>, index: ExprIndex) -> &'s Expr {
        match frame {
            Frame::Body => self.body_expr(index),
            Frame::Extract(extract) => extract.exprs.get(index),
        }
    }

    /// Where a scope's names are looked up once local bindings do not answer.
    pub(crate) fn scope_place(&self, frame: &Frame<'_>, scope: ScopeIndex) -> Place {
        match frame {
            Frame::Body => Place { path: self.path.clone(), owner: self.locals.owner(scope).clone() },
            Frame::Extract(extract) => extract.place.clone(),
        }
    }

    /// Where a scope of the file's bodies stands.
    pub fn place_of(&self, scope: ScopeIndex) -> Place {
        self.scope_place(&Frame::Body, scope)
    }

    /// The file's top as a place.
    pub fn file_place(&self) -> Place {
        Place { path: self.path.clone(), owner: Name::default() }
    }

    /// Where members are looked up from, in a frame: expressions for members carry no scope.
    fn member_place(&self, frame: &Frame<'_>) -> Place {
        match frame {
            Frame::Body => self.file_place(),
            Frame::Extract(extract) => extract.place.clone(),
        }
    }

    fn evaluate(&self, frame: &Frame<'_>, index: ExprIndex) -> Ty {
        let rules = self.rules();
        let of = |index: ExprIndex| self.expr(frame, index);
        match self.expr_at(frame, index) {
            Expr::Unknown => Ty::Unknown,
            Expr::Name { name, scope, at } => {
                self.name(frame, name, *scope, *at, self.name_namespace(frame, index))
            }
            Expr::Path { path, scope, at } => self.path_expr(frame, path, *scope, *at, Namespace::Value),
            Expr::This { scope } => self.this(frame, *scope),
            Expr::Super { scope } => self.base_view(&self.this(frame, *scope)),
            Expr::Member { base, name, type_args } => {
                if let Some(narrowed) = self.narrowed_member(frame, index) {
                    return narrowed;
                }
                let place = self.member_place(frame);
                let namespace = self.member_namespace(frame, index);
                let member = rules.member(self, &place, &of(*base), name, namespace);
                self.with_args(&place, member, type_args)
            }
            Expr::Call { .. } => self.call_value(frame, index),
            Expr::New { ty, args, scope, at } => {
                let namespace = rules.construction_namespace();
                let instance = self.constructed(self.path_expr(frame, ty, *scope, *at, namespace));
                self.construction_value(frame, instance, args)
            }
            Expr::MacroCall { name, args, .. } => match frame {
                Frame::Body => rules.macro_value(self, name, args),
                Frame::Extract(_) => Ty::Unknown,
            },
            Expr::Literal(literal) => rules.literal(self, *literal),
            Expr::Sequence { kind, items } => {
                let element = self.joined(items.iter().map(|item| of(*item)));
                rules.sequence(self, *kind, element)
            }
            Expr::Mapping { key, value } => {
                let part = |part: &Option<ExprIndex>| part.map_or(Ty::Unknown, of);
                self.builtin(Builtin::Map, [part(key), part(value)].into())
            }
            Expr::Tuple(items) => Ty::Tuple(items.iter().map(|item| of(*item)).collect()),
            Expr::Index { base, index } => rules.index(self, &of(*base), &index.map_or(Ty::Unknown, of)),
            Expr::Element { base, is_async } => rules.element(self, &of(*base), *is_async),
            Expr::TupleItem { base, index } => self.part(&of(*base), *index),
            Expr::VariantField { base, variant, field, scope, at } => {
                let variant = self.path_expr(frame, variant, *scope, *at, Namespace::Value);
                self.variant_field(&of(*base), &variant, field)
            }
            Expr::Await(base) => rules.awaited(self, &of(*base)),
            Expr::Try(base) => rules.tried(self, &of(*base)),
            Expr::Deref(base) => rules.dereferenced(self, &of(*base)),
            Expr::Ref(base) => of(*base),
            Expr::Cast { ty, scope, .. } => self.written(&self.scope_place(frame, *scope), ty),
            Expr::Join(items) => self.joined(items.iter().map(|item| of(*item))),
            Expr::Closure { .. } => match frame {
                Frame::Body => Ty::Closure(index),
                Frame::Extract(_) => Ty::Unknown,
            },
            Expr::ClosureParam { call, arg, param } => self.closure_param(frame, *call, *arg, *param),
            Expr::Enter { base, is_async } => rules.entered(self, &of(*base), *is_async),
            Expr::Operation { operator, operands } => {
                let operands: Vec<Ty> = operands.iter().map(|operand| of(*operand)).collect();
                rules.operation(self, operator, &operands)
            }
            Expr::Range(bound) => self.builtin(Builtin::Range, [bound.map_or(Ty::Unknown, of)].into()),
        }
    }

    /// Whether a member is called, where that makes a difference.
    fn member_namespace(&self, frame: &Frame<'_>, index: ExprIndex) -> Namespace {
        self.called_namespace(self.rules().keeps_methods_apart(), frame, index)
    }

    /// Whether a name is called, where that makes a difference.
    fn name_namespace(&self, frame: &Frame<'_>, index: ExprIndex) -> Namespace {
        self.called_namespace(self.rules().keeps_functions_apart(), frame, index)
    }

    fn called_namespace(&self, makes_difference: bool, frame: &Frame<'_>, index: ExprIndex) -> Namespace {
        if !makes_difference {
            return Namespace::Value;
        }
        let is_called = match frame {
            Frame::Body => self.callees.contains(&index),
            Frame::Extract(extract) => {
                let calls = |expr: &Expr| matches!(expr, Expr::Call { callee, .. } if *callee == index);
                extract.exprs.0.iter().any(calls)
            }
        };
        if is_called { Namespace::Method } else { Namespace::Value }
    }

    /// The i-th part of a destructured value.
    fn part(&self, base: &Ty, index: u32) -> Ty {
        match base {
            Ty::Tuple(parts) => parts.get(index as usize).cloned().unwrap_or_default(),
            _ => self.rules().item(self, base, index),
        }
    }

    /// What a name means in a body or value: local bindings, parameters, then the scopes around.
    pub(crate) fn name(
        &self,
        frame: &Frame<'_>,
        name: &Name,
        scope: ScopeIndex,
        at: u32,
        namespace: Namespace,
    ) -> Ty {
        let place = match frame {
            Frame::Body => match self.local(name, scope, at, namespace) {
                Local::Value(ty) => return ty,
                Local::Global => self.file_place(),
                Local::None => self.scope_place(frame, scope),
            },
            Frame::Extract(extract) => {
                let function = extract.function.as_ref();
                if let Some(ty) = function.and_then(|def| self.param_named(def, name, extract.is_result)) {
                    return ty;
                }
                extract.place.clone()
            }
        };
        self.name_in(&place, name, namespace)
    }

    /// The parameter of this name. In what a function gives, the receiver stands for whatever the
    /// function is called on, where such results are not written.
    fn param_named(&self, function: &Def, name: &Name, is_result: bool) -> Option<Ty> {
        let decl = function.decl();
        let index = decl.params.iter().position(|param| param.name == *name)?;
        let is_open = is_result && !self.rules().is_statically_typed();
        if is_open && decl.params[index].kind == ParamKind::Receiver {
            let owner = self.owner(function).filter(|owner| owner.decl().kind.type_kind().is_some());
            if let Some(owner) = owner {
                let this = Ty::Param(owner, ParamId::SELF);
                return Some(if decl.flags.is_class_method { this.into_type() } else { this });
            }
        }
        Some(self.param(function, index))
    }

    /// What the local bindings make of a name.
    pub(crate) fn local(&self, name: &Name, scope: ScopeIndex, at: u32, namespace: Namespace) -> Local {
        let Some(seen) = self.locals.seen(self.facts, self.rules(), name, scope, at) else {
            return Local::None;
        };
        if seen.is_global {
            return Local::Global;
        }
        let bindings = seen.bindings.iter().map(|number| &self.facts.bodies.bindings[*number as usize]);
        let is_item =
            |binding: &Binding| matches!(binding.kind, BindingKind::Decl(_) | BindingKind::Import(_));
        if namespace != Namespace::Value && !bindings.clone().any(is_item) {
            return Local::None;
        }
        if bindings.clone().all(is_item) {
            return Local::Value(Ty::alternatives(
                bindings.map(|binding| self.binding(binding, namespace)).collect(),
            ));
        }
        if self.rules().is_statically_typed() {
            return Local::Value(self.joined(seen.bindings.iter().map(|number| self.declared_once(*number))));
        }
        let held = |binding: &Binding| self.held(name, scope, binding, namespace);
        Local::Value(self.joined(bindings.map(held)))
    }

    /// What a binding holds in a language where names are declared beside being assigned: the value,
    /// where that is known to be more telling, else what the name is declared as.
    fn held(&self, name: &Name, scope: ScopeIndex, binding: &Binding, namespace: Namespace) -> Ty {
        let ty = self.binding(binding, namespace);
        if binding.kind != BindingKind::Local {
            return ty;
        }
        match (&binding.ty, binding.value) {
            (Some(_), Some(value)) => {
                let value = self.ty(value);
                if self.is_subtype(&value, &ty) { value } else { ty }
            }
            (None, _) if !ty.is_known() => self.declared_local(name, scope),
            _ => ty,
        }
    }

    /// What a name is declared as in its function, wherever that stands.
    fn declared_local(&self, name: &Name, scope: ScopeIndex) -> Ty {
        let declaring = self.locals.all(name, scope).iter();
        let declaring = declaring.map(|number| &self.facts.bodies.bindings[*number as usize]);
        let mut written = declaring
            .filter(|binding| matches!(binding.kind, BindingKind::Local | BindingKind::Param(_)))
            .filter_map(|binding| Some(self.written(&self.place_of(binding.scope), binding.ty.as_ref()?)));
        match (written.next(), written.next()) {
            (Some(only), None) => only,
            _ => Ty::Unknown,
        }
    }

    /// Whether `ty` is another declared type that has `base` among its bases.
    fn is_subtype(&self, ty: &Ty, base: &Ty) -> bool {
        match (ty, base.instance_def()) {
            (Ty::Instance(def, args), Some(base)) => {
                !def.is_library() && self.linear(def, args).iter().any(|ty| ty.instance_def() == Some(base))
            }
            _ => false,
        }
    }

    /// What an attribute reached through names (`self.x`) was last proven or assigned to be in the
    /// function a use stands in, where every way to the use passes that place.
    fn narrowed_member(&self, frame: &Frame<'_>, index: ExprIndex) -> Option<Ty> {
        if !matches!(frame, Frame::Body) || !self.locals.has_dotted() {
            return None;
        }
        let mut parts: Vec<&Name> = Vec::new();
        let mut at = index;
        let (first, scope, position) = loop {
            match self.body_expr(at) {
                Expr::Member { base, name, .. } => {
                    parts.push(name);
                    at = *base;
                }
                Expr::Name { name, scope, at } => break (name, *scope, *at),
                _ => return None,
            }
        };
        parts.push(first);
        parts.reverse();
        let dotted: Vec<&str> = parts.into_iter().map(Name::as_str).collect();
        let seen = self.locals.certain(self.facts, &dotted.join(".").into(), scope, position)?;
        let bindings = seen.iter().map(|number| &self.facts.bodies.bindings[*number as usize]);
        let ty = self.joined(bindings.map(|binding| self.binding(binding, Namespace::Value)));
        (ty.is_known() && ty != self.builtin(Builtin::None, [].into())).then_some(ty)
    }

    /// What a binding holds.
    pub fn binding(&self, binding: &Binding, namespace: Namespace) -> Ty {
        let place = self.place_of(binding.scope);
        if let Some(ty) = &binding.ty {
            let written = self.written(&place, ty);
            return match binding.value {
                Some(value) if written.has_holes() => self.rules().filled(self, written, value),
                _ => written,
            };
        }
        match (binding.kind, binding.value) {
            (BindingKind::Decl(decl), _) => self.def_value_in(&self.own_def(decl), namespace),
            (BindingKind::Import(import), _) => {
                self.import_value(&place, &self.facts.summary.imports[import as usize], namespace)
            }
            (_, Some(value)) => self.ty(value),
            (BindingKind::Receiver, None) => {
                self.place_def(&place).map_or(Ty::Unknown, |def| self.receiver_param(&def))
            }
            (BindingKind::Param(index), None) => {
                // A closure without a name has no declaration whose parameter this would be.
                let function = self.facts.bodies.scopes[binding.scope.0 as usize].decl;
                function.map_or(Ty::Unknown, |decl| self.param(&self.own_def(decl), index as usize))
            }
            _ => Ty::Unknown,
        }
    }

    fn receiver_param(&self, def: &Def) -> Ty {
        let index = def.decl().params.iter().position(|param| param.kind == ParamKind::Receiver);
        match index.map(|index| self.param(def, index)) {
            // A type parameter that stands for the receiver's own type says less than that.
            None | Some(Ty::Param(..)) => self.receiver(def),
            Some(ty) => ty,
        }
    }

    /// What `this` is in a scope: the receiver of the innermost method around it, in a static one the
    /// type itself.
    pub(crate) fn this(&self, frame: &Frame<'_>, scope: ScopeIndex) -> Ty {
        let mut place = self.scope_place(frame, scope);
        let mut is_static = false;
        while let Some(def) = self.place_def(&place) {
            let decl = def.decl();
            if decl.kind == DeclKind::Object {
                return self.def_value(&def);
            }
            if decl.kind.type_kind().is_some() {
                let instance = self.self_type(&def);
                return if is_static { instance.into_type() } else { instance };
            }
            is_static |= decl.flags.is_static;
            place.owner = decl.owner.clone();
        }
        Ty::Unknown
    }

    /// A receiver seen as its base types.
    pub fn base_view(&self, this: &Ty) -> Ty {
        match this {
            Ty::Instance(def, args) => Ty::Super(def.clone(), args.clone()),
            Ty::Type(instance) => self.base_view(instance),
            _ => Ty::Unknown,
        }
    }

    /// A path in a body: its first segment may be a local name.
    pub(crate) fn path_expr(
        &self,
        frame: &Frame<'_>,
        path: &TypeExpr,
        scope: ScopeIndex,
        at: u32,
        namespace: Namespace,
    ) -> Ty {
        let place = self.scope_place(frame, scope);
        if let (Frame::Body, TypeExpr::Path(segments)) = (frame, path)
            && let Some(ty) = self.path_from_local(&place, segments, scope, at, namespace)
        {
            return ty;
        }
        self.path_value(&place, path, namespace)
    }

    fn path_from_local(
        &self,
        place: &Place,
        segments: &[Segment],
        scope: ScopeIndex,
        at: u32,
        namespace: Namespace,
    ) -> Option<Ty> {
        let (first, rest) = segments.split_first()?;
        let first_namespace = if rest.is_empty() { namespace } else { Namespace::Type };
        let Local::Value(start) = self.local(&first.name, scope, at, first_namespace) else { return None };
        Some(self.path_from(place, self.with_args(place, start, &first.args), rest, namespace))
    }

    /// What a construction in its own syntax gives: a type's instance, an enum's for a variant.
    fn constructed(&self, ty: Ty) -> Ty {
        match &ty {
            Ty::Function(function) => self.rules().constructed(self, function),
            Ty::Alternatives(all) => {
                Ty::alternatives(all.iter().map(|one| self.constructed(one.clone())).collect())
            }
            Ty::Instance(..) if self.rules().construction_namespace() == Namespace::Type => ty,
            _ => ty.into_instance(),
        }
    }

    /// The field of an enum value that a pattern binds, the enum's type arguments filled in; a
    /// struct's in the same way.
    fn variant_field(&self, base: &Ty, variant: &Ty, field: &Name) -> Ty {
        let holder = match variant {
            Ty::Function(function) => function.def.clone(),
            Ty::Type(instance) => match &**instance {
                Ty::Instance(def, _) => def.clone(),
                _ => return Ty::Unknown,
            },
            Ty::Alternatives(all) => {
                return Ty::alternatives(
                    all.iter().map(|one| self.variant_field(base, one, field)).collect(),
                );
            }
            _ => return Ty::Unknown,
        };
        let place = holder.place();
        let items = self.members(&place.path, &place.owner, field);
        let ty = self.variable(&place, field, &items);
        if !ty.is_generic() {
            return ty;
        }
        let of_enum = self.owner(&holder).filter(|owner| owner.decl().kind.type_kind().is_some());
        let Some(def) = of_enum.or(Some(holder)) else { return Ty::Unknown };
        let value = self.dereferenced_to(base, &def);
        let Ty::Instance(_, args) = value else { return Ty::Unknown };
        self.substituted(&ty, &self.args_subst(&def, &args))
    }

    /// `base`, or what it derefs to, as an instance of `def`.
    fn dereferenced_to(&self, base: &Ty, def: &Def) -> Ty {
        let mut value = base.clone();
        for _ in 0..4 {
            if value.instance_def() == Some(def) {
                return value;
            }
            match self.rules().deref(self, &value) {
                Some(next) => value = next,
                None => break,
            }
        }
        Ty::Unknown
    }

    /// The declaration a closure that is bound to a name has.
    pub fn closure_decl(&self, closure: ExprIndex) -> Option<DeclIndex> {
        match self.body_expr(closure) {
            Expr::Closure { decl, .. } => *decl,
            _ => None,
        }
    }

    /// What calling a closure of the file gives.
    pub(crate) fn closure_result(&self, closure: ExprIndex) -> Ty {
        match self.body_expr(closure) {
            Expr::Closure { body, is_async, .. } => {
                let value = body.map_or(Ty::Unknown, |body| self.ty(body));
                if *is_async { Ty::Awaitable(Rc::new(value)) } else { value }
            }
            _ => Ty::Unknown,
        }
    }
}

/// What the local bindings make of a name.
pub(crate) enum Local {
    /// A value, which may be unknown.
    Value(Ty),
    /// It means the file's own.
    Global,
    /// They do not know it.
    None,
}
