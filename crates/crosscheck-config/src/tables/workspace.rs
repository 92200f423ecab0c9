//! `[workspace]`

use serde_json::Value;

use super::why;
use crate::Direction::{Down, Harmless, StarterOnly, Up};
use crate::Preset::{self, Unset};
use crate::Typed::{All, AnyCase, Nowhere};
use crate::ValueKind::{Flag, Program, RelativePath, Table, Text, Texts, Url, Whole, Word};
use crate::key::table;

/// The largest number that every JSON reader holds exactly.
const MOST: u64 = 9_007_199_254_740_991;

table! {
    /// What `crosscheck verify` and `crosscheck workspace` read.
    WORKSPACE, WorkspaceSettings = "workspace", "How `crosscheck verify` and `crosscheck workspace` run and verify an agent's work";
    "Verification" {
        depth @ "verification.depth": String, Word(&["quick", "standard", "deep"]), Preset::Text("standard"), Up, AnyCase("--depth LEVEL"),
            "How thoroughly the judge looks";
        judge: String, Text, Preset::Text("claude"), StarterOnly(why::PROGRAM), All("--judge PROFILE"),
            "Profile that judges: `claude`, `codex`, `gemini`, one of `judges`, or `none`";
        guards @ "verification.guards": String, Word(&["off", "warn", "enforce", "strict"]), Preset::Text("enforce"), Up, AnyCase("--guards LEVEL"),
            "How far a passing report is believed";
        timeout_seconds @ "verification.timeout_seconds": u64, Whole { least: 0, most: 86_400 }, Preset::Number(1800.0), Harmless, All("--timeout SECONDS"),
            "Seconds for the judge; 0 for no limit";
        auto_verify @ "verification.auto_verify": bool, Flag, Preset::Flag(true), Up, Nowhere,
            "Verify when the agent says that the work is complete";
        resume_on_fail @ "verification.resume_on_fail": bool, Flag, Preset::Flag(true), Harmless, Nowhere,
            "Resume the work after a failed verification";
        max_attempts @ "verification.max_attempts": u64, Whole { least: 1, most: 10 }, Preset::Number(2.0), Down, Nowhere,
            "Verifications of one run";
        report_filename @ "verification.report_filename": String, RelativePath, Preset::Text("verification-report.md"), Harmless, Nowhere,
            "File of the report inside the workspace";
        notify_on_verification @ "verification.notify_on_verification": bool, Flag, Preset::Flag(true), Up, Nowhere,
            "Send a notification after a verification";
        test_command @ "verification.test_command": Option<Vec<String>>, Program, Unset, StarterOnly(why::PROGRAM), Nowhere,
            "Program that must succeed, with its arguments";
    }
    "Workspaces" {
        workspaces_dir: Option<String>, Text, Preset::Depends("`crosscheck/workspaces`, else `claude-iterate/workspaces`"), StarterOnly(why::CHECKED), Nowhere,
            "Folder that holds the workspaces";
        default_max_iterations: Option<u64>, Whole { least: 1, most: MOST }, Preset::Depends("50 in loop mode, 20 in iterative mode"), Harmless, Nowhere,
            "Iterations of one run of a new workspace";
        default_delay: u64, Whole { least: 0, most: MOST }, Preset::Number(2.0), Harmless, Nowhere,
            "Seconds between iterations of a new workspace";
        output_level: String, Word(&["quiet", "progress", "verbose"]), Preset::Text("progress"), Harmless, Nowhere,
            "How much is printed";
        colors: bool, Flag, Preset::Flag(true), Harmless, Nowhere,
            "Use colours on a terminal";
        notify_url: Option<String>, Url, Unset, StarterOnly(why::SENDS), Nowhere,
            "Address for notifications";
        claude_command @ "claude.command": String, Text, Preset::Text("claude"), StarterOnly(why::PROGRAM), Nowhere,
            "LLM command line of the profile `claude`";
        claude_args @ "claude.args": Vec<String>, Texts, Preset::Texts(&[]), StarterOnly(why::PROGRAM), Nowhere,
            "Its arguments";
        judges: Option<Value>, Table, Unset, StarterOnly(why::PROGRAM), Nowhere,
            "Further profiles, a table for each";
    }
}
