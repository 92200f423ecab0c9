//! What a call without a row may have changed (rows 9): the rows whose ids it
//! holds, the tables that it names, or anything, if it hints at nothing.

use std::collections::BTreeSet;
use std::sync::Arc;

use crosscheck_core::json::{Node, Value as Kind};
use smol_str::SmolStr;

use crate::compare::value::{Print, Prints, Value, each_leaf};
use crate::plan::classify;
use crate::plan::means::means;
use crate::plan::names::{is_id_word, split};
use crate::plan::statement::writes_anywhere;
use crate::plan::{Field, TableId, Tool, Vocabulary};
use crate::read::Call;

/// At most this many words of a text are looked at.
const MOST_WORDS: usize = 400;
/// At most this many texts may be names of rows.
const MOST_NAMES: usize = 64;
/// A text of so many words is meant for people.
const PROSE: usize = 4;
/// Words that speak of many rows.
const MANY: [&str; 5] = ["all", "every", "each", "any", "everything"];

#[derive(Debug, Default)]
pub(super) struct Hints {
    /// Values that may be ids.
    pub(super) values: Vec<Print>,
    /// Texts that say which row is meant if the log knows one of that name.
    pub(super) names: Vec<SmolStr>,
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
    /// What the arguments and the name of a tool hint at.
    pub(super) fn of(
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
            hints: Self {
                tables: named.clone(),
                ..Self::default()
            },
            held: BTreeSet::new(),
            is_bare: false,
            is_prose: false,
            is_more: false,
            is_many: false,
        };
        search.words(&tool.words);
        if let Ok(arguments) = &call.arguments {
            search.arguments(arguments.root());
        }
        let Search {
            mut hints,
            mut held,
            is_bare,
            is_prose,
            is_more,
            is_many,
            ..
        } = search;
        if is_bare {
            held.extend(named);
        }
        if is_many {
            hints.names.clear();
        }
        if classify::runs_a_command(call, tool) && !reads_by_sql(call) {
            // `sqlite3 x.db < fix.sql`: what is in the file may be anything
            (hints.is_open, hints.puts_back, hints.clears) = (true, true, true);
            return hints;
        }
        let only_makes = means().only_makes(tool) && call.arguments.is_ok();
        let only_talks = is_prose && !is_more;
        hints.is_open = !only_makes && !only_talks && hints.tables.is_empty() && held.is_empty();
        hints
            .tables
            .retain(|table| !only_makes && !held.contains(table));
        hints
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

#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a finding of its own"
)]
struct Search<'v> {
    vocabulary: &'v mut Vocabulary,
    prints: &'v Prints,
    hints: Hints,
    /// The tables of which it holds ids.
    held: BTreeSet<TableId>,
    /// Whether it holds an id that says nothing of its table.
    is_bare: bool,
    /// Whether it holds text for people, something else, or words for many.
    is_prose: bool,
    is_more: bool,
    is_many: bool,
}

impl Search<'_> {
    fn arguments(&mut self, root: Node<'_>) {
        let mut open: Vec<(Node<'_>, Option<Arc<Field>>, bool)> = vec![(root, None, false)];
        while let Some((node, field, is_listed)) = open.pop() {
            match node.value() {
                Kind::Object(members) => {
                    for (name, value) in members {
                        open.push((value, Some(self.vocabulary.member(name)), false));
                    }
                }
                Kind::Array(items) => {
                    open.extend(items.map(|item| (item, field.clone(), true)));
                }
                Kind::Null => {}
                _ => {
                    let text = Value::of(node).plain().trim().to_owned();
                    self.scalar(field.as_deref(), &text, is_listed);
                }
            }
        }
    }

    fn scalar(&mut self, field: Option<&Field>, text: &str, is_listed: bool) {
        let beside = field.is_some_and(|field| field.is_beside_the_point);
        let is_text = text.contains(char::is_whitespace);
        let meant = field.map_or_else(BTreeSet::new, |field| self.meant(field, is_listed));
        let is_bare = field.is_some_and(|field| field.name.is_bare_id);
        if !is_text && (is_bare || !meant.is_empty()) {
            self.value(text);
            for part in text.split(|c: char| !c.is_alphanumeric()) {
                self.value(part.trim_start_matches(|c: char| c.is_alphabetic() || c == '0'));
            }
            self.name(text);
            self.is_bare |= is_bare;
            self.held.extend(meant);
            return;
        }
        if let Some(field) = field {
            self.hints.tables.extend(&field.names);
        }
        let is_number = text.parse::<f64>().is_ok();
        if !is_number {
            self.value(text);
        }
        let words = split(text);
        let count = words.len();
        self.words(words.get(..count.min(MOST_WORDS)).unwrap_or_default());
        let named = self.vocabulary.model.index.named(&words);
        let named: BTreeSet<TableId> = named.into_iter().map(|(table, _)| table).collect();
        self.hints.tables.extend(&named);
        if is_text {
            self.tokens(text);
        } else if !is_number {
            self.name(text);
        }
        self.is_prose |= count >= PROSE && is_text;
        self.is_more |= !(beside || (count >= PROSE && is_text));
    }

    /// What in a text for people may be the id of a row.
    fn tokens(&mut self, text: &str) {
        let mut before = SmolStr::default();
        for token in text.split_whitespace().take(MOST_WORDS) {
            let bare = token.trim_matches(|c: char| !c.is_alphanumeric());
            if bare.contains(|c: char| c.is_ascii_digit()) {
                self.value(bare);
                let is_said = token.contains('#') || self.vocabulary.model.is_noun(&before);
                if is_said || bare.contains(char::is_alphabetic) {
                    self.name(bare);
                }
            }
            before = bare.to_lowercase().into();
        }
    }

    /// The tables whose id a field holds.
    fn meant(&self, field: &Field, is_listed: bool) -> BTreeSet<TableId> {
        let model = &self.vocabulary.model;
        let mut words = field.name.words.clone();
        let mut is_count = false;
        if let Some(last) = words.last_mut()
            && let Some(one) = last.strip_suffix('s')
        {
            is_count = !is_listed;
            if is_id_word(one) {
                *last = one.into();
            }
        }
        let ends = (0..words.len()).filter_map(|start| words.get(start..));
        let called = |words: &[SmolStr]| {
            if is_count {
                Vec::new()
            } else {
                model.index.called(words)
            }
        };
        let mut meant: BTreeSet<TableId> = ends
            .flat_map(|words| model.index.ids(words).into_iter().chain(called(words)))
            .collect();
        let is_key = |table: &TableId| {
            let column = field.column(*table).filter(|(_, is_firm)| *is_firm);
            column.is_some_and(|(column, _)| model.table(*table).primary() == [column])
        };
        if !field.name.is_bare_id {
            meant.extend(field.tables().filter(is_key));
        }
        meant
    }

    fn words(&mut self, words: &[SmolStr]) {
        for word in words {
            self.hints.puts_back |= means().puts_back(word);
            self.hints.clears |= means().clears(word);
            self.is_many |= MANY.contains(&word.as_str());
        }
    }

    fn value(&mut self, text: &str) {
        if !text.is_empty() {
            self.hints.values.push(self.prints.of_any_case(text));
        }
    }

    fn name(&mut self, text: &str) {
        if self.hints.names.len() < MOST_NAMES {
            self.hints.names.push(text.into());
        }
    }
}
