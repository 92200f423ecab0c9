//! Each stop of a past session as one line of NDJSON.

use serde_json::{Value, json};

use super::replay::{Past, PastClaim, Stop};
use crate::gate::action_word;

/// The stops of a session and of its subagents, in order; quotes and paths are
/// what `hide` makes of them.
pub fn stop_lines(past: &Past, hide: &dyn Fn(&str) -> String) -> Vec<Value> {
    let claim = |claim: &PastClaim| json!({"kind": claim.kind, "claim": hide(&claim.quote), "verdict": claim.word(), "reason": claim.reason});
    let path = hide(&past.path.display().to_string());
    let line = |stop: &Stop| {
        let claims: Vec<Value> = stop.claims.iter().map(claim).collect();
        json!({"type": "stop", "place": {"path": path, "line": stop.line},
            "decision": action_word(stop.decision), "claims": claims})
    };
    let own = past.stops.iter().map(line);
    let agents = past.agents.iter();
    own.chain(agents.flat_map(|agent| stop_lines(agent, hide)))
        .collect()
}
