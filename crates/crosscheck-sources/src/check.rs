//! One citation from the look at its page to the ruling.

use std::collections::HashSet;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use crosscheck_fetch::address::shown_in_text;
use crosscheck_judge::builtin::{quantities, stems};
use crosscheck_judge::{Judge, Quantity};

use crate::judge::claim::{self, ClaimSeen, Outcome, Place};
use crate::judge::classify::{Case, Indirect};
use crate::judge::detect::Subject;
use crate::judge::ruling::Ruling;
use crate::observe::secondary::Secondary;
use crate::observe::{Look, Looker, PageSeen};
use crate::plan::binding::{Binding, Strength};
use crate::read::document::{Firm, Part, SourceEntry};
use crate::read::entry::Source;
use crate::read::sentence::Sentence;
use crate::reasons::Code;
use crate::report::result::Asked;
use crate::words::one_line;

/// What is cited, and the text it is cited in.
#[derive(Debug, Clone)]
pub struct Citation {
    /// The source.
    pub source: Source,
    /// It is the only one of its text.
    pub only: bool,
    /// The sentences of the text.
    pub text: Arc<Passage>,
    /// How it is bound, where the document itself says so.
    pub bound: Option<Arc<Binding>>,
    /// It is in a list of sources, and nothing cites it.
    pub entry: Option<SourceEntry>,
    /// Whether it may be accused for its sentence.
    pub firm: Firm,
    /// The words around it, where others are cited for the rest of the sentence.
    pub part: Option<Arc<Part>>,
}

/// The sentences that sources of one text share.
#[derive(Debug)]
pub struct Passage {
    sentences: Vec<Sentence>,
    stems: OnceLock<HashSet<String>>,
}

impl From<Vec<Sentence>> for Passage {
    fn from(sentences: Vec<Sentence>) -> Self {
        Self {
            sentences,
            stems: OnceLock::new(),
        }
    }
}

impl Deref for Passage {
    type Target = [Sentence];

    fn deref(&self) -> &[Sentence] {
        &self.sentences
    }
}

impl Passage {
    /// The stems of all sentences, worked out once for all sources.
    fn stems(&self) -> &HashSet<String> {
        let of = |sentence: &Sentence| stems(&sentence.text);
        self.stems
            .get_or_init(|| self.sentences.iter().flat_map(of).collect())
    }
}

impl Citation {
    /// Which sentences the source must support; `site` is what the page calls its site.
    pub fn binding(&self, site: Option<&str>) -> Arc<Binding> {
        self.bound
            .clone()
            .unwrap_or_else(|| Arc::new(Binding::of(&self.source, self.only, &self.text, site)))
    }

    /// The sentence with the words of the link.
    fn naming(&self) -> Option<&Sentence> {
        let words = self
            .source
            .title
            .as_deref()
            .filter(|words| !words.is_empty())?;
        self.text
            .iter()
            .find(|sentence| sentence.text.contains(words))
    }
}

/// Looks and judges for a whole run.
pub struct Checker {
    /// What looks at the web.
    pub looker: Looker,
    /// The judge of claims.
    pub judge: Arc<dyn Judge>,
}

impl Checker {
    /// The ruling on a citation whose page was looked at.
    pub fn rule(&self, citation: &Citation, look: &Look) -> Ruling {
        let settings = &self.looker.settings;
        let page = look.page();
        let site = page.and_then(|page| page.page.site_name.as_deref());
        let binding = citation.binding(site);
        let reference = citation.source.cited.key.as_str();
        let is_document = citation.bound.is_some();
        let claim = page.map(|page| {
            let place = Place {
                page,
                reference,
                whole: true,
                is_document,
            };
            let seen = claim::judge(&*self.judge, &binding, place);
            let seen = match (citation.firm, seen.code) {
                (Firm::Yes, _) | (Firm::Shared, Code::Contradicted) => seen,
                _ if seen.outcome == Outcome::No => seen.unclear(),
                _ => seen,
            };
            let seen = match &citation.part {
                Some(part) if seen.outcome != Outcome::Yes => claim::of_part(part, seen, |words| {
                    let binding = Binding {
                        strength: Strength::Single,
                        sentences: Sentence::all(words),
                    };
                    claim::judge(&*self.judge, &binding, place)
                }),
                _ => seen,
            };
            let seen = if is_document {
                let seen = claim::in_readings(seen, |words| {
                    let binding = Binding::strong(Sentence::all(words));
                    claim::judge(&*self.judge, &binding, place)
                });
                claim::in_document(seen, page)
            } else {
                seen
            };
            claim::with_fragments(seen, &citation.source.cited, page)
        });
        let outcome = claim.as_ref().map(|claim| claim.outcome);
        let unconfirmed = outcome.is_some_and(|outcome| outcome != Outcome::Yes);
        let lacks = outcome == Some(Outcome::No)
            || look
                .page()
                .is_some_and(|page| lacks_figures(&binding, page));
        let subject = if unconfirmed && may_be_unrelated(citation, &binding, lacks) {
            self.subject(citation)
        } else {
            Subject::default()
        };
        let missing = citation
            .source
            .cited
            .url()
            .filter(|url| unconfirmed && settings.probe_soft_404 && url.path() != "/");
        let missing = missing.and_then(|url| self.looker.missing_page(url));
        let case = Case {
            cited: &citation.source.cited,
            look,
            binding: &binding,
            claim: claim.as_ref(),
            entry: citation.entry.as_ref(),
            subject: &subject,
            missing: missing.as_deref(),
            settings,
        };
        let ruling = case.rule(
            || self.indirect(citation),
            || self.looker.archived_at(&citation.source.cited),
        );
        let linking = citation.naming().filter(|_| is_document && claim.is_none());
        let unbound = binding.strength == Strength::Unbound && citation.entry.is_none();
        match linking.filter(|_| unbound) {
            Some(sentence) => ruling.about(Some(one_line(&sentence.text)), Some(binding.strength)),
            None => ruling,
        }
    }

