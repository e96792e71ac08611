//! Hostile input (architecture §5, reliability R19, R24): every adapter survives it, answers the same each
//! time, and stays within the limits.
//!
//! The inputs that once took a parser seconds, gigabytes or its process are listed one by one; seeded
//! mutations of ordinary programs look for the next. `BINDERY_FUZZ_INPUTS` says how many of these, and
//! `BINDERY_FUZZ_SEED` where they start.

#![allow(
    clippy::disallowed_methods,
    reason = "the count of the long lane comes from outside, and the memory of this process from the system"
)]

use bindery_languages::registry;
use bindery_source::Language;
use bindery_syntax::{Adapter, Limits, Parsed, parse};

/// What must come of an input.
#[derive(Clone, Copy)]
enum Expected {
    Facts,
    Unparsable(&'static str),
    /// Over the parser's limit of ticks.
    TooMuchWork,
}
use Expected::{Facts, TooMuchWork, Unparsable};

type Case = (&'static str, Vec<u8>, Expected);

fn case(name: &'static str, text: impl Into<Vec<u8>>, expected: Expected) -> Case {
    (name, text.into(), expected)
}

/// `open`, `middle` and `close`, nested that deep.
fn nested(open: &str, middle: &str, close: &str, depth: usize) -> String {
    format!("{}{middle}{}", open.repeat(depth), close.repeat(depth))
}

fn cases_of_every_language() -> Vec<Case> {
    let too_deep = Unparsable("bracket depth over the limit of 10000 at line 1");
    vec![
        case("empty", "", Facts),
        case("white space", " \n\t".repeat(10_000), Facts),
        case("opening brackets", "[".repeat(9_000), Facts),
        case("opening braces past the limit", "{".repeat(10_001), too_deep),
        case("closing brackets", "])}".repeat(5_000), Facts),
        case("unclosed angles", "a<".repeat(16_000), Facts),
        case("a NUL", "x\0", Unparsable("NUL byte 0x00 at offset 1")),
        case("0xFF", b"x = 1 \xFF".repeat(5_000), Unparsable("invalid UTF-8, byte 0xFF at offset 6")),
        case("a line of 5 MB", "x".repeat(5 << 20), Facts),
        case("an unterminated string", format!("x = \"{}", "a ".repeat(10_000)), Facts),
        case("quotes", "\"'".repeat(5_000), Facts),
        case("random printable bytes", random_text(0xB1D, 20_000), Facts),
        case("a file over the limit", "#".repeat((10 << 20) + 1), OVER_SIZE),
    ]
}

const OVER_SIZE: Expected = Unparsable("10485761 bytes, over the limit of 10485760 bytes per file");

fn rust_cases() -> Vec<Case> {
    let body = |text: String| format!("fn f() {{ {text} }}\n");
    vec![
        case("closing brackets and stars", ")*".repeat(2_000), TooMuchWork),
        case("unterminated raw strings", "r#\"".repeat(2_000), TooMuchWork),
        case("parentheses 5,000 deep", body(nested("(", "1", ")", 5_000)), Facts),
        case("blocks 5,000 deep", body(nested("{", "g();", "}", 5_000)), Facts),
        case("calls 5,000 deep", body(nested("g(", "1", ")", 5_000)), Facts),
        case("macros 3,000 deep", body(nested("m!{", "g()", "}", 3_000)), Facts),
        case("macro soup", body("m!($x:expr => [g(a, b!(c))]; #[x] 'a ..= ) ".repeat(500)), Facts),
        case("types 5,000 deep", format!("type A = {};\n", nested("Vec<", "u8", ">", 5_000)), Facts),
        case("references 10,000 deep", format!("fn f(a: {}u8) {{}}\n", "&".repeat(10_000)), Facts),
        case("pointers to functions", format!("type A = {}u8;\n", "fn() -> ".repeat(5_000)), Facts),
        case("a chain of 5,000 methods", body(format!("a{}", ".b()".repeat(5_000))), Facts),
        case("a chain of 20,000 fields", body(format!("a{}", ".b".repeat(20_000))), Facts),
        case("5,000 operands", body(format!("a{}", " + g()".repeat(5_000))), Facts),
        case("20,000 negations", body(format!("{}a", "!".repeat(20_000))), Facts),
        case("5,000 closures", body(format!("{}a", "|x| ".repeat(5_000))), Facts),
        case("a ladder of 3,000 ifs", body(format!("{}{{}}", "if a { g() } else ".repeat(3_000))), Facts),
        case("functions 900 deep", nested("fn f() { ", "g();", "}", 900), Facts),
        case("modules 900 deep", nested("mod m { ", "fn g() {}", "}", 900), Facts),
        case("a use tree 900 deep", format!("use {};\n", nested("a::{", "b", "}", 900)), Facts),
        case("patterns 3,000 deep", body(format!("let {} = a;", nested("Some(", "x", ")", 3_000))), Facts),
        case("block comments 5,000 deep", nested("/*", "", "*/", 5_000), Facts),
        case("2,000 attributes", format!("{}fn f() {{}}\n", "#[a(b)]\n".repeat(2_000)), Facts),
        case("2,000 functions of one name", "fn f() { f() }\n".repeat(2_000), Facts),
    ]
}

fn python_cases() -> Vec<Case> {
    let staircase =
        |depth: usize| (0..depth).map(|d| format!("{}if a:\n", " ".repeat(d))).collect::<String>();
    vec![
        case("line continuations", "\\\n".repeat(10 << 10), TooMuchWork),
        case("parentheses 5,000 deep", format!("x = {}\n", nested("(", "1", ")", 5_000)), Facts),
        case("calls 5,000 deep", format!("x = {}\n", nested("g(", "1", ")", 5_000)), Facts),
        case("lists 5,000 deep", format!("x = {}\n", nested("[", "1", "]", 5_000)), Facts),
        case("format strings", "f\"{".repeat(3_000), Facts),
        case("format strings in each other", nested("f\"{", "1", "}\"", 500), Facts),
        case("unterminated long strings", "'''a\n".repeat(5_001), Facts),
        case("types 5,000 deep", format!("x: {} = 1\n", nested("A[", "int", "]", 5_000)), Facts),
        case("a type of 5,000 alternatives", format!("x: A{} = 1\n", " | A".repeat(5_000)), Facts),
        case("5,000 lambdas", format!("x = {}1\n", "lambda: ".repeat(5_000)), Facts),
        case("20,000 negations", format!("x = {}1\n", "not ".repeat(20_000)), Facts),
        case("20,000 minus signs", format!("x = {}1\n", "-".repeat(20_000)), Facts),
        case("5,000 operands", format!("x = a{}\n", " + g()".repeat(5_000)), Facts),
        case("a chain of 2,000 methods", format!("x = a{}\n", ".b()".repeat(2_000)), Facts),
        case("a chain of 20,000 attributes", format!("x = a{}\n", ".b".repeat(20_000)), Facts),
        case("2,000 calls of the result", format!("x = a{}\n", "()".repeat(2_000)), Facts),
        case("5,000 targets", format!("{}1\n", "x = ".repeat(5_000)), Facts),
        case("conditionals", format!("x = {}1\n", "1 if a else ".repeat(5_000)), Facts),
        case("a ladder of 3,000 elifs", format!("if a:\n g()\n{}", "elif a:\n g()\n".repeat(3_000)), Facts),
        case("a staircase of 300 blocks", staircase(300), Facts),
        case("comprehensions 500 deep", format!("x = {}\n", nested("[a for a in ", "b", "]", 500)), Facts),
        case("5,000 decorators", format!("{}def f(): pass\n", "@a(b)\n".repeat(5_000)), Facts),
        case("5,000 functions of one name", "def f(): f()\n".repeat(5_000), Facts),
        case("dictionaries without end", "{a:".repeat(3_000), Facts),
    ]
}

fn go_cases() -> Vec<Case> {
    let file = |text: String| format!("package p\n{text}\n");
    let body = |text: String| format!("package p\nfunc f() {{\n{text}\n}}\n");
    vec![
        case("parentheses 5,000 deep", body(nested("(", "1", ")", 5_000)), Facts),
        case("blocks 5,000 deep", body(nested("{", "g()", "}", 5_000)), Facts),
        case("calls 5,000 deep", body(nested("g(", "1", ")", 5_000)), Facts),
        case("conversions 3,000 deep", body(nested("[]T(", "x", ")", 3_000)), Facts),
        case("literals 3,000 deep", body(format!("x := {}", nested("T{", "1", "}", 3_000))), Facts),
        case("functions 3,000 deep", body(nested("func() { x := 1; ", "g(x)", "}()", 3_000)), Facts),
        case("slices 5,000 deep", file(format!("type A {}int", "[]".repeat(5_000))), Facts),
        case("pointers 10,000 deep", file(format!("func f(a {}int)", "*".repeat(10_000))), Facts),
        case("type arguments 3,000 deep", file(format!("type A {}", nested("A[", "int", "]", 3_000))), Facts),
        case("structs 3,000 deep", file(format!("var a {}", nested("struct{ b ", "int", "}", 3_000))), Facts),
        case("function types", file(format!("type A {}int", "func() ".repeat(5_000))), Facts),
        case(
            "interfaces 3,000 deep",
            file(format!("type A {}", nested("interface{ ", "B", "}", 3_000))),
            Facts,
        ),
        case("a chain of 5,000 methods", body(format!("a{}", ".b()".repeat(5_000))), Facts),
        case("a chain over 3,000 lines", body(format!("a{}", ".\nb()".repeat(3_000))), Facts),
        case("a chain of 20,000 fields", body(format!("a{}", ".b".repeat(20_000))), Facts),
        case("2,000 calls of the result", body(format!("a{}", "()".repeat(2_000))), Facts),
        case("5,000 operands", body(format!("x := a{}", " + g()".repeat(5_000))), Facts),
        case("20,000 negations", body(format!("x := {}a", "!".repeat(20_000))), Facts),
        case(
            "a ladder of 3,000 ifs",
            body(format!("{}{{}}", "if a := g(); a { g() } else ".repeat(3_000))),
            Facts,
        ),
        case("5,000 variables", body("x := g()\n".repeat(5_000)), Facts),
        case("2,000 functions of one name", file("func f() { f() }\n".repeat(2_000)), Facts),
        case("5,000 comments", file(format!("{}func f() {{}}", "// a\n".repeat(5_000))), Facts),
        case("build constraints", format!("//go:build {}\npackage p\n", nested("(", "a", ")", 5_000)), Facts),
        case("unterminated raw strings", file("x := `\n".repeat(3_001)), Facts),
    ]
}

fn java_cases() -> Vec<Case> {
    let body = |text: String| format!("class A {{ void f() {{ {text} }} }}\n");
    vec![
        case("parentheses 5,000 deep", body(format!("x = {};", nested("(", "1", ")", 5_000))), Facts),
        case("blocks 5,000 deep", body(nested("{", "g();", "}", 5_000)), Facts),
        case("calls 5,000 deep", body(format!("{};", nested("g(", "1", ")", 5_000))), Facts),
        case("lambdas 2,000 deep", body(format!("g({}1);", "x -> ".repeat(2_000))), Facts),
        case("anonymous classes 500 deep", body(nested("new A() { void f() { ", "g();", "} };", 500)), Facts),
        case("types 500 deep", body(format!("{} x;", nested("A<", "B", ">", 500))), Facts),
        case("classes 900 deep", nested("class A { ", "void f() { g(); }", "}", 900), Facts),
        case("arrays of 20,000 dimensions", body(format!("int x{} = y;", "[]".repeat(20_000))), Facts),
        case("a chain of 5,000 methods", body(format!("a{};", ".b()".repeat(5_000))), Facts),
        case("a chain of 20,000 fields", body(format!("x = a{};", ".b".repeat(20_000))), Facts),
        case("5,000 operands", body(format!("x = a{};", " + g()".repeat(5_000))), Facts),
        case("5,000 casts", body(format!("x = {}a;", "(A) ".repeat(5_000))), Facts),
        case("20,000 negations", body(format!("x = {}a;", "!".repeat(20_000))), Facts),
        case("5,000 conditionals", body(format!("x = {}1;", "a ? 1 : ".repeat(5_000))), Facts),
        case("a ladder of 3,000 ifs", body(format!("{}{{}}", "if (a) { g(); } else ".repeat(3_000))), Facts),
        case("2,000 annotations", format!("{}class A {{}}\n", "@A(b = 1)\n".repeat(2_000)), Facts),
        case(
            "2,000 methods of one name",
            format!("class A {{{}}}\n", "void f() { f(); }".repeat(2_000)),
            Facts,
        ),
        case(
            "2,000 comments before a class",
            format!("{}class A {{}}\n", "/* a */ // b\n".repeat(2_000)),
            Facts,
        ),
        case("unterminated comments", "/* a".repeat(5_000), TooMuchWork),
        case("text blocks", "\"\"\"\n".repeat(3_001), Facts),
        case("switches 300 deep", body(nested("switch (a) { case 1 -> { ", "g();", "} }", 300)), Facts),
    ]
}

/// The grammar of Java takes gigabytes for angles that are never closed; such a file goes to a worker,
/// which ends over its limit.
fn is_for_a_worker(language: Language, name: &str) -> bool {
    language == Language::Java && name == "unclosed angles"
}

fn script_cases() -> Vec<Case> {
    vec![
        case("parentheses 5,000 deep", format!("x = {};\n", nested("(", "1", ")", 5_000)), Facts),
        case("calls 5,000 deep", format!("x = {};\n", nested("g(", "1", ")", 5_000)), Facts),
        case("arrays 5,000 deep", format!("x = {};\n", nested("[", "1", "]", 5_000)), Facts),
        case("objects 3,000 deep", format!("x = {};\n", nested("{ a: ", "() => 1", "}", 3_000)), Facts),
        case("blocks 5,000 deep", nested("{", "g();", "}", 5_000), Facts),
        case("functions 900 deep", nested("function f() { ", "g();", "}", 900), Facts),
        case("classes 900 deep", nested("class A { m() { ", "g();", "} }", 900), Facts),
        case("arrows 3,000 deep", format!("x = {}1;\n", "a => ".repeat(3_000)), Facts),
        case("callbacks 900 deep", nested("f(() => { ", "g();", "});", 900), Facts),
        case("a chain of 2,000 methods", format!("x = a{};\n", ".b()".repeat(2_000)), Facts),
        case("a chain of 20,000 members", format!("x = a{};\n", ".b".repeat(20_000)), Facts),
        case("2,000 calls of the result", format!("x = a{};\n", "()".repeat(2_000)), Facts),
        case("5,000 operands", format!("x = a{};\n", " + g()".repeat(5_000)), Facts),
        case("20,000 negations", format!("x = {}1;\n", "!".repeat(20_000)), Facts),
        case("5,000 assignments", format!("{}1;\n", "x = ".repeat(5_000)), Facts),
        case("conditionals", format!("x = {}1;\n", "a ? 1 : ".repeat(5_000)), Facts),
        case("a ladder of 3,000 ifs", format!("{}{{}}", "if (a) { g() } else ".repeat(3_000)), Facts),
        case("patterns 3,000 deep", format!("const {} = a;\n", nested("{ a: ", "b", "}", 3_000)), Facts),
        case("templates in each other", nested("`${", "1", "}`", 500), Facts),
        case("2,000 functions of one name", "function f() { f() }\n".repeat(2_000), Facts),
        case("5,000 exports", "export * from './a';\n".repeat(5_000), Facts),
        case("elements without end", "<a>".repeat(2_000), Facts),
    ]
}

fn typed_script_cases() -> Vec<Case> {
    let mut cases = script_cases();
    cases.extend([
        case("types 5,000 deep", format!("let x: {};\n", nested("A<", "B", ">", 5_000)), Facts),
        case("a type of 5,000 alternatives", format!("type A = B{};\n", " | C".repeat(5_000)), Facts),
        case("array types", format!("let x: A{};\n", "[]".repeat(5_000)), Facts),
        case("object types 2,000 deep", format!("let x: {};\n", nested("{ a: ", "B", "}", 2_000)), Facts),
        case("function types", format!("let x: {}A;\n", "() => ".repeat(3_000)), Facts),
        case("5,000 decorators", format!("{}class A {{}}\n", "@a(b)\n".repeat(5_000)), Facts),
        case("namespaces 900 deep", nested("namespace A { ", "f();", "}", 900), Facts),
        case("2,000 overloads", "function f(a: A): B;\n".repeat(2_000), Facts),
    ]);
    cases
}

fn cases_of(language: Language) -> Vec<Case> {
    let mut cases = cases_of_every_language();
    cases.retain(|(name, ..)| !is_for_a_worker(language, name));
    match language {
        Language::Java => cases.extend(java_cases()),
        Language::Rust => cases.extend(rust_cases()),
        Language::Python => cases.extend(python_cases()),
        Language::Go => cases.extend(go_cases()),
        Language::JavaScript => cases.extend(script_cases()),
        Language::TypeScript | Language::Tsx => cases.extend(typed_script_cases()),
        _ => {}
    }
    cases
}

/// Parses twice, packs and unpacks; gives what came of it.
fn survive(adapter: &dyn Adapter, bytes: &[u8], what: &dyn std::fmt::Display) -> Parsed {
    let parsed = parse(adapter, bytes, &Limits::default());
    assert_eq!(parse(adapter, bytes, &Limits::default()), parsed, "{what}: not the same the second time");
    match &parsed {
        Parsed::Facts(facts) => {
            let unpacked = bindery_facts::decode(&bindery_facts::encode(&**facts));
            assert_eq!(unpacked.as_ref(), Ok(&**facts), "{what}: facts are not what was packed");
        }
        Parsed::Unparsable { .. } => {}
        Parsed::Panicked { detail } => panic!("{what}: {detail}"),
    }
    parsed
}

fn check(language: Language) {
    let entry = bindery_languages::for_language(language).expect("the caller took it from the registry");
    for (name, bytes, expected) in cases_of(language) {
        let what = format!("{}: {name}", language.name());
        match (survive(entry.adapter, &bytes, &what), expected) {
            (Parsed::Facts(_), Facts) => {}
            (Parsed::Unparsable { detail }, Unparsable(limit)) => assert_eq!(detail, limit, "{what}"),
            (Parsed::Unparsable { detail }, TooMuchWork) => {
                let limit =
                    format!("parser work over the limit of {} ticks", Limits::default().ticks(bytes.len()));
                assert_eq!(detail, limit, "{what}");
            }
            (Parsed::Unparsable { detail }, Facts) => panic!("{what}: {detail}"),
            (_, Unparsable(limit)) => panic!("{what}: parsed, not {limit}"),
            (_, TooMuchWork) => panic!("{what}: parsed within the limit of ticks"),
            (Parsed::Panicked { .. }, Facts) => unreachable!("`survive` fails on a panic"),
        }
    }
    assert_memory_below_512_mb();
}

/// The most this process has ever taken, where the system says so.
fn assert_memory_below_512_mb() {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return };
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("Linux says the peak");
    let kilobytes: u64 = peak.trim().trim_end_matches(" kB").parse().expect("Linux says it in kB");
    assert!(kilobytes < 512 << 10, "{kilobytes} kB");
}

#[cfg(feature = "rust")]
#[test]
fn rust_survives_the_known_bad_inputs() {
    check(Language::Rust);
}

#[cfg(feature = "go")]
#[test]
fn go_survives_the_known_bad_inputs() {
    check(Language::Go);
}

#[cfg(feature = "python")]
#[test]
fn python_survives_the_known_bad_inputs() {
    check(Language::Python);
}

#[cfg(feature = "java")]
#[test]
fn java_survives_the_known_bad_inputs() {
    check(Language::Java);
}

#[cfg(feature = "typescript")]
#[test]
fn scripts_survive_the_known_bad_inputs() {
    for language in [Language::JavaScript, Language::Tsx, Language::TypeScript] {
        check(language);
    }
}

/// No language is compiled in whose known bad inputs are not tried.
#[test]
fn every_language_has_bad_inputs_of_its_own() {
    let of_all = cases_of_every_language().len();
    let mut own = std::collections::BTreeMap::new();
    for entry in registry() {
        let language = entry.adapter.language();
        let of_worker = usize::from(is_for_a_worker(language, "unclosed angles"));
        own.insert(language.name(), cases_of(language).len() + of_worker - of_all);
    }
    let expected: &[(&str, usize)] = &[
        #[cfg(feature = "go")]
        ("go", 24),
        #[cfg(feature = "java")]
        ("java", 21),
        #[cfg(feature = "python")]
        ("python", 24),
        #[cfg(feature = "rust")]
        ("rust", 23),
        #[cfg(feature = "typescript")]
        ("javascript", 22),
        #[cfg(feature = "typescript")]
        ("tsx", 30),
        #[cfg(feature = "typescript")]
        ("typescript", 30),
    ];
    assert_eq!(own, expected.iter().copied().collect());
}

/// A xorshift generator: the same numbers on every machine for a seed other than 0.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }
}

