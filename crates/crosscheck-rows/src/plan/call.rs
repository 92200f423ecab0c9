//! Which rows a call is about (rows 8.3).

use std::collections::BTreeSet;
use std::sync::Arc;

use crosscheck_core::foreign::toml_string;
use crosscheck_core::json::{Json, Node};
use crosscheck_core::rules::Rule;
use smol_str::SmolStr;

use super::by_contract;
use super::classify::{Class, Classified, classify};
use super::field::{Field, Tool, Vocabulary};
use super::image::{self, Image};
use super::key::{self, FoundKey};
use super::means::writes;
use super::model::{ColumnId, Model, TableId};
use super::object::{Explained, Member, Object};
use super::rows::{Said, Uncompared, fill, given, renewed, subject, values_of};
use super::words::words;
use crate::compare::value::{Value, Values, is_scalar};
use crate::fact::{KeyFrom, Looked, Subject, Why};
use crate::read::pointer::escaped;
use crate::read::{Answer, Call, Contract};
use crate::reasons::CallReason as Reason;

/// Longer values are not shown with a reason.
const LONGEST_SHOWN: usize = 80;
/// One letter in so many may be wrong in a misspelt name.
const NEAR: usize = 6;
/// More tools are not told apart.
const MOST_TOOLS: usize = 10_000;

const PAIRS: Rule = Rule::new(
    "rows.pairs",
    "two ids name a row of the one table with both",
);
const STRANGERS: Rule = Rule::new(
    "rows.strangers",
    "an answer with a strange id is no certain row",
);
const ELSEWHERE: Rule = Rule::new(
    "rows.elsewhere",
    "the answer calls the key that of another table",
);
const ANOTHER: Rule = Rule::new(
    "rows.another",
    "a bare id may be that of a row that was given",
);

/// What a call is and what it says.
#[derive(Debug)]
pub(crate) struct Planned {
    pub(crate) tool: Arc<Tool>,
    pub(crate) classified: Classified,
    /// The rows of a write, or those that a read shows.
    pub(crate) subjects: Vec<Subject>,
    /// Why there is nothing to look for.
    pub(crate) reason: Option<(Reason, String)>,
    /// What was said and may not be compared with anything.
    pub(crate) uncompared: Uncompared,
}

/// Plans calls, one by one.
pub(crate) struct Planner {
    pub(crate) vocabulary: Vocabulary,
    pub(crate) contract: Contract,
    /// The tools that an entry of the contract is about, and the others.
    ruled: BTreeSet<SmolStr>,
    unruled: BTreeSet<SmolStr>,
}

impl Planner {
    pub(crate) fn new(model: Model, contract: Contract) -> Self {
        Self {
            vocabulary: Vocabulary::new(model),
            contract,
            ruled: BTreeSet::new(),
            unruled: BTreeSet::new(),
        }
    }

    pub(crate) fn model(&self) -> &Model {
        &self.vocabulary.model
    }

    /// Whether an entry of the contract was about any call.
    pub(crate) fn has_ruled(&self) -> bool {
        !self.ruled.is_empty()
    }

    /// An entry that no call has, and the tool without an entry that it is
    /// nearly called like: its calls would be guessed at.
    pub(crate) fn misspelt(&self) -> Option<(&str, &str)> {
        let bare =
            |tool: &str| super::names::split(tool.rsplit("__").next().unwrap_or(tool)).concat();
        self.contract.tools.keys().find_map(|entry| {
            let is_used = self.contract.rule(entry).is_some()
                && self
                    .ruled
                    .iter()
                    .any(|tool| tool == entry || tool.ends_with(&format!("__{entry}")));
            let own = bare(entry);
            let mut others = self.unruled.iter().filter(|_| !is_used);
            let near = others.find(|tool| {
                let other = bare(tool);
                strsim::damerau_levenshtein(&own, &other) <= own.len().min(other.len()) / NEAR
            });
            near.map(|near| (entry.as_str(), near.as_str()))
        })
    }

