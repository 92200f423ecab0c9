//! `doctor`: checks what is installed and reachable.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crosscheck_core::advice::with_causes;
use crosscheck_core::redact::SecretUrl;
use crosscheck_process::{Ending, Program, search_folders};
use crosscheck_rows::observe::{Scope, SourceError};
use schemars::JsonSchema;
use serde::Serialize;

use crate::Database;
use crate::config::{self, Config, PROJECT_FILE, Places, USER_FILE};
use crate::ledger::Reader;

/// Where the program runs. Only the command line reads it from the environment.
#[derive(Debug)]
pub struct Surroundings {
    /// The working directory.
    pub folder: PathBuf,
    /// The folders to search for programs.
    pub path: Option<OsString>,
    /// Variables that may name a database, with their values.
    pub databases: Vec<(String, OsString)>,
    /// Whether there is a key for OpenAI; its value stays where it is.
    pub has_openai_key: bool,
    /// Where the configuration comes from.
    pub places: Places,
    /// How a ledger is found that is not a file.
    pub find_ledger: config::FindLedger,
}

/// One thing that was tested.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Look {
    /// `database`, `llm`, `judge`, `tool` or `config`.
    pub group: &'static str,
    /// Its name.
    pub name: String,
    /// The result.
    pub state: State,
    /// Version, place, or what is wrong.
    pub detail: String,
}

/// The result of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It exists and works.
    Ok,
    /// It does not exist, and nothing needs it.
    Absent,
    /// It exists and is ignored.
    Ignored,
    /// It is configured and does not work.
    Broken,
}

impl Look {
    fn at(group: &'static str, name: &str, (state, detail): (State, impl Into<String>)) -> Self {
        Self {
            group,
            name: name.to_owned(),
            state,
            detail: detail.into(),
        }
    }
}

const LLM_PROGRAMS: [&str; 5] = ["claude", "codex", "gemini", "llm", "ollama"];
const TOOLS: [&str; 3] = ["git", "psql", "sqlite3"];
const VERSION_TIME: Duration = Duration::from_secs(10);
/// Where models usually answer on this machine, and how `--judge` names them.
const ENDPOINTS: [(&str, &str, &str); 4] = [
    ("Ollama", "http://127.0.0.1:11434/v1", "ollama:"),
    (
        "llama.cpp",
        "http://127.0.0.1:8080/v1",
        "http://127.0.0.1:8080/v1 --judge-model ",
    ),
    (
        "vLLM",
        "http://127.0.0.1:8000/v1",
        "http://127.0.0.1:8000/v1 --judge-model ",
    ),
    (
        "LM Studio",
        "http://127.0.0.1:1234/v1",
        "http://127.0.0.1:1234/v1 --judge-model ",
    ),
];
const ENDPOINT_TIME: Duration = Duration::from_millis(500);

/// Tests everything; changes nothing.
pub fn look(around: &Surroundings) -> Vec<Look> {
    let built_in = format!("{} built in", rusqlite::version());
    let mut looks = vec![Look::at("database", "SQLite", (State::Ok, built_in))];
    looks.extend(
        around
            .databases
            .iter()
            .map(|(name, value)| database(name, value)),
    );
    if around.databases.is_empty() {
        let detail = "not set; pass --db, --postgres-url or --mysql-url";
        looks.push(Look::at(
            "database",
            "DATABASE_URL",
            (State::Absent, detail),
        ));
    }
    looks.extend(LLM_PROGRAMS.iter().map(|name| program("llm", name, around)));
    looks.extend(judges(around));
    looks.extend(TOOLS.iter().map(|name| program("tool", name, around)));
    looks.extend(configuration(&around.places));
    looks.extend(ledger(around));
    looks
}

/// The models that could judge, and the option that asks them.
fn judges(around: &Surroundings) -> Vec<Look> {
    let mut looks: Vec<Look> = ENDPOINTS
        .iter()
        .filter_map(|(name, url, option)| {
            let found = crosscheck_judge::models(url, ENDPOINT_TIME).ok()?;
            let first = found.first()?;
            let detail = format!(
                "{} model(s); `--judge {option}{first}` asks one",
                found.len()
            );
            Some(Look::at("judge", name, (State::Ok, detail)))
        })
        .collect();
    if around.has_openai_key {
        let detail = "OPENAI_API_KEY is set; `--judge openai:MODEL` asks a model";
        looks.push(Look::at("judge", "OpenAI", (State::Ok, detail)));
    }
    if looks.is_empty() {
        let detail = "no model answers on this machine; the built-in judge decides alone";
        looks.push(Look::at("judge", "model", (State::Absent, detail)));
    }
    looks
}

/// The ledger, if the configuration can be read and switches one on.
fn ledger(around: &Surroundings) -> Option<Look> {
    let (config, _) = Config::load_around(&around.places).ok()?;
    let place = config::ledger(&config, &around.places.root, around.find_ledger).ok()?;
    let Some(place) = place else {
        let detail = "no runs are recorded; see `[ledger]`";
        return Some(Look::at("config", "ledger", (State::Absent, detail)));
    };
    let name = place.file().display();
    let count = Reader::open(&place).and_then(|reader| reader.count(None));
    let found = match (count, place.spooled()) {
        (Ok(count), 0) => (State::Ok, format!("{name}: {count} record(s)")),
        (Ok(count), waiting) => (
            State::Ok,
            format!(
                "{name}: {count} record(s), {waiting} more in spool files; `crosscheck ledger show` takes them in"
            ),
        ),
        (Err(gone), 0) if gone.is_missing() => (State::Absent, format!("{name} is not there yet")),
        (Err(error), waiting) => (
            State::Broken,
            format!("{}; {waiting} spool file(s) wait", with_causes(&error)),
        ),
    };
    Some(Look::at("config", "ledger", found))
}

