//! `[claims]`

use super::why;
use crate::Direction::{Down, Harmless, Only, Shrink, StarterOnly, Up};
use crate::Preset;
use crate::ValueKind::{Flag, Program, Share, Text, Texts, Whole, Word};
use crate::key::table;

table! {
    /// What `crosscheck claims` reads.
    CLAIMS = "claims", "How `crosscheck claims` checks a SubResult.v1";
    "risk": Word(&["low", "medium", "high"]), Preset::Text("medium"), Up,
        "How much is at stake; low checks 5 % of the claims, medium 15 %, high 30 %";
    "sample_rate": Share, Preset::Depends("by risk"), Up,
        "Share of the claims to check";
    "select": Word(&["first", "random", "stratified", "all"]), Preset::Text("first"), Only("all"),
        "Which claims are checked";
    "seed": Text, Preset::Text("0"), StarterOnly(why::SKIPS),
        "Seed of random and stratified selection";
    "evidence_mode": Word(&["any", "all"]), Preset::Text("any"), Up,
        "Whether one good evidence item is enough for a claim, or all must be good";
    "quote_match": Word(&["loose", "whitespace", "eol", "exact"]), Preset::Text("eol"), Up,
        "How closely a quote must match the file";
    "line_slack": Whole { least: 0, most: u64::MAX }, Preset::Number(0.0), Down,
        "Lines added on both sides of a range before the quote is searched";
    "on_unclear": Word(&["pass", "auto", "partial", "fail"]), Preset::Text("auto"), Up,
        "How to count a claim the judge cannot decide";
    "strict_hash": Flag, Preset::Flag(false), Up,
        "Fail evidence whose `quote_hash` does not match its quote";
    "strict_schema": Flag, Preset::Flag(false), Up,
        "Refuse a document that breaks its schema anywhere";
    "confine": Flag, Preset::Flag(false), Up,
        "Refuse evidence outside the project root";
    "allow_paths": Texts, Preset::Texts(&[]), Shrink,
        "Further folders that may be read when evidence is confined";
    "extended": Flag, Preset::Flag(false), Up,
        "Verify `byte_range`, `json_path` and `stack_signature` locators too";
    "offline": Flag, Preset::Flag(false), StarterOnly(why::SKIPS),
        "Use no network";
    "search_command": Program, Preset::Unset, StarterOnly(why::PROGRAM),
        "Program that searches the web, with its arguments";
    "persist": Flag, Preset::Flag(true), StarterOnly("it decides which reports are kept"),
        "Keep the report below `.claude/context-firewall`";
    "max_file_bytes": Whole { least: 0, most: u64::MAX }, Preset::Number(268_435_456.0), StarterOnly(why::COSTS),
        "Maximum file size; larger files stay unverified";
    "max_snippet_bytes": Whole { least: 0, most: u64::MAX }, Preset::Number(1_048_576.0), StarterOnly(why::COSTS),
        "Maximum snippet size; longer snippets stay unverified";
    "jobs": Whole { least: 1, most: 1024 }, Preset::Depends("the number of cores"), Harmless,
        "Number of parallel checks";
}
