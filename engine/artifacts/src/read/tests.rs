use super::*;
use crate::{Card, Configuration, DroppedCalls, Graph, Kind, Organization, Role, Skeleton};

fn messages<A: Artifact + std::fmt::Debug>(file: &str, text: &str) -> Vec<String> {
    read::<A>(file, text).expect_err("the text is wrong").iter().map(Finding::to_string).collect()
}

#[test]
fn a_sound_configuration_is_read_with_defaults() {
    let text = "# hand-written\nout = \"docs/handbook\"\n\n[limits]\nfile_bytes = 1_000\n";
    let located = Configuration::read(text).unwrap();
    assert_eq!(located.value.out.as_deref(), Some("docs/handbook"));
    assert_eq!(located.value.limits.file_bytes.unwrap().get(), 1_000);
    assert_eq!(located.value.narrator, "extractive");
    assert_eq!(
        (located.line("/out"), located.line("/limits"), located.line("/limits/file_bytes")),
        (2, 4, 5)
    );
    assert_eq!(Configuration::read("").unwrap().value, Configuration::default());
}

#[test]
fn an_unknown_key_names_the_nearest_and_all_others() {
    let text = "name = \"x\"\n\nexlude = []\n[limits]\nfile_byte = 1\n";
    let limits =
        "`file_bytes`, `bracket_depth`, `memory_base`, `memory_per_byte`, `ticks_base`, `ticks_per_kibibyte`";
    let all = "`name`, `out`, `formats`, `depth`, `strategy`, `skeleton`, `prose`, `narrator`, `history`, \
               `include`, `exclude`, `files`, `limits`, `link_template`, `required_version`, `artifacts`";
    let found = messages::<Configuration>("bindery.toml", text);
    assert_eq!(
        found,
        [
            format!(
                "bindery.toml:3: at `/exlude`: unknown key `exlude`, did you mean `exclude`; allowed: {all}"
            ),
            format!(
                "bindery.toml:5: at `/limits/file_byte`: unknown key `file_byte`, did you mean `file_bytes`; \
                 allowed: {limits}"
            ),
        ]
    );
}

#[test]
fn a_wrong_word_or_type_says_what_is_allowed() {
    let text = "depth = \"deeep\"\nname = 3\nfiles = \"tracked\"\ninclude = [\"a\", 1]\nartifacts = \"nothing\"\n\
                [limits]\nfile_bytes = 0\n";
    assert_eq!(
        messages::<Configuration>("bindery.toml", text),
        [
            "bindery.toml:1: at `/depth`: found `deeep`, did you mean `deep`; allowed: `brief`, `deep`",
            "bindery.toml:2: at `/name`: found `3`; allowed: a string",
            "bindery.toml:4: at `/include/1`: found `1`; allowed: a string",
            "bindery.toml:5: at `/artifacts`: found `nothing`; allowed: `all`, `none`",
            "bindery.toml:7: at `/limits/file_bytes`: found `0`; allowed: a number of at least 1",
        ]
    );
}

#[test]
fn broken_toml_names_the_line() {
    let found = messages::<Configuration>("bindery.toml", "name = \"x\"\nout = \"a\"\nout = \"b\"\n");
    assert_eq!(found, ["bindery.toml:3: duplicate key"]);
    let found = messages::<Configuration>("bindery.toml", "name = \"x\"\n= 3\n");
    assert!(found[0].starts_with("bindery.toml:2: "), "{found:?}");
}

#[test]
fn paths_of_the_configuration_stay_below_the_root() {
    for bad in ["../x", "/x", "", ".", "a/../..", "C:/x", "a\\\\b", ".git/x", ".BINDERY"] {
        let text = format!("out = \"{bad}\"\n");
        let shown = bad.replace("\\\\", "\\");
        let expected = format!(
            "bindery.toml:1: at `/out`: found `{shown}`; allowed: a relative path to a place below the root"
        );
        assert_eq!(messages::<Configuration>("bindery.toml", &text), [expected]);
    }
}

#[test]
fn a_link_template_cannot_smuggle_a_scheme() {
    for (template, is_allowed) in [
        ("https://example.org/{path}#L{line}-L{end_line}", true),
        ("../../{path}", true),
        ("javascript:alert(1)//{path}", false),
        ("//example.org/{path}", false),
        ("https://example.org/{line}", false),
        ("https://example.org/{path}/{commit}", false),
    ] {
        let text = format!("link_template = \"{template}\"\n");
        assert_eq!(Configuration::read(&text).is_ok(), is_allowed, "{template}");
    }
}

