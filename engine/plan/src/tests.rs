use std::collections::BTreeMap;

use bindery_artifacts::PlanDeclarations;

use super::*;

/// A plan of one edit of `a.rs`.
fn plan_of(old: &str, new: &str) -> Plan {
    let text = format!(
        "Why.\n\n### EDIT 1\n\n- file: `a.rs`\n- where: `f (~2)`\n\n```old\n{old}```\n\n```new\n{new}```\n\n```json\n{{}}\n```\n"
    );
    let plan = Plan::parse(text.as_bytes());
    assert_eq!(plan.problems, [], "{text}");
    plan
}

fn resolved(plan: &Plan, files: &[(&str, &str)]) -> Resolved {
    let files: BTreeMap<&str, &str> = files.iter().copied().collect();
    resolve_edits(plan, |path| match files.get(path) {
        Some(text) => Content::File(text.as_bytes().to_vec()),
        None => Content::Missing,
    })
}

/// What `a.rs` becomes, or the problems.
fn edited(file: &str, old: &str, new: &str) -> Result<String, Vec<String>> {
    let resolved = resolved(&plan_of(old, new), &[("a.rs", file)]);
    match &resolved.problems[..] {
        [] => Ok(resolved
            .files
            .get("a.rs")
            .map_or_else(|| file.to_owned(), |edit| String::from_utf8(edit.after.clone()).unwrap())),
        problems => Err(problems
            .iter()
            .map(|problem| match &problem.hint {
                Some(hint) => format!("{}: {} ({hint})", problem.line, problem.message),
                None => format!("{}: {}", problem.line, problem.message),
            })
            .collect()),
    }
}

#[test]
fn the_parts_of_a_plan_are_read_with_their_lines() {
    let text = "Retry **twice**.\n\nMore.\n\n### EDIT 7\n\n- file: `app/engine.py`\n- where: `Engine.spin (~5)` — add retry\n\n```old\na\n```\n\n~~~~new\nb\n```\n~~~~\n\n```json\n{\n  \"will_modify\": [\"Engine.spin\"],\n  \"will_add\": [\"x\",\n    \"y\"]\n}\n```\n";
    let plan = Plan::parse(text.as_bytes());
    assert_eq!(plan.problems, []);
    assert_eq!(plan.missing_parts(), []);
    assert_eq!(plan.summary, "Retry **twice**.\n\nMore.");
    let expected = Edit {
        number: 7,
        line: 5,
        file: "app/engine.py".to_owned(),
        file_line: 7,
        place: "`Engine.spin (~5)` — add retry".to_owned(),
        old: Block { line: 10, bytes: b"a\n".to_vec() },
        new: Block { line: 14, bytes: b"b\n```\n".to_vec() },
    };
    assert_eq!(plan.edits, [expected]);
    let declarations = plan.declarations.unwrap();
    assert_eq!(declarations.value.will_add, ["x", "y"]);
    assert_eq!(declarations.line("will_modify", 0), 21);
    assert_eq!(declarations.line("will_add", 1), 23);
}

