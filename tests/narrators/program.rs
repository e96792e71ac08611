//! A program that answers well: what is asked, when, and where the answers go.

use std::fs;

use serde_json::json;

use crate::sandbox::{GOOD, Run, Sandbox, number, reasons};

#[test]
fn every_unit_is_asked_for_once_and_shown() {
    let sandbox = Sandbox::told_by(GOOD);
    let report = sandbox.build(&[]);
    let asked = sandbox.asked();
    assert_eq!(number(&report, "units"), asked.len() as u64);
    assert_eq!(number(&report, "received"), asked.len() as u64);
    assert_eq!(report["missing"], json!([]));
    let mut once = asked.clone();
    once.dedup();
    assert_eq!(once, asked, "nothing is asked twice");
    assert_eq!(asked.iter().filter(|line| line.starts_with("purpose ")).count(), 16, "one for each file");
    assert!(
        asked.contains(&"system-overview ".to_owned()) && asked.contains(&"stage-summary queue".to_owned())
    );

    let page = sandbox.read(".bindery/handbook/queue.md");
    assert!(page.contains("\nTold of purpose queue/src/queue.rs.\n"), "{page}");
    assert!(page.contains("\nTold of stage-summary queue.\n"), "{page}");
    assert!(sandbox.read(".bindery/handbook/overview.md").contains("\nTold of system-overview .\n"));
    let card = sandbox.json(".bindery/phase2/cards/queue/src/queue.rs.json");
    assert_eq!(card["purpose"], "Told of purpose queue/src/queue.rs.");
    let narration = sandbox.json(".bindery/phase3/narration.json");
    assert_eq!(narration["systemOverview"], "Told of system-overview .");
    assert_eq!(narration["stageSummaries"]["queue"], "Told of stage-summary queue.");
    assert_eq!(sandbox.json(".bindery/phase2/cards/_coverage.json")["nDescribed"], 16);
}

#[test]
fn what_was_answered_is_not_asked_again() {
    let sandbox = Sandbox::told_by(GOOD);
    sandbox.build(&[]);
    let (asked, handbook) = (sandbox.asked(), sandbox.handbook());
    let again = sandbox.run(&["build"]);
    assert!(again.stdout.contains("wrote 0 handbook files and 0 artifacts"), "{again:?}");
    let check = sandbox.run(&["check"]);
    assert_eq!((check.code, check.stdout.as_str()), (Some(0), "up to date\n"));
    assert_eq!(sandbox.run(&["cache", "clear"]).code, Some(0));
    let report = sandbox.build(&[]);
    assert_eq!((number(&report, "received"), number(&report, "reused")), (0, asked.len() as u64));
    assert_eq!(sandbox.asked(), asked);
    assert_eq!(sandbox.handbook(), handbook);
}

#[test]
fn an_edit_asks_for_what_it_touches() {
    let sandbox = Sandbox::told_by(GOOD);
    sandbox.build(&[]);
    sandbox.forget_asked();
    sandbox.replace(
        "queue/src/queue.rs",
        "pub fn push(&mut self, job: Job) {",
        "pub fn push(&mut self, job: Job) {\n",
    );
    let report = sandbox.build(&[]);
    assert_eq!(sandbox.asked(), ["purpose queue/src/queue.rs"]);
    assert_eq!((number(&report, "received"), number(&report, "unused")), (1, 1));
    // What the edit undid is still there to be used.
    sandbox.replace(
        "queue/src/queue.rs",
        "pub fn push(&mut self, job: Job) {\n",
        "pub fn push(&mut self, job: Job) {",
    );
    assert_eq!(number(&sandbox.build(&[]), "received"), 0);
    assert_eq!(number(&sandbox.build(&["--prune-prose"]), "unused"), 0);
}

#[test]
fn going_deep_asks_about_each_function() {
    let sandbox = Sandbox::with("narrator = \"mine\"\ndepth = \"deep\"\n");
    sandbox.declare("kind = \"command\"\nprogram = [\"./tell\"]\nallow_send = true\nconcurrency = 2\n");
    sandbox.script(GOOD);
    sandbox.build(&[]);
    let asked = sandbox.asked();
    assert!(asked.contains(&"description queue/src/queue.rs".to_owned()));
    assert!(asked.contains(&"function queue.src.queue.Queue.push".to_owned()));
    let functions = sandbox.read(".bindery/phase1/functions.csv").lines().count() - 1;
    assert_eq!(asked.iter().filter(|line| line.starts_with("function ")).count(), functions);
    let card = sandbox.json(".bindery/phase2/cards/queue/src/queue.rs.json");
    assert_eq!(card["description"], "Told of description queue/src/queue.rs.");
    let push = card["functions"].as_array().expect("the card lists functions").iter();
    let push = push.filter(|function| function["name"] == "push").collect::<Vec<_>>();
    assert_eq!(push[0]["purpose"], "Does queue.src.queue.Queue.push.");
    assert_eq!(push[0]["dataFlow"], "Flows through queue.src.queue.Queue.push.");
    assert_eq!(push[0]["relations"], "");
    let page = sandbox.read(".bindery/handbook/queue.md");
    assert!(
        page.contains(" -->Does queue.src.queue.Queue.push.<!-- /bindery:prose -->\n  - Data flow: <!--"),
        "{page}"
    );

    sandbox.forget_asked();
    let edited = "pub fn push(&mut self, job: Job) {\n        let _edited = 0;";
    sandbox.replace("queue/src/queue.rs", "pub fn push(&mut self, job: Job) {", edited);
    sandbox.build(&[]);
    let expected = [
        "description queue/src/queue.rs",
        "function queue.src.queue.Queue.push",
        "purpose queue/src/queue.rs",
    ];
    assert_eq!(sandbox.asked(), expected);
    let incremental = sandbox.handbook();
    assert_eq!(sandbox.run(&["cache", "clear"]).code, Some(0));
    sandbox.build(&["--verify"]);
    assert_eq!(sandbox.handbook(), incremental);
    // Without what is kept, `check` finds all of it on the pages.
    fs::remove_file(sandbox.root().join(".bindery/phase3/prose.jsonl")).expect("prose is kept there");
    assert_eq!(sandbox.run(&["check", "--diff"]).stdout, "up to date\n");
    assert_eq!(sandbox.asked(), expected);
}

