//! What READMEs and manifests say about the repository as a whole.

use bindery_facts::{Manifest, decode};
use bindery_handbook::DirectoryTitle;
use bindery_handbook::agent::Package;
use bindery_source::RepoPath;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use serde::{Deserialize, Serialize};

use crate::blobs::{Blobs, Lost};
use crate::files::Files;
use crate::state::{FileRecord, InputKind, Status};

/// Names and titles read as data.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct About {
    /// The root manifest's package name, else the root README's heading.
    name: Option<String>,
    /// The first paragraph of the root's README.
    pub(crate) paragraph: Option<String>,
    /// README headings by directory, sorted.
    pub(crate) titles: Vec<DirectoryTitle>,
    /// The packages that manifests declare, by the names imports use, sorted.
    pub(crate) packages: Vec<Package>,
}

impl About {
    /// What to call the repository. `configured` is the name the configuration gives.
    pub(crate) fn name<'a>(&'a self, configured: Option<&'a str>) -> &'a str {
        configured.or(self.name.as_deref()).unwrap_or("repository")
    }

    /// Reads it off the manifests and READMEs the state knows.
    pub(crate) fn read(blobs: &Blobs, files: &Files) -> Result<Self, Lost> {
        let mut inputs: Vec<&FileRecord> = files.data(blobs).collect();
        inputs.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        let mut about = About::default();
        let mut package = None;
        for file in inputs {
            let Status::Data(blob) = &file.status else { continue };
            let bytes = blobs.read(blob).ok_or(Lost)?;
            match file.kind {
                InputKind::Readme => {
                    about.add_readme(&file.path, &decode::<String>(&bytes).map_err(|_| Lost)?)
                }
                InputKind::Manifest(_) => {
                    let manifest: Manifest = decode(&bytes).map_err(|_| Lost)?;
                    let directory = file.path.directory();
                    about.packages.extend(packages(&manifest, directory));
                    let name =
                        manifest.entries.iter().find(|entry| entry.kind == "package" && entry.key == "name");
                    if directory.is_empty() && package.is_none() {
                        package = name.map(|entry| entry.value.to_string());
                    }
                }
                _ => {}
            }
        }
        let heading =
            about.titles.first().filter(|title| title.directory.is_empty()).map(|title| title.title.clone());
        about.name = package.or(heading);
        about.packages.sort_unstable();
        about.packages.dedup();
        Ok(about)
    }

    fn add_readme(&mut self, path: &RepoPath, text: &str) {
        let (heading, paragraph) = heading_and_paragraph(text);
        let directory = path.directory().to_owned();
        if directory.is_empty() && self.paragraph.is_none() {
            self.paragraph = paragraph;
        }
        if let Some(title) = heading
            && self.titles.last().is_none_or(|last| last.directory != directory)
        {
            self.titles.push(DirectoryTitle { directory, title });
            self.titles.sort_by(|a, b| a.directory.cmp(&b.directory));
        }
    }
}

/// What imports may call the package of a manifest: its own name, a Cargo library's name in code, the path of
/// a Go module.
fn packages<'m>(manifest: &'m Manifest, directory: &'m str) -> impl Iterator<Item = Package> + 'm {
    // A Go package is imported by its module's path, never by its name alone.
    let has_module = manifest.entries.iter().any(|entry| entry.kind == "module");
    let names = manifest.entries.iter().filter_map(move |entry| match (&*entry.kind, &*entry.key) {
        ("module", _) => Some(&entry.value),
        ("package", "name") if !has_module => Some(&entry.value),
        ("lib", _) => Some(&entry.key),
        _ => None,
    });
    names.map(|name| Package { name: name.to_string(), directory: directory.to_owned() })
}

/// The first heading's text, and the first paragraph that is more than images and links.
fn heading_and_paragraph(text: &str) -> (Option<String>, Option<String>) {
    let (mut heading, mut paragraph) = (None, None);
    let mut current = String::new();
    let (mut skipped, mut words) = (0_u32, false);
    for event in Parser::new(text) {
        match event {
            Event::Start(Tag::Heading { .. } | Tag::Paragraph) => (current, words) = (String::new(), false),
            Event::Start(Tag::Image { .. }) => skipped += 1,
            Event::End(TagEnd::Image) => skipped -= 1,
            Event::Text(text) | Event::Code(text) if skipped == 0 => {
                words |= text.contains(char::is_alphabetic);
                current.push_str(&text);
            }
            Event::SoftBreak | Event::HardBreak => current.push(' '),
            Event::End(TagEnd::Heading(_)) if heading.is_none() && words => heading = Some(folded(&current)),
            Event::End(TagEnd::Paragraph) if words && current.split_whitespace().count() > 3 => {
                paragraph = Some(folded(&current));
                break;
            }
            _ => {}
        }
    }
    (heading, paragraph)
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::heading_and_paragraph;

    #[test]
    fn badges_are_no_paragraph() {
        let text = "[![build](a.svg)](b) [![x](c.svg)](d)\n\n# The `tool`\n\nDoes one thing\nand does it well.\n\nMore.";
        let (heading, paragraph) = heading_and_paragraph(text);
        assert_eq!(heading.as_deref(), Some("The tool"));
        assert_eq!(paragraph.as_deref(), Some("Does one thing and does it well."));
    }
}
