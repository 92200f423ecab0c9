//! SQL among the arguments: such a call can be classified, but not planned.

use crosscheck_core::json::Node;

/// An SQL statement that a call carries.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Statement {
    pub(super) word: &'static str,
    pub(super) reads: bool,
}

/// Names of arguments that hold SQL and nothing else.
const HOLDS_SQL: [&str; 7] = [
    "sql",
    "query",
    "statement",
    "stmt",
    "command",
    "q",
    "queries",
];

/// The first argument that is SQL.
pub(super) fn statement(arguments: Node<'_>) -> Option<Statement> {
    arguments.as_object()?.find_map(|(name, value)| {
        let text = value.as_js()?.to_str_lossy();
        let is_promised = || HOLDS_SQL.contains(&name.to_str_lossy().to_lowercase().as_str());
        may_be(&text).then(|| of_text(&text, is_promised()))?
    })
}

/// Whether a text is a statement that writes.
pub(super) fn writes(text: &str) -> bool {
    may_be(text) && of_text(text, true).is_some_and(|found| !found.reads)
}

/// Words that a statement may begin with.
const FIRST: [&str; 24] = [
    "alter", "begin", "call", "copy", "create", "delete", "drop", "exec", "execute", "explain",
    "insert", "load", "lock", "merge", "pragma", "replace", "select", "set", "show", "start",
    "truncate", "update", "use", "with",
];

/// Whether a text may be SQL by its first word. Most are not, and need no
/// closer look.
fn may_be(text: &str) -> bool {
    let text = text.trim_start_matches(is_between);
    let end = text.find(|c: char| !c.is_ascii_alphabetic());
    let (word, rest) = text.split_at(end.unwrap_or(text.len()));
    let is_open = |c: char| !c.is_ascii() || (word.is_empty() && matches!(c, '-' | '/'));
    rest.starts_with(is_open) || FIRST.iter().any(|first| first.eq_ignore_ascii_case(word))
}

/// What is between the words of a statement.
fn is_between(c: char) -> bool {
    c.is_whitespace() || matches!(c, '(' | ')' | ';' | ',')
}

/// Whether a text holds a statement that writes, wherever it begins.
pub(super) fn writes_anywhere(text: &str) -> bool {
    let between = |c: char| !(c.is_alphanumeric() || c == '_');
    let parts = text.split(between).filter(|part| !part.is_empty());
    let words = Words(parts.map(str::to_lowercase).collect());
    (0..words.0.len()).any(|place| words.writes_at(place).is_some())
}

/// A text that begins like SQL. `With regards` and `show me` begin so, too:
/// where the name of the argument does not promise SQL, the text must go on
/// like SQL.
fn of_text(text: &str, is_promised: bool) -> Option<Statement> {
    let words = Words::of(&without_comments(text));
    let reads = |word| Some(Statement { word, reads: true });
    let writes = |word| Some(Statement { word, reads: false });
    if let Some(word) = words.begins_to_write() {
        return writes(word);
    }
    if is_promised && let Some(word) = words.writes_by_program(text) {
        return writes(word);
    }
    let word = match words.at(0) {
        // what is in front of a statement
        "begin" | "start" | "set" | "use" | "pragma" | "lock" if is_promised => {
            return words.writes_later().and_then(writes);
        }
        "select" if is_promised || words.has("from") => "select",
        "with" if is_promised || words.at(2) == "as" => "with",
        "explain" if is_promised || SENTENCES.contains(&words.at(1)) => "explain",
        "show" if is_promised || SHOWN.contains(&words.at(1)) => "show",
        _ => return None,
    };
    // a statement behind another, or inside WITH, may still write
    match words.writes_later() {
        Some(word) => writes(word),
        None => reads(word),
    }
}

/// A text without the comments of SQL; what is between quotes is kept.
fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut quote = None;
    let mut rest = text;
    while let Some(here) = rest.chars().next() {
        let end = match (quote, here) {
            (None, '-') if rest.starts_with("--") => rest.find('\n'),
            (None, '/') if rest.starts_with("/*") => rest.find("*/").map(|at| at + 2),
            _ => {
                quote = match quote {
                    None if matches!(here, '\'' | '"' | '`') => Some(here),
                    Some(open) if open == here => None,
                    quote => quote,
                };
                kept.push(here);
                rest = rest.get(here.len_utf8()..).unwrap_or_default();
                continue;
            }
        };
        kept.push(' ');
        rest = end.and_then(|end| rest.get(end..)).unwrap_or_default();
    }
    kept
}

const SENTENCES: [&str; 7] = [
    "select", "insert", "update", "delete", "with", "analyze", "verbose",
];
const SHOWN: [&str; 8] = [
    "tables",
    "databases",
    "columns",
    "create",
    "index",
    "indexes",
    "schemas",
    "variables",
];

/// The beginning of a text as words in lower case.
struct Words(Vec<String>);

impl Words {
    /// At most this many words are looked at.
    const MOST: usize = 2000;

    fn of(text: &str) -> Self {
        let parts = text.split(is_between).filter(|part| !part.is_empty());
        Self(parts.take(Self::MOST).map(str::to_lowercase).collect())
    }

    fn at(&self, place: usize) -> &str {
        self.0.get(place).map_or("", String::as_str)
    }