#[test]
fn problems_of_the_form_name_their_line() {
    let lines = |text: &str| -> Vec<String> {
        let plan = Plan::parse(text.as_bytes());
        let problems = plan.problems.iter().chain(&plan.declaration_problems);
        problems.map(|problem| format!("{}: {}", problem.line, problem.message)).collect()
    };
    assert_eq!(
        lines("### EDIT 1\n\n```old\nx\n```\n"),
        ["1: edit 1 has no `- file:` line", "1: edit 1 has no `new` block"]
    );
    assert_eq!(lines("```old\nx\n```\n"), ["1: the `old` block belongs to no edit"]);
    assert_eq!(lines("### EDIT one\n"), ["1: `EDIT one` is no edit: its heading is `### EDIT` and a number"]);
    let edit = "### EDIT 1\n- file: `a`\n```old\n```\n```new\n```\n";
    assert_eq!(lines(&format!("{edit}{edit}")), ["7: there are two edits 1"]);
    assert_eq!(
        lines("### EDIT 1\n- file: `a`\n\n```new\n```\n\n- x\n  ```old\n  x\n  ```\n"),
        [
            "1: edit 1 has no `old` block",
            "8: the `old` block is indented or quoted, so its bytes are not plain"
        ]
    );
    assert_eq!(
        lines("```json\n{}\n```\n\n```json\n{}\n```\n"),
        ["5: a plan has one `json` block, and this is another one"]
    );
    assert_eq!(lines("\n```json\n{"), ["2: the `json` block is never closed"]);
    let plan = Plan::parse(b"x\n\n```json\n{\n \"will_modfy\": []\n}\n```\n");
    assert_eq!((plan.declaration_problems.len(), plan.declaration_problems[0].line), (1, 5));
    assert_eq!(plan.declaration_problems[0].hint.as_deref(), Some("did you mean `will_modify`?"));
    assert_eq!(lines("a\n\0"), ["2: the plan is no text: it has a NUL byte"]);
    let no_text = Plan::parse(b"a\nb\n\xff").problems;
    assert_eq!((no_text.len(), no_text[0].line), (1, 3));
    let huge = vec![b'x'; LARGEST_PLAN + 1];
    assert!(Plan::parse(&huge).problems[0].message.starts_with("the plan has 16777217 bytes"));
}

#[test]
fn a_plan_without_edits_or_declarations_says_so() {
    let missing: Vec<String> =
        Plan::parse(b"Only words.\n").missing_parts().into_iter().map(|problem| problem.message).collect();
    assert_eq!(missing, ["the plan has no edit", "the plan has no block of declarations"]);
}

const FILE: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";

#[test]
fn an_edit_in_the_middle_needs_three_lines_on_each_side() {
    let after = edited(FILE, "2\n3\n4\n5\n6\n7\n8\n", "2\n3\n4\nfive\n6\n7\n8\n");
    assert_eq!(after, Ok("1\n2\n3\n4\nfive\n6\n7\n8\n9\n".to_owned()));
    let hint = "3 lines on each side that the edit leaves alone, where the file has them";
    let few = |head: usize, tail: usize| {
        Err(vec![format!(
            "8: edit 1 has too little context: `old` and `new` begin with {head} and end with {tail} equal lines ({hint})"
        )])
    };
    assert_eq!(edited(FILE, "3\n4\n5\n6\n7\n8\n", "3\n4\nfive\n6\n7\n8\n"), few(2, 3));
    assert_eq!(edited(FILE, "2\n3\n4\n5\n6\n7\n", "2\n3\n4\nfive\n6\n7\n"), few(3, 2));
    // Removing and adding whole lines: what is left is context for both sides, but not twice.
    assert!(edited(FILE, "2\n3\n4\n5\n6\n7\n8\n", "2\n3\n4\n6\n7\n8\n").is_ok());
    assert!(edited(FILE, "2\n3\n4\n6\n7\n8\n", "2\n3\n4\n5\n6\n7\n8\n").is_err(), "not in the file");
    assert_eq!(edited("0\nx\nx\nx\nx\n9\n", "x\nx\nx\nx\n", "x\nx\nx\nx\nx\n"), few(4, 4));
}

#[test]
fn at_the_ends_of_the_file_less_context_will_do() {
    assert_eq!(edited(FILE, "1\n2\n3\n4\n", "one\n2\n3\n4\n"), Ok(FILE.replace('1', "one")));
    assert_eq!(edited(FILE, "6\n7\n8\n9\n", "6\n7\n8\nnine\n"), Ok(FILE.replace('9', "nine")));
    assert_eq!(edited("1\n2\n", "1\n2\n", "2\n1\n"), Ok("2\n1\n".to_owned()));
    assert_eq!(edited(FILE, FILE, ""), Ok(String::new()));
    assert!(edited(FILE, "2\n3\n", "2\n3\n").is_ok(), "an edit that changes nothing needs no context");
}

