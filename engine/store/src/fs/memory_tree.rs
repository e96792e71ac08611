//! The tree behind [`super::MemoryFileSystem`]: numbered nodes and the directories that name them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{FileKind, Stat, components, join, split_parent};
use crate::ErrorKind;

pub(super) type NodeId = u64;
const ROOT: NodeId = 1;

/// Longest name of one component, as on the usual Unix file systems.
const LONGEST_NAME: usize = 255;

#[derive(Clone)]
pub(super) struct Tree {
    pub(super) nodes: BTreeMap<NodeId, Node>,
    pub(super) next: NodeId,
    pub(super) now: i64,
    pub(super) step: i64,
    pub(super) granularity: i64,
    pub(super) read_only: bool,
    pub(super) locks: BTreeMap<Vec<u8>, Vec<u8>>,
}

#[derive(Clone)]
pub(super) struct Node {
    pub(super) content: Content,
    pub(super) mtime: i64,
    pub(super) ctime: i64,
    pub(super) mode: u32,
    /// How many directory entries name it.
    pub(super) links: u32,
}

#[derive(Clone)]
pub(super) enum Content {
    File(Arc<[u8]>),
    Directory(BTreeMap<Arc<[u8]>, NodeId>),
    Symlink(Arc<[u8]>),
    Special,
}

impl Content {
    pub(super) fn kind(&self) -> FileKind {
        match self {
            Content::File(_) => FileKind::File,
            Content::Directory(_) => FileKind::Directory,
            Content::Symlink(_) => FileKind::Symlink,
            Content::Special => FileKind::Special,
        }
    }
}

impl Tree {
    /// Nothing but the root directory.
    pub(super) fn empty(now: i64) -> Self {
        let content = Content::Directory(BTreeMap::new());
        let root = Node { content, mtime: now, ctime: now, mode: 0o755, links: 1 };
        Self {
            nodes: BTreeMap::from([(ROOT, root)]),
            next: ROOT + 1,
            now,
            step: 1_000_000,
            granularity: 1,
            read_only: false,
            locks: BTreeMap::new(),
        }
    }

    pub(super) fn tick(&mut self) -> i64 {
        self.now += self.step;
        self.now.div_euclid(self.granularity) * self.granularity
    }

    pub(super) fn find(&self, path: &[u8]) -> Option<NodeId> {
        components(path)?.into_iter().try_fold(ROOT, |id, name| match &self.nodes[&id].content {
            Content::Directory(children) => children.get(name).copied(),
            _ => None,
        })
    }

    pub(super) fn node_mut(&mut self, path: &[u8]) -> Option<&mut Node> {
        let id = self.find(path)?;
        self.nodes.get_mut(&id)
    }

    /// Walks to a node as the system would, with the system's errors.
    pub(super) fn resolve(&self, path: &[u8]) -> Result<NodeId, ErrorKind> {
        let mut id = ROOT;
        for name in components(path).ok_or(ErrorKind::InvalidPath)? {
            if name.len() > LONGEST_NAME {
                return Err(ErrorKind::NameTooLong);
            }
            let node = &self.nodes[&id];
            match &node.content {
                Content::Directory(_) if node.mode & 0o111 == 0 => return Err(ErrorKind::PermissionDenied),
                Content::Directory(children) => id = *children.get(name).ok_or(ErrorKind::NotFound)?,
                Content::Symlink(_) => return Err(ErrorKind::SymlinkInPath),
                _ => return Err(ErrorKind::NotADirectory),
            }
        }
        Ok(id)
    }

    pub(super) fn children(&self, id: NodeId) -> Result<&BTreeMap<Arc<[u8]>, NodeId>, ErrorKind> {
        match &self.nodes[&id].content {
            Content::Directory(children) => Ok(children),
            Content::Symlink(_) => Err(ErrorKind::SymlinkInPath),
            _ => Err(ErrorKind::NotADirectory),
        }
    }

    /// The directory that holds, or is to hold, the path's last component.
    pub(super) fn writable_parent(&self, path: &[u8]) -> Result<NodeId, ErrorKind> {
        let (directory, name) = split_parent(path);
        if components(path).is_none_or(|parts| parts.is_empty()) {
            return Err(ErrorKind::InvalidPath);
        }
        let parent = self.resolve(directory)?;
        self.children(parent)?;
        match () {
            () if name.len() > LONGEST_NAME => Err(ErrorKind::NameTooLong),
            () if self.read_only => Err(ErrorKind::ReadOnly),
            () if self.nodes[&parent].mode & 0o200 == 0 => Err(ErrorKind::PermissionDenied),
            () => Ok(parent),
        }
    }

    pub(super) fn child(&self, parent: NodeId, path: &[u8]) -> Option<NodeId> {
        self.children(parent).ok()?.get(split_parent(path).1).copied()
    }

    /// Names `id` in `parent`; what had the name before is released.
    pub(super) fn insert(&mut self, parent: NodeId, name: &[u8], id: NodeId) {
        let now = self.tick();
        if let Some(node) = self.nodes.get_mut(&id) {
            node.links += 1;
        }
        let replaced = self.entries_mut(parent, now).and_then(|children| children.insert(name.into(), id));
        self.release(replaced);
    }

    /// Takes a name away and hands back what had it, still to be released or named elsewhere.
    pub(super) fn detach(&mut self, parent: NodeId, name: &[u8]) -> Option<NodeId> {
        let now = self.tick();
        self.entries_mut(parent, now)?.remove(name)
    }

