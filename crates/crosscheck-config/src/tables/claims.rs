//! `[claims]`

use std::path::PathBuf;

use serde_json::Value;

use super::why;
use crate::Direction::{Down, Harmless, Only, Shrink, StarterOnly, Up};
use crate::Preset::{self, Unset};
use crate::Typed::{All, Nowhere, People};
use crate::ValueKind::{Flag, Program, Share, Text, Texts, Whole, Word};
use crate::key::table;

table! {
    /// What `crosscheck claims` reads.
    CLAIMS, ClaimsSettings = "claims", "How `crosscheck claims` checks a SubResult.v1";
    "Checking" {
        risk: String, Word(&["low", "medium", "high"]), Preset::Text("medium"), Up, All("--risk RISK"),
            "How much is at stake; low checks 5 % of the claims, medium 15 %, high 30 %";
        sample_rate: Option<Value>, Share, Preset::Depends("by risk"), Up, All("--sample-rate RATE"),
            "Share of the claims to check, from 0 to 1";
        select: String, Word(&["first", "random", "stratified", "all"]), Preset::Text("first"), Only("all"), All("--select SELECT"),
            "Which claims are checked";
        seed: String, Text, Preset::Text("0"), StarterOnly(why::SKIPS), All("--seed TEXT"),
            "Seed of random and stratified selection; `cf-verify` takes it from the document";
        evidence_mode: String, Word(&["any", "all"]), Preset::Text("any"), Up, All("--evidence-mode MODE"),
            "Whether one good evidence item is enough for a claim, or all must be good";
        quote_match: String, Word(&["loose", "whitespace", "eol", "exact"]), Preset::Text("eol"), Up, All("--quote-match LEVEL"),
            "How closely a quote must match the file";
        line_slack: u64, Whole { least: 0, most: u64::MAX }, Preset::Number(0.0), Down, All("--line-slack N"),
            "Lines added on both sides of a range before the quote is searched";
        on_unclear: String, Word(&["pass", "auto", "partial", "fail"]), Preset::Text("auto"), Up, All("--on-unclear RESULT"),
            "How to count a claim the judge cannot decide";
        strict_hash: bool, Flag, Preset::Flag(false), Up, All("--strict-hash"),
            "Fail evidence whose `quote_hash` does not match its quote";
        strict_schema: bool, Flag, Preset::Flag(false), Up, All("--strict-schema"),
            "Refuse a document that breaks the SubResult.v1 schema anywhere";
        confine: bool, Flag, Preset::Flag(false), Up, All("--confine"),
            "Refuse evidence outside the project root; always on with a model judge";
        allow_paths: Vec<PathBuf>, Texts, Preset::Texts(&[]), Shrink, People("--allow-path FOLDER"),
            "Further folders that may be read when evidence is confined";
        extended: bool, Flag, Preset::Flag(false), Up, All("--extended"),
            "Verify `byte_range`, `json_path` and `stack_signature` locators too";
        offline: bool, Flag, Preset::Flag(false), StarterOnly(why::SKIPS), Nowhere,
            "Use no network";
        search_command: Option<Vec<String>>, Program, Unset, StarterOnly(why::PROGRAM), People("--search-command ARGV"),
            "Program that searches the web, with its arguments; on the command line up to a lone `;` or the end";
        persist: bool, Flag, Preset::Flag(true), StarterOnly("it decides which reports are kept"), All("--no-persist"),
            "Keep the report below `.claude/context-firewall`";
        max_file_bytes: u64, Whole { least: 0, most: u64::MAX }, Preset::Number(268_435_456.0), StarterOnly(why::COSTS), All("--max-file-bytes BYTES"),
            "Maximum file size; larger files stay unverified";
        max_snippet_bytes: u64, Whole { least: 0, most: u64::MAX }, Preset::Number(1_048_576.0), StarterOnly(why::COSTS), All("--max-snippet-bytes BYTES"),
            "Maximum snippet size; longer snippets stay unverified";
        jobs: Option<usize>, Whole { least: 1, most: 1024 }, Preset::Depends("the number of cores"), Harmless, All("--jobs N"),
            "Number of parallel checks";
    }
}
