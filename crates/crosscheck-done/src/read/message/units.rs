//! Blocks cut into sentences, and sentences into clauses.

use std::rc::Rc;

use super::blocks::{Block, Shape};
use super::pack::{Pack, Phrases};
use super::tokens::{Token, What, tokens};

/// A sentence, a list item or a row of a table.
#[derive(Debug)]
pub(crate) struct Unit {
    pub(crate) tokens: Vec<Token>,
    pub(crate) is_row: bool,
    /// Whether it asks.
    pub(crate) is_question: bool,
    /// Whether it is a task that is still open.
    pub(crate) is_open_task: bool,
    /// Whether it is one that was ticked off.
    pub(crate) is_ticked: bool,
    /// Its heading, when it is part of a list.
    pub(crate) above: Vec<Rc<str>>,
}

/// All units of a text.
pub(super) fn units(text: &str, blocks: &[Block]) -> Vec<Unit> {
    let mut all = Vec::new();
    for block in blocks {
        let mut tokens = tokens(text, &block.lines);
        if block.shape == Shape::Row {
            // a label and its value are on two lines
            for token in tokens.iter_mut().filter(|one| one.what == What::NewLine) {
                token.what = What::Sign('|');
            }
        }
        if block.shape == Shape::DoneTask {
            let at = block.lines.first().map_or(0, |line| line.start);
            let tick = Token {
                what: What::Good,
                span: at..at,
                text: String::new(),
            };
            tokens.insert(0, tick);
        }
        for tokens in sentences(text, tokens, block.shape == Shape::Row) {
            let ends = tokens.iter().rev().map(|token| token.what);
            let is_question = ends
                .take_while(|what| matches!(what, What::Sign('?' | '!' | '‽')))
                .any(|what| what != What::Sign('!'));
            all.push(Unit {
                tokens,
                is_row: block.shape == Shape::Row,
                is_question,
                is_open_task: block.shape == Shape::OpenTask,
                is_ticked: block.shape == Shape::DoneTask,
                above: block.above.clone(),
            });
        }
    }
    all
}

fn sentences(text: &str, tokens: Vec<Token>, is_row: bool) -> Vec<Vec<Token>> {
    let mut all: Vec<Vec<Token>> = Vec::new();
    let mut open: Vec<Token> = Vec::new();
    let mut rest = tokens.into_iter().peekable();
    while let Some(token) = rest.next() {
        let next = rest.peek();
        if token.what == What::NewLine {
            if next.is_some_and(|next| begins_anew(text, open.last(), next)) {
                all.push(std::mem::take(&mut open));
            }
            continue;
        }
        let ends = !is_row && ends_sentence(&token, open.last(), next);
        open.push(token);
        if ends {
            all.push(std::mem::take(&mut open));
        }
    }
    all.push(open);
    all.retain(|tokens| !tokens.is_empty());
    all
}

fn ends_sentence(token: &Token, before: Option<&Token>, next: Option<&Token>) -> bool {
    let gap =
        next.is_none_or(|next| next.span.start > token.span.end || next.what == What::NewLine);
    match token.what {
        What::Sign('。' | '！' | '？') => true,
        What::Sign('!' | '?' | '‽') => {
            gap || next.is_some_and(|next| !(next.is_sign('!') || next.is_sign('?')))
        }
        What::Sign('.') => {
            let short = [
                "e.g", "i.e", "etc", "vs", "approx", "cf", "incl", "resp", "no",
            ];
            gap && !before.is_some_and(|before| short.contains(&before.word()))
        }
        _ => false,
    }
}

/// Whether a line begins another sentence, although the one before has no end.
fn begins_anew(text: &str, before: Option<&Token>, next: &Token) -> bool {
    const OPEN: [&str; 22] = [
        "in", "the", "a", "an", "of", "to", "and", "or", "with", "for", "from", "by", "on", "at",
        "is", "are", "all", "that", "as", "was", "were", "its",
    ];
    let goes_on = before.is_some_and(|before| before.is_sign(',') || OPEN.contains(&before.word()));
    let first = text
        .get(next.span.start..)
        .and_then(|rest| rest.chars().next());
    let lower = next.what == What::Word && first.is_some_and(char::is_lowercase);
    !goes_on && !lower
}

