//! Where values come from: files and variables, each checked key by key.

use std::io;
use std::path::{Path, PathBuf};

use crosscheck_core::account;
use crosscheck_core::advice::with_causes;
use crosscheck_core::files::{ReadError, read_limited, read_regular};
use serde_json::{Map, Value};

use crate::check::of_toml;
use crate::key::{Key, Table};
use crate::tables::{FETCH, SOURCES, TABLES};

const LIMIT: u64 = 1 << 20;
/// The file of a project.
pub const PROJECT_FILE: &str = "crosscheck.toml";
/// The user's file below the configuration folder.
pub const USER_FILE: &str = "crosscheck/config.toml";

/// What marks the top folder of a project: our own file, or the folder of a version
/// control system.
const PROJECT_MARKS: [&str; 14] = [
    PROJECT_FILE,
    ".git",
    ".hg",
    ".jj",
    ".svn",
    ".bzr",
    ".sl",
    ".pijul",
    ".repo",
    "_darcs",
    "_FOSSIL_",
    ".fslckout",
    "CVS",
    ".p4config",
];

/// Where the program was started.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// The folder under check.
    pub root: PathBuf,
    /// Folders of documents under check, which may lie elsewhere.
    pub documents: Vec<PathBuf>,
    /// A file that the user named; it replaces those of user and project.
    pub named: Option<PathBuf>,
    /// The user's configuration folder, as the environment names it.
    pub user_folder: Option<PathBuf>,
    /// Environment variables; those that configure nothing are skipped.
    pub variables: Vec<(String, String)>,
}

/// Where a layer comes from; later ones win.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The user's configuration folder.
    User,
    /// The folder under check.
    Project,
    /// A file named on the command line.
    Named,
    /// The state of one workspace.
    Workspace,
    /// The variables of the environment.
    Environment,
    /// Options.
    CommandLine,
}

impl Place {
    /// The name in messages of the workspace commands.
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "User",
            Self::Project => "Project",
            Self::Named => "Named",
            Self::Workspace => "Workspace",
            Self::Environment => "Environment",
            Self::CommandLine => "Command line",
        }
    }
}

/// A configuration that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{key}: {why}", file.as_ref().map_or_else(String::new, |file| format!("{file}: ")))]
pub struct ConfigError {
    /// Where it comes from.
    pub place: Place,
    /// The file; none for variables.
    pub file: Option<String>,
    /// The key with its table, the variable, or the line.
    pub key: String,
    /// What is wrong with it.
    pub why: String,
}

/// Which keys of a table a file may set in full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// All but these.
    Except(&'static [&'static str]),
    /// These and no others.
    Only(&'static [&'static str]),
}

impl Trust {
    fn covers(self, key: &str) -> bool {
        match self {
            Self::Except(keys) => !keys.contains(&key),
            Self::Only(keys) => keys.contains(&key),
        }
    }
}

/// The values of one file, or of the environment.
#[derive(Debug, Clone)]
pub struct Layer {
    /// Where it comes from.
    pub place: Place,
    /// The file as it is shown; none for variables.
    pub file: Option<String>,
    /// Whether the agent under check could have written it: then it may only
    /// tighten.
    pub is_found: bool,
    /// A table that it may set in full anyway, and how far.
    pub trusted: Option<(&'static str, Trust)>,
    /// Checked values.
    pub values: Vec<(&'static Table, &'static Key, Value)>,
}

impl Layer {
    /// Reads one of our own files; `None` when there is none.
    pub fn read(
        place: Place,
        path: &Path,
        shown: String,
        is_found: bool,
    ) -> Result<Option<Self>, ConfigError> {
        let mut layer = Self::empty(place, shown, is_found);
        let Some(text) = layer.text_of(path)? else {
            return Ok(None);
        };
        layer.fill(&text)?;
        Ok(Some(layer))
    }

    /// The same for a text that was already read.
    pub fn of_text(
        place: Place,
        text: &str,
        shown: String,
        is_found: bool,
    ) -> Result<Self, ConfigError> {
        let mut layer = Self::empty(place, shown, is_found);
        layer.fill(text)?;
        Ok(layer)
    }

    /// A file that sets nothing.
    pub(crate) const fn empty(place: Place, shown: String, is_found: bool) -> Self {
        Self {
            place,
            file: Some(shown),
            is_found,
            trusted: None,
            values: Vec::new(),
        }
    }

    /// The options of a command line; later ones win.
    pub const fn of_options(values: Vec<(&'static Table, &'static Key, Value)>) -> Self {
        Self {
            place: Place::CommandLine,
            file: None,
            is_found: false,
            trusted: None,
            values,
        }
    }

    /// Whether only stricter values of this key count.
    pub(crate) fn is_limited(&self, table: &Table, key: &Key) -> bool {
        let trusted = self
            .trusted
            .is_some_and(|(name, trust)| name == table.name && trust.covers(key.path));
        self.is_found && !trusted
    }

