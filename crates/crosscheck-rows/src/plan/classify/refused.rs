//! Whether an answer may say that nothing was done, in words that no rule
//! knows for certain, or not yet. Such a call is looked for like any other, and what the
//! database lacks of it is never held against the agent.

use std::sync::{Arc, OnceLock};

use crosscheck_core::json::{Node, Value};
use serde::Deserialize;
use smallvec::SmallVec;

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
    /// What a field of `state_fields` may hold.
    states: List,
    state_fields: List,
    /// Fields with a text for people.
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
    if call.answer.is_some() && asked.is_for_later(vocabulary) {
        return true;
    }
    match &call.answer {
        Some(Answer::Text(text)) => {
            let count = text.trim().parse::<f64>();
            (wants_words && text.trim().is_empty())
                || count.is_ok_and(|count| count <= 0.0)
                || asked.refuses(text)
        }
        Some(Answer::Json(json)) => {
            (wants_words && is_nothing(json.root()))
                || asked.says_no(vocabulary, json.root(), DEPTH)
        }
        Some(Answer::Nothing) | None => false,
    }
}

/// What was asked for: an answer that repeats it refuses nothing.
struct Asked<'c> {
    call: &'c Call,
    tool: &'c Tool,
}

impl Asked<'_> {
    /// Whether an argument says when the change is to take effect, and is no column itself.
    fn is_for_later(&self, vocabulary: &mut Vocabulary) -> bool {
        let arguments = self.call.arguments.as_ref().ok();
        let mut members = arguments
            .and_then(|all| all.root().as_object())
            .into_iter()
            .flatten();
        members.any(|(name, value)| {
            let field = vocabulary.member(name);
            let mut tables = self.tool.tables();
            takes_effect_later(&field, value)
                && !tables.any(|(table, _)| field.column(table).is_some())
        })
    }

    fn says_no(&self, vocabulary: &mut Vocabulary, node: Node<'_>, depth: usize) -> bool {
        match node.value() {
            Value::Bool(truth) => !truth,
            Value::String(text) => self.refuses(&text.to_str_lossy()),
            Value::Array(items) => {
                let items: Vec<Node<'_>> = items.take(FEW + 1).collect();
                let mut some = items.iter();
                let mut says_no = |item: &Node<'_>| self.says_no(vocabulary, *item, depth - 1);
                items.len() <= FEW && depth > 0 && some.any(&mut says_no)
            }
            Value::Object(_) => self.object_says_no(vocabulary, node, depth),
            Value::Null | Value::Number(_) => false,
        }
    }

    fn object_says_no(&self, vocabulary: &mut Vocabulary, node: Node<'_>, depth: usize) -> bool {
        let Some(mut members) = node.as_object() else {
            return false;
        };
        let fields: SmallVec<[Arc<Field>; 16]> = node
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| vocabulary.member(name))
            .collect();
        // the id of a job is not that of the row, unless jobs are meant
        let ids = || {
            let ids = fields.iter().filter(|field| field.name.ends_in_id);
            ids.filter(|field| !self.is_job(field))
        };
        let is_row = ids().next().is_some();
        let mut tables: Vec<TableId> = self.tool.tables().map(|(table, _)| table).collect();
        tables.extend(ids().flat_map(|field| &field.ids));
        // a column of the row, beside the ids that say which one is meant
        let is_shown = |field: &Field| {
            let mut tables = tables.iter();
            !field.name.ends_in_id && tables.any(|table| field.column(*table).is_some())
        };
        let shown = fields.iter().filter(|field| is_shown(field)).count();
        let is_job = |field: &Arc<Field>| self.is_other_job(field);
        if shown == 0 && !fields.is_empty() && fields.iter().all(is_job) {
            return true;
        }
        members.any(|(name, value)| {
            let field = vocabulary.member(name);
            let (name, last) = (&field.name.words, field.name.last());
            let is_fault = || name.iter().any(|word| signs().faults.has(word));
            let is_flag = value.as_bool() == Some(true) && !is_shown(&field);
            if (shown == 0 || is_flag) && self.defers(&field, value) {
                return true;
            }
            if !is_shown(&field) && takes_effect_later(&field, value) {
                return true;
            }
            if let Some(text) = value.as_js() {
                // a row may hold any state and any text
                let text = text.to_str_lossy();
                if is_row {
                    let is_alone = shown == 0 || (shown == 1 && is_shown(&field));
                    return matches!(last, "message" | "msg") && self.refuses(&text)
                        || is_alone && signs().state_fields.has(last) && self.waits(&text);
                }
                let lower = text.trim().to_lowercase();
                let is_state = signs().state_fields.has(last)
                    && (shown == 0 || !is_deferral(&lower) || (shown == 1 && is_shown(&field)));
                return (is_state && self.is_refusal_state(&lower))
                    || (last == "code" && shown == 0 && self.is_refusal_code(&lower))
                    || (signs().truths.has(last) && is_no(&lower))
                    || (signs().text_fields.has(last) && self.refuses(&text))
                    || (is_fault() && !is_fine(&lower));
            }
            if words().dry.has(&field.name.joined) && !super::failed::is_empty(value) {
                return true;
            }
            let is_one = value.as_object().is_none() && value.as_array().is_none();
            let is_inside = words().envelope.has(&field.name.joined) && !is_one;
            if is_inside || (!is_row && value.as_object().is_some()) {
                return depth > 0 && self.says_no(vocabulary, value, depth - 1);
            }
            let is_truth = || name.iter().any(|word| signs().truths.has(word));
            if is_row {
                return value.as_bool() == Some(false) && !is_shown(&field) && is_truth();
            }
            let is_nothing = value.as_bool() == Some(false) || value.as_f64() == Some(0.0);
            let is_code = matches!(last, "code" | "status");
            let code = value.as_f64().unwrap_or_default();
            (is_nothing && is_truth())
                || (is_code && (400.0..600.0).contains(&code))
                || (is_fault() && !super::failed::is_empty(value))
        })
    }

    fn is_job(&self, field: &Field) -> bool {
        let first = field.name.first();
        signs().jobs.has(first) && !self.is_asked_for(first)
    }

    /// A job that is to do the work, and no row of the table that is meant.
    fn is_other_job(&self, field: &Field) -> bool {
        let mut meant = self.tool.tables();
        self.is_job(field)
            && (field.ids.is_empty() || meant.any(|(table, _)| !field.ids.contains(&table)))
    }

    /// A member that puts the work off: `queued: true`, `scheduled_for: "…"`.
    fn defers(&self, field: &Field, value: Node<'_>) -> bool {
        let is_time = |word: &str| {
            matches!(
                word,
                "is" | "for" | "at" | "on" | "until" | "by" | "date" | "time"
            )
        };
        let mut rest = field.name.words.iter().filter(|word| !is_time(word));
        let is_one = value.as_object().is_none() && value.as_array().is_none();
        match (rest.next(), rest.next()) {
            (Some(word), None) => {
                is_one
                    && signs().deferred.has(word)
                    && !self.is_asked_for(word)
                    && !super::failed::is_empty(value)
            }
            _ => false,
        }
    }

    /// A state in which somebody must still agree: `pending_approval`, `awaiting review`.
    fn waits(&self, state: &str) -> bool {
        let state = state.trim().to_lowercase();
        let mut words = state.split(|c: char| !c.is_alphanumeric());
        let waits = words.any(|word| {
            matches!(word, "awaiting" | "approval" | "review" | "confirmation")
                && !self.is_asked_for(word)
        });
        waits && !self.was_given(&state)
    }

    /// A code that speaks of an error: `E_LOCKED`, `not-allowed`.
    fn is_refusal_code(&self, code: &str) -> bool {
        let words = code.replace(['_', '-', '.', ':'], " ");
        let first = words.split(' ').next();
        !self.was_given(code)
            && (matches!(first, Some("e" | "err" | "error")) || self.refuses(&words))
    }

    /// Whether a text says that the work is put off: by its first word, or of
    /// a deed, and not of what the tool is about.
    fn puts_off(&self, said: &[&str]) -> bool {
        let is_filler = |word: &&&str| {
            let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
            let fillers = [
                "http",
                "status",
                "your",
                "the",
                "was",
                "is",
                "has",
                "have",
                "been",
                "being",
                "successfully",
                "now",
            ];
            is_number || fillers.contains(*word)
        };
        let mut before = None;
        for word in said.iter().filter(|word| !is_filler(word)) {
            let is_meant = before.is_none_or(|before| signs().deeds.has(before));
            if is_meant
                && signs().deferred.has(word)
                && !self.is_asked_for(word)
                && !self.was_given(word)
            {
                return true;
            }
            before = Some(*word);
        }
        false
    }

    /// A state that is a refusal, unless the tool was asked to bring it about.
    fn is_refusal_state(&self, state: &str) -> bool {
        let state = state.replace([' ', '-'], "_");
        signs().states.has(&state) && !self.is_asked_for(&state) && !self.was_given(&state)
    }

    fn refuses(&self, text: &str) -> bool {
        if text.chars().nth(SHORT).is_some() || self.was_given(text) {
            return false;
        }
        let mut lower = text.to_lowercase();
        for phrase in &signs().harmless {
            lower = lower.replace(phrase.as_str(), " ");
        }
        if signs()
            .parts
            .iter()
            .any(|part| lower.contains(part.as_str()))
        {
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
        crate::compare::value::each_leaf(arguments.root(), |leaf| {
            let is_it = |own: crosscheck_core::text::JsStr<'_>| {
                own.to_str_lossy().trim().eq_ignore_ascii_case(text.trim())
            };
            was_given = was_given || leaf.as_js().is_some_and(is_it);
        });
        was_given
    }
}

