//! Why a cited URL ended the way it did. The words of the contract are these
//! codes in lower case.

use std::sync::LazyLock;

crosscheck_core::reasons! {
    /// Why a cited URL ended the way it did.
    pub enum Code {
        Supported = "SUPPORTED", Note,
            "the page is there and its text confirms what it is cited for",
            help: "nothing to do";
        SupportedIndirect = "SUPPORTED_INDIRECT", Note,
            "the page could not be read, but other sources confirm the claim",
            help: "read the NOTE of the explanation before relying on it";
        Reconfirmed = "RECONFIRMED", Note,
            "the URL was judged before in this debate; its status is unchanged and it was not fetched again",
            help: "pass --rejudge to judge the kept page against the new claim";
        InvalidUrl = "INVALID_URL", Warning,
            "the cited text is not a URL, has no host, is cut short, or holds a placeholder or an invisible sign",
            help: "cite a full URL";
        UnsupportedScheme = "UNSUPPORTED_SCHEME", Warning,
            "the URL is neither http nor https",
            help: "cite a page on the web";
        GuardBlocked = "GUARD_BLOCKED", Warning,
            "the URL, or a redirect from it, leads to an address, name or port that is never contacted",
            help: "if the address is yours and meant to be read, pass the option that the message names";
        DnsNxdomain = "DNS_NXDOMAIN", Error,
            "the domain does not exist",
            help: "remove the citation, or cite a page that exists";
        NoNetwork = "NO_NETWORK", Warning,
            "no host name resolves, not even well-known ones: this machine has no network",
            help: "run the check where there is a network; nothing is said about the source";
        MachineLimit = "MACHINE_LIMIT", Warning,
            "this machine has no more open files, processes, memory or buffers, so the source was not judged",
            help: "raise the limit (ulimit) or lower --jobs, and run the check again; nothing is said about the source";
        DnsTemporary = "DNS_TEMPORARY", Warning,
            "the domain could not be resolved for now",
            help: "run the check again later";
        ConnectionFailed = "CONNECTION_FAILED", Warning,
            "the server refused, dropped or could not take the connection, twice",
            help: "run the check again later";
        TlsError = "TLS_ERROR", Warning,
            "the secure connection failed: certificate expired, untrusted or for another name",
            help: "open the page in a browser and look at its certificate";
        Timeout = "TIMEOUT", Warning,
            "the server did not answer in time, twice",
            help: "raise --timeout, or run the check again later";
        TooManyRedirects = "TOO_MANY_REDIRECTS", Warning,
            "the URL redirects in a loop or too often",
            help: "cite the page's final address";
        Http404 = "HTTP_404", Error,
            "the server says that the page does not exist",
            help: "remove the citation, or cite a page that exists";
        Http410 = "HTTP_410", Error,
            "the page was removed",
            help: "cite an archived copy or another source";
        BlockedUnconfirmed = "BLOCKED_UNCONFIRMED", Warning,
            "the server refuses access, and no other source confirms the claim",
            help: "configure an archive or a search command, or open the page yourself";
        RateLimited = "RATE_LIMITED", Warning,
            "the server limited requests, twice",
            help: "run the check again later";
        ServerError = "SERVER_ERROR", Warning,
            "the server failed, twice",
            help: "run the check again later";
        HttpOther = "HTTP_OTHER", Warning,
            "the server answered with a status that decides nothing",
            help: "open the page yourself; --accept treats a status as 200";
        UnsupportedContent = "UNSUPPORTED_CONTENT", Warning,
            "the page exists, but is not readable text",
            help: "cite a page with text, or check it yourself";
        TooLarge = "TOO_LARGE", Warning,
            "only the first part of the page was read, and what is cited is not in it",
            help: "raise --max-body, or check the rest of the page yourself";
        Robots = "ROBOTS", Warning,
            "the site's robots.txt asks not to fetch this page",
            help: "drop --robots for pages you ask for yourself";
        Offline = "OFFLINE", Warning,
            "nothing was contacted in this run",
            help: "run without --offline";
        ParkedDomain = "PARKED_DOMAIN", Error,
            "the domain is parked or for sale; the cited page is not there",
            help: "remove the citation, or cite a page that exists";
        Soft404 = "SOFT_404", Error,
            "the server answers 200, but the page says that it was not found",
            help: "remove the citation, or cite a page that exists";
        ThinContent = "THIN_CONTENT", Warning,
            "the page has almost no text without its scripts",
            help: "open the page in a browser";
        OtherLanguage = "OTHER_LANGUAGE", Warning,
            "the page is in another language than the claim",
            help: "pass --lang, or check it yourself";
        UnrelatedPage = "UNRELATED_PAGE", Error,
            "the page has nothing to do with the claim, its title or the topic",
            help: "remove the citation, or cite the page that was meant";
        UnreliableDomain = "UNRELIABLE_DOMAIN", Error,
            "the site is on the list of sources that you called unreliable",
            help: "cite another source";
        Biased = "BIASED", Error,
            "the model judge calls the source heavily biased",
            help: "cite another source, or name the bias";
        Contradicted = "CONTRADICTED", Error,
            "the page says otherwise",
            help: "correct the claim";
        QuoteNotOnPage = "QUOTE_NOT_ON_PAGE", Error,
            "the page does not contain the quoted words",
            help: "quote the page literally";
        FigureMissing = "FIGURE_MISSING", Error,
            "the page does not contain the figure",
            help: "give the figure on the page, or cite where it comes from";
        NotSupported = "NOT_SUPPORTED", Error,
            "hardly any word of the claim is on the page",
            help: "cite a page that supports the claim";
        RedirectedHome = "REDIRECTED_HOME", Error,
            "the URL leads to the home page of a site instead of the cited page",
            help: "cite the page's present address";
        ClaimUnclear = "CLAIM_UNCLEAR", Warning,
            "the page neither confirms the claim nor shows that it is wrong",
            help: "read the page yourself, or use a model judge";
        ReadYes = "READ_YES", Note,
            "a person read the page and says that it supports the claim",
            help: "nothing to do; the answer counts until the claim or the page changes";
        ReadNo = "READ_NO", Error,
            "a person read the page and says that it does not support the claim",
            help: "correct the claim, or cite a page that supports it";
        EntryExists = "ENTRY_EXISTS", Note,
            "no sentence cites this entry of a list of sources; its page exists and bears its title",
            help: "put the number of the entry behind the sentence it supports";
        ClaimNotLocated = "CLAIM_NOT_LOCATED", Warning,
            "no sentence says what this source is cited for, and none is confirmed by it",
            help: "put the URL or its number behind the sentence it supports";
        NoClaim = "NO_CLAIM", Warning,
            "everything this source could be cited for is labelled as conjecture",
            help: "cite the source for a statement";
        GoneArchived = "GONE_ARCHIVED", Warning,
            "the page is gone, but the archive has a copy",
            help: "cite the archived copy";
        JudgeError = "JUDGE_ERROR", Warning,
            "the judge gave no answer",
            help: "check the judge's command or endpoint; --judge-fallback builtin asks the built-in one";
        IgnoredByProject = "IGNORED_BY_PROJECT", Warning,
            "an ignore file of the project lists the URL, so it was not checked",
            help: "remove the line from the file; to leave URLs out yourself, pass --exclude";
        LinkExists = "LINK_EXISTS", Note,
            "the linked file or page exists",
            help: "nothing to do";
        LinkMissing = "LINK_MISSING", Error,
            "the linked file does not exist",
            help: "correct the link";
        PlaceMissing = "PLACE_MISSING", Error,
            "the linked file has no heading or element of this name",
            help: "correct the part of the link behind `#`";
        PlaceUnseen = "PLACE_UNSEEN", Warning,
            "the page exists but has no element of the name behind `#`; a script may add it",
            help: "open the page and compare the part of the URL behind `#`";
        LinkUnknown = "LINK_UNKNOWN", Warning,
            "it cannot be said what a local link leads to",
            help: "name the site of the document with --base-url";
        NotSampled = "NOT_SAMPLED", Note,
            "the URL was not part of the sample of this watch",
            help: "raise --spot-check-rate, or ask for it by a message";
    }
}

