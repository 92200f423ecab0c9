//! Identical tool calls are checked once.

use std::collections::HashSet;

use crosscheck_core::canonical;
use crosscheck_core::digest::Digest;

use super::flatten::Flattener;
use super::{Action, Call, Ingest, Log};
use crate::error::RowsError;

/// When two calls of a tool are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Same {
    /// When their scalars are, as the contract says: arrays do not count.
    Scalars,
    /// When all of their parameters are.
    Everything,
}

/// Flattens the calls and keeps the first of each key.
pub(super) fn calls(calls: Vec<Call>, ingest: Ingest, same: Same) -> Result<Log, RowsError> {
    let mut flattener = Flattener::default();
    let mut log = Log {
        ingest,
        ..Log::default()
    };
    let mut seen = HashSet::new();
    for Call { tool, params } in calls {
        let flat = flattener.flatten(params.root())?;
        let key = format!(
            "{{\"flat\":{},\"toolName\":{}}}",
            flat.canonical(),
            canonical::quoted(tool.as_js())
        );
        let whole = match same {
            Same::Scalars => None,
            Same::Everything => Some(canonical::of_node(params.root())),
        };
        if seen.insert((Digest::of(&key), whole.map(|text| Digest::of(&text)))) {
            log.actions.push(Action { tool, params, flat });
        } else {
            log.repeated.push(key.into());
        }
    }
    Ok(log)
}

#[cfg(test)]
mod tests {
    use crosscheck_core::{JsString, Json};

    use super::*;

    #[test]
    fn the_second_identical_call_only_leaves_its_key() {
        let call = |tool: &str, params: &str| Call {
            tool: tool.into(),
            params: Json::parse(params).unwrap(),
        };
        let log = calls(
            vec![
                call("t", r#"{"a":1,"b":2}"#),
                call("t", r#"{"b":2.0,"a":1}"#),
                call("u", r#"{"a":1,"b":2}"#),
            ],
            Ingest::default(),
            Same::Scalars,
        )
        .unwrap();
        assert_eq!(log.actions.len(), 2);
        assert_eq!(
            log.repeated,
            [JsString::from(r#"{"flat":{"a":1,"b":2},"toolName":"t"}"#)]
        );
    }
}
