//! What can be typed is declared in `options.txt`, once; the structs of the commands say of
//! which type it is. Here both become arguments.

use std::collections::HashMap;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser as _, ValueParser};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueHint, value_parser};
use crosscheck::config::{Settings, seconds};
use crosscheck::render::Format;

use super::chosen::Chosen;

/// The declarations by the names of their sections.
static SECTIONS: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let sections = include_str!("options.txt").split("\n[").skip(1);
    sections.filter_map(|text| text.split_once("]\n")).collect()
});

/// A command, or a group of options that several commands have.
pub(crate) struct Section(&'static str);

impl Section {
    /// The section of this name; a test shows that every struct has one.
    pub(crate) fn of(name: &str) -> Self {
        let text = SECTIONS.get(name).copied();
        debug_assert!(text.is_some(), "options.txt has no [{name}]");
        Self(text.unwrap_or_default())
    }

    /// What holds for a whole command or group, before its options are added.
    pub(crate) fn begin(&self, command: Command) -> Command {
        self.directives()
            .fold(command, |command, (word, of)| match word {
                "heading" => command.next_help_heading(of),
                "or-command" => command
                    .args_conflicts_with_subcommands(true)
                    .subcommand_negates_reqs(true),
                "override-self" => command.args_override_self(true),
                "own-help" => command.disable_help_flag(true),
                _ => command,
            })
    }

    /// The same after them.
    pub(crate) fn end(&self, command: Command) -> Command {
        self.directives()
            .fold(command, |command, (word, of)| match word {
                "heading" => command.next_help_heading(None::<&str>),
                "own-help" => {
                    let help = Arg::new("help").long("help").short('h').help("Print help");
                    command.arg(help.action(ArgAction::Help))
                }
                "hide" => of.split(' ').fold(command, |command, id| {
                    command.mut_arg(id, |argument| argument.hide(true))
                }),
                _ => command,
            })
    }

    fn directives(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let lines = self.0.lines().filter_map(|line| line.strip_prefix('@'));
        lines.map(|line| line.split_once(' ').unwrap_or((line, "")))
    }

    /// With what the command is for.
    pub(crate) fn about(&self, command: Command) -> Command {
        let lines = self.0.lines().filter_map(|line| line.strip_prefix('='));
        let lines: Vec<&str> = lines.map(str::trim).collect();
        let paragraphs = lines.split(|line| line.is_empty());
        let paragraphs: Vec<String> = paragraphs.map(|lines| lines.join(" ")).collect();
        match paragraphs.as_slice() {
            [first, _, ..] => command
                .about(first.clone())
                .long_about(paragraphs.join("\n\n")),
            only => command.about(only.concat()),
        }
    }

    /// The declaration of a field: its line, and what it does.
    fn declaration(&self, id: &str) -> Option<(&'static str, String)> {
        let mut lines = self.0.lines();
        let line = lines.find(|line| {
            let name = line.split(' ').next().unwrap_or_default();
            !name.is_empty() && name.trim_start_matches("--").replace('-', "_") == id
        })?;
        let help = lines.map_while(|line| line.strip_prefix("  "));
        let help = help.collect::<Vec<_>>().join(" ");
        Some((line, help.replace("{formats}", &Format::NAMES.join(", "))))
    }

    /// The argument of a field. Its values are read by the first parser, or from 1 on by the
    /// second, unless they are listed.
    fn argument(&self, id: &'static str, parsers: Option<[ValueParser; 2]>) -> Arg {
        let declared = self.declaration(id);
        debug_assert!(declared.is_some(), "options.txt does not declare `{id}`");
        let (line, help) = declared.unwrap_or_default();
        let (line, heading) = line.split_once(" heading:").unwrap_or((line, ""));
        let mut words = line.split(' ');
        let mut argument = Arg::new(id).help(help);
        if let Some(long) = words.next().and_then(|name| name.strip_prefix("--")) {
            argument = argument.long(long);
        }
        if !heading.is_empty() {
            argument = argument.help_heading(heading);
        }
        if let Some([any, positive]) = parsers {
            let is_positive = line.contains(" positive");
            argument = argument.value_parser(if is_positive { positive } else { any });
        }
        words.fold(argument, |argument, word| {
            let (word, of) = word.split_once(':').unwrap_or((word, ""));
            match word {
                "writes" => argument.value_hint(ValueHint::FilePath),
                "folder" => argument.value_hint(ValueHint::DirPath),
                "reads" => argument.value_hint(ValueHint::AnyPath),
                "required" => argument.required(true),
                "unless" => argument.required_unless_present(of),
                "conflicts" => argument.conflicts_with_all(of.split(',')),
                "requires" => argument.requires(of),
                "default" => argument.default_value(of).required(false),
                "hide-default" => argument.hide_default_value(true),
                "hyphens" => argument.allow_hyphen_values(true),
                "negative" => argument.allow_negative_numbers(true),
                "commas" => argument.value_delimiter(','),
                "many" => argument.num_args(1..),
                "also" => argument.visible_alias(of),
                "alias" => argument.alias(of),
                "hide" => argument.hide(true),
                "global" => argument.global(true),
                "words" => argument.value_parser(PossibleValuesParser::new(of.split(','))),
                _ => short_or_value(argument, word),
            }
        })
    }
}

/// `-o`, or the `<FILE>` that is typed behind an option.
fn short_or_value(argument: Arg, word: &'static str) -> Arg {
    let letter = word.strip_prefix('-').and_then(|word| word.chars().next());
    match letter {
        Some(letter) => argument.short(letter),
        None if word.starts_with('<') => argument.value_name(word.trim_matches(['<', '>'])),
        None => argument,
    }
}

/// A part of what a command is given: an option, a group of options, or a subcommand.
pub(crate) trait Field: Sized {
    fn declared(command: Command, section: &Section, id: &'static str) -> Command;

    fn taken(matches: &ArgMatches, id: &str) -> Result<Self, clap::Error>;
}

/// What an option can hold.
pub(crate) trait Value: Clone + Send + Sync + 'static {
    fn parser() -> ValueParser;

    /// That of numbers from 1.
    fn positive() -> ValueParser {
        Self::parser()
    }
}

/// Both parsers of a type.
fn parsers<T: Value>() -> Option<[ValueParser; 2]> {
    Some([T::parser(), T::positive()])
}

impl Field for bool {
    fn declared(command: Command, section: &Section, id: &'static str) -> Command {
        command.arg(section.argument(id, None).action(ArgAction::SetTrue))
    }

    fn taken(matches: &ArgMatches, id: &str) -> Result<Self, clap::Error> {
        Ok(matches.get_flag(id))
    }
}

impl<T: Value> Field for T {
    fn declared(command: Command, section: &Section, id: &'static str) -> Command {
        let argument = section.argument(id, parsers::<T>());
        let is_needed = argument.get_default_values().is_empty();
        command.arg(argument.required(is_needed))
    }

    fn taken(matches: &ArgMatches, id: &str) -> Result<Self, clap::Error> {
        let value = matches.get_one(id).cloned();
        let missing = || clap::Error::raw(ErrorKind::MissingRequiredArgument, format!("no {id}\n"));
        value.ok_or_else(missing)
    }
}

impl<T: Value> Field for Option<T> {
    fn declared(command: Command, section: &Section, id: &'static str) -> Command {
        command.arg(section.argument(id, parsers::<T>()))
    }

    fn taken(matches: &ArgMatches, id: &str) -> Result<Self, clap::Error> {
        Ok(matches.get_one(id).cloned())
    }
}

impl<T: Value> Field for Vec<T> {
    fn declared(command: Command, section: &Section, id: &'static str) -> Command {
        let argument = section
            .argument(id, parsers::<T>())
            .action(ArgAction::Append);
        let is_named = argument.get_long().is_some();
        command.arg(if is_named {
            argument
        } else {
            argument.num_args(1..)
        })
    }

    fn taken(matches: &ArgMatches, id: &str) -> Result<Self, clap::Error> {
        let values = matches.get_many(id).into_iter().flatten();
        Ok(values.cloned().collect())
    }
}

impl<T: Settings> Field for Chosen<T> {
    fn declared(command: Command, _: &Section, _: &'static str) -> Command {
        Self::augment_args(command)
    }

    fn taken(matches: &ArgMatches, _: &str) -> Result<Self, clap::Error> {
        Self::from_arg_matches(matches)
    }
}

/// What options hold, and how it is read.
macro_rules! values {
    ($($type:ty => $parser:expr;)*) => { $(
        impl $crate::args::options::Value for $type {
            fn parser() -> clap::builder::ValueParser {
                $parser.into()
            }
        }
    )* };
}
pub(crate) use values;

values! {
    PathBuf => value_parser!(PathBuf);
    OsString => value_parser!(OsString);
    String => value_parser!(String);
    usize => value_parser!(usize);
    f64 => value_parser!(f64);
    SocketAddr => value_parser!(SocketAddr);
    Duration => ValueParser::new(time);
    Format => PossibleValuesParser::new(Format::NAMES).try_map(|name| name.parse::<Format>());
}

impl Value for u16 {
    fn parser() -> ValueParser {
        value_parser!(u16).into()
    }

    fn positive() -> ValueParser {
        value_parser!(u16).range(1..).into()
    }
}

impl Value for u64 {
    fn parser() -> ValueParser {
        value_parser!(u64).into()
    }

    fn positive() -> ValueParser {
        value_parser!(u64).range(1..).into()
    }
}

/// `5`, `0.5`, `5s` or `500ms`.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    Duration::try_from_secs_f64(seconds(text)?).map_err(|error| error.to_string())
}

