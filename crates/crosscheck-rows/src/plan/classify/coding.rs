//! Shell and file tools of coding agents. They claim nothing about rows unless
//! they reach a database; what they do is left to a notice of the report.

use std::collections::HashMap;
use std::sync::OnceLock;

use crosscheck_core::json::Node;
use serde::Deserialize;

use crate::compare::value::each_leaf;
use crate::plan::field::Tool;
use crate::plan::statement::writes_anywhere;
use crate::plan::words::List;
use crate::read::Call;

/// What such tools are called; `coding.json` lists it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    /// Tools that run commands: the name in lower case without separators, and
    /// arguments of which such a call has one.
    shells: HashMap<String, List>,
    /// Tools that work on files, or on the agent's own session.
    others: HashMap<String, List>,
    /// Words of a command that may change a database: clients, servers, tools
    /// that migrate, libraries, and whatever sends requests.
    reaches: List,
    /// Endings of files that are databases.
    databases: Vec<String>,
}

fn known() -> &'static Known {
    static KNOWN: OnceLock<Known> = OnceLock::new();
    // a test reads the file; were it broken, no tool would be known
    KNOWN.get_or_init(|| serde_json::from_str(include_str!("coding.json")).unwrap_or_default())
}

/// Whether a call runs a command.
pub(crate) fn runs_a_command(call: &Call, tool: &Tool) -> bool {
    let arguments = call.arguments.as_ref().ok();
    arguments.is_some_and(|arguments| is_one_of(&known().shells, tool, arguments.root()))
}

fn is_one_of(list: &HashMap<String, List>, tool: &Tool, arguments: Node<'_>) -> bool {
    let known = list.get(tool.norm.as_str());
    known.is_some_and(|known| known.iter().any(|name| arguments.get(name).is_some()))
}

/// Whether a call is of a shell or file tool and reaches no database.
pub(super) fn works_elsewhere(call: &Call, tool: &Tool) -> bool {
    if tool.tables().next().is_some() {
        return false;
    }
    let Ok(arguments) = &call.arguments else {
        // its patch is not JSON
        return tool.norm == "applypatch";
    };
    let arguments = arguments.root();
    if is_one_of(&known().shells, tool, arguments) {
        return !any_text(arguments, reaches_a_database);
    }
    is_one_of(&known().others, tool, arguments) && !any_text(arguments, is_a_database)
}

fn any_text(arguments: Node<'_>, is: fn(&str) -> bool) -> bool {
    let mut any = false;
    each_leaf(arguments, |leaf| {
        any |= leaf.as_js().is_some_and(|text| is(&text.to_str_lossy()));
    });
    any
}

fn reaches_a_database(command: &str) -> bool {
    let is_between = |c: char| !(c.is_alphanumeric() || c == '_');
    let mut words = command.split(is_between).map(str::to_lowercase);
    words.any(|word| known().reaches.has(&word)) || writes_anywhere(command)
}

fn is_a_database(path: &str) -> bool {
    let path = path.to_lowercase();
    let mut endings = known().databases.iter();
    endings.any(|ending| path.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_may_change_a_database_are_known() {
        for command in [
            "psql -c \"update orders set status = 'x'\"",
            "python -c 'import sqlite3; sqlite3.connect(\"a\")'",
            "npm run db:seed",
            "python manage.py cancel 10",
            "echo 'DELETE FROM orders' | ./run",
            "curl -X POST localhost/orders",
            "cp backup.db app.db",
        ] {
            assert!(reaches_a_database(command), "{command}");
        }
        for command in [
            "cargo test",
            "git commit -m 'update the page'",
            "ls -la src",
        ] {
            assert!(!reaches_a_database(command), "{command}");
        }
    }

    #[test]
    fn a_file_that_is_a_database_is_known_by_its_ending() {
        assert!(is_a_database("/srv/app.SQLITE3"));
        assert!(!is_a_database("src/db.rs"));
    }

    #[test]
    fn the_lists_can_be_read() {
        let read: Result<Known, _> = serde_json::from_str(include_str!("coding.json"));
        assert!(read.unwrap().shells.contains_key("bash"));
    }
}
