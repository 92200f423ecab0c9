//! `crosscheck judge`: the built-in judge, laid open for conformance tests.

use std::io::{self, BufRead as _};

use crosscheck::core::judge::{Kind, Question};
use crosscheck::judge::Lexical;
use serde::Deserialize;

use crate::args::judge::JudgeArgs;
use crate::failure::Failure;
use crate::output::Streams;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    claim: String,
    snippet: String,
    #[serde(default)]
    kind: Kind,
    #[serde(rename = "ref")]
    reference: Option<String>,
    quote: Option<String>,
    prompt: Option<String>,
    header: Option<String>,
}

pub(crate) fn run(args: &JudgeArgs, streams: &mut Streams) -> Result<u8, Failure> {
    debug_assert!(args.stdin, "clap asks for the flag");
    for line in io::stdin().lock().lines() {
        let line: Line = line
            .map_err(|error| error.to_string())
            .and_then(|line| serde_json::from_str(&line).map_err(|error| error.to_string()))
            .map_err(|error| {
                Failure::usage(
                    &format!("cannot read a question: {error}"),
                    "send one JSON object per line with `claim`, `snippet` and `kind`",
                )
            })?;
        let answer = Lexical::answer(&Question {
            claim: &line.claim,
            snippet: &line.snippet,
            kind: line.kind,
            reference: line.reference.as_deref(),
            quote: line.quote.as_deref(),
            prompt: line.prompt.as_deref(),
            header: line.header.as_deref(),
        });
        let mut text = serde_json::to_string(&answer).unwrap_or_default();
        text.push('\n');
        streams.data(text.as_bytes())?;
    }
    Ok(0)
}
