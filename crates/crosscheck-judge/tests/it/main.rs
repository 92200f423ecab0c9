//! The built-in judge on whole questions.

mod cases;
mod hostile;
mod pairs;
mod properties;
mod rules;

use crosscheck_judge::{Answer, Builtin, Question, Text};

fn ask(claim: &str, text: &str) -> Answer {
    Builtin::answer(&Question::new(claim, &Text::new(text)))
}

/// Verdict and reasons in one line.
fn verdict_of(claim: &str, text: &str) -> String {
    let answer = ask(claim, text);
    format!("{:?} {}", answer.verdict, answer.reasons.join(" "))
}

#[test]
fn every_test_file_is_compiled() {
    crosscheck_testkit::assert_all_modules_listed(env!("CARGO_MANIFEST_DIR"));
}
