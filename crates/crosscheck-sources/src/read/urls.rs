//! URLs inside running text.

use std::ops::Range;

use crate::lists::list;
use crate::pattern::pattern;
use crosscheck_judge::builtin::normalise;

pattern! {
    START, r"(?i)(?:https?:(?://|\\{1,2})|www\.)[^\s<>]"
}

pattern! {
    /// The same with invisible signs in it.
    HIDDEN_START,
    {
        let start = r"(?i)(?:hZ*tZ*tZ*pZ*(?:sZ*)?:Z*[/\\]Z*[/\\]|www\.)Z*[^\s<>]";
        start.replace('Z', r"[\u{ad}\u{200b}\u{2060}\u{feff}]")
    }
}

/// Whether a sign is invisible, and no URL holds it.
pub(super) const fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}')
}

/// A name that goes on behind a dash shows it within so many characters.
const NAME_MAX: usize = 100;

/// Where URLs are in a text. Punctuation that ends a sentence and brackets
/// that were opened outside do not belong to a URL.
pub fn urls_in(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let start = if text.contains(is_invisible) {
        &HIDDEN_START
    } else {
        &START
    };
    for start in start.find_iter(text) {
        if found.last().is_some_and(|last| start.start() < last.end) {
            continue; // a URL inside a URL, as archives write them
        }
        // Scripts without blanks between words may come right before it.
        let before = text.get(..start.start()).unwrap_or_default();
        // so may the underscores of an emphasis, if nothing is glued to them.
        let last = before.trim_end_matches('_').chars().next_back();
        if last.is_some_and(|c| c.is_ascii_alphanumeric()) {
            continue;
        }
        let tail = text.get(start.start()..).unwrap_or_default();
        let scheme = tail.find([':', '.']).map_or(0, |at| at + 1);
        let scheme = tail.len()
            - tail
                .get(scheme..)
                .unwrap_or_default()
                .trim_start_matches(['/', '\\'])
                .len();
        let mut word = tail.get(..end_of(tail, scheme)).unwrap_or_default();
        if let Some(frame) = ["**", "~~"].iter().find(|sign| before.ends_with(**sign)) {
            word = word.split(frame).next().unwrap_or_default();
        }
        let word = trim_end(word);
        if word.len() > "www.".len() {
            found.push(start.start()..start.start() + word.len());
        }
    }
    found
}

/// Where a URL ends at the latest: before the first character behind its scheme that none holds.
fn end_of(tail: &str, scheme: usize) -> usize {
    // browsers read `http:\\host\path` with slashes
    let is_turned = tail
        .get(..scheme)
        .is_some_and(|scheme| scheme.contains('\\'));
    let mut open = [0_usize; 3];
    let mut in_angles = false;
    let mut in_bars = false;
    let mut before = ' ';
    let mut ends = |(at, c): &(usize, char)| {
        let before = std::mem::replace(&mut before, *c);
        let after = tail.get(at + c.len_utf8()..).unwrap_or_default();
        let mut closes = || !std::mem::take(&mut in_angles);
        match c {
            '>' => closes(),
            '&' if after.starts_with("gt;") => closes(),
            '<' => {
                in_angles = holds_angles(before, after, ">");
                !in_angles
            }
            '&' if after.starts_with("lt;") => {
                in_angles = holds_angles(before, after.get(3..).unwrap_or_default(), "&gt;");
                !in_angles
            }
            _ if is_invisible(*c) => !goes_on(tail.get(..*at).unwrap_or_default(), after),
            '"' | '“' | '”' | '„' | '«' | '»' | '‹' | '›' | '`' | '—' | '―' | '−' => {
                true
            }
            '|' if in_bars => {
                in_bars = false;
                false
            }
            '|' => {
                in_bars = holds_bars(after);
                !in_bars
            }
            '\u{2010}'..='\u{2013}' => !is_name_with_dash(after),
            '&' => is_reference(after),
            ',' | ';' => after.starts_with("http://") || after.starts_with("https://"),
            '[' if is_glued_mark(after) || is_glued_label(before, after) => true,
            '[' | '(' | '{' => {
                opens(&mut open, *c);
                false
            }
            // `\_` is a sign of the URL, `\n` the end of a line in a string of code
            '\\' if is_turned => false,
            '\\' => {
                let is_word = after.starts_with(|c: char| c.is_alphanumeric() || c == '"');
                is_word && !TEX_SIGNS.iter().any(|sign| after.starts_with(sign))
            }
            ')' | ']' | '}' => closes_nothing(&mut open, *c),
            _ => c.is_whitespace() || is_wide_mark(*c),
        }
    };
    let mut chars = tail.char_indices().skip_while(|(at, _)| *at < scheme);
    chars.find(|at| ends(at)).map_or(tail.len(), |(at, _)| at)
}

