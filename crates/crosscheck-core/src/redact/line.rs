//! Commands, lines of output and prose without the secrets in them.
//!
//! One rule for all of them: what bears the name of a secret (`TOKEN=…`, `"password": …`,
//! `--api-key …`, `X-Api-Key: …`, `?sig=…`) is masked up to the next separator, and so is what is
//! a secret by its shape. A command has three more places for one: behind an option of one letter of
//! the programs listed in `secrets.txt`, among the words of a command that is about secrets, and in what is
//! handed to such a command through a pipe. Where nobody can know, it is masked.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use regex::Regex;

use super::words::{Segment, Word, segments};
use crate::secrets::{
    self, is_opaque, is_passing, is_secret_compound, is_secret_in_url, is_surely_secret,
    names_things, sounds_secret,
};

/// What is in the place of a secret.
const REDACTED: &str = "[redacted]";
/// So far the end of a value in brackets is looked for.
const BRACKET_MAX: usize = 4096;
/// Words before the secret of a header.
const SCHEMES: [&str; 5] = ["bearer", "basic", "token", "apikey", "digest"];
/// How deep commands inside of commands are read.
const DEPTH: usize = 3;

/// A command or a line of output as it may be shown.
pub fn redacted(text: &str) -> String {
    without_secrets(text, REDACTED).into_owned()
}

/// Whether a text holds a secret.
pub fn holds_secret(text: &str) -> bool {
    matches!(without_secrets(text, REDACTED), Cow::Owned(_))
}

/// A text with a mark in the place of every secret.
pub fn without_secrets<'t>(text: &'t str, mark: &str) -> Cow<'t, str> {
    if !secrets::may_hold_secret(text) {
        return Cow::Borrowed(text);
    }
    let mut found = secrets::keys_in(text);
    in_patterns(text, &mut found);
    in_rows(text, &mut found);
    in_names(text, &mut found);
    in_commands(text, 0, DEPTH, &mut found);
    found.retain(|span| !is_mask(text.get(span.clone()).unwrap_or_default()));
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    found.sort_by_key(|span| (span.start, span.end));
    let mut shown = String::with_capacity(text.len());
    let mut at = 0;
    for span in found {
        if span.start >= at {
            shown.push_str(text.get(at..span.start).unwrap_or_default());
            shown.push_str(mark);
        }
        at = at.max(span.end);
    }
    shown.push_str(text.get(at..).unwrap_or_default());
    Cow::Owned(shown)
}

/// Whether a value was masked before, by whatever mark, or is none.
fn is_mask(value: &str) -> bool {
    let value = value.trim_matches(['"', '\'', '\\', '.', ',', ')']);
    matches!(value, "" | "***" | REDACTED | "<secret>" | "<redacted>")
}

/// Secrets that are known by what is around them; the group `secret` is one. A pattern is built
/// when a text holds its sign, in small letters: most texts hold none, and building takes longer than all else.
static PATTERNS: LazyLock<Vec<(&str, String, OnceLock<Regex>)>> = LazyLock::new(|| {
    /// The end of a text that was cut off, with the brackets around it.
    const CUT: &str = r#"(?:…|\.\.\.)[)\]}"'`]*$"#;
    let starts = secrets::key_starts().map(regex::escape).collect::<Vec<_>>();
    let starts = starts.join("|");
    let table = [
        ("-----begin", r"(?s)(?P<secret>-----BEGIN [A-Z ]+-----.*?(?:-----END [A-Z ]+-----|$))".to_owned()),
        ("bearer", r#"(?i)\bbearer\s+(?P<secret>"[^"\s]*"[a-z0-9._~+/=-]+|[a-z0-9._~+/=-]{8,})"#.to_owned()),
        ("/bot", r"(?i)/bot(?P<secret>\d{6,}:[a-z0-9_-]{16,})".to_owned()),
        ("hooks.slack", r"(?i)\bhooks\.slack\.com/[a-z]+/(?P<secret>[^\s'\x22?#]+)".to_owned()),
        // `user:secret@host` without a scheme
        ("@", r"(?:^|[\s'\x22=(])[\w.-]+:(?P<secret>[^\s/@:'\x22]*(?:\d[^\s/@:'\x22]*[A-Za-z]|[A-Za-z][^\s/@:'\x22]*\d)[^\s/@:'\x22]*)@(?:(?P<digest>sha\d+:)|[A-Za-z])".to_owned()),
        // where a text was cut off, a secret may have lost the end that shows it
        ("://", format!(r"[A-Za-z][A-Za-z0-9+.-]*://(?P<secret>[^\s/]*?){CUT}")),
        ("…", format!(r"\b(?P<secret>(?:{starts})[A-Za-z0-9._-]*?){CUT}")),
        ("bearer", format!(r"(?i)\bbearer\s+(?P<secret>\S*?){CUT}")),
        ("@", r"^(?:…|\.\.\.)(?P<secret>[^\s/]*)@".to_owned()),
    ];
    let table = table.into_iter();
    table
        .map(|(sign, pattern)| (sign, pattern, OnceLock::new()))
        .collect()
});

#[expect(
    clippy::expect_used,
    reason = "a pattern that is left out would show secrets"
)]
fn valid(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the patterns above are valid")
}