fn random_text(seed: u64, length: usize) -> String {
    let mut random = Random(seed);
    (0..length).map(|_| char::from(b' ' + random.below(95) as u8)).collect()
}

const RUST_PROGRAM: &str = include_str!("hostile/program.rs.txt");
const GO_PROGRAM: &str = include_str!("hostile/program.go.txt");
const JAVA_PROGRAM: &str = include_str!("hostile/program.java.txt");
const PYTHON_PROGRAM: &str = include_str!("hostile/program.py.txt");
const SCRIPT_PROGRAM: &str = include_str!("hostile/program.ts.txt");

/// Bytes that open, close, continue or end something in some language, and some that are no text.
const FRAGMENTS: &[&[u8]] = &[
    b"(",
    b")",
    b"[",
    b"]",
    b"{",
    b"}",
    b"<",
    b">",
    b"\"",
    b"'",
    b"\"\"\"",
    b"f\"{",
    b"r#\"",
    b"#",
    b"//",
    b"/*",
    b"*/",
    b"\\\n",
    b"\n",
    b"\n    ",
    b"\t",
    b"\r",
    b":",
    b"::",
    b";",
    b",",
    b"->",
    b"=>",
    b"|",
    b"&",
    b"!",
    b"@",
    b"$",
    b"..",
    b"fn ",
    b"impl ",
    b"def ",
    b"class ",
    b"func ",
    b"struct{",
    b":=",
    b"lambda ",
    b"async ",
    b"match ",
    b"if ",
    b"else",
    b"import ",
    b"use ",
    b"=",
    b"\xC3\xA9",
    b"\xE2\x80\xA8",
    b"\xEF\xBB\xBF",
    b"\0",
    b"\xFF",
];

