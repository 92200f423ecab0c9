//! What a sentence says beside its claim: when a source was published or
//! looked at, where in it something is, and what the author thinks of it.
//! None of it can be looked for on the page.

use std::borrow::Cow;
use std::ops::Range;

use regex::Captures;

use super::claims::PLACE;
use super::doubt;
use crate::pattern::{Pattern, pattern};
use crate::read::sentence::GONE;

const MONTH: &str = "(?:jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|février|mar(?:ch|s)?|märz|apr(?:il)?|avril|may|mai|jun[ei]?|juin|jul[iy]?|juillet|aug(?:ust)?|août|sept?(?:ember)?|septembre|o[ck]t(?:ober)?|octobre|nov(?:ember)?|novembre|de[cz](?:ember)?|décembre)";

/// A day, written in one of the usual ways.
fn day() -> String {
    format!(
        r"(?i:[0-9]{{4}}[-/.][0-9]{{2}}[-/.][0-9]{{2}}|[0-9]{{1,2}}(?:st|nd|rd|th|\.)? {MONTH}\.?,? [0-9]{{4}}|{MONTH}\.? [0-9]{{1,2}}(?:st|nd|rd|th)?,? [0-9]{{4}}|{MONTH}\.? [0-9]{{4}}|[0-9]{{1,2}}[./][0-9]{{1,2}}[./][0-9]{{4}})"
    )
}

/// A pattern for texts whose days are marked, see [`Days`].
fn form(pattern: &str) -> String {
    let pattern = pattern.replace("DAY", r"\x05.").replace("MONTH", MONTH);
    let pattern = pattern.replace("NAME", NAME);
    pattern.replace(r"\b", r"(?-u:\b)")
}

/// Stands for a day, with a character for its number behind it. A day can be
/// written in so many ways that each pattern would be large with them.
pub(super) const DAY_MARK: char = '\u{5}';
/// The character of the first day.
const FIRST: u32 = 0xE000;
/// A sentence with more days is a list of them.
const DAYS_MAX: usize = 1000;

/// The days that marks stand for.
struct Days<'t>(Vec<&'t str>);

impl<'t> Days<'t> {
    /// The text with marks for its days.
    fn marked(text: &'t str) -> (Cow<'t, str>, Self) {
        let is_free = !text.contains(DAY_MARK);
        let days = ANY_DAY.find_iter(text).take_while(|_| is_free);
        let (mut out, mut cursor, mut found) = (String::new(), 0, Vec::new());
        for (day, number) in days
            .zip((FIRST..).filter_map(char::from_u32))
            .take(DAYS_MAX)
        {
            out.push_str(text.get(cursor..day.start()).unwrap_or_default());
            out.extend([DAY_MARK, number]);
            cursor = day.end();
            found.push(day.as_str());
        }
        if found.is_empty() {
            return (Cow::Borrowed(text), Self(found));
        }
        out.push_str(text.get(cursor..).unwrap_or_default());
        (Cow::Owned(out), Self(found))
    }

    /// A text with the days again.
    fn unmarked(&self, text: &str) -> String {
        let mut parts = text.split(DAY_MARK);
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let mut chars = part.chars();
            let number = chars.next().map_or(0, u32::from).wrapping_sub(FIRST);
            let number = usize::try_from(number).unwrap_or(usize::MAX);
            // a mark that is none of ours loses nothing behind it
            match self.0.get(number) {
                Some(day) => out.extend([day, chars.as_str()]),
                None => out.push_str(part),
            }
        }
        out
    }
}

/// Words of a name, each with a capital letter.
const NAME: &str = r"(?:[A-ZÀ-Þ][^\x00-\x20(),.;:]*\.?(?: (?:of|the|and|for|&))* ?)+";

