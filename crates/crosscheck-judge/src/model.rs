//! Models as judges, never trusted blindly (claims 11).
//!
//! `supports` and `contradicts` need words that are really in the text, and if
//! a figure of the claim is missing from it, the answer is at best unclear.
//! Texts are untrusted: they are sent as data, and an answer has no effect
//! beyond the answer itself.

mod ask;
mod memory;
mod said;
mod style;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

pub use ask::{Ask, INSTRUCTIONS_VERSION, PROTOCOL};
use memory::Memory;
use said::Said;
pub use style::{BadTemplate, Style};

use crate::masked::masked;
use crate::{Answer, Builtin, Judge, NoAnswer, Opinion, Question, Tally};

/// Something that answers a question with text.
pub trait Model: Send + Sync {
    /// Names the model in reports and cache keys.
    fn id(&self) -> &str;

    /// Asks once.
    fn ask(&self, ask: &Ask) -> Result<String, NoAnswer>;

    /// How often a question may be repeated before it counts as unanswered.
    fn attempts(&self) -> u32 {
        2
    }
}

/// When and how the model is asked.
#[derive(Debug, Clone, Default)]
pub struct Use {
    /// How questions are put and answers read.
    pub style: Style,
    /// Folder of cached answers.
    pub cache: Option<PathBuf>,
    /// The built-in judge answers when the model fails.
    pub fallback: bool,
    /// The model is asked only where the built-in judge is unclear.
    pub builtin_first: bool,
    /// The largest number of questions of a run.
    pub budget: Option<u64>,
    /// The model is not reachable: only cached answers count.
    pub offline: bool,
}

/// A run with more questions than these is announced.
const MANY: u64 = 20;
/// Instructions and claim of one question, in characters.
const FRAME: u64 = 1_500;
/// A token of English text has about this many characters.
const TOKEN: u64 = 4;

/// A model whose answers are checked.
pub struct ModelJudge<M> {
    model: M,
    id: String,
    plan: Use,
    memory: Option<Memory>,
    asked: AtomicU64,
    remembered: AtomicU64,
    decided: AtomicU64,
}

impl<M: Model> ModelJudge<M> {
    /// A judge that asks this model.
    pub fn new(model: M, plan: Use) -> Self {
        let id = if plan.builtin_first {
            format!("{} and {}", Builtin::version(), model.id())
        } else {
            model.id().to_owned()
        };
        Self {
            memory: plan.cache.clone().map(Memory::new),
            model,
            id,
            plan,
            asked: AtomicU64::new(0),
            remembered: AtomicU64::new(0),
            decided: AtomicU64::new(0),
        }
    }