fn database(name: &str, value: &OsStr) -> Look {
    let found = match open(value) {
        Ok(detail) => (State::Ok, detail),
        Err(message) => (State::Broken, message),
    };
    Look::at("database", name, found)
}

/// Opens the database that a variable names, read-only, and counts its tables.
fn open(value: &OsStr) -> Result<String, String> {
    let text = value.to_str().ok_or("the value is not UTF-8 text")?;
    let Some(database) = Database::from_url(text) else {
        let shown = SecretUrl::new(text).shown();
        return Err(format!("{shown}: this kind of database is not known here"));
    };
    let look = || {
        let mut source = database.open(None)?;
        let tables = source.survey(Scope::Contract)?.tables.len();
        source.close()?;
        Ok(tables)
    };
    let tables = look().map_err(|error: SourceError| error.to_string())?;
    let shown = database.shown();
    Ok(format!("{shown}: reachable, {tables} table(s) visible"))
}

fn program(group: &'static str, name: &str, around: &Surroundings) -> Look {
    let found = around.path.as_ref().and_then(|path| {
        search_folders(path)
            .into_iter()
            .map(|folder| folder.join(name))
            .find(|file| is_executable(file))
    });
    let found = match found {
        None => (State::Absent, "not on PATH".to_owned()),
        Some(file) => version(&file, &around.folder),
    };
    Look::at(group, name, found)
}

fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata()
        .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// Asks a program for its version; one that cannot give it is broken.
fn version(file: &Path, folder: &Path) -> (State, String) {
    let shown = file.display();
    let ran = match Program::new(file, folder)
        .args(["--version"])
        .time_limit(Some(VERSION_TIME))
        .run()
    {
        Ok(ran) => ran,
        Err(error) => {
            return (State::Broken, format!("{shown}: {}", with_causes(&error)));
        }
    };
    let text = ran.stdout.text();
    let first = text
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("version unknown")
        .trim()
        .to_owned();
    match ran.ending {
        Ending::Exited(0) => (State::Ok, format!("{first} ({shown})")),
        Ending::Exited(code) => (
            State::Broken,
            format!("{shown} --version ended with code {code}"),
        ),
        Ending::Signalled(signal) => (
            State::Broken,
            format!("{shown} --version was ended by signal {signal}"),
        ),
        Ending::TimedOut | Ending::LeftRunning => {
            (State::Broken, format!("{shown} --version did not answer"))
        }
    }
}

/// The two files and the variables, read as the commands read them; each
/// alone, so that every problem is found.
fn configuration(places: &Places) -> Vec<Look> {
    let nothing = Places {
        root: PathBuf::from("/nonexistent"),
        ..Places::default()
    };
    let user = places.user_folder.as_ref().map(|home| home.join(USER_FILE));
    let mut unread = Config::default();
    let counts = unread.user_path(places, USER_FILE).is_some();
    let of_user = Places {
        named: user.clone().filter(|path| counts && path.is_file()),
        user_folder: places.user_folder.clone().filter(|_| counts),
        ..nothing.clone()
    };
    let of_project = Places {
        root: places.root.clone(),
        ..nothing.clone()
    };
    let of_environment = Places {
        variables: places.variables.clone(),
        ..nothing
    };
    let project = places.root.join(PROJECT_FILE);
    let mut looks = file("project configuration", Some(&project), &of_project);
    let ignored = unread.notices().map(ToString::to_string);
    let ignored: Vec<Look> = ignored
        .map(|notice| Look::at("config", "user configuration", (State::Ignored, notice)))
        .collect();
    if ignored.is_empty() {
        looks.extend(file("user configuration", user.as_deref(), &of_user));
    }
    looks.extend(ignored);
    looks.extend(said("environment", &of_environment));
    looks
}

/// The result for a file; also for one without problems.
fn file(name: &str, path: Option<&Path>, places: &Places) -> Vec<Look> {
    let looks = said(name, places);
    if !looks.is_empty() {
        return looks;
    }
    let found = match path {
        Some(path) if path.is_file() => (State::Ok, path.display().to_string()),
        Some(path) => (State::Absent, format!("{} is not there", path.display())),
        None => (State::Absent, "no configuration folder is known".to_owned()),
    };
    vec![Look::at("config", name, found)]
}

/// What the commands would refuse or ignore.
fn said(name: &str, places: &Places) -> Vec<Look> {
    let broken = |detail: String| Look::at("config", name, (State::Broken, detail));
    let config = match Config::load(places) {
        Ok(config) => config,
        Err(error) => return vec![broken(error.to_string())],
    };
    let problems = config::problems(&config);
    let mut looks: Vec<Look> = problems
        .into_iter()
        .map(|error| broken(error.to_string()))
        .collect();
    looks.extend(workspace_problem(places).map(broken));
    let ignored = config.notices();
    looks.extend(
        ignored.map(|notice| Look::at("config", name, (State::Ignored, notice.to_string()))),
    );
    looks
}

/// What `crosscheck workspace` would refuse.
fn workspace_problem(places: &Places) -> Option<String> {
    let surroundings = crosscheck_workspace::config::Surroundings {
        project: places.root.clone(),
        home: None,
        config_home: places.user_folder.clone(),
        variables: places.variables.clone(),
        program: "crosscheck workspace".to_owned(),
        workspaces_dir: None,
    };
    let loaded = crosscheck_workspace::config::Settings::load(&surroundings);
    loaded.err().map(|error| with_causes(&error))
}
