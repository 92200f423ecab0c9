//! The layers of the configuration: the user's file, the project's file, the
//! environment; of each key the last one counts.
//!
//! The project's file lies in the folder under check, so it may be the work
//! of the agent under check. Keys that run a program, send text somewhere or
//! name a secret, and values that switch a check off, are therefore taken only
//! from who starts the command: the command line, the environment, the user's
//! file, or a file named with `--config`.

use std::path::{Path, PathBuf};

use crosscheck::core::advice::with_causes;
use crosscheck::core::files::read_limited;
use crosscheck::core::tables::{SLIP, TABLES};
use serde::de::DeserializeOwned;

use super::variable;

const MAX_BYTES: u64 = 1024 * 1024;
/// The file of a project.
pub(crate) const PROJECT_FILE: &str = "crosscheck.toml";
/// One table of the configuration.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Section {
    /// Its name in the file and, in capitals, in the environment.
    pub(crate) name: &'static str,
    /// Every key.
    pub(crate) keys: &'static [&'static str],
    /// The keys that the file of the project under check cannot set.
    pub(crate) starter_keys: &'static [&'static str],
}

/// Everything that is configured.
#[derive(Debug)]
pub(crate) struct Config {
    layers: Vec<Layer>,
    /// Whether variables stand over the files.
    variables: bool,
}

