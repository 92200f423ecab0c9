//! What lists of sources look like: their headings and their entries.

use std::collections::HashSet;
use std::sync::LazyLock;

use crosscheck_core::rules::Rule;

use crate::lists::list;
use crate::pattern::pattern;

const ENTRY_SHAPE: Rule = Rule::new(
    "sources.entry",
    "what begins like an author or has what only entries have names a source",
);

/// Headings under which nothing but sources is.
static TITLES: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("titles.txt").lines().collect());

pattern! {
    /// Of these a heading may begin or end with: `References (selected)`, `Sources for part 2`.
    AROUND,
    r"(?i)^(?:(?:key|main|primary|secondary|selected|full|complete|additional|all|my|our|the)\s+)*(references|sources|bibliography|works cited|citations|endnotes|footnotes)(?:\s*(?:\(.*\)|&\s+.*|and\s+(?:(?:further|additional|other|more|useful|suggested|recommended)\s+\w+|notes|links|citations|resources|further reading|bibliography|data|sources|references)|/.*|list|section|used(?: in .*)?|cited(?: in .*)?|for .*))?$"
}
pattern! {
    /// What a heading carries besides its words: signs of markup, a number of its own.
    FRAME,
    r"^(?:[\s#*_=>~|-]|\\|(?:\d{1,2}|[IVXivx]{1,5}|[A-Z])(?:\.\d{1,2})*[.):]?\s|\d{1,2}\.|[§\u{1F300}-\u{1FAFF}\u{2600}-\u{27BF}\u{FE0F}])+"
}

/// Whether these words head a list of sources.
pub(super) fn is_title(words: &str) -> bool {
    const LONGEST: usize = 80;
    if words.len() > LONGEST {
        return false;
    }
    let words = words.trim();
    let start = FRAME.find(words).map_or(0, |found| found.end());
    let words = words.get(start..).unwrap_or(words);
    let words =
        words.trim_end_matches(['*', '_', '#', '=', ' ', ':', '：', '.', '~', '|', '\\', '-']);
    let words = words.to_lowercase();
    // `Appendix A: Sources`
    let words = match words.split_once([':', '–', '—']) {
        Some((part, title)) if part.starts_with("appendix") || part.starts_with("anhang") => {
            title.trim().to_owned()
        }
        _ => words,
    };
    TITLES.contains(words.as_str()) || AROUND.is_match(&words)
}

list! {
    /// Words without which few words tell something.
    VERBS, "verbs"
}
/// Whether words have a verb: a known one, or one that may be no verb.
pub(super) fn verb(words: &str) -> Option<bool> {
    let all = || words.split(|c: char| !c.is_alphanumeric());
    let may_be = |word: &str| word.len() > 4 && word.ends_with("ed");
    let is_known = all().any(|word| VERBS.contains(word));
    (is_known || all().any(may_be)).then_some(is_known)
}

/// Letters of any script, in few ranges: the exact class takes long to compile.
pub(super) const LETTERS: &str = r"A-Za-zÀ-ÖØ-öø-\u{1FFF}\u{2C00}-\u{2DFF}\u{3041}-\u{D7FF}";

pattern! {
    /// Author and year, as entries begin.
    AUTHOR,
    {
        let name = format!(r"\p{{Lu}}[{LETTERS}'’-]+");
        let parts = [
            // Okafor, N. (2019) · Smith, John. · van der Berg, A. B.
            format!(r"(?:[a-zß-öø-ÿ]{{1,4}} ){{0,2}}{name}, ?(?:\p{{Lu}}\.|{name}(?:\.|, (?:and|&) ))"),
            // N. Okafor, · Okafor N, Brandt H.
            format!(r"\p{{Lu}}\. ?(?:\p{{Lu}}\. ?)?{name},"),
            format!(r"{name} \p{{Lu}}{{1,3}}(?:\.|, {name} \p{{Lu}}{{1,3}}[,.])"),
        ];
        format!("^(?:{})", parts.join("|"))
    }
}
pattern! {
    /// `Author. (2019).`, `Author (2019, June 14).`
    YEAR, r"^([^.!?]*?)\.? \((?:19|20)[0-9][0-9][a-z]?(?:,[^()]+)?\)[.:,]"
}

pattern! {
    /// `“Title.” Name of a site, 2019,`: a title in quotation marks with its full stop in them.
    TITLED, r#"^[\s*_>-]*["“«„]([^"“”«»„]{3,150})[.,?!]["”“»][\s*_]+([\p{Lu}\d(\[].*)"#
}

