//! Names in a text: paths, identifiers, commit ids and commands that run a script.

use std::sync::LazyLock;

use regex::Regex;

use super::grammar::GRAMMAR;

/// The longest name that is looked at.
const MAX_NAME: usize = 300;

/// A name as it stands in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// Without what an author adds for readers: `./`, line numbers, brackets.
    pub text: String,
    /// What it looks like.
    pub form: NameForm,
    /// As it was written, for quotations.
    pub(super) written: String,
}

/// What a name looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameForm {
    /// A path that can be nothing else: it has a known ending, and is in code or has folders.
    FirmPath,
    /// A bare file name in prose.
    Path,
    /// Code with a slash, which may be a folder, or a route, or a branch.
    Slashed,
    /// An identifier in code that no plain word looks like.
    Shaped,
    /// A word in code.
    Word,
    /// A commit id.
    Commit,
    /// A command that runs a script of the project.
    Script,
    /// Other code.
    Code,
}

impl NameForm {
    /// The letter of its mark in a masked text.
    pub(super) const fn mark(self) -> char {
        match self {
            Self::FirmPath => 'f',
            Self::Path | Self::Slashed => 'p',
            Self::Shaped => 'c',
            Self::Word => 'w',
            Self::Commit => 'h',
            Self::Script => 'r',
            Self::Code => 'x',
        }
    }
}

/// The name in a code span.
pub(super) fn in_code(code: &str) -> Name {
    let code = code.trim();
    let made = |text: &str, form| Name {
        text: text.to_owned(),
        form,
        written: format!("`{code}`"),
    };
    if code.len() > MAX_NAME {
        return made(code, NameForm::Code);
    }
    if is_commit(code) {
        return made(code, NameForm::Commit);
    }
    if let Some(script) = script_of(code) {
        return made(&script, NameForm::Script);
    }
    let path = bare_path(code);
    if is_pathlike(path) && (has_ending(path) || path.contains('/') || code.ends_with('/')) {
        let form = if has_ending(path) {
            NameForm::FirmPath
        } else {
            NameForm::Slashed
        };
        return made(path, form);
    }
    let symbol = bare_symbol(code);
    let form = if !is_identifier(symbol) {
        NameForm::Code
    } else if is_shaped(symbol) || symbol.len() < code.len() {
        NameForm::Shaped
    } else {
        NameForm::Word
    };
    made(symbol, form)
}

/// The name that a word outside of code is, if any.
pub(super) fn in_prose(word: &str) -> Option<Name> {
    let made = |text: &str, form| {
        Some(Name {
            text: text.to_owned(),
            form,
            written: word.to_owned(),
        })
    };
    if word.len() > MAX_NAME || word.contains("://") {
        return None;
    }
    if is_commit(word) {
        return made(word, NameForm::Commit);
    }
    let path = bare_path(word);
    let has_folder = path.contains('/');
    let is_product = GRAMMAR.products.contains(&path.to_ascii_lowercase());
    if !is_pathlike(path) || !has_ending(path) || is_product {
        return None;
    }
    let form = if has_folder {
        NameForm::FirmPath
    } else {
        NameForm::Path
    };
    made(path, form)
}

/// A word that may be the name of a folder.
pub(super) fn word(word: &str) -> Name {
    Name {
        text: word.trim_end_matches('/').to_owned(),
        form: NameForm::Word,
        written: word.to_owned(),
    }
}

fn is_commit(word: &str) -> bool {
    let is_hex = word.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    let has = |kind: fn(&u8) -> bool| word.as_bytes().iter().any(kind);
    is_hex
        && (7..=64).contains(&word.len())
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
}

/// `npm run lint`, without its arguments.
fn script_of(code: &str) -> Option<String> {
    static SCRIPT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"^(?:\$ )?((?:npm|yarn|pnpm|bun) run|make|just|npm) ([A-Za-z][\w:./-]*)(?: .*)?$",
        )
        .ok()
    });
    let found = SCRIPT.as_ref()?.captures(code)?;
    let (runner, script) = (found.get(1)?.as_str(), found.get(2)?.as_str());
    let is_own = runner != "npm" || matches!(script, "test" | "start");
    is_own.then(|| format!("{runner} {script}"))
}

/// A path without `./`, a line number and a slash at its end.
fn bare_path(text: &str) -> &str {
    let text = text.strip_prefix("./").unwrap_or(text);
    let text = text.split_once("#L").map_or(text, |(path, _)| path);
    let is_lines =
        |tail: &str| !tail.is_empty() && tail.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    let text = match text.split_once(':') {
        Some((path, tail)) if tail.split(':').all(is_lines) => path,
        _ => text,
    };
    text.trim_end_matches('/')
}

fn is_pathlike(text: &str) -> bool {
    let is_part = |part: &str| {
        let may = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '+' | '[' | ']');
        !part.is_empty() && part.chars().all(may) && !part.chars().all(|c| c == '.')
    };
    let mut parts: Vec<&str> = text.split('/').collect();
    let last = parts.pop();
    last.is_some_and(is_part)
        && parts
            .into_iter()
            .all(|part| is_part(part) && !has_ending(part))
        && !text.starts_with('-')
        && text.contains(|c: char| c.is_alphabetic())
}

/// Whether the file has an ending that files of source, data and text have.
fn has_ending(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.').map(|(stem, ending)| {
        !stem.is_empty() && GRAMMAR.extensions.contains(&ending.to_ascii_lowercase())
    });
    ending == Some(true) || GRAMMAR.known_files.contains(name)
}

/// A symbol without its arguments and signs.
fn bare_symbol(code: &str) -> &str {
    let end = code.find(['(', '<', '=', '[']).unwrap_or(code.len());
    code.get(..end)
        .unwrap_or(code)
        .trim_end_matches(['!', ':', '?'])
}

fn is_identifier(symbol: &str) -> bool {
    let may = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '.' | '-' | '$' | '@' | '#');
    symbol.chars().filter(|c| c.is_alphabetic()).count() > 1 && symbol.chars().all(may)
}

/// Whether an identifier has a sign or a capital letter inside.
fn is_shaped(symbol: &str) -> bool {
    let tail: String = symbol.chars().skip(1).collect();
    let has_both = tail.chars().any(char::is_uppercase) && tail.chars().any(char::is_lowercase);
    symbol.starts_with("--") || symbol.contains("::") || tail.contains('_') || has_both
}