    pub(crate) fn plan(&mut self, call: &Call) -> Planned {
        let tool = self.vocabulary.tool(&call.tool);
        let rule = self.contract.rule(&call.tool);
        if !self.contract.tools.is_empty() {
            let known = if rule.is_some() {
                &mut self.ruled
            } else {
                &mut self.unruled
            };
            if known.len() < MOST_TOOLS && !known.contains(call.tool.as_str()) {
                known.insert(call.tool.as_str().into());
            }
        }
        let classified = classify(
            &mut self.vocabulary,
            call,
            &tool,
            rule.and_then(|rule| rule.class),
        );
        let mut planned = Planned {
            tool: Arc::clone(&tool),
            classified,
            subjects: Vec::new(),
            reason: None,
            uncompared: Uncompared::new(),
        };
        match planned.classified.class {
            Class::Read => {
                planned.subjects = super::reading::subjects(&mut self.vocabulary, call, &tool);
            }
            Class::Failed | Class::Ignored => {}
            Class::Write | Class::Delete | Class::Unknown => {
                let result = match rule.filter(|rule| !rule.rows.is_empty()) {
                    _ if call.arguments.is_err() => {
                        let why = call.arguments.as_ref().err().copied().unwrap_or_default();
                        Err((Reason::ArgumentsUnreadable, why.to_owned()))
                    }
                    _ if planned.classified.carries_sql => {
                        let from = &planned.classified.from;
                        let message = format!("the call carries an SQL statement ({from})");
                        Err((Reason::SqlText, message))
                    }
                    Some(rule) => {
                        let is_delete = planned.classified.class == Class::Delete;
                        planned.uncompared =
                            by_contract::beside(&mut self.vocabulary, call, &tool, rule);
                        by_contract::subjects(&self.vocabulary.model, call, rule, is_delete)
                    }
                    None => Mapping::new(&mut self.vocabulary, call, &mut planned).run(),
                };
                match result {
                    Ok(mut subjects) => {
                        // a person who says that the row is gone does not mean a refusal
                        let is_meant = |subject: &Subject| {
                            subject.key_from == KeyFrom::Contract
                                && subject.looked == Looked::Absence
                        };
                        if planned.classified.may_be_refused {
                            for subject in subjects.iter_mut().filter(|one| !is_meant(one)) {
                                subject.is_sure = false;
                            }
                        }
                        planned.subjects = subjects;
                    }
                    Err(reason) => planned.reason = Some(reason),
                }
            }
        }
        planned
    }
}

/// The rows, or why there are none.
pub(crate) type Found = Result<Vec<Subject>, (Reason, String)>;

/// Maps one call without a contract.
struct Mapping<'v, 'c> {
    vocabulary: &'v mut Vocabulary,
    call: &'c Call,
    tool: Arc<Tool>,
    is_delete: bool,
    is_certain: bool,
    uncompared: &'v mut Uncompared,
}

/// A table that the arguments may be about.
#[derive(Debug, Clone)]
struct Candidate {
    explains: usize,
    /// How many words of its name the tool has; 0 for none.
    named: usize,
    table: TableId,
    key: Option<FoundKey>,
}

/// An object of the answer that is a row, and the key of its table among the arguments.
struct Shown<'j> {
    image: Image<'j>,
    /// Whether the tool names the table.
    is_named: bool,
    own: Option<FoundKey>,
    /// Whether it shows that key, or another one.
    is_same: Option<bool>,
}

/// The candidates, the best first.
#[derive(Debug)]
struct Candidates {
    pool: Vec<Candidate>,
    /// Whether no table is named: then nothing is certain.
    is_weak: bool,
}

impl<'v, 'c> Mapping<'v, 'c> {
    fn new(vocabulary: &'v mut Vocabulary, call: &'c Call, planned: &'v mut Planned) -> Self {
        Self {
            vocabulary,
            call,
            tool: Arc::clone(&planned.tool),
            is_delete: planned.classified.class == Class::Delete,
            is_certain: planned.classified.is_certain,
            uncompared: &mut planned.uncompared,
        }
    }