fn in_patterns(text: &str, found: &mut Vec<Range<usize>>) {
    let lower = text.to_lowercase().replace("...", "…");
    let may_hold = |sign: &str| lower.contains(sign);
    for (_, pattern, built) in PATTERNS.iter().filter(|(sign, ..)| may_hold(sign)) {
        let secrets = built.get_or_init(|| valid(pattern)).captures_iter(text);
        // `image:tag@sha256:…` has no user
        let secrets = secrets.filter(|all| all.name("digest").is_none());
        found.extend(secrets.filter_map(|all| Some(all.name("secret")?.range())));
    }
}

/// `INSERT INTO users (name, password) VALUES ('me', '…')`: the columns name a secret, and which of the
/// values it is need not be told.
fn in_rows(text: &str, found: &mut Vec<Range<usize>>) {
    static ROWS: LazyLock<Regex> =
        LazyLock::new(|| valid(r"(?i)\((?P<columns>[^()]*)\)\s*values\s*\((?P<secret>[^;]*)"));
    if !text.contains('(') || !text.to_ascii_lowercase().contains("values") {
        return;
    }
    for all in ROWS.captures_iter(text) {
        let columns = all.name("columns").map_or("", |columns| columns.as_str());
        let mut columns = columns.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        if columns.any(secrets::is_secret_field) {
            found.extend(all.name("secret").map(|secret| secret.range()));
        }
    }
}

/// A name with the sign behind it: `NAME=`, `"name": `, `name => `, `<name>`, `"name", `, `name("`.
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    valid(
        r#"(?P<name>(?i:mot de passe)|[\p{L}_][\p{L}\p{N}_.-]*(?:(?:'\w+'|"\w+")\w*)*)(?P<quote>(?:\\*["'`]\]?)?)[ \t]*(?P<sign>\+?=>?|:=?|：|＝|>|,|\(|value=)[ \t]*"#,
    )
});

/// What is assigned to the name of a secret.
fn in_names(text: &str, found: &mut Vec<Range<usize>>) {
    if !text.contains(['=', ':', '：', '＝', '>', ',']) {
        return;
    }
    let mut at = 0;
    for all in NAMED.captures_iter(text) {
        let (Some(whole), Some(name), Some(quote), Some(sign)) = (
            all.get(0),
            all.name("name"),
            all.name("quote"),
            all.name("sign"),
        ) else {
            continue;
        };
        let before = text.get(..name.start()).unwrap_or_default();
        let before = before.chars().next_back().unwrap_or(' ');
        let rest = text.get(whole.end()..).unwrap_or_default();
        let is_apart = match sign.as_str() {
            ">" => before != '<',
            "," | "value=" => quote.is_empty() || !rest.starts_with(['"', '\'', '\\']),
            "(" => !rest.starts_with(['"', '\'', '\\']),
            _ => false,
        };
        if name.start() < at || is_apart || rest.is_empty() {
            continue;
        }
        let mut end = whole.end() + value_length(rest);
        let value = text.get(whole.end()..end).unwrap_or_default();
        let plain = name.as_str().replace(['\'', '"'], ""); // `DB_PASS'WORD'=…`
        if !is_hidden(&plain, before, sign.as_str(), value, rest) {
            continue;
        }
        if matches!(before, '"' | '\'') && quote.is_empty() {
            // `"Authorization: Bearer …"`: all that is between the quotation marks
            end = end.max(whole.end() + rest.find(before).unwrap_or(0));
        } else if sign.as_str() == ">" {
            end = whole.end() + rest.find('<').unwrap_or(rest.len());
        } else {
            end = whole.end() + behind_scheme(rest, end - whole.end());
        }
        found.push(between_quotes(text, whole.end()..end));
        at = end;
    }
}

/// The place of a value without the quotation marks around it, so that JSON stays JSON.
fn between_quotes(text: &str, place: Range<usize>) -> Range<usize> {
    let value = text.get(place.clone()).unwrap_or_default();
    let inner = value.trim_start_matches(['\\', '$']);
    let Some(quote) = inner.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
        return place;
    };
    let from = place.end - inner.len() + 1;
    let end = match inner.get(1..).and_then(|rest| rest.strip_suffix(quote)) {
        Some(inner) => from + inner.len(),
        None => place.end,
    };
    let inner = text.get(from..end).unwrap_or_default();
    from..from + inner.trim_end_matches('\\').len()
}

