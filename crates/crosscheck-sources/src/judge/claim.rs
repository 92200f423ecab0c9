//! The sentences of a claim against the text of a page.
//!
//! Contract: sources 4.

use std::collections::HashSet;

use crosscheck_core::rules::Rule;
use crosscheck_judge::builtin::{normalise, quantities, stems};
use crosscheck_judge::{
    Answer, Basis, Builtin, EvidenceKind, Judge, Opinion, Quantity, Question, Text,
};

use super::nearest::Nearest;
use super::quoted::not_beside;
use crate::observe::PageSeen;
use crate::pattern::pattern;
use crate::plan::binding::{Binding, Strength};
use crate::read::cited::Cited;
use crate::read::document::Part;
use crate::read::fragment::fragments;
use crate::read::sentence::Sentence;
use crate::reasons::Code;

const READINGS: Rule = Rule::new(
    "sources.readings",
    "a sentence is refuted only without its lead, tail and brackets, too",
);
const FIGURE: Rule = Rule::new(
    "sources.figure",
    "an amount that is missing beside nearly all other words refutes",
);
const OTHER: Rule = Rule::new(
    "sources.other",
    "a figure beside another name refutes nothing",
);
const HEADINGS: Rule = Rule::new(
    "sources.headings",
    "title and headings alone confirm no more than they say",
);

pattern! {
    /// `a year`, `/month`, `daily`
    PERIOD,
    r"(?i)(?:\b(?:an?|per|each|every) |/ ?)(?:hour|day|week|month|year)\b|\b(?:hourly|daily|weekly|monthly|yearly|annual(?:ly)?)\b"
}

/// Below this, hardly any word of the sentence is on the page.
const SCORE_MIN: f64 = 0.35;
/// From this on, nearly every word of the sentence is in one passage of the page.
const TOLD: f64 = 0.8;
/// More sentences are not judged for one source.
const SENTENCES_MAX: usize = 200;
/// Nor are more of them than this many bytes of page text hold together.
const WORK_MAX: usize = 128 * 1024 * 1024;

/// Shorter words with a capital letter are rarely names.
const NAME_MIN: usize = 4;

/// What the page says about the claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It confirms it.
    Yes,
    /// It does not, and that is shown.
    No,
    /// It leaves it open.
    Unclear,
}

impl Outcome {
    /// The word of the contract.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Unclear => "unclear",
        }
    }
}

/// What came of comparing a claim with a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimSeen {
    /// What the page says about it.
    pub outcome: Outcome,
    /// Why.
    pub code: Code,
    /// The sentence that decided.
    pub sentence: Option<String>,
    /// The text of the page that decided.
    pub span: Option<String>,
    /// What the outcome rests on, in words.
    pub because: Option<String>,
    /// How many sentences were judged.
    pub judged: usize,
    /// How many of them hold.
    pub holding: usize,
    /// A model judge calls the source biased.
    pub biased: bool,
    /// What the page says instead, where it does not confirm the claim.
    pub nearest: Option<Nearest>,
}

impl ClaimSeen {
    /// The same, with nothing decided.
    #[must_use]
    pub fn unclear(self) -> Self {
        let is_open = self.outcome == Outcome::Unclear;
        Self {
            outcome: Outcome::Unclear,
            code: if is_open {
                self.code
            } else {
                Code::ClaimUnclear
            },
            because: self
                .because
                .filter(|_| is_open || self.code == Code::NotSupported),
            ..self
        }
    }
}

/// One sentence against the page.
struct SentenceSeen<'s> {
    sentence: &'s Sentence,
    place: Place<'s>,
    answer: Option<Answer>,
    /// Whether there is no answer because this machine has run out of something.
    is_limited: bool,
    /// The overlap with the page; none where nothing could be measured.
    score: Option<f64>,
    figures: Vec<Quantity>,
    missing_quotations: usize,
    /// What it says beside its quotations and the page does not have there.
    not_beside: Option<String>,
}

