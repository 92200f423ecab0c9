//! Whether an answer may say that nothing was done, in words that no rule
//! knows for certain, or not yet. Such a call is looked for like any other, and what the
//! database lacks of it is never held against the agent.

use std::sync::{Arc, OnceLock};

use crosscheck_core::JsStr;
use crosscheck_core::json::{Node, Value};
use serde::Deserialize;

use crate::compare::value::each_leaf;
use crate::plan::field::{Field, Tool, Vocabulary};
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
    /// Fields with a state or a text for people.
    texts: List,
    /// Fields that are false or 0 when nothing was done.
    truths: List,
    /// Words of fields that are empty when all went well.
    faults: List,
    /// What an answer may have an id of that is not the row.
    jobs: List,
    /// What is put off until later.
    deferred: List,
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
                let mut members: Vec<(Arc<Field>, Node<'_>)> = members
                    .map(|(name, value)| (vocabulary.member(name), value))
                    .collect();
                // the id of a job is not that of the row, unless jobs are meant
                let is_row = |field: &Field| field.name.ends_in_id && !self.is_job(field);
                let is_job = members.iter().all(|(field, _)| self.is_job(field));
                // a row may hold any state and any text
                let is_column = |field: &Field| {
                    let mut tables = self.tool.tables();
                    tables.any(|(table, _)| field.column(table).is_some())
                };
                let columns = members.iter().filter(|(field, _)| is_column(field));
                let is_row = columns.count() > 1 || members.iter().any(|(field, _)| is_row(field));
                members.retain(|(field, value)| {
                    let text = value.as_js().map(JsStr::to_str_lossy);
                    !(is_row && is_column(field)) || text.is_some_and(|text| waits(&text))
                });
                let mut members = members.into_iter();
                is_job && members.len() > 0
                    || members.any(|(field, value)| {
                        let is_inside = depth > 0 && (!is_row || field.is_envelope());
                        let is_several = value.as_object().is_some() || value.as_array().is_some();
                        self.member_says_no(&field, value, is_row)
                            || is_several && is_inside && self.says_no(vocabulary, value, depth - 1)
                    })
            }
            Value::Null | Value::Number(_) => false,
        }
    }

    /// What one member of an object says.
    fn member_says_no(&self, field: &Field, value: Node<'_>, is_row: bool) -> bool {
        let (name, last) = (&field.name.words, field.name.last());
        let has = |list: &List| name.iter().any(|word| list.has(word));
        let text = value.as_js().map(|text| text.to_str_lossy().to_lowercase());
        let text = text.as_deref().map_or("", str::trim);
        let is_set = !super::failed::is_empty(value);
        let is_no = value.as_bool() == Some(false) || matches!(text, "false" | "no" | "0");
        let number = value.as_f64();
        let is_code = matches!(last, "code" | "status")
            && number.is_some_and(|code| (400.0..600.0).contains(&code));
        let is_fine = matches!(text, "0" | "ok" | "none" | "null" | "success" | "false");
        let may_wait = !is_row || value.as_bool().is_some() || field.name.first() == "effective";
        let is_later = may_wait
            && is_set
            && has(&signs().deferred)
            && !name.iter().any(|own| self.is_asked_for(own));
        let tells = signs().texts.has(last) && (!is_row || last == "message" || waits(text));
        (has(&signs().truths) && (is_no || number == Some(0.0) && !is_row))
            || is_code && !is_row
            || (has(&signs().faults) && is_set && !is_fine && !is_row)
            || (words().dry.has(&field.name.joined) && is_set)
            || (is_later && number.is_none())
            || (tells && !is_fine && self.refuses(&text.replace(['_', '-', '.', ':'], " ")))
    }

    fn is_job(&self, field: &Field) -> bool {
        let first = field.name.first();
        signs().jobs.has(first) && !self.is_asked_for(first)
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
        said.iter().enumerate().any(|(at, word)| {
            // order no. 5
            let counts = |next: &&str| next.starts_with(|c: char| c.is_ascii_digit());
            let is_number = *word == "no" && said.get(at + 1).is_some_and(counts);
            let is_sign = signs().words.has(word) || signs().deferred.has(word) || *word == "0";
            is_sign && !is_number && !self.is_asked_for(word)
        })
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
            let is_it =
                |own: JsStr<'_>| own.to_str_lossy().trim().eq_ignore_ascii_case(text.trim());
            was_given = was_given || leaf.as_js().is_some_and(is_it);
        });
        was_given
    }
}

/// A state in which somebody must still agree: `pending_approval`.
fn waits(state: &str) -> bool {
    let state = state.to_lowercase();
    state.contains("approval") || state.contains("awaiting")
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
            r#""The new total takes effect on 2026-12-01.""#,
            r#""Order o-1 will be updated within the hour.""#,
            r#"{"order_id": "o-1", "total": 5, "effective_on": "2026-12-01"}"#,
            r#"{"order_id": "o-1", "status": "pending_approval"}"#,
            r#"{"code": "E_LOCKED"}"#,
            r#""UPDATE 0""#,
            r#"{"isQueued": true, "order_id": "o-1"}"#,
            r#"{"accepted": true, "task": "t1"}"#,
            r#"{"scheduled_for": "2026-12-01"}"#,
            r#"{"status": "accepted"}"#,
            r#"{"state": "in progress"}"#,
            r#"{"task_id": "t1"}"#,
            r#"{"jobId": "j1"}"#,
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
