//! Output that a message shows instead of saying how a run went: "`12 passed`"
//! in code, or "Passed: 12 | Failed: 0". Code is the same in every language,
//! so that the words beside it are looked for in all of them.

use std::ops::Range;

use super::blocks::Code;
use super::pack::Pack;
use super::tokens::{Token, What};
use super::units::Unit;

/// Words beside code that say that a run printed it.
const RUN: [&str; 44] = [
    "output",
    "outputs",
    "result",
    "results",
    "run",
    "runs",
    "ran",
    "running",
    "rerun",
    "re-run",
    "test",
    "tests",
    "suite",
    "pytest",
    "get",
    "got",
    "gave",
    "gives",
    "says",
    "shows",
    "reports",
    "verification",
    "verified",
    "proof",
    "evidence",
    "after",
    "final",
    "ausgabe",
    "ergebnis",
    "testlauf",
    "sortie",
    "résultat",
    "résultats",
    "salida",
    "resultado",
    "resultados",
    "saída",
    "执行结果",
    "输出",
    "结果",
    "出力",
    "結果",
    "출력",
    "결과",
];
/// Words that say that it is not output of this session.
const UNLESS: [&str; 78] = [
    "readme",
    "snippet",
    "look",
    "asked",
    "whether",
    "template",
    "expected",
    "expect",
    "expects",
    "should",
    "would",
    "could",
    "must",
    "will",
    "want",
    "wanted",
    "goal",
    "if",
    "when",
    "once",
    "until",
    "unless",
    "before",
    "previously",
    "was",
    "were",
    "had",
    "example",
    "examples",
    "e.g",
    "sample",
    "such",
    "like",
    "looks",
    "format",
    "regex",
    "pattern",
    "parse",
    "parses",
    "parser",
    "match",
    "matches",
    "passing",
    "means",
    "badge",
    "original",
    "originally",
    "main",
    "documentation",
    "docs",
    "todo",
    "next",
    "plan",
    "not",
    "never",
    "no",
    "erwartet",
    "erwartete",
    "sollte",
    "wenn",
    "falls",
    "beispiel",
    "vorher",
    "attendu",
    "attendue",
    "exemple",
    "devrait",
    "avant",
    "esperado",
    "esperada",
    "ejemplo",
    "exemplo",
    "debería",
    "deveria",
    "预期",
    "期待",
    "예상",
    "例",
];

/// A place in the text, and how many tests are said to have passed there.
pub(super) type Shown = (Range<usize>, u64);

/// Blocks of code that hold the output of a run in which all tests passed.
pub(super) fn blocks(text: &str, codes: &[Code]) -> Vec<Shown> {
    let shown = |code: &Code| {
        let lines = code.lines.iter();
        let lines = lines.filter_map(|range| Some((range, text.get(range.clone())?)));
        let lines: Vec<(&Range<usize>, &str)> = lines.collect();
        if lines.iter().any(|(_, line)| says_failure(line)) {
            return None;
        }
        let is_typed = lines
            .iter()
            .any(|(_, line)| line.trim_start().starts_with("$ "));
        let words: Vec<&str> = code.lead.split(' ').collect();
        let is_run = code.lead.is_empty() || is_typed || is_any(&words, &RUN);
        let by_two = by_two_lines(&lines);
        let mut lines = lines.into_iter().rev();
        let found = lines
            .find_map(|(range, line)| Some((range.clone(), passed(line)?)))
            .or(by_two);
        let behind: Vec<&str> = code.behind.split(' ').collect();
        let is_taken_back =
            matches!(behind.first(), Some(&("that" | "this" | "it"))) && is_unless(&behind);
        found.filter(|_| is_run && !is_unless(&words) && !is_taken_back)
    };
    codes.iter().filter_map(shown).collect()
}

/// "Ran 4 tests in 0.1s" and, below it, "OK".
fn by_two_lines(lines: &[(&Range<usize>, &str)]) -> Option<Shown> {
    let is_ok = |line: &str| line == "OK" || line.starts_with("OK (");
    lines.iter().rfind(|(_, line)| is_ok(line.trim()))?;
    lines.iter().find_map(|(range, line)| {
        let count = line.trim().strip_prefix("Ran ")?;
        let (count, rest) = count.split_once(' ')?;
        let count = count.parse().ok().filter(|count| *count > 0)?;
        rest.starts_with("test").then(|| ((*range).clone(), count))
    })
}

/// Code within a sentence that does.
pub(super) fn spans(unit: &Unit) -> Vec<Shown> {
    let codes = unit.tokens.iter().filter(|token| token.what == What::Code);
    let shown = codes.filter_map(|token| Some((token.span.clone(), passed(&token.text)?)));
    let shown: Vec<Shown> = shown.collect();
    if shown.is_empty() {
        return shown;
    }
    let words: Vec<&str> = unit.tokens.iter().map(Token::word).collect();
    let is_run = is_any(&words, &RUN) || unit.tokens.len() == 1 || is_arrow(unit);
    if is_run && !is_doubted(unit) {
        shown
    } else {
        Vec::new()
    }
}