impl SentenceSeen<'_> {
    fn contradicts(&self) -> bool {
        self.is(Opinion::Contradicts)
            && !(self.place.is_document && (self.is_about_another() || self.is_made()))
    }

    /// Whether the figures that speak against the sentence follow from others of the page.
    fn is_made(&self) -> bool {
        let by_figure = |answer: &Answer| answer.basis == Basis::Figure;
        let is_figure = self.answer.as_ref().is_some_and(by_figure);
        is_figure && self.missing_figures() > 0 && self.invented_figures().next().is_none()
    }

    /// Whether the figure that speaks against the sentence belongs to another subject: the words
    /// around it lack a name of the sentence. Then its own figure is only missing.
    fn is_about_another(&self) -> bool {
        let answer = self.answer.as_ref();
        let is_figure = |answer: &&Answer| answer.basis == Basis::Figure && OTHER.is_on();
        let Some(answer) = answer.filter(is_figure) else {
            return false;
        };
        let mut known = stems(&self.place.page.header());
        known.extend(stems(answer.span.as_deref().unwrap_or_default()));
        let words = self.sentence.text.split(|c: char| !c.is_alphanumeric());
        let mut names = words.filter(|word| {
            word.chars().count() >= NAME_MIN && word.starts_with(char::is_uppercase)
        });
        let is_missing = |name: &str| {
            let own = stems(name);
            !own.is_empty() && !own.iter().any(|stem| known.contains(stem))
        };
        names.any(is_missing) && self.missing_figures() > 0
    }

    fn is(&self, opinion: Opinion) -> bool {
        self.answer
            .as_ref()
            .is_some_and(|answer| answer.verdict == opinion)
    }

    fn has(&self, reason: &str) -> bool {
        self.answer
            .as_ref()
            .is_some_and(|answer| answer.has(reason))
    }

    fn holds(&self) -> bool {
        // Words around a quotation can deny it.
        let is_open = self.has("polarity_unsure") || self.has("scattered");
        let quoted = !(self.sentence.quotations.is_empty() || self.place.is_document && is_open);
        self.missing_quotations == 0
            && self.not_beside.is_none()
            && !self.contradicts()
            && (self.is(Opinion::Supports) || quoted)
            && self.missing_figures() == 0
    }

    /// How many figures are nowhere on the page.
    fn missing_figures(&self) -> usize {
        self.figures_not_there().count()
    }

    fn figures_not_there(&self) -> impl Iterator<Item = &Quantity> {
        let figures = self.figures.iter();
        figures.filter(|figure| !self.place.page.has(figure))
    }

    /// Those that speak against the sentence. In a document that is an amount which
    /// follows from no others of the page, where the page has all the rest of the
    /// sentence; of any other one it is not known.
    fn invented_figures(&self) -> impl Iterator<Item = &Quantity> {
        let is_told = FIGURE.is_on() && self.score.is_some_and(|score| score >= TOLD);
        let decided = self.is(Opinion::Contradicts);
        self.figures_not_there().filter(move |figure| {
            let is_amount = figure.is_amount() && !self.place.page.text.makes(figure);
            !self.place.is_document || (is_told || decided) && is_amount && !self.is_other_rate()
        })
    }

    /// Whether the page tells a rate of another period: `30 euros monthly` for `360 euros a year`.
    fn is_other_rate(&self) -> bool {
        let span = self
            .answer
            .as_ref()
            .and_then(|answer| answer.span.as_deref());
        let rates = period(&self.sentence.text).zip(span.and_then(period));
        rates.is_some_and(|(own, seen)| own != seen)
    }

    /// What an outcome with this code rests on.
    fn because(&self, code: Code) -> Option<String> {
        let not_there = match code {
            Code::FigureMissing => {
                let text = &self.sentence.text;
                let figures = self.invented_figures().take(3);
                let figures = figures.filter_map(|one| text.get(one.range.clone()));
                figures.collect::<Vec<_>>().join(", ")
            }
            Code::QuoteNotOnPage => {
                let mut quotes = self.sentence.quotations.iter();
                let quote = quotes.find(|quote| !self.place.page.quotes(quote));
                quote.map(|quote| format!("“{quote}”")).unwrap_or_default()
            }
            Code::ClaimUnclear if self.not_beside.is_some() => {
                let missing = self.not_beside.as_deref()?;
                return Some(format!(
                    "The quotation is on the page, but not beside it: {missing}"
                ));
            }
            Code::ClaimUnclear if self.is_made() => {
                let text = "The page lacks a figure that may follow from others of it";
                return Some(text.to_owned());
            }
            _ => return self.answer.as_ref()?.explanation.clone(),
        };
        (!not_there.is_empty()).then(|| format!("Not on the page: {not_there}"))
    }

    /// What the page says instead: about the quotation that is missing, else
    /// about the whole sentence.
    fn nearest(&self) -> Option<Nearest> {
        let mut quotes = self.sentence.quotations.iter();
        let missing = quotes.find(|quote| !self.place.page.quotes(quote));
        let words = missing.into_iter().chain([&self.sentence.text]);
        let words: Vec<&str> = words.map(String::as_str).collect();
        let answer = self.answer.as_ref();
        let decided = answer.and_then(|answer| answer.span.as_deref());
        Nearest::of(
            self.place.page,
            decided.filter(|_| missing.is_none()),
            &words,
        )
    }
}

