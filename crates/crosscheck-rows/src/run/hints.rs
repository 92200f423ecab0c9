//! What a call may have changed beside the rows that it is judged by (rows 9): the
//! rows whose ids it holds. A call without a row also those of the tables that it
//! names, or anything, if it hints at nothing.

use std::collections::BTreeSet;

use crosscheck_core::json::{Node, Value as Kind};
use smallvec::{SmallVec, smallvec};
use smol_str::SmolStr;

use crate::compare::value::{Print, Prints, Value, each_leaf, is_scalar};
use crate::plan::call::answer_data;
use crate::plan::classify;
use crate::plan::means::means;
use crate::plan::names::split;
use crate::plan::statement::writes_anywhere;
use crate::plan::{Field, Planned, TableId, Tool, Vocabulary};
use crate::read::Call;

/// So deep ids are looked for.
const DEPTH: usize = 4;
/// At most this many words of a text are looked at.
const MOST_WORDS: usize = 400;
/// A text of so many words is meant for people.
const PROSE: usize = 4;

#[derive(Debug, Default)]
pub(super) struct Hints {
    /// Values that may be ids.
    pub(super) values: Vec<Print>,
    /// Tables that it names without saying which row.
    pub(super) tables: BTreeSet<TableId>,
    /// Whether it hints at no row and no table.
    pub(super) is_open: bool,
    /// Whether it may bring back what was there before.
    pub(super) puts_back: bool,
    /// Whether it may take rows away.
    pub(super) clears: bool,
}

impl Hints {
    /// What a call may have changed beside the rows that it is judged by.
    pub(super) fn of(
        vocabulary: &mut Vocabulary,
        prints: &Prints,
        call: &Call,
        planned: &Planned,
    ) -> Self {
        if planned.subjects.is_empty() {
            return Self::without_a_row(vocabulary, prints, call, &planned.tool);
        }
        let mut hints = Self::default();
        let arguments = call.arguments.as_ref().ok();
        for json in arguments.into_iter().chain(answer_data(call)) {
            each_id(vocabulary, json.root(), |id| {
                hints.values.push(prints.of_any_case(id));
            });
        }
        hints
    }

    /// What the arguments and the name of a tool hint at.
    fn without_a_row(
        vocabulary: &mut Vocabulary,
        prints: &Prints,
        call: &Call,
        tool: &Tool,
    ) -> Self {
        let named: BTreeSet<TableId> = tool.tables().map(|(table, _)| table).collect();
        if named.is_empty() && means().talks(tool) {
            return Self::default();
        }
        let mut search = Search {
            vocabulary,
            prints,
            hints: Self::default(),
            held: BTreeSet::new(),
            is_prose: false,
            is_more: false,
        };
        search.hints.tables.clone_from(&named);
        search.words(&tool.words);
        if let Ok(arguments) = &call.arguments {
            search.arguments(arguments.root(), &named);
        }
        let only_talks = search.is_prose && !search.is_more;
        let (mut hints, held) = (search.hints, search.held);
        if classify::runs_a_command(call, tool) && !reads_by_sql(call) {
            // `sqlite3 x.db < fix.sql`: what is in the file may be anything
            (hints.is_open, hints.puts_back, hints.clears) = (true, true, true);
            return hints;
        }
        let only_makes = means().only_makes(tool) && call.arguments.is_ok();
        hints.is_open = !only_makes && !only_talks && hints.tables.is_empty() && held.is_empty();
        // a call that says which row leaves the others of the table
        hints
            .tables
            .retain(|table| !only_makes && !held.contains(table));
        hints
    }
}

