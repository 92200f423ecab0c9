//! The settings that hold for a check.
//!
//! Keys, defaults and directions are those of the table `[done]` in
//! `crosscheck-config`: a file that may be the session's own can make the gate
//! stricter, never looser, and names no program.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crosscheck_config::tables::DONE;
use crosscheck_config::{Config, Table};
use crosscheck_core::redact::SecretUrl;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::kind::{ClaimKind, Work};
use crate::runner::OwnRunner;

/// Keys that the project's file never sets, whoever wrote it.
pub const STARTER_KEYS: &[&str] = &[
    "commands_from",
    "database",
    "pattern_files",
    "project",
    "projects",
];

/// What a block becomes.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The gate does nothing.
    Off,
    /// Every block is a warning.
    Warn,
    /// The agent is sent back.
    Block,
}

/// What one verdict leads to.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Nothing.
    #[serde(alias = "off")]
    Allow,
    /// The user is told.
    Warn,
    /// The agent is sent back.
    Block,
}

/// How the agent is sent back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Style {
    /// As an error.
    Block,
    /// As feedback.
    Feedback,
}

/// When the user sees a receipt although nothing is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Show {
    /// Never, not even with problems that do not block.
    Never,
    /// With problems.
    Problems,
    /// Always.
    Always,
}

/// Where commands that may be run come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandsFrom {
    /// From `[done.commands]`.
    Config,
    /// Also from the project's manifest; only the user's own file may say so.
    Manifest,
}

/// What an unproven claim leads to, all kinds alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnUnproven {
    /// What its kind says: the agent is sent back, or the person is told.
    SendBack,
    /// The person is told.
    Note,
    /// Nothing.
    Ignore,
}

/// What can be asked for whatever the message says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Required {
    /// Tests pass.
    Tests,
    /// The linter finds nothing.
    Lint,
    /// Types are right.
    Types,
    /// It builds.
    Build,
    /// The work is committed.
    Committed,
    /// The commits are pushed.
    Pushed,
}

impl Required {
    /// The kind of claim that is asked for.
    pub const fn kind(self) -> ClaimKind {
        match self {
            Self::Tests => ClaimKind::TestsPass,
            Self::Lint => ClaimKind::LintClean,
            Self::Types => ClaimKind::TypesClean,
            Self::Build => ClaimKind::BuildOk,
            Self::Committed => ClaimKind::Committed,
            Self::Pushed => ClaimKind::Pushed,
        }
    }

    /// The word on command lines.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Tests => "tests",
            Self::Lint => "lint",
            Self::Types => "types",
            Self::Build => "build",
            Self::Committed => "committed",
            Self::Pushed => "pushed",
        }
    }
}

/// `[done.projects."<root>"]`: a project that the person named.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RawProject {
    /// Commands that the gate may run there by itself.
    pub commands: BTreeMap<Work, Vec<String>>,
}

/// How far the file of the project is believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Project {
    /// As long as it is older than the session.
    Trust,
    /// It may only tighten.
    Tighten,
}

/// `[done.kinds.<kind>]`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RawKind {
    /// What an unproven claim leads to.
    pub unproven: Option<Action>,
    /// What a refuted claim leads to.
    pub refuted: Option<Action>,
}

/// Which kinds of the world are looked at.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Reality {
    /// Files.
    #[serde(rename = "reality.fs")]
    pub fs: bool,
    /// The repository.
    #[serde(rename = "reality.git")]
    pub git: bool,
    /// Environment files.
    #[serde(rename = "reality.env")]
    pub env: bool,
    /// Addresses on this machine.
    #[serde(rename = "reality.http")]
    pub http: bool,
    /// Configured commands for this work.
    #[serde(rename = "reality.commands")]
    pub commands: BTreeSet<Work>,
}

impl Reality {
    /// Nothing is looked at.
    pub const fn none() -> Self {
        Self {
            fs: false,
            git: false,
            env: false,
            http: false,
            commands: BTreeSet::new(),
        }
    }
}