/// Whether a URL goes on behind an invisible sign: in its host, or where a
/// line may be broken. Cut there it would be a URL that no one wrote. Behind a
/// word of its path another word begins.
fn goes_on(before: &str, after: &str) -> bool {
    const HOST_MAX: usize = 300;
    const SIGNS_MAX: usize = 8;
    let visible = |c: &char| !is_invisible(*c);
    let next = after.chars().take(SIGNS_MAX).find(visible);
    let last = before.chars().rev().take(SIGNS_MAX).find(visible);
    let slashes = before.bytes().take(HOST_MAX).filter(|byte| *byte == b'/');
    let in_host = before.len() < HOST_MAX && slashes.count() < 3;
    let may_break = in_host || last.is_some_and(|c| !c.is_alphanumeric());
    match next {
        Some('/') => true,
        Some(c) => may_break && (c.is_ascii_alphanumeric() || matches!(c, '.' | ':')),
        None => false,
    }
}

/// Commands of TeX that stand for a sign of a URL.
const TEX_SIGNS: [&str; 4] = ["textasciitilde", "textunderscore", "sim$", "allowbreak"];

list! {
    /// Elements of HTML that may follow a URL without a blank.
    ELEMENTS, "elements"
}

/// Whether angle brackets belong to the URL they are in: those of a
/// placeholder (`/v1/<name>/items`) and of old DOIs (`43:4<338::AID-JBM2>3.0.CO;2-B`).
fn holds_angles(before: char, after: &str, close: &str) -> bool {
    let most = after.floor_char_boundary(NAME_MAX.min(after.len()));
    let Some((inner, rest)) = after.get(..most).and_then(|near| near.split_once(close)) else {
        return false;
    };
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let is_name = inner.starts_with(char::is_alphabetic)
        && inner.chars().all(is_word)
        && !ELEMENTS.contains(inner.to_ascii_lowercase().as_str());
    let is_sici = inner.starts_with(|c: char| c.is_ascii_digit())
        && inner.contains("::")
        && !inner.contains(char::is_whitespace)
        && rest.starts_with(|c: char| c.is_ascii_digit());
    is_sici || (is_name && matches!(before, '/' | '=' | '-' | '_' | '.' | ':' | '@' | '&'))
}

/// Whether bars belong to the URL they are in, as those of `/|version|/x` do.
/// Behind the bars of a table no URL goes on.
fn holds_bars(after: &str) -> bool {
    let most = after.floor_char_boundary(NAME_MAX.min(after.len()));
    let Some((inner, rest)) = after.get(..most).and_then(|near| near.split_once('|')) else {
        return false;
    };
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    inner.starts_with(|c: char| c.is_ascii_alphabetic())
        && inner.chars().all(is_word)
        && rest.starts_with(['/', '.', '?'])
        && rest.get(1..).is_some_and(|rest| rest.starts_with(is_word))
}

/// Counts a bracket that opens inside a URL.
fn opens(open: &mut [usize; 3], bracket: char) {
    let [round, square, curly] = open;
    match bracket {
        '(' => *round += 1,
        '[' => *square += 1,
        _ => *curly += 1,
    }
}

/// Whether a bracket closes that was opened before the URL.
fn closes_nothing(open: &mut [usize; 3], bracket: char) -> bool {
    let [round, square, curly] = open;
    let own = match bracket {
        ')' => round,
        ']' => square,
        _ => curly,
    };
    let is_foreign = *own == 0;
    *own = own.saturating_sub(1);
    is_foreign
}

