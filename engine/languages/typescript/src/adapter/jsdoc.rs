//! Types that JavaScript writes in doc comments (TypeScript handbook, "JSDoc Reference").

use bindery_facts::{Name, Segment, TypeExpr};
use bindery_syntax::NodeIndex;

use super::kinds::Kind;
use super::reader::Reader;
use super::types::{IMPORT_TYPE, TYPEOF};

/// How deep types may nest.
const MAX_NESTING: u32 = 12;
/// The most bytes of a comment that are read.
const COMMENT_LIMIT: usize = 16 << 10;

/// What the comment before a function or variable writes.
#[derive(Default, Clone)]
pub(super) struct DocTypes {
    params: Vec<(Name, TypeExpr)>,
    pub(super) returns: Option<TypeExpr>,
    /// `@type`, of a variable or field.
    pub(super) ty: Option<TypeExpr>,
}

impl DocTypes {
    /// The type of a parameter.
    pub(super) fn param(&self, name: &str) -> Option<TypeExpr> {
        self.params.iter().find(|(known, _)| known == name).map(|(_, ty)| ty.clone())
    }
}

impl Reader<'_> {
    /// The types in the comment that ends right before `start`; none in languages that write types.
    pub(super) fn doc_types(&self, start: u32) -> DocTypes {
        if self.language != bindery_facts::Language::JavaScript {
            return DocTypes::default();
        }
        self.comment_before(start).map(read).unwrap_or_default()
    }

    /// The types that the comment before the declaration of a function writes.
    pub(super) fn function_doc(&self, function: NodeIndex) -> DocTypes {
        let holder = match self.kind(function) {
            Kind::MethodDefinition => function,
            kind if kind.is_function_value() => match self.naming(function) {
                Some(naming) => naming.holder,
                None => function,
            },
            _ => self.span_node(function),
        };
        let mut types = self.doc_types(self.start(holder));
        // `@type` says what a variable is, not what its function gives.
        types.ty = None;
        types
    }
}

/// Reads the tags of a comment.
fn read(comment: &str) -> DocTypes {
    let mut types = DocTypes::default();
    let comment = comment.get(..COMMENT_LIMIT.min(comment.len())).unwrap_or_default();
    for part in comment.split('@').skip(1) {
        let tag = part.split(|c: char| c.is_whitespace() || c == '{').next().unwrap_or(part);
        let Some(open) = part.find('{').filter(|open| part[tag.len()..*open].trim().is_empty()) else {
            continue;
        };
        let Some(close) = closing(&part[open..]) else { continue };
        let text = &part[open + 1..open + close];
        let behind = part[open + close + 1..].trim_start();
        let ty = Cursor { rest: text.trim(), nesting: 0 }.whole();
        if ty == TypeExpr::Unknown {
            continue;
        }
        match tag {
            "param" | "arg" | "argument" => {
                let name = behind.trim_start_matches('[');
                let end = name.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '.')));
                let name = &name[..end.unwrap_or(name.len())];
                if !text.starts_with("...") && !name.contains('.') {
                    types.params.push((name.into(), ty));
                }
            }
            "returns" | "return" => types.returns = Some(ty),
            "type" => types.ty = Some(ty),
            _ => {}
        }
    }
    types
}

/// Where the bracket that `text` begins with is closed.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// What is left of a type.
struct Cursor<'t> {
    rest: &'t str,
    nesting: u32,
}