    fn fill(&mut self, text: &str) -> Result<(), ConfigError> {
        let layer = self;
        let table: toml::Table = text.parse().map_err(|error| layer.no_toml(text, &error))?;
        for (name, value) in &table {
            let Some(known) = TABLES.iter().find(|table| table.name == name) else {
                return Err(layer.refuse(name, unknown_table(name)));
            };
            match of_toml(value) {
                Value::Object(values) => layer.add(known, "", &values)?,
                _ => return Err(layer.refuse(name, "must be a table")),
            }
        }
        Ok(())
    }

    /// The values that environment variables set.
    pub fn of_variables(variables: &[(String, String)]) -> Result<Self, ConfigError> {
        let mut layer = Self {
            place: Place::Environment,
            file: None,
            is_found: false,
            trusted: None,
            values: Vec::new(),
        };
        for (name, text) in variables.iter().filter(|(_, text)| !text.is_empty()) {
            let Some(table) = TABLES
                .iter()
                .find(|table| name.starts_with(&table.prefix()))
            else {
                continue;
            };
            let moved = MOVED.iter().filter(|_| table.name == SOURCES.name);
            let moved = moved.map(|(old, new)| (*old, &FETCH, FETCH.key(new)));
            let own = table.keys.iter().map(|key| (key.path, table, Some(key)));
            let found = own.chain(moved).find_map(|(path, home, key)| {
                let is_meant = table.variable_of(path) == *name;
                is_meant.then_some((home, key?))
            });
            let Some((table, key)) = found else {
                let known = table.keys.iter().map(|key| table.variable(key));
                return Err(layer.refuse(name, unknown("variable", name, known)));
            };
            let value = key.kind.check(&key.kind.of_variable(text));
            let value = value.map_err(|why| layer.refuse(name, why))?;
            layer.values.push((table, key, value));
        }
        Ok(layer)
    }

    /// An error about something in this layer.
    pub fn refuse(&self, key: impl Into<String>, why: impl Into<String>) -> ConfigError {
        ConfigError {
            place: self.place,
            file: self.file.clone(),
            key: key.into(),
            why: why.into(),
        }
    }

    /// The text of a file; `None` when there is none.
    pub fn text_of(&self, path: &Path) -> Result<Option<String>, ConfigError> {
        let read = match self.place {
            Place::Named => read_limited(path, LIMIT), // may be a pipe
            _ => read_regular(path, LIMIT),
        };
        let at = |why: String| ConfigError {
            place: self.place,
            file: None,
            key: path.display().to_string(),
            why,
        };
        match read {
            Ok(bytes) => {
                let text = String::from_utf8(bytes).map_err(|_| at("is not UTF-8".to_owned()))?;
                let bare = text.strip_prefix('\u{FEFF}').map(str::to_owned);
                Ok(Some(bare.unwrap_or(text)))
            }
            Err(ReadError::Io { source, .. })
                if self.place != Place::Named
                    && matches!(
                        source.kind(),
                        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                    ) =>
            {
                Ok(None)
            }
            Err(error) => Err(at(with_causes(&error))),
        }
    }

    fn add(
        &mut self,
        table: &'static Table,
        above: &str,
        values: &Map<String, Value>,
    ) -> Result<(), ConfigError> {
        for (name, value) in values {
            let path = format!("{above}{name}");
            let whole = format!("{}.{path}", table.name);
            let below = format!("{path}.");
            if let Some((table, key)) = known_key(table, &path) {
                let value = key.kind.check(value);
                let value = value.map_err(|why| self.refuse(whole, why))?;
                self.values.push((table, key, value));
            } else if table.keys.iter().any(|key| key.path.starts_with(&below)) {
                match value {
                    Value::Object(values) => self.add(table, &below, values)?,
                    _ => return Err(self.refuse(whole, "must be a table")),
                }
            } else {
                return Err(self.refuse(whole, unknown_key(table, &path)));
            }
        }
        Ok(())
    }