#[test]
fn values_that_cannot_be_meant_are_findings() {
    let text = "strategy = \"member\"\nformats = []\nrequired_version = \"about 1\"\n";
    assert_eq!(
        messages::<Configuration>("bindery.toml", text),
        [
            "bindery.toml:1: at `/strategy`: found `member`; allowed: `member` only together with `skeleton`",
            "bindery.toml:2: at `/formats`: found `an empty list`; allowed: at least one format",
            "bindery.toml:3: at `/required_version`: found `about 1`; allowed: a version requirement as in \
             `Cargo.toml`, for instance `>=0.1, <0.3`",
        ]
    );
}

#[test]
fn prose_is_not_kept_where_the_handbook_is_written() {
    let text = |prose: &str| format!("out = \"docs/./handbook\"\nprose = \"{prose}\"\n");
    assert!(Configuration::read(&text("docs/handbook.jsonl")).is_ok(), "beside it");
    let found = |prose: &str| messages::<Configuration>("bindery.toml", &text(prose));
    let expected = "bindery.toml:2: at `/prose`: found `docs/x/../handbook/p.jsonl`; allowed: a path outside of \
                    `out`, where only what is written anew may lie";
    assert_eq!(found("docs/x/../handbook/p.jsonl"), [expected]);
}

#[test]
fn a_skeleton_by_hand_needs_little() {
    let text = "metadata: {version: 1}\nstages:\n- id: a\n  title: A\n- id: a.1\n  title: \"Part: one\"\n  parent: a\n";
    let mut located = read::<Skeleton>("stages.yaml", text).unwrap();
    located.value.rebuild_children();
    assert_eq!(located.value.stages[0].children[0].as_str(), "a.1");
    assert_eq!(located.value.metadata.drafted_by, crate::DraftedBy::User);
    assert_eq!((located.line("/stages/1"), located.line("/stages/1/parent")), (5, 7));
}

#[test]
fn wrong_references_of_a_skeleton_have_lines() {
    let text = "metadata:\n  version: 1\norder: [parse, rendr]\nstages:\n- {id: parse, title: P}\n\
                - {id: render, title: R, parent: pars}\n- id: parse\n  title: twice\n  parent: loop\n\
                - id: loop\n  title: L\n  parent: parse\n";
    assert_eq!(
        messages::<Skeleton>("s.yaml", text),
        [
            "s.yaml:3: at `/order/1`: found `rendr`, did you mean `render`; allowed: `loop`, `render`",
            "s.yaml:6: at `/stages/1/parent`: found `pars`, did you mean `parse`; allowed: `loop`, `parse`",
            "s.yaml:7: at `/stages/2/id`: found `parse`; allowed: an id that no other stage has, and not `unassigned`",
            "s.yaml:9: at `/stages/2/parent`: found `loop`; allowed: a stage that is not inside `parse`",
            "s.yaml:12: at `/stages/3/parent`: found `parse`; allowed: a stage that is not inside `loop`",
        ]
    );
}

#[test]
fn a_wrong_skeleton_names_line_and_form() {
    let text = "metadata:\n  version: 1\n  draftedby: user\nstages:\n  - id: a/b\n    title: x\n  - id: 7\n";
    let found = messages::<Skeleton>("s.yaml", text);
    assert_eq!(
        found,
        [
            "s.yaml:3: at `/metadata/draftedby`: unknown key `draftedby`, did you mean `draftedBy`; \
             allowed: `version`, `archetype`, `draftedBy`",
            "s.yaml:5: at `/stages/0/id`: found `a/b`; allowed: text that matches `^[A-Za-z0-9][A-Za-z0-9._-]*$`",
            "s.yaml:7: at `/stages/1`: missing key `title`",
            "s.yaml:7: at `/stages/1/id`: found `7`; allowed: a string",
        ]
    );
}

#[test]
fn broken_yaml_names_the_line() {
    let found = messages::<Skeleton>("s.yaml", "metadata:\n  version: 1\n  version: 1\nstages: []\n");
    assert!(found[0].starts_with("s.yaml:3: "), "{found:?}");
    let found = messages::<Skeleton>("s.yaml", "metadata: [\nstages: {\n");
    assert!(found.len() == 1 && found[0].starts_with("s.yaml:"), "{found:?}");
    assert_eq!(messages::<Skeleton>("s.yaml", "").len(), 1);
}

#[test]
fn yaml_aliases_cannot_explode() {
    let mut text = "a: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..20 {
        let above = level - 1;
        text.push_str(&format!("k{level}: &a{level} [*a{above}, *a{above}, *a{above}, *a{above}]\n"));
    }
    assert_eq!(read::<Skeleton>("s.yaml", &text).unwrap_err().len(), 1);
}

