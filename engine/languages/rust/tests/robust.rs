//! Facts of damaged and hostile sources: no panic, nothing lost, no work by the square of the input.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use bindery_facts::FileFacts;
use bindery_language_rust::ADAPTER;
use bindery_syntax::{Adapter, Limits, parse_tree};

const SEED: &str = include_str!("robust/seed.rs.txt");

fn facts_of(source: &str) -> FileFacts {
    let limits = Limits::default();
    let (tree, _) = parse_tree(&ADAPTER.grammar(), source, &limits, &mut || ControlFlow::Continue(()))
        .unwrap_or_else(|stop| panic!("{stop:?}"));
    let facts = ADAPTER.facts(source, &tree);
    let in_macros = ADAPTER.call_nodes_in_splices(source, &tree) as usize;
    assert_eq!(facts.bodies.sites.len(), count_calls(&tree) + in_macros, "one site for each call node");
    let names: BTreeSet<_> = facts.summary.decls.iter().map(|decl| &decl.qualname).collect();
    assert_eq!(names.len(), facts.summary.decls.len(), "qualnames are unique");
    assert_eq!(facts.texts.len(), facts.summary.decls.len());
    facts
}

fn count_calls(tree: &tree_sitter::Tree) -> usize {
    let (mut cursor, mut count) = (tree.walk(), 0);
    loop {
        let kind = cursor.node().kind();
        count += usize::from(ADAPTER.call_node_kinds().contains(&kind));
        if !kind.ends_with("attribute_item") && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return count;
            }
        }
    }
}

/// A generator of equal numbers on every machine.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

#[test]
fn damaged_sources() {
    let bytes = SEED.as_bytes();
    let pieces = [
        "{",
        "}",
        "(",
        ")",
        "fn ",
        "::",
        "<",
        "|",
        "!",
        "impl ",
        "\"",
        "match x { ",
        "#[cfg(a)]",
        ".await",
        "é",
    ];
    for seed in 0..150 {
        let mut numbers = Numbers(seed);
        let mut text = bytes.to_vec();
        for _ in 0..=numbers.below(6) {
            let at = numbers.below(text.len());
            let until = (at + numbers.below(40)).min(text.len());
            let piece = pieces[numbers.below(pieces.len())];
            text.splice(at..until, piece.bytes());
        }
        facts_of(&String::from_utf8_lossy(&text));
    }
}

#[test]
fn deep_and_long_sources() {
    let deep = 3_000;
    facts_of(&format!("fn f() {{ {}x{} }}", "(".repeat(deep), ")".repeat(deep)));
    facts_of(&format!("fn f() {} {}", "{".repeat(deep), "}".repeat(deep)));
    facts_of(&format!("fn f(a: {}u8{}) {{}}", "Vec<".repeat(deep), ">".repeat(deep)));
    facts_of(&format!("fn f() {{ {}x; }}", "&".repeat(deep)));
    facts_of(&format!("{}{}", "mod m { fn f() {} ".repeat(deep), "}".repeat(deep)));
    facts_of(&format!("use {}x{};", "a::{b, ".repeat(deep), "}".repeat(deep)));
    facts_of(&format!("fn f() {{ {}{} }}", "m!(".repeat(deep), ")".repeat(deep)));
    let chain = facts_of(&format!("fn f() {{ a{}; }}", ".b(1)".repeat(20_000)));
    let last = chain.bodies.sites.last().map(|site| site.raw.to_string());
    assert_eq!(
        last.as_deref(),
        Some(&*format!("…{}.b", ".b(…)".repeat(30)[..].chars().skip(33).collect::<String>()))
    );
    let closures = facts_of(&format!("fn f() {{ g({}); }}", "|x| x, ".repeat(20_000)));
    assert_eq!(closures.bodies.bindings.len(), 20_000);
    facts_of(&format!("fn f() {{ match x {{ {} }} }}", "A::<[u8; 3]>(a, b) => c(),".repeat(5_000)));
}