    fn said(&self, ask: &Ask) -> Result<Said, NoAnswer> {
        let key = Memory::key(self.model.id(), ask);
        if let Some(said) = self.memory.as_ref().and_then(|memory| memory.recall(&key)) {
            self.remembered.fetch_add(1, Ordering::Relaxed);
            return Ok(said);
        }
        if self.plan.offline {
            return Err(NoAnswer::new(
                "the judge is out of reach because of --offline".to_owned(),
            ));
        }
        let mut last = NoAnswer::new("the judge was not asked".to_owned());
        for _ in 0..self.model.attempts() {
            let before = self.asked.fetch_add(1, Ordering::Relaxed);
            if self.plan.budget.is_some_and(|budget| before >= budget) {
                self.asked.fetch_sub(1, Ordering::Relaxed);
                return Err(NoAnswer::new(
                    "the budget of questions is used up".to_owned(),
                ));
            }
            match self.model.ask(ask).and_then(|text| ask.read(&text)) {
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
        &self.id
    }

    fn is_model(&self) -> bool {
        true
    }

    fn judge(&self, question: &Question<'_>) -> Result<Answer, NoAnswer> {
        let own = self.plan.builtin_first.then(|| Builtin::answer(question));
        if let Some(own) = own.as_ref().filter(|own| own.verdict != Opinion::Unclear) {
            self.decided.fetch_add(1, Ordering::Relaxed);
            return Ok(own.clone());
        }
        let ask = Ask::of(question, &self.plan.style);
        match self.said(&ask) {
            Ok(said) => Ok(said.checked(question, &ask, own.as_ref())),
            Err(_) if self.plan.fallback => Ok(own.unwrap_or_else(|| Builtin::answer(question))),
            Err(error) => Err(error),
        }
    }

    fn announce(&self, questions: u64) -> Option<String> {
        let snippet = u64::try_from(ask::SNIPPET_MAX).unwrap_or(u64::MAX);
        let most = questions.min(self.plan.budget.unwrap_or(questions));
        let tokens = most.saturating_mul(FRAME + snippet) / TOKEN / 1000;
        (most > MANY && !self.plan.offline).then(|| {
            format!(
                "up to {most} questions go to {}, at most about {tokens} thousand tokens; --judge-budget N limits them, and remembered answers cost nothing",
                masked(self.model.id())
            )
        })
    }

    fn tally(&self) -> Tally {
        Tally {
            calls: self.asked.load(Ordering::Relaxed),
            cache_hits: self.remembered.load(Ordering::Relaxed),
            builtin: self.decided.load(Ordering::Relaxed),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{LazyLock, Mutex};

    use super::*;
    use crate::{Basis, Text};

    /// Answers from a list in order; then repeats the last one.
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
            answer.map(str::to_owned).map_err(NoAnswer::new)
        }
    }

    fn judge(answers: &[Result<&'static str, &'static str>], plan: Use) -> ModelJudge<Scripted> {
        ModelJudge::new(Scripted(Mutex::new(answers.to_vec())), plan)
    }

    static TEXT: LazyLock<Text<'static>> =
        LazyLock::new(|| Text::new("All tenants use one common\n  cache instance."));
    static QUESTION: LazyLock<Question<'static>> =
        LazyLock::new(|| Question::new("The cache is shared by all tenants", &TEXT));
    const GOOD: &str = r#"{"verdict":"supports","span":"use one common cache","reason":"r"}"#;

    fn verdict_of(answer: &'static str) -> (Opinion, String) {
        let answer = judge(&[Ok(answer)], Use::default())
            .judge(&QUESTION)
            .unwrap();
        (answer.verdict, answer.reasons.join(" "))
    }

    #[test]
    fn an_answer_needs_words_of_the_snippet() {
        assert_eq!(verdict_of(GOOD), (Opinion::Supports, "model".into()));
        let table = [
            r#"{"verdict":"supports","span":"made up words"}"#,
            r#"{"verdict":"contradicts","span":"cache"}"#,
            r#"{"verdict":"supports"}"#,
        ];
        for answer in table {
            assert_eq!(
                verdict_of(answer),
                (Opinion::Unclear, "span_not_found".into()),
                "{answer}"
            );
        }
        assert_eq!(verdict_of(r#"{"verdict":"unclear"}"#).0, Opinion::Unclear);
        let fenced = "```json\n{\"verdict\":\"supports\",\"span\":\"use one common cache\",\"reasons\":[\"biased\",\"x\"]}\n```";
        assert_eq!(verdict_of(fenced), (Opinion::Supports, "biased".into()));
    }

    #[test]
    fn with_a_missing_figure_the_model_can_only_be_unclear() {
        let question = Question {
            claim: "All 7 tenants use one common cache",
            ..*QUESTION
        };
        let answer = judge(&[Ok(GOOD)], Use::default()).judge(&question).unwrap();
        assert_eq!(answer.verdict, Opinion::Unclear);
        assert!(answer.has("quantity_missing"));
    }

    #[test]
    fn a_yes_needs_words_about_the_claim() {
        let page = Text::new(
            "The museum opened in 1931. It is run by `arts_council` and shows 40 paintings. Entry is free.",
        );
        for (claim, span, expected) in [
            (
                "The museum shows 40 paintings",
                "shows 40 paintings",
                Opinion::Supports,
            ),
            (
                "Visitors pay nothing for entry",
                "Entry is free",
                Opinion::Supports,
            ),
            (
                "One can see 40 works there",
                "shows 40 paintings",
                Opinion::Supports,
            ),
            (
                "`arts_council` runs it",
                "It is run by `arts_council`",
                Opinion::Supports,
            ),
            (
                "The mayor resigned in spring",
                "Entry is free",
                Opinion::Unclear,
            ),
            (
                "The museum shows 40 paintings",
                "The museum opened in 1931",
                Opinion::Unclear,
            ),
            (
                "The museum is run by `arts_council`",
                "The museum opened in 1931",
                Opinion::Unclear,
            ),
            (
                "Since then Anna Holm runs the museum",
                "The museum opened in 1931",
                Opinion::Unclear,
            ),
            (
                "The mayor resigned",
                "The museum opened in 1931. It is run by",
                Opinion::Unclear,
            ),
        ] {
            let said = format!(r#"{{"verdict":"supports","span":"{span}"}}"#);
            let said: &'static str = said.leak();
            let question = Question::new(claim, &page);
            let answer = judge(&[Ok(said)], Use::default()).judge(&question).unwrap();
            assert_eq!(
                answer.verdict, expected,
                "{claim} / {span}: {:?}",
                answer.reasons
            );
        }
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
        assert_eq!(lone.judge(&QUESTION), Err(NoAnswer::new("down")));
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
            ..*QUESTION
        };
        assert_eq!(judge.judge(&sure).unwrap().verdict, Opinion::Supports);
        assert_eq!(judge.tally().calls, 0);
    }

    #[test]
    fn with_both_the_model_is_asked_only_where_the_builtin_judge_is_unclear() {
        let plan = Use {
            builtin_first: true,
            ..Use::default()
        };
        let judge = judge(&[Ok(r#"{"verdict":"unclear"}"#), Ok(GOOD)], plan);
        assert_eq!(judge.id(), "builtin/2 and scripted");
        let ask = |claim| judge.judge(&Question { claim, ..*QUESTION }).unwrap();
        assert_eq!(
            ask("all tenants use one common cache").basis,
            Basis::Verbatim
        );
        assert_eq!(
            ask("All tenants use 7 common cache instances").verdict,
            Opinion::Unclear
        );
        let open = ask("The cache is shared by all tenants");
        assert_eq!(
            (open.verdict, open.basis),
            (Opinion::Supports, Basis::Model)
        );
        let expected = Tally {
            calls: 2,
            builtin: 1,
            ..Tally::default()
        };
        assert_eq!(judge.tally(), expected);
    }

    #[test]
    fn an_unclear_answer_of_a_model_keeps_the_missing_words() {
        let plan = Use {
            builtin_first: true,
            ..Use::default()
        };
        let judge = judge(&[Ok(r#"{"verdict":"unclear"}"#)], plan);
        let answer = judge.judge(&QUESTION).unwrap();
        assert_eq!(answer.missing, ["shared"]);
        let expected =
            "The passage of the text that comes nearest lacks: shared; the model does not decide";
        assert_eq!(answer.explanation.as_deref(), Some(expected));
    }

    #[test]
    fn a_large_run_is_announced_with_its_questions_and_a_budget_limits_them() {
        let plan = |budget| Use {
            budget,
            ..Use::default()
        };
        let announced = |budget, questions| judge(&[Ok(GOOD)], plan(budget)).announce(questions);
        assert_eq!(announced(None, 5), None);
        let large = announced(None, 44).unwrap();
        assert!(
            large.contains("44 questions") && large.contains("scripted"),
            "{large}"
        );
        assert!(announced(Some(30), 44).unwrap().contains("30 questions"));
        assert_eq!(announced(Some(3), 44), None);
    }

    #[test]
    fn offline_only_cached_answers_of_a_model_count() {
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
    fn answers_are_cached_and_errors_are_not() {
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
                cache_hits: 1,
                ..Tally::default()
            }
        );
    }
}