#[test]
fn an_old_block_occurs_exactly_once() {
    let several = edited("a\nb\nc\na\nb\nc\n", "a\nb\n", "x\n");
    assert_eq!(
        several,
        Err(vec![
            "8: the `old` block occurs more than once: a.rs:1, a.rs:4 (more lines of context tell the places apart)"
                .to_owned()
        ])
    );
    assert_eq!(edited("a\na\na\n", "a\na\n", "x\n").unwrap_err().len(), 1, "it overlaps itself");
    assert_eq!(
        edited("1\n2\n3\nx\n", "1\n2\n3\n4\n", "1\n2\n3\n"),
        Err(vec![
            "8: the `old` block does not occur in `a.rs` (a.rs:1 has its first 3 lines, then differs)"
                .to_owned()
        ])
    );
    assert_eq!(
        edited("aa\nb\n", "a\nb\n", "x\n"),
        Err(vec!["8: the `old` block begins in the middle of a.rs:1".to_owned()])
    );
}

#[test]
fn line_ends_are_bytes_like_others() {
    let crlf = FILE.replace('\n', "\r\n");
    assert_eq!(
        edited(&crlf, "2\n3\n4\n5\n6\n7\n8\n", "2\n3\n4\n6\n7\n8\n"),
        Err(vec![
            "8: the `old` block does not occur in `a.rs` (only the line ends differ: one has CRLF, the other LF)"
                .to_owned()
        ])
    );
    let plan =
        "Why.\n\n### EDIT 1\n\n- file: `a.rs`\n\n```old\n1\n2\n3\n4\n```\n\n```new\none\n2\n3\n4\n```\n";
    let plan = Plan::parse(plan.replace('\n', "\r\n").as_bytes());
    assert_eq!((plan.problems.len(), plan.edits.len()), (0, 1));
    let found = resolved(&plan, &[("a.rs", &crlf)]);
    assert_eq!(found.problems, []);
    assert_eq!(found.files["a.rs"].after, crlf.replace('1', "one").into_bytes());
}

#[test]
fn a_file_without_a_final_line_end_stays_without() {
    assert_eq!(edited("1\n2", "1\n2\n", "1\ntwo\n"), Ok("1\ntwo".to_owned()));
    assert_eq!(edited("2\n1\n2", "2\n", "x\n").unwrap_err().len(), 1, "once whole, once open");
}

#[test]
fn several_edits_of_a_file_lie_apart() {
    let plan = |second: &str| {
        let text = format!(
            "### EDIT 1\n- file: `a.rs`\n```old\n1\n2\n3\n4\n```\n```new\none\n2\n3\n4\n```\n### EDIT 2\n- file: `a.rs`\n{second}"
        );
        Plan::parse(text.as_bytes())
    };
    let apart = plan("```old\n6\n7\n8\n9\n```\n```new\n6\n7\n8\nnine\n```\n");
    let found = resolved(&apart, &[("a.rs", FILE)]);
    assert_eq!(found.problems, []);
    assert_eq!(found.files["a.rs"].after, b"one\n2\n3\n4\n5\n6\n7\n8\nnine\n");
    let lines: Vec<_> = found.edits.iter().map(|edit| (edit.number, edit.lines)).collect();
    assert_eq!(lines, [(1, (1, 4)), (2, (6, 9))]);
    let touching = plan("```old\n4\n5\n6\n7\n8\n9\n```\n```new\n4\n5\n6\n7\n8\n9\n```\n");
    let problems = resolved(&touching, &[("a.rs", FILE)]).problems;
    assert_eq!(problems.len(), 1);
    assert_eq!((problems[0].line, &problems[0].message[..]), (15, "edit 1 and edit 2 overlap in `a.rs`"));
}

