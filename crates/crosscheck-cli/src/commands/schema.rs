//! `crosscheck schema`: JSON Schemas of the documents.

use std::fmt::Write as _;

use crosscheck::catalogue::DOCUMENTS;

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
            let Some(document) = DOCUMENTS.iter().find(|document| document.name == name) else {
                return Err(Failure::usage(
                    &format!("unknown document `{name}`"),
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