/// `Authorization: Bearer …`, `Cookie: a=1; b=2`: where a value of several words ends.
fn behind_scheme(rest: &str, mut end: usize) -> usize {
    let scheme = rest.get(..end).unwrap_or_default().to_ascii_lowercase();
    let mut goes_on = SCHEMES.contains(&scheme.trim_matches(['"', '\'', '\\']));
    loop {
        let tail = rest.get(end..).unwrap_or_default();
        let next = tail.trim_start_matches([';', ' ', '\\']);
        let is_pair = tail.starts_with("; ") && next.contains('=');
        if !goes_on && !is_pair {
            return end;
        }
        let long = value_length(next);
        let is_pair = next.get(..long).is_some_and(|pair| pair.contains('='));
        if !goes_on && !is_pair || long == 0 {
            return end;
        }
        goes_on = false;
        end = rest.len() - next.len() + long;
    }
}

/// Words such as `key` name other things, too: then the value has to look like no word, or the name
/// like a variable.
fn is_hidden(name: &str, before: char, sign: &str, value: &str, rest: &str) -> bool {
    let ends_like_form = rest
        .get(value.len()..)
        .is_some_and(|tail| tail.starts_with('&'));
    if sign == "=" && (matches!(before, '?' | '&') || ends_like_form) {
        return is_secret_in_url(name, value);
    }
    if is_prose(sign, value, rest) {
        return false;
    }
    let name = name.rsplit('.').next().unwrap_or(name);
    let is_option = matches!(before, '-' | '/') && !names_things(name);
    let is_variable = !sign.starts_with(':') && !name.contains(|c: char| c.is_lowercase());
    let has_figures = value.contains(|c: char| c.is_ascii_digit());
    let has_letters = value.contains(|c: char| c.is_alphabetic());
    let is_pair = value.starts_with('(') && value.contains(['"', '\'']);
    let value = value.trim_matches(['"', '\'', '\\', '(', '[', '{']);
    let is_mixed = has_figures && value.len() >= 4;
    let is_sure = is_surely_secret(name) || is_secret_compound(name);
    is_sure
        || is_passing(name) && (is_option || is_variable || is_mixed && has_letters)
        || sounds_secret(name) && (is_option || is_variable || is_mixed || is_pair)
}

/// `The password: it is never sent`, `token = next_token()`: a sentence goes on, and a call without a text
/// hands over none.
fn is_prose(sign: &str, value: &str, rest: &str) -> bool {
    let tail = rest.get(value.len()..).unwrap_or_default();
    let goes_on = tail
        .strip_prefix(' ')
        .is_some_and(|tail| tail.starts_with(char::is_alphabetic));
    let is_word =
        value.trim_end_matches(':').chars().all(char::is_lowercase) && !SCHEMES.contains(&value);
    let is_call = value.split_once('(').is_some_and(|(name, arguments)| {
        let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        !name.is_empty() && name.chars().all(is_letter) && arguments.trim_end_matches(';') == ")"
    });
    let is_label = value.ends_with(':');
    sign == ":" && is_word && (goes_on || is_label) || is_call
}

/// How long the value is that a text begins with: to the next blank or separator, or to the end of
/// its quotation marks or brackets; also in JSON inside of JSON, and where the text was cut off.
fn value_length(text: &str) -> usize {
    let mut at = 0;
    while let Some(rest) = text.get(at..) {
        let open = rest.trim_start_matches(['\\', '$']);
        let skipped = rest.len() - open.len();
        let is_escaped = rest.starts_with('\\');
        let Some(first) = open.chars().next() else {
            return text.len();
        };
        let inner = open.get(first.len_utf8()..).unwrap_or_default();
        let long = match first {
            '"' | '\'' if at > 0 && is_escaped => return at,
            '"' | '\'' if is_escaped => inner.find(first),
            '"' => closing(inner, first),
            '\'' if skipped > 0 => closing(inner, first),
            '\'' => inner.find('\''),
            '(' | '[' | '{' if at == 0 || skipped > 0 => {
                let close = [')', ']', '}'];
                let near = inner.char_indices().take(BRACKET_MAX);
                let mut near = near.filter(|(_, c)| close.contains(c));
                match near.next() {
                    Some((end, _)) => Some(end),
                    None => Some(inner.find(char::is_whitespace).unwrap_or(inner.len())),
                }
            }
            _ => {
                let ends =
                    |c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '&' | ';' | ',' | '|');
                let end = rest.find(ends).unwrap_or(rest.len());
                // `a,b` is one value, `a, b` and `"a","b"` are two
                let tail = rest.get(end..).unwrap_or_default();
                let goes_on = match tail.strip_prefix(',') {
                    Some(next) => !next.is_empty() && !next.starts_with(ends),
                    None => tail.starts_with(['"', '\'']) && end > 0,
                };
                if !goes_on || tail.is_empty() {
                    return at + end;
                }
                at += end + usize::from(tail.starts_with(','));
                continue;
            }
        };
        // without an end the text was cut off
        let Some(long) = long else {
            return text.len();
        };
        at += skipped + first.len_utf8() + long;
        if !is_escaped {
            at += 1;
        }
        let goes_on = text.get(at..).is_some_and(|tail| {
            !tail.is_empty()
                && !tail.starts_with(|c: char| c.is_whitespace() || ",;&|)]}:\\".contains(c))
        });
        if is_escaped || !goes_on {
            return at.min(text.len());
        }
    }
    at.min(text.len())
}

