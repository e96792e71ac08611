//! The module of constants that a crate can include.

use bindery_engine::Page;

/// Rust items: the stages' ids, titles and pages, and the overview.
pub(crate) fn module(pages: &[Page]) -> String {
    let mut text = String::from(
        "/// A stage of the handbook.\n\
         #[derive(Clone, Copy, Debug, PartialEq, Eq)]\n\
         pub struct HandbookStage {\n    \
             /// Its id.\n    pub id: &'static str,\n    \
             /// Its title.\n    pub title: &'static str,\n    \
             /// Its page, as Markdown.\n    pub page: &'static str,\n\
         }\n\n\
         /// The handbook's first page, as Markdown.\n\
         pub const HANDBOOK_OVERVIEW: &str = include_str!(concat!(env!(\"OUT_DIR\"), \"/handbook/overview.md\"));\n\n\
         /// The stages in reading order.\n\
         pub const HANDBOOK_STAGES: &[HandbookStage] = &[\n",
    );
    for page in pages {
        // `{:?}` spells a string as Rust does.
        text.push_str(&format!(
            "    HandbookStage {{\n        id: {:?},\n        title: {:?},\n        page: include_str!(concat!(env!(\"OUT_DIR\"), {:?})),\n    }},\n",
            page.stage,
            page.title,
            format!("/handbook/{}", page.file),
        ));
    }
    text + "];\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_the_repository_are_literals() {
        let page =
            Page { stage: "a".to_owned(), title: "\"; fn x() {} //".to_owned(), file: "a.md".to_owned() };
        let text = module(&[page]);
        assert!(text.contains("        title: \"\\\"; fn x() {} //\",\n"), "{text}");
        assert!(text.contains("concat!(env!(\"OUT_DIR\"), \"/handbook/a.md\")"), "{text}");
    }
}
