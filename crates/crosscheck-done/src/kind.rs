//! The kinds of statements that can be checked.
//!
//! Contract: done 4.3.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a statement is about.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ClaimKind {
    /// Tests pass.
    TestsPass,
    /// The build succeeds.
    BuildOk,
    /// A linter has nothing to say.
    LintClean,
    /// Types check.
    TypesClean,
    /// All checks pass.
    ChecksPass,
    /// A file was created.
    FileCreated,
    /// A file was changed.
    FileModified,
    /// A file was deleted.
    FileDeleted,
    /// A function, class or other name was added.
    SymbolAdded,
    /// A name was removed.
    SymbolRemoved,
    /// Changes are committed.
    Committed,
    /// Commits are pushed.
    Pushed,
    /// A URL answers.
    EndpointWorks,
    /// An environment key is set.
    EnvSet,
    /// A row of a database was written.
    RowWritten,
    /// A migration was applied.
    MigrationApplied,
    /// Something was deployed or published.
    Deployed,
    /// Something was tried out.
    Verified,
    /// A defect was fixed.
    Fixed,
    /// A command was run.
    Ran,
    /// This many things were added or fixed.
    Count,
    /// Something was done with another tool: a mail sent, a ticket opened.
    Action,
    /// All of the task is done, and nothing else is said.
    Complete,
    /// The work is over; only asked for in strict mode.
    Done,
}

impl ClaimKind {
    /// Every kind, in the order of the documentation.
    pub const ALL: [Self; 24] = [
        Self::TestsPass,
        Self::BuildOk,
        Self::LintClean,
        Self::TypesClean,
        Self::ChecksPass,
        Self::FileCreated,
        Self::FileModified,
        Self::FileDeleted,
        Self::SymbolAdded,
        Self::SymbolRemoved,
        Self::Committed,
        Self::Pushed,
        Self::EndpointWorks,
        Self::EnvSet,
        Self::RowWritten,
        Self::MigrationApplied,
        Self::Deployed,
        Self::Verified,
        Self::Fixed,
        Self::Ran,
        Self::Count,
        Self::Action,
        Self::Complete,
        Self::Done,
    ];

    /// Whether it is about the work as a whole, and not about one file, name or command.
    pub const fn is_about_all(self) -> bool {
        matches!(
            self,
            Self::TestsPass
                | Self::BuildOk
                | Self::LintClean
                | Self::TypesClean
                | Self::ChecksPass
                | Self::Committed
                | Self::Pushed
                | Self::Deployed
                | Self::Verified
                | Self::Fixed
        )
    }

    /// The name in receipts and settings.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TestsPass => "tests_pass",
            Self::BuildOk => "build_ok",
            Self::LintClean => "lint_clean",
            Self::TypesClean => "types_clean",
            Self::ChecksPass => "checks_pass",
            Self::FileCreated => "file_created",
            Self::FileModified => "file_modified",
            Self::FileDeleted => "file_deleted",
            Self::SymbolAdded => "symbol_added",
            Self::SymbolRemoved => "symbol_removed",
            Self::Committed => "committed",
            Self::Pushed => "pushed",
            Self::EndpointWorks => "endpoint_works",
            Self::EnvSet => "env_set",
            Self::RowWritten => "row_written",
            Self::MigrationApplied => "migration_applied",
            Self::Deployed => "deployed",
            Self::Verified => "verified",
            Self::Fixed => "fixed",
            Self::Ran => "ran",
            Self::Count => "count",
            Self::Action => "action",
            Self::Complete => "complete",
            Self::Done => "done",
        }
    }

    /// The kind of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The work that shows it, where there is one kind of it.
    pub const fn work(self) -> Option<Work> {
        match self {
            Self::TestsPass => Some(Work::Tests),
            Self::BuildOk => Some(Work::Build),
            Self::LintClean => Some(Work::Lint),
            Self::TypesClean => Some(Work::Types),
            _ => None,
        }
    }

    /// Whether the evidence is a command that ran.
    pub const fn is_run(self) -> bool {
        matches!(
            self,
            Self::TestsPass
                | Self::BuildOk
                | Self::LintClean
                | Self::TypesClean
                | Self::ChecksPass
                | Self::Deployed
                | Self::Verified
                | Self::Fixed
                | Self::Ran
                | Self::Count
        )
    }

    /// Whether the evidence is only in the world as it is now.
    pub const fn is_of_the_world(self) -> bool {
        matches!(
            self,
            Self::FileCreated
                | Self::FileModified
                | Self::FileDeleted
                | Self::SymbolAdded
                | Self::SymbolRemoved
                | Self::EndpointWorks
                | Self::EnvSet
        )
    }
}

impl fmt::Display for ClaimKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a command does, as far as claims are concerned.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// Runs tests.
    Tests,
    /// Builds.
    Build,
    /// Lints or checks formatting.
    Lint,
    /// Checks types.
    Types,
    /// Asks a continuous integration for its verdict.
    Checks,
    /// Deploys or publishes.
    Deploy,
    /// Commits, pushes and the like.
    Git,
    /// Runs something, so that its behaviour can be seen.
    Exec,
}

impl Work {
    /// Every kind of work.
    pub const ALL: [Self; 8] = [
        Self::Tests,
        Self::Build,
        Self::Lint,
        Self::Types,
        Self::Checks,
        Self::Deploy,
        Self::Git,
        Self::Exec,
    ];

    /// The name in settings and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tests => "tests",
            Self::Build => "build",
            Self::Lint => "lint",
            Self::Types => "types",
            Self::Checks => "checks",
            Self::Deploy => "deploy",
            Self::Git => "git",
            Self::Exec => "exec",
        }
    }

    /// The claim that such a command can prove by itself.
    pub const fn claim(self) -> Option<ClaimKind> {
        match self {
            Self::Tests => Some(ClaimKind::TestsPass),
            Self::Build => Some(ClaimKind::BuildOk),
            Self::Lint => Some(ClaimKind::LintClean),
            Self::Types => Some(ClaimKind::TypesClean),
            Self::Checks => Some(ClaimKind::ChecksPass),
            Self::Deploy => Some(ClaimKind::Deployed),
            Self::Git | Self::Exec => None,
        }
    }
}

/// What part of a thing a statement speaks of.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// All of it, in so many words.
    All,
    /// No part is named.
    Plain,
    /// What is in a file or folder.
    Path(String),
    /// What has this name.
    Name(String),
    /// This many of it.
    Count(u64),
    /// All but this.
    Except(String),
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::Plain => f.write_str("plain"),
            Self::Path(path) => write!(f, "path:{path}"),
            Self::Name(name) => write!(f, "name:{name}"),
            Self::Count(count) => write!(f, "count:{count}"),
            Self::Except(what) => write!(f, "except:{what}"),
        }
    }
}

/// One statement of a message that can be checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// What it is about.
    pub kind: ClaimKind,
    /// The words, as they stand in the message; at most 200 characters.
    pub quote: String,
    /// Where they are: first character and the one after the last.
    pub span: [usize; 2],
    /// The file, name, URL or command it speaks of; empty when it names none.
    pub subject: String,
    /// The part it speaks of.
    pub scope: Scope,
    /// How many things it claims.
    pub count: Option<u64>,
    /// Other places of the message that claim the same.
    pub also: Vec<[usize; 2]>,
    /// Whether the message itself says that something fails, is left out or
    /// was not done: then nothing in it is refuted.
    pub concedes: bool,
}