/// The user's file, whether it is there or not.
pub(crate) fn user_file() -> Option<PathBuf> {
    let home = variable("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(variable("HOME")?).join(".config")));
    home.map(|home| home.join("crosscheck/config.toml"))
}

/// A table of one layer.
#[derive(Debug)]
pub(crate) struct Placed<T> {
    /// The file, or the environment.
    pub(crate) place: String,
    /// Whether it is the file of the project under check, which nobody named.
    pub(crate) found: bool,
    pub(crate) table: T,
}

#[derive(Debug)]
struct Layer {
    path: PathBuf,
    table: toml::Table,
    /// Whether it lies in the project under check and nobody named it.
    found: bool,
}

impl Config {
    /// Reads the user's file and the one of the project, or the named one alone.
    pub(crate) fn load(named: Option<&Path>, project: &Path) -> Result<Self, String> {
        let mut layers = Vec::new();
        if let Some(path) = named {
            layers.push(Layer::read(path, false)?);
            return Ok(Self {
                layers,
                variables: true,
            });
        }
        if let Some(path) = user_file().filter(|path| path.is_file()) {
            layers.push(Layer::read(&path, false)?);
        }
        let own = project.join(PROJECT_FILE);
        if own.is_file() {
            layers.push(Layer::read(&own, true)?);
        }
        Ok(Self {
            layers,
            variables: true,
        })
    }

    /// The environment alone.
    pub(crate) const fn of_environment() -> Self {
        Self {
            layers: Vec::new(),
            variables: true,
        }
    }

    /// One file alone; `found` is one that nobody named.
    pub(crate) fn of_file(path: &Path, found: bool) -> Result<Self, String> {
        Ok(Self {
            layers: vec![Layer::read(path, found)?],
            variables: false,
        })
    }

    /// One table as each layer has it, the environment last; for tables whose
    /// lists add up.
    pub(crate) fn layers<T: DeserializeOwned>(
        &self,
        section: &Section,
    ) -> Result<Vec<Placed<T>>, String> {
        let placed = |place: String, found: bool, table: toml::Table| {
            let typed = table.try_into();
            typed
                .map_err(|error: toml::de::Error| {
                    format!("{place}: [{}]: {}", section.name, told(&error))
                })
                .map(|table| Placed {
                    place: place.clone(),
                    found,
                    table,
                })
        };
        let mut tables = Vec::new();
        for layer in &self.layers {
            if let Some(table) = layer.section::<T>(section)? {
                let place = layer.path.display().to_string();
                tables.push(placed(place, layer.found, table)?);
            }
        }
        let variables = self.environment::<T>(section)?;
        if !variables.is_empty() {
            tables.push(placed("the environment".to_owned(), false, variables)?);
        }
        Ok(tables)
    }

    /// One table, key by key from the last layer that has it.
    pub(crate) fn section<T: DeserializeOwned + Default>(
        &self,
        section: &Section,
    ) -> Result<T, String> {
        let mut merged = toml::Table::new();
        for layer in &self.layers {
            if let Some(table) = layer.section::<T>(section)? {
                merged.extend(table);
            }
        }
        merged.extend(self.environment::<T>(section)?);
        merged
            .try_into()
            .map_err(|error: toml::de::Error| format!("[{}]: {}", section.name, told(&error)))
    }

    fn environment<T: DeserializeOwned>(&self, section: &Section) -> Result<toml::Table, String> {
        if self.variables {
            environment::<T>(section)
        } else {
            Ok(toml::Table::new())
        }
    }
}

impl Layer {
    fn read(path: &Path, found: bool) -> Result<Self, String> {
        let bytes = read_limited(path, MAX_BYTES).map_err(|error| with_causes(&error))?;
        let text = String::from_utf8(bytes)
            .map_err(|_| format!("{}: the file is not UTF-8", path.display()))?;
        let table: toml::Table = text
            .parse()
            .map_err(|error: toml::de::Error| format!("{}: {}", path.display(), told(&error)))?;
        for name in table.keys().filter(|name| !TABLES.contains(&name.as_str())) {
            // Tables of other programs are left alone; only what looks like a slip is told.
            if let Some(meant) = nearest(name, TABLES).filter(|meant| distance(name, meant) <= SLIP)
            {
                return Err(format!(
                    "{}: unknown table `{name}`; did you mean `{meant}`?",
                    path.display()
                ));
            }
        }
        Ok(Self {
            path: path.to_owned(),
            table,
            found,
        })
    }

    /// The table of a section, checked.
    fn section<T: DeserializeOwned>(
        &self,
        section: &Section,
    ) -> Result<Option<toml::Table>, String> {
        let at = |problem: String| format!("{}: {problem}", self.path.display());
        let table = match self.table.get(section.name) {
            None => return Ok(None),
            Some(toml::Value::Table(table)) => table,
            Some(_) => return Err(at(format!("`{}` must be a table", section.name))),
        };
        for key in table.keys() {
            if !section.keys.contains(&key.as_str()) {
                return Err(at(unknown(
                    section,
                    &format!("{}.{key}", section.name),
                    key,
                )));
            }
            if self.found && section.starter_keys.contains(&key.as_str()) {
                return Err(at(not_by_a_project(section, key, "")));
            }
        }
        let checked: Result<T, toml::de::Error> = table.clone().try_into();
        checked.map_err(|error| at(format!("[{}]: {}", section.name, told(&error))))?;
        Ok(Some(table.clone()))
    }
}

/// What a file of the project under check is told about a key, or about one
/// value of it, such as ` = true`.
pub(crate) fn not_by_a_project(section: &Section, key: &str, value: &str) -> String {
    format!(
        "`{}.{key}{value}` cannot be set by a file of the project under check; use the option, the variable {}, \
         the user's configuration, or name this file with --config",
        section.name,
        variable_of(section, key),
    )
}

/// What the environment sets of a section.
fn environment<T: DeserializeOwned>(section: &Section) -> Result<toml::Table, String> {
    let mut table = toml::Table::new();
    for key in section.keys {
        let name = variable_of(section, key);
        if let Some(text) = variable(&name) {
            let value = typed::<T>(key, &text).ok_or_else(|| {
                format!(
                    "the variable {name} holds no value that `{}.{key}` can have",
                    section.name
                )
            })?;
            table.insert((*key).to_owned(), value);
        }
    }
    Ok(table)
}

/// A variable as the key wants it: as text, or as TOML writes the value.
fn typed<T: DeserializeOwned>(key: &str, text: &str) -> Option<toml::Value> {
    let fits = |value: &toml::Value| {
        let mut table = toml::Table::new();
        table.insert(key.to_owned(), value.clone());
        table.try_into::<T>().is_ok()
    };
    let plain = toml::Value::String(text.to_owned());
    if fits(&plain) {
        return Some(plain);
    }
    let mut written: toml::Table = format!("value = {text}").parse().ok()?;
    written.remove("value").filter(fits)
}

fn variable_of(section: &Section, key: &str) -> String {
    format!("CROSSCHECK_{}_{key}", section.name).to_ascii_uppercase()
}

fn unknown(section: &Section, whole: &str, key: &str) -> String {
    let meant = nearest(key, section.keys).unwrap_or_default();
    format!(
        "unknown key `{whole}`; did you mean `{}.{meant}`?",
        section.name
    )
}

fn nearest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    known.iter().copied().min_by_key(|one| distance(word, one))
}

