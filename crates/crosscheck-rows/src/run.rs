//! One run: calls come in order, are planned, looked up in parts, and kept
//! with what was seen until the last one is known.

pub(crate) mod calls;
mod children;
mod hints;
pub(crate) mod order;
mod said;
mod spelling;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use calls::Calls;
use crosscheck_core::Json;
use hints::Hints;
use smol_str::SmolStr;

use crate::compare::value::{Print, Prints, Value};
use crate::fact::{RowId, RowSeen, TargetId};
use crate::judge::seen::{Raw, SeenCall};
use crate::judge::time::{Deed, Place, Timeline};
use crate::look::{Columns, Questions, Shape};
use crate::observe::Source;
use crate::observe::ends::Claimed;
use crate::observe::source::Key;
use crate::plan::call::answer_data;
use crate::plan::classify::{self, Class};
use crate::plan::means::means;
use crate::plan::words::words;
use crate::plan::{ColumnId, Looked, Model, Planned, Planner, Subject, TableId, Target};
use crate::read::Call;

/// At most this many calls are looked up together.
const PART: usize = 2_000;

/// Fewer where what they claim is longer than this, in bytes.
const PART_BYTES: usize = 4 * 1024 * 1024;

/// At most this many judged calls stay in memory…
const HERE: usize = 20_000;
/// …or so many bytes of what they claim and of what was found.
const HERE_BYTES: usize = 16 * 1024 * 1024;

/// What a fact may be about, each with a number.
#[derive(Debug, Default)]
pub(crate) struct Targets {
    numbers: HashMap<(TableId, Target), TargetId, foldhash::fast::RandomState>,
    all: Vec<(TableId, Target)>,
}

impl Targets {
    fn number(&mut self, table: TableId, target: &Target) -> TargetId {
        let name = (table, target.clone());
        if let Some(number) = self.numbers.get(&name) {
            return *number;
        }
        let number = TargetId(u32::try_from(self.all.len()).unwrap_or(u32::MAX));
        self.all.push(name.clone());
        self.numbers.insert(name, number);
        number
    }

    pub(crate) fn get(&self, number: TargetId) -> &(TableId, Target) {
        // targets are numbered by this very list
        #[expect(clippy::indexing_slicing, reason = "see above")]
        &self.all[number.0 as usize]
    }
}

/// How many calls there were of each kind that is not judged.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) total: u32,
    pub(crate) reads: usize,
    pub(crate) failed: usize,
    pub(crate) ignored: usize,
}

/// A row that a read showed, with its key where it holds something else.
type RowRead = (RowId, Option<Box<[Print]>>);

/// Everything that is known after the logs were read.
pub(crate) struct Known {
    pub(crate) planner: Planner,
    pub(crate) calls: Calls,
    pub(crate) counts: Counts,
    pub(crate) time: Timeline,
    pub(crate) targets: Targets,
    /// By what reads showed, their rows, with the key of those that hold something else.
    read: HashMap<TargetId, Vec<RowRead>, foldhash::fast::RandomState>,
    /// What reads of rows that no call writes mostly disagree with (rows 10.2).
    pub(crate) misread: HashSet<TargetId, foldhash::fast::RandomState>,
    pub(crate) prints: Prints,
    /// Whether any call of the logs was answered.
    pub(crate) has_answers: bool,
    /// What other calls there were, by tool, where that is asked for.
    pub(crate) others: BTreeMap<SmolStr, BTreeMap<&'static str, usize>>,
    /// Calls of shell and file tools that are not judged, by tool.
    pub(crate) elsewhere: BTreeMap<SmolStr, usize>,
    /// How many calls make the same claim without a key.
    pub(crate) same_claims: HashMap<(TableId, SmolStr), usize>,
    /// Columns whose values decide about an absence.
    pub(crate) deciding: BTreeSet<(TableId, ColumnId)>,
}

impl Known {
    pub(crate) fn model(&self) -> &Model {
        self.planner.model()
    }

    /// Finds the columns that do not mean what their names say.
    fn calibrate(&mut self) {
        for (target, shown) in std::mem::take(&mut self.read) {
            let is_written = |row: RowId| {
                let mut deeds = [Deed::Writes, Deed::Deletes].into_iter();
                deeds.any(|deed| self.time.has_done(Place::Row(row), deed))
            };
            // a call that holds its key may have changed it in passing
            let is_mentioned = |key: &[Print]| {
                let mut places = key.iter().map(|print| Place::Value(*print));
                places.all(|place| self.time.has_done(place, Deed::Mentions))
            };
            let untouched = || shown.iter().filter(|(row, _)| !is_written(*row));
            let held = untouched().filter(|(_, other)| other.is_none()).count();
            let others = untouched().filter_map(|(_, other)| other.as_deref());
            if others.filter(|key| !is_mentioned(key)).count() > held {
                self.misread.insert(target);
            }
        }
    }