/// Where a quotation ends in which a sign can be escaped.
fn closing(inner: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    inner.char_indices().find_map(|(at, c)| {
        let ends = c == quote && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends.then_some(at)
    })
}

/// The places of secrets that only commands have.
fn in_commands(text: &str, offset: usize, depth: usize, found: &mut Vec<Range<usize>>) {
    let segments = segments(text);
    let mut local = Vec::new();
    for (at, segment) in segments.iter().enumerate() {
        in_segment(segment, text, &mut local);
        let mut words = segment.words.iter();
        let hands_on = words.any(|word| matches!(word.bare, "echo" | "printf" | "<<<"));
        if segment.keeps_secret() {
            let kept = words.clone().take_while(|word| !word.bare.starts_with('>'));
            local.extend(kept.map(|word| masked(text, word, word.bare)));
        }
        typed(&segments, at, &mut local);
        let readers = segments.get(at + 1..).unwrap_or_default();
        let mut readers = readers.iter().zip(segments.get(at..).unwrap_or_default());
        let mut piped = readers.by_ref().take_while(|(_, before)| before.is_piped);
        if hands_on && piped.any(|(reader, _)| reader.reads_secret()) {
            let words =
                words.filter(|word| !matches!(word.bare, "-n" | "-e" | "-ne" | "%s" | "%s\\n"));
            local.extend(words.map(|word| masked(text, word, word.bare)));
        }
        for word in segment.words.iter().filter(|_| depth > 0) {
            if word.bare.contains([' ', '\n', '"']) {
                in_commands(word.bare, offset + word.inside().start, depth - 1, found);
            }
        }
    }
    found.extend(
        local
            .into_iter()
            .map(|span| span.start + offset..span.end + offset),
    );
}

/// `vault login - <<EOF`, `cat > .pgpass <<EOF`: what is typed in up to the mark, for a command that is
/// about secrets or a file of them.
fn typed(segments: &[Segment<'_>], at: usize, found: &mut Vec<Range<usize>>) {
    let Some(segment) = segments.get(at) else {
        return;
    };
    let place = segment
        .words
        .iter()
        .position(|word| mark_of(word).is_some());
    let Some(place) = place else {
        return;
    };
    let mut rest = segment.words.get(place..).unwrap_or_default().iter();
    let mut mark = rest.next().and_then(mark_of).unwrap_or_default();
    if mark.is_empty() {
        mark = rest.next().map_or("", |word| word.bare);
    }
    if !(segment.is_about_secrets() || segment.reads_secret() || segment.keeps_secret()) {
        return;
    }
    let later = segments.get(at + 1..).unwrap_or_default();
    let typed = rest.chain(later.iter().flat_map(|later| &later.words));
    let typed = typed.take_while(|word| word.bare != mark);
    found.extend(typed.map(|word| word.raw.clone()));
}

/// The word that ends a here-document.
fn mark_of<'t>(word: &Word<'t>) -> Option<&'t str> {
    let mark = word.bare.strip_prefix("<<")?.trim_start_matches('-');
    Some(mark.trim_matches(['"', '\''])).filter(|mark| !mark.starts_with('<'))
}

