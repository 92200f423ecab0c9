//! The worked examples of `--help`, and the usage lines that the parser cannot
//! make. They are data, so that an example touches one place.

use std::fmt::Write as _;

use clap::Command;

const EXAMPLES: &str = include_str!("examples.txt");

/// What the examples say about one command.
struct Section<'t> {
    /// Without the name of the program: `trace diff`.
    command: &'t str,
    usage: Option<&'t str>,
    /// Lines to type, with what they do.
    lines: Vec<(&'t str, &'t str)>,
}

fn sections() -> Vec<Section<'static>> {
    let mut sections: Vec<Section<'static>> = Vec::new();
    for line in EXAMPLES.lines() {
        let name = line
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'));
        if let Some(command) = name {
            sections.push(Section {
                command,
                usage: None,
                lines: Vec::new(),
            });
        }
        let Some(section) = sections.last_mut() else {
            continue;
        };
        if let Some(usage) = line.strip_prefix("usage ") {
            section.usage = Some(usage);
        } else if let Some(typed) = line.strip_prefix("$ ") {
            section.lines.push((typed, ""));
        } else if let (Some(does), Some(last)) = (line.strip_prefix("  "), section.lines.last_mut())
        {
            last.1 = does;
        }
    }
    sections
}

/// The command with the examples of itself and of all below it.
pub(crate) fn with_examples(command: Command) -> Command {
    sections().into_iter().fold(command, |command, section| {
        let path: Vec<&str> = section.command.split(' ').collect();
        below(command, &path, &section)
    })
}

fn below(command: Command, path: &[&str], section: &Section<'static>) -> Command {
    let Some((name, rest)) = path.split_first() else {
        let mut text = String::from("Examples:");
        for (typed, does) in &section.lines {
            let _ = write!(text, "\n  {typed}\n      {does}");
        }
        let command = command.after_help(text);
        return match section.usage {
            Some(usage) => command.override_usage(usage),
            None => command,
        };
    };
    // `rows` and `quick` are parsed without the other commands
    if command.find_subcommand(name).is_none() {
        return command;
    }
    command.mut_subcommand(name, |inner| below(inner, rest, section))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::args::Cli;

    #[test]
    fn every_command_has_two_examples_and_each_of_them_is_understood() {
        fn walk(command: &Command, path: &str, all: &[Section<'_>], missing: &mut Vec<String>) {
            for inner in command.get_subcommands().filter(|one| !one.is_hide_set()) {
                let path = format!("{path} {}", inner.get_name());
                let path = path.trim();
                let known = all.iter().find(|section| section.command == path);
                if known.is_none_or(|section| section.lines.len() < 2) {
                    missing.push(path.to_owned());
                }
                walk(inner, path, all, missing);
            }
        }
        let all = sections();
        let mut missing = Vec::new();
        walk(&Cli::command(), "", &all, &mut missing);
        assert_eq!(missing, Vec::<String>::new(), "add them to examples.txt");
        for section in &all {
            for (typed, does) in &section.lines {
                let typed = typed.split(" && ").next().unwrap_or_default();
                let typed = typed.split(" < ").next().unwrap_or_default();
                let words = typed.split(' ').map(|word| word.replace('"', ""));
                assert!(
                    typed.starts_with(&format!("crosscheck {}", section.command)),
                    "{typed}"
                );
                assert!(!does.is_empty(), "{typed}");
                let parsed = Cli::command().try_get_matches_from(words);
                assert!(parsed.is_ok(), "{typed}: {:?}", parsed.err());
            }
        }
    }
}
