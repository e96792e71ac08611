//! The notation of types and heads, read from left to right.

use bindery_facts::{Name, Param, ParamKind, Segment, TypeExpr, TypeParam};

/// How deep types may nest in each other.
const MAX_NESTING: u32 = 24;

type Read<T> = Result<T, &'static str>;

/// What is left of a line.
pub(super) struct Cursor<'t> {
    rest: &'t str,
    nesting: u32,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { rest: text.trim_start(), nesting: 0 }
    }

    /// Takes `token` if it comes next.
    pub(super) fn eat(&mut self, token: &str) -> bool {
        match self.rest.strip_prefix(token) {
            // A path separator is no colon.
            Some(rest) if token != ":" || !rest.starts_with(':') => {
                self.rest = rest.trim_start();
                true
            }
            _ => false,
        }
    }

    /// Takes a whole word if it comes next.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let is_whole = self.rest.strip_prefix(word).is_some_and(|rest| !rest.starts_with(is_name_sign));
        is_whole && self.eat(word)
    }

    fn expect(&mut self, token: &'static str, problem: &'static str) -> Read<()> {
        if self.eat(token) { Ok(()) } else { Err(problem) }
    }

    /// Nothing may be left.
    pub(super) fn end(&self) -> Read<()> {
        if self.rest.is_empty() { Ok(()) } else { Err("the line goes on where it should end") }
    }

    pub(super) fn name(&mut self) -> Read<Name> {
        let end = self.rest.find(|c| !is_name_sign(c)).unwrap_or(self.rest.len());
        if end == 0 {
            return Err("a name expected");
        }
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        Ok(name.into())
    }

    /// `<A, B: C + D>`, or nothing.
    pub(super) fn type_params(&mut self) -> Read<Vec<TypeParam>> {
        let mut params = Vec::new();
        if !self.eat("<") {
            return Ok(params);
        }
        while !self.eat(">") {
            let name = self.name()?;
            let bounds = if self.eat(":") { self.bounds()? } else { Vec::new() };
            params.push(TypeParam { name, bounds, default: None });
            self.eat(",");
        }
        Ok(params)
    }

    /// `A + B`.
    pub(super) fn bounds(&mut self) -> Read<Vec<TypeExpr>> {
        let mut bounds = vec![self.single()?];
        while self.eat("+") {
            bounds.push(self.single()?);
        }
        Ok(bounds)
    }

    /// `(self, A, name: B, *C)`.
    pub(super) fn params(&mut self) -> Read<Vec<Param>> {
        self.expect("(", "a parameter list expected")?;
        let mut params = Vec::new();
        while !self.eat(")") {
            params.push(self.param()?);
            self.eat(",");
        }
        Ok(params)
    }

    fn param(&mut self) -> Read<Param> {
        if self.eat_word("self") {
            return Ok(param("self".into(), ParamKind::Receiver, None));
        }
        let kind = match (self.eat("**"), self.eat("*")) {
            (true, _) => ParamKind::KeywordVariadic,
            (_, true) => ParamKind::Variadic,
            _ => ParamKind::Normal,
        };
        let before = self.rest;
        let name = self.name().ok().filter(|_| self.eat(":"));
        if name.is_none() {
            self.rest = before;
        }
        let ty = self.ty()?;
        Ok(param(name.unwrap_or_default(), kind, Some(ty)))
    }

    /// A type: unions and optional marks included.
    pub(super) fn ty(&mut self) -> Read<TypeExpr> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err("types nest too deep");
        }
        let first = self.suffixed()?;
        let mut members = vec![first];
        while self.eat("|") {
            members.push(self.suffixed()?);
        }
        self.nesting -= 1;
        Ok(if members.len() == 1 { members.remove(0) } else { TypeExpr::Union(members) })
    }

    fn suffixed(&mut self) -> Read<TypeExpr> {
        let ty = self.single()?;
        Ok(if self.eat("?") { TypeExpr::Optional(Box::new(ty)) } else { ty })
    }

    fn single(&mut self) -> Read<TypeExpr> {
        if self.eat("&") {
            return Ok(TypeExpr::Ref(Box::new(self.ty()?)));
        }
        if self.eat("(") {
            return Ok(TypeExpr::Tuple(self.types_until(")")?));
        }
        if self.eat("[") {
            let inner = self.ty()?;
            self.expect("]", "`]` expected")?;
            return Ok(TypeExpr::Slice(Box::new(inner)));
        }
        if self.eat("!") {
            return Ok(TypeExpr::Never);
        }
        if self.eat("<") {
            return self.qualified();
        }
        if self.eat_word("dyn") {
            return Ok(TypeExpr::Dyn(self.bounds()?));
        }
        if self.eat_word("impl") {
            return Ok(TypeExpr::Opaque(self.bounds()?));
        }
        if self.eat_word("_") {
            return Ok(TypeExpr::Unknown);
        }
        self.path()
    }

    fn qualified(&mut self) -> Read<TypeExpr> {
        let ty = Box::new(self.ty()?);
        let of_trait = if self.eat_word("as") { Some(Box::new(self.path()?)) } else { None };
        self.expect(">", "`>` expected")?;
        self.expect("::", "`::` expected")?;
        let TypeExpr::Path(rest) = self.path()? else { return Err("a path expected") };
        Ok(TypeExpr::Qualified { ty, of_trait, rest })
    }

    fn path(&mut self) -> Read<TypeExpr> {
        let mut segments = vec![self.segment()?];
        while self.eat("::") {
            segments.push(self.segment()?);
        }
        Ok(TypeExpr::Path(segments))
    }

    fn segment(&mut self) -> Read<Segment> {
        let mut segment = Segment::plain(self.name()?);
        if self.eat("(") {
            let params = self.types_until(")")?;
            let returns = if self.eat("->") { Some(Box::new(self.ty()?)) } else { None };
            segment.args.push(TypeExpr::Function { params, returns });
        } else if self.eat("<") {
            while !self.eat(">") {
                let before = self.rest;
                match self.name().ok().filter(|_| self.eat("=")) {
                    Some(name) => segment.bindings.push((name, self.ty()?)),
                    None => {
                        self.rest = before;
                        segment.args.push(self.ty()?);
                    }
                }
                self.eat(",");
            }
        }
        Ok(segment)
    }

    /// Types with commas between them, up to and with `end`.
    pub(super) fn types_until(&mut self, end: &str) -> Read<Vec<TypeExpr>> {
        let mut types = Vec::new();
        while !self.eat(end) {
            types.push(self.ty()?);
            self.eat(",");
        }
        Ok(types)
    }
}

fn is_name_sign(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn param(name: Name, kind: ParamKind, ty: Option<TypeExpr>) -> Param {
    Param { name, kind, ty, type_text: Name::default(), has_default: false }
}
