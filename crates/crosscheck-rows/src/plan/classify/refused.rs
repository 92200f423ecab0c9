//! Whether an answer may say that nothing was done, in words that no rule
//! knows for certain, or not yet. Such a call is looked for like any other, and what the
//! database lacks of it is never held against the agent.

use std::sync::OnceLock;

use crosscheck_core::json::{Node, Value};
use serde::Deserialize;

use crate::compare::value::each_leaf;
use crate::plan::field::{Field, Tool, Vocabulary};
use crate::plan::model::TableId;
use crate::plan::words::{List, words};
use crate::read::{Answer, Call};

/// Longer texts speak of many things.
const SHORT: usize = 300;
/// At most this many objects inside each other are looked into.
const DEPTH: usize = 3;
/// A list of more things is a list of rows.
const FEW: usize = 4;

/// What refusals are made of; `refused.json` lists it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Signs {
    /// Words of a short text.
    words: List,
    /// The same in languages that put no blanks between words.
    parts: Vec<String>,
    /// Phrases with such words that mean the opposite.
    harmless: Vec<String>,
    /// Fields with a state, and those with a text for people.
    state_fields: List,
    text_fields: List,
    /// Fields that are false or 0 when nothing was done.
    truths: List,
    /// Words of fields that are empty when all went well.
    faults: List,
    /// What an answer may have an id of that is not the row.
    jobs: List,
    /// What there may be none of.
    counted: List,
    /// What is put off until later.
    deferred: List,
    /// What may be put off, where a text says so.
    deeds: List,
    /// Words that are only between the others.
    fillers: List,
}

fn signs() -> &'static Signs {
    static SIGNS: OnceLock<Signs> = OnceLock::new();
    // a test reads the file; were it broken, no sign would be known
    SIGNS.get_or_init(|| serde_json::from_str(include_str!("refused.json")).unwrap_or_default())
}

/// Whether the answer of a call may be a refusal.
pub(super) fn perhaps(vocabulary: &mut Vocabulary, call: &Call, tool: &Tool) -> bool {
    let asked = Asked { call, tool };
    // a deletion has nothing to show
    let wants_words = tool.verb.says != super::Says::Delete;
    match &call.answer {
        Some(Answer::Text(text)) => {
            let count = text.trim().parse::<f64>();
            (wants_words && text.trim().is_empty())
                || count.is_ok_and(|count| count <= 0.0)
                || asked.refuses(text)
        }
        Some(Answer::Json(json)) => {
            let is_nothing = super::failed::is_empty(json.root());
            (wants_words && is_nothing) || asked.says_no(vocabulary, json.root(), DEPTH)
        }
        Some(Answer::Nothing) | None => false,
    }
}

/// What was asked for: an answer that repeats it refuses nothing.
struct Asked<'c> {
    call: &'c Call,
    tool: &'c Tool,
}

/// What an object of an answer shows.
struct Shown {
    /// Whether it has the id of a row.
    is_row: bool,
    /// How many columns of the row it has beside ids.
    columns: usize,
    tables: Vec<TableId>,
}

impl Shown {
    fn has(&self, field: &Field) -> bool {
        let mut tables = self.tables.iter();
        !field.name.ends_in_id && tables.any(|table| field.column(*table).is_some())
    }
}

