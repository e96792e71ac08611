//! Expressions and types in one line, for the `bindings` block.
//!
//! `f(a)` is a call, `a.b` a member, `new T(a)` a construction, `m!(a)` a macro call, `[a]` an array,
//! `list[a]` a vector, `(a, b)` a tuple, `a[b]` an index, `each a` what iterating gives, `a#0` a part
//! of a tuple, `a as Some#0` a part of a variant, `await a`, `a?`, `*a`, `&a`, `a: T` a typed value,
//! `a | b` one of several, `|| a` a closure, `closure(a, 0)` the first argument that `a` calls a
//! closure with, `a + b` an operation, `..a` a range, `"…"` and `0` literals, `?` what is unknown.

use bindery_facts::{Bodies, Expr, ExprIndex, Literal, Segment, SequenceKind, TypeExpr};

/// The expression at `index`.
pub(crate) fn expr(bodies: &Bodies, index: ExprIndex) -> String {
    let of = |index: ExprIndex| expr(bodies, index);
    let all = |items: &[ExprIndex]| items.iter().map(|item| of(*item)).collect::<Vec<_>>().join(", ");
    match bodies.exprs.get(index) {
        Expr::Unknown => "?".to_owned(),
        Expr::Name { name, .. } => name.to_string(),
        Expr::Path { path, .. } => ty(path),
        Expr::This { .. } => "this".to_owned(),
        Expr::Super { .. } => "super".to_owned(),
        Expr::Member { base, name, type_args } => format!("{}.{name}{}", of(*base), args(type_args, &[])),
        Expr::Call { callee, args, keywords } => {
            let names: String = keywords.iter().map(|name| format!(" {name}=")).collect();
            format!("{}({}{names})", of(*callee), all(args))
        }
        Expr::New { ty: of_type, args, .. } => format!("new {}({})", ty(of_type), all(args)),
        Expr::MacroCall { name, args, .. } => format!("{name}!({})", all(args)),
        Expr::Literal(literal) => literal_text(*literal).to_owned(),
        Expr::Sequence { kind, items } => {
            let word = match kind {
                SequenceKind::List => "list",
                SequenceKind::Set => "set",
                SequenceKind::Array => "",
                SequenceKind::Generator => "generator",
            };
            format!("{word}[{}]", all(items))
        }
        Expr::Mapping { key, value } => {
            let part = |part: &Option<ExprIndex>| part.map_or("?".to_owned(), of);
            format!("{{{}: {}}}", part(key), part(value))
        }
        Expr::Tuple(items) => format!("({})", all(items)),
        Expr::Index { base, index } => format!("{}[{}]", of(*base), index.map_or("?".to_owned(), of)),
        Expr::Element { base, is_async } => {
            format!("each{} {}", if *is_async { " async" } else { "" }, of(*base))
        }
        Expr::TupleItem { base, index } => format!("{}#{index}", of(*base)),
        Expr::VariantField { base, variant, field, .. } => {
            format!("{} as {}#{field}", of(*base), ty(variant))
        }
        Expr::Await(base) => format!("await {}", of(*base)),
        Expr::Try(base) => format!("{}?", of(*base)),
        Expr::Deref(base) => format!("*{}", of(*base)),
        Expr::Ref(base) => format!("&{}", of(*base)),
        Expr::Cast { base, ty: target, .. } => format!("{}: {}", base.map_or("?".to_owned(), of), ty(target)),
        Expr::Join(items) => items.iter().map(|item| of(*item)).collect::<Vec<_>>().join(" | "),
        Expr::Closure { body, is_async, .. } => {
            format!("{}|| {}", if *is_async { "async " } else { "" }, body.map_or("?".to_owned(), of))
        }
        Expr::ClosureParam { call, arg, param } => format!("closure({} @{arg}, {param})", of(*call)),
        Expr::Enter { base, is_async } => {
            format!("enter{} {}", if *is_async { " async" } else { "" }, of(*base))
        }
        Expr::Operation { operator, operands } => match operands.as_slice() {
            [one] => format!("{operator}{}", of(*one)),
            many => many.iter().map(|item| of(*item)).collect::<Vec<_>>().join(&format!(" {operator} ")),
        },
        Expr::Range(bound) => format!("..{}", bound.map_or(String::new(), of)),
    }
}

fn literal_text(literal: Literal) -> &'static str {
    match literal {
        Literal::String => "\"…\"",
        Literal::Bytes => "b\"…\"",
        Literal::Char => "'…'",
        Literal::Integer => "0",
        Literal::Float => "0.0",
        Literal::Bool => "bool",
        Literal::None => "none",
        Literal::Other => "literal",
    }
}

fn all(types: &[TypeExpr], separator: &str) -> String {
    types.iter().map(ty).collect::<Vec<_>>().join(separator)
}

fn args(types: &[TypeExpr], bindings: &[(bindery_facts::Name, TypeExpr)]) -> String {
    let bound = bindings.iter().map(|(name, target)| format!("{name} = {}", ty(target)));
    let parts: Vec<String> = types.iter().map(ty).chain(bound).collect();
    if parts.is_empty() { String::new() } else { format!("<{}>", parts.join(", ")) }
}

fn path(segments: &[Segment]) -> String {
    let segment = |segment: &Segment| format!("{}{}", segment.name, args(&segment.args, &segment.bindings));
    segments.iter().map(segment).collect::<Vec<_>>().join("::")
}

/// A type.
pub(crate) fn ty(of: &TypeExpr) -> String {
    match of {
        TypeExpr::Unknown => "?".to_owned(),
        TypeExpr::Path(segments) => path(segments),
        TypeExpr::Ref(inner) => format!("&{}", ty(inner)),
        TypeExpr::Tuple(items) => format!("({})", all(items, ", ")),
        TypeExpr::Slice(item) => format!("[{}]", ty(item)),
        TypeExpr::Function { params, returns } => {
            let returns = returns.as_ref().map_or(String::new(), |returns| format!(" -> {}", ty(returns)));
            format!("fn({}){returns}", all(params, ", "))
        }
        TypeExpr::Union(items) => all(items, " | "),
        TypeExpr::Optional(inner) => format!("{}?", ty(inner)),
        TypeExpr::Dyn(bounds) => format!("dyn {}", all(bounds, " + ")),
        TypeExpr::Opaque(bounds) => format!("impl {}", all(bounds, " + ")),
        TypeExpr::Qualified { ty: inner, of_trait, rest } => {
            let of_trait =
                of_trait.as_ref().map_or(String::new(), |of_trait| format!(" as {}", ty(of_trait)));
            format!("<{}{of_trait}>::{}", ty(inner), path(rest))
        }
        TypeExpr::ClassOf(inner) => format!("type[{}]", ty(inner)),
        TypeExpr::Never => "!".to_owned(),
    }
}