/// Declares what commands and groups are given: the section of each, and its fields. What follows
/// a semicolon is typed nowhere.
macro_rules! options {
    ($($section:literal $name:ident { $($field:ident: $type:ty,)* $(; $own:ident: $own_type:ty)? })*) => { $(
        #[doc = concat!("What `", $section, "` is given.")]
        #[derive(Debug, Clone)]
        pub(crate) struct $name {
            $(pub(crate) $field: $type,)*
            $(pub(crate) $own: $own_type,)?
        }

        impl $crate::args::options::Field for $name {
            fn declared(
                command: clap::Command,
                _: &$crate::args::options::Section,
                _: &'static str,
            ) -> clap::Command {
                let section = $crate::args::options::Section::of($section);
                let command = section.begin(command);
                $(let command = <$type as $crate::args::options::Field>::declared(
                    command, &section, stringify!($field),
                );)*
                section.end(command)
            }

            fn taken(_matches: &clap::ArgMatches, _: &str) -> Result<Self, clap::Error> {
                Ok(Self {
                    $($field: $crate::args::options::Field::taken(_matches, stringify!($field))?,)*
                    $($own: <$own_type>::default(),)?
                })
            }
        }

        impl clap::Args for $name {
            fn augment_args(command: clap::Command) -> clap::Command {
                use $crate::args::options::{Field, Section};
                let section = Section::of($section);
                section.about(<Self as Field>::declared(command, &section, ""))
            }

            fn augment_args_for_update(command: clap::Command) -> clap::Command {
                Self::augment_args(command)
            }
        }

        impl clap::FromArgMatches for $name {
            fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
                $crate::args::options::Field::taken(matches, "")
            }

            fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
                *self = Self::from_arg_matches(matches)?;
                Ok(())
            }
        }
    )* };
}
pub(crate) use options;