    /// Says where the text is not valid TOML, without the line itself: it may
    /// hold a secret.
    pub(crate) fn no_toml(&self, text: &str, error: &toml::de::Error) -> ConfigError {
        let end = error.span().map_or(0, |span| span.start);
        let before = text.get(..end).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before
            .rsplit('\n')
            .next()
            .unwrap_or_default()
            .chars()
            .count()
            + 1;
        self.refuse(
            format!("line {line}, column {column}"),
            format!("not valid TOML: {}", error.message()),
        )
    }
}

impl Places {
    /// Whether a path is the user's own: absolute, and outside of everything
    /// that is under check.
    pub(crate) fn is_users(&self, path: &Path) -> bool {
        let is_around =
            |folder: &Path| account::home().is_some_and(|home| home.starts_with(folder));
        let mut documents = self.documents.iter().map(|folder| real(folder));
        // a document that lies in the home itself does not make the home the agent's
        lies_outside(&self.root, path)
            && documents.all(|folder| lies_outside(&folder, path) || is_around(&folder))
    }
}

/// Whether a path is absolute and leads outside the folder under check and
/// every project or repository around it. Only then is it the user's own and
/// not the agent's. Who keeps the whole home in a repository keeps it.
pub fn lies_outside(root: &Path, path: &Path) -> bool {
    lies_outside_for(root, path, &account::home)
}

fn lies_outside_for(root: &Path, path: &Path, home: &dyn Fn() -> Option<PathBuf>) -> bool {
    if path.is_relative() {
        return false;
    }
    let (root, path) = (real(root), real(path));
    let is_project = |folder: &Path| {
        let has = |name: &str| folder.join(name).symlink_metadata().is_ok();
        PROJECT_MARKS.iter().any(|name| has(name))
            && !home().is_some_and(|home| home.starts_with(folder))
    };
    let mut around = root.ancestors().skip(1);
    !path.starts_with(&root) && !around.any(|folder| path.starts_with(folder) && is_project(folder))
}

/// The path without links, as far as it exists.
fn real(path: &Path) -> PathBuf {
    path.ancestors()
        .find_map(|above| Some((above.canonicalize().ok()?, path.strip_prefix(above).ok()?)))
        .map_or_else(|| path.to_owned(), |(above, rest)| above.join(rest))
}

/// Keys that were first in `[sources]` and are now for every command that fetches
/// pages; in their old place they mean the same.
const MOVED: [(&str, &str); 12] = [
    ("host_concurrency", "host_concurrency"),
    ("host_request_interval", "host_request_interval"),
    ("timeout", "timeout"),
    ("max_retries", "max_retries"),
    ("retry_wait", "retry_wait"),
    ("max_redirects", "max_redirects"),
    ("accept", "accept"),
    ("cache", "cache_dir"),
    ("max_cache_age", "max_cache_age"),
    ("user_agent", "user_agent"),
    ("headers", "headers"),
    ("basic_auth", "basic_auth"),
];

/// The key that a path means in a table.
fn known_key(table: &'static Table, path: &str) -> Option<(&'static Table, &'static Key)> {
    let moved = || {
        let mut moved = MOVED.iter().filter(|_| table.name == SOURCES.name);
        let (_, new) = moved.find(|(old, _)| *old == path)?;
        Some((&FETCH, FETCH.key(new)?))
    };
    table.key(path).map(|key| (table, key)).or_else(moved)
}

fn unknown_table(name: &str) -> String {
    let known = || TABLES.iter().map(|table| table.name);
    let is_near = |table: &&str| strsim::damerau_levenshtein(name, table) <= 2;
    if let Some(meant) = known().find(is_near) {
        return format!("unknown table; did you mean {meant}?");
    }
    let known: Vec<&str> = known().collect();
    let known = known.join(", ");
    format!("no command reads this table; the tables are {known}")
}

/// The key may belong to another table, or be a table itself.
fn unknown_key(table: &Table, path: &str) -> String {
    let keys = || table.keys.iter().map(|key| key.path);
    let misplaced = keys().find(|key| key.rsplit_once('.').is_some_and(|(_, name)| name == path));
    if let Some(key) = misplaced {
        return format!("unknown key; did you mean {}.{key}?", table.name);
    }
    let tables = keys().filter_map(|key| Some(key.rsplit_once('.')?.0));
    let known = keys().chain(tables);
    unknown("key", path, known.map(str::to_owned))
        .replace("mean ", &format!("mean {}.", table.name))
}

fn unknown(what: &str, name: &str, known: impl Iterator<Item = String>) -> String {
    let nearest = known.min_by_key(|known| strsim::damerau_levenshtein(name, known));
    match nearest {
        Some(nearest) => format!("unknown {what}; did you mean {nearest}?"),
        None => format!("unknown {what}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_in_the_repository_around_the_root_is_the_agents_unless_it_is_the_home() {
        let desk = tempfile::tempdir().unwrap();
        let top = desk.path().canonicalize().unwrap().join("home");
        let below = top.join("project/sub");
        std::fs::create_dir_all(&below).unwrap();
        let file = top.join(".config/crosscheck/config.toml");
        let outside = |home: &Path| lies_outside_for(&below, &file, &|| Some(home.to_owned()));
        let elsewhere = Path::new("/somewhere/else");
        assert!(outside(elsewhere));
        // a repository of its own in between hides nothing
        std::fs::create_dir(top.join("project/.git")).unwrap();
        assert!(outside(elsewhere));
        for marker in PROJECT_MARKS {
            std::fs::create_dir(top.join(marker)).unwrap();
            assert!(!outside(elsewhere), "{marker}");
            assert!(outside(&top), "{marker}");
            assert!(outside(&top.join("ada")), "{marker}");
            std::fs::remove_dir(top.join(marker)).unwrap();
        }
    }
}