pattern! {
    /// When the source was looked at, beside the citation; how long it takes to read.
    LOOKED,
    form(concat!(
            r"(?i)(?:(^[*_ ]*|\()|[,;|–—-]) ?(?:(?:last |date |first )?(?:accessed|retrieved|archived)|last (?:visited|viewed|checked|fetched)|abgerufen|zugriff|zuletzt (?:besucht|abgerufen)|consulté(?:e)?|consultado)(?: (?:on|at|am|le|el))?:? DAY((?: from)?[^\w\x01]{0,3}(?:[^\s\x01]*\x01|[)\]|]|$))",
            r"|(?:^[*_ ]*|[|;·] ?|\b)(?:date (?:accessed|retrieved)|accessed|retrieved): DAY",
            r"|[,;|·–—-] ?[0-9]{1,3}[ -]min(?:ute)?s?\.? read"
        ))
}
pattern! {
    /// The same words where they may tell of something else.
    SEEN,
    form(concat!(
            r"(?i)(?:(^[*_ ]*|\()|[,;|–—-]) ?(?:last |date |first )?(?:accessed|retrieved|archived|visited|viewed|checked|fetched|captured|verified|updated|published|posted)(?: (?:on|at))?:? DAY(?: from)?",
            r"|(?:^[*_ ]*|[|;·] ?|\b)(?:published|posted|(?:last )?updated|date): DAY",
            r"|✅ ?DAY|^\[x\] DAY|^on DAY,? [^:.]+ wrote:"
        ))
}
pattern! {
    /// How sure the author is of a statement, in brackets of its own.
    OWN,
    form(
            r"(?i) ?[(\[](?:source |evidence |overall )?(?:confidence|credibility|relevance)(?: level| score)?[:=]? ?(?:[0-9][0-9./]*%?|high|medium|low)(?:/[0-9]+)?[)\]]|((?:^|[.!?—–|;\x01])[^\w]{0,3})confidence: ?[0-9]+ ?%|\[fn:[^\]]*\]|\boai_citation:[0-9]+‡?|\{\{cite [^{}]*(?:\}\}|$)",
        )
}
pattern! {
    /// What may be such a remark, or a figure of the matter.
    RATED,
    form(
            r"(?i) ?[(\[](?:(?:source |evidence |overall )?(?:score|rating|reliability|quality|tier)(?: level| score)?[:=]? ?(?:[0-9][0-9./]*%?|high|medium|low)(?:/[0-9]+)?|[0-9]+(?:/| of )[0-9]+ sources?|(?:issue |pr )?#[0-9]+)[)\]]|\bconfidence: ?[0-9]+ ?%|⭐ ?[0-9][0-9.,]*[km]?",
        )
}
pattern! {
    /// The number that the author gave a statement.
    NUMBER,
    form(
            r"^[*_\s]*(?:(?i:(?:key )?(?:fact|finding|claim|point|item|reason|takeaway|insight|observation|evidence|highlight) ?#?[0-9]{1,3}(?:\.[0-9]+)?[*_ ]*[:.–—-]+[*_ ]*)|[0-9]\x{FE0F}?\x{20E3}[*_ ]*)",
        )
}
pattern! {
    /// What may be such a number, or a source and its day, in front of a statement.
    LEAD,
    form(concat!(
            r"^[*_\s]*(?:(?:[0-9]{1,2}(?:\.[0-9]{1,2}){1,3}\.?|\([0-9]{1,2}\)|[0-9]{1,2}:)[*_]* +[*_]*(\p{Lu}\p{Ll}+)",
            r"|(?:#|§+ ?|(?i:no|nr)\. ?)[0-9]{1,3}(?:\.[0-9]+)*[*_]*[:.)]?|[0-9]{1,3} ?[–—-] |\[DAY\]|DAY[*_]*(?:[:,–—-]| )|NAME, ?DAY:|\(NAME, ?DAY\)|NAME, ?DAY \(NAME\) [–—-]",
            r"|(?i:slide|step|note|question|section|part|chapter|page|row|box) ?#?[0-9]{1,3}(?:\.[0-9]+)*[*_]*[:.–—-]|(?i:my confidence is) [0-9]+ ?%:?",
            r"|(?i:on) DAY,? NAME ?(?i:reported|wrote|noted|said|stated)(?i: that)?|(?i:in (?:its|their|an?|the)) DAY (?i:report|article|study|paper|post|release|survey|update|analysis)\b)"
        ))
}
pattern! {
    /// The dot of a month that is cut short ends no sentence: `Jan. 14`.
    MONTH_DOT, form(r"\b(Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\. ([0-9])")
}

pattern! {
    /// What describes a document, and no fact in it.
    DESCRIPTION, form(r"DAY|\b[0-9]+ (?:pages|pp)\b|\b[0-9][0-9.]* ?[KMG]B\b")
}

/// A text without days, counts of pages and sizes.
pub(super) fn without_description(text: &str) -> Cow<'_, str> {
    let (marked, _) = Days::marked(text);
    Cow::Owned(DESCRIPTION.replace_all(&marked, "").into_owned())
}

