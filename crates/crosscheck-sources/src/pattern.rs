//! Regular expressions that are part of the program. Each is built at its first
//! use, and a test of its own builds it too: one that does not compile ends a
//! test, and never switches a rule off in silence.

use std::ops::Deref;
use std::sync::LazyLock;

use regex::Regex;

/// A regular expression of the program.
pub(crate) struct Pattern(LazyLock<Regex>);

impl Pattern {
    pub(crate) const fn new(build: fn() -> Regex) -> Self {
        Self(LazyLock::new(build))
    }
}

impl Deref for Pattern {
    type Target = Regex;

    fn deref(&self) -> &Regex {
        &self.0
    }
}

/// Builds a pattern of the program.
#[expect(
    clippy::expect_used,
    reason = "every pattern is built by a test of its own"
)]
pub(crate) fn built(form: impl AsRef<str>) -> Regex {
    Regex::new(form.as_ref()).expect("a pattern of the program is a regular expression")
}

/// Declares a pattern, and the test that builds it.
macro_rules! pattern {
    ($(#[$about:meta])* $vis:vis $name:ident, $form:expr $(,)?) => {
        $(#[$about])*
        $vis static $name: $crate::pattern::Pattern =
            $crate::pattern::Pattern::new(|| $crate::pattern::built($form));

        #[cfg(test)]
        #[expect(non_snake_case, reason = "the test is named after its pattern")]
        mod $name {
            #[test]
            fn is_a_regular_expression() {
                assert!(!super::$name.as_str().is_empty());
            }
        }
    };
}
pub(crate) use pattern;
