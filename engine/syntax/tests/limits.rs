//! The limits hold the bare grammars, and what is over one is said the same way every time.

mod raw_grammar;

use std::ops::ControlFlow;

use bindery_syntax::{
    Cancelled, Cost, Exceeded, Limits, Parsed, Stop, new_parser, parse, parse_observed, parse_tree,
};
use raw_grammar::{PYTHON, RUST, RawGrammar};

fn tree_of(adapter: &RawGrammar, text: &str, limits: &Limits) -> Result<(String, Cost), Stop> {
    let parsed = parse_tree(&(adapter.grammar)(), text, limits, &mut || ControlFlow::Continue(()));
    parsed.map(|(tree, cost)| (tree.root_node().to_sexp(), cost))
}

fn detail(parsed: Parsed) -> String {
    match parsed {
        Parsed::Unparsable { detail } => detail,
        parsed => panic!("parsed after all: {parsed:?}"),
    }
}

#[test]
fn an_ordinary_file_is_far_below_every_limit() {
    let text = "fn main() { println!(\"{}\", a(b)); }\n".repeat(100);
    let (_, cost) = tree_of(&RUST, &text, &Limits::default()).unwrap();
    let limits = Limits::default();
    assert!(cost.ticks * 20 <= limits.ticks(text.len()), "{cost:?}");
    assert!(cost.peak_bytes * 20 <= limits.memory(text.len()), "{cost:?}");
}

#[test]
fn counts_do_not_depend_on_what_was_parsed_before_or_where() {
    let text = "def f(a):\n    return g(a)[1]\n".repeat(50);
    let first = tree_of(&PYTHON, &text, &Limits::default()).unwrap();
    let _ = tree_of(&RUST, &"fn f() {".repeat(300), &Limits::default());
    assert_eq!(tree_of(&PYTHON, &text, &Limits::default()).unwrap(), first);
    let elsewhere = std::thread::spawn(move || tree_of(&PYTHON, &text, &Limits::default()).unwrap());
    assert_eq!(elsewhere.join().unwrap(), first);
}

#[test]
fn handing_out_the_text_in_pieces_gives_the_same_tree() {
    for shift in 0..4 {
        // Characters of two, three and four bytes move over the edge of the first pieces.
        let text = format!("{}{}", "#".repeat(shift), "x = 'é€𝄞'  # é€𝄞\n".repeat(300));
        let whole = new_parser(&(PYTHON.grammar)()).parse(&text, None).unwrap();
        let (pieces, _) = tree_of(&PYTHON, &text, &Limits::default()).unwrap();
        assert_eq!(pieces, whole.root_node().to_sexp());
    }
}

#[test]
fn a_limit_is_met_exactly() {
    let text = "fn f() { g(h(1)); }\n".repeat(40);
    let (_, cost) = tree_of(&RUST, &text, &Limits::default()).unwrap();
    let none = Limits {
        memory_base: 0,
        memory_per_byte: 0,
        ticks_base: 0,
        ticks_per_kibibyte: 0,
        ..Limits::default()
    };
    let enough = Limits { memory_base: cost.peak_bytes, ticks_base: cost.ticks + 1, ..none };
    assert_eq!(tree_of(&RUST, &text, &enough).unwrap().1, cost);
    let memory = cost.peak_bytes - 1;
    let short = tree_of(&RUST, &text, &Limits { memory_base: memory, ..enough });
    assert_eq!(short, Err(Stop::Exceeded(Exceeded::Memory(memory))));
    let short = tree_of(&RUST, &text, &Limits { ticks_base: cost.ticks - 1, ..enough });
    assert_eq!(short, Err(Stop::Exceeded(Exceeded::Ticks(cost.ticks - 1))));
}

/// Inputs that take quadratic time, each by another road: the stack's versions (allocations), a scanner
/// that runs to the end of the file from every token (pieces of text).
#[test]
fn quadratic_inputs_end_at_the_limit_of_ticks() {
    let limits = Limits::default();
    for (adapter, text) in [(&RUST, ")*".repeat(8 << 10)), (&PYTHON, "\\\n".repeat(16 << 10))] {
        let expected = format!("parser work over the limit of {} ticks", limits.ticks(text.len()));
        assert_eq!(detail(parse(adapter, text.as_bytes(), &limits)), expected);
    }
}

#[test]
fn memory_over_the_limit_is_named() {
    let limits = Limits { memory_base: 1 << 20, memory_per_byte: 0, ..Limits::default() };
    let text = "a(b, c)\n".repeat(20_000);
    assert_eq!(
        detail(parse(&PYTHON, text.as_bytes(), &limits)),
        "parser memory over the limit of 1048576 bytes"
    );
}

#[test]
fn a_check_out_with_crlf_and_mark_has_the_same_facts() {
    let text = "fn f() {\n    g();\n}\n";
    let windows = format!("\u{FEFF}{}", text.replace('\n', "\r\n"));
    let facts = parse(&RUST, text.as_bytes(), &Limits::default());
    assert!(matches!(facts, Parsed::Facts(_)));
    assert_eq!(parse(&RUST, windows.as_bytes(), &Limits::default()), facts);
}

#[test]
fn what_is_not_text_is_never_parsed() {
    for (bytes, expected) in [
        (&b"fn f() {}\0"[..], "NUL byte 0x00 at offset 9"),
        (b"\xFF\xFE", "invalid UTF-8, byte 0xFF at offset 0"),
    ] {
        assert_eq!(detail(parse(&RUST, bytes, &Limits::default())), expected);
    }
}

#[test]
fn a_faulty_adapter_costs_its_file_only() {
    let faulty = RawGrammar { language: PYTHON.language, grammar: PYTHON.grammar, is_faulty: true };
    let parsed = parse(&faulty, b"x = 1\n", &Limits::default());
    assert_eq!(parsed, Parsed::Panicked { detail: "no facts for 6 bytes".to_owned() });
}

#[test]
fn the_observer_can_cancel() {
    let text = "x = [1, 2, 3]\n".repeat(2_000);
    let mut calls = 0;
    let mut third_call_breaks = || {
        calls += 1;
        if calls == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let cancelled = parse_observed(&PYTHON, text.as_bytes(), &Limits::default(), &mut third_call_breaks);
    assert_eq!(cancelled, Err(Cancelled));
    assert_eq!(calls, 3);
}