fn distance(a: &str, b: &str) -> usize {
    strsim::damerau_levenshtein(a, b)
}

fn told(error: &toml::de::Error) -> String {
    error.to_string().trim().replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use crosscheck::judge::{JudgeKind, RawJudge};

    use super::*;
    use crate::settings::sections::JUDGE;

    fn layer(text: &str, found: bool) -> Layer {
        Layer {
            path: PathBuf::from("crosscheck.toml"),
            table: text.parse().unwrap(),
            found,
        }
    }

    fn judge(layers: Vec<Layer>) -> Result<RawJudge, String> {
        let config = Config {
            layers,
            variables: false,
        };
        config.section(&JUDGE)
    }

    #[test]
    fn of_each_key_the_last_layer_counts() {
        let merged = judge(vec![
            layer(
                "[judge]\nkind = \"http\"\nurl = \"u\"\ntimeout = 5\n",
                false,
            ),
            layer("[judge]\ntimeout = 7\n", true),
        ])
        .unwrap();
        assert_eq!(merged.kind, Some(JudgeKind::Http));
        assert_eq!(
            (merged.url.as_deref(), merged.timeout),
            (Some("u"), Some(7.0))
        );
    }

    #[test]
    fn the_project_under_check_starts_nothing_and_sends_nothing() {
        for key in [
            "kind = \"command\"",
            "command = [\"x\"]",
            "url = \"http://x\"",
            "api_key_env = \"AWS_SECRET_ACCESS_KEY\"",
            "cache_dir = \"/\"",
            "replay = \"answers\"",
        ] {
            let text = format!("[judge]\n{key}\n");
            let problem = judge(vec![layer(&text, true)]).unwrap_err();
            assert!(
                problem.contains("cannot be set by a file of the project"),
                "{problem}"
            );
            assert!(judge(vec![layer(&text, false)]).is_ok(), "{key}");
        }
    }

    #[test]
    fn a_wrong_key_or_value_says_where_and_what_was_meant() {
        let problem = judge(vec![layer("[judge]\ntimeuot = 5\n", false)]).unwrap_err();
        assert!(
            problem.contains("unknown key `judge.timeuot`; did you mean `judge.timeout`?"),
            "{problem}"
        );
        let problem = judge(vec![layer("[judge]\ntimeout = \"long\"\n", false)]).unwrap_err();
        assert!(
            problem.starts_with("crosscheck.toml: [judge]: "),
            "{problem}"
        );
        let problem = judge(vec![layer("judge = 5\n", false)]).unwrap_err();
        assert!(problem.contains("must be a table"), "{problem}");
    }

    #[test]
    fn a_variable_is_text_or_what_toml_writes() {
        let typed = typed::<RawJudge>;
        assert_eq!(typed("url", "5").unwrap().as_str(), Some("5"));
        assert_eq!(typed("timeout", "5.5").unwrap().as_float(), Some(5.5));
        assert_eq!(typed("structured", "true").unwrap().as_bool(), Some(true));
        assert_eq!(typed("kind", "http").unwrap().as_str(), Some("http"));
        assert!(typed("command", "[\"a\", \"b c\"]").unwrap().is_array());
        assert!(typed("timeout", "soon").is_none());
        assert!(typed("timeout", "5\nurl = 'x'").is_none_or(|value| value.as_integer() == Some(5)));
    }
}