/// A text whose sentences do not end behind a month.
pub(super) fn with_whole_days(text: &str) -> Cow<'_, str> {
    MONTH_DOT.replace_all(text, "$1 $2")
}

pattern! {
    /// A day right behind a citation, or in brackets there.
    BEHIND, form(r"(\x01[^\s.!?(\w]{0,2}[*_]*(?:,|;| [–—|-]| \((?:[^()]*?, )?) ?)DAY( ?(?:[).;|\]–—-]|$))")
}
pattern! {
    /// The name of a source and a day in front of a citation.
    BEFORE,
    form(
            r"((?:^|[(—–|]| -) ?[*_]*(?:[Ss]ources?: ?)?NAME(?:, ?|\())DAY(\)?[*_]*[:,)]{0,2}[ *_]*(?:[^\s\x01]* ?\x01|\.?$))",
        )
}
pattern! {
    /// A source and its day at the start, or between dashes: `Reuters (2025-01-14): …`.
    HEAD, form(r"^([*_\s\x01>-]*NAME[*_]*)\(DAY\)([*_]*:)|(\x01[^\s.!?(\w]{0,2} [–—-] )NAME, DAY( [–—-])")
}
pattern! {
    /// Words that lead to a source: `According to a January 14, 2025 article`.
    INTRO, form(r"^([*_\s]*(?i:per|according to|as reported (?:by|in))\b[^,\x01]*?)DAY([^,\x01]*\x01)")
}
pattern! {
    /// Where in the source it is, beside the citation.
    PART,
    form(
            r"(?i)(?:see )?(?:(?:\bpp?\.|\bpages?|\btab(?:le|\.)|\bfig(?:ure|\.)|\bsec(?:tion|\.)|\bch(?:apter|\.)|\bappendix) ?[0-9]+(?:[.:–-][0-9]+)*|\bat [0-9]{1,2}(?::[0-9]{2}){1,2})((?: of)?(?: the)?(?: [^\s\x01().!?]+)?\x01|[^().!?\x01]{0,4}\x01)",
        )
}

pattern! {
    /// What may describe a source, in the brackets of its citation or behind it.
    ABOUT,
    form(concat!(
            r"(?i)(?:\b(?:first |last )?(?:published|posted|updated|verified|checked|reviewed|dated|as of)(?: on|:)? )?DAY|\bMONTH\.? [0-9]{1,2}\b|\b[0-9]{1,2} MONTH\b",
            r"|(?:\b(?:pp?|pages?|sec(?:tion)?|tab(?:le)?|fig(?:ure)?|slide|ch(?:apter)?|vol(?:ume)?|no|nr|ep(?:isode)?|rev(?:ision)?|doc(?:ument)?|source|ref|report|tier|level|lines?|para(?:graph)?|appendix|annex|box|exhibit|row|question|minute|footnote|timestamp|item|note|version|press release|issn|isbn|rfc|iso|cve|tweet)\.?|§+|#) ?(?:no\.? ?)?[0-9]+(?:[.:/–-][0-9]+)*",
            r"|\bv[0-9]+(?:\.[0-9]+)*\b|\b[0-9]+(?:\.[0-9]+)? ?[KMG]B\b|\b(?:at )?[0-9]{1,2}(?::[0-9]{2}){1,2}\b",
            r"|\b(?:confidence|score|rating|reliability|relevance)[ :=]{1,2}[0-9.]+(?:%|/[0-9]+)?|\b(?:confidence|credibility|reliability)\b[^.;\x01]*?[0-9]+ ?%?\)?|\b[0-9]{1,3} ?% confidence|\b[0-9]{1,2}/[0-9]{1,2}\b|\b(?:19|20)[0-9][0-9][a-z]?\b"
        ))
}

pattern! {
    /// The day of a report that a sentence tells of.
    REPORTED,
    form(concat!(
            r"(?i)(\b(?:reported|wrote|noted|according to|per|(?:report|article|study|paper|story|post|release) (?:published|posted|released|dated|from|of))\b[^.,;:\x01]*?)(?:on |in |from |\()?DAY\)?",
            r"|DAY(?: press)? (?:release|report|article|study|paper|story|post|survey|interview)\b"
        ))
}
pattern! {
    /// A part of the brackets of a citation.
    SEGMENT, form(r"[^(),;·|\[\]\x01-\x04]*[0-9][^(),;·|\[\]\x01-\x04]*")
}

