use core::fmt;
use core::time::Duration;

/// Why a unit has no prose. The words are ours: they quote neither an endpoint nor a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Problem {
    /// The declaration names no program.
    NoProgram,
    /// The environment variable with the key is not set.
    NoKey(String),
    /// The program could not be started.
    NotStarted(std::io::ErrorKind),
    /// The program ended with this code.
    Exit(i32),
    /// The program was ended by this signal.
    Signal(i32),
    /// It took longer than allowed.
    TooSlow(Duration),
    /// The answer is longer than any could be.
    TooLong,
    /// The answer is not JSON.
    NotJson,
    /// The answer is JSON of another form: what is the matter.
    WrongForm(String),
    /// A text of the answer is not fit to be shown: what is the matter.
    WrongText(String),
    /// The endpoint answered with this status.
    Status(u16),
    /// The endpoint could not be reached, or hung up.
    Connection(&'static str),
    /// It was called off.
    Cancelled,
    /// It was not asked, because too many before it had failed.
    GaveUp,
}

impl Problem {
    /// Whether asking for anything else would fail in the same way.
    pub(crate) fn concerns_all(&self) -> bool {
        matches!(self, Problem::NotStarted(_) | Problem::Status(401 | 403 | 404 | 405))
    }

    /// Whether the request itself may be at fault, so that others can still succeed.
    pub(crate) fn concerns_one(&self) -> bool {
        matches!(
            self,
            Problem::NotJson
                | Problem::WrongForm(_)
                | Problem::WrongText(_)
                | Problem::TooLong
                | Problem::Cancelled
        )
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::NoProgram => f.write_str("the narrator names no program"),
            Problem::NoKey(name) => write!(f, "the environment variable `{name}` with the key is not set"),
            Problem::NotStarted(kind) => write!(f, "the program cannot be started: {kind}"),
            Problem::Exit(code) => write!(f, "the program ended with code {code}"),
            Problem::Signal(signal) => write!(f, "the program was ended by signal {signal}"),
            Problem::TooSlow(limit) => write!(f, "no answer within {} s", limit.as_secs()),
            Problem::TooLong => f.write_str("the answer is too long"),
            Problem::NotJson => f.write_str("the answer is not JSON"),
            Problem::WrongForm(what) | Problem::WrongText(what) => write!(f, "the answer {what}"),
            Problem::Status(status) => write!(f, "the endpoint answered with status {status}"),
            Problem::Connection(what) => write!(f, "the endpoint {what}"),
            Problem::Cancelled => f.write_str("called off"),
            Problem::GaveUp => f.write_str("not asked, because those before it failed"),
        }
    }
}

impl std::error::Error for Problem {}