/// What sentences are compared with.
#[derive(Debug, Clone, Copy)]
pub struct Place<'p> {
    /// The page.
    pub page: &'p PageSeen,
    /// Its address.
    pub reference: &'p str,
    /// It is a page, not the snippet of a search result.
    pub whole: bool,
    /// The sentences are those of a document, not of a debate.
    pub is_document: bool,
}

/// The period of a rate, by its first letter.
fn period(text: &str) -> Option<char> {
    let found = PERIOD.find(text)?.as_str().to_lowercase();
    let word = found.split([' ', '/']).next_back()?;
    word.replace("annual", "yearly").chars().next()
}

/// Compares the bound sentences with a page.
pub fn judge(judge: &dyn Judge, binding: &Binding, place: Place<'_>) -> ClaimSeen {
    let page = place.page;
    let header = page.header();
    let most = (WORK_MAX / page.text.source().len().max(1)).clamp(1, SENTENCES_MAX);
    let all = binding.sentences.iter().take(most);
    let seen: Vec<SentenceSeen<'_>> = all.map(|one| look(judge, one, place, &header)).collect();
    decide(binding, &seen, page)
}

fn look<'s>(
    judge: &dyn Judge,
    sentence: &'s Sentence,
    place: Place<'s>,
    header: &str,
) -> SentenceSeen<'s> {
    let page = place.page;
    let kind = if place.whole {
        EvidenceKind::Web
    } else {
        EvidenceKind::Search
    };
    let ask = |claim: &str| {
        let question = Question {
            kind,
            reference: Some(place.reference),
            header: place.whole.then_some(header),
            ..Question::new(claim, &page.text)
        };
        // A model gives no overlap; the built-in judge measures it wherever there is anything to measure.
        let measured = || judge.is_model().then(|| Builtin::answer(&question).score);
        judge.judge(&question).map(|answer| Answer {
            score: answer.score.or_else(|| measured().flatten()),
            ..answer
        })
    };
    let answer = ask(&sentence.text);
    let is_limited = answer.as_ref().is_err_and(|none| none.is_machine_limit);
    let answer = answer.ok().map(|answer| {
        let is_shown = judge.is_model()
            || is_proof(&answer, sentence) && !rests_on_headings(&answer, sentence, page);
        Answer {
            verdict: if is_shown {
                answer.verdict
            } else {
                Opinion::Unclear
            },
            ..answer
        }
    });
    let quotations = sentence.quotations.iter();
    let missing_quotations = quotations.filter(|quote| !page.quotes(quote)).count();
    let holds = |answer: &Answer| answer.verdict == Opinion::Supports;
    // a model that confirms the sentence has read all of it
    let is_read = judge.is_model() && answer.as_ref().is_some_and(holds);
    let not_beside = if is_read || missing_quotations > 0 {
        None
    } else {
        let rest_holds = |rest: &str| ask(rest).is_ok_and(|answer| holds(&answer));
        not_beside(sentence, page, answer.as_ref(), rest_holds)
    };
    let figures = quantities(&sentence.text).into_iter();
    SentenceSeen {
        sentence,
        place,
        score: answer.as_ref().and_then(|answer| answer.score),
        answer,
        is_limited,
        figures: figures.filter(Quantity::is_figure).collect(),
        missing_quotations,
        not_beside,
    }
}