    fn run(mut self) -> Found {
        let call = self.call;
        let Ok(given) = &call.arguments else {
            return Ok(Vec::new());
        };
        let tool = Arc::clone(&self.tool);
        let arguments = self.vocabulary.arguments(given.root(), &tool);
        let explained = self.vocabulary.explained(&arguments);
        let candidates = self.candidates(&arguments, &explained);
        let answer = match &call.answer {
            Some(Answer::Json(json)) => Some(json.root()),
            _ => None,
        };
        if self.is_delete {
            return self.delete(&arguments, candidates);
        }
        let mut images = match answer {
            Some(answer) => self.images(answer, &arguments),
            None => Vec::new(),
        };
        images.retain(|shown| !self.is_of_another(shown, &arguments));
        let given_values = self::given(given.root());
        let explains_all = |top: &Candidate| top.explains >= arguments.len();
        if images.is_empty()
            && !candidates.pool.first().is_some_and(explains_all)
            && let Some(table) = self.link(&arguments)
        {
            return self.by_values(table, &arguments, Looked::Values);
        }
        let mut subjects = self.rows_of_images(images, &arguments, &given_values);
        if let Some(main) =
            self.row_of_arguments(&subjects, &arguments, &candidates, answer, &given_values)?
        {
            subjects.push(main);
        }
        if !subjects.is_empty() {
            return Ok(subjects);
        }
        match candidates.pool.first() {
            Some(top) if top.named > 0 => {
                if let Some(reason) = self.ambiguity(&candidates) {
                    return Err(reason);
                }
                self.by_values(top.table, &arguments, Looked::Values)
            }
            _ => match self.link(&arguments) {
                Some(table) => self.by_values(table, &arguments, Looked::Values),
                None => Err(self.no_table(&arguments)),
            },
        }
    }

    /// The one table with a column for everything that the call says, of which two
    /// at least are ids: `enrollments` for a user and a course.
    fn link(&self, arguments: &Object<'_>) -> Option<TableId> {
        let said = || arguments.iter().filter(|member| is_scalar(member.node));
        let ids = said().filter(|member| member.field.name.ends_in_id).count();
        let has_all = |table: &TableId| {
            let is_firm =
                |member: &Member<'_>| matches!(member.field.column(*table), Some((_, true)));
            said().all(is_firm)
        };
        let tables = self.vocabulary.model.tables().map(|(table, _)| table);
        let mut fitting = tables.filter(has_all);
        let table = fitting
            .next()
            .filter(|_| PAIRS.is_on() && ids >= 2 && said().count() == arguments.len())?;
        fitting.next().is_none().then_some(table)
    }

    /// The tables that the tool names; if it names none, those whose id is
    /// among the arguments and which explain more than it.
    fn candidates(&self, arguments: &Object<'_>, explained: &Explained) -> Candidates {
        let mut tables = explained.tables();
        tables.extend(self.tool.tables().map(|(table, _)| table));
        tables.sort_unstable();
        tables.dedup();
        let candidate = |table: TableId| {
            let named = self.tool.names(table).unwrap_or_default();
            let key = key::find(&self.vocabulary.model, table, arguments, named > 0);
            (key.is_some() || named > 0).then(|| Candidate {
                explains: explained.by(table),
                named,
                table,
                key,
            })
        };
        let all: Vec<Candidate> = tables.into_iter().filter_map(candidate).collect();
        let is_weak = all.iter().all(|candidate| candidate.named == 0);
        let holds_its_id = |candidate: &Candidate| {
            let key = candidate.key.as_ref();
            key.is_some_and(|key| {
                key.is_own && key.is_primary && candidate.explains > key.columns.len()
            })
        };
        let counts = |candidate: &Candidate| {
            if is_weak {
                holds_its_id(candidate)
            } else {
                candidate.named > 0
            }
        };
        let mut pool: Vec<Candidate> = all.into_iter().filter(counts).collect();
        // stable: of equals the first table by name stays first
        pool.sort_by_key(|candidate| {
            std::cmp::Reverse((candidate.explains, candidate.named, candidate.key.is_some()))
        });
        Candidates { pool, is_weak }
    }

