//! `crosscheck explain`: what a code means and what to do about it.

use std::fmt::Write as _;

use crosscheck::catalogue::{self, REASONS, ReasonSection};
use crosscheck::core::{Level, Reason, foreign};

use serde::Serialize;

use crate::args::{ExplainArgs, PlainFormat};
use crate::failure::Failure;
use crate::output::Streams;

pub(crate) fn run(args: &ExplainArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let found = match &args.code {
        None => catalogue::all(),
        Some(code) => catalogue::explain(code),
    };
    if found.is_empty() {
        let code = args.code.as_deref().unwrap_or_default();
        let near = catalogue::nearest(code).map(|near| format!("; did you mean `{near}`?"));
        return Err(Failure::usage(
            &format!("unknown code `{code}`{}", near.unwrap_or_default()),
            "run `crosscheck explain` without a code to see all of them",
        ));
    }
    let text = match (args.format, &args.code) {
        (PlainFormat::Json, _) => json(&found),
        (PlainFormat::Human, None) => list(),
        (PlainFormat::Human, Some(_)) => {
            let pages: Vec<String> = found
                .iter()
                .map(|(section, reason)| page(section, reason))
                .collect();
            pages.join("\n")
        }
    };
    streams.data(text.as_bytes())?;
    Ok(0)
}

fn json(found: &[(&'static ReasonSection, &'static Reason)]) -> String {
    #[derive(Serialize)]
    struct Entry {
        part: &'static str,
        occurs: &'static str,
        #[serde(flatten)]
        reason: &'static Reason,
    }
    let entries: Vec<Entry> = found
        .iter()
        .map(|&(section, reason)| Entry {
            part: section.part,
            occurs: section.occurs,
            reason,
        })
        .collect();
    foreign::json_pretty(&entries) + "\n"
}

fn page(section: &ReasonSection, reason: &Reason) -> String {
    let level = match reason.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "note",
    };
    format!(
        "{} ({level}, {})\n\nWhat it means:  {}.\nWhen it occurs: {}.\nWhat to do:     {}.\n",
        reason.code, section.part, reason.meaning, section.occurs, reason.help
    )
}

fn list() -> String {
    let mut text = String::new();
    for section in REASONS {
        let _ = writeln!(text, "{}", section.part);
        for reason in section.reasons {
            let _ = writeln!(text, "  {:<36} {}", reason.code, reason.meaning);
        }
    }
    text
}
