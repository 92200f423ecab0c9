//! One row of the table: a program, and how its output is read.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use memchr::memmem::Finder;
use regex::bytes::Regex;
use serde::Deserialize;

use super::table::OwnRunner;
use crate::kind::Work;
use crate::shell::Stripped;

/// What an argument without a dash names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Targets {
    Path,
    Name,
    Package,
    Script,
    Goal,
    Project,
    #[default]
    None,
}

/// Patterns, each compiled when an output may hold it.
#[derive(Debug, Default, Deserialize)]
#[serde(from = "Vec<String>")]
pub(super) struct Patterns(Vec<Pattern>);

#[derive(Debug)]
struct Pattern {
    text: String,
    /// Letters that every match has; a search for them is far cheaper than
    /// building the pattern.
    letters: OnceLock<Finder<'static>>,
    compiled: OnceLock<Option<Regex>>,
}

impl From<Vec<String>> for Patterns {
    fn from(texts: Vec<String>) -> Self {
        let patterns = texts.into_iter().map(|text| Pattern {
            text,
            letters: OnceLock::new(),
            compiled: OnceLock::new(),
        });
        Self(patterns.collect())
    }
}

impl Patterns {
    /// Those that may be found in an output.
    pub(super) fn on<'p>(&'p self, output: &str) -> impl Iterator<Item = &'p Regex> {
        let fits = self.0.iter().filter(move |one| {
            let find = || Finder::new(&letters(&one.text)).into_owned();
            let letters = one.letters.get_or_init(find);
            letters.find(output.as_bytes()).is_some()
        });
        fits.filter_map(|one| one.compiled.get_or_init(|| plain(&one.text).ok()).as_ref())
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn check(&self) -> Result<(), regex::Error> {
        self.0.iter().try_for_each(|one| plain(&one.text).map(drop))
    }
}

/// Compiles a pattern for the digits, blanks and letters of ASCII: those of all
/// scripts take most of the time to build, and no runner prints them.
fn plain(text: &str) -> Result<Regex, regex::Error> {
    let of_all = |_| Regex::new(&format!("(?m){text}"));
    Regex::new(&format!("(?m-u){text}")).or_else(of_all)
}

/// The longest row of letters outside of groups, which every match of a pattern
/// has; nothing where the pattern is a choice or sets options.
fn letters(text: &str) -> String {
    let mut marks = text.split("(?").skip(1);
    if marks.any(|mark| !mark.starts_with([':', 'P', '<'])) {
        return String::new();
    }
    let (mut best, mut open) = (String::new(), String::new());
    let (mut depth, mut is_class) = (0_usize, false);
    let mut rest = text.chars().peekable();
    while let Some(letter) = rest.next() {
        match letter {
            '\\' => {
                rest.next();
            }
            ']' => is_class = false,
            _ if is_class => {}
            '[' => is_class = true,
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '|' if depth == 0 => return String::new(),
            _ => {}
        }
        let is_plain = letter.is_ascii_alphabetic() || letter == ' ';
        let is_kept = is_plain && !matches!(rest.peek(), Some('?' | '*' | '+' | '{'));
        if is_kept && depth == 0 && !is_class {
            open.push(letter);
        } else {
            open.clear();
        }
        if open.len() > best.len() {
            best.clone_from(&open);
        }
    }
    best
}

/// How a command begins: its words, each with a star for any rest.
#[derive(Debug, Default, Deserialize)]
#[serde(from = "String")]
pub(super) struct Beginning(Vec<String>);

impl From<String> for Beginning {
    fn from(line: String) -> Self {
        Self(line.split(' ').map(str::to_owned).collect())
    }
}

/// One program that proves something when it runs.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Row {
    /// Its name in the table.
    pub name: String,
    /// What it does; the first is what its name stands for.
    pub work: Vec<Work>,
    pub(super) argv: Vec<Beginning>,
    pub(super) exact: bool,
    pub(super) module: bool,
    pub(super) anywhere: Option<String>,
    pub(super) needs: Vec<String>,
    pub(super) not: BTreeMap<Work, Vec<String>>,
    pub(super) idle: Vec<String>,
    pub(super) allows: Vec<String>,
    pub(super) hides: Vec<String>,
    pub(super) goals: BTreeMap<Work, Vec<String>>,
    pub(super) summary: Patterns,
    pub(super) suites: Patterns,
    pub(super) suite_lines: Patterns,
    pub(super) cases: Patterns,
    /// Whether its output has several summaries that add up.
    pub sum: bool,
    pub(super) join: bool,
    pub(super) pass: Patterns,
    pub(super) fail: Patterns,
    pub(super) empty: Patterns,
    pub(super) empty_all: Patterns,
    /// The exit status that means that nothing was there to run.
    pub empty_status: Option<i64>,
    /// The exit status that means that something is still going on.
    pub pending_status: Option<i64>,
    pub(super) values: Vec<String>,
    pub(super) partial: Vec<String>,
    pub(super) packages: Vec<String>,
    pub(super) roots: Vec<String>,
    pub(super) bare: Vec<String>,
    pub(super) targets: Targets,
    /// Other programs that print into its output.
    pub also: Vec<String>,
    /// Whether it only says what would be done.
    pub(super) plans: bool,
    /// Whether it prints nothing when all is well.
    pub silent: bool,
}

