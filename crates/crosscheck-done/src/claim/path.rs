//! Which words name a file. The lists are data: `patterns/files.toml`.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

use super::pack::quick_list;

/// What a path names: the path itself, without a line or column behind it.
pub(crate) fn in_code(word: &str) -> Option<String> {
    let path = without_place(word);
    (is_clean(path) && (has_slash(path) || has_extension(path) || is_known_name(path)))
        .then(|| path.to_owned())
        .filter(|path| !is_other(path))
}

/// The same for a word outside of code, where a slash may also mean "or".
pub(crate) fn in_prose(word: &str) -> Option<String> {
    let path = in_code(word)?;
    let is_title = ["README", "CHANGELOG", "LICENSE", "NOTICE", "AUTHORS"].contains(&path.as_str());
    if is_product(&path) || is_domain(&path) || is_title {
        return None;
    }
    let first = path.split('/').next().unwrap_or_default();
    let certain = has_extension(&path)
        || is_known_name(&path)
        || path.starts_with(['/', '.', '~'])
        || path.ends_with('/')
        || listed("folders", first);
    certain.then_some(path)
}

/// Whether the last part of a path has the extension of a file.
pub(crate) fn has_extension(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let Some((stem, extension)) = name.rsplit_once('.') else {
        return false;
    };
    if name.starts_with(".env") {
        return true;
    }
    let extension = extension.to_ascii_lowercase();
    !stem.is_empty() && listed("extensions", &extension)
        || (has_slash(path) && listed("late_extensions", &extension))
}

fn has_slash(path: &str) -> bool {
    path.contains('/')
}

/// Whether the last part of a path is a name that only files have.
pub(crate) fn is_known_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    listed("names", name) || (name.starts_with(".env") && !name.contains(' '))
}

fn is_clean(path: &str) -> bool {
    let odd = |c: char| c.is_whitespace() || "()<>{}*?|\"'`$,;=!".contains(c);
    !path.is_empty()
        && path.len() <= 300
        && !path.contains(odd)
        && !path.contains("://")
        && !path.contains("::") // a test within a file
}

/// Words with a dot or slash that are not files: versions, identifiers of
/// code, types of media, options.
fn is_other(path: &str) -> bool {
    let digits = path.trim_start_matches('v');
    let is_version = digits.contains('.') && digits.chars().all(|c| c.is_ascii_digit() || c == '.');
    let first = path.split('/').next().unwrap_or_default();
    let is_media = listed("media", first) && path.matches('/').count() == 1 && !has_extension(path);
    is_version
        || is_media
        || path.starts_with('-')
        || path.starts_with('@')
        || path.starts_with("//")
        || path == "/"
        || matches!(path, "process.env" | "import.meta.env" | "n/a" | "N/A")
        || (!has_slash(path) && is_product(path))
}

/// Products whose names end like files.
fn is_product(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    listed("products", &lower)
}

fn is_domain(path: &str) -> bool {
    let first = path.split('/').next().unwrap_or_default();
    let Some((_, last)) = first.rsplit_once('.') else {
        return false;
    };
    listed("domains", &last.to_ascii_lowercase()) && !first.starts_with('.')
}

/// A path without `:12`, `:12-14`, `:12:3`, `#L12` behind it.
fn without_place(word: &str) -> &str {
    let word = word.split_once("#L").map_or(word, |(path, _)| path);
    let is_place = |text: &str| {
        !text.is_empty()
            && text
                .chars()
                .all(|c| c.is_ascii_digit() || matches!(c, ':' | '-' | 'L'))
    };
    match word.split_once(':') {
        Some((path, place)) if is_place(place) => path,
        _ => word,
    }
}

/// Whether a list of `patterns/files.toml` has a word.
pub(crate) fn listed(name: &'static str, word: &str) -> bool {
    LISTS.get(name).is_some_and(|list| list.contains(word))
}

/// The words of a list.
pub(crate) fn words(name: &'static str) -> impl Iterator<Item = &'static str> {
    LISTS.get(name).into_iter().flatten().copied()
}

static LISTS: LazyLock<FxHashMap<&str, FxHashSet<&str>>> = LazyLock::new(|| {
    let text = include_str!("../../patterns/files.toml");
    let names = text
        .lines()
        .filter_map(|line| line.split_once(" = [").map(|(name, _)| name));
    names
        .map(|name| (name, quick_list(text, name).into_iter().collect()))
        .collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_distinguished_from_words_that_look_like_one() {
        for (word, expected) in [
            ("src/tok.py", Some("src/tok.py")),
            ("src/tok.py:2-3", Some("src/tok.py")),
            ("src/tok.py:2:14", Some("src/tok.py")),
            ("src/tok.py#L20-L30", Some("src/tok.py")),
            ("legacy.py", Some("legacy.py")),
            (".env", Some(".env")),
            (".env.example", Some(".env.example")),
            ("Makefile", Some("Makefile")),
            ("src/utils/", Some("src/utils/")),
            ("process.argv", None),
            ("JSON.stringify", None),
            ("console.log", None),
            ("logs/app.log", Some("logs/app.log")),
            ("process.env", None),
            ("1.2.3", None),
            ("v2.0", None),
            ("src/*.py", None),
            ("foo()", None),
            ("https://a.b/c.py", None),
            ("application/json", None),
            ("Node.js", None),
            ("@scope/pkg", None),
        ] {
            assert_eq!(in_code(word).as_deref(), expected, "{word}");
        }
    }

    #[test]
    fn in_prose_a_slash_alone_makes_no_path() {
        for (word, expected) in [
            ("and/or", None),
            ("pass/fail", None),
            ("origin/main", None),
            ("actions/checkout", None),
            ("src/parser", Some("src/parser")),
            ("./run", Some("./run")),
            ("README.md", Some("README.md")),
            ("Next.js", None),
            ("example.com", None),
            ("github.com/a/b.rs", None),
        ] {
            assert_eq!(in_prose(word).as_deref(), expected, "{word}");
        }
    }
}
