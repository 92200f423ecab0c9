//! Lists of words, from `lists.txt`.

use std::collections::HashSet;
use std::sync::LazyLock;

/// A list of words.
pub(crate) type List = LazyLock<HashSet<&'static str>>;

/// The words of the list with this name.
pub(crate) fn words(name: &str) -> HashSet<&'static str> {
    let mut lines = include_str!("lists.txt").lines();
    let is_name = |line: &str| {
        line.strip_prefix('[')
            .and_then(|line| line.strip_suffix(']'))
            == Some(name)
    };
    lines.by_ref().find(|line| is_name(line));
    let own = lines.take_while(|line| !line.starts_with('['));
    own.flat_map(str::split_whitespace).collect()
}

/// Declares a list, and the test that finds it.
macro_rules! list {
    ($(#[$about:meta])* $name:ident, $words:literal $(,)?) => {
        $(#[$about])*
        static $name: $crate::lists::List =
            std::sync::LazyLock::new(|| $crate::lists::words($words));

        #[cfg(test)]
        #[expect(non_snake_case, reason = "the test is named after its list")]
        mod $name {
            #[test]
            fn has_words() {
                assert!(!super::$name.is_empty());
            }
        }
    };
}
pub(crate) use list;
