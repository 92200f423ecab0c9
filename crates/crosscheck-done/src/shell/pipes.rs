//! Programs behind a pipe: those that hand on whole lines, and those that can
//! print something else. A summary that went through the second kind proves
//! nothing: `pytest | grep -o '[0-9]* passed'`.

use super::parse::{Node, Simple};
use super::strip::strip;
use super::words::{WORDS, has};

/// What the programs behind a pipe do with an output.
#[derive(Debug, Clone, Copy, Default)]
pub struct Behind {
    /// Whether there are any.
    pub piped: bool,
    /// Whether one of them can print something else.
    pub altered: bool,
    /// Whether one of them shows only a part of it.
    pub partly: bool,
    /// Whether one of them chooses lines by what they hold.
    pub sifted: bool,
}

impl Behind {
    /// The same with one more program in front.
    pub(super) fn through(self, node: &Node) -> Self {
        let name = match node {
            Node::Simple(simple) => program_of(simple).into_iter().next().unwrap_or_default(),
            _ => String::new(),
        };
        let sifted = has(&WORDS.pipes.sifters, &name);
        self.or(Self {
            piped: true,
            altered: alters(node),
            partly: sifted || has(&WORDS.pipes.part, &name),
            sifted,
        })
    }

    /// Both together.
    pub(super) const fn or(self, other: Self) -> Self {
        Self {
            piped: self.piped || other.piped,
            altered: self.altered || other.altered,
            partly: self.partly || other.partly,
            sifted: self.sifted || other.sifted,
        }
    }
}

fn program_of(simple: &Simple) -> Vec<String> {
    let words: Vec<String> = simple.words.iter().map(|word| word.text.clone()).collect();
    strip(&words).words
}

/// Whether a part of a pipe can print what it did not read.
fn alters(node: &Node) -> bool {
    match node {
        Node::Simple(simple) => simple_alters(simple),
        Node::Group(list, _) => {
            let mut nodes = list.items.iter().flat_map(|(pipeline, _)| &pipeline.nodes);
            nodes.any(alters)
        }
        Node::Compound(_) | Node::Function(_) => true,
    }
}

fn simple_alters(simple: &Simple) -> bool {
    let words = program_of(simple);
    let Some((program, rest)) = words.split_first() else {
        return false;
    };
    match program.as_str() {
        "sed" | "gsed" => rest.iter().any(|word| rewrites(word)),
        "awk" | "gawk" | "mawk" => rest.iter().any(|word| word.contains('{')),
        name if has(&WORDS.pipes.sifters, name) => rest.iter().any(|word| {
            let is_short = word.starts_with('-') && !word.starts_with("--");
            has(&WORDS.pipes.only, word) || is_short && word.contains('o')
        }),
        name => !has(&WORDS.pipes.whole, name),
    }
}

/// Whether a script of `sed` changes lines; taking colours out is not a change.
fn rewrites(word: &str) -> bool {
    if word.starts_with('-') {
        return false;
    }
    let mut colours = WORDS.pipes.colours.iter();
    if word.contains('\u{1b}') || colours.any(|colour| word.contains(colour.as_str())) {
        return false;
    }
    let command = word.trim_start_matches(|c: char| c.is_ascii_digit() || ",$ ;".contains(c));
    let behind = command.rsplit_once('/').map_or("", |(_, behind)| behind);
    let is_deletion =
        |text: &str| matches!(text.trim(), "p" | "d" | "q" | "" | "!d" | "!p" | "I p");
    !(is_deletion(command) || command.starts_with('/') && is_deletion(behind))
}