/// Whether the words of a link say which part or issue of a source it is, or of
/// which day, and have no other figure: `Reuters, 3 May 2021`, `rev. 123456`.
pub(super) fn is_dated(label: &str) -> bool {
    has_no_figure_but(&ABOUT, label)
}

pattern! {
    /// The page or another part of a source.
    PAGE, form(r"(?i)\b(?:pp?\.|pages?|tab(?:le|\.)|fig(?:ure|\.)) ?[0-9]+(?:[–-][0-9]+)?")
}

/// Whether the words of a link have no figure but that of a page: `Reuters, p. 12`.
pub(super) fn is_paged(label: &str) -> bool {
    has_no_figure_but(&PAGE, label)
}

fn has_no_figure_but(form: &Pattern, label: &str) -> bool {
    const WORDS_MAX: usize = 8;
    let has_digit = |text: &str| text.contains(|c: char| c.is_ascii_digit() || c == DAY_MARK);
    let is_short = label.split_whitespace().count() <= WORDS_MAX;
    if !is_short || !has_digit(label) {
        return false; // most labels have no figure at all
    }
    let (label, _) = Days::marked(label);
    !has_digit(&form.replace_all(&label, ""))
}

pattern! {
    /// Any day.
    ANY_DAY, day()
}

/// How sure it is that a form says something of the source.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sure {
    /// Everywhere.
    Yes,
    /// In the brackets of a citation; elsewhere it may belong to the claim.
    InBrackets,
    /// Never: it may belong to the claim.
    No,
    /// Never, and it counts only beside a citation.
    Beside,
    /// Never, and it counts only in the brackets of a citation.
    Segment,
}

/// A sentence without what is beside its claim. What may belong to the claim
/// is marked as doubtful.
pub(super) fn without_asides(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return Cow::Borrowed(text); // each of them has a number
    }
    let placed = with_places_behind_words(text);
    let (placed, days) = Days::marked(&placed);
    // most sentences have no day, and nothing in brackets
    let has_day = !days.0.is_empty();
    let has_signs = placed.contains(['(', '[', '{', ':', '⭐', '‡']);
    let is_cited = placed.contains(PLACE);
    let starts_with_number = || {
        let start = placed.trim_start_matches(['*', '_', ' ', '(', '[', '#', '§']);
        start.starts_with(|c: char| c.is_ascii_digit()) || start.starts_with("No")
    };
    let forms = [
        (&NUMBER, Sure::Yes, true),
        (&OWN, Sure::Yes, has_signs),
        (&LOOKED, Sure::Yes, has_day || placed.contains(" read")),
        (
            &LEAD,
            Sure::No,
            has_day || has_signs || starts_with_number(),
        ),
        (&RATED, Sure::InBrackets, has_signs),
        (&SEEN, Sure::InBrackets, has_day),
        (&BEHIND, Sure::InBrackets, has_day && is_cited),
        (&BEFORE, Sure::InBrackets, has_day),
        (&HEAD, Sure::No, has_day),
        (&INTRO, Sure::No, has_day && is_cited),
        (&REPORTED, Sure::No, has_day),
        (&PART, Sure::InBrackets, is_cited),
        (&ABOUT, Sure::Beside, is_cited),
        (&SEGMENT, Sure::Segment, is_cited && has_signs),
    ];
    let mut changed: Option<String> = None;
    for (form, sure, may_be) in forms {
        if !may_be {
            continue;
        }
        let words = changed.as_deref().unwrap_or(&placed);
        let taken = |found: &Captures<'_>| taken(words, found, sure);
        if let Cow::Owned(new) = form.replace_all(words, taken) {
            changed = Some(new);
        }
    }
    changed.map_or(Cow::Borrowed(text), |words| {
        Cow::Owned(days.unmarked(&words))
    })
}

/// The place of a citation is inside the last word of a link; here it is behind it.
fn with_places_behind_words(text: &str) -> Cow<'_, str> {
    let mut parts = text.split(PLACE);
    let mut out = parts.next().unwrap_or_default().to_owned();
    if out.len() == text.len() {
        return Cow::Borrowed(text);
    }
    for part in parts {
        let end = part
            .find(|c: char| !c.is_alphanumeric())
            .unwrap_or(part.len());
        let (word, rest) = part.split_at(end);
        out.extend([word, "\u{1}", rest]);
    }
    Cow::Owned(out)
}

