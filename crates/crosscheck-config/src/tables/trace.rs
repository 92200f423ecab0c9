//! `[trace]`

use crate::Direction::{Harmless, Up};
use crate::Preset;
use crate::Typed::All;
use crate::ValueKind::{Flag, Whole, Word};
use crate::key::table;

table! {
    /// What `crosscheck trace` reads.
    TRACE, TraceSettings = "trace", "How `crosscheck trace` checks a reasoning run";
    "Checking" {
        min_supports: u64, Whole { least: 0, most: u64::MAX }, Preset::Number(0.0), Up, All("--min-supports N"),
            "Minimum number of citations per derived claim; can only raise the minimum of the trace itself";
        insufficient: String, Word(&["marked", "forbid"]), Preset::Text("marked"), Up, All("--insufficient RULE"),
            "Derived claims of a run that declares insufficient evidence: they pass when each is clearly marked, or they fail";
        require_seal: bool, Flag, Preset::Flag(false), Up, All("--require-seal"),
            "Reject a run without `manifest.json` or `fingerprint.txt`";
    }
    "Report" {
        policy: String, Word(&["strict", "audit"]), Preset::Text("strict"), Harmless, All("--policy POLICY"),
            "Which metrics the report contains: those of the contract, or additional ones; never changes the verdict";
        max_failures: usize, Whole { least: 1, most: u64::MAX }, Preset::Number(1000.0), Harmless, All("--max-failures N"),
            "Maximum number of failures listed per check; all are counted";
    }
}