#[test]
fn a_file_that_is_not_there_is_created_from_an_empty_block() {
    let found = resolved(&plan_of("", "fn f() {}\n"), &[]);
    assert_eq!(found.problems, []);
    assert_eq!(found.files["a.rs"], FileEdit { before: None, after: b"fn f() {}\n".to_vec() });
    let problems = resolved(&plan_of("", "x\n"), &[("a.rs", "there\n")]).problems;
    assert_eq!(problems[0].message, "the `old` block is empty, and `a.rs` is there and is not");
    let problems = resolved(&plan_of("x\n", "y\n"), &[]).problems;
    assert_eq!((problems[0].line, &problems[0].message[..]), (5, "there is no file `a.rs`"));
}

#[test]
fn paths_that_leave_the_root_and_files_that_are_no_text_are_refused() {
    for path in ["../a.rs", "/a.rs", "a//b", "./a", "a/..", "a/../b"] {
        let text = format!("### EDIT 1\n- file: `{path}`\n```old\n```\n```new\nx\n```\n");
        let plan = Plan::parse(text.as_bytes());
        let problems = resolve_edits(&plan, |_| panic!("{path} was asked for")).problems;
        assert_eq!(problems[0].message, format!("`{path}` is no path below the root"));
    }
    let problems = resolved(&plan_of("x\n", "y\n"), &[("a.rs", "x\n\0")]).problems;
    assert_eq!(problems[0].message, "`a.rs` is no text: it has a NUL byte");
}

#[test]
fn a_draft_is_a_plan_whose_edits_change_nothing() {
    let text = "/// ```\n/// ````\nfn f() {}\n";
    let draft = Draft {
        wanted: vec!["f`".to_owned()],
        targets: vec![Target {
            id: "a.f".to_owned(),
            place: "a`b.rs:3".to_owned(),
            signature: "fn f()".to_owned(),
            callers: vec![("b.g".to_owned(), "b.rs:9".to_owned())],
        }],
        passages: vec![Passage {
            file: "a`b.rs".to_owned(),
            place: "f (~3)".to_owned(),
            text: text.to_owned(),
        }],
        declarations: PlanDeclarations { will_modify: vec!["a.f".to_owned()], ..PlanDeclarations::default() },
    };
    let plan = Plan::parse(draft.to_markdown().as_bytes());
    assert_eq!((&plan.problems[..], plan.missing_parts()), (&[][..], vec![]));
    assert_eq!((plan.edits.len(), &plan.edits[0].file[..]), (1, "a`b.rs"));
    assert_eq!(plan.edits[0].old.bytes, text.as_bytes());
    assert_eq!(plan.edits[0].new.bytes, text.as_bytes());
    assert_eq!(plan.declarations.unwrap().value.will_modify, ["a.f"]);
}

#[test]
fn the_files_of_a_diff_are_read_from_its_headers() {
    let text = "diff --git a/x.rs b/x.rs\nindex 1..2 100644\n--- a/x.rs\n+++ b/x.rs\n@@ -1,2 +1,2 @@ fn f\n--- gone\n+++ came\n same\ndiff --git a/n b/n\nnew file mode 100644\nindex 0..1\ndiff --git a/o b/m\nsimilarity index 100%\nrename from o\nrename to m\ndiff --git a/logo b/logo\nBinary files a/logo and b/logo differ\n--- a/old.py\t2020\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\\ No newline at end of file\n--- \"a/\\303\\274.py\"\n+++ \"b/\\303\\274.py\"\n";
    let found = changed_in_diff(text).unwrap();
    let found: Vec<(&str, DiffChange)> =
        found.iter().map(|(path, (change, _))| (&path[..], *change)).collect();
    use DiffChange::{Added, Changed, Deleted};
    assert_eq!(
        found,
        [
            ("logo", Changed),
            ("m", Added),
            ("n", Added),
            ("o", Deleted),
            ("old.py", Deleted),
            ("x.rs", Changed),
            ("ü.py", Changed)
        ]
    );
    assert_eq!(changed_in_diff("@@ -1,2 +1 @@\n-x\n").unwrap_err().message, "the diff ends within a hunk");
    assert_eq!(changed_in_diff("@@ nonsense\n").unwrap_err().line, 1);
}