impl Unit {
    /// Whether it holds a number above zero.
    pub(crate) fn counts(&self) -> bool {
        let mut tokens = self.tokens.iter();
        tokens.any(|token| matches!(token.what, What::Number(number) if number > 0))
    }
}

/// A clause: some of the tokens of a unit, in order.
pub(crate) type Clause<'u> = Vec<&'u Token>;

/// Cuts a unit into clauses. What is in brackets is a clause of its own,
/// and the words around it belong together.
pub(crate) fn clauses<'u>(pack: &Pack, unit: &'u Unit) -> Vec<Clause<'u>> {
    let mut outer: Clause<'u> = Vec::new();
    let mut inner: Vec<Clause<'u>> = Vec::new();
    let mut depth = 0_usize;
    for token in &unit.tokens {
        match token.what {
            What::Sign('(') => {
                depth += 1;
                // "`cargo test` (all green)" speaks of the command
                let before = outer.last().filter(|before| before.what == What::Code);
                inner.push(before.into_iter().copied().collect());
            }
            What::Sign(')') => depth = depth.saturating_sub(1),
            _ if depth > 0 => {
                if let Some(last) = inner.last_mut() {
                    last.push(token);
                }
            }
            _ => outer.push(token),
        }
    }
    let mut all = split(pack, &outer, unit.is_row);
    for clause in inner {
        all.extend(split(pack, &clause, false));
    }
    all.retain(|clause| !clause.is_empty());
    all
}

fn split<'u>(pack: &Pack, tokens: &[&'u Token], is_row: bool) -> Vec<Clause<'u>> {
    if is_row {
        return vec![tokens.to_vec()];
    }
    let mut words = Words::of(pack);
    let mut all: Vec<Clause<'u>> = Vec::new();
    let mut open: Clause<'u> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let breaks = match token.what {
            What::Sign(';' | '；') => true,
            What::Sign('—' | '–') => is_apart(tokens, at),
            What::Good | What::Bad => !open.is_empty() && !words.opens_with_label(&open),
            What::Sign(',' | '，' | '、') => words.begins_clause(tokens, at + 1, &open),
            What::Word if words.breaks.has(&token.text) && !open.is_empty() => true,
            What::Word if token.text == "and" || token.text == "then" || token.text == "und" => {
                words.begins_clause(tokens, at + 1, &open)
            }
            _ => false,
        };
        if breaks {
            all.push(std::mem::take(&mut open));
            words.seen = 0;
            words.has_verb = false;
        }
        let is_mark = matches!(token.what, What::Sign(';' | '；'));
        if !is_mark {
            open.push(token);
        }
    }
    all.push(open);
    all
}

/// Whether a dash has blanks around it, and so parts two thoughts.
fn is_apart(tokens: &[&Token], at: usize) -> bool {
    let (Some(token), Some(next)) = (tokens.get(at), tokens.get(at + 1)) else {
        return false;
    };
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    before.is_some_and(|before| before.span.end < token.span.start)
        && token.span.end < next.span.start
        && !before
            .is_some_and(|before| before.word().is_empty() && before.what != What::Word && at == 1)
}

/// The words that decide where a clause begins.
struct Words<'p> {
    pack: &'p Pack,
    adv: &'p Phrases,
    breaks: &'p Phrases,
    verbs: &'p Phrases,
    pronouns: &'p Phrases,
    /// This many tokens of the open clause were searched for a verb.
    seen: usize,
    /// Whether there is one among them.
    has_verb: bool,
    /// The words before this place lead to what is there.
    lead: Option<Lead>,
}

/// Words such as "and then also", up to "I" or to the first other one.
struct Lead {
    start: usize,
    end: usize,
    /// Whether they end with "I" or "we".
    is_own: bool,
}

impl<'p> Words<'p> {
    fn of(pack: &'p Pack) -> Self {
        Self {
            pack,
            adv: pack.list("adv"),
            breaks: pack.list("clause_breaks"),
            verbs: pack.list("verbs"),
            pronouns: pack.list("pronouns"),
            seen: 0,
            has_verb: false,
            lead: None,
        }
    }