    /// What the Chair asked besides, judged on the same page.
    pub fn asked(&self, claim: &str, look: Option<&Look>) -> Asked {
        let shown = one_line(&shown_in_text(claim));
        let Some(page) = look.and_then(Look::page) else {
            return Asked {
                claim: shown,
                outcome: Outcome::Unclear.word(),
                code: "not_read".to_owned(),
            };
        };
        let binding = Binding {
            strength: Strength::Strong,
            sentences: Sentence::all(&one_line(claim)),
        };
        let place = Place {
            page,
            reference: "",
            whole: true,
            is_document: false,
        };
        let seen = claim::judge(&*self.judge, &binding, place);
        Asked {
            claim: shown,
            outcome: seen.outcome.word(),
            code: seen.code.word().to_owned(),
        }
    }

    /// What the page should be about.
    fn subject<'c>(&self, citation: &'c Citation) -> Subject<'c> {
        let topic = self.looker.settings.topic.as_deref().unwrap_or_default();
        let title = citation.source.title.as_deref().unwrap_or_default();
        let named: HashSet<String> = stems(title).into_iter().chain(stems(topic)).collect();
        let claim = citation.source.claim.as_deref().unwrap_or_default();
        Subject {
            named,
            claimed: stems(claim).into_iter().collect(),
            said: Some(citation.text.stems()),
        }
    }

    /// What archive and search say about a page behind a wall.
    fn indirect(&self, citation: &Citation) -> Indirect {
        let settings = &self.looker.settings;
        let cited = &citation.source.cited;
        let mut result = Indirect {
            configured: settings.archive.is_some() || settings.search_command.is_some(),
            ..Indirect::default()
        };
        let mut texts: Vec<Secondary> = self.looker.archived(cited).into_iter().collect();
        let central = citation
            .binding(None)
            .central()
            .map(|sentence| sentence.text.clone());
        if let Some(central) = central.filter(|_| settings.search_command.is_some()) {
            match self.looker.searched(cited, &central) {
                Ok(found) => texts.extend(found),
                Err(why) => result.search_failed = Some(why),
            }
        }
        result.asked = texts.len();
        for text in texts {
            let seen = self.secondary(citation, &text);
            if seen.outcome == Outcome::Yes {
                result.supporting.push((text.origin, seen));
            }
        }
        result
    }

    fn secondary(&self, citation: &Citation, text: &Secondary) -> ClaimSeen {
        // The site of a search result is not the cited site: its name binds nothing.
        let site = text.page.page.site_name.as_deref();
        let binding = citation.binding(site.filter(|_| text.whole));
        let place = Place {
            page: &text.page,
            reference: &citation.source.cited.key,
            whole: text.whole,
            is_document: citation.bound.is_some(),
        };
        claim::judge(&*self.judge, &binding, place)
    }
}

/// Whether a page without words of what was said is another page than the cited
/// one. In a document only where something that can be looked for is missing: a paraphrase may
/// share no word, and a link that no sentence names refutes nothing. A debate keeps its own rule.
fn may_be_unrelated(citation: &Citation, binding: &Binding, lacks: bool) -> bool {
    citation.bound.is_none() || binding.strength.can_accuse() && lacks
}

/// Whether there are figures to look for, and the page has none of them.
fn lacks_figures(binding: &Binding, page: &PageSeen) -> bool {
    let sentences = binding.sentences.iter();
    let figures = sentences.flat_map(|sentence| quantities(&sentence.text));
    let mut figures = figures.filter(Quantity::is_figure).peekable();
    figures.peek().is_some() && figures.all(|figure| !page.has(&figure))
}