/// What is left where a form was found: the words around what it takes out.
fn taken(text: &str, found: &Captures<'_>, sure: Sure) -> String {
    let whole = found.get(0).map_or(0..0, |whole| whole.range());
    let mut range = whole.clone();
    for group in found.iter().skip(1).flatten() {
        if group.start() == whole.start {
            range.start = group.end();
        } else {
            range.end = range.end.min(group.start());
        }
    }
    let piece = |range: Range<usize>| text.get(range).unwrap_or_default();
    let in_brackets = in_citation(text, &range);
    let is_beside = || in_brackets || is_behind_citation(text, &range);
    if sure == Sure::Beside && (is_governed(text, range.start) || !is_beside()) {
        return piece(whole).to_owned();
    }
    if sure == Sure::Segment && !(in_brackets && is_remark(piece(range.clone()))) {
        return piece(whole).to_owned();
    }
    let is_sure = sure == Sure::Yes || (sure == Sure::InBrackets && in_brackets);
    let gone = if is_sure {
        GONE.to_owned()
    } else {
        doubt::wrapped(piece(range.clone()))
    };
    [
        piece(whole.start..range.start),
        &gone,
        piece(range.end..whole.end),
    ]
    .concat()
}

/// Whether few words in brackets may be a remark on the source: not `up 3 %`, `from 12 GW`.
fn is_remark(words: &str) -> bool {
    const WORDS_MAX: usize = 5;
    let digit = words.find(|c: char| c.is_ascii_digit()).unwrap_or(0);
    words.split_whitespace().count() <= WORDS_MAX
        && !words.contains(['%', '$', '€', '£'])
        && !GOVERNS.iter().any(|word| {
            let head = words.get(..digit).unwrap_or_default();
            head.split(' ').any(|other| other == *word)
        })
}

/// Whether the brackets around something hold the place of a citation.
fn in_citation(text: &str, range: &Range<usize>) -> bool {
    const FAR: usize = 200;
    let enclosing = |chars: &mut dyn Iterator<Item = (usize, char)>, [opens, closes]: [&str; 2]| {
        let mut depth = 0_usize;
        for (at, c) in chars.take(FAR) {
            if closes.contains(c) {
                depth += 1;
            } else if opens.contains(c) {
                match depth.checked_sub(1) {
                    Some(less) => depth = less,
                    None => return Some(at),
                }
            }
        }
        None
    };
    let (head, tail) = (text.get(..range.start), text.get(range.end..));
    let (head, tail) = (head.unwrap_or_default(), tail.unwrap_or_default());
    let open = enclosing(&mut head.char_indices().rev(), ["([（", ")]）"]);
    let close = enclosing(&mut tail.char_indices(), [")]）", "([（"]);
    let (Some(open), Some(close)) = (open, close) else {
        return false;
    };
    let inside = text.get(open..range.end + close).unwrap_or_default();
    inside.contains(PLACE)
}

/// Whether something follows the last citation, with hardly a word between them.
fn is_behind_citation(text: &str, range: &Range<usize>) -> bool {
    const WORDS_MAX: usize = 4;
    let between = text
        .rfind(PLACE)
        .and_then(|place| text.get(place..range.start));
    between.is_some_and(|between| between.split_whitespace().count() <= WORDS_MAX)
}

/// Whether a small word right before a figure makes it part of the sentence: `in 2024`.
fn is_governed(text: &str, at: usize) -> bool {
    let head = text.get(..at).unwrap_or_default().trim_end();
    let word = head.rsplit(|c: char| !c.is_alphabetic()).next();
    word.is_some_and(|word| GOVERNS.contains(&word))
}

/// Words that need the figure behind them.
const GOVERNS: [&str; 18] = [
    "in", "at", "on", "by", "of", "to", "from", "with", "for", "than", "over", "under", "about",
    "up", "down", "since", "until", "till",
];

#[cfg(test)]
mod tests {
    use super::super::Format;
    use super::super::tests::cited;

    fn claim(text: &str) -> Option<String> {
        let found = cited(text, Format::Markdown);
        found.first().unwrap().claim.as_deref().map(str::to_owned)
    }

