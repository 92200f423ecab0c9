//! Which documents are checked: files, folders, patterns, and lists of them.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crosscheck::core::files::{Root, folder_of};
use crosscheck::process::{Ending, Program};
use crosscheck::sources::read::document;
use crosscheck::sources::settings::Settings;
use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

use crate::args::sources::SourcesArgs;
use crate::commands::patterns::{fixed_part, is_wild};
use crate::failure::Failure;
use crate::settings::read_named;

const DOCUMENT_MAX: u64 = 64 * 1024 * 1024;
const PDF_TIME: Duration = Duration::from_secs(30);
const PDF_TEXT_MAX: usize = 16 * 1024 * 1024;
/// More files below one folder are a slip.
const FILES_MAX: usize = 100_000;

/// The documents, and what is said about files that were left out.
pub(super) struct Inputs {
    pub(super) documents: Vec<PathBuf>,
    pub(super) notices: Vec<String>,
}

/// What the command line names, then what `--files-from` does.
pub(super) fn named(args: &SourcesArgs) -> Result<Vec<PathBuf>, Failure> {
    let mut named = args.inputs.clone();
    named.extend(listed(args)?);
    Ok(named)
}

/// The documents, folders and patterns read as such.
pub(super) fn inputs(named: Vec<PathBuf>, settings: &Settings) -> Result<Inputs, Failure> {
    let filter = Filter::of(settings)?;
    let mut inputs = Inputs {
        documents: Vec::new(),
        notices: Vec::new(),
    };
    for path in named {
        if path.is_dir() {
            inputs.folder(&path, &filter)?;
        } else if is_wild(&path.to_string_lossy()) && !path.exists() {
            inputs.pattern(&path, &filter)?;
        } else {
            inputs.documents.push(path);
        }
    }
    Ok(inputs)
}

/// The paths in the file of `--files-from`.
fn listed(args: &SourcesArgs) -> Result<Vec<PathBuf>, Failure> {
    let Some(list) = &args.files_from else {
        return Ok(Vec::new());
    };
    let stdin = Path::new("-");
    let names = String::from_utf8(read(list)?).map_err(|_| {
        let message = format!("--files-from: `{}` is not UTF-8", list.display());
        Failure::usage(&message, "write one path on each line")
    })?;
    let names = names.lines().filter(|name| !name.trim().is_empty());
    let names: Vec<PathBuf> = names.map(PathBuf::from).collect();
    if list == stdin && names.iter().chain(&args.inputs).any(|input| input == stdin) {
        return Err(Failure::usage(
            "--files-from and a document both read standard input",
            "name a file for one of them",
        ));
    }
    Ok(names)
}

/// What of a folder is read.
struct Filter {
    include: GlobSet,
    exclude: GlobSet,
}

impl Filter {
    fn of(settings: &Settings) -> Result<Self, Failure> {
        Ok(Self {
            include: globs("--include-files", &settings.include_files)?,
            exclude: globs("--exclude-files", &settings.exclude_files)?,
        })
    }

    /// Whether a file of a folder is read: by the patterns of the user, else
    /// by its kind. Patterns match its name or its path below the folder.
    fn takes(&self, folder: &Path, file: &Path) -> bool {
        let matches = |globs: &GlobSet| {
            let name = file.file_name().map(Path::new);
            let below = file.strip_prefix(folder).unwrap_or(file);
            globs.is_match(below) || name.is_some_and(|name| globs.is_match(name))
        };
        let wanted = if self.include.is_empty() {
            document::is_document(&file.to_string_lossy())
        } else {
            matches(&self.include)
        };
        wanted && !matches(&self.exclude)
    }
}

impl Inputs {
    /// The documents below a folder, in the order of their names.
    fn folder(&mut self, folder: &Path, filter: &Filter) -> Result<(), Failure> {
        let found = files_below(folder)?;
        let all = found.len();
        let taken = found.into_iter().filter(|file| filter.takes(folder, file));
        let taken: Vec<PathBuf> = taken.collect();
        let name = folder.display();
        if taken.is_empty() {
            return Err(Failure::usage(
                &format!("there is no document to check among the {all} file(s) below `{name}`"),
                "name files of other kinds with --include-files, for example '*.json'",
            ));
        }
        let rest = all - taken.len();
        if rest > 0 {
            let read = taken.len();
            self.notices.push(format!(
                "{name}: {read} document(s) were read and {rest} other file(s) left out; \
                 --include-files names other ones"
            ));
        }
        self.documents.extend(taken);
        Ok(())
    }

