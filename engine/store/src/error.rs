use std::fmt;

/// The result of everything that touches the disk.
pub type StoreResult<T> = Result<T, StoreError>;

/// A call to the file system that failed: what was tried, where, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoreError {
    /// The class of the failure, for deciding what to do about it.
    pub kind: ErrorKind,
    /// The path as a person would type it: the root as it was given, then the path below it.
    pub path: String,
    /// What was tried.
    pub operation: Operation,
    /// What the system said, where that is more than the kind says.
    pub detail: String,
}

macro_rules! worded {
    ($(#[$outer:meta])* $name:ident { $($(#[$inner:meta])* $variant:ident = $words:literal,)* }) => {
        $(#[$outer])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $name { $($(#[$inner])* $variant,)* }

        impl $name {
            /// The words a message uses; the same on every machine.
            pub fn words(self) -> &'static str {
                match self { $(Self::$variant => $words,)* }
            }
        }
    };
}

worded! {
    /// Why a call failed, as far as anybody acts on the difference.
    ErrorKind {
        /// Nothing has that name.
        NotFound = "no such file or directory",
        /// Something already has that name.
        AlreadyExists = "already exists",
        /// The system's permissions forbid it.
        PermissionDenied = "permission denied",
        /// A component of the path is no directory.
        NotADirectory = "not a directory",
        /// A file was expected.
        IsADirectory = "is a directory",
        /// Only empty directories are removed.
        DirectoryNotEmpty = "directory not empty",
        /// A symbolic link stands where only real directories and files are accepted.
        SymlinkInPath = "a symbolic link is in the way",
        /// A FIFO, socket or device stands where a file was expected.
        NotARegularFile = "not a regular file",
        /// The disk or the quota is full.
        NoSpace = "no space left",
        /// The file system is mounted read-only.
        ReadOnly = "read-only file system",
        /// The process or the system has no file descriptor left.
        TooManyOpenFiles = "too many open files",
        /// A name or a whole path is longer than the system accepts.
        NameTooLong = "name too long",
        /// The path is absolute, has an empty, `.` or `..` component, or a NUL byte.
        InvalidPath = "not a path below the root",
        /// The file moved while it was read, at every attempt.
        ChangedDuringRead = "changed while it was read",
        /// Another process holds the lock and did not let go in time.
        LockHeld = "locked by another process",
        /// Any other failure of the system.
        Io = "input/output error",
    }
}

worded! {
    /// What was tried when a call failed.
    Operation {
        /// Asking for size, times and kind.
        Stat = "stat",
        /// Reading where a symbolic link points.
        ReadLink = "read link",
        /// Listing a directory.
        List = "list",
        /// Opening or reading a file.
        Read = "read",
        /// Creating or filling a file.
        Write = "write",
        /// Forcing a file to the disk.
        Sync = "sync",
        /// Giving a file its final name.
        Rename = "rename",
        /// Creating a directory.
        CreateDirectory = "create directory",
        /// Removing a file or directory.
        Remove = "remove",
        /// Taking a lock.
        Lock = "lock",
        /// Starting a program or talking to it.
        Run = "run",
    }
}

impl StoreError {
    /// A failure that the kind describes completely.
    pub fn new(kind: ErrorKind, operation: Operation, path: impl Into<String>) -> Self {
        Self { kind, path: path.into(), operation, detail: String::new() }
    }

    /// The same failure with what the system said about it.
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }

    /// Whether the path names nothing, which callers often treat as an answer rather than a failure.
    pub fn is_not_found(&self) -> bool {
        matches!(self.kind, ErrorKind::NotFound | ErrorKind::NotADirectory)
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot {} `{}`: {}", self.operation.words(), self.path, self.kind.words())?;
        match self.detail.as_str() {
            "" => Ok(()),
            detail => write!(f, " ({detail})"),
        }
    }
}

impl std::error::Error for StoreError {}

/// Turns "nothing has that name" into none and leaves other failures alone.
pub fn found<T>(result: StoreResult<T>) -> StoreResult<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}
