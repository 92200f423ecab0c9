//! Evaluates declared criteria: facts that need no LLM (workspace 18).

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crosscheck_core::advice::with_causes;
use crosscheck_core::digest;
use crosscheck_core::files::{ReadError, Root};
use crosscheck_process::{Ending, Program};
use serde::Serialize;

use super::git;
use super::json_value;
use super::listing::Listing;
use super::texts;
use crate::read::acceptance::{Criterion, CriterionCheck, ProjectPath};
use crate::read::pattern::FilePattern;
use crate::read::status::{self, StatusSeen};

pub(super) const TEXT_LIMIT: u64 = 64 << 20;
const OUTPUT_KEPT: usize = 4 << 10;

/// The result of a criterion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CriterionOutcome {
    /// Met.
    Pass,
    /// Not met.
    Fail,
    /// Could not be evaluated.
    Error,
}

/// A criterion with its result.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CriterionSeen {
    /// Its id.
    pub id: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its result.
    pub outcome: CriterionOutcome,
    /// What was found, in one line.
    pub detail: String,
    /// Only of a command: its exit code, or null when it had none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<i32>")]
    pub exit_code: Option<Option<i32>>,
    /// How long it took.
    pub duration_ms: u64,
}

/// Where criteria are evaluated.
#[derive(Debug, Clone, Copy)]
pub struct Ground<'w> {
    /// The project folder.
    pub project: &'w Path,
    /// The folder of workspaces.
    pub home: &'w Path,
    /// The workspace folder.
    pub workspace: &'w Path,
    /// An older report that was set aside and does not count as a file.
    pub set_aside: Option<&'w Path>,
}

/// Evaluates all, one after the other, in the order of declaration.
pub fn evaluate(criteria: &[Criterion], ground: Ground<'_>) -> Vec<CriterionSeen> {
    criteria
        .iter()
        .map(|criterion| one(criterion, ground))
        .collect()
}

/// `Ok(None)` is met, `Ok(Some)` says why not, `Err` why it could not be
/// evaluated.
pub(super) type CriterionAnswer = Result<Option<String>, String>;

fn one(criterion: &Criterion, ground: Ground<'_>) -> CriterionSeen {
    let started = Instant::now();
    let mut exit_code = None;
    let answer = look(&criterion.check, ground, &mut exit_code);
    let (outcome, detail) = match answer {
        Ok(None) => (CriterionOutcome::Pass, "met".to_owned()),
        Ok(Some(why)) => (CriterionOutcome::Fail, why),
        Err(why) => (CriterionOutcome::Error, why),
    };
    CriterionSeen {
        id: criterion.id.clone(),
        kind: criterion.kind.clone(),
        outcome,
        detail: crosscheck_core::text::one_line(&detail),
        exit_code: matches!(criterion.check, CriterionCheck::Command { .. }).then_some(exit_code),
        duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
    }
}

fn look(
    check: &CriterionCheck,
    ground: Ground<'_>,
    exit_code: &mut Option<i32>,
) -> CriterionAnswer {
    let root = Root::new(ground.project).map_err(|error| with_causes(&error))?;
    match check {
        CriterionCheck::FileExists { paths } => all_of(paths, |place| exists(&root, place)),
        CriterionCheck::FileAbsent { paths } => all_of(paths, |place| absent(&root, place)),
        CriterionCheck::GlobCount { glob, min, max } => glob_count(
            &Listing::of(root.path(), ground.set_aside)?,
            glob,
            *min,
            *max,
        ),
        CriterionCheck::FileContains {
            path,
            literal,
            regex,
        } => texts::contains(&root, path, literal.as_deref(), regex.as_ref()),
        CriterionCheck::TextAbsent { globs, literals } => {
            let listing = Listing::of(root.path(), ground.set_aside)?;
            texts::absent(&root, &listing, globs, literals)
        }
        CriterionCheck::MinBytes { paths, bytes } => {
            all_of(paths, |place| min_bytes(&root, place, *bytes))
        }
        CriterionCheck::Sha256 { path, hex } => sha256(&root, path, hex),
        CriterionCheck::JsonValue {
            path,
            pointer,
            equals,
        } => json_value::look(&root, path, pointer, equals),
        CriterionCheck::Command {
            argv,
            cwd,
            timeout_seconds,
            expect_exit,
        } => {
            let folder = cwd
                .as_ref()
                .map_or_else(|| Ok(root.path().to_owned()), |cwd| inside(&root, cwd))?;
            command(argv, &folder, *timeout_seconds, *expect_exit, exit_code)
        }
        CriterionCheck::GitChanged {
            base,
            globs,
            min_files,
        } => git_changed(ground, base, globs.as_deref(), *min_files),
        CriterionCheck::StatusComplete {} => Ok(status_complete(ground.workspace)),
    }
}