    /// Another table that fits the arguments as well as the best one.
    fn ambiguity(&self, candidates: &Candidates) -> Option<(Reason, String)> {
        let (top, others) = candidates.pool.split_first()?;
        let rivals = others.iter().filter(|other| {
            let ties = (other.explains, other.named) == (top.explains, top.named);
            let only_one_has_a_key =
                other.key.is_some() != top.key.is_some() && other.explains >= 2;
            ties && (only_one_has_a_key || (other.key.is_some() && top.key.is_some()))
        });
        let mut names: Vec<&str> = rivals.map(|rival| self.shown(rival.table)).collect();
        if names.is_empty() {
            return None;
        }
        names.push(self.shown(top.table));
        Some(self.tie(names))
    }

    fn tie(&self, mut names: Vec<&str>) -> (Reason, String) {
        names.sort_unstable();
        let (names, entry) = (names.join(" or "), toml_string(&self.tool.name));
        let message = format!(
            "could be {names}; name the table in a contract: tools.{entry} = {{ table = ..., key = {{ ... }} }}"
        );
        (Reason::TableAmbiguous, message)
    }

    fn shown(&self, table: TableId) -> &str {
        &self.vocabulary.model.table(table).shown
    }

    /// The objects of the answer that are rows.
    fn images<'j>(&mut self, answer: Node<'j>, arguments: &Object<'_>) -> Vec<Shown<'j>> {
        let images = image::all(self.vocabulary, answer, &self.tool).into_iter();
        let shown = images.map(|image| {
            let is_named = self.tool.names(image.table).is_some();
            let own = key::find(&self.vocabulary.model, image.table, arguments, is_named);
            let is_same = own.as_ref().and_then(|own| shows(&image, own));
            Shown {
                image,
                is_named,
                own,
                is_same,
            }
        });
        shown.collect()
    }

    /// The rows that the answer holds; of several only those that the call is
    /// about, as far as that is known.
    fn rows_of_images(
        &mut self,
        mut images: Vec<Shown<'_>>,
        arguments: &Object<'_>,
        given: &Values,
    ) -> Vec<Subject> {
        let mut is_open = false;
        if images.len() > 1 {
            let is_own = |shown: &Shown<'_>| shown.is_same == Some(true);
            let has_own = images.iter().any(is_own);
            let holds = |shown: &Shown<'_>| holds_one_of(shown.image.node, given);
            is_open = !has_own && !images.iter().any(holds);
            images.retain(|shown| is_open || if has_own { is_own(shown) } else { holds(shown) });
        }
        let is_alone = images.len() == 1;
        let images = images.into_iter();
        let subjects: Vec<Subject> = images
            .map(|shown| self.row_of_image(&shown, (is_alone, is_open), arguments, given))
            .collect();
        if subjects.len() > 1 {
            // which row an argument is about is open, but one of them must hold it
            let renewed = renewed(arguments);
            let new = arguments
                .iter()
                .filter(|member| !renewed.contains(member.field.name.norm.as_str()));
            let is_added = |value: &Value| self.tool.relative.is_some() && value.is_number();
            let values = new.flat_map(values_of);
            let values = values.filter(|(_, value)| !is_added(value));
            self.uncompared.extend(values);
        }
        subjects
    }