    /// Keeps a call that was looked up.
    fn keep(&mut self, call: SeenCall) {
        for subject in &call.subjects {
            self.note_deciding(subject);
        }
        self.calls.push(call);
    }

    fn note_deciding(&mut self, subject: &Subject) {
        if subject.key_from.is_literal() {
            return;
        }
        if subject.looked == Looked::Row && matches!(subject.seen, RowSeen::None) {
            let key = subject.key.iter();
            self.deciding
                .extend(key.map(|(column, _)| (subject.table, *column)));
        }
    }
}

pub(crate) struct Run<'s> {
    source: &'s mut dyn Source,
    known: Known,
    waiting: Vec<Waiting>,
    /// How many bytes the waiting calls claim.
    waiting_bytes: usize,
    /// How many calls are judged, those included that are still looked up.
    judged: u32,
    /// Whether what the log says is kept, to learn from it.
    learns: bool,
    /// Where claims and arguments are written.
    text: String,
    /// What the calls so far claim, at the longest.
    claimed: Claimed,
}

/// A call whose rows are looked up.
struct Waiting {
    call: SeenCall,
    /// The ids that it holds, or what a call without a row hints at.
    hints: Hints,
    sql: Option<String>,
}

impl<'s> Run<'s> {
    pub(crate) fn new(source: &'s mut dyn Source, planner: Planner, learns: bool) -> Self {
        Self {
            source,
            known: Known {
                planner,
                calls: Calls::new(HERE, HERE_BYTES),
                counts: Counts::default(),
                time: Timeline::default(),
                targets: Targets::default(),
                read: HashMap::default(),
                misread: HashSet::default(),
                prints: Prints::default(),
                has_answers: false,
                others: BTreeMap::new(),
                elsewhere: BTreeMap::new(),
                same_claims: HashMap::new(),
                deciding: BTreeSet::new(),
            },
            waiting: Vec::new(),
            waiting_bytes: 0,
            judged: 0,
            learns,
            text: String::new(),
            claimed: Claimed::default(),
        }
    }

    /// Plans the next calls and looks up what they are about.
    pub(crate) fn take(&mut self, calls: Vec<Call>) {
        for call in calls {
            self.plan(call);
            if self.waiting.len() >= PART || self.waiting_bytes >= PART_BYTES {
                self.settle();
            }
        }
    }

    /// The logs have ended.
    pub(crate) fn finish(mut self) -> Known {
        self.settle();
        self.known.calibrate();
        self.known
    }

    fn plan(&mut self, call: Call) {
        let known = &mut self.known;
        known.counts.total += 1;
        known.has_answers |= call.answer.is_some();
        let planned = known.planner.plan(&call);
        self.measure(&planned.subjects);
        self.count(&planned);
        let is_judged = planned.classified.class.is_judged();
        if !is_judged && planned.subjects.is_empty() {
            return;
        }
        let (arguments, answer) = (call.arguments.as_ref().ok(), answer_data(&call));
        let (mut hints, mut sql, mut said) = (Hints::default(), None, Box::default());
        if is_judged {
            let known = &mut self.known;
            let vocabulary = &mut known.planner.vocabulary;
            hints = Hints::of(vocabulary, &known.prints, &call, &planned);
            let runs = || classify::runs_a_command(&call, &planned.tool);
            let text = arguments.filter(|_| planned.classified.carries_sql || runs());
            let text = text.map(|text| crosscheck_core::canonical::of_node(text.root()));
            sql = text.map(|text| text.to_lowercase());
            said = said::line(vocabulary, &mut self.text, arguments, &planned.tool);
        }
        let kept = |json: &Json| Raw(Arc::new(json.clone()));
        let raw = arguments.filter(|_| self.learns && is_judged);
        let raw = raw.map(|arguments| Box::new((kept(arguments), answer.map(kept))));
        let Planned {
            tool,
            classified,
            subjects,
            reason,
            uncompared,
        } = planned;
        let call = SeenCall {
            index: self.known.counts.total,
            is_answered: call.answer.is_some(),
            id: call.id.map(String::into_boxed_str),
            tool,
            class: classified.class,
            class_from: classified.from,
            may_be_refused: classified.may_be_refused,
            step: call.step,
            place: call.place,
            said,
            subjects,
            reason: reason.map(Box::new),
            raw,
            uncompared: uncompared.into(),
        };
        self.waiting.push(Waiting { call, hints, sql });
    }

