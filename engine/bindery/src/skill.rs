//! `skill`: the handbook as a package that agents load.

use std::collections::BTreeMap;
use std::path::Path;

use bindery_artifacts::write::artifact_text;
use bindery_artifacts::{CoveredFile, Format, SkillCoverage, SkillSummary, Version};
use bindery_handbook::pages::with_stamp;
use bindery_handbook::skill;
use bindery_source::{ContentHash, RepoPath};
use bindery_store::outputs::{KnownOutputs, OutputDir, OutputRequest, Ownership};
use bindery_store::{Directory, Holder, WorkDir, read_file};
use sha2::{Digest, Sha256};

use crate::blobs::Lost;
use crate::formats::LinkTemplates;
use crate::options::Progress;
use crate::outcome::{Failure, SkillOutcome};
use crate::repository::{Repository, place};
use crate::run::{Computed, Run};

/// The package's directory in the work directory.
const DIRECTORY: &str = "skill";

/// The name of the page of all registers.
const REGISTERS: &str = "references/registers.md";

impl Repository {
    /// Writes the package, to `out` or into the work directory.
    pub fn skill(&self, out: Option<&Path>, progress: &dyn Progress) -> Result<SkillOutcome, Failure> {
        let chosen = place(&self.file_system, &self.root, out, &self.environment)?;
        let (directory, in_root) = chosen.unwrap_or_else(|| {
            let in_root = self.options.work_dir.is_none();
            let in_root = in_root.then(|| format!("{}/{DIRECTORY}", crate::WORK_DIRECTORY));
            (self.work.subdirectory(DIRECTORY), in_root)
        });
        let work = WorkDir::open(self.work.clone())?;
        let _lock = work.lock(&Holder::this_process("bindery skill"))?;
        let (mut run, gate) = Run::open(self, progress, true);
        let (old, moved) = run.last_state(gate);
        let mut computed = run.compute(old, moved)?;
        let files = loop {
            match self.package(&run, &computed, in_root.as_deref()) {
                Ok(files) => break files,
                Err(Lost) => computed = run.compute_anew()?,
            }
        };
        self.write_package(directory, &files)
    }

    /// The package's files by path in it. `in_root` is where it lies, if that is below the root.
    fn package(
        &self,
        run: &Run<'_>,
        computed: &Computed,
        in_root: Option<&str>,
    ) -> Result<BTreeMap<String, Vec<u8>>, Lost> {
        let formats = [Format::Markdown, Format::Agent];
        let mut presenter = computed.presenter(run);
        presenter.formats = &formats;
        presenter.links = LinkTemplates {
            configured: Some(
                self.configuration.link_template.clone().unwrap_or_else(|| skill::SOURCE_TEMPLATE.to_owned()),
            ),
            ..presenter.links
        };
        let to_root = in_root.map(|directory| "../".repeat(directory.split('/').count()));
        let source = |file: &str| to_root.as_ref().map(|to_root| format!("{to_root}{file}"));
        let mut files = BTreeMap::new();
        for path in presenter.paths() {
            let text = String::from_utf8(presenter.page(&path, "")?).map_err(|_| Lost)?;
            let Some(place) = skill::place_in_package(path.as_str()) else { continue };
            let text = match path.extension() {
                Some("md") => skill::page_in_package(path.as_str(), &text, &source).ok_or(Lost)?,
                _ => text,
            };
            files.insert(place, text.into_bytes());
        }
        files.entry(REGISTERS.to_owned()).or_insert_with(|| skill::NO_REGISTERS.as_bytes().to_vec());
        let coverage = self.coverage(computed, presenter.unscanned().len() as u64);
        files.insert("references/coverage.json".to_owned(), artifact_text(&coverage));
        files.insert("SKILL.md".to_owned(), skill::skill_page(&computed.structure.name).into_bytes());
        let stamp = skill::package_stamp(&files);
        for path in skill::STAMPED {
            let Some(text) = files.get_mut(path) else { continue };
            *text = with_stamp(&String::from_utf8_lossy(text), &stamp).into_bytes();
        }
        Ok(files)
    }

    /// What the package was made from. A file that went meanwhile has no hash, which `validate` will say.
    fn coverage(&self, computed: &Computed, n_unread: u64) -> SkillCoverage {
        let structure = &computed.structure;
        let stage = |stage: &Option<u32>| match stage {
            Some(stage) => structure.skeleton.stages[*stage as usize].id.as_str().to_owned(),
            None => bindery_handbook::agent::NO_STAGE.to_owned(),
        };
        let known = &computed.analysis.state.known.selection.files;
        let raw: BTreeMap<&RepoPath, &[u8]> =
            known.iter().map(|file| (file.place.path(), file.raw())).collect();
        let sha256 = |path: &RepoPath| {
            let read = raw.get(path).and_then(|raw| read_file(&*self.file_system, raw).ok());
            read.map_or_else(String::new, |read| sha256_hex(&read.bytes))
        };
        let files: Vec<CoveredFile> = structure
            .files
            .iter()
            .map(|(path, primary, _)| CoveredFile {
                path: path.to_string(),
                stage: stage(primary),
                sha256: sha256(path),
            })
            .collect();
        let n_stages = structure.pages.iter().flatten().count() as u64;
        let summary = SkillSummary { n_files: files.len() as u64, n_unread, n_stages };
        SkillCoverage { schema_version: Version, summary, files }
    }

    fn write_package(
        &self,
        directory: Directory,
        files: &BTreeMap<String, Vec<u8>>,
    ) -> Result<SkillOutcome, Failure> {
        let output =
            OutputDir::new(directory, self.work.clone(), DIRECTORY, Ownership::Shared, self.durability());
        let desired: BTreeMap<RepoPath, ContentHash> =
            files.iter().map(|(path, bytes)| (RepoPath::new(path), ContentHash::of(bytes))).collect();
        let overwrite = self.options.overwrite.iter().map(|path| RepoPath::new(path)).collect();
        let plan = output.plan(&OutputRequest {
            desired: &desired,
            known: &KnownOutputs::default(),
            overwrite: &overwrite,
            version: crate::VERSION,
        })?;
        let applied = output.apply(&plan, &|path| files[path.as_str()].as_slice().into())?;
        Ok(SkillOutcome {
            directory: output.directory().shown(b""),
            written: applied.written.len() as u64,
            removed: applied.removed.len() as u64,
            foreign: plan.foreign().map(|path| output.directory().shown(path.as_str().as_bytes())).collect(),
        })
    }
}

/// The SHA-256 of bytes in hexadecimal digits.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
