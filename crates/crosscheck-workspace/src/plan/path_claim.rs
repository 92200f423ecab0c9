//! A file that a text names and that is to be checked (workspace 18).

/// A file that a report or the instructions name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PathClaim {
    /// The path as written, without the line.
    pub path: String,
    /// The last line it refers to.
    pub line: Option<u64>,
}

impl PathClaim {
    /// The claim in a token, if the token looks like a path.
    pub(crate) fn of(token: &str) -> Option<Self> {
        claimed_path(token).map(|(path, line)| Self {
            path: path.to_owned(),
            line,
        })
    }
}

/// Path and line of a token that looks like a path.
pub(crate) fn claimed_path(token: &str) -> Option<(&str, Option<u64>)> {
    let refused =
        |c: char| c.is_whitespace() || matches!(c, '*' | '?' | '{' | '}' | '<' | '>' | '|');
    if token.is_empty() || token.contains(refused) || token.contains("://") {
        return None;
    }
    let (path, line) = without_line(token);
    let has_ending = path.rsplit_once('.').is_some_and(|(_, ending)| {
        (1..=8).contains(&ending.len()) && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
    });
    (path.contains('/') || has_ending).then_some((path, line))
}

/// The path in a word of a sentence: with a folder, and an ending or a line.
pub(crate) fn plain_path(word: &str) -> Option<(&str, Option<u64>)> {
    let is_around = |c: char| "!\"'()*,:;[]_“”‘’«»".contains(c);
    let word = word.trim_matches(is_around).trim_end_matches('.');
    let (path, line) = claimed_path(word.trim_end_matches(is_around))?;
    let (first, rest) = path.split_once('/')?;
    // `example.com/a.html` is an address
    let is_address = first.contains('.') && !first.starts_with('.');
    let is_file = line.is_some() || rest.contains('.');
    (is_file && !is_address && path.is_ascii()).then_some((path, line))
}

/// Cuts `:12`, `:12-20` or `:12:5` off; the line is the last one.
fn without_line(token: &str) -> (&str, Option<u64>) {
    let whole = (token, None);
    let Some((rest, last)) = token.rsplit_once(':') else {
        return whole;
    };
    if let Some((from, to)) = last.split_once('-') {
        return match (number(from), number(to)) {
            (Some(from), Some(to)) => (rest, Some(from.max(to))),
            _ => whole,
        };
    }
    let Some(last) = number(last) else {
        return whole;
    };
    match rest
        .rsplit_once(':')
        .and_then(|(path, line)| Some((path, number(line)?)))
    {
        Some((path, line)) => (path, Some(line)),
        None => (rest, Some(last)),
    }
}

fn number(text: &str) -> Option<u64> {
    (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| text.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_a_path_when_it_looks_like_one() {
        type Expected = Option<(&'static str, Option<u64>)>;
        let table: &[(&str, Expected)] = &[
            ("src/a.rs", Some(("src/a.rs", None))),
            ("a.rs:12", Some(("a.rs", Some(12)))),
            ("a.rs:3-9", Some(("a.rs", Some(9)))),
            ("a.rs:3:77", Some(("a.rs", Some(3)))),
            ("docs/", Some(("docs/", None))),
            (".env", Some((".env", None))),
            ("LICENSE", None),
            ("https://a.example/b.html", None),
            ("src/*.rs", None),
            ("npm test", None),
            ("a.toolongend", None),
        ];
        for (token, expected) in table {
            let claim = PathClaim::of(token);
            let got = claim
                .as_ref()
                .map(|claim| (claim.path.as_str(), claim.line));
            assert_eq!(got, *expected, "{token}");
        }
    }
}
