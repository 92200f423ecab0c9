//! `crosscheck schema`: JSON Schemas of the documents.

use std::fmt::Write as _;

use crosscheck::catalogue::{self, DOCUMENTS};

use crate::args::SchemaArgs;
use crate::failure::Failure;
use crate::output::Streams;

pub(crate) fn run(args: &SchemaArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let mut text = String::new();
    match &args.name {
        None => {
            for document in DOCUMENTS {
                let _ = writeln!(text, "{:<24} {}", document.name, document.about);
            }
        }
        Some(name) => {
            let meant = plain(name);
            let Some(document) = DOCUMENTS.iter().find(|one| plain(one.name) == meant) else {
                let near = catalogue::near(&meant, DOCUMENTS.iter().map(|one| one.name));
                let near = near.map(|near| format!("; did you mean `{near}`?"));
                return Err(Failure::usage(
                    &format!("unknown document `{name}`{}", near.unwrap_or_default()),
                    "run `crosscheck schema` without a name to see all of them",
                ));
            };
            text = crosscheck::core::foreign::json_pretty(&(document.schema)());
            text.push('\n');
        }
    }
    streams.data(text.as_bytes())?;
    Ok(0)
}

/// A name without what people write in several ways: `SubResult.v1` is `sub-result`.
fn plain(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    let bare = lower.strip_suffix(".v1").unwrap_or(&lower);
    bare.replace(['-', '_', ' '], "")
}