#[test]
fn nothing_is_sent_without_leave_and_all_of_it_is_listed_before() {
    let sandbox = Sandbox::told_by(GOOD);
    sandbox.declare("kind = \"command\"\nprogram = [\"./tell\"]\n");
    let report = sandbox.build(&[]);
    let reason = "sending source text needs `--allow-send`, or `allow_send` in your configuration";
    assert_eq!(reasons(&report), [reason]);
    let listed = sandbox.run(&["build", "--dry-run", "--format", "json"]);
    let listed: serde_json::Value = serde_json::from_str(&listed.stdout).expect("the list is JSON");
    let listed = listed["requests"].as_array().expect("it lists requests");
    assert_eq!(listed.len() as u64, number(&report, "units"));
    assert!(listed.iter().all(|request| request["bytes"].as_u64() > Some(20)));
    assert_eq!(sandbox.build(&["--allow-send", "--offline"])["missing"][0]["reason"], "`--offline`");
    assert_eq!(sandbox.asked(), Vec::<String>::new());
    assert_eq!(number(&sandbox.build(&["--allow-send"]), "received"), listed.len() as u64);
    let text = sandbox.run(&["build", "--dry-run"]);
    assert_eq!((text.code, text.stdout.as_str()), (Some(0), "0 requests, 0 bytes\n"));
}

#[test]
fn a_narrator_nobody_declared_leaves_units_empty() {
    let sandbox = Sandbox::with("narrator = \"theirs\"\n");
    sandbox.declare("kind = \"command\"\nprogram = [\"./tell\"]\nallow_send = true\n");
    sandbox.script(GOOD);
    let run = sandbox.run(&["build"]);
    assert_eq!(run.code, Some(0));
    let file = sandbox.user().join("config.toml");
    let note = format!("of prose missing: no narrator `theirs` in `{}`", file.display());
    assert!(run.stderr.contains(&note), "{run:?}");
    assert!(sandbox.read(".bindery/handbook/queue.md").contains("purpose"));
    assert_eq!(sandbox.json(".bindery/phase2/cards/queue/src/queue.rs.json")["purpose"], "");
    assert_eq!(sandbox.json(".bindery/phase2/cards/_coverage.json")["nDescribed"], 0);
    assert_eq!(sandbox.run(&["check"]).code, Some(0));
    assert_eq!(sandbox.asked(), Vec::<String>::new());
}

#[test]
fn the_repository_can_name_a_narrator_and_nothing_else() {
    let lines = [
        ("program = [\"touch\", \"owned\"]", "program"),
        ("endpoint = \"http://127.0.0.1:9\"", "endpoint"),
        ("key_env = \"HOME\"", "key_env"),
        ("allow_send = true", "allow_send"),
        ("[narrators.mine]\nkind = \"command\"\nprogram = [\"touch\", \"owned\"]", "narrators"),
    ];
    for (line, key) in lines {
        let sandbox = Sandbox::with(&format!("narrator = \"mine\"\n{line}\n"));
        let run = sandbox.run(&["build", "--allow-send"]);
        assert_eq!(run.code, Some(3), "{run:?}");
        assert!(run.stderr.contains("bindery.toml:2:") && run.stderr.contains(key), "{run:?}");
        assert!(!sandbox.root().join("owned").exists());
    }
    let sandbox = Sandbox::with("narrator = \"mine\"\n");
    let run = sandbox.run(&["build", "--config", "program = [\"touch\", \"owned\"]"]);
    assert_eq!(run.code, Some(2), "{run:?}");
}

#[test]
fn the_users_configuration_is_validated_and_must_be_there_if_it_is_named() {
    let sandbox = Sandbox::told_by(GOOD);
    sandbox.declare("kind = \"command\"\nprogramme = [\"./tell\"]\n");
    let run = sandbox.run(&["build"]);
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(
        run.stderr.contains("config.toml:3:") && run.stderr.contains("did you mean `program`?"),
        "{run:?}"
    );
    let run = Run::of(sandbox.command(&["build"]).env("BINDERY_CONFIG", sandbox.user().join("none.toml")));
    assert_eq!(run.code, Some(2), "{run:?}");
    // Without a place of one's own there is no narrator, and no fault either.
    let mut command = sandbox.command(&["build"]);
    command.env_remove("BINDERY_CONFIG").env_remove("XDG_CONFIG_HOME").env("HOME", "relative");
    assert_eq!(Run::of(&mut command).code, Some(0));
    let home = sandbox.user().join("home/.config/bindery");
    fs::create_dir_all(&home).expect("directories can be made");
    let declared = format!(
        "[narrators.mine]\nkind = \"command\"\nprogram = [\"{}\"]\nallow_send = true\n",
        sandbox.user().join("tell").display()
    );
    fs::write(home.join("config.toml"), declared).expect("files can be written");
    let mut command = sandbox.command(&["build"]);
    command
        .env_remove("BINDERY_CONFIG")
        .env_remove("XDG_CONFIG_HOME")
        .env("HOME", sandbox.user().join("home"));
    assert_eq!(Run::of(&mut command).code, Some(0));
    assert!(sandbox.asked().len() > 16);
}