/// Whether `[` begins words that are glued to the URL: `…/page[text]`. Names
/// of parameters and parts of a path are not: `?id[a]=1`.
fn is_glued_label(before: char, after: &str) -> bool {
    let is_word = before.is_alphanumeric() || before == '/';
    let inner: String = after
        .chars()
        .take(NAME_MAX)
        .take_while(|c| !matches!(c, ']' | '\n'))
        .collect();
    let rest = after.get(inner.len()..).unwrap_or_default();
    let goes_on = |c: char| matches!(c, '=' | '&' | '/' | '%' | '_') || c.is_alphanumeric();
    let closes = rest.strip_prefix(']');
    is_word && closes.is_none_or(|rest| !rest.starts_with(goes_on))
}

/// Whether a name goes on behind a dash, as in `Navier–Stokes` and
/// `Time–frequency_analysis`; other words belong to the sentence.
fn is_name_with_dash(after: &str) -> bool {
    let is_name = |c: char| c.is_uppercase() || c.is_numeric();
    let mut word = after.chars().take(NAME_MAX);
    let joins = |c: char| matches!(c, '_' | '/' | '%');
    after.starts_with(is_name)
        || word
            .find(|c| c.is_whitespace() || joins(*c))
            .is_some_and(joins)
}

/// Character references for what never is in a URL.
fn is_reference(after: &str) -> bool {
    const NAMES: [&str; 20] = [
        "lt", "gt", "quot", "apos", "nbsp", "#34", "#39", "#60", "#62", "#160", "laquo", "raquo",
        "ldquo", "rdquo", "lsquo", "rsquo", "ndash", "mdash", "hellip", "shy",
    ];
    let is_named = |name: &&str| {
        let rest = after.strip_prefix(*name);
        rest.is_some_and(|rest| rest.starts_with(';'))
    };
    NAMES.iter().any(is_named)
}

/// Whether `[` begins a citation mark such as `[1]` that ends what it is glued to.
fn is_glued_mark(after: &str) -> bool {
    let inner = after.strip_prefix('^').unwrap_or(after);
    let rest = inner.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = inner.len() - rest.len();
    // the reader of documents leaves a sign of its own in the marks
    let rest = rest.strip_prefix(']');
    let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '=' | '&' | '/' | '%' | '_' | '-');
    (1..=3).contains(&digits) && rest.is_some_and(|rest| !rest.starts_with(goes_on))
}

/// Punctuation of scripts that put no blank after it.
fn is_wide_mark(c: char) -> bool {
    matches!(c, '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301B}'
        | '！' | '（' | '）' | '，' | '：' | '；' | '？' | '．')
}

/// The URL without what the sentence around it put behind it. Dots that say
/// that it goes on stay: without them it would be a URL that no one wrote.
pub fn trim_end(word: &str) -> &str {
    // `](` inside means that a Markdown link ended here.
    let word = word.split("](").next().unwrap_or_default();
    let trimmed = without_punctuation(word);
    let rest = word.get(trimmed.len()..).unwrap_or_default();
    let dots = rest.len() - rest.trim_start_matches(['.', '…']).len();
    let is_cut = rest.starts_with("...") || rest.starts_with('…');
    let end = if is_cut {
        trimmed.len() + dots
    } else {
        trimmed.len()
    };
    word.get(..end).unwrap_or(trimmed)
}

fn without_punctuation(mut word: &str) -> &str {
    let mut closing = Closing::of(word);
    while let Some(last) = word.chars().next_back() {
        if let Some(head) = reference_start(word) {
            word = head; // no bracket is in a reference
            continue;
        }
        let cut = match last {
            's' => word.ends_with("’s"),
            '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '\\' | '*' | '_' | '~' | '…' | '’' | '‘'
            | '。' | '，' | '、' => true,
            _ => closing.take(last),
        };
        if !cut {
            break;
        }
        word = word.get(..word.len() - last.len_utf8()).unwrap_or_default();
    }
    word
}

/// How many more brackets of each kind close in a word than open.
struct Closing([(char, isize); 3]);

impl Closing {
    fn of(word: &str) -> Self {
        let more = |open: char, close: char| {
            word.chars().fold(0, |more, c| {
                more + isize::from(c == close) - isize::from(c == open)
            })
        };
        Self([
            (')', more('(', ')')),
            (']', more('[', ']')),
            ('}', more('{', '}')),
        ])
    }

    /// Whether this last character closes a bracket that was opened before the word.
    fn take(&mut self, last: char) -> bool {
        let kind = self.0.iter_mut().find(|(close, _)| *close == last);
        kind.filter(|(_, more)| *more > 0)
            .map(|(_, more)| *more -= 1)
            .is_some()
    }
}