fn in_segment(segment: &Segment<'_>, text: &str, found: &mut Vec<Range<usize>>) {
    let is_about = segment.is_about_secrets();
    let reads = is_about || segment.reads_secret();
    let mut programs = secrets::Programs::default();
    for (at, word) in segment.words.iter().enumerate() {
        let (before, _) = segment.words.split_at(at);
        let next = segment.words.get(at + 1);
        let next = next.filter(|next| next.is_quoted() || !word.ends_list);
        let value = next.filter(|next| next.is_quoted() || !next.bare.starts_with('-'));
        // the rest of this word, or the next one
        let reads = reads
            || value.is_some_and(|value| is_opaque(value.bare))
            || is_opaque(word.bare.trim_start_matches('<'));
        let is_named = named_option(word.bare);
        let secret = if let Some(input) = word.bare.strip_prefix("<<<").filter(|_| reads) {
            Some(input)
        } else if let Some(rest) = programs.behind(word.bare).filter(|_| !is_named) {
            Some(rest)
        } else if let Some(rest) = word
            .bare
            .strip_prefix("-p")
            .filter(|rest| is_password(rest))
        {
            Some(rest)
        } else {
            let takes = value.is_some_and(|value| takes_secret(word, before, value));
            takes.then_some("")
        };
        match secret {
            Some("") => found.extend(value.map(|value| masked(text, value, value.bare))),
            Some(rest) => found.push(masked(text, word, rest)),
            None if matches!(word.bare, "-H" | "--header") => {
                let header = value.and_then(|value| Some((value, value.bare.split_once(':')?.1)));
                let header = header.filter(|(_, secret)| secret.split(' ').any(is_opaque));
                found.extend(header.map(|(value, secret)| masked(text, value, secret)));
            }
            None if is_user(word.bare) => {
                found.extend(value.and_then(|value| behind_user(text, value, value.bare)));
            }
            None => {
                let user = attached_user(word.bare);
                found.extend(user.and_then(|user| behind_user(text, word, user)));
            }
        }
        if let Some(place) = replacement(word.bare) {
            let start = word.inside().start;
            found.push(start + place.start..start + place.end);
        }
        if is_about && at > 0 {
            let (name, value) = word.bare.split_once('=').unwrap_or(("", word.bare));
            let secret = value.rsplit([':', '/']).next().unwrap_or(value);
            let secret = secret.split('@').next().unwrap_or(secret);
            if !name.is_empty() || is_opaque(secret) {
                found.push(masked(text, word, value));
            }
        }
        if !word.bare.starts_with('-') {
            programs.add(word.bare);
        }
    }
}

/// The place of the end of a word, and of what belongs to it though it is not in the word.
fn masked(text: &str, word: &Word<'_>, secret: &str) -> Range<usize> {
    let from = word.inside().end - secret.len();
    let begin = if secret.len() == word.bare.len() {
        word.raw.start
    } else {
        from
    };
    let long = value_length(text.get(begin..).unwrap_or_default());
    from..(begin + long).max(from + secret.len())
}

/// `s/SECRET_KEY/…/`: what a script of `sed` puts in the place of the name of a secret.
fn replacement(word: &str) -> Option<Range<usize>> {
    let mark = word.strip_prefix('s')?.chars().next()?;
    let mut parts = word.split(mark).filter(|_| mark.is_ascii_punctuation());
    let (_, old, new) = (parts.next()?, parts.next()?, parts.next()?);
    let start = 1 + mark.len_utf8() + old.len() + mark.len_utf8();
    (sounds_secret(old) && is_opaque(new)).then(|| start..start + new.len())
}

/// `-password`: the whole name of an option, and no `-p` with something behind it.
fn named_option(word: &str) -> bool {
    let name = word.trim_start_matches('-');
    word.starts_with('-')
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'-')
        && is_surely_secret(name)
}

/// Whether a secret follows a word without a sign between them.
fn takes_secret(word: &Word<'_>, before: &[Word<'_>], value: &Word<'_>) -> bool {
    let Some(option) = word.bare.strip_prefix('-') else {
        return is_named(word, before, value);
    };
    let name = option.trim_start_matches('-');
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    if matches!(word.bare, "-p" | "-P") {
        return is_password(value.bare);
    }
    // `--key` and `--session` only before what looks like one
    name.chars().all(is_name)
        && (is_surely_secret(name)
            || is_passing(name)
            || sounds_secret(name) && (!names_things(name) || is_opaque(value.bare)))
}