/// What holds for a run: the table `[done]`, with the defaults filled in.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Settings {
    /// Whether the gate works at all.
    pub enabled: bool,
    /// What a block becomes.
    pub mode: Mode,
    /// Whether "done" alone is a claim.
    pub strict: bool,
    /// How the agent is sent back.
    pub style: Style,
    /// How often it is sent back for one prompt.
    pub max_bounces: u32,
    /// A word of the user that lets a turn end unchecked.
    pub skip_token: String,
    /// Types of subagents that are not checked.
    #[serde(rename = "subagent_skip_types")]
    pub skip_types: Vec<String>,
    /// Languages whose claims are found.
    pub languages: Vec<String>,
    /// Further pattern files; only in the user's own file.
    pub pattern_files: Vec<String>,
    /// When the user sees a receipt.
    #[serde(rename = "receipt")]
    pub show: Show,
    /// Whether receipts are kept in `.crosscheck/receipts`.
    pub receipts: bool,
    /// Time limit of a configured command, in seconds.
    pub timeout_s: u64,
    /// Time limit of a hook without commands, in milliseconds.
    pub deadline_ms: u64,
    /// Where commands come from; only in the user's own file.
    pub commands_from: CommandsFrom,
    /// How far the project's file is believed; only in the user's own file.
    pub project: Project,
    /// Whether the installation of packages counts as a change.
    pub installs_are_edits: bool,
    /// Tools of the harness that count as trying something out.
    pub exec_tools: Vec<String>,
    /// What is asked for whatever the message says.
    pub require: BTreeSet<Required>,
    /// What an unproven claim leads to.
    pub on_unproven: OnUnproven,
    /// The database for `rows`: a file or a URL; only in the user's own file.
    pub database: Option<SecretUrl>,
    /// Which kinds of the world are looked at.
    #[serde(flatten)]
    pub reality: Reality,
    /// Projects that the person named; only in the user's own file.
    #[serde(deserialize_with = "or_none")]
    pub projects: BTreeMap<String, RawProject>,
    /// Commands that are run, by what they show.
    #[serde(deserialize_with = "or_none")]
    pub commands: BTreeMap<Work, Vec<String>>,
    /// What verdicts lead to, by kind.
    #[serde(deserialize_with = "or_none")]
    pub kinds: BTreeMap<ClaimKind, RawKind>,
    /// Programs that the table of runners does not know.
    #[serde(rename = "runner", deserialize_with = "or_none")]
    pub runners: Vec<OwnRunner>,
    /// Files whose change makes no run stale.
    #[serde(rename = "files.irrelevant")]
    pub irrelevant: Vec<String>,
}

/// What is not set holds nothing.
fn or_none<'d, D: Deserializer<'d>, T: Default + Deserialize<'d>>(given: D) -> Result<T, D::Error> {
    Option::deserialize(given).map(Option::unwrap_or_default)
}

impl crosscheck_config::Settings for Settings {
    const TABLE: &'static Table = &DONE;
}

#[expect(
    clippy::expect_used,
    reason = "every default has the type of its key, which a test shows"
)]
impl Default for Settings {
    fn default() -> Self {
        let chosen = Config::default().chosen();
        chosen.expect("the defaults of the table are settings")
    }
}

impl Settings {
    /// Whether the person named this project.
    pub fn names(&self, root: &Path) -> bool {
        self.projects.keys().any(|named| root.starts_with(named))
    }

    /// Takes the commands that the person accepted for this project: having
    /// them is the consent to run them, unless the command line says which are run.
    pub(crate) fn take_project(&mut self, root: &Path, says_which: bool) {
        let own = root.to_str().and_then(|root| self.projects.get(root));
        let commands = own.map(|own| own.commands.clone()).unwrap_or_default();
        if !says_which {
            self.reality.commands.extend(commands.keys().copied());
        }
        self.commands.extend(commands);
    }

    /// The time a hook may take, in milliseconds.
    pub fn time_ms(&self) -> u64 {
        if self.reality.commands.is_empty() {
            self.deadline_ms
        } else {
            self.deadline_ms
                .saturating_add(self.timeout_s.saturating_mul(2000))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value};

    use super::*;

    #[test]
    fn every_key_of_the_table_is_a_setting() {
        let config = Config::default();
        let all = DONE.keys.iter().map(|key| {
            let value = config.get(&DONE, key.path);
            (key.path.to_owned(), value)
        });
        let all: Map<String, Value> = all.collect();
        let read = |values: Map<String, Value>| Settings::deserialize(Value::Object(values));
        assert!(read(all.clone()).is_ok());
        // an `Option` may be left out, and is proven by its value
        for key in DONE.keys.iter().filter(|key| key.path != "database") {
            let mut without = all.clone();
            without.remove(key.path);
            assert!(read(without).is_err(), "{} is read by nobody", key.path);
        }
        let mut with = all;
        with.insert("database".to_owned(), "shop.db".into());
        assert!(read(with).unwrap().database.is_some());
    }
}
