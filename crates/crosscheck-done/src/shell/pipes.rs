//! Programs behind a pipe: those that hand on whole lines, and those that can
//! print something else. A summary that went through the second kind proves
//! nothing: `pytest | grep -o '[0-9]* passed'`.

use super::parse::{List, Node, Simple};
use super::strip::strip;

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
        self.or(Self {
            piped: true,
            altered: alters(node),
            partly: program(node, &["tail", "head", "less", "cut"]) || program(node, &SIFTERS),
            sifted: program(node, &SIFTERS),
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

const SIFTERS: [&str; 5] = ["grep", "egrep", "rg", "sed", "awk"];

/// Whether a part of a pipe is one of these programs.
fn program(node: &Node, names: &[&str]) -> bool {
    let Node::Simple(simple) = node else {
        return false;
    };
    let words = program_of(simple);
    words
        .first()
        .is_some_and(|first| names.contains(&first.as_str()))
}

/// Whether a part of a pipe can print what it did not read.
fn alters(node: &Node) -> bool {
    match node {
        Node::Simple(simple) => simple_alters(simple),
        Node::Group(list, _) => list_alters(list),
        Node::Compound(_) | Node::Function(_) => true,
    }
}

fn list_alters(list: &List) -> bool {
    let mut nodes = list.items.iter().flat_map(|(pipeline, _)| &pipeline.nodes);
    nodes.any(alters)
}

fn simple_alters(simple: &Simple) -> bool {
    let words = program_of(simple);
    let Some((program, rest)) = words.split_first() else {
        return false;
    };
    let has = |flags: &[&str]| rest.iter().any(|word| flags.contains(&word.as_str()));
    let short = |letter: char| {
        let mut rest = rest.iter();
        rest.any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(letter))
    };
    match program.as_str() {
        "tail" | "head" | "cat" | "tee" | "less" | "more" | "uniq" | "sort" | "nl" | "ts" | "col"
        | "strings" | "fold" | "wc" | "sponge" | "true" | ":" | "tac" | "pv" | "ansi2txt"
        // reporters
        | "xcpretty" | "xcbeautify" | "tap-spec" | "tap-dot" | "tap-min" | "faucet" | "gotestfmt"
        | "tparse" | "pino-pretty" | "cargo2junit" | "reviewdog" => false,
        "grep" | "egrep" | "fgrep" | "ggrep" => short('o') || has(&["--only-matching"]),
        "rg" | "ag" | "ack" => {
            short('o') || short('r') || has(&["--only-matching", "--replace", "--passthru"])
        }
        "sed" | "gsed" => rest.iter().any(|word| rewrites(word)),
        "awk" | "gawk" | "mawk" => rest.iter().any(|word| word.contains('{')),
        _ => true,
    }
}

/// Whether a script of `sed` changes lines; taking colours out is not a change.
fn rewrites(word: &str) -> bool {
    if word.starts_with('-') {
        return false;
    }
    let colours = [
        "\\x1b",
        "\\x1B",
        "\\033",
        "\\e[",
        "\u{1b}",
        "[0-9;]*m",
        "[0-9;]*[mGK",
    ];
    if colours.iter().any(|colour| word.contains(colour)) {
        return false;
    }
    let command = word.trim_start_matches(|c: char| c.is_ascii_digit() || ",$ ;".contains(c));
    let behind = command.rsplit_once('/').map_or("", |(_, behind)| behind);
    let is_deletion =
        |text: &str| matches!(text.trim(), "p" | "d" | "q" | "" | "!d" | "!p" | "I p");
    !(is_deletion(command) || command.starts_with('/') && is_deletion(behind))
}
