//! The directories of a repository, with the files below each as one range.

use std::ops::Range;

/// Index of a directory in a [`Tree`]; number 0 is the root.
pub(crate) type DirectoryIndex = usize;

/// One directory.
pub(crate) struct Directory<'a> {
    /// Its path, `""` for the root.
    pub(crate) path: &'a str,
    /// Its last segment.
    pub(crate) name: &'a str,
    /// The directory it lies in.
    pub(crate) parent: Option<DirectoryIndex>,
    /// Its subdirectories, by name.
    pub(crate) children: Vec<DirectoryIndex>,
    /// The files directly in it.
    pub(crate) own_files: Vec<u32>,
    /// All files below it: a range of the sorted file list.
    pub(crate) files: Range<u32>,
}

/// All directories that hold a file, parents before children.
pub(crate) struct Tree<'a> {
    /// The directories.
    pub(crate) directories: Vec<Directory<'a>>,
    /// The paths of all files, sorted.
    pub(crate) paths: Vec<&'a str>,
}

impl<'a> Tree<'a> {
    /// Builds the tree of `paths`, which must be sorted by bytes: then the files below a directory
    /// are neighbours, and one pass with a stack is enough.
    pub(crate) fn new(paths: Vec<&'a str>) -> Self {
        debug_assert!(paths.is_sorted());
        let root =
            Directory { path: "", name: "", parent: None, children: vec![], own_files: vec![], files: 0..0 };
        let mut directories = vec![root];
        let mut open = vec![0];
        for (index, path) in paths.iter().enumerate() {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            while !is_within(folder, directories[*open.last().expect("the root is never closed")].path) {
                open.pop();
            }
            open_down_to(folder, index as u32, &mut directories, &mut open);
            directories[*open.last().expect("the root is never closed")].own_files.push(index as u32);
            open.iter().for_each(|directory| directories[*directory].files.end = index as u32 + 1);
        }
        Self { directories, paths }
    }

    /// The directory at `index`.
    pub(crate) fn get(&self, index: DirectoryIndex) -> &Directory<'a> {
        &self.directories[index]
    }

    /// How many files lie below a directory.
    pub(crate) fn size(&self, index: DirectoryIndex) -> usize {
        self.directories[index].files.len()
    }

    /// Whether a subdirectory of that name lies in the directory.
    pub(crate) fn has_child(&self, index: DirectoryIndex, name: &str) -> bool {
        self.directories[index].children.iter().any(|child| self.directories[*child].name == name)
    }
}

fn is_within(folder: &str, directory: &str) -> bool {
    match folder.strip_prefix(directory) {
        Some(rest) => directory.is_empty() || rest.is_empty() || rest.starts_with('/'),
        None => false,
    }
}

fn open_down_to<'a>(
    folder: &'a str,
    first_file: u32,
    directories: &mut Vec<Directory<'a>>,
    open: &mut Vec<usize>,
) {
    loop {
        let parent = *open.last().expect("the root is never closed");
        let depth = directories[parent].path.len();
        if depth == folder.len() {
            return;
        }
        let start = if depth == 0 { 0 } else { depth + 1 };
        let end = folder[start..].find('/').map_or(folder.len(), |slash| start + slash);
        let index = directories.len();
        directories.push(Directory {
            path: &folder[..end],
            name: &folder[start..end],
            parent: Some(parent),
            children: vec![],
            own_files: vec![],
            files: first_file..first_file,
        });
        directories[parent].children.push(index);
        open.push(index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_below_a_directory_are_one_range() {
        let tree = Tree::new(vec!["a.rs", "a/b.rs", "a/b/c.rs", "a/b/d/e.rs", "ab/f.rs"]);
        let seen: Vec<_> =
            tree.directories.iter().map(|d| (d.path, d.own_files.clone(), d.files.clone())).collect();
        assert_eq!(
            seen,
            [
                ("", vec![0], 0..5),
                ("a", vec![1], 1..4),
                ("a/b", vec![2], 2..4),
                ("a/b/d", vec![3], 3..4),
                ("ab", vec![4], 4..5),
            ]
        );
        assert_eq!(tree.get(0).children, [1, 4]);
    }
}
