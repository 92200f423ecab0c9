//! Tool calls: fetches the page or repeats the search, and judges the text
//! (claims 7.1).

use std::borrow::Cow;

use crosscheck_judge::{EvidenceKind, Opinion, Question, Text};

use crate::Session;
use crate::judge::{Attempt, ClaimStatus, QuoteState, quote, weigh};
use crate::observe::{Found, PageSeen};
use crate::plan::Quote;
use crate::reasons::ClaimReason;
use crate::request::QuoteLevel;

/// At most this many search results count.
const RESULTS: usize = 5;

impl Session<'_> {
    pub(super) fn fetch(
        &self,
        claim: &str,
        (url, prompt): (&str, &str),
        quote: &Quote<'_>,
        attempt: &mut Attempt,
    ) {
        let seen = self.pages.fetch(url);
        let (text, header) = match seen.as_ref() {
            PageSeen::Page { text, header } => (text, header),
            PageSeen::Blocked(why) => {
                attempt.trouble = Some(why.clone());
                return attempt.end(ClaimStatus::Partial, ClaimReason::FetchBlocked);
            }
            PageSeen::Failed(why) => {
                attempt.trouble = Some(why.clone());
                return attempt.end(ClaimStatus::Partial, ClaimReason::FetchFailed);
            }
        };
        // Agents quote the tool's own summary, so a missing quote proves nothing.
        attempt.quote = quote
            .text
            .as_deref()
            .and_then(|quoted| quote::find(quoted, text.source(), QuoteLevel::Loose))
            .map_or(QuoteState::Absent, QuoteState::Found);
        let question = Question {
            kind: EvidenceKind::Web,
            reference: Some(url),
            quote: quote.text.as_deref(),
            prompt: Some(prompt),
            header: Some(header),
            ..Question::new(claim, text)
        };
        weigh(self.world.judge, &question, self.options, attempt);
    }

    pub(super) fn search_again(
        &self,
        claim: &str,
        query: &str,
        domains: [&[Cow<'_, str>]; 2],
        attempt: &mut Attempt,
    ) {
        let [allowed, blocked] =
            domains.map(|list| list.iter().map(AsRef::as_ref).collect::<Vec<&str>>());
        let Some(search) = self.world.search else {
            return attempt.end(ClaimStatus::Partial, ClaimReason::SearchUnconfigured);
        };
        let found = match search.search(query, claim, &allowed, &blocked) {
            Ok(found) => found,
            Err(why) => {
                attempt.trouble = Some(why);
                return attempt.end(ClaimStatus::Partial, ClaimReason::SearchFailed);
            }
        };
        let mut contradicted = None;
        attempt.end(ClaimStatus::Partial, ClaimReason::Unclear);
        let kept = found
            .iter()
            .filter(|one| is_wanted(one, &allowed, &blocked))
            .take(RESULTS);
        for one in kept {
            let text = Text::new(format!("{}\n{}", one.title, one.snippet));
            let answer = self.world.judge.judge(&Question {
                kind: EvidenceKind::Search,
                reference: Some(&one.url),
                ..Question::new(claim, &text)
            });
            match answer {
                Ok(answer) if answer.verdict == Opinion::Supports => {
                    attempt.answer = Some(answer);
                    return attempt.end(ClaimStatus::Passed, ClaimReason::Supported);
                }
                Ok(answer) if answer.verdict == Opinion::Contradicts => {
                    contradicted.get_or_insert(answer);
                }
                Ok(_) => {}
                Err(error) => {
                    attempt.trouble = Some(error.to_string());
                    attempt.end(ClaimStatus::Partial, ClaimReason::JudgeError);
                }
            }
        }
        if let Some(answer) = contradicted {
            attempt.answer = Some(answer);
            attempt.end(ClaimStatus::Failed, ClaimReason::Contradicted);
        }
    }
}

/// The command may ignore the lists of domains, so results are filtered again.
fn is_wanted(found: &Found, allowed: &[&str], blocked: &[&str]) -> bool {
    let Some(host) = host_of(&found.url) else {
        return false;
    };
    let in_list = |list: &[&str]| list.iter().any(|domain| is_at_or_below(&host, domain));
    !in_list(blocked) && (allowed.is_empty() || in_list(allowed))
}

fn is_at_or_below(host: &str, domain: &str) -> bool {
    let domain = domain.trim().trim_matches('.');
    // hosts of URLs are in ASCII form
    let domain =
        url::Host::parse(domain).map_or_else(|_| domain.to_lowercase(), |host| host.to_string());
    !domain.is_empty()
        && host
            .strip_suffix(domain.as_str())
            .is_some_and(|head| head.is_empty() || head.ends_with('.'))
}

fn host_of(url: &str) -> Option<String> {
    let host = url::Url::parse(url).ok()?.host_str()?.to_lowercase();
    Some(host.trim_end_matches('.').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_filtered_by_host_and_its_parents() {
        let found = |url: &str| Found {
            url: url.to_owned(),
            title: String::new(),
            snippet: String::new(),
        };
        let table: &[(&str, &[&str], &[&str], bool)] = &[
            ("https://a.org/x", &[], &[], true),
            ("https://docs.a.org/x", &["a.org"], &[], true),
            ("https://nota.org/x", &["a.org"], &[], false),
            ("https://DOCS.a.org./x", &[], &["A.org"], false),
            ("https://a.org/x", &["a.org"], &["a.org"], false),
            ("https://xn--bcher-kva.de/x", &[], &["Bücher.de"], false),
            ("https://lesen.bücher.de/x", &["bücher.de"], &[], true),
            ("no url", &[], &[], false),
        ];
        for (url, allowed, blocked, expected) in table {
            assert_eq!(is_wanted(&found(url), allowed, blocked), *expected, "{url}");
        }
    }
}