    /// The row of one object of the answer; alone, the arguments may be about it, too.
    fn row_of_image(
        &mut self,
        shown: &Shown<'_>,
        (is_alone, is_open): (bool, bool),
        arguments: &Object<'_>,
        given: &Values,
    ) -> Subject {
        let (tool, image) = (Arc::clone(&self.tool), &shown.image);
        let (is_same, is_other) = (shown.is_same == Some(true), shown.is_same == Some(false));
        let merges = is_alone && !is_other;
        let own = shown.own.as_ref();
        let own_fields: &[Arc<Field>] = own.map_or(&[], |own| own.fields.as_slice());
        // what is new may be made from another row
        if is_other && !tool.verb.creates {
            let renewed = renewed(arguments);
            let is_asked = |member: &&Member<'_>| {
                let name = &member.field.name;
                let is_key = own_fields.iter().any(|field| field.name.text == name.text);
                is_key && !renewed.contains(name.norm.as_str())
            };
            let asked = arguments.iter().filter(is_asked);
            self.uncompared.extend(asked.flat_map(values_of));
        }
        let from = if is_same {
            KeyFrom::Argument
        } else {
            KeyFrom::Result
        };
        let is_sure = self.is_certain
            && !is_open
            && image.key.is_plain
            && self.is_shown(image, arguments, is_same)
            && writes(&tool, self.vocabulary.model.table(image.table), from);
        let why = Why::Answer(image.key.shown(), shown.is_named);
        let mut subject = subject(image.table, &image.key, from, Looked::Row, is_sure, why);
        let nothing = Object::new();
        let said = Said {
            tool: &tool,
            arguments: if merges { arguments } else { &nothing },
            own_fields: if merges && is_same { own_fields } else { &[] },
            image: Some(&image.object),
            key_fields: Some(&image.key.fields),
            given,
        };
        let open = fill(self.vocabulary, &mut subject, &said);
        self.uncompared.extend(open);
        subject
    }

    /// Whether an object of the answer is certainly the row of its table: the
    /// tool or the member around it names the table, or the object holds that
    /// table's id, and it is not the row of something else that points there.
    /// `is_given` tells whether its key is among the arguments.
    fn is_shown(&self, image: &Image<'_>, arguments: &Object<'_>, is_given: bool) -> bool {
        let model = self.vocabulary.model.table(image.table);
        let is_named = self.tool.names(image.table).is_some();
        let is_about = image.is_wrapped
            || (is_given && !self.tool.verb.creates)
            || self.tool.promise(model).is_about_part;
        if !image.key.is_own {
            return image.is_named && is_about;
        }
        let is_stranger = |member: &Member<'_>| {
            let name = &member.field.name;
            is_scalar(member.node)
                && super::names::is_id_word(name.last())
                && !image.key.has_field(&name.text)
                && !words().control.has(&name.joined)
                && (member.field.name.is_bare_id || member.field.column(image.table).is_none())
                && !image.key.holds(&Value::of(member.node).plain())
        };
        let is_child = |table: TableId| model.children.iter().any(|child| child.table == table);
        let is_other = !is_named && !image.is_wrapped;
        let has_other = || {
            self.tool.tables().any(|(table, _)| is_child(table))
                || arguments.iter().any(is_stranger)
        };
        let is_doubtful = image.object.iter().any(is_stranger) || (is_other && has_other());
        !(is_doubtful && STRANGERS.is_on())
    }

    /// Whether the bare id of an answer is that of another row which the call
    /// was given: `add_comment(ticket_id)` may answer with the ticket.
    fn is_of_another(&mut self, shown: &Shown<'_>, arguments: &Object<'_>) -> bool {
        let image = &shown.image;
        if image.key.is_own || image.is_wrapped || shown.is_same == Some(true) {
            return false;
        }
        let explained = self.vocabulary.explained(&image.object);
        let is_its_id = |member: &&Member<'_>| image.key.holds(&Value::of(member.node).plain());
        let others = arguments.iter().filter(is_its_id);
        let mut others = others.flat_map(|member| &member.field.ids);
        let is_other = others.any(|other| explained.by(*other) >= explained.by(image.table));
        is_other && ANOTHER.is_on()
    }

    /// The row whose key is among the arguments, unless the answer holds a
    /// row of a named table.
    fn row_of_arguments(
        &mut self,
        images: &[Subject],
        arguments: &Object<'_>,
        candidates: &Candidates,
        answer: Option<Node<'_>>,
        given: &Values,
    ) -> Result<Option<Subject>, (Reason, String)> {
        let Some(top) = candidates.pool.first() else {
            return Ok(None);
        };
        let Some(key) = &top.key else { return Ok(None) };
        let is_stated = |image: &Subject| image.table == top.table;
        let is_named = |image: &Subject| self.tool.names(image.table).is_some();
        let is_main = images.is_empty()
            || (top.named > 0 && !images.iter().any(is_stated) && !images.iter().any(is_named));
        if !is_main {
            return Ok(None);
        }
        if !key.is_fitting() {
            return Err(self.unfit(top.table, key, arguments));
        }
        if let Some(reason) = self.ambiguity(candidates) {
            return Err(reason);
        }
        let renames = |member: &Member<'_>| {
            let (first, rest) = match &member.field.name.words[..] {
                [first, rest @ ..] => (first.as_str(), rest),
                [] => ("", &[][..]),
            };
            words().new_prefix.has(first) && key.fields.iter().any(|field| field.name.words == rest)
        };
        let is_renamed = arguments.iter().any(renames);
        let is_elsewhere = self.is_elsewhere(answer, top.table, key);
        let model = self.vocabulary.model.table(top.table);
        let is_sure = self.is_certain
            && !candidates.is_weak
            && key.is_plain
            && !is_renamed
            && !is_elsewhere
            && writes(&self.tool, model, KeyFrom::Argument);
        let why = Why::Arguments(key.shown(), !candidates.is_weak);
        let mut subject = subject(top.table, key, KeyFrom::Argument, Looked::Row, is_sure, why);
        // an answer without a key may still show the row
        let image = match answer.filter(|answer| images.is_empty() && answer.as_object().is_some())
        {
            Some(answer) => {
                let object = self.vocabulary.object(answer);
                let explains = self.vocabulary.explained(&object).by(top.table);
                (explains >= 2).then_some(object)
            }
            None => None,
        };
        let tool = Arc::clone(&self.tool);
        let said = Said {
            tool: &tool,
            arguments,
            own_fields: &key.fields,
            image: image.as_ref(),
            key_fields: None,
            given,
        };
        let open = fill(self.vocabulary, &mut subject, &said);
        self.uncompared.extend(open);
        Ok(Some(subject))
    }

    /// Whether the answer calls the key that of another table: `update_device`
    /// answers with the `sensor_id`.
    fn is_elsewhere(&mut self, answer: Option<Node<'_>>, table: TableId, key: &FoundKey) -> bool {
        let Some(answer) = answer.filter(|_| ELSEWHERE.is_on()) else {
            return false;
        };
        self.vocabulary.object(answer).iter().any(|member| {
            let ids = &member.field.ids;
            !ids.is_empty()
                && !ids.contains(&table)
                && !key.has_field(&member.field.name.text)
                && key.holds(&Value::of(member.node).plain())
        })
    }

    /// Without a key: the rows that hold all values (rows 8.3).
    fn by_values(&mut self, table: TableId, arguments: &Object<'_>, looked: Looked) -> Found {
        let model = self.vocabulary.model.table(table);
        let mut conditions = Vec::new();
        for member in arguments {
            if let Some((column, true)) = member.field.column(table)
                && is_scalar(member.node)
                && !model.column(column).is_secret
                && !conditions.iter().any(|(known, _)| *known == column)
            {
                conditions.push((column, Value::of(member.node)));
            }
        }
        if looked == Looked::Values {
            let is_asked = |member: &Member<'_>| {
                let column = member.field.column(table).filter(|(_, firm)| *firm);
                column
                    .is_some_and(|(column, _)| conditions.iter().any(|(known, _)| *known == column))
            };
            let open = arguments.iter().filter(|member| !is_asked(member));
            self.uncompared.extend(open.flat_map(values_of));
        }
        let is_free = |(column, _): &(ColumnId, Value)| !model.column(*column).is_key_like;
        let has_free = conditions.iter().any(is_free);
        // what is made is not what it hangs on, and what was updated was there before
        let is_vague = if self.tool.verb.creates {
            !self.tool.promise(model).is_about_part
        } else {
            answers_with(self.call, "updated")
        };
        let is_link = self.link(arguments) == Some(table);
        let is_open = looked == Looked::Values && !is_link && (!has_free || is_vague);
        if conditions.len() < 2 || is_open {
            let message = format!(
                "neither the arguments nor the answer hold the key of {}; {}",
                model.shown,
                self.entry(&model.shown, arguments)
            );
            return Err((Reason::NoKey, message));
        }
        Ok(vec![with_values(table, conditions, looked)])
    }

    /// The row that must be gone: of the most specific named table.
    fn delete(&mut self, arguments: &Object<'_>, candidates: Candidates) -> Found {
        let mut pool = candidates.pool;
        pool.sort_by_key(|candidate| {
            std::cmp::Reverse((candidate.named, candidate.explains, candidate.key.is_some()))
        });
        let Some(top) = pool.first() else {
            return Err(self.no_table(arguments));
        };
        if let Some(next) = pool.get(1)
            && (next.named, next.explains) == (top.named, top.explains)
        {
            return Err(self.tie(vec![self.shown(top.table), self.shown(next.table)]));
        }
        let Some(key) = &top.key else {
            return self.by_values(top.table, arguments, Looked::ValuesAbsent);
        };
        if !key.is_fitting() {
            return Err(self.unfit(top.table, key, arguments));
        }
        if top.named == 0 {
            // whatever else is asked for, the row may stay
            let value = |field: &Arc<Field>| {
                let mut members = arguments.iter();
                let member = members.find(|member| member.field.name.text == field.name.text);
                member.map_or(Value::Null, |member| Value::of(member.node))
            };
            let columns = key.columns.iter().copied();
            let conditions = columns.zip(key.fields.iter().map(value)).collect();
            return Ok(vec![with_values(
                top.table,
                conditions,
                Looked::ValuesAbsent,
            )]);
        }
        // remove this from that: another id that is not a column of the table
        let has_other_id = arguments.iter().any(|member| {
            let name = &member.field.name;
            !key.has_field(&name.text)
                && is_scalar(member.node)
                && name.ends_in_id
                && member.field.column(top.table).is_none()
                && !words().control.has(&name.joined)
        });
        // remove so many of it, or only this of it
        let has_more = arguments.iter().any(|member| {
            let is_number = || Value::of(member.node).is_number();
            !key.has_field(&member.field.name.text)
                && is_scalar(member.node)
                && !member.field.is_beside_the_point
                && (member.field.column(top.table).is_some() || is_number())
        });
        let is_whole = self.tool.is_about(self.vocabulary.model.table(top.table))
            && super::means::means().removes(&self.tool);
        let is_sure = self.is_certain && !has_other_id && !has_more && is_whole && key.is_plain;
        let why = Why::Arguments(key.shown(), true);
        Ok(vec![subject(
            top.table,
            key,
            KeyFrom::Argument,
            Looked::Absence,
            is_sure,
            why,
        )])
    }

    fn no_table(&self, arguments: &Object<'_>) -> (Reason, String) {
        let entry = self.entry("TABLE", arguments);
        let message = format!("no table of the database is named by the tool or its key; {entry}");
        (Reason::NoTable, message)
    }

    /// The entry of a contract that would settle a call, with a key that the call
    /// has: an id of the answer, an id among the arguments, or whatever it is given.
    fn entry(&self, table: &str, arguments: &Object<'_>) -> String {
        let tool = toml_string(&self.tool.name);
        let answer = answer_data(self.call).and_then(|json| json.root().as_object());
        let mut answer = answer.into_iter().flatten();
        let answered = answer.find_map(|(name, node)| {
            let name = name.to_str_lossy();
            let is_id = is_scalar(node) && super::names::Name::new(&name).ends_in_id;
            is_id.then(|| format!("/result/{}", escaped(&name)))
        });
        let given = |member: &&Member<'_>| is_scalar(member.node) && !member.node.is_null();
        let pointer = |member: &Member<'_>| format!("/args/{}", escaped(&member.field.name.text));
        let mut ids = arguments
            .iter()
            .filter(given)
            .filter(|member| member.field.holds_ids);
        let id = ids.next().map(pointer);
        let id = if self.tool.verb.creates {
            answered.or(id)
        } else {
            id.or(answered)
        };
        if let Some(place) = id.or_else(|| arguments.iter().find(given).map(pointer)) {
            let (table, place) = (toml_string(table), toml_string(&place));
            return format!(
                "describe it in a contract: tools.{tool} = {{ table = {table}, key = {{ COLUMN = {place} }} }}"
            );
        }
        let mut lists = arguments.iter().filter_map(|member| {
            let first = member.node.as_array()?.next()?;
            let name = first.as_object().and_then(|mut members| members.next());
            let name = name.map_or_else(String::new, |(name, _)| {
                format!("/{}", escaped(&name.to_str_lossy()))
            });
            Some((pointer(member), format!("/each{name}")))
        });
        match lists.next() {
            Some((items, place)) => format!(
                "describe it in a contract: tools.{tool} = {{ each = [{{ items = {}, table = {}, key = {{ COLUMN = {} }} }}] }}",
                toml_string(&items),
                toml_string(table),
                toml_string(&place)
            ),
            None => format!(
                "if it does not write to this database, say so in a contract: tools.{tool} = {{ class = \"ignore\" }}"
            ),
        }
    }

    /// Says which argument cannot be the key of a table, and what to do.
    fn unfit(&self, table: TableId, key: &FoundKey, arguments: &Object<'_>) -> (Reason, String) {
        let at = key.values.iter().position(Option::is_none);
        let at = at.unwrap_or_default();
        let table = self.vocabulary.model.table(table);
        let (Some(field), Some(column)) = (key.fields.get(at), key.columns.get(at)) else {
            return (Reason::KeyType, String::new());
        };
        let field = field.name.text.as_str();
        let mut members = arguments.iter();
        let given = members.find(|member| member.field.name.text == field);
        let value = given.filter(|member| !self.vocabulary.redacts && !member.field.looks_secret);
        let value = value.map(|member| format!(" {}", Value::of(member.node).canonical()));
        let value = value.filter(|text| text.len() <= LONGEST_SHOWN);
        let column = table.column(*column);
        let message = format!(
            "{field}{} cannot be {}.{}, which holds {}; if another column holds it, name that one in a contract: key = {{ COLUMN = \"/args/{field}\" }}",
            value.unwrap_or_default(),
            table.shown,
            column.column,
            column.holds.words()
        );
        (Reason::KeyType, message)
    }
}

