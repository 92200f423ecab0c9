//! A command line that the parser refuses: what of it still says where the
//! report goes.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::{Arg, Command, CommandFactory as _};

use crate::args::Cli;

/// Where the report of a refused command line goes, and how.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Destination {
    pub(super) out: Option<PathBuf>,
    pub(super) root: Option<PathBuf>,
    pub(super) compact: bool,
    /// The documents to verify, which must not be replaced.
    pub(super) inputs: Vec<PathBuf>,
}

impl Destination {
    /// Reads the words behind `claims` or `cf-verify`. What is named twice is
    /// not known; what belongs to another option is left to it.
    pub(super) fn of(words: &[OsString]) -> Self {
        let program = Cli::command();
        let mut found = Self::default();
        let (mut outs, mut roots) = (Vec::new(), Vec::new());
        let Some(claims) = program.find_subcommand("claims") else {
            return found;
        };
        let mut words = words.iter().skip(2).map(OsString::as_os_str).peekable();
        while let Some(word) = words.next() {
            let Some((option, attached)) = option_of(claims, word) else {
                continue;
            };
            let mut values: Vec<&OsStr> = attached.into_iter().collect();
            if attached.is_none() && option.get_action().takes_values() {
                take_values(option, &mut words, &mut values);
            }
            match option.get_long() {
                Some("out") => outs.extend(values),
                Some("root") => roots.extend(values),
                Some("result" | "batch" | "config" | "judge-replay" | "dns-fixture") => {
                    found.inputs.extend(values.iter().map(PathBuf::from));
                }
                Some("compact") => found.compact = true,
                _ => {}
            }
        }
        found.out = only(&outs);
        found.root = only(&roots);
        if found.root.is_none() && !roots.is_empty() {
            found.out = None;
        }
        found
    }
}

fn only(values: &[&OsStr]) -> Option<PathBuf> {
    match values {
        [value] if !value.is_empty() => Some(PathBuf::from(value)),
        _ => None,
    }
}

/// The long option that a word is, and the value attached to it.
fn option_of<'c, 'w>(claims: &'c Command, word: &'w OsStr) -> Option<(&'c Arg, Option<&'w OsStr>)> {
    let bytes = word.as_encoded_bytes().strip_prefix(b"--")?;
    let end = bytes.iter().position(|byte| *byte == b'=');
    let name = std::str::from_utf8(bytes.get(..end.unwrap_or(bytes.len()))?).ok()?;
    let option = claims
        .get_arguments()
        .find(|option| option.get_long() == Some(name))?;
    let attached = match (end, word.to_str()) {
        (None, _) => None,
        (Some(end), Some(text)) => Some(OsStr::new(text.get(end + 3..)?)),
        // A file name that is not UTF-8 can follow a blank.
        (Some(_), None) => return None,
    };
    Some((option, attached))
}

/// The words behind an option that are its values.
fn take_values<'w>(
    option: &Arg,
    words: &mut std::iter::Peekable<impl Iterator<Item = &'w OsStr>>,
    values: &mut Vec<&'w OsStr>,
) {
    if let Some(end) = option.get_value_terminator() {
        values.extend(words.take_while(|word| *word != end.as_str()));
        return;
    }
    let is_option = |word: &OsStr| word.as_encoded_bytes().starts_with(b"-");
    let fits = |word: &&OsStr| option.is_allow_hyphen_values_set() || !is_option(word);
    values.extend(words.next_if(fits));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn destination(line: &str) -> Destination {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        Destination::of(&words)
    }

    fn out(line: &str) -> Option<String> {
        let path = destination(&format!("crosscheck claims {line}")).out?;
        Some(path.display().to_string())
    }

    #[test]
    fn the_place_of_the_report_is_known_from_a_refused_command_line() {
        let table = [
            ("--risk zz --out o.json", Some("o.json")),
            ("--out=o.json --bogus", Some("o.json")),
            ("--bogus x --out o.json --compact", Some("o.json")),
            ("--line-slack -1 --out o.json", Some("o.json")),
            ("--judge-command x ; --out o.json", Some("o.json")),
            ("--out", None),
            ("--out --bogus", None),
            ("--out= --bogus", None),
            ("--out a --out b", None),
            ("--root a --root b --out c", None),
            ("--bogus", None),
        ];
        for (line, expected) in table {
            assert_eq!(out(line).as_deref(), expected, "{line}");
        }
        let whole = destination("crosscheck cf-verify --bogus --root=r --out o --compact");
        assert_eq!(whole.root, Some(PathBuf::from("r")));
        assert!(whole.compact);
    }

    #[test]
    fn words_that_belong_to_another_option_name_no_place() {
        for line in [
            "--result --out --bogus",
            "--search-command x --out o.json",
            "--judge-command x --out=o.json",
        ] {
            assert_eq!(out(line), None, "{line}");
        }
    }
}
