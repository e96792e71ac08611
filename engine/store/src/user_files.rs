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

/// Writes a program where the user's command line points, as [`write_user_file`] does, and makes it executable.
pub fn write_user_program(path: &Path, bytes: &[u8]) -> StoreResult<()> {
    use std::os::unix::fs::PermissionsExt;
    write_user_file(path, bytes)?;
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(path, executable).map_err(|error| failed(&error, Operation::Write, path))
}

/// The bytes of a file of the user's; none if there is none.
pub fn read_user_file(path: &Path) -> StoreResult<Option<Vec<u8>>> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(&error, Operation::Read, path)),
    }
}

/// Removes a file of the user's.
pub fn remove_user_file(path: &Path) -> StoreResult<()> {
    std::fs::remove_file(path).map_err(|error| failed(&error, Operation::Remove, path))
}

fn failed(error: &std::io::Error, operation: Operation, path: &Path) -> StoreError {
    StoreError::new(ErrorKind::Io, operation, path.to_string_lossy().into_owned())
        .with_detail(error.to_string())
}
