//! What the verb of a tool means for the row it names, beyond the lists of
//! the specification. `means.json` beside this file has the words.
//!
//! Contract: rows 8.4.

use std::collections::HashMap;
use std::sync::OnceLock;

use serde::Deserialize;
use smol_str::SmolStr;

use super::classify::Says;
use super::field::{Relative, Tool};
use super::model::{ColumnId, ColumnModel, TableModel};
use super::names::{Name, any_same};
use super::words::List;
use crate::compare::value::Value;
use crate::fact::KeyFrom;

/// The words.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Means {
    /// Verbs that set what they are given, beside those of `setter`.
    pub(crate) sets: List,
    /// Verbs that write, beside those of the specification.
    pub(crate) writes: List,
    /// Verbs that make the very row whose key they are given.
    pub(crate) makes: List,
    /// Verbs that leave the row where it is, whatever else they do.
    pub(crate) keeps: List,
    /// Verbs of `delete` that often leave the row.
    pub(crate) unsure_deletes: List,
    /// Verbs behind which a state may be: `mark_invoice_paid`.
    pub(crate) marks: List,
    /// Past participles that no rule knows.
    pub(crate) participles: HashMap<String, String>,
    /// Verbs that change a number by what they are given.
    pub(crate) deltas: List,
    /// First words of tools that leave the row itself for later, or to others.
    pub(crate) puts_off: List,
    /// Words between what is put somewhere and where it is put.
    pub(crate) relates: List,
    /// Words behind which the name of a tool speaks of something else.
    pub(crate) turns_away: List,
    /// Words that add nothing to what a tool is about.
    pub(crate) fillers: List,
    /// Columns that mark a row as gone when they hold something.
    pub(crate) gone_if_set: List,
    /// Columns that mark a row as gone when they hold nothing.
    pub(crate) gone_if_unset: List,
    /// States and places of rows that are gone.
    pub(crate) gone_states: List,
    /// The last words of columns that hold such a state or place.
    pub(crate) state_columns: List,
    /// The last words of columns that change when other rows come and go.
    pub(crate) shifting: List,
    /// The last words of columns that hold a day with its time.
    pub(crate) moments: List,
    /// The last words of columns that people use instead of the key.
    pub(crate) public: List,
    /// Verbs that speak to whom they name.
    pub(crate) tells: List,
    /// What is only said to a person.
    pub(crate) messages: List,
    /// Verbs that bring such a thing to a person.
    pub(crate) conveys: List,
    /// What an agent has apart from the database.
    pub(crate) own_affairs: List,
    /// Verbs of `create` that may change what is there, too.
    pub(crate) works: List,
    /// Words of work that may bring back what was there before.
    pub(crate) puts_back: List,
    /// Words for tables that keep what was, one row after the other.
    pub(crate) histories: List,
    /// Words of work that may take rows away.
    pub(crate) clears: List,
    /// All that the name of a tool is made of which runs SQL, and the arguments that hold it.
    pub(crate) runs_sql: List,
    pub(crate) sql_arguments: List,
    /// What a statement begins with that reads or writes.
    pub(crate) sql_reads: List,
    pub(crate) sql_writes: List,
    /// Verbs whose deed says nothing of the row: `processed`.
    pub(crate) vague: List,
    /// Verbs after which the row may be gone, whatever the answer shows.
    pub(crate) undoes: List,
    /// Arguments that say what is to be done, and what they hold if a row is to go.
    pub(crate) actions: List,
    pub(crate) takes_away: List,
    /// What is written for people to read.
    pub(crate) papers: List,
    /// Words of sentences that tell of a deed, and of those that tell of none.
    pub(crate) told: List,
    pub(crate) unsaid: List,
}

pub(crate) fn means() -> &'static Means {
    static MEANS: OnceLock<Means> = OnceLock::new();
    // a test reads the file; were it broken, no word would be known
    MEANS.get_or_init(|| serde_json::from_str(include_str!("means.json")).unwrap_or_default())
}

impl Means {
    /// Whether a tool with this verb and these words may make the very row
    /// whose key it is given.
    pub(crate) fn may_make(&self, verb: &str, words: &[SmolStr]) -> bool {
        self.makes.has(verb) && !words.iter().any(|word| self.relates.has(word))
    }

    /// Whether a verb of deletion is certain to remove the row.
    pub(crate) fn removes(&self, tool: &Tool) -> bool {
        !self.unsure_deletes.has(&tool.verb.word)
    }

    /// Whether a row is still there after the call, as far as its verb says:
    /// `revoke`, `publish` and `merge` may take it away.
    pub(crate) fn leaves(&self, tool: &Tool) -> bool {
        let word = &tool.verb.word;
        tool.verb.creates || tool.verb.is_setter || self.sets.has(word) || self.keeps.has(word)
    }

    /// Whether an answer that shows the row says that it is still there.
    pub(crate) fn undoes(&self, tool: &Tool) -> bool {
        self.undoes.has(&tool.verb.word)
    }

