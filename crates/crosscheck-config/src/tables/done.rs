//! `[done]`
//!
//! The directions apply to a project's file that the person did not accept, and
//! to every one when no session is known. Otherwise it counts in full, except
//! for the keys that only the user can set; see [`crate::Config::trust`].

use super::why;
use crate::Direction::{Grow, Shrink, StarterOnly, Up};
use crate::Preset;
use crate::Typed::All;
use crate::ValueKind::{Flag, Some, Table, Tables, Text, Texts, Whole, Word};
use crate::key::table;

/// Kinds of work that a configured command can do.
pub const WORKS: &[&str] = &["tests", "build", "lint", "types"];

/// What can be asked for whatever the message says.
const REQUIRED: &[&str] = &["tests", "lint", "types", "build", "committed", "pushed"];

const LANGUAGES: &[&str] = &["en", "ko", "ja", "zh", "de", "es", "fr", "pt"];

table! {
    /// What `crosscheck done` reads.
    DONE = "done", "When an agent's final message is let through. Here `crosscheck.toml` counts in full with the content that you accepted with `crosscheck done trust`; for any other content, and without a session, the column *project file* holds";
    "enabled": Flag, Preset::Flag(true), Up,
        "Whether the gate works at all";
    "mode": Word(&["off", "warn", "block"]), Preset::Text("block"), Up,
        "Whether a claim that does not hold sends the agent back, or only warns the user";
    "strict" [All("--strict")]: Flag, Preset::Flag(false), Up,
        "Whether \"done\" without anything that can be checked is a claim";
    "style": Word(&["feedback", "block"]), Preset::Text("block"), Up,
        "Whether the agent is sent back with an error or with feedback";
    "max_bounces": Whole { least: 0, most: 7 }, Preset::Number(3.0), Up,
        "How often the agent is sent back for one prompt";
    "skip_token": Text, Preset::Text("#no-crosscheck"), StarterOnly(why::SKIPS),
        "A word in the user's prompt that lets the turn end unchecked";
    "subagent_skip_types": Texts, Preset::Texts(&["", "Explore", "Plan"]), Shrink,
        "Types of subagents that are not checked";
    "languages": Texts, Preset::Texts(LANGUAGES), Grow,
        "Languages in which claims are found";
    "pattern_files": Texts, Preset::Texts(&[]), StarterOnly(why::BELIEVED),
        "Further pattern files";
    "receipt": Word(&["never", "problems", "always"]), Preset::Text("problems"), Up,
        "When the user sees a receipt although the agent is not sent back";
    "receipts": Flag, Preset::Flag(false), Up,
        "Whether receipts are kept below `.crosscheck/receipts`";
    "timeout_s": Whole { least: 1, most: 3600 }, Preset::Number(120.0), Up,
        "Seconds that one configured command may take";
    "deadline_ms": Whole { least: 100, most: 600_000 }, Preset::Number(5000.0), Up,
        "Milliseconds that a hook may take, commands aside";
    "commands_from": Word(&["manifest", "config"]), Preset::Text("config"), StarterOnly(why::PROGRAM),
        "Whether commands may also be those that the project's manifest names";
    "project": Word(&["trust", "tighten"]), Preset::Text("trust"), StarterOnly(why::BELIEVED),
        "Whether `crosscheck.toml` may only tighten, even if you accepted it";
    "installs_are_edits": Flag, Preset::Flag(false), Up,
        "Whether installing packages makes an earlier run stale";
    "exec_tools": Texts, Preset::Texts(&[]), Shrink,
        "Tools of the harness that count as trying something out";
    "database" [All("--db FILE|URL")]: Text, Preset::Unset, StarterOnly(why::DATABASE),
        "SQLite file or URL of the database in which `rows` checks statements about rows";
    "reality.fs": Flag, Preset::Flag(true), Up,
        "Look at files";
    "reality.git": Flag, Preset::Flag(true), Up,
        "Ask git";
    "reality.env": Flag, Preset::Flag(true), Up,
        "Look for keys in environment files; values are never read";
    "reality.http": Flag, Preset::Flag(false), Up,
        "Ask addresses on this machine";
    "reality.commands": Some(WORKS), Preset::Texts(&[]), Grow,
        "Run configured commands again";
    "require" [All("--require KINDS")]: Some(REQUIRED), Preset::Texts(&[]), Grow,
        "What must be shown whatever the message says";
    "on_unproven": Word(&["ignore", "note", "send-back"]), Preset::Text("send-back"), Up,
        "Whether the agent is sent back for a claim that is not shown, you are told, or nothing happens";
    "projects": Table, Preset::Unset, StarterOnly(why::PROGRAM),
        "Projects in which the hook of your user settings works, by folder, with the commands that it may run there: `\"/home/me/shop\" = { commands = { tests = [\"npm\", \"test\"] } }`";
    "commands": Table, Preset::Unset, StarterOnly(why::PROGRAM),
        "Commands by what they show, each a program with its arguments: `tests = [\"cargo\", \"test\"]`";
    "kinds": Table, Preset::Unset, StarterOnly(why::SKIPS),
        "What a verdict leads to, by kind of claim: `fixed = { unproven = \"off\" }`";
    "runner": Tables, Preset::Unset, StarterOnly(why::BELIEVED),
        "Programs that prove something: `kind`, `argv`, `pass`, `fail`";
    "files.irrelevant": Texts, Preset::Texts(&[]), Shrink,
        "Globs of files whose change makes no run stale";
}