/// `set TOKEN …`, `PASSWORD '…'`, `password hunter2`
fn is_named(word: &Word<'_>, before: &[Word<'_>], value: &Word<'_>) -> bool {
    let name = word.bare.rsplit(['/', ':']).next().unwrap_or_default();
    let mut words = before.iter().map(|word| word.bare);
    let is_identified = name.eq_ignore_ascii_case("by")
        && words.any(|word| word.eq_ignore_ascii_case("identified"));
    let last = before
        .iter()
        .map(|word| word.bare)
        .rfind(|word| !word.starts_with('-'));
    let last = last.unwrap_or_default();
    let looks_like_one = value.is_quoted() || is_opaque(value.bare);
    let is_variable = !name.contains(|c: char| c.is_lowercase());
    match word.bare {
        "is" | "was" => {
            // `the API key is …`
            let (head, _) = before.split_at(before.len().saturating_sub(1));
            let both = head.last().map_or("", |word| word.bare).to_owned() + last;
            looks_like_one && (is_surely_secret(last) || is_surely_secret(&both))
        }
        _ if looks_like_one && (is_identified || is_surely_secret(name)) => true,
        _ if secrets::sets_variables(last) => sounds_secret(name) || is_passing(name),
        _ => (is_variable || name.contains('_')) && sounds_secret(name) && is_opaque(value.bare),
    }
}

fn is_user(option: &str) -> bool {
    let is_bundle = option.ends_with('u') && !option.starts_with("--") && option.len() < 8;
    let is_bundle = is_bundle && option.starts_with('-');
    is_bundle
        || matches!(
            option,
            "-U" | "-a" | "--user" | "--auth" | "--proxy-user" | "--creds"
        )
}

/// `-ume:secret`, `--user=me:secret`
fn attached_user(option: &str) -> Option<&str> {
    let long = option.split_once('=').filter(|(name, _)| is_user(name));
    let short = || {
        option
            .strip_prefix("-u")
            .or_else(|| option.strip_prefix("-U"))
    };
    long.map(|(_, user)| user).or_else(short)
}

/// `me:secret`, `me%secret`, `me,secret`: what is behind the user; `1000:1000` are no secrets.
fn behind_user(text: &str, word: &Word<'_>, user: &str) -> Option<Range<usize>> {
    let (_, secret) = user.split_once([':', '%', ','])?;
    let is_number = secret.bytes().all(|byte| byte.is_ascii_digit());
    (!is_number && !secret.starts_with("//")).then(|| masked(text, word, secret))
}

