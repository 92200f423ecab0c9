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

/// File extensions that people use in sentences. Some also end product names,
/// and count only with a folder or a line.
const ENDINGS: &str = " adoc asm astro awk bash bat bib c cc cfg cjs clj cmake conf cpp cs css csv \
    cxx dart diff docx ejs elm env erl ex exs f90 fish fs gd go gql gradle graphql groovy h hbs hcl \
    hpp hs htm html hxx ics ini ipynb j2 java jl jpeg jpg jsonc json jsonl jsx jinja kt kts less lisp \
    lock log lua m4 mak md mdx mjs mk ml mli mm mod nim nix npmrc odt org patch pdf php pl plist pm \
    png po pp proto ps1 psd pug py pyi pyx r rake rb res rkt rs rst sass scala scm scss sh sln sol \
    sql sum svelte svg swift tcl tex tf tfvars toml ts tsv tsx ttf txt v vb vim vue wasm xlsx xml \
    xsd xsl yaml yml zig zsh ";
const ALSO_PRODUCTS: &str = " js ";

/// The path in a word of a sentence, if the word can only be a path.
pub(crate) fn plain_path(word: &str) -> Option<(&str, Option<u64>)> {
    const AROUND: [char; 18] = [
        ',', ';', ':', '!', '(', ')', '[', ']', '"', '\'', '*', '_', '“', '”', '‘', '’', '«', '»',
    ];
    let word = word.trim_matches(AROUND).trim_end_matches('.');
    let word = word.trim_end_matches(AROUND);
    let (path, line) = claimed_path(word)?;
    let ending = path.rsplit_once('.')?.1.to_ascii_lowercase();
    let is_one_of = |endings: &str| endings.split_whitespace().any(|it| it == ending);
    let (first, has_folder) = match path.split_once('/') {
        Some((first, _)) => (first, true),
        None => (path, false),
    };
    // `example.com/a.html` is an address
    let is_address = has_folder && first.contains('.') && !first.starts_with('.');
    let is_file = is_one_of(ENDINGS) || (has_folder || line.is_some()) && is_one_of(ALSO_PRODUCTS);
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
