//! What a read shows: rows of its answer. They tell what was known before a
//! write, and whether columns mean what their names say.

use super::classify::has_failed;
use super::facts::{About, of_object};
use super::field::{Field, Tool, Vocabulary};
use super::image;
use super::key::{self, FoundKey};
use super::model::{ColumnId, TableId};
use super::object::Object;
use super::rows::subject;
use crate::fact::{From, KeyFrom, Looked, Subject, Why};
use crate::read::Call;
use std::sync::Arc;

/// The rows that the answer of a read shows.
pub(crate) fn subjects(vocabulary: &mut Vocabulary, call: &Call, tool: &Tool) -> Vec<Subject> {
    let Some(answer) = super::call::answer_data(call) else {
        return Vec::new();
    };
    if call.arguments.is_err() || has_failed(vocabulary, call) {
        return Vec::new();
    }
    let images = image::all(vocabulary, answer.root(), tool);
    if images.is_empty() {
        return unlabelled(vocabulary, call, tool).into_iter().collect();
    }
    let mut subjects = Vec::with_capacity(images.len());
    for image in images {
        let why = Why::Answer(image.key.shown(), true);
        let mut subject = subject(
            image.table,
            &image.key,
            KeyFrom::Result,
            Looked::Row,
            false,
            why,
        );
        let fields = &image.key.fields;
        subject.facts = facts(vocabulary, &subject, &image.object, (fields, true), tool);
        subjects.push(subject);
    }
    subjects
}

/// An answer without a key shows the row whose key was asked for.
fn unlabelled(vocabulary: &mut Vocabulary, call: &Call, tool: &Tool) -> Option<Subject> {
    let answer = super::call::answer_data(call)?.root();
    answer.as_object()?;
    let given = call.arguments.as_ref().ok()?;
    let arguments = vocabulary.arguments(given.root(), tool);
    let object = vocabulary.object(answer);
    let explained = vocabulary.explained(&object);
    let mut best: Vec<(usize, TableId, FoundKey)> = Vec::new();
    for table in explained.tables() {
        let is_named = tool.names(table).is_some();
        if let Some(key) = key::find(&vocabulary.model, table, &arguments, is_named)
            && key.is_fitting()
        {
            best.push((explained.by(table), table, key));
        }
    }
    best.sort_by_key(|(explains, _, _)| std::cmp::Reverse(*explains));
    let mut best = best.into_iter();
    let (explains, table, key) = best.next()?;
    let is_tie = best.next().is_some_and(|(next, _, _)| next == explains);
    if explains < 2 || is_tie {
        return None;
    }
    let why = Why::Arguments(key.shown(), true);
    let mut subject = subject(table, &key, KeyFrom::Argument, Looked::Row, false, why);
    subject.facts = facts(vocabulary, &subject, &object, (&[], false), tool);
    Some(subject)
}

fn facts(
    vocabulary: &mut Vocabulary,
    subject: &Subject,
    object: &Object<'_>,
    (key_fields, is_firm): (&[Arc<Field>], bool),
    tool: &Tool,
) -> Vec<crate::fact::Fact> {
    let key: Vec<ColumnId> = subject.key.iter().map(|(column, _)| *column).collect();
    let about = About {
        table: subject.table,
        key: &key,
        key_fields,
        tool,
        from: From::Result,
        is_firm,
    };
    of_object(vocabulary, object, &about)
}
