//! The settings that hold for a check.
//!
//! Keys, defaults and directions are those of the table `[done]` in
//! `crosscheck-config`: a file that may be the session's own can make the gate
//! stricter, never looser, and names no program.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crosscheck_core::redact::SecretUrl;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::handover::Verifier;
use crate::kind::{ClaimKind, Work};
use crate::runner::OwnRunner;

/// Keys that the project's file never sets, whoever wrote it.
pub const STARTER_KEYS: &[&str] = &[
    "commands_from",
    "database",
    "handover",
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

/// `[done.reality]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RawReality {
    /// Look at files.
    pub fs: Option<bool>,
    /// Ask git.
    pub git: Option<bool>,
    /// Look for keys in environment files.
    pub env: Option<bool>,
    /// Ask addresses on this machine.
    pub http: Option<bool>,
    /// Run configured commands.
    pub commands: Option<BTreeSet<Work>>,
}

impl RawReality {
    /// Nothing is looked at.
    pub const fn none() -> Self {
        Self {
            fs: Some(false),
            git: Some(false),
            env: Some(false),
            http: Some(false),
            commands: Some(BTreeSet::new()),
        }
    }
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

/// `[done.files]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RawFiles {
    /// Files whose change makes no run stale.
    pub irrelevant: Option<Vec<String>>,
}

/// Which kinds of the world are looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reality {
    /// Files.
    pub fs: bool,
    /// The repository.
    pub git: bool,
    /// Environment files.
    pub env: bool,
    /// Addresses on this machine.
    pub http: bool,
    /// Configured commands for this work.
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

fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|word| (*word).to_owned()).collect()
}

/// Declares each setting once: as it may be written, as it holds, and its
/// value where nothing is written.
macro_rules! settings {
    ($($(#[$doc:meta])* $field:ident ($key:ident): $type:ty = $default:expr;)*) => {
        /// The table `[done]` as it is written.
        #[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct RawDone {
            $($(#[$doc])* pub $key: Option<$type>,)*
            /// The database that statements about rows are checked in; only in
            /// the user's own file.
            pub database: Option<String>,
            /// Which kinds of the world are looked at.
            pub reality: RawReality,
            /// Projects that the person named; only in the user's own file.
            pub projects: BTreeMap<String, RawProject>,
            /// Commands that are run, by what they show.
            pub commands: BTreeMap<Work, Vec<String>>,
            /// What verdicts lead to, by kind.
            pub kinds: BTreeMap<ClaimKind, RawKind>,
            /// Programs that the table of runners does not know.
            pub runner: Vec<OwnRunner>,
            /// Files.
            pub files: RawFiles,
        }

        /// What holds for a run.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct Settings {
            $($(#[$doc])* pub $field: $type,)*
            /// The database for `rows`: a file or a URL.
            pub database: Option<SecretUrl>,
            /// Which kinds of the world are looked at.
            pub reality: Reality,
            /// Projects that the person named.
            pub projects: BTreeMap<String, RawProject>,
            /// Commands that are run.
            pub commands: BTreeMap<Work, Vec<String>>,
            /// What verdicts lead to.
            pub kinds: BTreeMap<ClaimKind, RawKind>,
            /// The user's own runners.
            pub runners: Vec<OwnRunner>,
            /// Files whose change makes no run stale.
            pub irrelevant: Vec<String>,
        }

        impl Default for Settings {
            fn default() -> Self {
                Self {
                    $($field: $default,)*
                    database: None,
                    reality: Reality {
                        fs: true,
                        git: true,
                        env: true,
                        http: false,
                        commands: BTreeSet::new(),
                    },
                    projects: BTreeMap::new(),
                    commands: BTreeMap::new(),
                    kinds: BTreeMap::new(),
                    runners: Vec::new(),
                    irrelevant: Vec::new(),
                }
            }
        }

        impl Settings {
            /// Takes what is set of a table.
            pub fn apply(&mut self, raw: &RawDone) {
                $(put(&mut self.$field, raw.$key.as_ref());)*
                if let Some(database) = &raw.database {
                    self.database = Some(SecretUrl::new(database));
                }
                put(&mut self.reality.fs, raw.reality.fs.as_ref());
                put(&mut self.reality.git, raw.reality.git.as_ref());
                put(&mut self.reality.env, raw.reality.env.as_ref());
                put(&mut self.reality.http, raw.reality.http.as_ref());
                put(&mut self.reality.commands, raw.reality.commands.as_ref());
                put(&mut self.irrelevant, raw.files.irrelevant.as_ref());
                self.projects.extend(raw.projects.clone());
                self.commands.extend(raw.commands.clone());
                self.kinds.extend(raw.kinds.clone());
                if !raw.runner.is_empty() {
                    self.runners.clone_from(&raw.runner);
                }
            }
        }
    };
}

fn put<T: Clone>(slot: &mut T, new: Option<&T>) {
    if let Some(new) = new {
        slot.clone_from(new);
    }
}

settings! {
    /// Whether the gate works at all.
    enabled (enabled): bool = true;
    /// What a block becomes.
    mode (mode): Mode = Mode::Block;
    /// Whether "done" alone is a claim.
    strict (strict): bool = false;
    /// How the agent is sent back.
    style (style): Style = Style::Block;
    /// How often it is sent back for one prompt.
    max_bounces (max_bounces): u32 = 3;
    /// A word of the user that lets a turn end unchecked.
    skip_token (skip_token): String = "#no-crosscheck".to_owned();
    /// Types of subagents that are not checked.
    skip_types (subagent_skip_types): Vec<String> = words(&["", "Explore", "Plan"]);
    /// Languages whose claims are found.
    languages (languages): Vec<String> = words(&["en", "ko", "ja", "zh", "de", "es", "fr", "pt"]);
    /// Further pattern files; only in the user's own file.
    pattern_files (pattern_files): Vec<String> = Vec::new();
    /// When the user sees a receipt.
    show (receipt): Show = Show::Problems;
    /// Whether receipts are kept in `.crosscheck/receipts`.
    receipts (receipts): bool = false;
    /// Time limit of a configured command, in seconds.
    timeout_s (timeout_s): u64 = 120;
    /// Time limit of a hook without commands, in milliseconds.
    deadline_ms (deadline_ms): u64 = 5000;
    /// Where commands come from; only in the user's own file.
    commands_from (commands_from): CommandsFrom = CommandsFrom::Config;
    /// How far the project's file is believed; only in the user's own file.
    project (project): Project = Project::Trust;
    /// Whether the installation of packages counts as a change.
    installs_are_edits (installs_are_edits): bool = false;
    /// Tools of the harness that count as trying something out.
    exec_tools (exec_tools): Vec<String> = Vec::new();
    /// Verifiers that statements are handed to.
    handover (handover): Vec<Verifier> = vec![Verifier::Claims, Verifier::Rows];
    /// What is asked for whatever the message says.
    require (require): BTreeSet<Required> = BTreeSet::new();
    /// What an unproven claim leads to.
    on_unproven (on_unproven): OnUnproven = OnUnproven::SendBack;
}

impl Settings {
    /// Whether the person named this project.
    pub fn names(&self, root: &Path) -> bool {
        self.projects.keys().any(|named| root.starts_with(named))
    }

    /// Takes the commands that the person accepted for this project: having
    /// them is the consent to run them.
    pub fn take_project(&mut self, root: &Path) {
        let own = root.to_str().and_then(|root| self.projects.get(root));
        let commands = own.map(|own| own.commands.clone()).unwrap_or_default();
        self.reality.commands.extend(commands.keys().copied());
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