/// Whether the text that confirms a sentence has a word or a figure of it.
fn is_proof(answer: &Answer, sentence: &Sentence) -> bool {
    let span = match &answer.span {
        Some(span) if answer.verdict == Opinion::Supports => span,
        _ => return true,
    };
    let own = stems(&sentence.text);
    let figures = quantities(&sentence.text);
    let seen = || quantities(&normalise(span)).into_iter();
    stems(span).iter().any(|stem| own.contains(stem))
        || seen().any(|its| figures.iter().any(|one| one.matches(&its)))
}

/// Whether only title and headings confirm a sentence that says more than
/// they: of what it says besides, the text holds less than half.
fn rests_on_headings(answer: &Answer, sentence: &Sentence, page: &PageSeen) -> bool {
    let is_confirmed = answer.verdict == Opinion::Supports && HEADINGS.is_on();
    if !is_confirmed || page.page.headings.is_empty() {
        return false;
    }
    let mut headed: HashSet<String> = stems(&page.header()).into_iter().collect();
    let heading = page.page.heading.as_deref().unwrap_or_default();
    headed.extend(stems(heading));
    let own: HashSet<String> = stems(&sentence.text).into_iter().collect();
    let besides: Vec<&String> = own.difference(&headed).collect();
    if besides.is_empty() || besides.len() * 2 > own.len() {
        return false; // headings say all of it, or hardly any
    }
    let span = answer.span.as_deref().unwrap_or_default();
    let is_heading = page
        .page
        .headings
        .iter()
        .any(|heading| heading == span.trim());
    let near: HashSet<String> = if is_heading {
        HashSet::new()
    } else {
        stems(span).into_iter().collect()
    };
    let held = |text: &HashSet<String>| {
        let found = besides.iter().filter(|stem| text.contains(**stem)).count();
        found * 2 >= besides.len()
    };
    !held(&near) && !held(page.body_stems())
}

/// One of several sources of a sentence answers for the words beside its mark. Either side confirms
/// it, unless the page denies what is before the mark; both are needed to accuse. Sources at one
/// place may each hold what the other lacks.
pub fn of_part(part: &Part, whole: ClaimSeen, judge: impl Fn(&str) -> ClaimSeen) -> ClaimSeen {
    let sides = [&part.before, &part.after].into_iter();
    let sides = sides.filter(|words| !stems(words).is_empty());
    let seen: Vec<ClaimSeen> = sides.map(|words| judge(words)).collect();
    let is_denied = |one: &ClaimSeen| match one.outcome {
        Outcome::No => one.code == Code::Contradicted || part.is_alone,
        _ => false,
    };
    let confirmed = seen.iter().find(|one| one.outcome == Outcome::Yes);
    match (seen.first(), confirmed) {
        (Some(first), Some(_)) if is_figure_against(first) => first.clone().unclear(),
        (_, Some(confirmed)) => confirmed.clone(),
        (Some(first), None) if seen.iter().all(is_denied) => first.clone(),
        _ => whole.unclear(),
    }
}

/// A sentence may say something of its source besides: `Slide 12: …`, `…, p. 12`. Only what is
/// refuted in every such reading speaks against it.
pub fn in_readings(seen: ClaimSeen, judge: impl Fn(&str) -> ClaimSeen) -> ClaimSeen {
    if !is_figure_against(&seen) || !READINGS.is_on() {
        return seen;
    }
    let sentence = seen.sentence.clone().unwrap_or_default();
    let mut readings = readings(&sentence).into_iter();
    if readings.any(|words| judge(&words).outcome != Outcome::No) {
        seen.unclear()
    } else {
        seen
    }
}

/// Whether the page has other facts than the claim, not only fewer words in common.
fn is_figure_against(seen: &ClaimSeen) -> bool {
    seen.outcome == Outcome::No && matches!(seen.code, Code::Contradicted | Code::FigureMissing)
}

