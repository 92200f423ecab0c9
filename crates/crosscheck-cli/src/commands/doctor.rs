//! `crosscheck doctor`: what is installed and reachable.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crosscheck::core::advice::with_causes;
use crosscheck::core::text::terminal_safe;
use crosscheck::doctor::{self, Look, State, Surroundings};

use crate::args::{DoctorArgs, PlainFormat};
use crate::failure::Failure;
use crate::output::Streams;
use crate::settings::config::{PROJECT_FILE, user_file};
use crate::settings::sections;

const DATABASE_VARIABLES: [&str; 2] = ["DATABASE_URL", "CROSSCHECK_DATABASE_URL"];

/// Something that is named does not work.
const EXIT_BROKEN: u8 = 2;

pub(crate) fn run(args: &DoctorArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let looks = doctor::look(&surroundings()?);
    let text = match args.format {
        PlainFormat::Json => serde_json::to_string_pretty(&looks).unwrap_or_default() + "\n",
        PlainFormat::Human => terminal_safe(&lines(&looks)).into_owned(),
    };
    streams.data(text.as_bytes())?;
    let broken = looks.iter().any(|look| look.state == State::Broken);
    Ok(if broken { EXIT_BROKEN } else { 0 })
}

#[expect(
    clippy::disallowed_methods,
    reason = "the command line is where the environment is read"
)]
fn surroundings() -> Result<Surroundings, Failure> {
    let folder = std::env::current_dir().map_err(|error| {
        Failure::usage(
            &format!("there is no working directory: {error}"),
            "change to a folder that exists",
        )
    })?;
    let databases = DATABASE_VARIABLES
        .iter()
        .filter_map(|name| {
            Some((
                (*name).to_owned(),
                std::env::var_os(name).filter(|value| !value.is_empty())?,
            ))
        })
        .collect();
    Ok(Surroundings {
        path: std::env::var_os("PATH"),
        databases,
        configs: configs(&folder),
        variables: sections::problems_of_environment(),
        folder,
    })
}

/// The two files, read as the commands read them.
fn configs(folder: &Path) -> Vec<(&'static str, Option<PathBuf>, Vec<String>)> {
    let project = folder.join(PROJECT_FILE);
    let user = user_file();
    let mut of_project = Vec::new();
    if project.is_file() {
        of_project = sections::problems(&project, true);
        add_other(&mut of_project, of_workspaces(Some(folder), None));
    }
    let mut of_user = Vec::new();
    if let Some(path) = user.as_ref().filter(|path| path.is_file()) {
        of_user = sections::problems(path, false);
        let home = path.parent().and_then(Path::parent);
        add_other(&mut of_user, of_workspaces(None, home));
    }
    vec![
        ("project configuration", Some(project), once(of_project)),
        ("user configuration", user, once(of_user)),
    ]
}

/// Adds what `crosscheck workspace` says, unless it is what all commands say:
/// a misspelt table.
fn add_other(problems: &mut Vec<String>, other: Option<String>) {
    const SLIP: &str = "unknown table";
    let is_told = problems.iter().any(|problem| problem.contains(SLIP));
    problems.extend(other.filter(|other| !(is_told && other.contains(SLIP))));
}

/// What `crosscheck workspace` says about its table; files of one place at a
/// time, so that it is clear which file is meant.
fn of_workspaces(project: Option<&Path>, config_home: Option<&Path>) -> Option<String> {
    let surroundings = crosscheck::workspace::config::Surroundings {
        project: project.unwrap_or(Path::new("/nowhere")).to_owned(),
        home: None,
        config_home: config_home.map(Path::to_owned),
        variables: Vec::new(),
        program: "crosscheck workspace".to_owned(),
        workspaces_dir: None,
    };
    let loaded = crosscheck::workspace::config::Settings::load(&surroundings);
    loaded.err().map(|error| with_causes(&error))
}

/// A file that is no TOML is told once, not by every reader.
fn once(mut problems: Vec<String>) -> Vec<String> {
    if problems
        .iter()
        .any(|problem| problem.contains("TOML parse error"))
    {
        problems.truncate(1);
    }
    problems
}

fn lines(looks: &[Look]) -> String {
    let width = looks
        .iter()
        .map(|look| look.name.chars().count())
        .max()
        .unwrap_or(0);
    let mut text = String::new();
    let mut group = "";
    for look in looks {
        if look.group != group {
            group = look.group;
            let title = match group {
                "database" => "Databases",
                "llm" => "LLM command lines",
                "tool" => "Tools",
                _ => "Configuration",
            };
            let _ = writeln!(text, "{title}");
        }
        let mark = match look.state {
            State::Ok => "ok     ",
            State::Absent => "absent ",
            State::Broken => "BROKEN ",
        };
        let _ = writeln!(text, "  {mark} {:width$}  {}", look.name, look.detail);
    }
    text
}
