//! What lists of sources look like: their headings and their entries.

use super::claims::PLACE;
use super::telling::verb;
use crate::pattern::{Pattern, pattern};

/// Headings under which nothing but sources is.
const TITLES: &[&str] = &[
    "references",
    "reference list",
    "list of references",
    "references cited",
    "cited references",
    "bibliography",
    "selected bibliography",
    "annotated bibliography",
    "works cited",
    "work cited",
    "works consulted",
    "literature",
    "literature cited",
    "cited literature",
    "citations",
    "cited works",
    "data sources",
    "research sources",
    "source index",
    "source list",
    "list of sources",
    "sources",
    "sources cited",
    "cited sources",
    "sources consulted",
    "sources used",
    "web sources",
    "online sources",
    "source links",
    "sources and references",
    "references and sources",
    "notes",
    "footnotes",
    "endnotes",
    "end notes",
    "notes and references",
    "references and notes",
    "notes and sources",
    "further reading",
    "references and further reading",
    "sources and further reading",
    "external links",
    "external references",
    "literatur",
    "literaturverzeichnis",
    "quellen",
    "quellenverzeichnis",
    "quellenangaben",
    "quellen und literatur",
    "literatur und quellen",
    "einzelnachweise",
    "referenzen",
    "nachweise",
    "fußnoten",
    "anmerkungen",
    "weiterführende literatur",
    "références",
    "références bibliographiques",
    "bibliographie",
    "sources et références",
    "notes et références",
    "referencias",
    "referencias bibliográficas",
    "bibliografía",
    "fuentes",
    "obras citadas",
    "notas",
    "referências",
    "referências citadas",
    "obras referenciadas",
    "fontes citadas",
    "fuentes citadas",
    "referencias citadas",
    "opere citate",
    "fonti citate",
    "geciteerd werk",
    "geciteerde werken",
    "cytowane prace",
    "bibliografia i źródła",
    "참고 자료",
    "인용 자료",
    "источники и ссылки",
    "цитированные источники",
    "referências bibliográficas",
    "bibliografia",
    "fontes",
    "riferimenti",
    "riferimenti bibliografici",
    "fonti",
    "note",
    "bronnen",
    "bronnenlijst",
    "literatuur",
    "referenties",
    "literatura",
    "źródła",
    "przypisy",
    "källor",
    "referenser",
    "kilder",
    "referanser",
    "lähteet",
    "kaynakça",
    "kaynaklar",
    "литература",
    "список литературы",
    "источники",
    "список источников",
    "примечания",
    "література",
    "джерела",
    "参考文献",
    "参考资料",
    "參考文獻",
    "參考資料",
    "引用文献",
    "引用来源",
    "资料来源",
    "来源",
    "出典",
    "脚注",
    "参照",
    "参考",
    "注释",
    "참고문헌",
    "참고 문헌",
    "참고자료",
    "출처",
    "المراجع",
    "المصادر",
    "संदर्भ",
];

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
    TITLES.contains(&words.as_str()) || AROUND.is_match(&words)
}

/// Headings under which links are listed, and statements as well.
const LINKS: &[&str] = &[
    "evidence",
    "links",
    "useful links",
    "related links",
    "resources",
    "additional resources",
    "useful resources",
    "see also",
    "learn more",
    "more information",
    "related work",
    "related",
    "documentation",
    "official documentation",
    "recommended reading",
    "reading list",
    "weblinks",
    "siehe auch",
    "voir aussi",
    "véase también",
];

