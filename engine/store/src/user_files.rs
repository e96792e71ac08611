use std::path::Path;

use crate::fs::OsFileSystem;
use crate::{Durability, ErrorKind, Operation, StoreError, StoreResult, write_atomically};

/// Writes a file where the user's command line points (`--report`, `--trace`), creating its directory.
pub fn write_user_file(path: &Path, bytes: &[u8]) -> StoreResult<()> {
    let (file_system, name) = beside(path)?;
    write_atomically(&file_system, &name, bytes, Durability::Renamed)
}

/// Whether something with this name exists, links followed.
pub fn exists(path: &Path) -> bool {
    path.exists()
}

fn beside(path: &Path) -> StoreResult<(OsFileSystem, Vec<u8>)> {
    use std::os::unix::ffi::OsStrExt;
    let parent = path.parent().unwrap_or(Path::new(""));
    match path.file_name() {
        Some(name) => Ok((OsFileSystem::create(parent)?, name.as_bytes().to_vec())),
        None => Err(StoreError::new(
            ErrorKind::InvalidPath,
            Operation::Write,
            path.to_string_lossy().into_owned(),
        )),
    }
}
