//! `[workspace]`

use super::why;
use crate::Direction::{Down, Harmless, StarterOnly, Up};
use crate::Preset;
use crate::ValueKind::{Flag, Program, RelativePath, Table, Text, Texts, Url, Whole, Word};
use crate::key::table;

/// The largest number that every JSON reader holds exactly.
const MOST: u64 = 9_007_199_254_740_991;

table! {
    /// What `crosscheck verify` and `crosscheck workspace` read.
    WORKSPACE = "workspace", "How `crosscheck verify` and `crosscheck workspace` run and verify an agent's work";
    "workspaces_dir": Text, Preset::Depends("`crosscheck/workspaces`, else `claude-iterate/workspaces`"), StarterOnly(why::CHECKED),
        "Folder that holds the workspaces";
    "default_max_iterations": Whole { least: 1, most: MOST }, Preset::Depends("50 in loop mode, 20 in iterative mode"), Harmless,
        "Iterations of one run of a new workspace";
    "default_delay": Whole { least: 0, most: MOST }, Preset::Number(2.0), Harmless,
        "Seconds between iterations of a new workspace";
    "output_level": Word(&["quiet", "progress", "verbose"]), Preset::Text("progress"), Harmless,
        "How much is printed";
    "notify_url": Url, Preset::Unset, StarterOnly(why::SENDS),
        "Address for notifications";
    "claude.command": Text, Preset::Text("claude"), StarterOnly(why::PROGRAM),
        "LLM command line of the profile `claude`";
    "claude.args": Texts, Preset::Texts(&[]), StarterOnly(why::PROGRAM),
        "Its arguments";
    "colors": Flag, Preset::Flag(true), Harmless,
        "Use colours on a terminal";
    "verification.auto_verify": Flag, Preset::Flag(true), Up,
        "Verify when the agent says that the work is complete";
    "verification.resume_on_fail": Flag, Preset::Flag(true), Harmless,
        "Resume the work after a failed verification";
    "verification.max_attempts": Whole { least: 1, most: 10 }, Preset::Number(2.0), Down,
        "Verifications of one run";
    "verification.report_filename": RelativePath, Preset::Text("verification-report.md"), Harmless,
        "File of the report inside the workspace";
    "verification.depth": Word(&["quick", "standard", "deep"]), Preset::Text("standard"), Up,
        "How thoroughly the judge looks";
    "verification.notify_on_verification": Flag, Preset::Flag(true), Up,
        "Send a notification after a verification";
    "verification.timeout_seconds": Whole { least: 0, most: 86_400 }, Preset::Number(1800.0), Harmless,
        "Seconds for the judge; 0 for no limit";
    "verification.guards": Word(&["off", "warn", "enforce", "strict"]), Preset::Text("enforce"), Up,
        "How far a passing report is believed";
    "verification.test_command": Program, Preset::Unset, StarterOnly(why::PROGRAM),
        "Program that must succeed, with its arguments";
    "judge": Text, Preset::Text("claude"), StarterOnly(why::PROGRAM),
        "Profile that judges: `claude`, `codex`, `gemini`, one of `judges`, or `none`";
    "judges": Table, Preset::Unset, StarterOnly(why::PROGRAM),
        "Further profiles, a table for each";
}
