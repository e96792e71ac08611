//! A plan as a document: its parts, and what is wrong with its form.

use bindery_artifacts::PlanDeclarations;
use bindery_artifacts::read::line_in_json;
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Parser, Tag, TagEnd};

use crate::lines::LineStarts;
use crate::{LARGEST_PLAN, Problem};

/// A plan that was read.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Plan {
    /// What stands before the first edit.
    pub summary: String,
    /// The edits that have all their parts, in the order they are written.
    pub edits: Vec<Edit>,
    /// The JSON block.
    pub declarations: Option<Declarations>,
    /// What is wrong with the form, by line, the JSON block apart.
    pub problems: Vec<Problem>,
    /// What is wrong with the JSON block, likewise.
    pub declaration_problems: Vec<Problem>,
}

/// One `### EDIT n` section.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    /// Its number.
    pub number: u32,
    /// The line of its heading.
    pub line: u32,
    /// The file, as the plan spells it.
    pub file: String,
    /// The line the file is named on.
    pub file_line: u32,
    /// What the plan says about the place; words for people.
    pub place: String,
    /// The text that is there.
    pub old: Block,
    /// The text that takes its place.
    pub new: Block,
}

/// The contents of a fenced block, byte for byte; each line has its end.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Block {
    /// The line its fence opens on.
    pub line: u32,
    /// The bytes between the fences.
    pub bytes: Vec<u8>,
}

/// The JSON block.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Declarations {
    /// What it says.
    pub value: PlanDeclarations,
    /// The line its fence opens on.
    line: u32,
    text: String,
}

impl Declarations {
    /// The line of the plan on which an entry stands: `key` is `will_modify`, `will_add` or `will_remove`.
    pub fn line(&self, key: &str, index: usize) -> u32 {
        self.block_line() + line_in_json(&self.text, &format!("/{key}/{index}"))
    }
}

impl Declarations {
    /// The line of the plan the block opens on.
    pub fn block_line(&self) -> u32 {
        self.line
    }
}

impl Plan {
    /// Reads a plan. Whatever the bytes are, the answer is a plan with its problems.
    pub fn parse(bytes: &[u8]) -> Self {
        let mut plan = Plan::default();
        let text = match readable(bytes) {
            Ok(text) => text,
            Err(problem) => {
                plan.problems.push(problem);
                return plan;
            }
        };
        let mut reader = Reader { text, starts: LineStarts::of(bytes), plan, open: None, first_edit: None };
        reader.read();
        reader.finish()
    }

    /// What is missing of a plan that is to be carried out, if nothing else is wrong with its form.
    pub fn missing_parts(&self) -> Vec<Problem> {
        let mut missing = Vec::new();
        if !self.problems.is_empty() || !self.declaration_problems.is_empty() {
            return missing;
        }
        if self.edits.is_empty() {
            missing.push(Problem::new(1, "the plan has no edit").with_hint(
                "an edit is a `### EDIT 1` heading, `- file: …`, an `old` and a `new` block; `bindery plan new` prints the form",
            ));
        }
        if self.declarations.is_none() {
            let hint = "a `json` block says {\"will_modify\": […], \"will_add\": […], \"will_remove\": […]}";
            missing.push(Problem::new(1, "the plan has no block of declarations").with_hint(hint));
        }
        missing
    }
}

fn readable(bytes: &[u8]) -> Result<&str, Problem> {
    if bytes.len() > LARGEST_PLAN {
        let message = format!("the plan has {} bytes, and at most {LARGEST_PLAN} are read", bytes.len());
        return Err(Problem::new(1, message));
    }
    let line = |offset: usize| LineStarts::of(bytes).number(offset);
    if let Some(at) = memchr::memchr(0, bytes) {
        return Err(Problem::new(line(at), "the plan is no text: it has a NUL byte"));
    }
    std::str::from_utf8(bytes)
        .map_err(|error| Problem::new(line(error.valid_up_to()), "the plan is no UTF-8 text"))
}

/// The parts of an edit as far as they were met.
struct OpenEdit {
    number: u32,
    line: u32,
    file: Option<(String, u32)>,
    place: Option<String>,
    old: Option<Block>,
    new: Option<Block>,
}