    pub(crate) fn runs_sql(&self, tool: &Tool) -> bool {
        tool.words.iter().all(|word| self.runs_sql.has(word))
    }

    /// Whether a tool only speaks to whom it names.
    pub(crate) fn tells(&self, tool: &Tool) -> bool {
        let first = tool.words.first();
        first.is_some_and(|first| self.tells.has(first))
    }

    /// Whether a tool that names no table only talks.
    pub(crate) fn talks(&self, tool: &Tool) -> bool {
        let first = tool.words.first().map_or("", SmolStr::as_str);
        let has = |list: &List| tool.words.iter().any(|word| list.has(word));
        self.tells.has(first)
            || (self.conveys.has(first) && has(&self.messages))
            || has(&self.own_affairs)
    }

    /// Whether a tool makes new rows and leaves the others alone.
    pub(crate) fn only_makes(&self, tool: &Tool) -> bool {
        tool.verb.creates && !self.works.has(&tool.verb.word)
    }

    /// Whether a column may tell that a row is gone.
    pub(crate) fn may_mark(&self, name: &Name) -> bool {
        self.gone_if_set.has(&name.joined)
            || self.gone_if_unset.has(&name.joined)
            || self.state_columns.has(name.last())
    }

    /// Whether what a column holds may mean that the row is gone.
    pub(crate) fn marks(&self, name: &Name, is_set: bool, text: &str) -> bool {
        let state = text.replace([' ', '-'], "_");
        (is_set && self.gone_if_set.has(&name.joined))
            || (!is_set && self.gone_if_unset.has(&name.joined))
            || (self.state_columns.has(name.last()) && self.gone_states.has(&state))
    }
}

/// What the name of a tool says of the rows of one table.
#[derive(Debug, Default)]
pub(crate) struct Promise {
    /// Whether its object is the table.
    pub(crate) is_about: bool,
    /// Whether it is, or is a part of one of its rows: `update_order_status` is
    /// about orders, and `update_project_task` is not about projects.
    pub(crate) is_about_part: bool,
    /// The state that a row has after a call.
    pub(crate) state: Option<SmolStr>,
    /// What columns hold after it: any column of states, or one of truth values.
    pub(crate) states: Vec<(ColumnId, Value)>,
}

impl Promise {
    pub(super) fn new(tool: &Tool, table: &TableModel) -> Self {
        let last = tool.words.last().map_or("", |word| word.as_str());
        let mut columns = table.columns.iter();
        let is_about = tool.has_object(table);
        let state = brought_about(tool, table);
        let claim = |(column, model): (ColumnId, &ColumnModel)| {
            let name = &model.name;
            let bare = name.joined.strip_prefix("is_").unwrap_or(&name.joined);
            let claim = match &state {
                Some(state) if name.is_state => Value::Text(state.clone()),
                Some(state) if bare == state => Value::Bool(true),
                _ => return None,
            };
            Some((column, claim))
        };
        Self {
            is_about,
            is_about_part: is_about || columns.any(|column| any_same(last, &column.name.words)),
            states: table.column_ids().filter_map(claim).collect(),
            state,
        }
    }
}

/// Whether a tool makes the very row whose key it is given, as far as its
/// name says: `create_order(order_id)` does, `send_order(order_id)`,
/// `add_order_note(order_id)` and `add_order_to_batch(order_id)` do not.
pub(crate) fn makes(tool: &Tool, table: &TableModel) -> bool {
    tool.may_make && tool.is_about(table)
}

/// Whether the arguments of a tool are what the row holds afterwards: those of
/// setters, and of whoever makes the row. `pay_bill(amount)` and
/// `cancel_visit(reason)` may mean something else.
pub(crate) fn sets(tool: &Tool, table: &TableModel, key_from: KeyFrom) -> bool {
    if tool.verb.creates {
        return key_from != KeyFrom::Argument || makes(tool, table);
    }
    // of other words nothing is known, and a hint of the server may say that they write
    let is_open = tool.verb.says == Says::Nothing;
    is_open || tool.verb.is_setter || tool.verb.sets
}

/// Whether a tool writes the very row whose key it is given, as far as its
/// name says: `request_order_change` and `create_order_summary` do not.
pub(crate) fn writes(tool: &Tool, table: &TableModel, key_from: KeyFrom) -> bool {
    let first = tool.words.first().map_or("", |word| word.as_str());
    key_from == KeyFrom::Result
        || !(means().puts_off.has(first)
            || (tool.verb.creates && !tool.promise(table).is_about_part))
}

/// Whether a number that a tool is given is only the change of a column: it
/// says nothing about what the row holds afterwards.
pub(crate) fn is_delta(tool: &Tool, table: &TableModel, key_from: KeyFrom, column: &Name) -> bool {
    let is_named = |word: &SmolStr| tool.words.contains(word);
    key_from == KeyFrom::Argument
        && tool.words.iter().any(|word| means().deltas.has(word))
        && (tool.relative == Some(Relative::Always) || column.words.iter().all(is_named))
        && !(makes(tool, table) || tool.verb.is_setter || tool.verb.sets)
}