impl Asked<'_> {
    fn says_no(&self, vocabulary: &mut Vocabulary, node: Node<'_>, depth: usize) -> bool {
        match node.value() {
            Value::Bool(truth) => !truth,
            Value::String(text) => self.refuses(&text.to_str_lossy()),
            Value::Array(items) => {
                let items: Vec<Node<'_>> = items.take(FEW + 1).collect();
                let mut some = items.iter();
                items.len() <= FEW
                    && depth > 0
                    && some.any(|item| self.says_no(vocabulary, *item, depth - 1))
            }
            Value::Object(members) => {
                let shown = self.shown(vocabulary, node);
                let mut is_only_a_job = !members.is_empty();
                let mut members = members.into_iter();
                let says_no = members.any(|(name, value)| {
                    let field = vocabulary.member(name);
                    is_only_a_job &= self.is_job(&field);
                    let is_inside = field.is_envelope() || !shown.is_row;
                    if value.as_object().is_some() || value.as_array().is_some() {
                        let is_fault = field.name.words.iter().any(|w| signs().faults.has(w));
                        let is_empty = super::failed::is_empty(value);
                        return (is_fault && !is_empty && !shown.is_row)
                            || words().dry.has(&field.name.joined)
                            || is_inside
                                && depth > 0
                                && self.says_no(vocabulary, value, depth - 1);
                    }
                    self.member_says_no(&field, value, &shown)
                });
                says_no || (is_only_a_job && shown.columns == 0)
            }
            Value::Null | Value::Number(_) => false,
        }
    }

    fn shown(&self, vocabulary: &mut Vocabulary, node: Node<'_>) -> Shown {
        let mut shown = Shown {
            is_row: false,
            columns: 0,
            tables: self.tool.tables().map(|(table, _)| table).collect(),
        };
        let members = || node.as_object().into_iter().flatten();
        for (name, _) in members() {
            let field = vocabulary.member(name);
            // the id of a job is not that of the row, unless jobs are meant
            if field.name.ends_in_id && !self.is_job(&field) {
                shown.is_row = true;
                shown.tables.extend(&field.ids);
            }
        }
        let fields = members().map(|(name, _)| vocabulary.member(name));
        shown.columns = fields.filter(|field| shown.has(field)).count();
        shown
    }

    /// What one value of an object says. A row may hold any state and any text.
    fn member_says_no(&self, field: &Field, value: Node<'_>, shown: &Shown) -> bool {
        let (name, last) = (&field.name.words, field.name.last());
        let is_column = shown.has(field);
        let text = value.as_js().map(|text| text.to_str_lossy().to_lowercase());
        let text = text.as_deref().map_or("", str::trim);
        let is_set = !super::failed::is_empty(value);
        let may_defer = shown.columns == 0 || value.as_bool() == Some(true);
        let is_deferred =
            (may_defer && self.defers(field, value)) || takes_effect_later(field, text);
        if is_set && !is_column && is_deferred {
            return true;
        }
        let is_truth = name.iter().any(|word| signs().truths.has(word));
        let is_no = value.as_bool() == Some(false) || matches!(text, "false" | "no" | "n" | "off");
        if shown.is_row {
            let is_alone = shown.columns == 0 || (shown.columns == 1 && is_column);
            let is_state = is_alone && signs().state_fields.has(last);
            return (is_no && !is_column && is_truth)
                || (matches!(last, "message" | "msg") && self.refuses(text))
                || (is_state && self.waits(text));
        }
        if is_column && shown.columns > 1 {
            return false;
        }
        let number = value.as_f64();
        let is_code = matches!(last, "code" | "status")
            && number.is_some_and(|code| (400.0..600.0).contains(&code));
        let is_fault = name.iter().any(|word| signs().faults.has(word));
        let is_fine = matches!(text, "0" | "ok" | "none" | "null" | "success" | "false");
        let state = text.replace(['_', '-', '.', ':'], " ");
        let tells = signs().state_fields.has(last) || signs().text_fields.has(last);
        (is_truth && (is_no || number == Some(0.0) || text == "0"))
            || is_code
            || (is_fault && is_set && !is_fine)
            || words().dry.has(&field.name.joined) && is_set
            || (last == "code" && state.starts_with("e "))
            || (tells && !self.was_given(text) && self.refuses(&state))
    }

    fn is_job(&self, field: &Field) -> bool {
        let first = field.name.first();
        signs().jobs.has(first) && !self.is_asked_for(first)
    }

    /// A member that puts the work off: `queued: true`, `scheduled_for: "…"`.
    fn defers(&self, field: &Field, value: Node<'_>) -> bool {
        let mut rest = field.name.words.iter();
        let mut rest = rest.by_ref().filter(|word| !signs().fillers.has(word));
        let is_one = value.as_object().is_none() && value.as_array().is_none();
        match (rest.next(), rest.next()) {
            (Some(word), None) => is_one && signs().deferred.has(word) && !self.is_asked_for(word),
            _ => false,
        }
    }

    /// A state in which somebody must still agree: `pending_approval`, `awaiting review`.
    fn waits(&self, state: &str) -> bool {
        let mut words = state.split(|c: char| !c.is_alphanumeric());
        let waits = words.any(|word| {
            matches!(word, "awaiting" | "approval" | "review" | "confirmation")
                && !self.is_asked_for(word)
        });
        waits && !self.was_given(state)
    }

    fn refuses(&self, text: &str) -> bool {
        if text.chars().nth(SHORT).is_some() || self.was_given(text) {
            return false;
        }
        let mut lower = text.to_lowercase();
        for phrase in &signs().harmless {
            lower = lower.replace(phrase.as_str(), " ");
        }
        let mut parts = signs().parts.iter();
        if parts.any(|part| lower.contains(part.as_str())) {
            return true;
        }
        let between = |c: char| !(c.is_alphanumeric() || c == '\'');
        let said: Vec<&str> = lower
            .split(between)
            .filter(|word| !word.is_empty())
            .collect();
        let refuses = said.iter().enumerate().any(|(at, word)| {
            // order no. 5
            let counts = |next: &&str| next.starts_with(|c: char| c.is_ascii_digit());
            let is_number = *word == "no" && said.get(at + 1).is_some_and(counts);
            let is_counted = |next: &&str| signs().counted.has(next);
            let is_none = *word == "0" && said.get(at + 1).is_some_and(is_counted);
            is_none || (signs().words.has(word) && !is_number && !self.is_asked_for(word))
        });
        // `UPDATE 0`, and `will be deleted in 30 days`
        let is_tag = matches!(said[..], ["update" | "delete", "0"] | ["insert", _, "0"]);
        let is_to_come = said
            .windows(3)
            .any(|words| matches!(words, ["will", "be", deed] if self.is_asked_for(deed)));
        refuses || is_tag || is_to_come || self.puts_off(&said)
    }

    /// Whether a text says that the work is put off: by its first word, or of
    /// a deed, and not of what the tool is about.
    fn puts_off(&self, said: &[&str]) -> bool {
        let mut before = None;
        for word in said.iter().copied() {
            if signs().fillers.has(word) || word.bytes().all(|byte| byte.is_ascii_digit()) {
                continue;
            }
            let is_meant = before.is_none_or(|before| signs().deeds.has(before));
            let is_asked = self.is_asked_for(word) || self.was_given(word);
            if is_meant && signs().deferred.has(word) && !is_asked {
                return true;
            }
            before = Some(word);
        }
        false
    }

    /// Whether a word says what the tool does: `reject_claim` leaves it rejected.
    fn is_asked_for(&self, word: &str) -> bool {
        self.tool.words.iter().any(|own| {
            let stem = own.strip_suffix('e').unwrap_or(own);
            stem.len() >= 3 && word.starts_with(stem)
        })
    }

    /// Whether an argument is this very text.
    fn was_given(&self, text: &str) -> bool {
        let Ok(arguments) = &self.call.arguments else {
            return false;
        };
        let mut was_given = false;
        each_leaf(arguments.root(), |leaf| {
            let is_it = |own: crosscheck_core::text::JsStr<'_>| {
                own.to_str_lossy().trim().eq_ignore_ascii_case(text.trim())
            };
            was_given = was_given || leaf.as_js().is_some_and(is_it);
        });
        was_given
    }
}

