//! Reason codes, declared once.
//!
//! Human output, `crosscheck explain`, SARIF rules and the generated reference
//! page all read the same declaration. A code never changes; the words around
//! it may improve.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The severity of a reason in a report.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Worth knowing; changes no verdict.
    Note,
    /// It could not be checked, or the result does not decide.
    Warning,
    /// The check found a difference, or the run could not be done.
    Error,
}

/// One declared reason.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// Stable code, for example `ROW_ABSENT`.
    pub code: &'static str,
    /// Severity in reports.
    pub level: Level,
    /// What it means, as a fragment without a final period.
    pub meaning: &'static str,
    /// One thing to try, imperative.
    pub help: &'static str,
}

/// The reason of this name in a table: name, code, level, meaning and help,
/// with tabs between them. For [`reasons!`](crate::reasons), which reads its
/// table while it is compiled: a name that is not there does not compile.
///
/// # Panics
///
/// While compiling, where the table does not hold the name or a level is none.
#[expect(clippy::panic, reason = "it ends the compiler, not a run")]
pub const fn declared(table: &'static str, name: &str) -> Reason {
    let mut rest = table;
    while !rest.is_empty() {
        let (line, below) = split(rest, b'\n');
        let (own, fields) = split(line, b'\t');
        if is_same(own, name) {
            let (code, fields) = split(fields, b'\t');
            let (level, fields) = split(fields, b'\t');
            let (meaning, help) = split(fields, b'\t');
            let level = match level.as_bytes() {
                b"Note" => Level::Note,
                b"Warning" => Level::Warning,
                b"Error" => Level::Error,
                _ => panic!("a level is Note, Warning or Error"),
            };
            return Reason {
                code,
                level,
                meaning,
                help,
            };
        }
        rest = below;
    }
    panic!("the table has no such reason")
}

/// What is before a byte, and what is behind it.
#[expect(
    clippy::indexing_slicing,
    reason = "the loop ends before the text does"
)]
const fn split(text: &'static str, at: u8) -> (&'static str, &'static str) {
    let bytes = text.as_bytes();
    let mut end = 0;
    while end < bytes.len() && bytes[end] != at {
        end += 1;
    }
    let (head, rest) = text.split_at(end);
    let (_, behind) = rest.split_at(if rest.is_empty() { 0 } else { 1 });
    (head, behind)
}

#[expect(
    clippy::indexing_slicing,
    reason = "the loop ends before either text does"
)]
const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    a.len() == b.len() && at == a.len()
}

/// Declares an enum of reason codes.
///
/// ```
/// crosscheck_core::reasons! {
///     /// Why a lamp is dark.
///     pub enum LampReason {
///         NoPower = "NO_POWER", Error,
///             "the socket gives no power",
///             help: "try another socket";
///     }
/// }
/// assert_eq!(LampReason::NoPower.code(), "NO_POWER");
/// assert_eq!(LampReason::ALL.len(), 1);
/// ```
#[macro_export]
macro_rules! reasons {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident from $table:expr; {
            $( $variant:ident, )+
        }
    ) => {
        $crate::reasons! {
            @items $(#[$meta])*
            $vis enum $name {
                $( [stringify!($variant)] $variant =
                    $crate::reason::declared($table, stringify!($variant)); )+
            }
        }
    };
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident {
            $( $variant:ident = $code:literal, $level:ident, $meaning:literal, help: $help:literal; )+
        }
    ) => {
        $crate::reasons! {
            @items $(#[$meta])*
            $vis enum $name {
                $( [$meaning] $variant = $crate::Reason {
                    code: $code,
                    level: $crate::Level::$level,
                    meaning: $meaning,
                    help: $help,
                }; )+
            }
        }
    };
    (
        @items $(#[$meta:meta])*
        $vis:vis enum $name:ident {
            $( [$doc:expr] $variant:ident = $reason:expr; )+
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis enum $name {
            $(
                #[doc = $doc]
                $variant,
            )+
        }

        impl $name {
            /// Every reason of this declaration, in order.
            pub const ALL: &'static [&'static $crate::Reason] = &[
                $( const { &$reason }, )+
            ];

            /// Every variant, in the same order.
            pub const VARIANTS: &'static [Self] = &[ $( Self::$variant, )+ ];

            /// The declaration behind this reason.
            pub const fn reason(self) -> &'static $crate::Reason {
                match self {
                    $( Self::$variant => const { &$reason }, )+
                }
            }

            /// The stable code.
            pub const fn code(self) -> &'static str {
                self.reason().code
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.code())
            }
        }
    };
}
