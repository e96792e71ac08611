use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::PathBuf;

/// What the process was given by its surroundings, read once at the start.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Environment {
    /// `SOURCE_DATE_EPOCH` as it is, if set and not empty.
    pub source_date_epoch: Option<String>,
    /// `CI` is set to anything but the empty string, `0` or `false`.
    pub ci: bool,
    /// `NO_COLOR` is set to anything but the empty string.
    pub no_color: bool,
    /// `GIT_DIR`, if set and not empty: git tells its hooks which repository they run for.
    pub git_directory: Option<PathBuf>,
    /// `GIT_WORK_TREE`, likewise.
    pub git_work_tree: Option<PathBuf>,
    /// `GIT_INDEX_FILE`, likewise: a commit of some paths only has an index of its own.
    pub git_index_file: Option<PathBuf>,
    /// `BINDERY_LOG`, if set and not empty.
    pub log_filter: Option<String>,
    /// `BINDERY_ROOT`, likewise: what is analysed where no root is given.
    pub root: Option<PathBuf>,
    /// `BINDERY_CONFIG`, likewise: the user's own configuration.
    pub user_configuration: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`, likewise.
    pub configuration_home: Option<PathBuf>,
    /// `HOME`, likewise.
    pub home: Option<PathBuf>,
    /// The current directory; none if it was removed.
    pub current_directory: Option<PathBuf>,
    /// This program's file, for starting workers.
    pub program: Option<PathBuf>,
    /// Stdout is a terminal.
    pub stdout_is_terminal: bool,
    /// Stderr is a terminal.
    pub stderr_is_terminal: bool,
    /// How many threads the machine runs at once.
    pub cores: usize,
}

impl Environment {
    /// Reads it.
    pub fn read() -> Self {
        Self {
            source_date_epoch: text("SOURCE_DATE_EPOCH"),
            ci: std::env::var_os("CI").is_some_and(is_set),
            no_color: std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()),
            git_directory: path("GIT_DIR"),
            git_work_tree: path("GIT_WORK_TREE"),
            git_index_file: path("GIT_INDEX_FILE"),
            log_filter: text("BINDERY_LOG"),
            root: path("BINDERY_ROOT"),
            user_configuration: path("BINDERY_CONFIG"),
            configuration_home: path("XDG_CONFIG_HOME"),
            home: path("HOME"),
            current_directory: std::env::current_dir().ok(),
            program: std::env::current_exe().ok(),
            stdout_is_terminal: std::io::stdout().is_terminal(),
            stderr_is_terminal: std::io::stderr().is_terminal(),
            cores: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        }
    }
}

fn text(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn path(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn is_set(value: OsString) -> bool {
    !value.is_empty() && value != "0" && value != "false"
}