    /// Notes how long what a call claims is.
    fn measure(&mut self, subjects: &[Subject]) {
        let mut add = |value: &Value, may_be_json: bool| {
            let length = value.length();
            self.claimed.add(length);
            self.claimed.has_json |= may_be_json && matches!(value, Value::Json(_));
            self.waiting_bytes += length;
        };
        for fact in subjects.iter().flat_map(|one| &one.facts) {
            fact.asked.iter().for_each(|asked| add(&asked.0, false));
            fact.claim.any(|value| {
                add(value, true);
                false
            });
        }
    }

    /// Counts a call that is not judged.
    fn count(&mut self, planned: &Planned) {
        let (known, class) = (&mut self.known, planned.classified.class);
        let name = || planned.tool.name.clone();
        match class {
            Class::Read => known.counts.reads += 1,
            Class::Failed => known.counts.failed += 1,
            Class::Ignored => known.counts.ignored += 1,
            Class::Write | Class::Delete | Class::Unknown => return,
        }
        if planned.classified.works_elsewhere {
            *known.elsewhere.entry(name()).or_default() += 1;
        }
        if self.learns {
            let counts = known.others.entry(name()).or_default();
            *counts.entry(class.word()).or_default() += 1;
        }
    }

    /// Looks up what the waiting calls are about, and puts them in order.
    fn settle(&mut self) {
        let mut waiting = std::mem::take(&mut self.waiting);
        self.waiting_bytes = 0;
        self.look_up(&mut waiting);
        self.look_again(&mut waiting);
        let first = self.judged;
        for call in &mut waiting {
            self.in_order(call);
        }
        self.compare(&mut waiting, first);
        for Waiting { call, .. } in waiting.drain(..) {
            if call.class.is_judged() {
                self.known.keep(call);
            }
        }
        // so much is needed for the next calls, too
        self.waiting = waiting;
    }

    fn look_up(&mut self, waiting: &mut [Waiting]) {
        let model = self.known.model();
        let mut questions = Questions::default();
        let is_by_key = |subject: &&Subject| subject.looked.is_by_key();
        let subjects = waiting.iter().flat_map(|waiting| &waiting.call.subjects);
        for subject in subjects.filter(is_by_key) {
            let shape = Shape {
                table: subject.table,
                key: subject.key.iter().map(|(column, _)| *column).collect(),
                fields: Self::fields(model, subject),
            };
            let key: Key = subject.key.iter().map(|(_, value)| value.clone()).collect();
            questions.add(shape, key);
        }
        let rows = questions.rows(self.source, self.known.planner.model(), self.claimed);
        let subjects = waiting
            .iter_mut()
            .flat_map(|waiting| &mut waiting.call.subjects);
        let by_key = subjects.filter(|subject| subject.looked.is_by_key());
        for (subject, (seen, cells)) in by_key.zip(rows) {
            (subject.seen, subject.cells) = (seen, cells);
        }
    }

    /// The columns that are needed of a row.
    fn fields(model: &Model, subject: &Subject) -> Columns {
        let table = model.table(subject.table);
        let mut fields: Columns = table.primary().iter().copied().collect();
        for fact in &subject.facts {
            match &fact.about {
                Target::Column(column) => fields.push(*column),
                Target::Beside { child, .. }
                | Target::Rows { child }
                | Target::List { child, .. } => {
                    fields.extend(
                        table
                            .children
                            .get(*child)
                            .into_iter()
                            .flat_map(|child| child.parent.iter().copied()),
                    );
                }
                Target::Named { .. } => {}
            }
        }
        let foreign = table.column_ids().filter(|(_, column)| column.is_foreign);
        fields.extend(foreign.map(|(id, _)| id));
        if subject.looked == Looked::Absence {
            let tells = table.column_ids().filter(|(_, column)| {
                let last = column.name.last();
                words().soft_delete.has(&column.name.joined)
                    || matches!(last, "status" | "state")
                    || means().may_mark(&column.name)
            });
            fields.extend(tells.map(|(id, _)| id));
        }
        fields.sort_unstable();
        fields.dedup();
        fields
    }
}