crosscheck_core::reasons! {
    /// What is wrong with a log or document besides its URLs; never changes a verdict on one.
    pub enum LintCode {
        R9 = "R9", Warning,
            "an entry of type conjecture does not start with [CONJECTURE]",
            help: "begin the argument with [CONJECTURE]";
        R10 = "R10", Warning,
            "a rebuttal rests on conjecture alone",
            help: "pair the conjecture with sourced evidence";
        R11 = "R11", Warning,
            "a factual statement with a figure names no source and is not labelled as conjecture",
            help: "cite a source, or begin with [CONJECTURE]";
        R12 = "R12", Warning,
            "an entry has a fabricated source",
            help: "the Chair redacts the entry";
        R13 = "R13", Warning,
            "an entry has a source that does not support its claim",
            help: "correct the citation, or withdraw the claim";
        R15 = "R15", Warning,
            "a source challenge names no entry, or does not say what the source fails to support",
            help: "name the entry as `seq N` and the claim";
        R16 = "R16", Warning,
            "an entry cites more than five sources",
            help: "keep the five that matter";
        R17 = "R17", Warning,
            "a source correction is not in the agreed form",
            help: "write `SOURCE CORRECTION for seq N: replacing OLD with NEW — text`";
        R24 = "R24", Warning,
            "a figure attributed to a source is not on the cited page",
            help: "look the exact value up before citing it";
        ClosingNewFigure = "CLOSING_NEW_FIGURE", Warning,
            "a closing statement gives a figure that no earlier entry contains",
            help: "bring new figures before the closing";
        BadLine = "BAD_LINE", Warning,
            "a line is not a JSON object",
            help: "look at what wrote the line; the other lines were read";
        UnclosedFence = "UNCLOSED_FENCE", Warning,
            "a code fence is never closed",
            help: "close the fence; what follows the first blank line behind it was read as text";
        UnknownMark = "UNKNOWN_MARK", Warning,
            "a mark points to no entry of the list of sources",
            help: "add the entry, or correct the number; what the mark cites was not checked";
        GluedLine = "GLUED_LINE", Note,
            "an entry was read behind a torn beginning on the same line",
            help: "nothing to do; the torn text is lost";
        TornLineRepaired = "TORN_LINE_REPAIRED", Note,
            "a missing line feed was added to the last line before a result was appended",
            help: "nothing to do; the torn text stays as it is";
        SeqMismatch = "SEQ_MISMATCH", Warning,
            "the number of an entry is missing, repeated, or not that of its line",
            help: "let every writer take the lock and count the lines";
        BadSource = "BAD_SOURCE", Warning,
            "an item of a list of sources names no URL",
            help: "give each source a `url`";
        UnknownSeq = "UNKNOWN_SEQ", Warning,
            "an entry was asked for that is not in the log",
            help: "check the number";
        ReusedSource = "REUSED_SOURCE", Warning,
            "a URL that was judged before is cited for something its page does not say",
            help: "pass --rejudge to let the new claim decide the status";
        SelfPublished = "SELF_PUBLISHED", Note,
            "the source is on the list of sites where anyone can publish",
            help: "look for a source with an editor";
    }
}

impl Code {
    /// The word of the contract.
    pub fn word(self) -> &'static str {
        static WORDS: LazyLock<Vec<String>> = LazyLock::new(|| {
            let codes = Code::VARIANTS.iter().map(|code| code.code());
            codes.map(str::to_ascii_lowercase).collect()
        });
        WORDS.get(self as usize).map_or("", String::as_str)
    }

    /// Reads the word of the contract.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::VARIANTS
            .iter()
            .copied()
            .find(|code| code.word() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_found_by_its_word() {
        for code in Code::VARIANTS {
            assert_eq!(Code::from_word(code.word()), Some(*code));
        }
        assert_eq!(Code::Soft404.word(), "soft_404");
    }
}
