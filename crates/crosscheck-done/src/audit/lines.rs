//! Each stop of a past session as one line of NDJSON.

use crosscheck_core::Place;
use serde::Serialize;

use super::replay::{Past, PastClaim, Stop};
use crate::gate::action_word;

/// A stop as it is printed.
#[derive(Debug, Serialize)]
pub struct StopLine {
    r#type: &'static str,
    place: Place,
    decision: &'static str,
    claims: Vec<ClaimLine>,
}

#[derive(Debug, Serialize)]
struct ClaimLine {
    kind: &'static str,
    claim: String,
    verdict: &'static str,
    reason: String,
}

/// The stops of a session and of its subagents, in order.
pub fn stop_lines(past: &Past) -> Vec<StopLine> {
    let own = past.stops.iter().map(|stop| StopLine::new(past, stop));
    own.chain(past.agents.iter().flat_map(stop_lines)).collect()
}

impl StopLine {
    fn new(past: &Past, stop: &Stop) -> Self {
        let claim = |claim: &PastClaim| ClaimLine {
            kind: claim.kind,
            claim: claim.quote.clone(),
            verdict: claim.word(),
            reason: claim.reason.clone(),
        };
        Self {
            r#type: "stop",
            place: Place {
                path: past.path.display().to_string(),
                line: Some(stop.line as u64),
                column: None,
                end_line: None,
            },
            decision: action_word(stop.decision),
            claims: stop.claims.iter().map(claim).collect(),
        }
    }

    /// Replaces quotes and paths by what `hide` makes of them.
    pub fn redact(&mut self, hide: &dyn Fn(&str) -> String) {
        self.place.path = hide(&self.place.path);
        for one in &mut self.claims {
            one.claim = hide(&one.claim);
        }
    }
}