/// Calls for every id in an object: a call may change their rows, too.
fn each_id(vocabulary: &mut Vocabulary, node: Node<'_>, mut found: impl FnMut(&str)) {
    let mut open: SmallVec<[(Node<'_>, bool, usize); 16]> = smallvec![(node, false, DEPTH)];
    while let Some((node, is_id, depth)) = open.pop() {
        match node.value() {
            Kind::Object(members) if depth > 0 => {
                for (name, value) in members {
                    let is_id = vocabulary.member(name).holds_ids;
                    if is_id || !is_scalar(value) {
                        open.push((value, is_id, depth - 1));
                    }
                }
            }
            Kind::Array(items) if depth > 0 => {
                open.extend(items.map(|item| (item, is_id, depth - 1)));
            }
            Kind::Number(_) | Kind::String(_) if is_id => found(Value::of(node).plain().trim()),
            _ => {}
        }
    }
}

/// Whether a command shows the statement that it runs, and that one reads.
fn reads_by_sql(call: &Call) -> bool {
    let mut reads = false;
    if let Ok(arguments) = &call.arguments {
        each_leaf(arguments.root(), |leaf| {
            let text = leaf.as_js().map(|text| text.to_str_lossy().to_lowercase());
            reads |= text.is_some_and(|text| text.contains("select ") && !writes_anywhere(&text));
        });
    }
    reads
}

struct Search<'v> {
    vocabulary: &'v mut Vocabulary,
    prints: &'v Prints,
    hints: Hints,
    /// The tables of which it holds ids.
    held: BTreeSet<TableId>,
    /// Whether it holds text for people, or something else.
    is_prose: bool,
    is_more: bool,
}

impl Search<'_> {
    fn arguments(&mut self, root: Node<'_>, named: &BTreeSet<TableId>) {
        let mut open = vec![(root, None)];
        while let Some((node, field)) = open.pop() {
            match node.value() {
                Kind::Object(members) => {
                    for (name, value) in members {
                        open.push((value, Some(self.vocabulary.member(name))));
                    }
                }
                Kind::Array(items) => open.extend(items.map(|item| (item, field.clone()))),
                Kind::Null => {}
                _ => {
                    let text = Value::of(node).plain().trim().to_owned();
                    self.scalar(field.as_deref(), &text, named);
                }
            }
        }
    }

    fn scalar(&mut self, field: Option<&Field>, text: &str, named: &BTreeSet<TableId>) {
        let is_text = text.contains(char::is_whitespace);
        if let Some(field) = field.filter(|field| field.holds_ids && !is_text) {
            self.value(text);
            // `T-7` may be the ticket 7
            for part in text.split(|c: char| !c.is_alphanumeric()) {
                self.value(part.trim_start_matches(|c: char| c.is_alphabetic() || c == '0'));
            }
            self.held.extend(field.ids.iter().chain(&field.called));
            if field.name.is_bare_id {
                self.held.extend(named);
            }
            return;
        }
        if let Some(field) = field {
            self.hints.tables.extend(&field.names);
        }
        if text.parse::<f64>().is_err() {
            self.value(text);
        }
        let words = split(text);
        self.words(words.get(..words.len().min(MOST_WORDS)).unwrap_or_default());
        let meant = self.vocabulary.model.index.named(&words);
        self.hints
            .tables
            .extend(meant.iter().map(|(table, _)| table));
        for token in text.split_whitespace().take(MOST_WORDS) {
            let bare = token.trim_matches(|c: char| !c.is_alphanumeric());
            if is_text && bare.contains(|c: char| c.is_ascii_digit()) {
                self.value(bare);
            }
        }
        let is_prose = words.len() >= PROSE && is_text;
        self.is_prose |= is_prose;
        self.is_more |= !(is_prose || field.is_some_and(|field| field.is_beside_the_point));
    }

    fn words(&mut self, words: &[SmolStr]) {
        for word in words {
            self.hints.puts_back |= means().puts_back.has(word);
            self.hints.clears |= means().clears.has(word);
        }
    }

    fn value(&mut self, text: &str) {
        if !text.is_empty() {
            self.hints.values.push(self.prints.of_any_case(text));
        }
    }
}
