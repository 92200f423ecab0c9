//! `crosscheck canonical`: the canonical forms, laid open for conformance tests.

use std::io::{self, BufRead as _};

use crosscheck::core::canonical::{self, Style};
use crosscheck::core::digest::Digest;
use crosscheck::core::json::{Json, ParseError, Rules};
use serde::Serialize;

use crate::args::{CanonicalArgs, Profile};
use crate::failure::Failure;
use crate::output::Streams;

#[derive(Serialize)]
#[serde(untagged)]
enum Answer {
    Text { canonical: String, sha256: String },
    Error { error: &'static str },
}

pub(crate) fn run(args: &CanonicalArgs, streams: &mut Streams) -> Result<u8, Failure> {
    debug_assert!(args.stdin, "clap asks for the flag");
    for line in io::stdin().lock().lines() {
        let line = line.map_err(|error| {
            Failure::usage(
                &format!("cannot read a line: {error}"),
                "send UTF-8 text, one JSON text per line",
            )
        })?;
        let answer = match canonical_text(&line, args.profile) {
            Ok(canonical) => Answer::Text {
                sha256: Digest::of(&canonical).hex(),
                canonical,
            },
            Err(error) => Answer::Error { error },
        };
        let mut text = serde_json::to_string(&answer).unwrap_or_default();
        text.push('\n');
        streams.data(text.as_bytes())?;
    }
    Ok(0)
}

fn canonical_text(line: &str, profile: Profile) -> Result<String, &'static str> {
    let (rules, style) = match profile {
        Profile::Rows => (Rules::ECMASCRIPT, Style::ECMA),
        Profile::Trace => (Rules::STRICT, Style::TRACE),
    };
    Json::parse_with(line, &rules)
        .map(|json| canonical::text(json.root(), &style))
        .map_err(|error| error_code(&error))
}

fn error_code(error: &ParseError) -> &'static str {
    match error {
        ParseError::RepeatedKey { .. } => "duplicate_key",
        _ => "bad_json",
    }
}
