use std::sync::Arc;

use super::SeenLink;
use crate::StoreResult;
use crate::fs::{FileKind, FileSystem, Stat, join, split_parent};
use serde::{Deserialize, Serialize};

/// Where a symbolic link leads in the end.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum LinkTarget {
    /// To a regular file inside the root: its own path and stat.
    File(Arc<[u8]>, Stat),
    /// To a directory inside the root.
    Directory,
    /// Out of the root.
    Outside,
    /// To nothing, or in circles.
    Broken,
    /// To a FIFO, socket or device.
    Special,
}

/// As many links as Linux follows before it calls a path circular.
const MOST_LINKS: usize = 40;

/// Follows a link by hand, step by step, without ever leaving the root. What the system does not let us look
/// at leads nowhere.
pub fn resolve_link(file_system: &dyn FileSystem, link: &[u8]) -> LinkTarget {
    walk_link(file_system, link).unwrap_or(LinkTarget::Broken)
}

fn walk_link(file_system: &dyn FileSystem, link: &[u8]) -> StoreResult<LinkTarget> {
    let mut links = 0;
    let mut current: Vec<u8> = split_parent(link).0.to_vec();
    // The components still to walk, the next one last.
    let mut open: Vec<Vec<u8>> = vec![split_parent(link).1.to_vec()];
    while let Some(name) = open.pop() {
        match name.as_slice() {
            b"" | b"." => continue,
            b".." if current.is_empty() => return Ok(LinkTarget::Outside),
            b".." => {
                current.truncate(split_parent(&current).0.len());
                continue;
            }
            _ => {}
        }
        let path = join(&current, &name);
        let stat = file_system.lstat(&path)?;
        match stat.kind {
            FileKind::Symlink => {
                links += 1;
                let text = file_system.read_link(&path)?;
                if links > MOST_LINKS {
                    return Ok(LinkTarget::Broken);
                }
                if text.first() == Some(&b'/') {
                    return Ok(LinkTarget::Outside);
                }
                open.extend(text.split(|&byte| byte == b'/').rev().map(<[u8]>::to_vec));
            }
            FileKind::Directory => current = path,
            // A trailing slash, or anything else behind a file, leads nowhere.
            _ if !open.is_empty() => return Ok(LinkTarget::Broken),
            FileKind::File => return Ok(LinkTarget::File(path.into(), stat)),
            FileKind::Special => return Ok(LinkTarget::Special),
        }
    }
    Ok(LinkTarget::Directory)
}

/// The links, by index, that lead elsewhere than they did, or to another file. (A file at the end of a link
/// that was merely written is found like every other file, under its own path.)
pub fn changed_links(file_system: &dyn FileSystem, links: &[SeenLink]) -> Vec<usize> {
    let leads_elsewhere = |link: &SeenLink| match (&link.target, resolve_link(file_system, link.place.raw()))
    {
        (LinkTarget::File(before, _), LinkTarget::File(now, _)) => *before != now,
        (before, now) => *before != now,
    };
    (0..links.len()).filter(|&index| leads_elsewhere(&links[index])).collect()
}
