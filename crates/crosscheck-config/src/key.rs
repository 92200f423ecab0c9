//! A key of the configuration.

/// One table of the configuration file.
#[derive(Debug)]
pub struct Table {
    /// Its name in the file and, in capitals, in variables.
    pub name: &'static str,
    /// What it configures.
    pub about: &'static str,
    /// Every key.
    pub keys: &'static [Key],
}

/// One key of a table. Every key has a direction.
#[derive(Debug)]
pub struct Key {
    /// Path below the table, for example `verification.max_attempts`.
    pub path: &'static str,
    /// What it holds.
    pub kind: ValueKind,
    /// The value when no layer sets it.
    pub default: Preset,
    /// What a file of the project under check may do with it.
    pub direction: Direction,
    /// Who may type it as an option, and how.
    pub typed: Typed,
    /// The heading of the option in the help.
    pub heading: &'static str,
    /// What it means, as a fragment without a final period; further paragraphs are
    /// shown by `--help` alone.
    pub about: &'static str,
}

/// How a key is typed on the command line: `--name VALUE`, or `--name` for a switch.
/// A switch that begins with `--no-` sets `false`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typed {
    /// Not at all.
    Nowhere,
    /// By everyone.
    All(&'static str),
    /// By people; `cf-verify`, which agents call, refuses it.
    People(&'static str),
    /// By everyone, as a word in any letter case.
    AnyCase(&'static str),
}

impl Typed {
    /// The long name without its dashes, and the names of its values.
    pub fn option(self) -> Option<(&'static str, impl Iterator<Item = &'static str>)> {
        let (Self::All(text) | Self::People(text) | Self::AnyCase(text)) = self else {
            return None;
        };
        let mut words = text.trim_start_matches("--").split(' ');
        Some((words.next()?, words))
    }
}

/// A struct that holds the keys of one table, with the defaults filled in.
pub trait Settings: serde::de::DeserializeOwned {
    /// Its table.
    const TABLE: &'static Table;
}

/// What a key holds.
#[derive(Debug, Clone, Copy)]
pub enum ValueKind {
    /// A text that is not empty.
    Text,
    /// `true` or `false`.
    Flag,
    /// A whole number.
    Whole {
        /// The smallest.
        least: u64,
        /// The largest.
        most: u64,
    },
    /// A number of seconds, up to this many.
    Seconds(u32),
    /// A share from 0 to 1, as a number or as its digits.
    Share,
    /// One of these words, the most lenient first.
    Word(&'static [&'static str]),
    /// An absolute URL.
    Url,
    /// A list of texts.
    Texts,
    /// A program with its arguments.
    Program,
    /// `true` for all of these words, `false` for none, or a list of them; kept
    /// as a list.
    Some(&'static [&'static str]),
    /// A relative path that is not empty.
    RelativePath,
    /// A relative path or pattern, or a list of them; kept as a list.
    Paths,
    /// A day.
    Date,
    /// A table whose keys the owner checks.
    Table,
    /// A list of such tables.
    Tables,
}

/// The value when no layer sets a key.
#[derive(Debug, Clone, Copy)]
pub enum Preset {
    /// Nothing is set.
    Unset,
    /// A truth value.
    Flag(bool),
    /// A number.
    Number(f64),
    /// A text or word.
    Text(&'static str),
    /// A list.
    Texts(&'static [&'static str]),
    /// It depends; the text says on what.
    Depends(&'static str),
}

/// What a file may do with a key when the agent under check can write that
/// file: it can tighten the check, never loosen it.
#[derive(Debug, Clone, Copy)]
pub enum Direction {
    /// Nothing. Only the user sets it: with an option, a variable, the user's
    /// file, or a file named with `--config`. The text says why.
    StarterOnly(&'static str),
    /// Anything: no verdict depends on it.
    Harmless,
    /// Flags only to `true`, numbers only upwards, words only towards the end
    /// of their list; each compared with the layers below or the default.
    Up,
    /// As [`Direction::Up`], but no further than this number, so that no
    /// run waits for ever.
    UpTo(u32),
    /// The opposite of [`Direction::Up`].
    Down,
    /// Entries may be added to the list of the layers below.
    Grow,
    /// Entries may be removed from the list of the layers below.
    Shrink,
    /// Only this word.
    Only(&'static str),
}

impl Table {
    /// The key at this path.
    pub fn key(&self, path: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.path == path)
    }

    /// The variable that sets a key: `CROSSCHECK_CLAIMS_RISK`.
    pub fn variable(&self, key: &Key) -> String {
        self.variable_of(key.path)
    }

    pub(crate) fn variable_of(&self, path: &str) -> String {
        format!("{}{}", self.prefix(), path.replace('.', "_")).to_uppercase()
    }

    /// The prefix of this table's variables.
    pub(crate) fn prefix(&self) -> String {
        format!("CROSSCHECK_{}_", self.name.to_uppercase())
    }
}

impl Key {
    /// The first paragraph of what it means.
    pub fn summary(&self) -> &'static str {
        self.about.split("\n\n").next().unwrap_or_default()
    }
}

/// Declares a table: each key with kind, default, direction and meaning, and in
/// brackets how it is typed. With a name for it, the struct that the table is read
/// into is declared, too; each key then has a type; `@` comes before a path that is not
/// the name of its field.
macro_rules! table {
    (
        $(#[$meta:meta])*
        $name:ident = $table:literal, $about:literal;
        $( $path:literal $([$typed:expr])?: $kind:expr, $default:expr, $direction:expr, $says:literal; )+
    ) => {
        $(#[$meta])*
        pub const $name: $crate::Table = $crate::Table {
            name: $table,
            about: $about,
            keys: &[ $( $crate::Key {
                path: $path,
                kind: $kind,
                default: $default,
                direction: $direction,
                typed: $crate::key::typed_as!($($typed)?),
                heading: "Checking",
                about: $says,
            }, )+ ],
        };
    };
    (
        $(#[$meta:meta])*
        $name:ident, $settings:ident = $table:literal, $about:literal;
        $( $heading:literal { $(
            $field:ident $(@ $path:literal)?: $type:ty, $kind:expr, $default:expr, $direction:expr, $typed:expr, $says:literal;
        )+ } )+
    ) => {
        $(#[$meta])*
        pub const $name: $crate::Table = $crate::Table {
            name: $table,
            about: $about,
            keys: &[ $( $( $crate::Key {
                path: $crate::key::path_of!($field $($path)?),
                kind: $kind,
                default: $default,
                direction: $direction,
                typed: $typed,
                heading: $heading,
                about: $says,
            }, )+ )+ ],
        };

        $(#[$meta])*
        #[derive(Debug, Clone, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $settings { $( $(
            #[doc = $says]
            $( #[serde(rename = $path)] )?
            pub $field: $type,
        )+ )+ }

        impl $crate::Settings for $settings {
            const TABLE: &'static $crate::Table = &$name;
        }

        impl Default for $settings {
            fn default() -> Self {
                $crate::Config::default()
                    .chosen()
                    .expect("every default has the type of its key, which a test shows")
            }
        }
    };
}
pub(crate) use table;

/// How a key is typed: not at all unless it says so.
macro_rules! typed_as {
    () => {
        $crate::Typed::Nowhere
    };
    ($typed:expr) => {
        $typed
    };
}
pub(crate) use typed_as;

/// The path of a key: its own, or the name of its field.
macro_rules! path_of {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $path:literal) => {
        $path
    };
}
pub(crate) use path_of;
