//! Written types, read from their text.
//!
//! Annotations stand in the source in two spellings, as expressions and as strings that hold
//! expressions (forward references), so both are read by one small reader of text instead of from
//! the syntax tree. What the typing module only wraps around a type (`Annotated`, `ClassVar`,
//! `Final`, `Required`) is taken off here.

use bindery_facts::{Name, Segment, TypeExpr, TypeParam};

/// The deepest nesting of brackets and quotes that is read.
const DEPTH_LIMIT: u32 = 24;

/// Reads an annotation. Whatever is no type is [`TypeExpr::Unknown`].
pub(crate) fn type_expr(text: &str) -> TypeExpr {
    read(text, 0).unwrap_or(TypeExpr::Unknown)
}

/// Reads the type parameters of PEP 695 (`[T: Bound, *Ts, U = int]`), brackets included.
pub(crate) fn type_params(text: &str) -> Vec<TypeParam> {
    let inside = text.trim().strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or_default();
    top_level(inside, ',').into_iter().filter_map(type_param).collect()
}

fn type_param(text: &str) -> Option<TypeParam> {
    let (head, default) = halves(text, '=');
    let (name, bound) = halves(head, ':');
    let name = name.trim().trim_start_matches('*');
    let bounds = bound.map(|bound| vec![type_expr(bound)]).unwrap_or_default();
    (!name.is_empty()).then(|| TypeParam { name: name.into(), bounds, default: default.map(type_expr) })
}

fn halves(text: &str, separator: char) -> (&str, Option<&str>) {
    match top_level(text, separator).as_slice() {
        [first, second, ..] => (first, Some(second)),
        _ => (text, None),
    }
}

/// The parts of `text` between separators that stand outside brackets and quotes; no empty last part.
pub(crate) fn top_level(text: &str, separator: char) -> Vec<&str> {
    let (mut parts, mut depth, mut from) = (Vec::new(), 0i32, 0);
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '[' | '(' | '{') => depth += 1,
            (None, ']' | ')' | '}') => depth -= 1,
            (None, _) if c == separator && depth == 0 => {
                parts.push(&text[from..at]);
                from = at + c.len_utf8();
            }
            _ => {}
        }
    }
    if !text[from..].trim().is_empty() {
        parts.push(&text[from..]);
    }
    parts
}

fn read(text: &str, depth: u32) -> Option<TypeExpr> {
    let mut reader = TypeReader { rest: text, depth };
    let ty = reader.union()?;
    reader.skip_blank();
    reader.rest.is_empty().then_some(ty)
}

struct TypeReader<'t> {
    rest: &'t str,
    depth: u32,
}

impl<'t> TypeReader<'t> {
    fn union(&mut self) -> Option<TypeExpr> {
        if self.depth > DEPTH_LIMIT {
            return None;
        }
        let mut members = vec![self.single()?];
        while self.take('|') {
            members.push(self.single()?);
        }
        Some(union_of(members))
    }

    fn single(&mut self) -> Option<TypeExpr> {
        self.skip_blank();
        match self.rest.chars().next()? {
            '(' => self.parenthesized(),
            '[' => self.bracketed().map(TypeExpr::Tuple),
            '*' => {
                self.rest = self.rest.trim_start_matches('*');
                self.single()
            }
            '.' => {
                self.rest = self.rest.strip_prefix("...")?;
                Some(TypeExpr::named("..."))
            }
            '"' | '\'' => self.quoted(),
            c if c.is_ascii_digit() || c == '-' => self.number(),
            c if is_name_part(c) => self.path(),
            _ => None,
        }
    }

    fn parenthesized(&mut self) -> Option<TypeExpr> {
        self.take('(');
        let mut items = Vec::new();
        let mut is_tuple = false;
        while !self.take(')') {
            items.push(self.nested()?);
            is_tuple |= self.take(',');
        }
        if is_tuple || items.len() != 1 { Some(TypeExpr::Tuple(items)) } else { items.pop() }
    }

    fn bracketed(&mut self) -> Option<Vec<TypeExpr>> {
        self.take('[');
        let mut items = Vec::new();
        while !self.take(']') {
            items.push(self.nested()?);
            self.take(',');
        }
        Some(items)
    }

    fn nested(&mut self) -> Option<TypeExpr> {
        self.depth += 1;
        let ty = self.union();
        self.depth -= 1;
        ty
    }

    fn number(&mut self) -> Option<TypeExpr> {
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_');
        self.rest = &self.rest[end.unwrap_or(self.rest.len())..];
        Some(TypeExpr::named("int"))
    }