    fn has(&self, word: &str) -> bool {
        self.0.iter().any(|own| own == word)
    }

    fn begins_to_write(&self) -> Option<&'static str> {
        self.writes_at(0)
    }

    fn writes_later(&self) -> Option<&'static str> {
        (1..self.0.len()).find_map(|place| self.writes_at(place))
    }

    /// A statement that runs a program of the database: what it does there
    /// is not written here.
    fn writes_by_program(&self, text: &str) -> Option<&'static str> {
        let has_arguments = text.contains('(') && text.contains(')');
        match self.at(0) {
            "call" if has_arguments => Some("call"),
            "exec" | "execute" if has_arguments || self.at(1).contains('.') => Some("execute"),
            "copy" if self.has("from") && self.has("stdin") => Some("copy"),
            "load" if self.at(1) == "data" => Some("load"),
            _ => None,
        }
    }

    fn writes_at(&self, place: usize) -> Option<&'static str> {
        let next = self.at(place + 1);
        match (self.at(place), next, self.at(place + 2)) {
            ("insert", "into", _) | ("insert", "ignore" | "overwrite", "into" | "table") => {
                Some("insert")
            }
            ("insert", "or", "replace" | "ignore" | "rollback" | "abort" | "fail")
                if self.at(place + 3) == "into" =>
            {
                Some("insert")
            }
            ("update", _, "set") => Some("update"),
            // UPDATE ONLY t SET, UPDATE t AS x SET, UPDATE OR IGNORE t SET
            ("update", "only", _) if self.at(place + 3) == "set" => Some("update"),
            ("update", "or", _) | ("update", _, "as") if self.at(place + 4) == "set" => {
                Some("update")
            }
            ("update", _, _) if place == 0 && self.at(place + 3) == "set" => Some("update"),
            ("delete", "from", _) => Some("delete"),
            ("merge", "into", _) => Some("merge"),
            ("replace", "into", _) => Some("replace"),
            ("truncate", "table", _) => Some("truncate"),
            ("truncate", _, "") if place == 0 && !next.is_empty() => Some("truncate"),
            ("create", "table", _) => Some("create"),
            ("alter", "table", _) => Some("alter"),
            ("drop", "table", _) => Some("drop"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, is_promised: bool) -> Option<(&'static str, bool)> {
        let statement = of_text(text, is_promised);
        // what the first word rules out is not a statement
        assert!(may_be(text) || statement.is_none(), "{text}");
        statement.map(|statement| (statement.word, statement.reads))
    }

    #[test]
    fn most_texts_are_no_sql_by_their_first_word() {
        for text in ["", "l-1", "selection", "(sel--ect x)", "#x", "Ada", "é"] {
            assert_eq!(of_text(text, true), None, "{text}");
        }
        assert!(
            !["", "l-1", "selection", "#x", "'select 1'"]
                .iter()
                .any(|text| may_be(text))
        );
        for text in ["; SELECT/**/1", "--x\nselect 1", "(with", "LOC\u{212a} t"] {
            assert!(may_be(text), "{text}");
        }
    }

    #[test]
    fn statements_are_known_by_how_they_begin() {
        let table = [
            ("SELECT 1", Some(("select", true))),
            ("  select * from t", Some(("select", true))),
            ("UPDATE loans SET status='x'", Some(("update", false))),
            ("insert into t values (1)", Some(("insert", false))),
            ("DELETE FROM t", Some(("delete", false))),
            ("truncate loans", Some(("truncate", false))),
            ("with x as (select 1) select * from x", Some(("with", true))),
            (
                "with x as (select 1) delete from t",
                Some(("delete", false)),
            ),
            ("select 1; drop table t", Some(("drop", false))),
            ("explain select 1", Some(("explain", true))),
            ("-- close it\nUPDATE t SET a=1", Some(("update", false))),
            ("/* a */ delete from t", Some(("delete", false))),
            ("select '--'; delete from t", Some(("delete", false))),
            ("select 1 -- delete from t", Some(("select", true))),
            (
                "BEGIN; INSERT INTO t VALUES (1); COMMIT",
                Some(("insert", false)),
            ),
            (
                "set search_path = x; update t set a=1",
                Some(("update", false)),
            ),
            (
                "insert or replace into t values (1)",
                Some(("insert", false)),
            ),
            ("INSERT IGNORE INTO t VALUES (1)", Some(("insert", false))),
            ("update only t set a=1", Some(("update", false))),
            ("update loans l set a=1", Some(("update", false))),
            ("update t as x set a=1", Some(("update", false))),
            ("CALL close_loan(1)", Some(("call", false))),
            ("exec dbo.close_loan 1", Some(("execute", false))),
            ("begin", None),
            ("hello", None),
        ];
        for (text, expected) in table {
            assert_eq!(found(text, true), expected, "{text}");
        }
    }

    #[test]
    fn words_of_people_are_no_sql() {
        for text in [
            "With kind regards",
            "Show me the way",
            "Select a seat by the window",
            "Explain what happened",
            "Update: all set",
            "Truncate the text, please",
            "Call me (or not)",
            "Begin with the first",
        ] {
            assert_eq!(found(text, false), None, "{text}");
        }
        assert!(found("select a from b", false).is_some());
        assert!(found("with a as (select 1) select a", false).is_some());
    }
}