/// A sentence without what is before its first colon, comma or `that`, behind its last dash or comma,
/// or in brackets, where that has a figure.
fn readings(sentence: &str) -> Vec<String> {
    const LEAD_MAX: usize = 80;
    let has_figure = |words: &str| words.contains(|c: char| c.is_ascii_digit());
    let mut found: Vec<String> = Vec::new();
    for sign in [": ", ", ", " that "] {
        let lead = sentence.split_once(sign);
        let lead = lead.filter(|(lead, _)| lead.len() <= LEAD_MAX && has_figure(lead));
        found.extend(lead.map(|(_, rest)| rest.to_owned()));
    }
    for sign in [" — ", " – ", " - ", ", "] {
        let tail = sentence.rsplit_once(sign);
        let tail = tail.filter(|(_, tail)| tail.len() <= LEAD_MAX && has_figure(tail));
        found.extend(tail.map(|(rest, _)| rest.to_owned()));
    }
    let aside = sentence.split_once('(').zip(sentence.rsplit_once(')'));
    let aside = aside.filter(|((_, inner), _)| has_figure(inner));
    found.extend(aside.map(|((before, _), (_, behind))| format!("{}{behind}", before.trim_end())));
    found.retain(|words| stems(words).len() > 2);
    found
}

/// In a document, few words in common with a page are not evidence against it:
/// so does a paraphrase. What is written in another language than the page cannot be
/// refuted by it.
pub fn in_document(seen: ClaimSeen, page: &PageSeen) -> ClaimSeen {
    if seen.outcome != Outcome::No {
        return seen;
    }
    if page.differs_from(seen.sentence.as_deref().unwrap_or_default()) {
        return ClaimSeen {
            code: Code::OtherLanguage,
            ..seen.unclear()
        };
    }
    if seen.code == Code::NotSupported {
        seen.unclear()
    } else {
        seen
    }
}

/// Says where a `#:~:text=` fragment is not on the page. Programs write such
/// fragments, not authors, so it is a note and decides nothing.
pub fn with_fragments(seen: ClaimSeen, cited: &Cited, page: &PageSeen) -> ClaimSeen {
    let missing = fragments(&cited.text)
        .into_iter()
        .find(|parts| !page.text.quotes_in_order(parts));
    let Some(parts) = missing else {
        return seen;
    };
    let note = format!(
        "The text that the link marks is not on the page: “{}”",
        parts.join(" … ")
    );
    let because = match &seen.because {
        Some(because) => format!("{}. {note}", because.trim_end_matches('.')),
        None => note,
    };
    ClaimSeen {
        because: Some(because),
        ..seen
    }
}

fn decide(binding: &Binding, seen: &[SentenceSeen<'_>], page: &PageSeen) -> ClaimSeen {
    let result = |outcome, code, chosen: Option<&SentenceSeen<'_>>| ClaimSeen {
        outcome,
        code,
        sentence: chosen.map(|one| one.sentence.text.clone()),
        span: chosen.and_then(|one| span(one, page)),
        because: chosen.and_then(|one| one.because(code)),
        judged: binding.sentences.len(),
        // How many hold is said of a confirmed claim only.
        holding: if outcome == Outcome::Yes {
            seen.iter().filter(|one| one.holds()).count()
        } else {
            0
        },
        biased: seen.iter().any(|one| one.has("biased")),
        nearest: chosen
            .filter(|_| outcome != Outcome::Yes)
            .and_then(SentenceSeen::nearest),
    };
    let central = central(binding, seen);
    if seen.is_empty() {
        return result(Outcome::Unclear, Code::NoClaim, None);
    }
    if seen.iter().any(|one| one.is_limited) {
        return result(Outcome::Unclear, Code::MachineLimit, central);
    }
    if seen.iter().any(|one| one.answer.is_none()) {
        return result(Outcome::Unclear, Code::JudgeError, central);
    }
    if !binding.strength.can_accuse() {
        return match holding(binding, seen) {
            Some(one) => result(Outcome::Yes, Code::Supported, Some(one)),
            None => result(Outcome::Unclear, Code::ClaimNotLocated, central),
        };
    }
    if let Some(one) = seen.iter().find(|one| one.contradicts()) {
        return result(Outcome::No, Code::Contradicted, Some(one));
    }
    if let Some(one) = seen.iter().find(|one| one.missing_quotations > 0) {
        return result(Outcome::No, Code::QuoteNotOnPage, Some(one));
    }
    let strong = binding.strength == Strength::Strong;
    if strong
        && let Some(one) = seen
            .iter()
            .find(|one| one.invented_figures().next().is_some())
    {
        return result(Outcome::No, Code::FigureMissing, Some(one));
    }
    // What was not judged does not hold, and accuses no one.
    let complete = seen.len() == binding.sentences.len();
    let all_hold = complete && seen.iter().all(SentenceSeen::holds);
    if let Some(one) = holding(binding, seen).filter(|_| !strong || all_hold) {
        return result(Outcome::Yes, Code::Supported, Some(one));
    }
    let mut with_figures = seen.iter().filter(|one| !one.figures.is_empty()).peekable();
    if !strong
        && complete
        && with_figures.peek().is_some()
        && with_figures.all(|one| one.invented_figures().count() == one.figures.len())
    {
        let first = seen.iter().find(|one| !one.figures.is_empty());
        return result(Outcome::No, Code::FigureMissing, first);
    }
    if complete && is_foreign(seen) {
        return result(Outcome::No, Code::NotSupported, central);
    }
    result(Outcome::Unclear, Code::ClaimUnclear, central)
}

