//! What the grammar does not know of TypeScript, written so that it can be read.
//!
//! The grammar (0.23.2, the newest there is) lacks the variance annotations `in` and `out` of type parameters
//! (TypeScript 4.7), line ends as separators before call signatures of object types, members called `in`, variables
//! called `as`, type arguments of tagged templates (TypeScript 2.9), and escapes in template types (4.1). Annotations, arguments
//! and escapes become blanks, the blank before a signature a `;`: the text keeps its length and its lines, so
//! that every position means the same in both.
//!
//! It is asked for only where a file has errors, and taken only if it has fewer. So a slip of this scan, which
//! knows brackets and words and no grammar, costs nothing that was read before. The one exception are the type
//! arguments of templates, which the grammar may read as comparisons: `() => sql<Row>`…`` without any error.

/// Words behind which a type is still to come.
const OPEN_WORDS: [&[u8]; 13] = [
    b"abstract",
    b"asserts",
    b"extends",
    b"get",
    b"in",
    b"infer",
    b"is",
    b"keyof",
    b"new",
    b"readonly",
    b"static",
    b"typeof",
    b"unique",
];
/// Words behind which a `/` starts a regular expression.
const VALUE_WORDS: [&[u8]; 10] =
    [b"case", b"delete", b"do", b"else", b"in", b"instanceof", b"of", b"return", b"typeof", b"void"];
/// How far back the type arguments of a template may start.
const MAX_ARGUMENTS: usize = 256;