pub(super) fn is_tests(work: &[Work]) -> bool {
    work.contains(&Work::Tests)
}

impl Row {
    pub(super) fn of_user(own: &OwnRunner) -> Self {
        let patterns =
            |text: &Option<String>| Patterns::from(text.iter().cloned().collect::<Vec<_>>());
        Self {
            name: own.argv.join(" "),
            work: vec![own.kind],
            argv: vec![Beginning(own.argv.clone())],
            pass: patterns(&own.pass),
            fail: patterns(&own.fail),
            ..Self::default()
        }
    }

    /// The words a command begins with, for people.
    pub fn commands(&self) -> impl Iterator<Item = String> {
        self.argv.iter().map(|words| words.0.join(" "))
    }

    /// The words that its commands begin with; `None` where it can be any.
    pub(super) fn first_words(&self) -> impl Iterator<Item = Option<&str>> {
        self.argv.iter().map(|pattern| {
            let mut words = pattern.0.iter().map(String::as_str);
            let first = words.find(|word| !is_flag(word));
            first.filter(|word| !word.starts_with('*') && !word.ends_with('*'))
        })
    }

    /// How many plain words a command takes that is this program.
    pub(super) fn begins(&self, run: &Stripped) -> Option<usize> {
        if self.module && !run.module {
            return None;
        }
        let words = self.plain(&run.words);
        let fits = self.argv.iter().filter_map(|pattern| {
            let (flags, plain): (Vec<&String>, Vec<&String>) =
                pattern.0.iter().partition(|word| is_flag(word));
            let has_flags = flags
                .iter()
                .all(|flag| run.words.iter().any(|word| fits_word(flag, word)));
            let has_words = plain.len() <= words.len()
                && plain
                    .iter()
                    .zip(&words)
                    .all(|(pattern, word)| fits_word(pattern, word));
            let exact = !self.exact || plain.len() == words.len();
            (has_flags && has_words && exact).then_some(plain.len())
        });
        let length = fits.max()?;
        let needed = self.needs.is_empty()
            || run
                .words
                .iter()
                .any(|word| self.needs.iter().any(|need| word == need));
        let there = self.anywhere.as_ref().is_none_or(|word| {
            run.words
                .iter()
                .any(|one| one == word || one.starts_with(&format!("{word}Only")))
        });
        (needed && there).then_some(length)
    }

    /// The words of a command that are not options, values of options or
    /// assignments.
    fn plain<'w>(&self, words: &'w [String]) -> Vec<&'w String> {
        let mut all = Vec::new();
        let mut skip = false;
        for (at, word) in words.iter().enumerate() {
            if std::mem::take(&mut skip) {
                continue;
            }
            if at > 0 && word.starts_with('-') && word.len() > 1 {
                skip = self.values.iter().any(|known| known == word);
                continue;
            }
            let assigns = at > 0 && self.exact && word.contains('=');
            if !assigns {
                all.push(word);
            }
        }
        all
    }

    /// What the program does with these arguments.
    pub(super) fn works(&self, run: &Stripped) -> Vec<Work> {
        let named = |goals: &Vec<String>| {
            run.words.iter().skip(1).any(|word| {
                let goal = word.rsplit(':').next().unwrap_or(word);
                goals.iter().any(|known| known == goal)
            })
        };
        let left_out = |work: Work| {
            let options = self.not.get(&work);
            options.is_some_and(|options| run.words.iter().any(|word| options.contains(word)))
        };
        let all: Vec<Work> = if self.goals.is_empty() {
            self.work.clone()
        } else {
            let goals = self.goals.iter().filter(|(_, goals)| named(goals));
            goals.map(|(work, _)| *work).collect()
        };
        all.into_iter().filter(|work| !left_out(*work)).collect()
    }
}

/// Whether a word is one of a pattern: `test*` takes any that begins so,
/// `*.py` any that ends so.
fn is_flag(word: &str) -> bool {
    word.starts_with('-') && word.len() > 1
}

fn fits_word(pattern: &str, word: &str) -> bool {
    if let Some(start) = pattern.strip_suffix('*') {
        return word.starts_with(start) && !start.is_empty() || pattern == "*";
    }
    if let Some(end) = pattern.strip_prefix('*') {
        return word.ends_with(end);
    }
    pattern == word
}