    /// Whether a verb of the agent's own doing is here.
    fn is_deed(&self, tokens: &[&Token], at: usize) -> bool {
        let word = tokens.get(at).map_or("", |token| token.word());
        self.pack.deeds.at(tokens, at).is_some()
            || (word.len() > 4 && word.ends_with("ed"))
            || word == "ran"
    }

    /// Whether the open clause has a verb. A phrase may begin before the end
    /// of what was searched last time.
    fn has_verb(&mut self, tokens: &[&Token]) -> bool {
        let no = self.pack.list("problems.no");
        let from = self.seen.saturating_sub(self.pack.longest);
        self.has_verb = self.has_verb
            || (from..tokens.len()).any(|at| {
                self.verbs.at(tokens, at).is_some()
                    || self.is_deed(tokens, at)
                    || is_predicate(self.pack, tokens, at)
                    || no.at(tokens, at).is_some()
            });
        self.seen = tokens.len();
        self.has_verb
    }

    /// The words from here on that lead to what is said; each is read once.
    fn lead(&mut self, tokens: &[&Token], start: usize) -> &Lead {
        const WORDS: [&str; 5] = ["and", "then", "also", "und", "so"];
        const OWN: [&str; 4] = ["i", "we", "i've", "we've"];
        let known = self.lead.take();
        let lead = known.filter(|lead| (lead.start..=lead.end).contains(&start));
        let lead = lead.unwrap_or_else(|| {
            let word = |at: usize| tokens.get(at).map_or("", |token| token.word());
            let mut end = start;
            let is_own = |at: usize| OWN.contains(&word(at));
            while !is_own(end) && (self.adv.has(word(end)) || WORDS.contains(&word(end))) {
                end += 1;
            }
            let is_own = is_own(end);
            Lead { start, end, is_own }
        });
        self.lead.insert(lead)
    }

    /// Whether what follows is a statement of its own, when the words before
    /// it are one already.
    fn begins_clause(&mut self, tokens: &[&Token], at: usize, open: &[&Token]) -> bool {
        if !self.has_verb(open) {
            return false;
        }
        let lead = self.lead(tokens, at);
        let at = lead.end;
        if lead.is_own || self.is_deed(tokens, at) || self.pronouns.at(tokens, at).is_some() {
            return true;
        }
        // a new subject with a predicate of its own, before the next sign
        let ahead = tokens.get(at..).unwrap_or_default().iter().take(12);
        let length = ahead.take_while(|token| !matches!(token.what, What::Sign(_)));
        let window = tokens.get(at..at + length.count()).unwrap_or_default();
        let subject = (0..window.len()).find(|place| is_subject(self.pack, window, *place));
        let none = self.pack.list("problems.no").at(window, 0).is_some();
        none || subject.is_some_and(|subject| {
            (subject + 1..window.len()).any(|place| {
                is_predicate(self.pack, window, place) || self.verbs.at(window, place).is_some()
            })
        })
    }

    /// `Tests: ✅` is one thing.
    fn opens_with_label(&self, open: &[&Token]) -> bool {
        let Some(last) = open.last() else {
            return false;
        };
        matches!(
            last.what,
            What::Sign(':' | '=' | '|' | '-' | '–' | '—' | '→')
        ) || {
            // a mark behind a short label
            open.len() <= 3 && (0..open.len()).any(|at| is_subject(self.pack, open, at))
                || open.len() == 1 && super::is_test_name(&last.text)
        }
    }
}

fn is_subject(pack: &Pack, tokens: &[&Token], at: usize) -> bool {
    pack.runs
        .iter()
        .any(|run| run.subject.at(tokens, at).is_some())
        || tokens.get(at).is_some_and(|token| token.what == What::Code)
}

fn is_predicate(pack: &Pack, tokens: &[&Token], at: usize) -> bool {
    pack.runs
        .iter()
        .any(|run| run.predicate.at(tokens, at).is_some() || run.adjective.at(tokens, at).is_some())
}
