//! `crosscheck doctor`: what is installed and reachable.

use std::fmt::Write as _;

use crosscheck::core::foreign;
use crosscheck::core::text::terminal_safe;
use crosscheck::doctor::{self, Look, State, Surroundings};

use crate::args::{DoctorArgs, PlainFormat};
use crate::failure::Failure;
use crate::output::Streams;
use crate::settings::{current_dir, places, project_root};

const DATABASE_VARIABLES: [&str; 2] = ["DATABASE_URL", "CROSSCHECK_DATABASE_URL"];

/// Something that is named does not work.
const EXIT_BROKEN: u8 = 2;

pub(crate) fn run(args: &DoctorArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let looks = doctor::look(&surroundings()?);
    let text = match args.format {
        PlainFormat::Json => foreign::json_pretty(&looks) + "\n",
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
        has_openai_key: std::env::var_os("OPENAI_API_KEY").is_some_and(|key| !key.is_empty()),
        places: places(&project_root()?, None),
        find_ledger: crate::ledger::find,
        folder: current_dir()?,
    })
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
                "judge" => "Model judges",
                "tool" => "Tools",
                _ => "Configuration",
            };
            let _ = writeln!(text, "{title}");
        }
        let mark = match look.state {
            State::Ok => "ok     ",
            State::Absent => "absent ",
            State::Ignored => "IGNORED",
            State::Broken => "BROKEN ",
        };
        let _ = writeln!(text, "  {mark} {:width$}  {}", look.name, look.detail);
    }
    text
}