/// Subcommands as fields: needed, or instead of options.
macro_rules! subcommands {
    ($($name:ident),*) => { $(
        impl $crate::args::options::Field for $name {
            fn declared(
                command: clap::Command,
                _: &$crate::args::options::Section,
                _: &'static str,
            ) -> clap::Command {
                let command = <$name as clap::Subcommand>::augment_subcommands(command);
                command.subcommand_required(true).arg_required_else_help(true)
            }

            fn taken(matches: &clap::ArgMatches, _: &str) -> Result<Self, clap::Error> {
                <$name as clap::FromArgMatches>::from_arg_matches(matches)
            }
        }

        impl $crate::args::options::Field for Option<$name> {
            fn declared(
                command: clap::Command,
                _: &$crate::args::options::Section,
                _: &'static str,
            ) -> clap::Command {
                <$name as clap::Subcommand>::augment_subcommands(command)
            }

            fn taken(matches: &clap::ArgMatches, _: &str) -> Result<Self, clap::Error> {
                let is_named = matches.subcommand_name().is_some();
                is_named.then(|| <$name as clap::FromArgMatches>::from_arg_matches(matches)).transpose()
            }
        }
    )* };
}
pub(crate) use subcommands;

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::args::Cli;

    #[test]
    fn what_is_declared_for_a_command_is_an_argument_of_it() {
        let mut program = Cli::command();
        program.build();
        let mut commands = 0;
        for (name, text) in SECTIONS.iter() {
            let mut path = name.split(' ');
            let found = path.try_fold(&program, |command, word| command.find_subcommand(word));
            let Some(command) = found else {
                continue; // a group
            };
            commands += 1;
            assert!(command.get_about().is_some(), "{name}");
            let is_option = |line: &&str| !line.is_empty() && !line.starts_with(['=', '@', ' ']);
            for line in text.lines().filter(is_option) {
                let id = line.split(' ').next().unwrap_or_default();
                let id = id.trim_start_matches("--").replace('-', "_");
                let known = command
                    .get_arguments()
                    .any(|one| one.get_id() == id.as_str());
                assert!(known, "{name}: {line}");
            }
        }
        assert!(commands > 50, "{commands}");
    }
}
