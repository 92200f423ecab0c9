//! Blocks cut into sentences.

use std::rc::Rc;

use super::blocks::{Block, Shape};
use super::normalise::Text;
use super::pack::{By, Pack};
use super::tokens::{Token, What, tokens};
use super::{Told, told};

/// A sentence, a list item or a row of a table.
#[derive(Debug)]
pub(crate) struct Unit {
    pub(crate) tokens: Vec<Token>,
    pub(super) shape: Shape,
    /// Whether it asks.
    pub(crate) is_question: bool,
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
                shape: block.shape,
                is_question,
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
    /// What its words tell, and those of the title right above it.
    pub(super) fn told(&self, text: &Text) -> Told {
        let start = self.tokens.first().map_or(0, |first| first.span.start);
        let end = self.tokens.last().map_or(start, |last| last.span.end);
        let own = told(text.norm.get(start..end).unwrap_or_default());
        let title = self.above.last().map(|title| told(title));
        let title = title.unwrap_or_default();
        // a tick can say it all
        let is_ticked = self.tokens.iter().any(|token| token.what == What::Good);
        Told {
            claims: own.claims | title.claims | if is_ticked { u16::MAX } else { 0 },
            ..own
        }
    }

    /// Whether a title above announces a plan. What is ticked off is not a
    /// plan, except in a test plan, which is a form.
    pub(super) fn is_planned(&self, pack: &Pack) -> bool {
        let titles = self
            .above
            .iter()
            .filter(|title| self.shape != Shape::DoneTask || title.contains("plan"));
        titles.into_iter().any(|title| {
            ["N10", "N10_label"].iter().any(|name| {
                let mut phrases = pack.all(pack.list(name));
                phrases.any(|phrase| holds(title, phrase, pack.by))
            })
        })
    }
}

/// Whether a title has these words in a row.
fn holds(title: &str, phrase: &str, by: By) -> bool {
    let mut places = title.match_indices(phrase).map(|(at, _)| at);
    by == By::Substring && title.contains(phrase)
        || places.any(|at| {
            let before = title.get(..at).unwrap_or_default();
            let behind = title.get(at + phrase.len()..).unwrap_or_default();
            (before.is_empty() || before.ends_with(' '))
                && (behind.is_empty() || behind.starts_with(' '))
        })
}
