//! The kinds of statements that can be checked.
//!
//! Contract: done 4.3.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Declares names that receipts, settings and tables have: each once.
macro_rules! named {
    ($(#[$doc:meta])* $type:ident, $count:literal: $($(#[$own:meta])* $variant:ident = $name:literal;)*) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
        )]
        #[serde(rename_all = "snake_case")]
        pub enum $type {
            $($(#[$own])* $variant,)*
        }

        impl $type {
            /// Each of them, in the order of the documentation.
            pub const ALL: [Self; $count] = [$(Self::$variant,)*];

            /// The name in receipts, settings and tables.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

named! {
    /// What a statement is about.
    ClaimKind, 24:
    /// Tests pass.
    TestsPass = "tests_pass";
    /// The build succeeds.
    BuildOk = "build_ok";
    /// A linter has nothing to say.
    LintClean = "lint_clean";
    /// Types check.
    TypesClean = "types_clean";
    /// All checks pass.
    ChecksPass = "checks_pass";
    /// A file was created.
    FileCreated = "file_created";
    /// A file was changed.
    FileModified = "file_modified";
    /// A file was deleted.
    FileDeleted = "file_deleted";
    /// A function, class or other name was added.
    SymbolAdded = "symbol_added";
    /// A name was removed.
    SymbolRemoved = "symbol_removed";
    /// Changes are committed.
    Committed = "committed";
    /// Commits are pushed.
    Pushed = "pushed";
    /// A URL answers.
    EndpointWorks = "endpoint_works";
    /// An environment key is set.
    EnvSet = "env_set";
    /// A row of a database was written.
    RowWritten = "row_written";
    /// A migration was applied.
    MigrationApplied = "migration_applied";
    /// Something was deployed or published.
    Deployed = "deployed";
    /// Something was tried out.
    Verified = "verified";
    /// A defect was fixed.
    Fixed = "fixed";
    /// A command was run.
    Ran = "ran";
    /// This many things were added or fixed.
    Count = "count";
    /// Something was done with another tool: a mail sent, a ticket opened.
    Action = "action";
    /// All of the task is done, and nothing else is said.
    Complete = "complete";
    /// The work is over; only asked for in strict mode.
    Done = "done";
}

named! {
    /// What a command does, as far as claims are concerned.
    Work, 8:
    /// Runs tests.
    Tests = "tests";
    /// Builds.
    Build = "build";
    /// Lints or checks formatting.
    Lint = "lint";
    /// Checks types.
    Types = "types";
    /// Asks a continuous integration for its verdict.
    Checks = "checks";
    /// Deploys or publishes.
    Deploy = "deploy";
    /// Commits, pushes and the like.
    Git = "git";
    /// Runs something, so that its behaviour can be seen.
    Exec = "exec";
}

impl ClaimKind {
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

impl Work {
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

impl Claim {
    /// A statement about no part or number of something.
    pub const fn new(kind: ClaimKind, quote: String) -> Self {
        Self {
            kind,
            quote,
            span: [0, 0],
            subject: String::new(),
            scope: Scope::Plain,
            count: None,
            also: Vec::new(),
            concedes: false,
        }
    }
}
