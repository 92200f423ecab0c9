//! `[[check]]`: what `crosscheck ci` runs. Unlike the other tables it is a list, and
//! only files hold it.

use super::why;
use crate::Direction::{StarterOnly, Up};
use crate::Preset::{self, Unset};
use crate::ValueKind::{Date, Flag, Paths, RelativePath, Text, Word};
use crate::key::table;

/// What a verifier reads of a check.
#[derive(Debug, PartialEq, Eq)]
pub struct Verifier {
    /// Its name in the policy.
    pub name: &'static str,
    /// Keys of which exactly one is given; each file it names is one run.
    pub each: &'static [&'static str],
    /// Whether it needs a database.
    pub database: bool,
    /// Further keys that are needed.
    pub needs: &'static [&'static str],
    /// Keys that may be given.
    pub takes: &'static [&'static str],
}

/// Declares the verifiers: the name, the keys of the inputs, further keys that are needed and
/// that may be given, and whether there is a database.
macro_rules! verifiers {
    ($($name:literal: $each:expr, $needs:expr, $takes:expr, $database:literal;)+) => {
        /// Every verifier that a check can name.
        pub const VERIFIERS: &[Verifier] = &[
            $(Verifier { name: $name, each: &$each, needs: &$needs, takes: &$takes, database: $database },)+
        ];

        const NAMES: &[&str] = &[$($name),+];
    };
}

verifiers! {
    "rows": ["log"], [], ["contract", "redact"], true;
    "quick": ["log"], [], [], true;
    "check": ["events"], ["registry", "workflow_id"], [], true;
    "claims": ["document"], [], ["root"], false;
    "sources": ["document"], [], [], false;
    "trace": ["run_dir", "trace"], [], ["plan"], false;
    "done": ["transcript"], [], ["root"], false;
    "workspace": ["workspace"], [], [], false;
    "pr": ["text", "event"], [], ["base", "checks"], false;
}

table! {
    /// One check of `crosscheck ci`.
    CHECK = "check", "What `crosscheck ci` runs, one `[[check]]` each. With `crosscheck ci --policy REF` the checks are those of the file in that commit, and the project's file can only add others. Paths begin at the project; `*`, `?`, `[…]`, `{…}` and `**` are patterns";
    "name": Text, Unset, StarterOnly(why::CHECKED),
        "Name in reports and on the command line; needed";
    "verifier": Word(NAMES), Unset, StarterOnly(why::CHECKED),
        "What checks it; needed";
    "accept": Word(&["refuted", "undecided", "confirmed"]), Preset::Text("confirmed"), Up,
        "Worst verdict with which the check passes; it is reported all the same";
    "expires": Date, Unset, StarterOnly(why::SKIPS),
        "Last day on which `accept` counts";
    "why": Text, Unset, StarterOnly(why::SKIPS),
        "Why `accept` is there; shown in reports";
    "log": Paths, Unset, StarterOnly(why::CHECKED),
        "Logs of `rows` and `quick`";
    "db": Text, Unset, StarterOnly(why::DATABASE),
        "Environment variable that holds the URL or file of the database; for `rows`, `quick` and `check`";
    "sqlite": RelativePath, Unset, StarterOnly(why::DATABASE),
        "SQLite file of the project, instead of `db`";
    "contract": RelativePath, Unset, StarterOnly(why::CHECKED),
        "Contract of `rows`";
    "redact": Flag, Preset::Flag(false), Up,
        "Leave values and keys out of the report of `rows`";
    "events": Paths, Unset, StarterOnly(why::CHECKED),
        "Events of `check`";
    "registry": RelativePath, Unset, StarterOnly(why::CHECKED),
        "Registry of `check`";
    "workflow_id": Text, Unset, StarterOnly(why::CHECKED),
        "Workflow of `check`";
    "document": Paths, Unset, StarterOnly(why::CHECKED),
        "Documents of `claims` and `sources`";
    "run_dir": Paths, Unset, StarterOnly(why::CHECKED),
        "Run folders of `trace`";
    "trace": Paths, Unset, StarterOnly(why::CHECKED),
        "Traces, for `plan`";
    "plan": RelativePath, Unset, StarterOnly(why::CHECKED),
        "Plan of `trace`";
    "transcript": Paths, Unset, StarterOnly(why::CHECKED),
        "Sessions of `done`";
    "workspace": Paths, Unset, StarterOnly(why::CHECKED),
        "Names of workspaces";
    "text": Paths, Unset, StarterOnly(why::CHECKED),
        "Texts of pull requests, for `pr`";
    "event": Paths, Unset, StarterOnly(why::CHECKED),
        "Environment variable that holds the event file of the CI, instead of `text`";
    "base": Text, Unset, StarterOnly(why::CHECKED),
        "Commit that `pr` compares with";
    "checks": RelativePath, Unset, StarterOnly(why::CHECKED),
        "Results of tests, for `pr`";
    "root": RelativePath, Unset, StarterOnly(why::CHECKED),
        "Folder that paths of `claims` and `done` begin at; default the project";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_belongs_to_a_verifier_or_to_all() {
        let common = [
            "name", "verifier", "accept", "expires", "why", "db", "sqlite",
        ];
        for key in CHECK.keys {
            let reads = |verifier: &Verifier| {
                let mut lists = [verifier.each, verifier.needs, verifier.takes].into_iter();
                lists.any(|list| list.contains(&key.path))
            };
            let is_common = common.contains(&key.path);
            assert_ne!(VERIFIERS.iter().any(reads), is_common, "{}", key.path);
        }
    }
}