/// The real path of something that exists below the project.
fn inside(root: &Root, place: &ProjectPath) -> Result<PathBuf, String> {
    let real = fs::canonicalize(root.path().join(&place.0))
        .map_err(|error| format!("{}: {error}", place.0))?;
    if real.starts_with(root.path()) {
        Ok(real)
    } else {
        Err(format!("{} leads outside the project", place.0))
    }
}

/// All problems at once, so that they can be fixed in one go. One wrong path
/// decides, even if another cannot be checked.
fn all_of(
    paths: &[ProjectPath],
    look: impl Fn(&ProjectPath) -> CriterionAnswer,
) -> CriterionAnswer {
    const MOST_TOLD: usize = 20;
    let mut wrong = Vec::new();
    let mut unseen = None;
    for place in paths {
        match look(place) {
            Ok(what) => wrong.extend(what),
            Err(why) => unseen = unseen.or(Some(why)),
        }
    }
    if wrong.is_empty() {
        return unseen.map_or(Ok(None), Err);
    }
    let more = wrong.len().saturating_sub(MOST_TOLD);
    wrong.truncate(MOST_TOLD);
    if more > 0 {
        wrong.push(format!("and {more} more"));
    }
    Ok(Some(wrong.join("; ")))
}

fn exists(root: &Root, place: &ProjectPath) -> CriterionAnswer {
    let seen = match fs::metadata(root.path().join(&place.0)) {
        Err(error) if is_absence(&error) => return Ok(Some(missing(place))),
        Err(error) => return Err(format!("{}: {error}", place.0)),
        Ok(seen) => seen,
    };
    inside(root, place)?;
    Ok(match place.0.ends_with('/') {
        true if !seen.is_dir() => Some(format!("{} is not a directory", place.0)),
        false if !seen.is_file() => Some(format!("{} is not a file", place.0)),
        _ => None,
    })
}

fn is_absence(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
    )
}

/// A file that cannot be checked is not absent, nor is one behind a link that
/// leads nowhere or out of the project.
fn absent(root: &Root, place: &ProjectPath) -> CriterionAnswer {
    let path = root.path().join(place.0.trim_end_matches('/'));
    match fs::symlink_metadata(&path) {
        Ok(_) => return Ok(Some(format!("{} exists", place.0))),
        Err(error) if is_absence(&error) => {}
        Err(error) => return Err(format!("{}: {error}", place.0)),
    }
    let mut above = path.ancestors().skip(1);
    let nearest = above.find(|folder| folder.symlink_metadata().is_ok());
    let real = nearest.unwrap_or(root.path()).canonicalize();
    match real {
        Ok(real) if real.starts_with(root.path()) => Ok(None),
        Ok(_) => Err(format!("{} leads outside the project", place.0)),
        Err(_) => Err(format!("{} lies behind a link that leads nowhere", place.0)),
    }
}

fn glob_count(
    listing: &Listing<'_>,
    glob: &FilePattern,
    min: Option<u64>,
    max: Option<u64>,
) -> CriterionAnswer {
    let count = listing.count(glob);
    let mismatch = |wanted| format!("{} matches {count} file(s), expected {wanted}", glob.text);
    if let Some(max) = max.filter(|max| count > *max) {
        return Ok(Some(mismatch(format!("at most {max}"))));
    }
    let too_few = min.filter(|min| count < *min);
    match listing.unseen(&[glob]) {
        Some(why) if too_few.is_some() || max.is_some() => Err(why),
        _ => Ok(too_few.map(|min| mismatch(format!("at least {min}")))),
    }
}