    /// The files that a pattern names, in the order of their names.
    fn pattern(&mut self, pattern: &Path, filter: &Filter) -> Result<(), Failure> {
        let glob = glob(&pattern.to_string_lossy())?.compile_matcher();
        let bare = |path: &Path| path.strip_prefix(".").unwrap_or(path).to_owned();
        let wanted = |file: &PathBuf| glob.is_match(file) || glob.is_match(bare(file));
        let fixed = fixed_part(pattern);
        let is_here = fixed.as_os_str().is_empty();
        let found = files_below(if is_here { Path::new(".") } else { &fixed })?;
        let found: Vec<PathBuf> = found
            .into_iter()
            .filter(wanted)
            .filter(|file| !filter.exclude.is_match(file))
            .collect();
        if found.is_empty() {
            let message = format!("no file matches `{}`", pattern.display());
            return Err(Failure::usage(
                &message,
                "correct the pattern, or name a file",
            ));
        }
        self.documents.extend(found);
        Ok(())
    }
}

fn glob(pattern: &str) -> Result<Glob, Failure> {
    let built = GlobBuilder::new(pattern).literal_separator(true).build();
    built.map_err(|error| Failure::usage(&error.to_string(), "correct the pattern"))
}

fn globs(option: &str, patterns: &[String]) -> Result<GlobSet, Failure> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        set.add(glob(pattern)?);
    }
    set.build()
        .map_err(|error| Failure::usage(&format!("{option}: {error}"), "correct the pattern"))
}

/// Every file below a folder, sorted. Hidden ones and links are not visited.
fn files_below(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let unreadable = |folder: &Path, error: &io::Error| {
        let message = format!("cannot read the folder `{}`: {error}", folder.display());
        Failure::usage(&message, "name a folder that can be read")
    };
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).map_err(|error| unreadable(&folder, &error))?;
        for entry in entries {
            let entry = entry.map_err(|error| unreadable(&folder, &error))?;
            let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !is_hidden => folders.push(entry.path()),
                Ok(kind) if kind.is_file() && !is_hidden => found.push(entry.path()),
                _ => {}
            }
        }
        if found.len() > FILES_MAX {
            let message = format!(
                "there are more than {FILES_MAX} files below `{}`",
                folder.display()
            );
            return Err(Failure::usage(&message, "name a smaller folder"));
        }
    }
    found.sort();
    Ok(found)
}

/// A PDF as HTML with its links, made by a child process; none where it is no PDF,
/// or cannot be read.
pub(super) fn pdf(bytes: &[u8], reader: Option<&[OsString]>) -> Option<Vec<u8>> {
    if !bytes.starts_with(b"%PDF-") {
        return None;
    }
    let (command, args) = reader?.split_first()?;
    let ran = Program::new(command, Path::new("."))
        .args(args)
        .args(["--html"])
        .input(bytes.to_vec())
        .time_limit(Some(PDF_TIME))
        .keep(PDF_TEXT_MAX)
        .run()
        .ok()?;
    (ran.ending == Ending::Exited(0)).then(|| ran.stdout.text().into_bytes())
}

/// The text of a file that a document names: a regular one below the folder of
/// the document, all links followed. Who wrote the document must not choose
/// what else is read.
pub(super) fn beside(document: &Path, named: &str) -> Option<String> {
    if document == Path::new("-") {
        return None;
    }
    let folder = Root::new(folder_of(document)).ok()?;
    let bytes = folder.read(Path::new(named), DOCUMENT_MAX).ok()?;
    document::decode(&bytes).ok()
}

/// The bytes of a document; `-` is standard input.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    read_named(path, DOCUMENT_MAX)
        .map_err(|why| Failure::usage(&why, "name a document that can be read"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_names_regular_files_below_its_folder_only() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("doc");
        std::fs::create_dir(&folder).unwrap();
        let put = |path: PathBuf| crosscheck::core::files::write_atomic(&path, b"@book").unwrap();
        put(place.path().join("x.bib"));
        put(folder.join("y.bib"));
        std::os::unix::fs::symlink(place.path().join("x.bib"), folder.join("link.bib")).unwrap();
        let pipe = Program::new("mkfifo", &folder).args(["pipe.bib"]).run();
        assert_eq!(pipe.unwrap().ending, Ending::Exited(0));

        let document = folder.join("d.md");
        assert_eq!(beside(&document, "y.bib").as_deref(), Some("@book"));
        let outside = place.path().join("x.bib").display().to_string();
        for named in ["pipe.bib", "../x.bib", "link.bib", &outside] {
            assert_eq!(beside(&document, named), None, "{named}");
        }
    }
}