/// The text as the grammar can read it; none if it says nothing of the kind. Where there are no errors, only the type
/// arguments of templates are looked at.
pub(super) fn rewritten(source: &str, has_elements: bool, has_errors: bool) -> Option<String> {
    if !has_errors && !source.contains(">`") {
        return None;
    }
    let mut scan = Scan {
        source: source.as_bytes(),
        output: source.as_bytes().to_vec(),
        at: 0,
        tokens: [Token::default(); 3],
        open: Vec::new(),
        head: Head::None,
        no_expression_until: 0,
        has_elements,
        templates_only: !has_errors,
    };
    scan.run();
    (scan.output != scan.source)
        .then(|| String::from_utf8(scan.output).expect("only whole runs of bytes become blanks"))
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Kind {
    #[default]
    Nothing,
    /// A word or number.
    Word,
    /// A string, template or regular expression.
    Text,
    Arrow,
    Sign(u8),
}

#[derive(Clone, Copy, Default)]
struct Token {
    kind: Kind,
    start: usize,
    end: usize,
}

/// What is open around a token.
#[derive(Clone, Copy, PartialEq)]
enum Open {
    /// The braces of an object type.
    Members,
    /// Brackets inside a type.
    Type,
    /// The type parameters of a declaration.
    Params,
    /// Type arguments among them.
    Angle,
    /// A hole in a template.
    Hole,
    Other,
}

/// The head of a declaration that a body may follow.
#[derive(Clone, Copy, PartialEq)]
enum Head {
    None,
    Interface,
    Alias,
}

struct Scan<'s> {
    source: &'s [u8],
    output: Vec<u8>,
    at: usize,
    /// The last tokens, the newest first.
    tokens: [Token; 3],
    open: Vec<Open>,
    head: Head,
    /// No regular expression starts before here: one was tried, and the line ended first.
    no_expression_until: usize,
    /// `<` may start an element (TSX).
    has_elements: bool,
    /// Nothing but the type arguments of templates is rewritten.
    templates_only: bool,
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

impl Scan<'_> {
    fn run(&mut self) {
        loop {
            let before = self.at;
            self.at = self.behind_blanks(self.at);
            let Some(byte) = self.source.get(self.at).copied() else { return };
            let is_first_of_line = self.source[before..self.at].contains(&b'\n');
            let start = self.at;
            let kind = match byte {
                b'"' | b'\'' => self.string(byte),
                b'`' => self.template_start(),
                b'/' if !self.ends_value() && start >= self.no_expression_until => self.regular_expression(),
                b'}' if self.closes_hole() => self.sign_then_text(),
                b'=' if self.source.get(start + 1) == Some(&b'>') => self.sign(2, Kind::Arrow),
                _ if is_word(byte) => self.word(),
                _ => {
                    self.before_sign(byte, is_first_of_line);
                    self.sign(1, Kind::Sign(byte))
                }
            };
            self.push(Token { kind, start, end: self.at });
        }
    }

    fn push(&mut self, token: Token) {
        self.tokens = [token, self.tokens[0], self.tokens[1]];
    }

    fn sign(&mut self, length: usize, kind: Kind) -> Kind {
        self.at += length;
        kind
    }

    fn text(&self, token: Token) -> &[u8] {
        &self.source[token.start..token.end]
    }

    fn is_sign(&self, token: usize, sign: u8) -> bool {
        self.tokens[token].kind == Kind::Sign(sign)
    }

    fn is_one_of(&self, token: usize, words: &[&[u8]]) -> bool {
        let token = self.tokens[token];
        token.kind == Kind::Word && words.contains(&self.text(token))
    }

    /// Behind white space and comments.
    fn behind_blanks(&self, mut at: usize) -> usize {
        loop {
            let rest = &self.source[at.min(self.source.len())..];
            if rest.first().is_some_and(u8::is_ascii_whitespace) {
                at += 1;
            } else if rest.starts_with(b"//") {
                at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
            } else if rest.starts_with(b"/*") {
                let end = rest[2..].windows(2).position(|two| two == b"*/");
                at += end.map_or(rest.len(), |end| end + 4);
            } else {
                return at;
            }
        }
    }

    /// Whether the last token may end a value.
    fn ends_value(&self) -> bool {
        match self.tokens[0].kind {
            Kind::Word => !self.is_one_of(0, &VALUE_WORDS),
            Kind::Text | Kind::Sign(b')' | b']' | b'}') => true,
            _ => false,
        }
    }

    /// Whether the last token may end a type.
    fn ends_type(&self) -> bool {
        match self.tokens[0].kind {
            Kind::Word => !self.is_one_of(0, &OPEN_WORDS),
            Kind::Text | Kind::Sign(b')' | b']' | b'}' | b'>') => true,
            _ => false,
        }
    }

    fn is_in_type(&self) -> bool {
        matches!(self.open.last(), Some(Open::Members | Open::Type | Open::Params | Open::Angle))
    }

    fn is_in_angles(&self) -> bool {
        matches!(self.open.last(), Some(Open::Params | Open::Angle))
    }

    // ---- Tokens

    fn string(&mut self, quote: u8) -> Kind {
        self.at += 1;
        while let Some(byte) = self.source.get(self.at).copied() {
            match byte {
                b'\n' => break,
                b'\\' => self.at += 1,
                _ if byte == quote => {
                    self.at += 1;
                    break;
                }
                _ => {}
            }
            self.at += 1;
        }
        self.at = self.at.min(self.source.len());
        Kind::Text
    }

    fn regular_expression(&mut self) -> Kind {
        let (mut at, mut in_class) = (self.at + 1, false);
        loop {
            match self.source.get(at) {
                None | Some(b'\n') => {
                    self.no_expression_until = at;
                    return self.sign(1, Kind::Sign(b'/'));
                }
                Some(b'\\') => at += 1,
                Some(b'[') => in_class = true,
                Some(b']') => in_class = false,
                Some(b'/') if !in_class => {
                    self.at = at + 1;
                    return Kind::Text;
                }
                Some(_) => {}
            }
            at += 1;
        }
    }

    fn template_start(&mut self) -> Kind {
        if self.is_sign(0, b'>') && self.tokens[0].end == self.at {
            self.blank_arguments_before(self.at);
        }
        self.at += 1;
        self.template_text()
    }

    /// The text of a template up to its end or the next hole.
    fn template_text(&mut self) -> Kind {
        loop {
            match self.source.get(self.at) {
                None => return Kind::Text,
                Some(b'\\') => self.blank_escape(),
                Some(b'`') => return self.sign(1, Kind::Text),
                Some(b'$') if self.source.get(self.at + 1) == Some(&b'{') => {
                    self.open.push(Open::Hole);
                    return self.sign(2, Kind::Sign(b'{'));
                }
                Some(_) => {}
            }
            self.at += 1;
        }
    }

    fn word(&mut self) -> Kind {
        let start = self.at;
        while self.source.get(self.at).copied().is_some_and(is_word) {
            self.at += 1;
        }
        let token = Token { kind: Kind::Word, start, end: self.at };
        self.head = match (self.text(self.tokens[0]), self.text(token)) {
            (_, b"const" | b"let" | b"var" | b"function" | b"class" | b"import" | b"export" | b"from") => {
                Head::None
            }
            (b"interface", _) => Head::Interface,
            (b"type", _) => Head::Alias,
            _ => self.head,
        };
        match self.open.last() {
            Some(Open::Params) => self.blank_variance(token),
            Some(Open::Members) if self.text(token) == b"in" => self.rename_member(token),
            _ if self.text(token) == b"as" => self.rename_variable(token),
            _ => {}
        }
        Kind::Word
    }

    // ---- What becomes of the text

    /// `in` and `out` before the name of a type parameter. A parameter may itself be called `out`.
    fn blank_variance(&mut self, token: Token) {
        let is_at_start = self.is_sign(0, b'<') || self.is_sign(0, b',');
        let is_second = self.is_one_of(0, &[b"in"]) && (self.is_sign(1, b'<') || self.is_sign(1, b','));
        let may_be = match self.text(token) {
            b"in" => is_at_start,
            b"out" => is_at_start || is_second,
            _ => false,
        };
        let next = self.behind_blanks(token.end);
        let end = self.source[next..].iter().position(|byte| !is_word(*byte)).unwrap_or(0);
        let name = &self.source[next..next + end];
        if may_be && !name.is_empty() && name != b"extends" {
            self.blank(token.start, token.end);
        }
    }

    /// A member may be called `in`; the name that is shown is the source's.
    fn rename_member(&mut self, token: Token) {
        let next = self.behind_blanks(token.end);
        if matches!(self.source.get(next), Some(b':' | b'?')) {
            self.write(token.end - 1, b'_');
        }
    }

    /// A variable may be called `as`, too.
    fn rename_variable(&mut self, token: Token) {
        let next = self.behind_blanks(token.end);
        if self.is_one_of(0, &[b"const", b"let", b"var"])
            && matches!(self.source.get(next), Some(b'=' | b':' | b';' | b','))
        {
            self.write(token.end - 1, b'_');
        }
    }

    fn blank(&mut self, start: usize, end: usize) {
        (start..end).for_each(|at| self.write(at, b' '));
    }

    fn write(&mut self, at: usize, byte: u8) {
        if !self.templates_only {
            self.output[at] = byte;
        }
    }

    fn blank_arguments_before(&mut self, end: usize) {
        let (mut depth, mut start) = (0usize, end);
        loop {
            if start == 0 || end - start >= MAX_ARGUMENTS {
                return;
            }
            start -= 1;
            match self.source[start] {
                b'>' if start == 0 || self.source[start - 1] != b'=' => depth += 1,
                b'<' if depth == 1 => break,
                b'<' => depth -= 1,
                b'`' | b';' if depth == 0 => return,
                _ => {}
            }
        }
        if start > 0 && is_word(self.source[start - 1]) {
            self.output[start..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        }
    }

    /// What a template says does not matter; as a type it may not have escapes, says the grammar.
    fn blank_escape(&mut self) {
        if self.source.get(self.at + 1) == Some(&b'`') {
            self.blank(self.at, self.at + 2);
        }
        self.at += 1;
    }

    fn before_sign(&mut self, sign: u8, is_first_of_line: bool) {
        let starts_member = matches!(sign, b'(' | b'<' | b'[');
        if starts_member && is_first_of_line && self.open.last() == Some(&Open::Members) && self.ends_type() {
            let blank = self.at.checked_sub(1).filter(|at| matches!(self.source[*at], b' ' | b'\t'));
            blank.into_iter().for_each(|at| self.write(at, b';'));
        }
        match sign {
            b'<' if self.starts_params() => self.open.push(Open::Params),
            b'<' if self.is_in_angles() => self.open.push(Open::Angle),
            b'>' if self.is_in_angles() => drop(self.open.pop()),
            b'{' => self.open_brace(),
            b'(' | b'[' => self.open.push(if self.is_in_type() { Open::Type } else { Open::Other }),
            b')' | b']' | b'}' => self.close(),
            b';' => self.head = Head::None,
            _ => {}
        }
    }

    // ---- Brackets

    /// Behind `class A`, `interface A`, `type A`, and `class` alone.
    fn starts_params(&self) -> bool {
        let is_named =
            self.tokens[0].kind == Kind::Word && self.is_one_of(1, &[b"class", b"interface", b"type"]);
        is_named || self.is_one_of(0, &[b"class"])
    }

    fn open_brace(&mut self) {
        let next = self.behind_blanks(self.at + 1);
        let is_of_head = match self.head {
            Head::Interface => self.tokens[0].kind == Kind::Word || self.is_sign(0, b'>'),
            Head::Alias => self.is_sign(0, b'='),
            Head::None => false,
        };
        // Neither a block nor an object starts with `<`, nor an object with `(`.
        let has_signature_first = match self.source.get(next) {
            Some(b'<') => !self.has_elements,
            Some(b'(') => self.is_sign(0, b':') && self.is_sign(1, b')'),
            _ => false,
        };
        let is_of_variable = self.is_sign(0, b':')
            && self.tokens[1].kind == Kind::Word
            && self.is_one_of(2, &[b"const", b"let", b"var"]);
        let is_type = self.is_in_type() || is_of_head || has_signature_first || is_of_variable;
        self.open.push(if is_type { Open::Members } else { Open::Other });
        self.head = Head::None;
    }

    /// Angles that were never closed end with the brackets around them.
    fn close(&mut self) {
        while self.is_in_angles() {
            self.open.pop();
        }
        self.open.pop();
    }

    fn closes_hole(&mut self) -> bool {
        while self.is_in_angles() {
            self.open.pop();
        }
        self.open.last() == Some(&Open::Hole)
    }

    fn sign_then_text(&mut self) -> Kind {
        self.open.pop();
        self.at += 1;
        self.template_text()
    }
}

#[cfg(test)]
mod tests {
    use super::rewritten;

    /// The text and what becomes of it; where nothing does, the same.
    fn check(text: &str, expected: &str) {
        let found = rewritten(text, false, true).unwrap_or_else(|| text.to_owned());
        assert_eq!(found, expected);
        assert_eq!(rewritten(text, false, true).is_none(), text == expected);
    }

    #[test]
    fn variance_becomes_blanks() {
        check(
            "interface A<in out B, out C extends D<in>> {}",
            "interface A<       B,     C extends D<in>> {}",
        );
        check("type A<in B> = (b: B) => void", "type A<   B> = (b: B) => void");
        check("f(class<in A> extends B {})", "f(class<   A> extends B {})");
        check(
            "class A<\n  /** in */\n  out B = C<D>,\n  in E,\n> {}",
            "class A<\n  /** in */\n      B = C<D>,\n     E,\n> {}",
        );
    }

    #[test]
    fn what_only_looks_like_variance_stays() {
        for text in [
            "type A<out> = out",
            "type A<out extends B> = out",
            "type A<out, B> = out",
            "for (const out in b) {}",
        ] {
            check(text, text);
        }
        check("type A<in out out> = out", "type A<       out> = out");
    }

    #[test]
    fn signatures_are_separated() {
        check(
            "const f: {\n  (a: A): B\n  <C>(c: C): (d: D) => C\n  /** e */\n  (e: E): [A]\n  [f: string]: A\n} = g",
            "const f: {\n  (a: A): B\n ;<C>(c: C): (d: D) => C\n  /** e */\n ;(e: E): [A]\n ;[f: string]: A\n} = g",
        );
        check(
            "interface A {\n  b: {\n    (c): D\n    (e): D\n  }\n}",
            "interface A {\n  b: {\n    (c): D\n   ;(e): D\n  }\n}",
        );
        check("type A = {\n  (b): C;\n  (d): C\n\t(e): C\n}", "type A = {\n  (b): C;\n  (d): C\n;(e): C\n}");
        check(
            "dual<{\n  <A>(a: A): B\n  <C>(c: C): B\n}>(1)",
            "dual<{\n  <A>(a: A): B\n ;<C>(c: C): B\n}>(1)",
        );
    }

    #[test]
    fn calls_over_several_lines_stay() {
        for text in [
            "{\n  f\n  (a)\n  <B>c\n}",
            "const a = {\n  b: c\n  (d)\n}",
            "import type A from \"a\"\nb = {\n  c: d\n  (e)\n}",
            "class A {\n  b = c\n  (d)\n}",
            "interface A {\n  b: C |\n  (() => D)\n  e: keyof\n  (F)\n  g: <H>\n}",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn template_arguments_become_blanks() {
        check("a = sql<{ n: 1 }>`x ${b<C>`d`} <e>`", "a = sql          `x ${b   `d`} <e>`");
        for text in ["a < b > `c`", "a = (b) => `c`", "\"b<C>`\"", "/b<C>`/.test(d)", "// b<C>`\n"] {
            check(text, text);
        }
    }

    #[test]
    fn without_errors_only_template_arguments_are_rewritten() {
        let text = "type A<in B> = () => sql<C>`d`";
        assert_eq!(rewritten(text, false, false).as_deref(), Some("type A<in B> = () => sql   `d`"));
        assert_eq!(rewritten("type A<in B> = `d`", false, false), None);
    }

    #[test]
    fn return_types_and_members_of_odd_names() {
        check("f(a): {\n  (b): C\n  (d): C\n}", "f(a): {\n  (b): C\n ;(d): C\n}");
        check("interface A { in: B; in?: C; inn: D }", "interface A { i_: B; i_?: C; inn: D }");
        check("a = { in: b }", "a = { in: b }");
        check("let as = b, c = d as E", "let a_ = b, c = d as E");
        check("const as: A = b", "const a_: A = b");
        check("let a = b as C", "let a = b as C");
        check("type A = `b \\`${C}\\` \\n`", "type A = `b   ${C}   \\n`");
    }

    #[test]
    fn any_text_keeps_its_length_and_lines() {
        for text in [
            "type A<in",
            "interface A<in \u{e9}> {\n \u{e9}\n (",
            "`${",
            "`${`${",
            "/[",
            "'\\",
            "/*",
            "}}))>>",
            "type A<<<<<in B",
            "a<\u{4ed3}>`",
        ] {
            let new = rewritten(text, false, true).unwrap_or_else(|| text.to_owned());
            assert_eq!(new.len(), text.len());
            assert_eq!(new.matches('\n').count(), text.matches('\n').count());
        }
    }
}