/// Whether the words of a unit say that it tells no outcome.
fn is_doubted(unit: &Unit) -> bool {
    let words: Vec<&str> = unit.tokens.iter().map(Token::word).collect();
    let fails = |token: &Token| token.what == What::Code && says_failure(&token.text);
    unit.is_question
        || unit.is_open_task
        || is_unless(&words)
        || unit.tokens.iter().any(fails)
        || unit
            .above
            .iter()
            .any(|title| is_unless(&title.split(' ').collect::<Vec<_>>()))
}

/// "`pytest` -> `12 passed`"
fn is_arrow(unit: &Unit) -> bool {
    let is_code = |token: Option<&Token>| {
        token.is_some_and(|token| matches!(token.what, What::Code | What::Id))
    };
    let signs = unit
        .tokens
        .iter()
        .skip(1)
        .take_while(|token| matches!(token.what, What::Sign(_)));
    let next = 1 + signs.count();
    next > 1 && is_code(unit.tokens.first()) && is_code(unit.tokens.get(next))
}

/// "Passed: 12 | Failed: 0": the words of a language, each with its number.
pub(super) fn labelled(pack: &Pack, text: &str, unit: &Unit) -> Option<Shown> {
    let tokens = Some(&unit.tokens).filter(|_| unit.counts())?;
    let (first, last) = (tokens.first()?, tokens.last()?);
    let range = first.span.start..last.span.end;
    let said = text.get(range.clone())?.to_lowercase();
    let numbers = |list: &str| -> Vec<u64> {
        let words = pack.list(list).all();
        words.flat_map(|word| labels(&said, word)).collect()
    };
    let passed = numbers("good_labels")
        .into_iter()
        .find(|number| *number > 0)?;
    let failed = numbers("bad_labels");
    let is_whole = !failed.is_empty() && failed.iter().all(|number| *number == 0);
    (is_whole && !is_doubted(unit)).then_some((range, passed))
}

/// Numbers that are behind a label.
fn labels<'t>(text: &'t str, label: &'t str) -> impl Iterator<Item = u64> + 't {
    let found = text.match_indices(label);
    found.filter_map(move |(at, _)| {
        let before = text.get(..at)?.chars().next_back();
        let behind = text.get(at + label.len()..)?;
        let value = behind.trim_start_matches([' ', '*', ':', '：', '=']);
        let is_label = value.len() < behind.len() && !before.is_some_and(char::is_alphanumeric);
        let digits = value.len() - value.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        value.get(..digits).filter(|_| is_label)?.parse().ok()
    })
}

fn is_unless(words: &[&str]) -> bool {
    is_any(words, &UNLESS) || words.iter().any(|word| word.ends_with("n't"))
}

fn is_any(words: &[&str], list: &[&str]) -> bool {
    let is_in = |word: &&str| {
        let is_letters = word.chars().next().is_some_and(|c| c > '\u{2E80}');
        // such a language has no blanks between its words
        list.contains(word)
            || is_letters && list.iter().any(|one| !one.is_ascii() && word.contains(one))
    };
    words.iter().any(is_in)
}

/// The count of a summary that says that tests passed, as runners write it.
fn passed(line: &str) -> Option<u64> {
    let lower = line.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !(c.is_alphanumeric() || c == '.'))
        .filter(|word| !word.is_empty())
        .collect();
    let is_short = words.len() <= 14 && !says_failure(line);
    let number = |word: &str| word.parse::<u64>().ok().filter(|number| *number > 0);
    let pair = |pair: &[&str]| match pair {
        [count, "passed" | "passing"] => number(count),
        _ => None,
    };
    let by_count = words.windows(2).find_map(pair);
    let by_form = match words.as_slice() {
        ["ok", count, "tests" | "test"] | ["tests", "run", count, ..] => number(count),
        [count, "examples" | "tests", "0", "failures", ..] => number(count),
        _ => None,
    };
    by_count.or(by_form).filter(|_| is_short)
}

/// Whether a line counts failures above zero.
fn says_failure(line: &str) -> bool {
    let lower = line.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let is_bad = |word: &str| word.starts_with("fail") || word.starts_with("error");
    let is_count = |word: &str| word.parse::<u64>().is_ok_and(|number| number > 0);
    words.windows(2).any(|pair| match pair {
        [count, word] if is_bad(word) && is_count(count) => true,
        [word, count] => is_bad(word) && is_count(count) && line.contains(':'),
        _ => false,
    })
}
