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
        $vis:vis enum $name:ident {
            $( $variant:ident = $code:literal, $level:ident, $meaning:literal, help: $help:literal; )+
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis enum $name {
            $(
                #[doc = $meaning]
                $variant,
            )+
        }

        impl $name {
            /// Every reason of this declaration, in order.
            pub const ALL: &'static [&'static $crate::Reason] = &[
                $( &$crate::Reason {
                    code: $code,
                    level: $crate::Level::$level,
                    meaning: $meaning,
                    help: $help,
                }, )+
            ];

            /// Every variant, in the same order.
            pub const VARIANTS: &'static [Self] = &[ $( Self::$variant, )+ ];

            /// The declaration behind this reason.
            pub const fn reason(self) -> &'static $crate::Reason {
                match self {
                    $( Self::$variant => &$crate::Reason {
                        code: $code,
                        level: $crate::Level::$level,
                        meaning: $meaning,
                        help: $help,
                    }, )+
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
