use crate::fs::{Stat, join};
use crate::{Directory, StoreResult};

/// Margin where the time stamp file shows sub-second digits: twice the coarsest kernel tick in use.
const FINE_MARGIN: i64 = 20_000_000;
/// Margin where it does not: FAT counts in steps of two seconds.
const COARSE_MARGIN: i64 = 2_000_000_000;

/// The moment before which a file must have been touched last for its stat to be believed.
///
/// Two writes within one tick of the file system's clock can leave the same size, times and inode. So a
/// stamp is taken *before* the first stat of a run, by creating a file where the clock in question is
/// the one that stamps files. What was modified or changed at or after the stamp minus a margin is stored
/// *smudged*: its content is looked at again next time, whatever its stat says then. A file whose times
/// lie in the future (clock set back, `touch -d`) stays smudged, which costs time and misses nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RacyStamp(Option<i64>);

impl RacyStamp {
    /// Takes a stamp for judging the files below `root`, by creating and removing a file in `directory`,
    /// which must exist. If the two lie on different devices, whose clocks may differ, or the file cannot
    /// be created, everything is distrusted.
    pub fn take(directory: &Directory, root: &Directory) -> Self {
        Self::try_take(directory, root).unwrap_or(Self::distrust_everything())
    }

    fn try_take(directory: &Directory, root: &Directory) -> StoreResult<Self> {
        let file_system = directory.file_system();
        if file_system.device(directory.base())? != root.file_system().device(root.base())? {
            return Ok(Self::distrust_everything());
        }
        let name = crate::writing::temporary_name();
        let path = join(directory.base(), &name);
        file_system.create_file(&path, b"")?;
        let stat = file_system.lstat(&path);
        file_system.remove_file(&path)?;
        Ok(Self::from_time(stat?.mtime))
    }

    /// The stamp of a file created at `time`, nanoseconds since 1970.
    pub fn from_time(time: i64) -> Self {
        let margin = if time % 1_000_000_000 == 0 { COARSE_MARGIN } else { FINE_MARGIN };
        Self(Some(time.saturating_sub(margin)))
    }

    /// No stamp could be taken (the directory is not ours to write): every stat is distrusted.
    pub fn distrust_everything() -> Self {
        Self(None)
    }

    /// Whether an entry with this stat must be stored smudged.
    pub fn smudges(self, stat: &Stat) -> bool {
        self.0.is_none_or(|stamp| stat.mtime >= stamp || stat.ctime >= stamp)
    }
}
