//! The tree of stages as a script, so that a stage's page need not know the others' titles.

use super::links::stem;
use super::search::{Script, string};
use crate::pages::IndexPage;

/// Renders `navigation.js`: the handbook's name, then a row per stage in reading order with title, name of
/// its page and of its search script, depth, and 1 if it is crosscut.
pub fn navigation(page: &IndexPage) -> String {
    let mut script = Script::new("var binderyNavigation=");
    script.open("{\"name\":").value(&string(&page.name)).open(",\"stages\":");
    script.list(page.entries.iter().map(|entry| {
        let crosscut = u8::from(entry.crosscut);
        let (title, page) = (string(&entry.link.title), string(stem(&entry.link.page)));
        format!("[{title},{page},{},{crosscut}]", entry.depth)
    }));
    script.open("};").finish()
}