    fn quoted(&mut self) -> Option<TypeExpr> {
        let quotes = ["\"\"\"", "'''", "\"", "'"];
        let quote = quotes.into_iter().find(|quote| self.rest.starts_with(quote))?;
        let inside = &self.rest[quote.len()..];
        let end = inside.find(quote)?;
        self.rest = &inside[end + quote.len()..];
        Some(read(&inside[..end], self.depth + 1).unwrap_or(TypeExpr::Unknown))
    }

    fn path(&mut self) -> Option<TypeExpr> {
        let mut segments = Vec::new();
        loop {
            segments.push(Segment::plain(self.name()?));
            if !self.take('.') {
                break;
            }
        }
        if self.rest.starts_with(['"', '\'']) {
            // A prefixed string (`r"…"`): not a type.
            return None;
        }
        if segments.last().is_some_and(|last| last.name == "Literal") {
            return self.literal(segments);
        }
        self.skip_blank();
        let args = if self.rest.starts_with('[') { Some(self.bracketed()?) } else { None };
        Some(meaning(segments, args))
    }

    fn literal(&mut self, segments: Vec<Segment>) -> Option<TypeExpr> {
        self.skip_blank();
        if !self.rest.starts_with('[') {
            return Some(TypeExpr::Path(segments));
        }
        let inside = bracket_inside(self.rest)?;
        self.rest = &self.rest[inside.len() + 2..];
        Some(union_of(top_level(inside, ',').into_iter().map(literal_type).collect()))
    }

    fn name(&mut self) -> Option<Name> {
        self.skip_blank();
        let end = self.rest.find(|c: char| !is_name_part(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!name.is_empty()).then(|| name.into())
    }

    fn take(&mut self, wanted: char) -> bool {
        self.skip_blank();
        match self.rest.strip_prefix(wanted) {
            // `...` is one token.
            Some(rest) if wanted != '.' || !rest.starts_with('.') => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    fn skip_blank(&mut self) {
        loop {
            self.rest = self.rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\\');
            match self.rest.strip_prefix('#') {
                Some(comment) => self.rest = comment.split_once('\n').map_or("", |(_, rest)| rest),
                None => return,
            }
        }
    }
}

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// What stands between the bracket that `text` starts with and the one that closes it.
fn bracket_inside(text: &str) -> Option<&str> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return text.get(1..at);
        }
    }
    None
}

fn literal_type(text: &str) -> TypeExpr {
    let text = text.trim();
    let first = text.trim_start_matches(['r', 'u', 'R', 'U']).chars().next();
    match (text, first) {
        ("None", _) => TypeExpr::named("None"),
        ("True" | "False", _) => TypeExpr::named("bool"),
        (_, Some('"' | '\'')) => TypeExpr::named("str"),
        (_, Some('b')) => TypeExpr::named("bytes"),
        (_, Some(c)) if c.is_ascii_digit() || c == '-' => TypeExpr::named("int"),
        // `Literal[Color.RED]`: a member of the enum before the last dot.
        _ => text.rsplit_once('.').map_or(TypeExpr::Unknown, |(base, _)| type_expr(base)),
    }
}

fn union_of(members: Vec<TypeExpr>) -> TypeExpr {
    let mut flat = Vec::new();
    let mut is_optional = false;
    for member in members {
        match member {
            TypeExpr::Union(inner) => flat.extend(inner),
            TypeExpr::Optional(inner) => {
                is_optional = true;
                flat.push(*inner);
            }
            other => flat.push(other),
        }
    }
    let none = TypeExpr::named("None");
    is_optional |= flat.len() > 1 && flat.contains(&none);
    if flat.len() > 1 {
        flat.retain(|member| *member != none);
    }
    let mut distinct: Vec<TypeExpr> = Vec::new();
    for member in flat {
        if !distinct.contains(&member) {
            distinct.push(member);
        }
    }
    let ty = if distinct.len() == 1 { distinct.remove(0) } else { TypeExpr::Union(distinct) };
    if is_optional { TypeExpr::Optional(Box::new(ty)) } else { ty }
}

