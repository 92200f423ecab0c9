//! Models as judges, never trusted blindly.
//!
//! Whatever a model says, `supports` and `contradicts` must come with words
//! that are really in the snippet, and a figure of the claim that stands
//! nowhere in it caps the answer at unclear. Snippets are foreign text: they
//! travel as data, between lines nobody can guess, and no answer can change
//! anything but the answer.

mod ask;
mod memory;

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use crosscheck_core::judge::{Answer, Judge, NoAnswer, Opinion, Question, Tally};
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization as _;

pub use ask::{Ask, INSTRUCTIONS_VERSION, PROTOCOL};
use memory::Memory;

use super::Lexical;
use super::lexical::{collapse, misses_a_quantity};

/// The shortest words that prove an answer, in characters.
const SPAN_MIN: usize = 8;
/// What a model says about its answer is cut here, in characters.
const NOTE_MAX: usize = 300;

/// Something that answers a question with text.
pub trait Model: Send + Sync {
    /// Names the model in reports and cache keys.
    fn id(&self) -> &str;

    /// Asks once; the text should be one JSON object.
    fn ask(&self, ask: &Ask) -> Result<String, NoAnswer>;

    /// How often a question may be put before it stays without an answer.
    fn attempts(&self) -> u32 {
        2
    }
}

/// When and how often the model is asked.
#[derive(Debug, Clone, Default)]
pub struct Use {
    /// Folder of remembered answers.
    pub cache: Option<PathBuf>,
    /// The built-in judge answers when the model fails.
    pub fallback: bool,
    /// The model is asked only where the built-in judge is unclear.
    pub builtin_first: bool,
    /// The most questions of a run.
    pub budget: Option<u64>,
    /// The model is out of reach: only what it said before counts.
    pub offline: bool,
}

/// A model, checked.
pub struct ModelJudge<M> {
    model: M,
    plan: Use,
    memory: Option<Memory>,
    asked: AtomicU64,
    remembered: AtomicU64,
}

/// What a model may say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Said {
    verdict: Opinion,
    #[serde(default)]
    span: Option<String>,
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    reasons: Vec<String>,
}

impl<M: Model> ModelJudge<M> {
    /// A judge that asks this model.
    pub fn new(model: M, plan: Use) -> Self {
        let memory = plan.cache.clone().map(Memory::new);
        Self {
            model,
            plan,
            memory,
            asked: AtomicU64::new(0),
            remembered: AtomicU64::new(0),
        }
    }