    /// The claim with the words that may be beside it.
    fn whole(text: &str) -> Option<String> {
        let found = cited(text, Format::Markdown);
        let first = found.first().unwrap();
        let whole = first.whole.as_deref().or(first.claim.as_deref());
        whole.map(str::to_owned)
    }

    #[test]
    fn what_is_said_of_the_source_or_by_the_author_is_no_claim() {
        let fact = "Germany added 16.2 GW of solar capacity in 2024";
        for form in [
            "FACT (Reuters, 2025-01-14: [link](u)).",
            "Per [Reuters (Jan. 14, 2025)](u), FACT.",
            "According to a [January 14, 2025 Reuters article](u), FACT.",
            "- [Solar boom](u) — Reuters, 14 Jan 2025 — FACT",
            "- **Reuters (2025-01-14)**: FACT. [link](u)",
            "- **[Reuters](u)** (14 January 2025): FACT.",
            "FACT (confidence: 85%) ([source](u)).",
            "FACT ([Reuters, p. 12](u)).",
            "FACT ([report, Table 3](u)).",
            "FACT (see Fig. 3 of [the report](u)).",
            "FACT ([video at 12:34](u)).",
            "Fact 7: FACT ([source](u)).",
            "**Finding #3 –** FACT ([source](u)).",
            "3.2 FACT ([source](u)).",
            "**3.2** FACT ([source](u)).",
            "FACT ([source](u), accessed 3 March 2025).",
            "FACT ([source](u); archived 2025-03-03).",
            "FACT ([Reuters](u), 2 min read).",
            "FACT ([Reuters, 14 Jan 2025](u)).",
            "FACT ([reuters.com](u)) (Tier 1).",
            "FACT ✅ (2/3 sources) [Reuters](u)",
            "FACT — [Reuters](u) (Score: 8/10)",
            "FACT.\nSource: [Reuters](u), 14 January 2025",
            "FACT.\n(Reuters, 14 Jan 2025) u",
            "1️⃣ FACT ([source](u)).",
            "(1) FACT ([source](u)).",
            "FACT (Source: Reuters, 14 Jan 2025, u)",
            "FACT [Reuters +3](u).",
            "FACT oai_citation:0‡[Reuters](u).",
            "Claim: FACT Source: u Confidence: 95% Date accessed: 2025-03-03",
        ] {
            let text = form
                .replace("FACT", fact)
                .replace("u)", "https://a.example/x)");
            let text = text.replace(" u", " https://a.example/x");
            let claim = claim(&text).unwrap_or_default();
            assert!(claim.contains(fact), "{text}: {claim}");
            let rest = claim.replace("16.2", "").replace("2024", "");
            assert!(
                !rest.contains(|c: char| c.is_ascii_digit()),
                "{text}: {claim}"
            );
        }
    }

    #[test]
    fn a_control_character_of_the_author_hides_no_figure() {
        for mark in ['\u{1}', '\u{3}', '\u{4}', '\u{5}'] {
            let text = format!(
                "Fact 7: Germany added {mark}99{mark} GW in 2024 ([source](https://a.example/x))."
            );
            assert!(claim(&text).unwrap().contains("99"), "{mark:?}");
        }
    }

    #[test]
    fn days_and_figures_of_the_claim_stay() {
        for text in [
            "Germany signed the treaty on 14 January 2025 ([Reuters](https://a.example/x)).",
            "The treaty was signed (14 January 2025), says [Reuters](https://a.example/x).",
            "In March 2024 Germany added 16.2 GW [Reuters](https://a.example/x).",
            "The film was viewed 12 times on 3 March 2025 ([Reuters](https://a.example/x)).",
            "It rose by 12 % ([up from 3.4 % in 2023](https://a.example/x)).",
            "3.2 million people live there ([source](https://a.example/x)).",
            "3.2 Million Jobs were lost in Rome ([source](https://a.example/x)).",
            "Inflation stood at 5 % ([source](https://a.example/x)).",
            "It was sold at 12 [Reuters](https://a.example/x).",
            "In [Rome](https://a.example/x), March 2024 was the hottest month.",
        ] {
            let claim = whole(text).unwrap_or_default();
            let digits = |text: &str| text.chars().filter(char::is_ascii_digit).count();
            let all = digits(&text.replace("https://a.example/x", ""));
            assert_eq!(digits(&claim), all, "{text}: {claim}");
        }
    }
}
