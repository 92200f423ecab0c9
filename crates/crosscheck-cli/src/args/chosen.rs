//! The options of a table of the configuration. Each is declared there, once; here it
//! becomes an argument, and what was typed becomes the last layer of the configuration.

use std::marker::PhantomData;

use clap::builder::{PossibleValuesParser, TypedValueParser as _, ValueParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueHint};
use crosscheck::config::{Key, Preset, Settings, Table, Typed as TypedBy, ValueKind};
use serde_json::{Value, json};

/// A value, and the key that it is for.
pub(crate) type Typed = (&'static Table, &'static Key, Value);

/// What was typed of a table.
#[derive(Debug, Clone)]
pub(crate) struct Chosen<T> {
    pub(crate) values: Vec<Typed>,
    table: PhantomData<T>,
}

impl<T> Chosen<T> {
    /// Whether a key was typed.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.values.iter().any(|(_, key, _)| key.path == path)
    }
}

impl<T: Settings> Args for Chosen<T> {
    fn augment_args(command: Command) -> Command {
        command.args(T::TABLE.keys.iter().filter_map(argument))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<T: Settings> FromArgMatches for Chosen<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let typed = |key: &'static Key| Some((T::TABLE, key, value(key, matches)?));
        Ok(Self {
            values: T::TABLE.keys.iter().filter_map(typed).collect(),
            table: PhantomData,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// What was typed for a key, as a file would hold it.
fn value(key: &Key, matches: &ArgMatches) -> Option<Value> {
    let (long, names) = key.typed.option()?;
    if matches.value_source(long) != Some(ValueSource::CommandLine) {
        return None;
    }
    let names = names.count();
    if names == 0 {
        return Some(json!(!long.starts_with("no-")));
    }
    let values: Vec<&Value> = matches.get_many(long)?.collect();
    let joined = |part: &[&Value]| match part {
        [one] => (*one).clone(),
        several => {
            let words = several.iter().filter_map(|value| value.as_str());
            json!(words.collect::<Vec<_>>().join(" "))
        }
    };
    match key.kind {
        ValueKind::Program | ValueKind::Some(_) => Some(json!(values)),
        ValueKind::Texts => Some(values.chunks(names).map(joined).collect()),
        _ => values.last().map(|value| (*value).clone()),
    }
}

fn argument(key: &'static Key) -> Option<Arg> {
    let (long, names) = key.typed.option()?;
    let names: Vec<&str> = names.collect();
    let help = summary(key, long);
    let mut argument = Arg::new(long).long(long).help_heading(key.heading);
    if let Some((_, more)) = key.about.split_once("\n\n") {
        argument = argument.long_help(format!("{help}\n\n{more}"));
    }
    argument = argument.help(help);
    let Some(name) = names.first() else {
        return Some(argument.action(ArgAction::SetTrue));
    };
    let (kind, numbers) = (key.kind, names.len());
    argument = argument.ignore_case(matches!(key.typed, TypedBy::AnyCase(_)));
    argument = argument.value_hint(match *name {
        "FILE" | "FOLDER" | "FILE|URL" => ValueHint::AnyPath,
        "DIR" => ValueHint::DirPath,
        "ARGV" => ValueHint::CommandName,
        _ => ValueHint::Other,
    });
    argument = argument.value_names(names).value_parser(parser(kind));
    Some(match kind {
        ValueKind::Texts => argument.num_args(numbers).action(ArgAction::Append),
        ValueKind::Program => argument
            .num_args(1..)
            .value_terminator(";")
            .allow_hyphen_values(true),
        ValueKind::Some(_) => argument.value_delimiter(',').action(ArgAction::Append),
        _ => argument.allow_negative_numbers(true),
    })
}

fn parser(kind: ValueKind) -> ValueParser {
    match kind {
        ValueKind::Word(words) => ValueParser::new(
            PossibleValuesParser::new(words).map(|word| json!(word.to_lowercase())),
        ),
        ValueKind::Some(words) => {
            ValueParser::new(PossibleValuesParser::new(words).map(|word| json!(word)))
        }
        ValueKind::Flag => {
            let words = PossibleValuesParser::new(["true", "false"]);
            ValueParser::new(words.map(|word| json!(word == "true")))
        }
        _ => ValueParser::new(move |text: &str| kind.of_option(text)),
    }
}

/// What an option does, with its default.
fn summary(key: &Key, long: &str) -> String {
    let about = key.summary();
    if long.starts_with("no-") {
        let mut letters = about.chars();
        let first = letters.next().map(|first| first.to_ascii_lowercase());
        return format!("Do not {}{}", first.unwrap_or_default(), letters.as_str());
    }
    match key.default {
        Preset::Number(number) => format!("{about}; default {number}"),
        Preset::Text(word) => format!("{about}; default {word}"),
        Preset::Depends(text) => format!("{about}; default {text}"),
        Preset::Unset | Preset::Flag(_) | Preset::Texts(_) => about.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use clap::CommandFactory as _;
    use crosscheck::config::TABLES;

    use crate::args::Cli;

    #[test]
    fn an_option_of_a_table_is_declared_there_and_nowhere_else() {
        let mut longs = BTreeMap::new();
        for table in TABLES {
            for key in table.keys {
                if let Some((long, _)) = key.typed.option() {
                    let known = longs.insert((table.name, long), key.path);
                    assert_eq!(known, None, "{long} is declared twice");
                }
            }
        }
        assert!(longs.len() > 70, "{}", longs.len());
        // each is an argument of the commands that flatten its table
        for (command, tables) in [
            ("sources", &["sources", "fetch", "judge"][..]),
            ("claims", &["claims", "fetch", "judge"]),
            ("batch", &["fetch", "judge"]),
            ("mcp", &["fetch", "judge"]),
            ("verify", &["workspace"]),
            ("rows", &["rows"]),
            ("trace", &["trace"]),
        ] {
            let all = Cli::command();
            let command = all.find_subcommand(command).unwrap();
            for (_, long) in longs.keys().filter(|(table, _)| tables.contains(table)) {
                let known = command.get_arguments();
                let known = known.filter(|one| one.get_long() == Some(long)).count();
                assert_eq!(known, 1, "{} --{long}", command.get_name());
            }
        }
        // and no field of a struct of arguments has its name
        let declares = |text: &str, long: &str| {
            let field = format!("pub(crate) {}: ", long.replace('-', "_"));
            text.contains(&field)
        };
        for (tables, text) in [
            (
                &["sources", "fetch", "judge"][..],
                include_str!("sources.rs"),
            ),
            (&["claims", "fetch", "judge"], include_str!("claims.rs")),
            (&["done"], include_str!("done.rs")),
            (&["rows"], include_str!("rows.rs")),
            (&["trace"], include_str!("trace.rs")),
        ] {
            for (table, long) in longs.keys().filter(|(table, _)| tables.contains(table)) {
                assert!(
                    !declares(text, long),
                    "--{long} of [{table}] is declared again"
                );
            }
        }
    }
}
