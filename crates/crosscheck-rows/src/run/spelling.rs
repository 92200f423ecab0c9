//! Rows that were not found are looked for again before anything is said of
//! them: under other spellings of the key, and under the number that people
//! use instead of it.

use crosscheck_core::rules::Rule;
use smol_str::{SmolStr, StrExt as _};

use super::{Run, Waiting};
use crate::fact::RowSeen;
use crate::look::{Columns, Questions, Shape};
use crate::observe::Holds;
use crate::observe::source::Key;
use crate::plan::key::fit_text;
use crate::plan::means::means;
use crate::plan::{Claim, ColumnId, Looked, Model, Subject, TableId, Target};

const SPELLING: Rule = Rule::new(
    "rows.spelling",
    "a key is looked for in other spellings, too",
);

/// What a row is looked for by.
enum Again {
    Spelling,
    /// Another column.
    Number,
    /// A row that it should point to.
    Parent,
}

impl Run<'_> {
    /// A row of another spelling is the row; one under another column only
    /// makes it uncertain that none is there.
    pub(super) fn look_again(&mut self, waiting: &mut [Waiting]) {
        let model = self.known.model();
        let mut questions = Questions::default();
        let mut asked = Vec::new();
        let subjects = waiting.iter().flat_map(|waiting| &waiting.call.subjects);
        for (at, subject) in subjects.enumerate() {
            let is_missed = matches!(subject.seen, RowSeen::None) && subject.looked.is_by_key();
            if !is_missed {
                continue;
            }
            for (table, column, value) in parents(model, subject) {
                let shape = Shape {
                    table,
                    key: Columns::from_slice(&[column]),
                    fields: Columns::new(),
                };
                questions.add(shape, Key::from([value]));
                asked.push((at, Again::Parent));
            }
            if !SPELLING.is_on() || subject.key_from.is_literal() {
                continue;
            }
            let shape = |key: Columns| Shape {
                table: subject.table,
                key,
                fields: Self::fields(model, subject),
            };
            for key in spellings(model, subject) {
                let columns = subject.key.iter().map(|(column, _)| *column);
                questions.add(shape(columns.collect()), key);
                asked.push((at, Again::Spelling));
            }
            for (column, value) in numbers(model, subject) {
                questions.add(shape(Columns::from_slice(&[column])), Key::from([value]));
                asked.push((at, Again::Number));
            }
        }
        if asked.is_empty() {
            return;
        }
        let found = questions.rows(self.source, self.known.planner.model(), self.claimed);
        let subjects = waiting
            .iter_mut()
            .flat_map(|waiting| &mut waiting.call.subjects);
        let mut subjects: Vec<&mut Subject> = subjects.collect();
        for (at, _) in asked
            .iter()
            .filter(|(_, again)| matches!(again, Again::Parent))
        {
            if let Some(subject) = subjects.get_mut(*at) {
                subject.has_parents = true;
            }
        }
        for ((at, again), (seen, cells)) in asked.into_iter().zip(found) {
            let Some(subject) = subjects.get_mut(at) else {
                continue;
            };
            let is_missed = matches!(subject.seen, RowSeen::None);
            match (again, seen) {
                (Again::Parent, RowSeen::One) => {}
                (Again::Parent, _) => subject.has_parents = false,
                (_, RowSeen::None | RowSeen::Failed(_)) => {}
                (Again::Spelling, RowSeen::One) if is_missed => {
                    (subject.seen, subject.cells) = (RowSeen::One, cells);
                    // which of both was to go is not certain
                    subject.is_sure &= subject.looked != Looked::Absence;
                }
                (Again::Spelling | Again::Number, _) => subject.is_sure &= !is_missed,
            }
        }
    }
}