impl Cursor<'_> {
    /// A type and nothing behind it; unknown if it is not understood.
    fn whole(mut self) -> TypeExpr {
        let ty = self.union();
        self.eat("=");
        match ty {
            Some(ty) if self.rest.trim().is_empty() => ty,
            _ => TypeExpr::Unknown,
        }
    }

    fn eat(&mut self, token: &str) -> bool {
        match self.rest.trim_start().strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn union(&mut self) -> Option<TypeExpr> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return None;
        }
        let nothing = TypeExpr::named("undefined");
        let mut members: Vec<TypeExpr> = Vec::new();
        loop {
            let member = self.suffixed()?;
            if member != nothing && !members.contains(&member) {
                members.push(member);
            }
            if !self.eat("|") {
                break;
            }
        }
        self.nesting -= 1;
        Some(match members.len() {
            0 => nothing,
            1 => members.remove(0),
            _ => TypeExpr::Union(members),
        })
    }

    fn suffixed(&mut self) -> Option<TypeExpr> {
        let _ = self.eat("?") || self.eat("!");
        let mut ty = self.single()?;
        while self.eat("[]") {
            ty = TypeExpr::Slice(Box::new(ty));
        }
        Some(ty)
    }

    fn single(&mut self) -> Option<TypeExpr> {
        if self.eat("(") {
            let ty = self.union()?;
            return self.eat(")").then_some(ty);
        }
        if self.eat("*") {
            return Some(TypeExpr::Unknown);
        }
        let rest = self.rest.trim_start();
        if let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) {
            let end = rest[1..].find(quote)? + 2;
            self.rest = &rest[end..];
            return Some(TypeExpr::named("string"));
        }
        if rest.starts_with("import(") {
            return self.import_type();
        }
        let name = self.name()?;
        if name == "typeof" {
            let path = TypeExpr::Path(self.path(None)?);
            let segment = Segment { args: vec![path], ..Segment::plain(Name::new_static(TYPEOF)) };
            return Some(TypeExpr::Path(vec![segment]));
        }
        let segments = self.path(Some(name))?;
        Some(plain(segments))
    }

    fn name(&mut self) -> Option<Name> {
        let rest = self.rest.trim_start();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$'))).unwrap_or(rest.len());
        let (name, rest) = rest.split_at(end);
        self.rest = rest;
        (!name.is_empty()).then(|| name.into())
    }

    /// `a.b.C<D, E>`, also written `C.<D>`.
    fn path(&mut self, first: Option<Name>) -> Option<Vec<Segment>> {
        let first = match first {
            Some(first) => first,
            None => self.name()?,
        };
        let mut segments = vec![Segment::plain(first)];
        loop {
            if self.eat(".<") || self.eat("<") {
                let mut args = Vec::new();
                while !self.eat(">") {
                    args.push(self.union()?);
                    self.eat(",");
                }
                segments.last_mut()?.args = args;
                return Some(segments);
            }
            if !self.eat(".") {
                return Some(segments);
            }
            segments.push(Segment::plain(self.name()?));
        }
    }

    /// `import("./x").A`.
    fn import_type(&mut self) -> Option<TypeExpr> {
        let rest = self.rest.trim_start().strip_prefix("import(")?;
        let (specifier, behind) = rest.split_once(')')?;
        let specifier = specifier.trim().trim_matches(['"', '\'']);
        self.rest = behind;
        let module = Segment {
            bindings: vec![(specifier.into(), TypeExpr::Unknown)],
            ..Segment::plain(Name::new_static(IMPORT_TYPE))
        };
        let mut segments = vec![module];
        if self.eat(".") {
            segments.extend(self.path(None)?);
        }
        Some(TypeExpr::Path(segments))
    }
}

/// Names that JSDoc gives a meaning of their own.
fn plain(mut segments: Vec<Segment>) -> TypeExpr {
    let [only] = segments.as_mut_slice() else { return TypeExpr::Path(segments) };
    match only.name.as_str() {
        "any" | "unknown" | "Object" | "object" | "Function" | "function" if only.args.is_empty() => {
            return TypeExpr::Unknown;
        }
        "null" | "void" | "undefined" => only.name = "undefined".into(),
        "String" => only.name = "string".into(),
        "Number" => only.name = "number".into(),
        "Boolean" => only.name = "boolean".into(),
        "Object" => only.name = "Record".into(),
        "array" => only.name = "Array".into(),
        "promise" => only.name = "Promise".into(),
        "true" | "false" => only.name = "boolean".into(),
        name if name.starts_with(|c: char| c.is_ascii_digit()) => only.name = "number".into(),
        _ => {}
    }
    TypeExpr::Path(segments)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> TypeExpr {
        Cursor { rest: text, nesting: 0 }.whole()
    }

    #[test]
    fn types_are_read() {
        assert_eq!(of("?Foo"), TypeExpr::named("Foo"));
        assert_eq!(of("(Foo|null)[]"), TypeExpr::Slice(Box::new(TypeExpr::named("Foo"))));
        assert_eq!(of("'a' | \"b\""), TypeExpr::named("string"));
        assert_eq!(of("{ a: string }"), TypeExpr::Unknown);
        assert_eq!(of("a b"), TypeExpr::Unknown);
        let array = Segment { args: vec![TypeExpr::named("Foo")], ..Segment::plain("Array") };
        assert_eq!(of("Array.<Foo>"), TypeExpr::Path(vec![array]));
    }

    #[test]
    fn tags_are_read() {
        let types = read("* One. {@link x}\n * @param {Foo} [a=1] b\n * @returns {Bar|undefined} c\n");
        assert_eq!(types.param("a"), Some(TypeExpr::named("Foo")));
        assert_eq!(types.returns, Some(TypeExpr::named("Bar")));
        assert!(types.ty.is_none());
    }
}