    fn said(&self, ask: &Ask) -> Result<Said, NoAnswer> {
        let key = Memory::key(self.model.id(), ask);
        if let Some(said) = self.memory.as_ref().and_then(|memory| memory.recall(&key)) {
            self.remembered.fetch_add(1, Ordering::Relaxed);
            return Ok(said);
        }
        if self.plan.offline {
            return Err(NoAnswer(
                "the judge is out of reach because of --offline".to_owned(),
            ));
        }
        let mut last = NoAnswer("the judge was not asked".to_owned());
        for _ in 0..self.model.attempts() {
            let before = self.asked.fetch_add(1, Ordering::Relaxed);
            if self.plan.budget.is_some_and(|budget| before >= budget) {
                self.asked.fetch_sub(1, Ordering::Relaxed);
                return Err(NoAnswer("the budget of questions is used up".to_owned()));
            }
            match self.model.ask(ask).and_then(|text| parse(&text)) {
                Ok(said) => {
                    if let Some(memory) = &self.memory {
                        memory.keep(&key, &said);
                    }
                    return Ok(said);
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }
}

impl<M: Model> Judge for ModelJudge<M> {
    fn id(&self) -> &str {
        self.model.id()
    }

    fn is_model(&self) -> bool {
        true
    }

    fn judge(&self, question: &Question<'_>) -> Result<Answer, NoAnswer> {
        if self.plan.builtin_first {
            let answer = Lexical::answer(question);
            if answer.verdict != Opinion::Unclear {
                return Ok(answer);
            }
        }
        let ask = Ask::of(question);
        match self.said(&ask) {
            Ok(said) => Ok(checked(said, question, &ask)),
            Err(_) if self.plan.fallback => Ok(Lexical::answer(question)),
            Err(error) => Err(error),
        }
    }

    fn tally(&self) -> Tally {
        Tally {
            calls: self.asked.load(Ordering::Relaxed),
            cache_hits: self.remembered.load(Ordering::Relaxed),
        }
    }
}

/// One JSON object, alone or in a single fence.
fn parse(text: &str) -> Result<Said, NoAnswer> {
    let text = text.trim();
    let inner = text
        .strip_prefix("```json")
        .and_then(|rest| rest.strip_suffix("```"))
        .unwrap_or(text)
        .trim();
    serde_json::from_str(inner).map_err(|error| {
        NoAnswer(format!(
            "the judge's answer is not what was asked for: {error}"
        ))
    })
}

/// Holds a model to its words.
fn checked(said: Said, question: &Question<'_>, ask: &Ask) -> Answer {
    let decided = said.verdict != Opinion::Unclear;
    let span = said.span.filter(|span| is_proof(span, &ask.snippet));
    let mut verdict = said.verdict;
    let mut reasons: Vec<Cow<'static, str>> = Vec::new();
    if decided && span.is_none() {
        verdict = Opinion::Unclear;
        reasons.push(Cow::Borrowed("span_not_found"));
    }
    if decided && misses_a_quantity(question.claim, question.snippet) {
        verdict = Opinion::Unclear;
        reasons.push(Cow::Borrowed("quantity_missing"));
    }
    if said.reasons.iter().any(|reason| reason == "biased") {
        reasons.push(Cow::Borrowed("biased"));
    }
    if reasons.is_empty() {
        reasons.push(Cow::Borrowed("model"));
    }
    Answer {
        span: span.filter(|span| question.snippet.contains(span.as_str())),
        verdict,
        reasons,
        score: None,
        note: said
            .reason
            .map(|reason| reason.chars().take(NOTE_MAX).collect()),
    }
}

fn is_proof(span: &str, snippet: &str) -> bool {
    let plain = |text: &str| collapse(text).nfc().collect::<String>();
    let span = plain(span);
    span.chars().count() >= SPAN_MIN && plain(snippet).contains(&span)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Answers from a list, one after the other; then the last one again.
    struct Scripted(Mutex<Vec<Result<&'static str, &'static str>>>);

    impl Model for Scripted {
        fn id(&self) -> &'static str {
            "scripted"
        }

        fn ask(&self, _: &Ask) -> Result<String, NoAnswer> {
            let mut answers = self.0.lock().unwrap();
            let answer = if answers.len() > 1 {
                answers.remove(0)
            } else {
                answers[0]
            };
            answer
                .map(str::to_owned)
                .map_err(|why| NoAnswer(why.into()))
        }
    }

    fn judge(answers: &[Result<&'static str, &'static str>], plan: Use) -> ModelJudge<Scripted> {
        ModelJudge::new(Scripted(Mutex::new(answers.to_vec())), plan)
    }

    const QUESTION: Question<'static> = Question {
        claim: "The cache is shared by all tenants",
        snippet: "All tenants use one common\n  cache instance.",
        kind: crosscheck_core::judge::Kind::File,
        reference: None,
        quote: None,
        prompt: None,
        header: None,
    };
    const GOOD: &str = r#"{"verdict":"supports","span":"use one common cache","reason":"r"}"#;

    fn told(answer: &'static str) -> (Opinion, String) {
        let answer = judge(&[Ok(answer)], Use::default())
            .judge(&QUESTION)
            .unwrap();
        (answer.verdict, answer.reasons.join(" "))
    }

    #[test]
    fn an_answer_needs_words_of_the_snippet() {
        assert_eq!(told(GOOD), (Opinion::Supports, "model".into()));
        let table = [
            r#"{"verdict":"supports","span":"made up words"}"#,
            r#"{"verdict":"contradicts","span":"cache"}"#,
            r#"{"verdict":"supports"}"#,
        ];
        for answer in table {
            assert_eq!(
                told(answer),
                (Opinion::Unclear, "span_not_found".into()),
                "{answer}"
            );
        }
        assert_eq!(told(r#"{"verdict":"unclear"}"#).0, Opinion::Unclear);
        let fenced = "```json\n{\"verdict\":\"supports\",\"span\":\"use one common cache\",\"reasons\":[\"biased\",\"x\"]}\n```";
        assert_eq!(told(fenced), (Opinion::Supports, "biased".into()));
    }

    #[test]
    fn a_missing_figure_caps_whatever_the_model_says() {
        let question = Question {
            claim: "All 7 tenants use one common cache",
            ..QUESTION
        };
        let answer = judge(&[Ok(GOOD)], Use::default()).judge(&question).unwrap();
        assert_eq!(answer.verdict, Opinion::Unclear);
        assert!(answer.has("quantity_missing"));
    }

    #[test]
    fn one_retry_then_an_error_or_the_fallback() {
        let twice = [Err("down"), Ok(GOOD)];
        assert_eq!(
            judge(&twice, Use::default())
                .judge(&QUESTION)
                .unwrap()
                .verdict,
            Opinion::Supports
        );
        let never = [Err("down")];
        let lone = judge(&never, Use::default());
        assert_eq!(lone.judge(&QUESTION), Err(NoAnswer("down".into())));
        assert_eq!(lone.tally().calls, 2);
        let plan = Use {
            fallback: true,
            ..Use::default()
        };
        assert!(judge(&never, plan).judge(&QUESTION).is_ok());
        assert!(
            judge(&[Ok("I think so.")], Use::default())
                .judge(&QUESTION)
                .is_err()
        );
    }

    #[test]
    fn the_budget_ends_the_questions() {
        let plan = Use {
            budget: Some(1),
            ..Use::default()
        };
        let judge = judge(&[Ok(GOOD)], plan);
        assert!(judge.judge(&QUESTION).is_ok());
        assert!(judge.judge(&QUESTION).is_err());
        assert_eq!(judge.tally().calls, 1);
    }

    #[test]
    fn the_builtin_judge_may_go_first() {
        let plan = Use {
            builtin_first: true,
            ..Use::default()
        };
        let judge = judge(&[Err("never asked")], plan);
        let sure = Question {
            claim: "all tenants use one common cache",
            ..QUESTION
        };
        assert_eq!(judge.judge(&sure).unwrap().verdict, Opinion::Supports);
        assert_eq!(judge.tally().calls, 0);
    }

    #[test]
    fn offline_a_model_only_says_what_it_said_before() {
        let folder = tempfile::tempdir().unwrap();
        let online = Use {
            cache: Some(folder.path().to_owned()),
            ..Use::default()
        };
        let offline = Use {
            offline: true,
            ..online.clone()
        };
        let fallback = Use {
            fallback: true,
            ..offline.clone()
        };
        let lone = judge(&[Ok(GOOD)], offline.clone());
        assert!(lone.judge(&QUESTION).is_err());
        assert_eq!(lone.tally().calls, 0);
        assert!(judge(&[Ok(GOOD)], fallback).judge(&QUESTION).is_ok());
        assert!(judge(&[Ok(GOOD)], online).judge(&QUESTION).is_ok());
        assert!(judge(&[Ok(GOOD)], offline).judge(&QUESTION).is_ok());
    }

    #[test]
    fn answers_are_remembered_and_errors_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let plan = Use {
            cache: Some(folder.path().to_owned()),
            ..Use::default()
        };
        let first = judge(&[Err("a"), Err("b"), Ok(GOOD)], plan.clone());
        assert!(first.judge(&QUESTION).is_err());
        assert!(first.judge(&QUESTION).is_ok());
        let second = judge(&[Err("never asked")], plan);
        assert_eq!(second.judge(&QUESTION).unwrap().verdict, Opinion::Supports);
        assert_eq!(
            second.tally(),
            Tally {
                calls: 0,
                cache_hits: 1
            }
        );
    }
}