struct Reader<'a> {
    text: &'a str,
    starts: LineStarts,
    plan: Plan,
    open: Option<OpenEdit>,
    /// Where the first edit's heading begins.
    first_edit: Option<usize>,
}

/// A heading or list item whose words are being collected.
#[derive(Default)]
struct Words {
    offset: usize,
    text: String,
    code: Option<String>,
}

impl<'a> Reader<'a> {
    fn read(&mut self) {
        let text = self.text;
        // How many containers (lists, quotes) are open, and the heading or item whose words are read.
        let mut depth = 0usize;
        let mut words: Option<Words> = None;
        for (event, range) in Parser::new(text).into_offset_iter() {
            match event {
                Event::Start(Tag::Heading { .. }) => {
                    words = Some(Words { offset: range.start, ..Words::default() });
                }
                Event::End(TagEnd::Heading(level)) => {
                    if let (Some(words), 0) = (words.take(), depth) {
                        self.heading(level, &words);
                    }
                }
                Event::Start(Tag::Item) => {
                    words = (depth == 1).then(|| Words { offset: range.start, ..Words::default() });
                    depth += 1;
                }
                Event::End(TagEnd::Item) => {
                    depth -= 1;
                    if let (Some(words), 1) = (words.take(), depth) {
                        self.item(&words);
                    }
                }
                Event::Start(Tag::List(_) | Tag::BlockQuote(_)) => depth += 1,
                Event::End(TagEnd::List(_) | TagEnd::BlockQuote(_)) => depth -= 1,
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                    self.code_block(range.start, &info, depth > 0);
                }
                Event::Text(piece) => words.iter_mut().for_each(|words| words.text.push_str(&piece)),
                Event::Code(piece) => words.iter_mut().for_each(|words| words.add_code(&piece)),
                Event::SoftBreak | Event::HardBreak => {
                    words.iter_mut().for_each(|words| words.text.push(' '));
                }
                _ => {}
            }
        }
        self.close_edit();
    }

    fn finish(self) -> Plan {
        let Reader { text, mut plan, first_edit, .. } = self;
        text[..first_edit.unwrap_or(text.len())].trim().clone_into(&mut plan.summary);
        plan.problems.sort();
        plan.declaration_problems.sort();
        plan
    }

    fn problem(&mut self, line: u32, message: impl Into<String>) {
        self.plan.problems.push(Problem::new(line, message));
    }

    fn block_problem(&mut self, is_json: bool, line: u32, message: String) {
        let problems = if is_json { &mut self.plan.declaration_problems } else { &mut self.plan.problems };
        problems.push(Problem::new(line, message));
    }

    fn heading(&mut self, level: HeadingLevel, words: &Words) {
        self.close_edit();
        let Some(rest) = words.text.strip_prefix("EDIT").filter(|_| level == HeadingLevel::H3) else {
            return;
        };
        let line = self.starts.number(words.offset);
        self.first_edit.get_or_insert(words.offset);
        let number = rest.trim().parse::<u32>().ok().filter(|_| rest.starts_with(char::is_whitespace));
        let Some(number) = number else {
            self.problem(line, format!("`EDIT{rest}` is no edit: its heading is `### EDIT` and a number"));
            return;
        };
        if self.plan.edits.iter().any(|edit| edit.number == number) {
            self.problem(line, format!("there are two edits {number}"));
        }
        self.open = Some(OpenEdit { number, line, file: None, place: None, old: None, new: None });
    }

    fn item(&mut self, words: &Words) {
        let Some((key, rest)) = words.text.split_once(':') else { return };
        let line = self.starts.number(words.offset);
        let Some(open) = &mut self.open else { return };
        match key.trim() {
            "file" if open.file.is_some() => self.problem(line, "the edit names a file twice"),
            "file" => open.file = Some((words.code.clone().unwrap_or_else(|| rest.trim().to_owned()), line)),
            "where" => open.place = Some(rest.trim().to_owned()),
            _ => {}
        }
    }

    fn code_block(&mut self, start: usize, info: &str, is_nested: bool) {
        let kind = info.split_whitespace().next().unwrap_or_default();
        if !matches!(kind, "old" | "new" | "json") {
            return;
        }
        let line = self.starts.number(start);
        let is_json = kind == "json";
        if is_nested || !self.starts.is_start(start) {
            let message = format!("the `{kind}` block is indented or quoted, so its bytes are not plain");
            return self.block_problem(is_json, line, message);
        }
        let Some(bytes) = fenced(&self.text.as_bytes()[start..]) else {
            return self.block_problem(is_json, line, format!("the `{kind}` block is never closed"));
        };
        let block = Block { line, bytes: bytes.to_vec() };
        if is_json {
            return self.declarations(block);
        }
        let Some(open) = &mut self.open else {
            return self.problem(line, format!("the `{kind}` block belongs to no edit"));
        };
        let place = if kind == "old" { &mut open.old } else { &mut open.new };
        if place.replace(block).is_some() {
            self.problem(line, format!("the edit has two `{kind}` blocks"));
        }
    }

    fn declarations(&mut self, block: Block) {
        if self.plan.declarations.is_some() {
            let message = "a plan has one `json` block, and this is another one".to_owned();
            return self.block_problem(true, block.line, message);
        }
        let text = String::from_utf8_lossy(&block.bytes).into_owned();
        match bindery_artifacts::read::read::<PlanDeclarations>("declarations", &text) {
            Ok(located) => {
                self.plan.declarations = Some(Declarations { value: located.value, line: block.line, text });
            }
            Err(findings) => {
                for finding in findings {
                    let at =
                        if finding.at.is_empty() { String::new() } else { format!("at `{}`: ", finding.at) };
                    let mut problem = Problem::new(
                        block.line + finding.line,
                        format!("the declarations do not fit: {at}{}", finding.problem),
                    );
                    problem.hint =
                        finding.problem.nearest().map(|nearest| format!("did you mean `{nearest}`?"));
                    self.plan.declaration_problems.push(problem);
                }
                self.plan.declarations = Some(Declarations { line: block.line, ..Declarations::default() });
            }
        }
    }

    /// Takes the edit that ends here, if it is whole.
    fn close_edit(&mut self) {
        let Some(open) = self.open.take() else { return };
        let missing = [
            (open.file.is_none(), "`- file:` line"),
            (open.old.is_none(), "`old` block"),
            (open.new.is_none(), "`new` block"),
        ];
        for (_, what) in missing.into_iter().filter(|(is_missing, _)| *is_missing) {
            self.problem(open.line, format!("edit {} has no {what}", open.number));
        }
        if let (Some((file, file_line)), Some(old), Some(new)) = (open.file, open.old, open.new) {
            let place = open.place.unwrap_or_default();
            self.plan.edits.push(Edit {
                number: open.number,
                line: open.line,
                file,
                file_line,
                place,
                old,
                new,
            });
        }
    }
}

impl Words {
    fn add_code(&mut self, piece: &str) {
        self.text.push('`');
        self.text.push_str(piece);
        self.text.push('`');
        self.code.get_or_insert_with(|| piece.to_owned());
    }
}

/// The bytes between the fences of a block that starts `text`; none if it is never closed.
fn fenced(text: &[u8]) -> Option<&[u8]> {
    let mark = *text.first()?;
    let marks = text.iter().take_while(|byte| **byte == mark).count();
    let from = memchr::memchr(b'\n', text)? + 1;
    let mut at = from;
    for line in text[from..].split_inclusive(|byte| *byte == b'\n') {
        if closes(line, mark, marks) {
            return Some(&text[from..at]);
        }
        at += line.len();
    }
    None
}

/// Whether a line ends a block that `marks` times `mark` opened: up to three spaces, at least as many marks,
/// nothing else (CommonMark 0.31, section 4.5).
fn closes(line: &[u8], mark: u8, marks: usize) -> bool {
    let indent = line.iter().take_while(|byte| **byte == b' ').count();
    let run = line[indent..].iter().take_while(|byte| **byte == mark).count();
    indent <= 3 && run >= marks && line[indent + run..].iter().all(u8::is_ascii_whitespace)
}