/// `effective_on: "…"`, `at_period_end: true`, `when: "end_of_period"`.
fn takes_effect_later(field: &Field, value: Node<'_>) -> bool {
    let ends_a_period =
        |words: &str| words.contains("period_end") || words.contains("end_of_period");
    let text = value.as_str().unwrap_or_default();
    let is_given = value.as_bool() == Some(true) || !text.is_empty();
    is_given && (field.name.first() == "effective" || ends_a_period(&field.name.words.join("_")))
        || ends_a_period(&text.to_lowercase())
}

/// A state of work that is put off, which may also be the state of a row.
fn is_deferral(state: &str) -> bool {
    matches!(
        state,
        "accepted"
            | "enqueued"
            | "scheduled"
            | "submitted"
            | "deferred"
            | "in_progress"
            | "in progress"
            | "initiated"
    )
}

/// An answer that says nothing at all.
fn is_nothing(node: Node<'_>) -> bool {
    match node.value() {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(mut items) => items.next().is_none(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// What a field for errors holds when there was none.
fn is_fine(text: &str) -> bool {
    matches!(
        text,
        "" | "0" | "ok" | "none" | "null" | "success" | "false"
    )
}

fn is_no(text: &str) -> bool {
    matches!(text, "false" | "no" | "0" | "n" | "f" | "off")
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
