//! Every table of the configuration, one file each. A file with a table that is
//! not listed here is refused, because no command would read it.

mod check;
mod claims;
mod done;
mod fetch;
mod judge;
mod ledger;
mod rows;
mod sources;
mod trace;
mod workspace;

pub use check::{CHECK, VERIFIERS, Verifier};
pub use claims::{CLAIMS, ClaimsSettings};
pub use done::{DONE, WORKS};
pub use fetch::{FETCH, WebSettings};
pub use judge::{JUDGE, JudgeSettings};
pub use ledger::LEDGER;
pub use rows::{LOGS, ROWS, RowsSettings};
pub use sources::{SOURCES, SourcesSettings};
pub use trace::{TRACE, TraceSettings};
pub use workspace::{WORKSPACE, WorkspaceSettings};

use crate::Table;

/// Every table that some command reads.
pub const TABLES: &[Table] = &[
    CLAIMS, DONE, FETCH, JUDGE, LEDGER, ROWS, SOURCES, TRACE, WORKSPACE,
];

/// Reasons why a project cannot set a key, for [`crate::Direction::StarterOnly`].
mod why {
    pub(super) const PROGRAM: &str = "it names a program";
    pub(super) const DATABASE: &str = "it names a database";
    pub(super) const SENDS: &str = "it decides where text is sent";
    pub(super) const BELIEVED: &str = "it decides what is believed";
    pub(super) const CHECKED: &str = "it decides what is checked";
    pub(super) const READ: &str = "it decides what is read";
    pub(super) const SKIPS: &str = "it could leave something unchecked";
    pub(super) const SECRET: &str = "it names a secret";
    pub(super) const COSTS: &str = "it decides how much memory and time a check may take";
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::{Direction, Preset, TABLES, ValueKind};

    #[test]
    fn every_direction_fits_what_the_key_holds() {
        for (table, key) in TABLES
            .iter()
            .flat_map(|t| t.keys.iter().map(move |k| (t, k)))
        {
            let fits = match key.direction {
                Direction::StarterOnly(why) => !why.is_empty(),
                Direction::Harmless => !matches!(key.kind, ValueKind::Program | ValueKind::Url),
                Direction::UpTo(_) => {
                    matches!(key.kind, ValueKind::Whole { .. } | ValueKind::Seconds(_))
                }
                Direction::Up | Direction::Down => matches!(
                    key.kind,
                    ValueKind::Flag
                        | ValueKind::Whole { .. }
                        | ValueKind::Seconds(_)
                        | ValueKind::Share
                        | ValueKind::Word(_)
                ),
                Direction::Grow | Direction::Shrink => {
                    matches!(key.kind, ValueKind::Texts | ValueKind::Some(_))
                }
                Direction::Only(word) => {
                    matches!(key.kind, ValueKind::Word(words) if words.contains(&word))
                }
            };
            assert!(fits, "{}.{}: {:?}", table.name, key.path, key.direction);
        }
    }

    #[test]
    fn every_default_is_a_value_the_key_can_have() {
        for (table, key) in TABLES
            .iter()
            .flat_map(|t| t.keys.iter().map(move |k| (t, k)))
        {
            if let Some(value) = key.default.value() {
                let checked = key.kind.check(&value);
                assert!(checked.is_ok(), "{}.{}: {checked:?}", table.name, key.path);
            } else {
                assert!(matches!(key.default, Preset::Unset | Preset::Depends(_)));
            }
        }
    }

    #[test]
    fn no_key_and_no_variable_is_listed_twice() {
        let mut variables = BTreeSet::new();
        for table in TABLES {
            for key in table.keys {
                assert!(
                    variables.insert(table.variable(key)),
                    "{}.{}",
                    table.name,
                    key.path
                );
                assert!(!key.summary().ends_with('.'), "{}", key.about);
            }
        }
    }
}
