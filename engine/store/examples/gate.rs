//! Measures the walk and the nothing-changed gate on a generated tree of 20,800 files in 3,200 directories:
//! `cargo run --release -p bindery-store --example gate [DIRECTORY]`.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bindery_store::fs::{FileSystem, OsFileSystem};
use bindery_store::select::{Interest, SelectRules, Selection, Selector};
use bindery_store::{GateMode, KnownEntry, changed_since};

const DIRECTORIES: usize = 3_200;
const FILES: usize = 20_800;
const ROUNDS: usize = 21;

fn main() -> Result<(), Box<dyn Error>> {
    let given = std::env::args_os().nth(1).map(PathBuf::from);
    let made = std::env::temp_dir().join(format!("bindery-gate-{}", std::process::id()));
    let root = given.clone().unwrap_or_else(|| made.clone());
    if given.is_none() {
        generate(&root)?;
    }
    let measured = measure(&root);
    if given.is_none() {
        std::fs::remove_dir_all(&made)?;
    }
    measured
}

fn generate(root: &Path) -> std::io::Result<()> {
    // Three levels, as in a large Java tree: 8 × 20 × 20 directories of six or seven files.
    for file in 0..FILES {
        let directory = file % DIRECTORIES;
        let place = format!("m{}/p{}/q{}", directory % 8, directory / 8 % 20, directory / 160);
        let directory = root.join(place);
        std::fs::create_dir_all(&directory)?;
        std::fs::write(directory.join(format!("File{file}.java")), format!("class File{file} {{}}\n"))?;
    }
    Ok(())
}

fn measure(root: &Path) -> Result<(), Box<dyn Error>> {
    let file_system = OsFileSystem::open(root)?;
    let selector = Selector::new(&SelectRules::default())?;
    let select = || selector.select(&file_system, &|_| Interest::Source);
    let selection = select()?;
    println!("{} files, {} directories", selection.files.len(), selection.directories.len());
    report("walk with stats", || select().map(|_| ()))?;
    let known = known(&selection);
    report("gate", || {
        assert!(changed_since(&file_system, &known, GateMode::Stats).is_empty(), "nothing changed");
        Ok(())
    })?;
    report("read and hash all, one thread", || {
        selection
            .files
            .iter()
            .try_for_each(|file| bindery_store::hash_file(&file_system, file.raw()).map(|_| ()))
    })?;
    report("lstat of the root, 20,800 times", || {
        (0..FILES).try_for_each(|_| file_system.lstat(b"").map(|_| ()))
    })?;
    Ok(())
}

fn known(selection: &Selection) -> Vec<KnownEntry<'_>> {
    let files = selection.files.iter().map(|file| (file.raw(), file.stat));
    let directories = selection.directories.iter().map(|seen| (seen.place.raw(), seen.stat));
    files.chain(directories).map(|(raw, stat)| KnownEntry { raw, stat: Some(stat), smudged: false }).collect()
}

fn report(what: &str, mut run: impl FnMut() -> bindery_store::StoreResult<()>) -> Result<(), Box<dyn Error>> {
    let mut times = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        run()?;
        times.push(start.elapsed());
    }
    times.sort();
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    println!(
        "{what}: median {:.1} ms, best {:.1} ms",
        milliseconds(times[ROUNDS / 2]),
        milliseconds(times[0])
    );
    Ok(())
}