/// Whether these words head a list of links.
pub(super) fn is_title_of_links(words: &str) -> bool {
    let words = words.trim_matches(|c: char| !c.is_alphanumeric());
    LINKS.iter().any(|title| words.eq_ignore_ascii_case(title))
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

/// First words of sentences, which are not names of authors.
const NO_NAMES: [&str; 24] = [
    "The", "In", "A", "An", "At", "On", "For", "From", "This", "That", "These", "It", "As", "By",
    "When", "While", "After", "Before", "Since", "With", "Under", "Both", "Most", "Some",
];

/// Whether an entry begins with an author or a title, or with a name and a year.
pub(super) fn has_author(entry: &str) -> bool {
    if is_dated(entry) {
        return true;
    }
    let entry = without_signs(entry);
    let first = entry.split(' ').next().unwrap_or_default();
    let states = || verb(entry) == Some(true) && !EVIDENCE.is_match(entry);
    !NO_NAMES.contains(&first) && AUTHOR.is_match(entry) && !states()
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
pattern! {
    /// Words and a link in brackets at the end: `… along the river ([survey](u)).`
    STATEMENT,
    r"[\p{L}\d%][^\n]*[^\]\n]\((?:[^()\n]*\[[^\]\n]*\]\([^()\s]*\)[^()\n]*|[^()\n]*https?://[^\s()]*[^()\n]*)\)[.!?\s*_]*$"
}
pattern! {
    /// A link that opens an entry, with at most a few words behind it.
    LINK_FIRST, r"^[\s*_>+-]*(?:[0-9]{1,3}[.)]\s*)?[*_]*\[[^\]\n]+\]\([^\s()]*(?:\([^\s()]*\)[^\s()]*)*\)"
}
pattern! {
    /// A URL that ends an entry, behind a colon, a dash, a comma or a full stop.
    URL_LAST, r"[:,.|–—-]\s*<?(?:https?://|www\.)[^\s<>]+>?[.\s]*$"
}

/// How sure it is that a piece of text is an entry of a list of sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shape {
    /// It states something.
    Claim,
    /// It has a title's place and a URL.
    Title,
    /// It has what only an entry has: author and year, pages, a date of access.
    Entry,
}

/// The shape of a piece of text that holds a URL. `written` is the piece as it
/// is there, `has_figure` whether its words hold a figure that is not a year.
pub(super) fn shape(written: &str, has_figure: bool) -> Shape {
    let is = |form: &Pattern| form.is_match(written);
    let body = bare(written);
    let has = |form: &Pattern| form.is_match(&body);
    let is_statement = is(&STATEMENT);
    if !is_statement && has_author(&body) || is_dated(&body) {
        Shape::Entry
    } else if is_statement && !has(&EVIDENCE) {
        Shape::Claim
    } else if has_author(&body) {
        Shape::Entry
    } else if is_statement {
        Shape::Claim
    } else if has(&EVIDENCE) {
        Shape::Entry
    } else if !has_figure && (is(&LINK_FIRST) || is(&URL_LAST)) {
        Shape::Title
    } else {
        Shape::Claim
    }
}

/// Whether words without URLs begin with an author or have what only entries have.
pub(super) fn is_entry(words: &str, in_brackets: bool) -> bool {
    let body = words.replace(PLACE, "");
    // `The U.S. economy grew ([name](u)).` begins like an author, and states something
    is_dated(&body) || !in_brackets && has_author(&body) || !in_brackets && EVIDENCE.is_match(&body)
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

pattern! {
    /// The mark of a list in front of a piece.
    MARK, r"^\s*(?:[-*+>•]\s+)*(?:\\?\[\^?[0-9]{1,3}\\?\]:?|\(?[0-9]{1,3}[.)])?\s*"
}
pattern! {
    /// URLs and what frames them.
    URL, r"\]\([^)\s]*\)|<?https?://[^\s)>\]]+>?"
}

/// A piece without the mark of its list and without URLs.
fn bare(written: &str) -> String {
    let start = MARK.find(written).map_or(0, |mark| mark.end());
    let body = written.get(start..).unwrap_or(written);
    URL.replace_all(body, "").into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_of_lists_are_known_however_they_are_dressed() {
        for words in [
            "References",
            "## 7. References",
            "#### **Works cited**",
            "**Sources:**",
            "VII. Bibliography",
            "__Citations__",
            "References and Further Reading",
            "Key sources",
            "Sources (accessed in May)",
            "References & notes",
            "Sources and further information",
            "📚 References",
            "Literatur",
            "Quellen:",
            "参考文献",
            "5.2 Works Cited",
            "=== Notes ===",
            "Références",
            "Источники",
            "Data sources",
            "Cited works",
            "## Appendix A: Sources",
        ] {
            assert!(is_title(words), "{words}");
        }
        for words in [
            "Sources of error",
            "Noteworthy results",
            "Power sources for the island",
            "The literature on otters is old",
            "Findings",
            "",
        ] {
            assert!(!is_title(words), "{words}");
        }
    }

    #[test]
    fn entries_may_begin_on_the_line_of_the_title() {
        for (line, rest) in [
            (
                "Sources: [1] https://a.example/1",
                Some("[1] https://a.example/1"),
            ),
            ("**References:** [1] Oaks", Some("[1] Oaks")),
            (r"**Sources**: \[1\] Oaks", Some(r"\[1\] Oaks")),
            ("Oaks are old: [1] says so", None),
            ("Sources [1] and [2] agree", None),
            ("[1] https://a.example/1", None),
        ] {
            let seen = behind_title(line).and_then(|at| line.get(at..));
            assert_eq!(seen, rest, "{line}");
        }
    }

    #[test]
    fn entries_of_every_school_have_the_shape_of_entries() {
        for entry in [
            "Okafor, N. (2019). Rooftop beekeeping census, 4th printing. https://a.example/x",
            "Moreau, Claire. \"Island Ferry Punctuality.\" *Island Quarterly*, 14 June 2023, https://a.example/x.",
            "Moreau, Claire. 2023. \"Island Ferry Punctuality.\" Island Quarterly 8 (2): 201–19. https://a.example/x.",
            "[3] C. Moreau, \"Island ferry punctuality,\" Island Quarterly, vol. 8, pp. 201-219, 2023. [Online]. Available: https://a.example/x",
            "3. Moreau C, Petit L. Island ferry punctuality. Isl Q. 2023;8(2):201-19. https://a.example/x",
            "[3] 王明. 渡轮准点率研究[J]. 岛屿学报, 2023, 8(2): 201-219. https://a.example/x",
            "City of Harrow. (2024). Annual report. https://a.example/x",
            "Harbour tram ridership - Harbour Office, accessed May 20, 2025, [https://a.example/x](https://a.example/x)",
            "Ministry of Islands (2023): Ferry punctuality. https://a.example/x",
            "van der Berg, A. B., & Ito, K. (2020). Night library trial. https://a.example/x",
            "“Night library trial.” *Island Quarterly*, 2019, https://a.example/x.",
            "\"Night library trial.\" City of Harrow. Last modified May 4, 2019. https://a.example/x.",
        ] {
            assert_eq!(shape(entry, true), Shape::Entry, "{entry}");
            let begins = entry.starts_with(['“', '"']);
            assert!(!begins || is_entry(entry, true), "{entry}");
        }
        for claim in [
            "“We plant trees,” said Meyer, who leads 12 men, https://a.example/x",
            "“The trial was stopped.” City of Harrow, 2019, https://a.example/x",
            "“Night library trial.” Harrow has 12 of them, https://a.example/x",
        ] {
            assert!(!is_entry(claim, true), "{claim}");
        }
    }

    #[test]
    fn titles_are_no_claims_and_claims_are_no_entries() {
        for title in [
            "[Harbour tram ridership](https://a.example/x)",
            "- [ripgrep](https://a.example/x) - a fast search tool",
            "1. Harbour tram ridership: https://a.example/x",
            "* Harbour tram ridership – https://a.example/x",
        ] {
            assert_eq!(shape(title, false), Shape::Title, "{title}");
        }
        for claim in [
            "1. Rangers counted otters along the lower river ([survey](https://a.example/x)).",
            "3. The salt works harvest grey salt each season (https://a.example/x).",
            "- Berlin has the largest forest https://a.example/x",
            "- Berlin has the largest forest, says [the paper](https://a.example/x)",
        ] {
            assert_eq!(shape(claim, false), Shape::Claim, "{claim}");
        }
        assert_eq!(
            shape("- [It fell by 40 %](https://a.example/x)", true),
            Shape::Claim
        );
    }
}
