//! A clause is read whole, unless it is longer than any that somebody wrote:
//! then piece by piece, because its words are compared with each other.

use super::found::{Found, Place};
use super::pack::Pack;
use super::tokens::{Token, What};

/// At most this many words of a clause are read together.
const MAX_PIECE: usize = 512;
/// What is said this near to where a clause was cut is read in the other piece.
const MARGIN: usize = 64;
/// How far the beginnings of two pieces are apart: they share the words
/// around a cut.
const STEP: usize = MAX_PIECE - 2 * MARGIN;

/// Stands for the words before a piece.
static BEFORE: Token = Token {
    what: What::Masked,
    span: 0..0,
    text: String::new(),
};

/// Some words of a clause.
pub(super) struct Piece<'u> {
    pub(super) tokens: Vec<&'u Token>,
    /// Where it begins in its clause.
    start: usize,
    /// What is said here belongs to it.
    own: Place,
}

/// A clause as pieces; nearly always it is one.
pub(super) fn of<'u>(pack: &Pack, clause: &[&'u Token]) -> Vec<Piece<'u>> {
    if clause.len() <= MAX_PIECE {
        return vec![Piece {
            tokens: clause.to_vec(),
            start: 0,
            own: Place::new(0, clause.len()),
        }];
    }
    let openers = clause.iter().take_while(|token| is_opener(pack, token));
    let opening = openers.count();
    let mut all = Vec::new();
    let mut start = 0;
    loop {
        let end = clause.len().min(start + MAX_PIECE);
        let is_last = end == clause.len();
        let mut tokens = clause.get(start..end).unwrap_or_default().to_vec();
        if let Some(first) = tokens.first_mut()
            && opening < start
        {
            *first = &BEFORE;
        }
        let from = if start == 0 { 0 } else { MARGIN };
        let to = tokens.len() - if is_last { 0 } else { MARGIN };
        all.push(Piece {
            tokens,
            start,
            own: Place::new(from, to),
        });
        if is_last {
            return all;
        }
        start += STEP;
    }
}

/// Whether a statement may begin behind this word as at the beginning of a
/// clause.
pub(super) fn is_opener(pack: &Pack, token: &Token) -> bool {
    match token.what {
        What::Word => pack.list("openers").has(&token.text) || pack.list("adv").has(&token.text),
        What::Good | What::Number(_) | What::Sign(_) => true,
        _ => false,
    }
}

impl Piece<'_> {
    /// What was found in the piece, with its places in the clause.
    pub(super) fn in_clause(&self, found: Vec<Found>) -> Vec<Found> {
        let moved = |place: Place| Place::new(place.start + self.start, place.end + self.start);
        let own = found
            .into_iter()
            .filter(|one| self.own.has(one.predicate.start));
        own.map(|one| Found {
            quote: moved(one.quote),
            predicate: moved(one.predicate),
            ..one
        })
        .collect()
    }
}