    pub(super) fn entries_mut(
        &mut self,
        directory: NodeId,
        now: i64,
    ) -> Option<&mut BTreeMap<Arc<[u8]>, NodeId>> {
        let node = self.nodes.get_mut(&directory)?;
        (node.mtime, node.ctime) = (now, now);
        match &mut node.content {
            Content::Directory(children) => Some(children),
            _ => None,
        }
    }

    /// Counts one name less, and frees what no directory names any more.
    pub(super) fn release(&mut self, id: Option<NodeId>) {
        let mut open: Vec<NodeId> = id.into_iter().collect();
        while let Some(id) = open.pop() {
            let Some(node) = self.nodes.get_mut(&id) else { continue };
            node.links -= 1;
            if node.links == 0
                && let Some(Node { content: Content::Directory(children), .. }) = self.nodes.remove(&id)
            {
                open.extend(children.into_values());
            }
        }
    }

    pub(super) fn add(&mut self, parent: NodeId, name: &[u8], content: Content) {
        let now = self.tick();
        let mode = if content.kind() == FileKind::Directory { 0o755 } else { 0o644 };
        let id = self.next;
        self.next += 1;
        self.nodes.insert(id, Node { content, mtime: now, ctime: now, mode, links: 0 });
        self.insert(parent, name, id);
    }

    pub(super) fn make_parents(&mut self, path: &[u8]) -> NodeId {
        let mut current = ROOT;
        let (directory, _) = split_parent(path);
        for name in directory.split(|&byte| byte == b'/').filter(|name| !name.is_empty()) {
            let known = self.children(current).ok().and_then(|children| children.get(name).copied());
            let usable = known.filter(|id| self.nodes[id].content.kind() == FileKind::Directory);
            current = usable.unwrap_or_else(|| {
                self.add(current, name, Content::Directory(BTreeMap::new()));
                self.next - 1
            });
        }
        current
    }

    pub(super) fn put(&mut self, path: &[u8], content: Content) {
        let parent = self.make_parents(path);
        let now = self.tick();
        let existing = self.child(parent, path);
        match existing.and_then(|id| self.nodes.get_mut(&id)) {
            Some(Node { content: Content::File(old), mtime, ctime, .. })
                if content.kind() == FileKind::File =>
            {
                if let Content::File(new) = content {
                    *old = new;
                }
                (*mtime, *ctime) = (now, now);
            }
            _ => self.add(parent, split_parent(path).1, content),
        }
    }

    /// Calls `see` for the node at `prefix` and everything below it, in order of the components.
    pub(super) fn visit(&self, prefix: &[u8], see: &mut dyn FnMut(&[u8], &Node)) {
        let mut open: Vec<(Vec<u8>, NodeId)> =
            self.find(prefix).map(|id| (prefix.to_vec(), id)).into_iter().collect();
        while let Some((path, id)) = open.pop() {
            see(&path, &self.nodes[&id]);
            if let Content::Directory(children) = &self.nodes[&id].content {
                open.extend(children.iter().rev().map(|(name, child)| (join(&path, name), *child)));
            }
        }
    }

    pub(super) fn stat(&self, id: NodeId) -> Stat {
        let node = &self.nodes[&id];
        let size = match &node.content {
            Content::File(bytes) => bytes.len() as u64,
            Content::Symlink(target) => target.len() as u64,
            _ => 0,
        };
        let kind = node.content.kind();
        Stat { size, mtime: node.mtime, ctime: node.ctime, inode: id, kind, mode: node.mode }
    }

    pub(super) fn open(&self, path: &[u8]) -> Result<(NodeId, Arc<[u8]>), ErrorKind> {
        let id = self.resolve(path)?;
        let node = &self.nodes[&id];
        match &node.content {
            Content::File(_) if node.mode & 0o444 == 0 => Err(ErrorKind::PermissionDenied),
            Content::File(bytes) => Ok((id, bytes.clone())),
            Content::Directory(_) => Err(ErrorKind::IsADirectory),
            Content::Symlink(_) => Err(ErrorKind::SymlinkInPath),
            Content::Special => Err(ErrorKind::NotARegularFile),
        }
    }

    pub(super) fn rename(&mut self, from: &[u8], to: &[u8]) -> Result<(), ErrorKind> {
        let from_parent = self.writable_parent(from)?;
        let to_parent = self.writable_parent(to)?;
        let moved = self.child(from_parent, from).ok_or(ErrorKind::NotFound)?;
        let moves_directory = self.nodes[&moved].content.kind() == FileKind::Directory;
        if let Some(target) = self.child(to_parent, to) {
            match &self.nodes[&target].content {
                _ if target == moved => return Ok(()),
                Content::Directory(_) if !moves_directory => return Err(ErrorKind::IsADirectory),
                Content::Directory(children) if !children.is_empty() => {
                    return Err(ErrorKind::DirectoryNotEmpty);
                }
                Content::Directory(_) => {}
                _ if moves_directory => return Err(ErrorKind::NotADirectory),
                _ => {}
            }
        }
        self.insert(to_parent, split_parent(to).1, moved);
        let detached = self.detach(from_parent, split_parent(from).1);
        self.release(detached);
        let now = self.tick();
        if let Some(node) = self.nodes.get_mut(&moved) {
            node.ctime = now;
        }
        Ok(())
    }
}