/// Every overlap is too small, and there is one. A sentence that says nothing
/// to look for has none; any other without one was not measured, and then
/// nothing is shown.
fn is_foreign(seen: &[SentenceSeen<'_>]) -> bool {
    let says_nothing = |one: &&SentenceSeen<'_>| {
        let answer = one.answer.as_ref();
        one.score.is_none() && answer.is_some_and(|answer| answer.has("no_checkable_content"))
    };
    let mut measured = seen.iter().filter(|one| !says_nothing(one)).peekable();
    measured.peek().is_some()
        && measured.all(|one| one.score.is_some_and(|score| score < SCORE_MIN))
}

/// What was judged about the central sentence.
fn central<'a, 's>(
    binding: &Binding,
    seen: &'a [SentenceSeen<'s>],
) -> Option<&'a SentenceSeen<'s>> {
    let central = binding.central()?;
    seen.iter().find(|one| one.sentence == central)
}

/// The holding sentence that matters most.
fn holding<'a, 's>(
    binding: &Binding,
    seen: &'a [SentenceSeen<'s>],
) -> Option<&'a SentenceSeen<'s>> {
    central(binding, seen)
        .filter(|one| one.holds())
        .or_else(|| seen.iter().find(|one| one.holds()))
}

/// The text of the page that decided: the judge's, else the sentence around the quotation.
fn span(one: &SentenceSeen<'_>, page: &PageSeen) -> Option<String> {
    if let Some(span) = one.answer.as_ref().and_then(|answer| answer.span.clone()) {
        return Some(span);
    }
    let quote = one.sentence.quotations.first()?;
    let paragraph = quoting(&page.text, quote);
    Some(paragraph.unwrap_or(quote).to_owned())
}

/// The first paragraph with a quotation: the one in which it first begins, unless it ends in another.
fn quoting<'p>(page: &'p Text<'_>, quote: &str) -> Option<&'p str> {
    let paragraphs = || page.source().split("\n\n");
    let is_there = |text: &&str| Text::new(*text).quotes(quote);
    let first = page.place_of(quote).and_then(|place| {
        let mut end = 0;
        paragraphs().find(|paragraph| {
            end += paragraph.len() + "\n\n".len();
            place < end
        })
    });
    first
        .filter(is_there)
        .or_else(|| paragraphs().find(is_there))
}

#[cfg(test)]
mod tests {
    use crosscheck_fetch::text::Page;

    use super::*;

    const PAGE: &str = "A city survey counted 41,000 street trees in 2024.\n\nResearchers found that shaded streets \
        were 3.2 degrees cooler on summer afternoons than streets without trees.\n\nThe report recommends planting \
        two thousand trees every year.";

    #[test]
    fn a_quotation_is_shown_in_its_first_paragraph() {
        for (page, expected) in [
            (
                "One. \n\nA big `red` DOG.\n\nA red dog.",
                Some("A big `red` DOG."),
            ),
            (
                "It is big red\n\ndog food.\n\nA red dog.",
                Some("A red dog."),
            ),
            ("One.\n\n\nA red  dog.", Some("\nA red  dog.")),
            ("It is red.\n\nA dog.", None),
        ] {
            let plain = page
                .split("\n\n")
                .find(|text| Text::new(*text).quotes("red dog."));
            assert_eq!(
                (quoting(&Text::new(page), "red dog."), plain),
                (expected, expected)
            );
        }
    }

