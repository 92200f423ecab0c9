//! What a sentence says beside its claim: when a source was published or
//! looked at, where in it something stands, and what the author thinks of it.
//! None of it can be looked for on the page.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::claims::PLACE;
use crate::read::sentence::GONE;

const MONTH: &str = "(?:jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|février|mar(?:ch|s)?|märz|apr(?:il)?|avril|may|mai|jun[ei]?|juin|jul[iy]?|juillet|aug(?:ust)?|août|sept?(?:ember)?|septembre|o[ck]t(?:ober)?|octobre|nov(?:ember)?|novembre|de[cz](?:ember)?|décembre)";

/// A day, written in one of the usual ways.
static DAY: LazyLock<String> = LazyLock::new(|| {
    format!(
        r"(?i:[0-9]{{4}}[-/.][0-9]{{2}}[-/.][0-9]{{2}}|[0-9]{{1,2}}(?:st|nd|rd|th|\.)? {MONTH}\.?,? [0-9]{{4}}|{MONTH}\.? [0-9]{{1,2}}(?:st|nd|rd|th)?,? [0-9]{{4}}|{MONTH}\.? [0-9]{{4}}|[0-9]{{1,2}}[./][0-9]{{1,2}}[./][0-9]{{4}})"
    )
});

fn form(pattern: &str) -> Option<Regex> {
    Regex::new(&pattern.replace("DAY", &DAY).replace("NAME", NAME)).ok()
}

/// Words of a name, each with a capital letter.
const NAME: &str = r"(?:[A-ZÀ-Þ][^\s(),.;:\x01]*\.?(?: (?:of|the|and|for|&))* ?){1,6}";

/// When somebody looked at the source; how long it takes to read.
static LOOKED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    form(concat!(
        r"(?i)(?:(^[*_ ]*|\()|[,;|–—-]) ?(?:(?:last |date |first )?(?:accessed|retrieved|archived|visited|viewed|checked|fetched|captured)|abgerufen|zugriff|zuletzt (?:besucht|abgerufen)|consulté(?:e)?|consultado)(?: (?:on|at|am|le|el))?:? DAY(?: from)?",
        r"|(?:^[*_ ]*|[|;·] ?|\b)(?:date (?:accessed|retrieved)|accessed|retrieved|published|posted|(?:last )?updated|date): DAY",
        r"|[,;|·–—-] ?[0-9]{1,3}[ -]min(?:ute)?s?\.? read|✅ ?DAY|^\[x\] DAY|^on DAY,? [^:.]{1,40} wrote:"
    ))
});
/// What the author thinks of a statement, in brackets of its own.
static OWN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    form(
        r"(?i) ?[(\[](?:(?:source |evidence |overall )?(?:confidence|score|rating|reliability|credibility|quality|tier|relevance)(?: level| score)?[:=]? ?(?:[0-9][0-9./]*%?|high|medium|low)(?:/[0-9]+)?|[0-9]+(?:/| of )[0-9]+ sources?|(?:issue |pr )?#[0-9]+)[)\]]|\bconfidence: ?[0-9]+ ?%|⭐ ?[0-9][0-9.,]*[km]?|\[fn:[^\]]*\]|\boai_citation:[0-9]+‡?|\{\{cite [^{}]*(?:\}\}|$)",
    )
});
/// The number that the author gave a statement.
static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    form(concat!(
        r"^[*_\s]*(?:(?i:(?:key )?(?:fact|finding|claim|point|item|reason|takeaway|insight|observation|evidence|highlight) ?#?[0-9]{1,3}(?:\.[0-9]+)?[*_ ]*[:.–—-]+[*_ ]*)",
        r"|[0-9]\x{FE0F}?\x{20E3}[*_ ]*|(?:[0-9]{1,2}(?:\.[0-9]{1,2}){1,3}\.?|\([0-9]{1,2}\)|[0-9]{1,2}:)[*_]* +[*_]*(\p{Lu}\p{Ll}+))"
    ))
});
/// Words behind a figure, where headlines write them with a capital letter.
const UNITS: [&str; 16] = [
    "Million",
    "Millions",
    "Billion",
    "Billions",
    "Trillion",
    "Thousand",
    "Percent",
    "Degrees",
    "Miles",
    "Kilometers",
    "Kilometres",
    "Meters",
    "Metres",
    "Tons",
    "Tonnes",
    "Hours",
];
/// The dot of a month that is cut short ends no sentence: `Jan. 14`.
static MONTH_DOT: LazyLock<Option<Regex>> =
    LazyLock::new(|| form(r"\b(Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\. ([0-9])"));

/// What describes a document, and no fact in it.
static DESCRIPTION: LazyLock<Option<Regex>> =
    LazyLock::new(|| form(r"DAY|\b[0-9]+ (?:pages|pp)\b|\b[0-9][0-9.]* ?[KMG]B\b"));

/// A text without days, counts of pages and sizes.
pub(super) fn without_description(text: &str) -> Cow<'_, str> {
    DESCRIPTION
        .as_ref()
        .map_or(Cow::Borrowed(text), |form| form.replace_all(text, ""))
}

