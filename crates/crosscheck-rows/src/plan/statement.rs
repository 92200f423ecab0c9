//! SQL that a tool runs (rows 5): whether it reads or writes. What it did is
//! left to a person, or to `crosscheck check`.

use super::field::Tool;
use super::means::means;
use crate::read::Call;

/// What a tool that runs SQL was given.
pub(crate) struct Script {
    pub(crate) reads: bool,
    /// The word it begins with, for people.
    pub(crate) word: String,
}

impl Script {
    /// The SQL of a call: of a tool whose name says nothing but that it runs
    /// SQL, in an argument that is called so.
    pub(crate) fn of(call: &Call, tool: &Tool) -> Option<Self> {
        if !means().runs_sql(tool) {
            return None;
        }
        let mut members = call.arguments.as_ref().ok()?.root().as_object()?;
        let text = members.find_map(|(name, node)| {
            let name = name.to_str_lossy().to_lowercase();
            node.as_js().filter(|_| means().sql_arguments.has(&name))
        });
        let text = text?.to_str_lossy().to_lowercase();
        let word = first_word(&text);
        let reads = match word {
            _ if writes_anywhere(&text) => false,
            word if means().sql_reads.has(word) => word != "pragma" || !text.contains('='),
            word if means().sql_writes.has(word) => false,
            _ => return None,
        };
        let word = word.to_owned();
        Some(Self { reads, word })
    }
}

/// The first word behind comments.
fn first_word(mut text: &str) -> &str {
    loop {
        text = text.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '(' | ';'));
        let end = match text {
            line if line.starts_with("--") => line.find('\n'),
            block if block.starts_with("/*") => block.find("*/").map(|at| at + 2),
            _ => break,
        };
        text = text.get(end.unwrap_or(text.len())..).unwrap_or_default();
    }
    let end = text.find(|c: char| !c.is_alphabetic());
    text.get(..end.unwrap_or(text.len())).unwrap_or_default()
}

/// Whether a text holds a statement that writes, wherever it begins: a command
/// that does may have changed anything.
pub(crate) fn writes_anywhere(text: &str) -> bool {
    // `drop table t` is the shortest
    if text.len() < "drop table t".len() {
        return false;
    }
    let text = text.to_lowercase();
    let words: Vec<&str> = text
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
        .collect();
    words.windows(3).any(|words| {
        matches!(
            words,
            ["insert" | "merge" | "replace", "into", _]
                | ["delete", "from", _]
                | ["update", _, "set"]
                | ["create" | "alter" | "drop" | "truncate", "table", _]
        )
    })
}