/// What a path with these arguments means, by the names the typing module gives meaning to.
fn meaning(mut segments: Vec<Segment>, args: Option<Vec<TypeExpr>>) -> TypeExpr {
    let name = segments.last().map(|last| last.name.clone()).unwrap_or_default();
    let Some(mut args) = args else {
        return match name.as_str() {
            "NoReturn" | "Never" => TypeExpr::Never,
            "LiteralString" => TypeExpr::named("str"),
            "Final" | "ClassVar" | "TypeAlias" => TypeExpr::Unknown,
            _ => TypeExpr::Path(segments),
        };
    };
    let first = |args: &mut Vec<TypeExpr>| if args.is_empty() { TypeExpr::Unknown } else { args.remove(0) };
    match name.as_str() {
        "Optional" => union_of(vec![first(&mut args), TypeExpr::named("None")]),
        "Union" => union_of(args),
        "Annotated" | "ClassVar" | "Final" | "Required" | "NotRequired" | "ReadOnly" | "InitVar" => {
            first(&mut args)
        }
        "TypeGuard" | "TypeIs" => TypeExpr::named("bool"),
        "Type" | "type" => TypeExpr::ClassOf(Box::new(first(&mut args))),
        "Callable" => callable(args),
        "Tuple" | "tuple" => tuple(args),
        _ => {
            if let Some(last) = segments.last_mut() {
                last.args = args;
            }
            TypeExpr::Path(segments)
        }
    }
}

fn callable(mut args: Vec<TypeExpr>) -> TypeExpr {
    let returns = if args.len() > 1 { args.pop().map(Box::new) } else { None };
    let params = match args.into_iter().next() {
        Some(TypeExpr::Tuple(params)) => params,
        _ => Vec::new(),
    };
    TypeExpr::Function { params, returns }
}

fn tuple(mut args: Vec<TypeExpr>) -> TypeExpr {
    if args.len() == 2 && args[1] == TypeExpr::named("...") {
        return TypeExpr::Slice(Box::new(args.remove(0)));
    }
    TypeExpr::Tuple(if args == [TypeExpr::Tuple(Vec::new())] { Vec::new() } else { args })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> TypeExpr {
        TypeExpr::named(name)
    }

    fn generic(name: &str, args: Vec<TypeExpr>) -> TypeExpr {
        TypeExpr::Path(vec![Segment { args, ..Segment::plain(name) }])
    }

    #[test]
    fn unions_and_optionals_are_one_thing() {
        let optional = TypeExpr::Optional(Box::new(named("A")));
        assert_eq!(type_expr("A | None"), optional);
        assert_eq!(type_expr("t.Optional['A']"), optional);
        assert_eq!(type_expr("Union[None, A]"), optional);
        assert_eq!(type_expr("None"), named("None"));
        let both = TypeExpr::Union(vec![named("A"), named("B")]);
        assert_eq!(type_expr("A | B"), both);
        assert_eq!(type_expr("Union[A,\n  # why\n  'B', A]"), both);
    }

    #[test]
    fn wrappers_come_off_and_arguments_stay() {
        assert_eq!(type_expr("ClassVar[dict[str, 'List[int]']]"), {
            generic("dict", vec![named("str"), generic("List", vec![named("int")])])
        });
        assert_eq!(type_expr("Annotated[a.B, 'doc', 1]"), {
            TypeExpr::Path(vec![Segment::plain("a"), Segment::plain("B")])
        });
        assert_eq!(type_expr("type[A]"), TypeExpr::ClassOf(Box::new(named("A"))));
        assert_eq!(type_expr("tuple[A, ...]"), TypeExpr::Slice(Box::new(named("A"))));
        assert_eq!(type_expr("tuple[()]"), TypeExpr::Tuple(vec![]));
        assert_eq!(type_expr("Literal['a, b', 3]"), TypeExpr::Union(vec![named("str"), named("int")]));
        let function = TypeExpr::Function { params: vec![named("A")], returns: Some(Box::new(named("B"))) };
        assert_eq!(type_expr("Callable[[A], B]"), function);
        let open = TypeExpr::Function { params: vec![], returns: Some(Box::new(named("B"))) };
        assert_eq!(type_expr("collections.abc.Callable[..., B]"), open);
    }

    #[test]
    fn what_is_no_type_is_unknown() {
        for text in ["f(x)", "1 +", "", "A[", "a if b else c", "x.", "'free text here'"] {
            assert_eq!(type_expr(text), TypeExpr::Unknown, "{text}");
        }
        assert_eq!(type_expr(&format!("{}A{}", "List[".repeat(500), "]".repeat(500))), TypeExpr::Unknown);
    }

    #[test]
    fn type_parameters_carry_bound_and_default() {
        let params = type_params("[T: (A, B), *Ts, **P, U = int]");
        let names: Vec<&str> = params.iter().map(|param| param.name.as_str()).collect();
        assert_eq!(names, ["T", "Ts", "P", "U"]);
        assert_eq!(params[0].bounds, [TypeExpr::Tuple(vec![named("A"), named("B")])]);
        assert_eq!(params[3].default, Some(named("int")));
    }
}
