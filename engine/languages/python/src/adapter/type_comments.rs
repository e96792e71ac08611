//! Types written as comments (PEP 484, "Type comments" and "Suggested syntax for Python 2.7"), for code that
//! is older than annotations.

use bindery_facts::{Param, ParamKind, TypeExpr};

use super::type_text::{top_level, type_expr};

/// The type that the comment at the end of the line writes for what ends at byte `end`: behind an assignment,
/// or behind the head of `for` and `with`.
pub(super) fn behind(source: &str, end: u32) -> Option<TypeExpr> {
    let text = comment_behind(source, end, ':')?;
    // Several targets have several types between commas.
    Some(type_expr(&format!("({text})"))).filter(|ty| *ty != TypeExpr::Unknown)
}

/// Gives a function's parameters, of which each is written with the byte it ends at, and its result the types
/// that comments write: behind each parameter, and for all of them between the head and the body.
pub(super) fn apply(
    source: &str,
    params: &mut [Param],
    ends: &[u32],
    between: &str,
    returns: &mut Option<TypeExpr>,
) {
    if !between.contains('#') && params.iter().all(|param| param.ty.is_some()) {
        return;
    }
    for (param, end) in params.iter_mut().zip(ends) {
        if let Some(text) = comment_behind(source, *end, ',') {
            write_type(param, text);
        }
    }
    let Some((written, result)) = between.lines().find_map(signature) else { return };
    let own: &mut [Param] = match params {
        [first, rest @ ..] if first.kind == ParamKind::Receiver && written.len() == rest.len() => rest,
        all => all,
    };
    if written.len() == own.len() {
        own.iter_mut().zip(written).for_each(|(param, text)| write_type(param, text));
    }
    if returns.is_none() {
        *returns = Some(type_expr(result));
    }
}

fn write_type(param: &mut Param, text: &str) {
    let text = text.trim().trim_start_matches('*');
    let ty = type_expr(text);
    if param.ty.is_none() && ty != TypeExpr::Unknown && text != "..." {
        param.ty = Some(ty);
        param.type_text = text.into();
    }
}

/// `# type: (A, B) -> C` on a line of its own or behind a head: the types of the parameters and the result.
fn signature(line: &str) -> Option<(Vec<&str>, &str)> {
    let text = of_comment(line.trim_start_matches([')', ':', ' ', '\t']))?;
    let (params, result) = text.rsplit_once("->")?;
    let params = params.trim().strip_prefix('(')?.strip_suffix(')')?;
    Some((top_level(params, ','), result.trim()))
}

/// The type comment on the rest of the line from byte `end` on, behind at most one `separator`.
fn comment_behind(source: &str, end: u32, separator: char) -> Option<&str> {
    let rest = source.get(end as usize..)?;
    let line = rest.split('\n').next().unwrap_or_default().trim_start();
    of_comment(line.strip_prefix(separator).unwrap_or(line).trim_start())
}

/// What a comment says behind `type:`, up to a further comment.
fn of_comment(comment: &str) -> Option<&str> {
    let text = comment.strip_prefix('#')?.trim_start().strip_prefix("type:")?;
    let text = text.split('#').next().unwrap_or_default().trim();
    (!text.is_empty() && !text.starts_with("ignore")).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_name_types_but_not_what_to_ignore() {
        let ty = |source: &str| behind(source, 5);
        assert_eq!(ty("x = y  # type: A"), Some(TypeExpr::named("A")));
        assert_eq!(ty("x = y  # type: A  # why\n"), Some(TypeExpr::named("A")));
        assert_eq!(
            ty("x = y  # type: A, B"),
            Some(TypeExpr::Tuple(vec![TypeExpr::named("A"), TypeExpr::named("B")]))
        );
        for source in
            ["x = y", "x = y  # A", "x = y  # type: ignore[attr]", "x = y\n# type: A", "x = y  # type:"]
        {
            assert_eq!(ty(source), None, "{source}");
        }
    }

    #[test]
    fn a_signature_has_parameters_and_a_result() {
        assert_eq!(signature("):  # type: (A, List[B, C]) -> D"), Some((vec!["A", " List[B, C]"], "D")));
        assert_eq!(signature("    # type: (...) -> D"), Some((vec!["..."], "D")));
        assert_eq!(signature("    # type: () -> D"), Some((vec![], "D")));
        assert_eq!(signature("    # type: A"), None);
    }
}