/// What comes before the character reference at the end of a word.
fn reference_start(word: &str) -> Option<&str> {
    let name = word.strip_suffix(';')?;
    let head = name.trim_end_matches(|c: char| c.is_ascii_alphanumeric());
    (head.len() < name.len()).then(|| head.strip_suffix('&'))?
}

/// The text without the signs of emphasis, and with a blank behind each URL
/// whose end would be lost in normalising (an em dash becomes a hyphen).
/// Inside a URL the signs of emphasis are part of the URL.
pub fn plain(text: &str) -> String {
    let push = |out: &mut String, text: &str| {
        if text.contains(['*', '_']) {
            out.push_str(&text.replace("**", "").replace("__", ""));
        } else {
            out.push_str(text);
        }
    };
    let mut out = String::with_capacity(text.len());
    let mut cursor = 0;
    for url in urls_in(text) {
        push(&mut out, text.get(cursor..url.start).unwrap_or_default());
        out.push_str(text.get(url.clone()).unwrap_or_default());
        cursor = url.end;
        let next = text.get(cursor..).and_then(|rest| rest.chars().next());
        if let Some(next) = next.filter(|next| !next.is_ascii() && !next.is_whitespace()) {
            let sign = normalise(next.encode_utf8(&mut [0; 4]));
            match sign.as_str() {
                // no minus of the figure that follows
                "-" => out.push_str(" - "),
                _ if sign.starts_with(next) => continue,
                _ => out.extend([" ", sign.as_str()]),
            }
            cursor += next.len_utf8();
        }
    }
    push(&mut out, text.get(cursor..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_with_an_invisible_sign_is_found_whole_and_never_asked_for() {
        for url in [
            "h\u{200b}ttp://a.example/x",
            "https:/\u{2060}/a.example/x",
            "http://a\u{ad}b.example/x",
            "http://a.town\u{200b}.example/x",
            "http://a.example/\u{200b}long/\u{200b}path",
            "http://a.example/long\u{200b}/path",
        ] {
            let text = format!("Oaks grow ({url}). Elms too.");
            let found = urls_in(&text);
            let found: Vec<&str> = found
                .into_iter()
                .filter_map(|range| text.get(range))
                .collect();
            assert_eq!(found, [url]);
            let cited = crate::read::cited::Cited::new(url);
            assert_eq!(cited.target, crate::read::cited::Target::Nowhere, "{url}");
        }
    }

    #[test]
    fn a_long_url_takes_no_longer_than_its_length() {
        for tail in [
            "\u{200b}",
            "/\u{200b}a",
            "\u{200b}.",
            ")",
            ".",
            ";",
            "&a;",
            "–A",
            "–a_",
            "&a",
            "[1",
            "](",
            "'",
            "’s",
        ] {
            let text = format!("http://a.example/{}", tail.repeat(300_000));
            let started = std::time::Instant::now();
            assert!(urls_in(&text).len() <= 1);
            assert!(started.elapsed().as_secs() < 5, "{tail}");
        }
    }

    #[test]
    fn no_url_is_made_of_the_words_next_to_it() {
        for (text, expected) in [
            (
                "[[1]](https://a.example/x)[[2]](https://b.example/y)",
                vec!["https://a.example/x", "https://b.example/y"],
            ),
            (
                "https://a.example/page[text] now",
                vec!["https://a.example/page"],
            ),
            (
                "https://a.example/page[some text] now",
                vec!["https://a.example/page"],
            ),
            (
                r#""see https://a.example/x\n","#,
                vec!["https://a.example/x"],
            ),
            (r#"\"https://a.example/x\","#, vec!["https://a.example/x"]),
            (
                "[[https://a.example/x][label]] now",
                vec!["https://a.example/x"],
            ),
            ("{{https://a.example/x}} now", vec!["https://a.example/x"]),
            ("(https://a.example/x)y", vec!["https://a.example/x"]),
            (
                "https://a.example/?f[a]=1&g[]=2 now",
                vec!["https://a.example/?f[a]=1&g[]=2"],
            ),
        ] {
            let found: Vec<&str> = urls_in(text)
                .into_iter()
                .filter_map(|range| text.get(range))
                .collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn a_url_ends_before_what_is_glued_to_it() {
        let url = "https://a.example/x";
        for around in [
            "URL—and more",
            "URL–and more",
            "URL−and",
            "URL[1] now",
            "URL[^1] now",
            "URL[1][2].",
            "~~URL~~ now",
            "&lt;URL&gt; now",
            "URL&nbsp;now",
            "URL&copy; now",
            "«URL» now",
            "»URL« now",
            "‹URL› now",
            "„URL“ now",
            "URL\u{200b}now",
            "URL,URL now",
            "URL;URL",
            "URL’s page",
            "**URL**and",
            "URL’s.",
        ] {
            let text = around.replace("URL", url);
            let found = urls_in(&text);
            assert_eq!(found.len(), around.matches("URL").count(), "{text}");
            for range in found {
                assert_eq!(text.get(range), Some(url), "{text}");
            }
        }
    }

    #[test]
    fn signs_of_emphasis_inside_a_url_belong_to_the_url() {
        for (text, expected) in [
            ("**Oaks** are __old__.", "Oaks are old."),
            (
                "**Oaks** (http://a.example/t__x) are __old__.",
                "Oaks (http://a.example/t__x) are old.",
            ),
            ("http://a.example/a**b, **c**", "http://a.example/a**b, c"),
            (
                "**http://a.example/x** and __http://a.example/y__.",
                "http://a.example/x and http://a.example/y.",
            ),
            (
                "**[Oaks](http://a.example/x)**",
                "[Oaks](http://a.example/x)",
            ),
        ] {
            assert_eq!(plain(text), expected, "{text}");
        }
    }

    #[test]
    fn a_url_ends_where_the_sentence_goes_on() {
        for (text, expected) in [
            ("See https://a.example/x.", vec!["https://a.example/x"]),
            ("(http://a.example/b)", vec!["http://a.example/b"]),
            (
                "https://en.example/wiki/Oak_(tree), then",
                vec!["https://en.example/wiki/Oak_(tree)"],
            ),
            (
                "[label](https://a.example/x) more",
                vec!["https://a.example/x"],
            ),
            (
                "<https://a.example>, \"https://b.example\"",
                vec!["https://a.example", "https://b.example"],
            ),
            ("www.a.example/b and nothing", vec!["www.a.example/b"]),
            (
                "https://web.archive.example/2020/https://a.example/",
                vec!["https://web.archive.example/2020/https://a.example/"],
            ),
            (
                "_https://a.example/x_ and __www.b.example__, but name_https://c.example",
                vec!["https://a.example/x", "www.b.example"],
            ),
            (
                "https://en.example/wiki/Navier–Stokes_equations–a page",
                vec!["https://en.example/wiki/Navier–Stokes_equations"],
            ),
            (
                "https://a.example/?ids[1]=5&n[2] and https://a.example/x#[a]",
                vec!["https://a.example/?ids[1]=5&n", "https://a.example/x#[a]"],
            ),
            ("no url at all, not even http://", vec![]),
            (
                "Cut (https://a.example/rome-plants-...). Next: https://a.example/milan-fol… Users",
                vec![
                    "https://a.example/rome-plants-...",
                    "https://a.example/milan-fol…",
                ],
            ),
            (
                "https://a.example/v1/<name>/items or https://a.example/&lt;id&gt;/x, https://a.example/<br>now",
                vec![
                    "https://a.example/v1/<name>/items",
                    "https://a.example/&lt;id&gt;/x",
                    "https://a.example/",
                ],
            ),
            (
                "https://doi.org/10.1002/(SICI)1097-4636(199823)43:4<338::AID-JBM2>3.0.CO;2-B.",
                vec![
                    "https://doi.org/10.1002/(SICI)1097-4636(199823)43:4<338::AID-JBM2>3.0.CO;2-B",
                ],
            ),
            (
                "|https://a.example/|next| and https://a.example/|version|/x.",
                vec!["https://a.example/", "https://a.example/|version|/x"],
            ),
            (
                "https://a.example/v1<https://b.example/>",
                vec!["https://a.example/v1", "https://b.example/"],
            ),
        ] {
            let found: Vec<&str> = urls_in(text)
                .into_iter()
                .filter_map(|range| text.get(range))
                .collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