/// `None` when the file does not exist.
pub(super) fn bytes_of(root: &Root, place: &ProjectPath) -> Result<Option<Vec<u8>>, String> {
    if_there(root.read(Path::new(&place.0), TEXT_LIMIT))
}

fn if_there<T>(read: Result<T, ReadError>) -> Result<Option<T>, String> {
    match read {
        Ok(seen) => Ok(Some(seen)),
        Err(ReadError::Io { source, .. }) if is_absence(&source) => Ok(None),
        Err(error) => Err(with_causes(&error)),
    }
}

pub(super) fn missing(place: &ProjectPath) -> String {
    format!("{} does not exist", place.0)
}

fn min_bytes(root: &Root, place: &ProjectPath, least: u64) -> CriterionAnswer {
    let Some((_, length)) = if_there(root.open_measured(Path::new(&place.0)))? else {
        return Ok(Some(missing(place)));
    };
    Ok((length < least)
        .then(|| format!("{} has {length} bytes, expected at least {least}", place.0)))
}

fn sha256(root: &Root, path: &ProjectPath, hex: &str) -> CriterionAnswer {
    let Some(file) = if_there(root.open(Path::new(&path.0)))? else {
        return Ok(Some(missing(path)));
    };
    let got = digest::of_reader(file)
        .map_err(|error| format!("{}: {error}", path.0))?
        .hex();
    Ok((!got.eq_ignore_ascii_case(hex)).then(|| format!("{} has SHA-256 {got}", path.0)))
}

fn command(
    argv: &[String],
    folder: &Path,
    seconds: u64,
    expected: i32,
    exit_code: &mut Option<i32>,
) -> CriterionAnswer {
    let Some((program, rest)) = argv.split_first() else {
        return Err("no program named".to_owned());
    };
    // A program named with a slash is resolved from the folder it runs in.
    let program = if program.contains('/') {
        folder.join(program)
    } else {
        program.into()
    };
    let ran = Program::new(program, folder)
        .args(rest)
        .time_limit(Some(Duration::from_secs(seconds)))
        .keep(OUTPUT_KEPT)
        .leaves_nothing()
        .run()
        .map_err(|error| with_causes(&error))?;
    let said = || {
        let said = if ran.stderr.end(OUTPUT_KEPT).trim().is_empty() {
            &ran.stdout
        } else {
            &ran.stderr
        };
        let end = said.end(300);
        if end.trim().is_empty() {
            String::new()
        } else {
            format!(": {}", end.trim())
        }
    };
    match ran.ending {
        Ending::Exited(code) => {
            *exit_code = Some(code);
            Ok((code != expected)
                .then(|| format!("exit code {code}, expected {expected}{}", said())))
        }
        Ending::Signalled(signal) => Err(format!("ended by signal {signal}{}", said())),
        Ending::TimedOut => Err(format!("timed out after {seconds} s{}", said())),
        Ending::LeftRunning => Err(format!("left processes running{}", said())),
    }
}

fn git_changed(
    ground: Ground<'_>,
    base: &str,
    globs: Option<&[FilePattern]>,
    least: u64,
) -> CriterionAnswer {
    let changed = git::changed_files(ground.project, base)?;
    let count = changed
        .iter()
        .filter(|path| !ground.project.join(path).starts_with(ground.home))
        .filter(|path| globs.is_none_or(|globs| globs.iter().any(|glob| glob.matches(path))))
        .count() as u64;
    Ok((count < least)
        .then(|| format!("{count} file(s) differ from {base}, expected at least {least}")))
}

fn status_complete(workspace: &Path) -> Option<String> {
    match status::load(workspace) {
        StatusSeen::Absent => Some("there is no .status.json".to_owned()),
        StatusSeen::Invalid(why) => Some(format!(".status.json is invalid: {why}")),
        StatusSeen::Valid(claim) if !claim.complete => Some("complete is not true".to_owned()),
        StatusSeen::Valid(claim) => claim
            .progress
            .filter(|(completed, total)| completed != total)
            .map(|(completed, total)| format!("progress is {completed} of {total}")),
    }
}