/// The rows that hold these values.
fn with_values(table: TableId, conditions: Vec<(ColumnId, Value)>, looked: Looked) -> Subject {
    let shown = |(column, value): &(ColumnId, Value)| (*column, SmolStr::from(value.plain()));
    Subject {
        key: conditions.iter().map(shown).collect(),
        conditions: conditions.into(),
        looked,
        ..Subject::new(table, KeyFrom::Argument, false, Why::Values)
    }
}

/// Whether an image shows a key that is among the arguments, by the same
/// columns or by others, or another one; `None` if it does not show them all.
fn shows(image: &Image<'_>, own: &FoundKey) -> Option<bool> {
    let is_shown = |(column, value): (&ColumnId, &Option<SmolStr>)| {
        let in_key = image.key.columns.iter().position(|known| known == column);
        let held = if let Some(at) = in_key {
            image.key.values.get(at)?.clone()?
        } else {
            let mut members = image.object.iter();
            let is_it =
                |member: &&Member<'_>| member.field.column(image.table) == Some((*column, true));
            Value::of(members.find(is_it)?.node).plain().trim().into()
        };
        let is_alike =
            |value: &SmolStr| held == *value || held.to_lowercase() == value.to_lowercase();
        Some(value.as_ref().is_some_and(is_alike))
    };
    let mut shown = own.columns.iter().zip(&own.values).map(is_shown);
    // one part that is another one is enough, and one that is not shown leaves it open
    let first = shown.find(|shown| *shown != Some(true));
    match first {
        None => Some(true),
        Some(Some(_)) => Some(false),
        Some(None) => shown.any(|shown| shown == Some(false)).then_some(false),
    }
}

/// Whether an object holds one of the values that the call was given.
fn holds_one_of(node: Node<'_>, given: &Values) -> bool {
    let mut holds = false;
    crate::compare::value::each_leaf(node, |leaf| holds = holds || given.has(&Value::of(leaf)));
    holds
}

/// Whether a member of the answer is just this word.
fn answers_with(call: &Call, word: &str) -> bool {
    let answer = answer_data(call).and_then(|json| json.root().as_object());
    let mut members = answer.into_iter().flatten();
    members.any(|(_, node)| {
        node.as_str()
            .is_some_and(|text| text.eq_ignore_ascii_case(word))
    })
}

/// The answer as data.
pub(crate) fn answer_data(call: &Call) -> Option<&Json> {
    match &call.answer {
        Some(Answer::Json(json)) => Some(json),
        _ => None,
    }
}
