//! `crosscheck judge`: the built-in judge, laid open for conformance tests.

use std::io::{self, BufRead as _};

use crosscheck::judge::{Answer, Builtin, EvidenceKind, Question, Text};
use serde::{Deserialize, Serialize};

use crate::args::judge::JudgeArgs;
use crate::failure::Failure;
use crate::output::Streams;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    claim: String,
    snippet: String,
    #[serde(default)]
    kind: EvidenceKind,
    #[serde(rename = "ref")]
    reference: Option<String>,
    quote: Option<String>,
    prompt: Option<String>,
    header: Option<String>,
}

/// One answer, and who gave it.
#[derive(Serialize)]
struct Said {
    #[serde(flatten)]
    answer: Answer,
    judge: &'static str,
}

pub(crate) fn run(args: &JudgeArgs, streams: &mut Streams) -> Result<u8, Failure> {
    debug_assert!(args.stdin, "clap asks for the flag");
    let mut last = Text::default();
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
        // Many claims on one text are the usual case; it is prepared once.
        if last.source() != line.snippet {
            last = Text::new(line.snippet);
        }
        let answer = Builtin::answer(&Question {
            kind: line.kind,
            reference: line.reference.as_deref(),
            quote: line.quote.as_deref(),
            prompt: line.prompt.as_deref(),
            header: line.header.as_deref(),
            ..Question::new(&line.claim, &last)
        });
        let judge = Builtin::version();
        let mut text = serde_json::to_string(&Said { answer, judge }).unwrap_or_default();
        text.push('\n');
        streams.data(text.as_bytes())?;
    }
    Ok(0)
}