/// A text whose sentences do not end behind a month.
pub(super) fn with_whole_days(text: &str) -> Cow<'_, str> {
    MONTH_DOT
        .as_ref()
        .map_or(Cow::Borrowed(text), |form| form.replace_all(text, "$1 $2"))
}

/// A day right behind a citation, or in brackets there.
static BEHIND: LazyLock<Option<Regex>> = LazyLock::new(|| {
    form(
        r"(\x01[^\s.!?(\w]{0,2}[*_]*(?:,|;| [–—|-]| \((?:[^()]{0,60}?, )?) ?)DAY( ?(?:[).;|\]–—-]|$))",
    )
});
/// The name of a source and a day in front of a citation.
static BEFORE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    form(
        r"((?:^|[(—–|]) ?[*_]*(?:[Ss]ources?: ?)?NAME(?:, ?|\())DAY(\)?[*_]*[:,)]{0,2}[ *_]*(?:[^\s\x01]{0,12}\x01|\.?$))",
    )
});
/// A source and its day at the start, or between dashes: `Reuters (2025-01-14): …`.
static HEAD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    form(r"^([*_\s\x01>-]*NAME[*_]*)\(DAY\)([*_]*:)|(\x01[^\s.!?(\w]{0,2} [–—-] )NAME, DAY( [–—-])")
});
/// Words that lead to a source: `According to a January 14, 2025 article`.
static INTRO: LazyLock<Option<Regex>> = LazyLock::new(|| {
    form(
        r"^([*_\s]*(?i:per|according to|as reported (?:by|in))\b[^,\x01]{0,60}?)DAY([^,\x01]{0,60}\x01)",
    )
});
/// Where in the source it stands, beside the citation.
static PART: LazyLock<Option<Regex>> = LazyLock::new(|| {
    form(
        r"(?i)(?:see )?(?:(?:\bpp?\.|\bpages?|\btab(?:le|\.)|\bfig(?:ure|\.)|\bsec(?:tion|\.)|\bch(?:apter|\.)|\bappendix) ?[0-9]+(?:[.:–-][0-9]+)*|\bat [0-9]{1,2}(?::[0-9]{2}){1,2})((?: of)?(?: the)?(?: [^\s\x01().!?]{1,20})?\x01|[^().!?\x01]{0,4}\x01)",
    )
});

/// Any day.
static ANY_DAY: LazyLock<Option<Regex>> = LazyLock::new(|| form("DAY"));

/// A sentence without what stands beside its claim.
pub(super) fn without_asides(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return Cow::Borrowed(text); // each of them has a number
    }
    let placed = with_places_behind_words(text);
    // most sentences have no day, and nothing in brackets
    let has_day = ANY_DAY.as_ref().is_some_and(|day| day.is_match(&placed));
    let has_signs = placed.contains(['(', '[', '{', ':', '⭐', '‡']);
    let is_cited = placed.contains(PLACE);
    let forms = [
        (&NUMBER, true),
        (&OWN, has_signs),
        (&LOOKED, has_day || placed.contains(" read")),
        (&BEHIND, has_day && is_cited),
        (&BEFORE, has_day),
        (&HEAD, has_day),
        (&INTRO, has_day && is_cited),
        (&PART, is_cited),
    ];
    let mut changed: Option<String> = None;
    for (form, may_be) in forms {
        let Some(form) = may_be.then(|| form.as_ref()).flatten() else {
            continue;
        };
        let words = changed.as_deref().unwrap_or(&placed);
        if let Cow::Owned(new) = form.replace_all(words, kept) {
            changed = Some(new);
        }
    }
    changed.map_or(Cow::Borrowed(text), Cow::Owned)
}

/// The place of a citation stands inside the last word of a link; here it stands behind it.
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

/// The words around what a form takes out.
fn kept(found: &Captures<'_>) -> String {
    let groups: Vec<&str> = found
        .iter()
        .skip(1)
        .flatten()
        .map(|one| one.as_str())
        .collect();
    match groups.as_slice() {
        [before, after] => [before, GONE, after].concat(),
        [unit] if UNITS.contains(unit) => {
            let whole = found.get(0).map_or("", |whole| whole.as_str());
            whole.to_owned() // `3.2 Million` is a figure
        }
        [one] if one.ends_with(PLACE) || one.starts_with(char::is_uppercase) => {
            [GONE, one].concat()
        }
        others => [&others.concat(), GONE].concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Format, ReadOptions, mentions};

    fn claim(text: &str) -> Option<String> {
        let options = ReadOptions {
            include_code: false,
            identifiers: true,
        };
        let found = mentions(text, Format::Markdown, options).unwrap();
        found.first().unwrap().claim.as_deref().map(str::to_owned)
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
            let claim = claim(text).unwrap_or_default();
            let digits = |text: &str| text.chars().filter(char::is_ascii_digit).count();
            let all = digits(&text.replace("https://a.example/x", ""));
            assert_eq!(digits(&claim), all, "{text}: {claim}");
        }
    }
}
