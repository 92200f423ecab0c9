//! The words of a command as a shell would cut them, with their places.

use std::ops::Range;

use crate::secrets;

/// A word with and without its quotation marks.
#[derive(Debug, Clone)]
pub(super) struct Word<'t> {
    /// Without quotation marks and brackets around it.
    pub(super) bare: &'t str,
    /// The place of the whole word.
    pub(super) raw: Range<usize>,
    /// Whether a comma ends it: a word of a sentence, and not an option with a value.
    pub(super) ends_list: bool,
    start: usize,
}

impl Word<'_> {
    fn new(text: &str, raw: Range<usize>) -> Word<'_> {
        let whole = text.get(raw.clone()).unwrap_or_default();
        let inner = whole.trim_start_matches(['[', '{', '\\', '$']);
        let inner = inner.strip_prefix(['"', '\'']).unwrap_or(inner);
        let start = raw.start + whole.len() - inner.len();
        let bare = inner.trim_end_matches([']', '}', ',', '\\']);
        let bare = bare.strip_suffix(['"', '\'']).unwrap_or(bare);
        let bare = bare.strip_suffix('\\').unwrap_or(bare);
        let ends_list = whole.ends_with(',');
        Word {
            bare,
            raw,
            ends_list,
            start,
        }
    }

    /// The place of the bare word.
    pub(super) fn inside(&self) -> Range<usize> {
        self.start..self.start + self.bare.len()
    }

    pub(super) fn is_quoted(&self) -> bool {
        self.start > self.raw.start
    }
}

/// A command between two separators.
#[derive(Debug, Default)]
pub(super) struct Segment<'t> {
    /// Its words.
    pub(super) words: Vec<Word<'t>>,
    /// Whether the next command reads what this one writes.
    pub(super) is_piped: bool,
}

impl Segment<'_> {
    /// Whether it is a command that sets or sends secrets: then its words that look like one are. Prose
    /// has capitals, or more words.
    pub(super) fn is_about_secrets(&self) -> bool {
        const COMMAND: usize = 6;
        let words: Vec<&str> = self.words.iter().map(|word| word.bare).collect();
        let is_option = |word: &&str| word.starts_with('-') || word.contains('=');
        let first = words.first().copied().unwrap_or_default();
        let is_short = words.len() <= COMMAND && first.starts_with(char::is_lowercase);
        let is_command = is_short || words.iter().any(is_option);
        let mut places = (0..words.len().min(4)).filter_map(|at| words.get(at..));
        places.any(|words| secrets::handles_secrets(words, is_command))
    }

    /// Whether what it prints goes to a file of secrets: `echo … > ~/.pgpass`.
    pub(super) fn keeps_secret(&self) -> bool {
        let mut words = self.words.iter().map(|word| word.bare).peekable();
        while let Some(word) = words.next() {
            let Some((_, target)) = word.split_once('>') else {
                continue;
            };
            let target = target.trim_start_matches('>');
            let target = if target.is_empty() {
                words.peek().copied().unwrap_or_default()
            } else {
                target
            };
            let path: Vec<String> = target.split('/').map(str::to_lowercase).collect();
            if secrets::is_secret_file(&path) && !target.is_empty() {
                return true;
            }
        }
        false
    }

    /// Whether it reads a secret from its input.
    pub(super) fn reads_secret(&self) -> bool {
        let reads = |word: &Word<'_>| {
            secrets::reads_secret(word.bare) || secrets::is_surely_secret(word.bare)
        };
        self.words.iter().any(reads)
    }
}

/// A text cut into commands and words. A quotation mark counts where its end is there, too: prose has
/// apostrophes.
pub(super) fn segments(text: &str) -> Vec<Segment<'_>> {
    let mut all = Vec::new();
    let mut segment = Segment::default();
    let mut begin = None;
    let mut letters = text.char_indices().peekable();
    let last = |quote: char| text.rfind(quote).unwrap_or(0);
    let ends = [('"', last('"')), ('\'', last('\''))];
    let mut before = ' ';
    while let Some((at, letter)) = letters.next() {
        let last = std::mem::replace(&mut before, letter);
        let is_comment = letter == '#' && last.is_whitespace();
        let separates = is_comment || matches!(letter, '|' | ';' | '&' | '\n' | '(' | ')' | '`');
        // a line feed in JSON
        let is_feed = letter == '\\'
            && letters
                .next_if(|(_, next)| matches!(next, 'n' | 'r' | 't'))
                .is_some();
        let is_comma = letter == ',' && matches!(last, '"' | '\'');
        if separates || is_feed || is_comma || letter.is_whitespace() {
            if let Some(from) = begin.take() {
                segment.words.push(Word::new(text, from..at));
            }
            if separates {
                let is_double =
                    letter == '|' && letters.next_if(|(_, next)| *next == '|').is_some();
                segment.is_piped = letter == '|' && !is_double;
                all.push(std::mem::take(&mut segment));
            }
            continue;
        }
        begin.get_or_insert(at);
        let is_open = ends
            .iter()
            .any(|(quote, end)| *quote == letter && *end > at);
        if is_open && !last.is_alphanumeric() {
            let mut is_escaped = false;
            for (_, inner) in letters.by_ref() {
                if inner == letter && !is_escaped {
                    break;
                }
                is_escaped = inner == '\\' && !is_escaped && letter == '"' && last != '\\';
            }
        }
    }
    if let Some(from) = begin {
        segment.words.push(Word::new(text, from..text.len()));
    }
    all.push(segment);
    all
}