/// Whether an entry begins with its title, and neither that nor the rest states anything.
fn begins_with_title(entry: &str) -> bool {
    let form = TITLED.captures(entry);
    let states = |group: Option<regex::Match<'_>>| {
        group.is_none_or(|words| verb(words.as_str()) == Some(true))
    };
    form.is_some_and(|form| !states(form.get(1)) && !states(form.get(2)))
}

list! {
    /// First words of sentences, which are not names of authors.
    NO_NAMES, "no_names"
}

/// Whether an entry begins with an author or a title, or with a name and a year.
pub(super) fn has_author(entry: &str) -> bool {
    if is_dated(entry) {
        return true;
    }
    let entry = without_signs(entry);
    let first = entry.split(' ').next().unwrap_or_default();
    let states = || verb(entry) == Some(true) && !EVIDENCE.is_match(entry);
    !NO_NAMES.contains(first) && AUTHOR.is_match(entry) && !states()
}

/// Whether an entry begins with a title in quotation marks, or with a name and a year.
fn is_dated(entry: &str) -> bool {
    const NAME_MAX: usize = 120;
    if begins_with_title(entry) {
        return true;
    }
    let entry = without_signs(entry);
    let is_name = |name: &str| (2..=NAME_MAX).contains(&name.chars().count());
    let dated = || YEAR.captures(entry)?.get(1);
    entry.contains('(') && dated().is_some_and(|name| is_name(name.as_str()))
}

fn without_signs(entry: &str) -> &str {
    entry.trim_start_matches(|c: char| !(c.is_alphanumeric() || c == '_'))
}

pattern! {
    /// What is in entries of lists of sources, and hardly anywhere else.
    EVIDENCE,
    {
        let parts = [
            r"\(n\. ?d\.\)",
            r"(?i)\bet al\b",
            r"(?i)\b(?:accessed|retrieved|last (?:visited|accessed|viewed)|viewed on|date of access|abgerufen|zugriff|zuletzt|consulté|consultado|consultato|geraadpleegd|geopend|hämtad|acessado|acesso|acceso|accesso|consultata?|otwierano|dostęp|besökt|tilgået|erişim|дата (?:последнего )?обращения)\b[^\n]{0,40}\d",
            r"(?:访问|检索|查阅|閲覧|アクセス|引用)日?|(?:액세스|접속|열람)",
            r"(?i)\bpp?\.\s?\d|\bS\.\s?\d+|\b\d+ (?:pages|pp\b|Seiten|S\.)",
            r"(?i)\bvol(?:ume|\.)\s?\d|\bno\.\s?\d|\bissue \d|\d+ ?\(\d+(?:[–-]\d+)?\)[,:]\s?\d|;\s?\d+(?:\(\d+\))?:\s?[a-z]?\d",
            r"(?i)\bdoi\b|\bISBN\b|\bISSN\b|\barxiv\b|\bPMID\b|\[(?:online|internet|video|blog|website|web page|dataset|computer software)\]",
            r"\[(?:[A-Z]|EB|DB|CP)(?:/OL)?\]",
            r"(?i)\bavailable (?:at|from|online)\b|\(\d(?:st|nd|rd|th) ed\.\)|\b\d(?:st|nd|rd|th) (?:ed(?:ition|\.)|printing)\b|\bAuflage\b|\b(?:Eds?|Hrsg)\.\)",
        ];
        // each in a group of its own, so that `(?i)` ends with it: `[J]` is a kind of source, `[j]` a label
        format!("(?:{})", parts.join(")|(?:"))
    }
}
/// Whether words without URLs begin with an author or have what only entries have.
/// `in_brackets` says that what they cite is in brackets, as behind a sentence:
/// `The U.S. economy grew ([name](u)).` begins like an author, and states something.
pub(super) fn is_entry(words: &str, in_brackets: bool) -> bool {
    if !ENTRY_SHAPE.is_on() {
        return false;
    }
    let has_evidence = || EVIDENCE.is_match(words) && verb(words) != Some(true);
    is_dated(words) || !in_brackets && (has_author(words) || has_evidence())
}

/// Whether words name a source, and state nothing.
pub(super) fn names_source(words: &str) -> bool {
    is_entry(words, false) || verb(words) != Some(true)
}

pattern! {
    /// A title and the first entry behind it.
    ENTRY, r"^([^\[]*?)\\?\[\^?[0-9]{1,3}\\?\]"
}

/// Where the first entry begins on the line of its list's title: `Sources: [1] …`.
pub(super) fn behind_title(words: &str) -> Option<usize> {
    let title = ENTRY.captures(words)?.get(1)?;
    let named = title.as_str().trim_matches(['*', '_', ' ', '>', '\t']);
    is_title(named.strip_suffix(':')?).then_some(title.end())
}