/// `effective_on: "…"`, `at_period_end: true`, `when: "end_of_period"`.
fn takes_effect_later(field: &Field, text: &str) -> bool {
    let ends_a_period =
        |words: &str| words.contains("period_end") || words.contains("end_of_period");
    field.name.first() == "effective" || ends_a_period(&field.name.joined) || ends_a_period(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::testing::{call, vocabulary};

    fn doubts(tool: &str, arguments: &str, answer: &str) -> bool {
        let line = format!(r#"{{"tool":"{tool}","params":{arguments},"result":{answer}}}"#);
        let mut vocabulary = vocabulary(&["orders: id* text, status text, total int"]);
        let tool = vocabulary.tool(tool);
        perhaps(&mut vocabulary, &call(&line), &tool)
    }

    #[test]
    fn the_signs_can_be_read() {
        let read: Result<Signs, _> = serde_json::from_str(include_str!("refused.json"));
        assert!(read.unwrap().words.has("not"));
    }

    #[test]
    fn an_answer_that_may_be_a_refusal_is_noticed() {
        for answer in [
            "false",
            r#""Order o-1 is locked""#,
            r#""Insufficient stock for this item""#,
            r#""The payment wasn't accepted""#,
            r#""Your request has been queued for approval""#,
            r#""Bestellung wurde nicht geändert""#,
            r#""操作失败""#,
            r#"[false, "x"]"#,
            r#"["error", "x"]"#,
            r#"{"updated": 0}"#,
            r#"{"updated": false}"#,
            r#"{"success": "false"}"#,
            r#"{"ok": 0}"#,
            r#"{"nModified": 0}"#,
            r#"{"status": "rejected"}"#,
            r#"{"result": "not_found"}"#,
            r#"{"code": 409, "reason": "x"}"#,
            r#"{"message": "You must confirm first"}"#,
            r#"{"order_id": "o-1", "message": "Order was not changed"}"#,
            r#"{"data": {"orderUpdate": {"order": null, "userErrors": [{"field": "x"}]}}}"#,
            r#"{"result": {"success": 0}}"#,
            r#"{"error_code": "E42"}"#,
            r#"{"validation_errors": ["x"]}"#,
            r#""[Request interrupted by user for tool use]""#,
            r#""Tool execution was cancelled by the user""#,
            r#""0 rows updated""#,
            r#"{"status": "pending_approval", "approval_id": "a1"}"#,
            r#"{"status": "queued", "job_id": "j1"}"#,
            r#"{"result": {"error": "no"}}"#,
            r#"{"outcome": "denied", "reason": "policy"}"#,
            r#"{"changes": 0}"#,
            r#"{"preview": {"id": "o-1", "status": "shipped"}}"#,
            "{}",
            "[]",
            "0",
            "-1",
            r#"{"accepted": true}"#,
            r#"{"queued": true}"#,
            r#"{"total": 5, "queued": true}"#,
            r#"{"order_id": "o-1", "applied": false}"#,
            r#"{"order_id": "o-1", "status": "pending_approval"}"#,
            r#"{"order_id": "o-1", "total": 5, "effective_on": "2026-12-01"}"#,
            r#""The new total takes effect on 2026-12-01.""#,
            r#""Order o-1 will be updated within the hour.""#,
            r#""UPDATE 0""#,
            r#"{"isQueued": true, "order_id": "o-1"}"#,
            r#"{"accepted": true, "task": "t1"}"#,
            r#"{"scheduled_for": "2026-12-01"}"#,
            r#"{"status": "accepted"}"#,
            r#"{"state": "in progress"}"#,
            r#"{"task_id": "t1"}"#,
            r#"{"jobId": "j1"}"#,
            r#"{"code": "E_LOCKED"}"#,
            r#"{"code": "not-allowed"}"#,
            r#""Accepted""#,
            r#""202 Accepted""#,
            r#""Scheduled for tomorrow""#,
            r#""Your request has been submitted""#,
            r#""Update scheduled for 2026-12-01""#,
        ] {
            let arguments = r#"{"order_id":"o-1","status":"shipped"}"#;
            assert!(doubts("update_order", arguments, answer), "{answer}");
        }
    }

    #[test]
    fn an_answer_that_says_what_was_done_is_taken_at_its_word() {
        for (tool, answer) in [
            ("update_order", "true"),
            ("update_order", r#""Order no. 5 updated""#),
            ("update_order", r#""Saved, no errors""#),
            ("update_order", r#""ok""#),
            ("update_order", r#"{"status": "shipped"}"#),
            (
                "update_order",
                r#"{"updated": 1, "errors": [], "error_code": "0"}"#,
            ),
            (
                "update_order",
                r#"{"id": "o-1", "status": "rejected", "paid": false}"#,
            ),
            (
                "update_order",
                r#"{"id": "o-1", "address": {"note": "not here"}}"#,
            ),
            (
                "update_order",
                r#"{"id": "o-1", "description": "not a toy", "count": 0}"#,
            ),
            (
                "update_order",
                r#"{"data": {"order_id": "o-1", "deleted": 0}}"#,
            ),
            ("reject_order", r#"{"status": "rejected"}"#),
            ("decline_order", r#""Order declined""#),
            ("lock_order", r#""Order locked""#),
            ("update_order", r#"{"note": "Do not bend"}"#),
            ("accept_order", r#"{"accepted": true}"#),
            ("schedule_order", r#"{"scheduled_for": "2026-12-01"}"#),
            ("submit_order", r#""Submitted""#),
            ("update_order", r#""Order accepted""#),
            (
                "update_order",
                r#"{"status": "accepted", "total": 5, "accepted_at": "2026-12-01"}"#,
            ),
            ("update_order", r#"{"processing_fee": 5}"#),
            (
                "update_order",
                r#"{"order_id": "o-1", "status": "pending"}"#,
            ),
            (
                "approve_order",
                r#"{"order_id": "o-1", "status": "approval given"}"#,
            ),
            ("update_order", r#"{"pending": 0}"#),
            ("update_order", r#"{"code": "OK"}"#),
            ("run_job", r#"{"job_id": "j1"}"#),
            ("update_order", "1"),
        ] {
            let arguments = r#"{"order_id":"o-1","note":"Do not bend"}"#;
            assert!(!doubts(tool, arguments, answer), "{tool} {answer}");
        }
    }
}