/// Other spellings of a key: in small or capital letters, and of a UUID with or
/// without dashes.
fn spellings(model: &Model, subject: &Subject) -> Vec<Key> {
    let table = model.table(subject.table);
    let is_text =
        |column: ColumnId| matches!(table.column(column).holds, Holds::Text | Holds::Other);
    let own: Key = subject.key.iter().map(|(_, value)| value.clone()).collect();
    let ways: [fn(&str) -> Option<SmolStr>; 7] = [
        |text| Some(text.to_lowercase_smolstr()),
        |text| Some(text.to_uppercase_smolstr()),
        |text| Some(capital(text)),
        uuid,
        |text| Some(uuid(text)?.to_uppercase_smolstr()),
        |text| Some(uuid(text)?.replace_smolstr("-", "")),
        |text| Some(uuid(text)?.replace_smolstr("-", "").to_uppercase_smolstr()),
    ];
    let mut keys: Vec<Key> = Vec::new();
    for way in ways {
        let spelt = |(column, value): &(ColumnId, SmolStr)| {
            let other = is_text(*column).then(|| way(value)).flatten();
            other.unwrap_or_else(|| value.clone())
        };
        let key: Key = subject.key.iter().map(spelt).collect();
        if key != own && !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

fn capital(text: &str) -> SmolStr {
    let mut chars = text.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    first.chain(chars.flat_map(char::to_lowercase)).collect()
}

fn uuid(text: &str) -> Option<SmolStr> {
    fit_text(Holds::Uuid, text.into())
}

/// The rows that a call says its row points to: tables with their key.
fn parents(model: &Model, subject: &Subject) -> Vec<(TableId, ColumnId, SmolStr)> {
    let stated = subject
        .facts
        .iter()
        .filter_map(|fact| match (&fact.about, &fact.claim) {
            (Target::Column(column), Claim::Value(value)) => {
                Some((*column, value.plain().trim().into()))
            }
            _ => None,
        });
    let stated: Vec<(ColumnId, SmolStr)> = stated.chain(subject.key.iter().cloned()).collect();
    let mut found = Vec::new();
    for (parent, table) in model.tables() {
        let links = table
            .children
            .iter()
            .filter(|child| child.table == subject.table);
        for child in links {
            if let ([own], [column]) = (&child.columns[..], &child.parent[..])
                && let Some((_, value)) = stated.iter().find(|(column, _)| column == own)
                && let Some(value) = fit_text(table.column(*column).holds, value.clone())
            {
                found.push((parent, *column, value));
            }
        }
    }
    found
}

/// The columns that may hold what people call the number of a row.
fn numbers(model: &Model, subject: &Subject) -> Vec<(ColumnId, SmolStr)> {
    let [(own, value)] = &subject.key[..] else {
        return Vec::new();
    };
    let columns = model.table(subject.table).column_ids();
    let others =
        columns.filter(|(column, model)| column != own && means().public.has(model.name.last()));
    others
        .filter_map(|(column, model)| Some((column, fit_text(model.holds, value.clone())?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::testing::vocabulary;
    use crate::plan::{KeyFrom, Why};

    #[test]
    fn a_key_has_few_other_spellings() {
        let vocabulary = vocabulary(&["t: a* int, b* text"]);
        let spelt = |text: &str| {
            let mut subject = Subject::new(TableId(0), KeyFrom::Argument, true, Why::Values);
            subject.key = [(ColumnId(0), "9".into()), (ColumnId(1), text.into())]
                .into_iter()
                .collect();
            let keys = spellings(&vocabulary.model, &subject);
            let last = |key: &Key| key.iter().last().map(SmolStr::to_string);
            keys.iter().filter_map(last).collect::<Vec<_>>()
        };
        assert_eq!(spelt("vIP"), ["vip", "VIP", "Vip"]);
        assert!(spelt("17").is_empty());
        let uuid = spelt("3F2504E04F8941D39A0C0305E82C3301");
        for spelling in [
            "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
            "3F2504E0-4F89-41D3-9A0C-0305E82C3301",
            "3f2504e04f8941d39a0c0305e82c3301",
        ] {
            assert!(uuid.contains(&spelling.to_owned()), "{uuid:?}");
        }
    }
}