/// Up to eight edits: cut a part out, say a part again (now and then many times), put a fragment in.
fn mutated(program: &str, random: &mut Random) -> Vec<u8> {
    let mut bytes = program.as_bytes().to_vec();
    for _ in 0..=random.below(8) {
        let start = random.below(bytes.len());
        let end = (start + random.below(60)).min(bytes.len());
        match random.below(5) {
            0 => drop(bytes.drain(start..end)),
            1 => {
                let times = if random.below(8) == 0 { 200 } else { 1 };
                let part = bytes[start..end].repeat(times);
                let target = random.below(bytes.len());
                bytes.splice(target..target, part);
            }
            2 => {
                let part: Vec<u8> = bytes.drain(start..end).collect();
                let target = random.below(bytes.len());
                bytes.splice(target..target, part);
            }
            _ => drop(bytes.splice(start..start, FRAGMENTS[random.below(FRAGMENTS.len())].iter().copied())),
        }
    }
    bytes
}

fn number_from_environment(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().expect("the variable holds a number"))
}

#[test]
fn mutated_programs_never_panic_and_give_one_answer() {
    let count = number_from_environment("BINDERY_FUZZ_INPUTS", 1_000);
    let seed = number_from_environment("BINDERY_FUZZ_SEED", 20_260_101);
    println!("{count} inputs from seed {seed}");
    let mut inputs = std::collections::BTreeMap::<&str, u64>::new();
    for number in 0..count {
        let entry = &registry()[number as usize % registry().len()];
        *inputs.entry(entry.adapter.language().name()).or_default() += 1;
        let program = match entry.adapter.language() {
            Language::Go => GO_PROGRAM,
            Language::Java => JAVA_PROGRAM,
            Language::Python => PYTHON_PROGRAM,
            Language::JavaScript | Language::Tsx | Language::TypeScript => SCRIPT_PROGRAM,
            _ => RUST_PROGRAM,
        };
        // Each input has a seed of its own, so that a failing one can be had alone.
        let mut random = Random((seed + number).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let bytes = mutated(program, &mut random);
        let what = format!(
            "{}: BINDERY_FUZZ_SEED={} BINDERY_FUZZ_INPUTS=1",
            entry.adapter.language().name(),
            seed + number
        );
        survive(entry.adapter, &bytes, &what);
    }
    println!("by language: {inputs:?}");
    // Every grammar has its share; a single input, to look at one again, has not.
    for entry in registry().iter().filter(|_| count >= 1_000) {
        let language = entry.adapter.language().name();
        let found = inputs.get(language).copied().unwrap_or_default();
        assert!(found >= count / registry().len() as u64, "{found} of {count} inputs for {language}");
    }
    assert_memory_below_512_mb();
}