/// A word behind `-p` with capitals and figures is neither a port nor a name nor a path.
fn is_password(word: &str) -> bool {
    let has = |is: fn(&char) -> bool| word.chars().any(|c| is(&c));
    is_opaque(word) && has(char::is_ascii_uppercase) && has(char::is_ascii_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_form_of_a_command_shows_its_secret() {
        let forms = include_str!("forms.txt").lines();
        let forms = forms.filter(|line| !line.starts_with('#'));
        let mut leaks = Vec::new();
        for form in forms {
            let (form, is_bare) = match form.strip_prefix("~ ") {
                Some(form) => (form, true),
                None => (form, false),
            };
            let secrets = ["Zq7Hunter9", "p4ss-w0rd!x", "correcthorse"];
            for secret in secrets.into_iter().take(if is_bare { 2 } else { 3 }) {
                let shown = redacted(&form.replace("@@", secret));
                if shown.contains(secret) {
                    leaks.push(shown);
                }
            }
        }
        assert!(leaks.is_empty(), "{}:\n{}", leaks.len(), leaks.join("\n"));
    }

    #[test]
    fn quotation_marks_do_not_end_a_secret_early() {
        for (text, secret) in [
            (
                "curl https://api.telegram.org/bot123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/x",
                "AAHdq",
            ),
            ("export DB_PASS'WORD'=Qu0tedPw11; pytest -q", "Qu0ted"),
            (r#"login --password "a\"b Sec99zz" ; pytest"#, "Sec99zz"),
            (r"PASSWORD=$'Ab\'Cd Sec88yy' pytest", "Sec88yy"),
            ("curl 'https://a.b/c?code=CodeVal123456&x=1'", "CodeVal"),
            ("htpasswd -b f u HtPw66xx; pytest -q", "HtPw66xx"),
            ("htpasswd -nb u HtPw66xx", "HtPw66xx"),
            (r#"curl -H 'X: Bearer "abc"Sec66ww'"#, "Sec66ww"),
            (
                r#"curl -H "Authorization: Bearer "abc"Sec66ww" x; pytest"#,
                "Sec66ww",
            ),
        ] {
            let shown = redacted(text);
            assert!(!shown.contains(secret), "{shown}");
        }
        for text in [
            "pytest -q tests/bot123",
            "curl 'https://a.b/c?code=200'",
            "htpasswd -c f u",
            "the bearer \"token\" is checked",
        ] {
            assert_eq!(redacted(text), text);
        }
    }

    #[test]
    fn no_login_of_a_program_is_shown() {
        for (text, secret) in [
            ("STRIPE_KEY=abc123 pytest", "abc123"),
            ("AWS_ACCESS_KEY_ID=abc123 pytest", "abc123"),
            ("PASSWORD=abc,Zq7Hunter pytest", "Zq7Hunter"),
            ("PASSWORD=\"abc\"Zq7Hunter pytest", "Zq7Hunter"),
            ("TOKEN=$'Zq7Hunter' pytest", "Zq7Hunter"),
            ("TOKEN+=Zq7Hunter pytest", "Zq7Hunter"),
            ("PASSWORD=$(echo Zq7Hunter) pytest", "Zq7Hunter"),
            ("curl -H \"Authorization: ApiKey Zq7Hunter\" x", "Zq7Hunter"),
            ("curl -H \"Cookie: a=1; b=Zq7Hunter\" x", "Zq7Hunter"),
            ("curl -H 'X-Custom-Auth: Zq7Hunter' x", "Zq7Hunter"),
            ("curl -sSfu \"me:Zq7Hunter\" x", "Zq7Hunter"),
            ("curl --proxy-user me:Zq7Hunter x", "Zq7Hunter"),
            ("curl -b \"sid=Zq7Hunter\" x", "Zq7Hunter"),
            ("pytest --jwt Zq7Hunter", "Zq7Hunter"),
            ("zip -P Zq7Hunter a b", "Zq7Hunter"),
            ("az login -u a -p Zq7Hunter", "Zq7Hunter"),
            ("openssl rsa -passin pass:Zq7Hunter", "Zq7Hunter"),
            (
                "aws configure set aws_secret_access_key Zq7Hunter",
                "Zq7Hunter",
            ),
            ("vault login Zq7Hunter", "Zq7Hunter"),
            ("gh auth login --with-token <<< Zq7Hunter", "Zq7Hunter"),
            (
                "echo Zq7Hunter | docker login --password-stdin",
                "Zq7Hunter",
            ),
            ("echo \"Zq7Hunter\" | sudo -S pytest", "Zq7Hunter"),
            ("machine x login y password Zq7Hunter", "Zq7Hunter"),
            ("git clone https://Zq7Hunter@github.com/a/b", "Zq7Hunter"),
            (
                "X=https://hooks.slack.com/services/T0/B0/Zq7Hunter",
                "Zq7Hunter",
            ),
            ("os.environ['TOKEN']='Zq7Hunter'", "Zq7Hunter"),
            ("os.environ.setdefault('TOKEN', 'Zq7Hunter')", "Zq7Hunter"),
        ] {
            let shown = redacted(text);
            assert!(!shown.contains(secret), "{shown}");
            assert!(shown.contains(REDACTED), "{shown}");
        }
    }

    #[test]
    fn what_a_program_takes_as_a_secret_is_not_shown() {
        for text in [
            "az storage blob list --account-key Vhunter --output table",
            "sqlcmd -S h -U sa -P Vhunter -Q 'select 1'",
            "twine upload -u me -p Vhunter dist/*",
            "ldapsearch -x -D cn=a -w Vhunter -b dc=x",
            "smbclient //h/s -U me%Vhunter -c ls",
            "keytool -list -keystore a.jks -storepass Vhunter",
            "keytool -genkey -storepass Vhunter -keypass Vhunter",
            "mysql -e \"CREATE USER a IDENTIFIED BY 'Vhunter'\"",
            "psql -c \"ALTER USER a WITH PASSWORD 'Vhunter'\"",
            "Passwort: Vhunter",
            "密码=Vhunter",
            "setx TOKEN Vhunter",
            "kubectl create secret generic s --from-literal=a=Vhunter --from-literal=b=Vhunter",
            "vault kv put secret/x k=Vhunter other=Vhunter",
            "redis-cli -h h -a Vhunter ping",
            "mosquitto_pub -u me -P Vhunter -t x",
            "snmpwalk -v2c -c Vhunter host",
        ] {
            let shown = redacted(text);
            assert!(!shown.contains("Vhunter"), "{shown}");
        }
        for text in [
            "git commit --author bob",
            "cargo test --key value",
            "pytest --session 3",
            "tmux attach --session main",
            "grep -w word src",
            "docker run -p 8080:80 app",
            "sort -k 2 -t , a.csv",
            "kubectl get pods -n app",
            "the password 12 times",
        ] {
            assert_eq!(redacted(text), text);
        }
    }

    #[test]
    fn no_secret_is_shown() {
        for (text, secret) in [
            ("API_KEY=abc123 npm test", "abc123"),
            (
                "curl -H 'Authorization: Bearer abcdef123456' x",
                "abcdef123456",
            ),
            ("psql postgres://u:s3cr3t@localhost/db", "s3cr3t"),
            (
                "printf 'DATABASE_URL=postgres://u:s3cr3t@localhost/db\\n' >> .env",
                "s3cr3t",
            ),
            ("mysql -u root -phunter2 shop", "hunter2"),
            ("docker login -u me -p hunter2", "hunter2"),
            ("curl -u me:hunter2 https://x", "hunter2"),
            ("curl --user=me:hunter2 https://x", "hunter2"),
            ("http -a me:hunter2 GET localhost", "hunter2"),
            ("DB_PASS=hunter2 npm test", "hunter2"),
            ("gpg --passphrase hunter2 -d x", "hunter2"),
            ("PGPASSWORD=hunter2 psql -c 1", "hunter2"),
            ("login --password hunter2", "hunter2"),
            ("login --token=hunter2x", "hunter2x"),
            ("docker build --build-secret K=hunter2 .", "hunter2"),
            ("echo ghp_abcdefghijklmnop1234", "ghp_abcdefghijklmnop1234"),
            ("export AWS=AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"),
            (
                "x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc y",
                "eyJhbGciOiJIUzI1NiJ9",
            ),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----",
                "MIIabc",
            ),
            ("{\"client_secret\": \"xyz789\"}", "xyz789"),
            (
                "fly deploy --build-secret NPM=fo1_abcdefghijk",
                "fo1_abcdefghijk",
            ),
            (r#"run("args": "--password Pa55w0rdX")"#, "Pa55w0rdX"),
            ("(--password PARpass77)", "PARpass77"),
            (r#"["--password","ARRpass66"]"#, "ARRpass66"),
            (r#"["--token", "ARRpass66"]"#, "ARRpass66"),
            ("one\\n--password NLpass44", "NLpass44"),
            (r#""{\"password\":\"NEST pass55\"}""#, "pass55"),
            (r#"[\"--password\",\"NESTpass55\"]"#, "NESTpass55"),
            (r#"password="cut in the mid..."#, "mid"),
            ("ftp://bob:p@ss@ATpass88@host/x", "ATpass88"),
            ("https://a.example/x?se=1&sig=SIGpass11%3D", "SIGpass11"),
            ("mysqldump2 shop -pPa55w0rdZ", "Pa55w0rdZ"),
            ("the password is \"SAYpass00\".", "SAYpass00"),
            ("the token is SAYpass00 now", "SAYpass00"),
            (
                "f_ghp_abcdefghijklmnopqrstuvwxyz0123456789.py",
                "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
            ),
            (
                r#"users.create("note": "zz https://bob:hunterTWO...)"#,
                "hunter",
            ),
            ("see https://bob:hunterTWO…", "hunter"),
            ("see ghp_abc…", "ghp_abc"),
            ("see whsec_abc…", "whsec_abc"),
            ("curl 'https://h/x?q=ghp_abcdefghijklmnop1234'", "ghp_abc"),
            ("curl 'https://h/x?pin=918273&a=1'", "918273"),
            ("tok=Zq7Hunter CRED=abc otp=918273 make", "Zq7Hunter"),
            ("CRED=abcdef make", "abcdef"),
            ("curl -H 'Session: Zq7Hunter' h", "Zq7Hunter"),
            (r#"{"csrf": "Zq7Hunter"}"#, "Zq7Hunter"),
            ("PAT=Zq7Hunter make", "Zq7Hunter"),
            ("…nterTWO22@host/x", "TWO22"),
        ] {
            let shown = redacted(text);
            assert!(!shown.contains(secret), "{shown}");
            assert!(shown.contains(REDACTED), "{shown}");
        }
    }

    #[test]
    fn plain_commands_stay_as_they_are() {
        for text in [
            "pytest -q tests/test_auth.py",
            "cargo test -p core",
            "git commit -m 'tok: keep names'",
            "curl -si localhost:8080/items",
            "mkdir -p src/a",
            "pass: 12, fail: 0",
            "tests pass=12 --pass-with-no-tests",
            "jest --passWithNoTests --bypass x",
            "the tests pass",
            "ssh -p2222 host -python3 -pthread",
            "the token is invalid and the password was wrong; the secret is 42",
            "All links of https://a.example/guide/start… are alive",
            "See https://a.example/guide/sta...",
            "Wrote to me@host, and so on...",
            "it uses --password, then --token-file",
            "author=smith pinned=yes max_tokens=100 token_count=5 key=name auth=basic PWD=/repo",
            "npm_config_registry=x sort --key 2 session_timeout=30 tokenizer=fast",
            "token count 5",
            "The password: it is never sent.",
            "let token = next_token();",
            "Fixed the login page, and the secret: patience and time.",
            "the design of test_hf_model_loading and f(x?y&z=1)",
        ] {
            assert_eq!(redacted(text), text);
        }
    }
}