    fn place(page: &PageSeen) -> Place<'_> {
        Place {
            page,
            reference: "http://a.example/",
            whole: true,
            is_document: false,
        }
    }

    fn seen(strength: Strength, claim: &str) -> ClaimSeen {
        let page = PageSeen::new(
            Page {
                text: PAGE.to_owned(),
                ..Page::default()
            },
            false,
            None,
        );
        let binding = Binding {
            strength,
            sentences: Sentence::all(claim),
        };
        judge(&Builtin, &binding, place(&page))
    }

    #[test]
    fn few_shared_words_leave_a_document_open_and_say_what_is_missing() {
        let page = Page {
            text: PAGE.to_owned(),
            ..Page::default()
        };
        let page = PageSeen::new(page, false, None);
        for claim in [
            "Quantum machines factor integers in Ohio.",
            "Quantum machines of Novak factor integers in Ohio.",
        ] {
            let seen = in_document(seen(Strength::Strong, claim), &page);
            assert_eq!(seen.outcome, Outcome::Unclear, "{claim}");
            assert!(seen.because.is_some(), "{claim}");
        }
    }

    #[test]
    fn what_follows_from_figures_of_the_page_is_neither_confirmed_nor_invented() {
        let model = "The base model costs $1,299. The model with more memory costs $200 more.";
        let rooms = "The inn has 12 rooms. A night costs 80 euros per room.";
        let staff = "The clinic employs 5 nurses and 7 doctors.";
        let plan = "The plan costs 30 euros monthly.";
        let loan = "The fund is 250 million euros. Italy pays 40 percent of it.";
        let sale = "The desk was 480 euros. Today it is 60 euros off.";
        for (page, claim, outcome) in [
            (
                model,
                "The model with more memory costs $1,499.",
                Outcome::Unclear,
            ),
            (
                model,
                "The model with more memory costs $1,599.",
                Outcome::No,
            ),
            (
                rooms,
                "A full night brings the inn 960 euros.",
                Outcome::Unclear,
            ),
            (rooms, "A night costs 95 euros per room.", Outcome::No),
            (staff, "The clinic employs 12 people.", Outcome::Unclear),
            (staff, "The clinic employs 14 nurses.", Outcome::No),
            (plan, "The plan costs 360 euros a year.", Outcome::Unclear),
            (plan, "The plan costs 39 euros a month.", Outcome::No),
            (
                loan,
                "Italy pays 100 million euros of the fund.",
                Outcome::Unclear,
            ),
            (
                loan,
                "Italy pays 140 million euros of the fund.",
                Outcome::No,
            ),
            (sale, "Today the desk is 420 euros.", Outcome::Unclear),
            (sale, "Today the desk is 430 euros.", Outcome::No),
        ] {
            let text = page.to_owned();
            let page = PageSeen::new(
                Page {
                    text,
                    ..Page::default()
                },
                false,
                None,
            );
            let binding = Binding {
                strength: Strength::Strong,
                sentences: Sentence::all(claim),
            };
            let place = Place {
                is_document: true,
                ..place(&page)
            };
            let seen = judge(&Builtin, &binding, place);
            assert_eq!(seen.outcome, outcome, "{claim} {seen:?}");
        }
    }

    #[test]
    fn a_text_without_a_word_of_the_sentence_is_no_proof() {
        let sentence = |text: &str| Sentence::all(text).remove(0);
        let answer = |span: &str| Answer {
            span: Some(span.to_owned()),
            ..Answer::new(Opinion::Supports, "lexical", Basis::AllWords)
        };
        let used = sentence("It has been in use since the 1930s.");
        for (span, expected) in [("Home About", false), ("It opened in 1934.", true)] {
            assert_eq!(is_proof(&answer(span), &used), expected, "{span}");
        }
    }

    #[test]
    fn the_table_of_outcomes_holds_row_by_row() {
        use Outcome::{No, Unclear, Yes};
        use Strength::{Single, Strong, Title, Unbound};
        let good = "A city survey counted 41,000 street trees in 2024.";
        let wrong = "A city survey counted 58,000 street trees in 2024.";
        let misquoted = "It says \"every street deserves a mature tree\" in plain words.";
        let quoted = "It notes \"shaded streets were 3.2 degrees cooler on summer afternoons\".";
        let absent = "Each new tree costs 900 euros in the first winter.";
        let alien = "Quantum computers factor integers quickly.";
        for (strength, claims, outcome, code) in [
            (Strong, vec![good], Yes, Code::Supported),
            (Strong, vec![quoted], Yes, Code::Supported),
            (Strong, vec![good, wrong], No, Code::Contradicted),
            (Strong, vec![good, misquoted], No, Code::QuoteNotOnPage),
            (Strong, vec![good, absent], No, Code::FigureMissing),
            (Strong, vec![alien], No, Code::NotSupported),
            (Strong, vec![good, alien], Unclear, Code::ClaimUnclear),
            (Single, vec![good, wrong], No, Code::Contradicted),
            (Single, vec![good, misquoted], No, Code::QuoteNotOnPage),
            (Single, vec![good, absent], Yes, Code::Supported),
            (Single, vec![absent], No, Code::FigureMissing),
            (Single, vec![alien], No, Code::NotSupported),
            (Title, vec![good, wrong], Yes, Code::Supported),
            (Title, vec![wrong], Unclear, Code::ClaimNotLocated),
            (Unbound, vec![misquoted], Unclear, Code::ClaimNotLocated),
            (Strong, vec![], Unclear, Code::NoClaim),
        ] {
            let claim = claims.join(" ");
            let seen = seen(strength, &claim);
            assert_eq!(
                (seen.outcome, seen.code),
                (outcome, code),
                "{strength:?}: {claim}"
            );
        }
    }

    #[test]
    fn what_is_beyond_the_limit_is_not_judged_and_leaves_the_claim_open() {
        let good = "A city survey counted 41,000 street trees in 2024. ";
        let many = seen(Strength::Strong, &good.repeat(SENTENCES_MAX + 1));
        assert_eq!(
            (many.outcome, many.code, many.judged),
            (Outcome::Unclear, Code::ClaimUnclear, SENTENCES_MAX + 1)
        );
        let alien = "Quantum computers factor integers quickly. ";
        let many = seen(Strength::Strong, &alien.repeat(SENTENCES_MAX + 1));
        assert_eq!(many.outcome, Outcome::Unclear);
    }

    #[test]
    fn a_sentence_that_cannot_be_measured_accuses_no_one() {
        use Outcome::{No, Unclear};
        let long = "tree ".repeat(40_000);
        for (claim, outcome, code) in [
            ("I agree.", Unclear, Code::ClaimUnclear),
            ("Indeed. Yes.", Unclear, Code::ClaimUnclear),
            (long.as_str(), Unclear, Code::ClaimUnclear),
            // Words that say nothing clear no one either.
            (
                "I agree. Quantum computers factor integers quickly.",
                No,
                Code::NotSupported,
            ),
        ] {
            for strength in [Strength::Strong, Strength::Single] {
                let seen = seen(strength, claim);
                let start: String = claim.chars().take(60).collect();
                assert_eq!((seen.outcome, seen.code), (outcome, code), "{start}");
            }
        }
    }

    #[test]
    fn a_figure_in_a_sentence_that_goes_on_is_another_figure() {
        let page = "It grew by 30 million trees in 2020.\n\nElms grow by the river.";
        let page = PageSeen::new(
            Page {
                text: page.to_owned(),
                ..Page::default()
            },
            false,
            None,
        );
        for (claim, outcome) in [
            ("It grew by 30 million trees in 2020.", Outcome::Yes),
            ("It grew by 30.", Outcome::No),
        ] {
            let binding = Binding::strong(Sentence::all(claim));
            let seen = judge(&Builtin, &binding, place(&page));
            assert_eq!(seen.outcome, outcome, "{claim}");
        }
    }

    #[test]
    fn a_confirmed_claim_shows_where_the_page_says_so() {
        let quoted = seen(
            Strength::Strong,
            "It notes “Shaded streets were 3.2 degrees cooler on summer afternoons,” it says.",
        );
        assert_eq!(quoted.outcome, Outcome::Yes);
        assert!(
            quoted
                .span
                .unwrap()
                .contains("shaded streets were 3.2 degrees cooler")
        );
        let plain = seen(
            Strength::Strong,
            "A city survey counted 41,000 street trees in 2024.",
        );
        assert!(plain.span.unwrap().contains("41,000 street trees"));
    }
}