/// The state that a row has after a call, as far as the name of the tool says:
/// `paid` after `pay_invoice`, `mark_invoice_paid` and `mark_invoice_as_paid`.
fn brought_about(tool: &Tool, table: &TableModel) -> Option<SmolStr> {
    let is_filler = |word: &SmolStr| {
        matches!(word.as_str(), "as" | "to" | "is" | "the") || means().fillers.has(word)
    };
    let is_free = |word: &&SmolStr| {
        **word != tool.verb.word && !any_same(word, &table.words) && !is_filler(word)
    };
    let mut rest = tool.words.iter().filter(is_free);
    // `bulk_close_tickets`, and verbs that no list has
    let verb = if tool.verb.word.is_empty() || is_filler(&tool.verb.word) {
        rest.next()?
    } else {
        &tool.verb.word
    };
    let marks = means().marks.has(verb);
    if !marks && (tool.verb.creates || tool.verb.is_setter || tool.verb.sets) {
        return None;
    }
    match (marks, rest.next(), rest.next()) {
        (true, Some(state), None) => {
            // `set_invoice_total` sets a column
            let mut columns = table.columns.iter();
            let is_column =
                tool.verb.is_setter && columns.any(|column| any_same(state, &column.name.words));
            (!is_column).then(|| state.clone())
        }
        (false, None, None) => Some(participle(verb)),
        _ => None,
    }
}

/// What is done to something, as English makes it of most verbs.
pub(crate) fn participle(verb: &str) -> SmolStr {
    if let Some(known) = means().participles.get(verb) {
        return known.into();
    }
    let is_vowel = |c: char| "aeiou".contains(c);
    let vowels = verb.matches(is_vowel).count();
    let mut last = verb.chars().rev();
    let ends = [last.next(), last.next(), last.next()].map(Option::unwrap_or_default);
    let [end, before, third] = ends;
    let doubles = vowels == 1 && is_vowel(before) && !is_vowel(third) && !"aeiouwxy".contains(end);
    match (end, verb.strip_suffix('y')) {
        ('e', _) => format!("{verb}d"),
        (_, Some(stem)) if !is_vowel(before) => format!("{stem}ied"),
        _ if doubles => format!("{verb}{end}ed"),
        _ => format!("{verb}ed"),
    }
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::testing::vocabulary;

    #[test]
    fn the_words_can_be_read() {
        let read: Result<Means, _> = serde_json::from_str(include_str!("means.json"));
        assert!(read.unwrap().sets.has("assign"));
    }

    #[test]
    fn the_name_of_a_tool_says_which_state_it_brings_about() {
        let mut vocabulary = vocabulary(&["invoices: id* int, status text, due text, total num"]);
        for (tool, state) in [
            ("pay_invoice", Some("paid")),
            ("mark_invoice_paid", Some("paid")),
            ("mark_invoice_as_paid", Some("paid")),
            ("billing__markInvoiceSent", Some("sent")),
            ("set_invoice_void", Some("void")),
            ("close_invoice", Some("closed")),
            ("approve_invoices", Some("approved")),
            ("ship_invoice", Some("shipped")),
            ("reopen_invoice", Some("reopened")),
            ("apply_invoice", Some("applied")),
            ("cancel_invoice", Some("canceled")),
            ("update_invoice", None),
            ("create_invoice", None),
            ("set_invoice_status", None),
            ("set_invoice_total", None),
            ("assign_invoice", None),
            ("pay_invoice_fee", None),
            ("mark_invoice_line_paid", None),
            ("bulk_close_invoices", Some("closed")),
            ("deny_invoice", Some("denied")),
            ("invoice_summary_sheet", None),
        ] {
            let name = vocabulary.tool(tool);
            let table = vocabulary.model.named("invoices").unwrap();
            let table = vocabulary.model.table(table);
            let said = brought_about(&name, table);
            assert_eq!(said.as_deref(), state, "{tool}");
        }
    }

    #[test]
    fn arguments_are_what_the_row_holds_only_where_the_verb_says_so() {
        let mut vocabulary = vocabulary(&["orders: id* int, status text, note text"]);
        for (tool, from, expected) in [
            ("update_order", KeyFrom::Argument, true),
            ("assign_order", KeyFrom::Argument, true),
            ("create_order", KeyFrom::Argument, true),
            ("create_order", KeyFrom::Result, true),
            ("place_order", KeyFrom::Result, true),
            ("place_order", KeyFrom::Argument, false),
            ("send_order", KeyFrom::Argument, false),
            ("add_order_note", KeyFrom::Argument, false),
            ("add_order_to_batch", KeyFrom::Argument, false),
            ("ship_order", KeyFrom::Argument, false),
            ("pay_order", KeyFrom::Argument, false),
        ] {
            let name = vocabulary.tool(tool);
            let table = vocabulary.model.named("orders").unwrap();
            let table = vocabulary.model.table(table);
            assert_eq!(sets(&name, table, from), expected, "{tool} {from:?}");
        }
    }
}