#[test]
fn a_newer_version_is_refused_by_name() {
    let expected = "version 2 is newer than version 1, the newest this build reads";
    let json = "{\n\"version\": 2,\n\"surprise\": []\n}";
    assert_eq!(messages::<Card>("c.json", json), [format!("c.json:2: at `/version`: {expected}")]);
    let yaml = "metadata:\n  archetype: x\n  version: 2\nstages: []\n";
    assert_eq!(
        messages::<Skeleton>("s.yaml", yaml),
        [format!("s.yaml:3: at `/metadata/version`: {expected}")]
    );
    assert_eq!(
        messages::<Organization>("o.yaml", yaml),
        [format!("o.yaml:3: at `/metadata/version`: {expected}")]
    );
}

#[test]
fn wrong_json_names_line_and_nearest() {
    let text = "{\n \"version\": 1,\n \"file\": \"a.rs\",\n \"purpose\": \"\",\n \"role\": \"utils\",\n \
                \"lifecycle\": \"none\",\n \"functions\": [\n  {\"id\": \"x\"}\n ]\n}";
    let found = messages::<Card>("a.rs.json", text);
    assert_eq!(
        found[0],
        "a.rs.json:5: at `/role`: found `utils`, did you mean `util`; allowed: `entrypoint`, `orchestration`, \
         `domain_logic`, `io_transport`, `data_model`, `config`, `util`, `test`, `generated`, `other`"
    );
    assert!(
        found.contains(&"a.rs.json:8: at `/functions/0`: missing key `qualname`".to_owned()),
        "{found:?}"
    );
    assert_eq!(Role::ALL.len(), 10);
    let found = messages::<Card>("a.rs.json", "{\"version\": 1,\n \"file\": }");
    assert_eq!(found, ["a.rs.json:2: expected value"]);
}

#[test]
fn a_key_given_twice_is_found_though_the_schema_cannot_see_it() {
    let text = "{\"version\": 1, \"file\": \"a\", \"file\": \"b\",\n\"purpose\": \"\", \"role\": \"util\", \"lifecycle\": \"none\"}";
    assert_eq!(messages::<Card>("c.json", text), ["c.json:1: duplicate field `file`"]);
}

#[test]
fn a_missing_category_is_named() {
    let text = "{\"version\":1,\"metadata\":{\"generatedAt\":\"\",\"totalDropped\":0,\"byCategory\":{\"builtin\":0,\
                \"bare_name\":0,\"inherited_method\":0,\"local_var_method\":0,\"self_attr_unknown\":0,\
                \"string_literal_method\":0}},\"edgesByCategory\":{\"builtin\":[],\"bare_name\":[],\
                \"inherited_method\":[],\n\"local_var_method\":[],\"self_attr_unknown\":[]}}";
    let found = messages::<DroppedCalls<'static>>("d.json", text);
    assert_eq!(found, ["d.json:1: at `/edgesByCategory`: missing key `string_literal_method`"]);
}

#[test]
fn a_wrong_node_is_explained_by_the_kind_it_comes_nearest() {
    let node = r#"{"id":"boundary:os.getpid","name":"getpid","qualname":"os.getpid","module":"os","className":"","kind":"boundry","nCallees":0,"nCallers":1}"#;
    let text = format!(
        "{{\"version\":1,\"metadata\":{{\"generatedAt\":\"\",\"language\":\"python\",\"sourceRoot\":\".\",\
         \"scannedFiles\":[],\"nInternalFunctions\":0,\"nBoundaryNodes\":1,\"nEdges\":0,\"policy\":\"\"}},\n\
         \"nodes\":{{\n\"boundary:os.getpid\":{node}}},\"edges\":[],\"selfAttrs\":{{}},\"types\":{{}}}}"
    );
    let found = messages::<Graph<'static>>("graph.json", &text);
    assert_eq!(
        found,
        [
            "graph.json:3: at `/nodes/boundary:os.getpid/kind`: found `boundry`, did you mean `boundary`; allowed: `boundary`"
        ]
    );
    assert!(read::<Graph<'static>>("graph.json", &text.replace("boundry", "boundary")).is_ok());
}

#[test]
fn every_schema_is_one_and_has_a_description_for_every_key() {
    for kind in Kind::ALL {
        let schema = kind.schema();
        assert!(jsonschema::draft202012::meta::is_valid(&schema), "{}", kind.name());
        assert_eq!(crate::schema(kind.name()), Some(schema.clone()));
        let mut open = vec![&schema];
        while let Some(place) = open.pop() {
            for (key, property) in place.get("properties").and_then(Value::as_object).into_iter().flatten() {
                assert!(property.get("description").is_some(), "{}: {key}", kind.name());
            }
            match place {
                Value::Object(fields) => open.extend(fields.values()),
                Value::Array(items) => open.extend(items),
                _ => {}
            }
        }
    }
}
