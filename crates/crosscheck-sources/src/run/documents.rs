//! Citations of documents: every page is fetched once and judged for each
//! sentence that cites it. Nothing is written but the report.
//!
//! Contract: sources 7.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use crosscheck_core::listener::Shared;
use crosscheck_core::{Event, Listener};
use crosscheck_fetch::{Fetched, Url};
use crosscheck_judge::JudgeSeen;
use foldhash::{HashMap, HashMapExt};

use super::answers::each_answer;
use super::places::{Places, place};
use super::{local, tell_judged};
use crate::check::{Checker, Citation, Passage};
use crate::finding::{Finding, Rule};
use crate::judge::ruling::Ruling;
use crate::observe::Look;
use crate::plan::binding::{Binding, Strength};
use crate::read::cited::Cited;
use crate::read::document::{Firm, LocalLink, Mention, Part};
use crate::read::entry::Source;
use crate::read::sentence::Sentence;
use crate::reasons::Code;
use crate::report::result::{Row, Shown, SourcesReport};
use crate::settings::is_listed;
use crate::status::SourceStatus;
use crate::words::shown_url;

/// A document that was read.
#[derive(Debug, Clone)]
pub struct CitingDocument {
    /// Its name in the report.
    pub name: String,
    /// Its text, in which links to other files are looked for.
    pub text: String,
    /// What it cites.
    pub mentions: Vec<Mention>,
    /// What it cites and a file of the project leaves out. Such a file may be
    /// the work of the agent under check, so these URLs stay undecided.
    pub ignored: Vec<Mention>,
    /// Lines that are not what they should be.
    pub bad_lines: Vec<u64>,
    /// Lines of code fences that are never closed.
    pub unclosed: Vec<u64>,
    /// Marks that point to no entry of the list of sources, with their lines.
    pub dangling: Vec<(u64, String)>,
    /// Keys of a bibliography that lead to no page, with their lines.
    pub keys: Vec<(u64, String)>,
    /// How many of the bibliographies that it names were read.
    pub bibliographies: usize,
    /// Links to other files and places in them, where they are wanted.
    pub links: Vec<LocalLink>,
    /// How many of its citations the user left out.
    pub excluded: usize,
    /// How many URLs are in it where they are not read, if nothing else does.
    pub unread: usize,
}

/// One citation, ready to be checked.
struct Task {
    name: Arc<str>,
    line: u64,
    column: u64,
    citation: Citation,
}

/// All citations of one URL.
struct Page {
    cited: Arc<Cited>,
    tasks: Vec<usize>,
}

/// Checks all citations of all documents.
pub fn check(
    documents: &[CitingDocument],
    checker: &Checker,
    listener: &mut dyn Listener,
) -> SourcesReport {
    let tasks = tasks(documents);
    let pages = pages(&tasks);
    let desk = Desk {
        tasks: &tasks,
        checker,
        found: Mutex::new(Found::default()),
        listener: Shared::new(listener),
        pages: pages.len(),
        done: AtomicUsize::new(0),
    };
    let is_offline = checker.looker.is_offline();
    let (web, elsewhere): (Vec<&Page>, Vec<&Page>) = pages
        .iter()
        .partition(|page| !is_offline && page.cited.url().is_some());
    let questions = u64::try_from(tasks.len()).unwrap_or(u64::MAX);
    if let Some(cost) = checker.judge.announce(questions) {
        desk.listener.hear(Event::Note(&cost));
    }
    desk.tell();
    for page in elsewhere {
        desk.check(page, &checker.looker.look(&page.cited));
    }
    let urls = web.iter().filter_map(|page| page.cited.url().cloned());
    let urls: Vec<Url> = urls.collect();
    each_answer(
        &checker.looker,
        &urls,
        judges(checker),
        |number, fetched| {
            if let Some(page) = web.get(number) {
                desk.check_answer(page, fetched);
            }
        },
    );
    let Found { mut rows, mut lint } = desk
        .found
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    rows.sort_by_key(|(order, _)| *order);
    let mut results: Vec<Row> = rows.into_iter().map(|(_, row)| row).collect();
    for document in documents {
        let ignored = document.ignored.iter();
        results.extend(ignored.map(|mention| ignored_row(document, mention)));
    }
    results.extend(local::rows(documents, checker));
    for document in documents {
        let finding = |rule, line: u64, why: &str| {
            let message = format!("{}: {why}", document.name);
            Finding::line(rule, line.saturating_sub(1), &message)
        };
        let bad = document.bad_lines.iter();
        lint.extend(bad.map(|line| finding(Rule::BadLine, *line, "the line is not JSON")));
        let unclosed = document.unclosed.iter();
        let why = "the code fence is never closed; what follows it was read";
        lint.extend(unclosed.map(|line| finding(Rule::UnclosedFence, *line, why)));
        let dangling = document.dangling.iter();
        let why = "points to no entry of the list of sources; what it cites was not checked";
        lint.extend(dangling.map(|(line, mark)| {
            finding(Rule::UnknownMark, *line, &format!("the mark {mark} {why}"))
        }));
    }
    lint.sort_by_key(|a| (a.line, a.rule));
    let inputs = documents.iter().map(|one| one.name.clone()).collect();
    let judge = JudgeSeen::of(&*checker.judge);
    let mut report = SourcesReport::new(inputs, results, lint, 0, judge);
    report.undecided = documents.iter().filter_map(unread).collect();
    let keys = documents.iter().filter_map(unread_keys);
    report.undecided.extend(keys);
    if report.undecided.is_empty() && report.results.is_empty() {
        report.undecided.extend(idle(documents, checker));
    }
    let empty = documents.iter().filter(|one| one.text.trim().is_empty());
    report.notices.extend(empty.map(|one| {
        let name = &one.name;
        format!("{name}: is empty; nothing was checked")
    }));
    report.notices.extend(report.no_network());
    report
}

/// Why nothing of a document was checked although it holds URLs.
fn unread(document: &CitingDocument) -> Option<String> {
    let is_read = !document.mentions.is_empty() || !document.links.is_empty();
    if is_read || !document.ignored.is_empty() {
        return None;
    }
    let name = &document.name;
    if document.excluded > 0 {
        let count = document.excluded;
        return Some(format!(
            "{name}: all {count} citation(s) were left out by --include and --exclude; nothing was checked"
        ));
    }
    (document.unread > 0).then(|| {
        let count = document.unread;
        format!(
            "{name}: holds {count} URL(s), all of them in code, in comments or where no citation is read; \
             nothing was checked (--include-code reads code)"
        )
    })
}

/// Which keys of a bibliography were not checked, and why.
fn unread_keys(document: &CitingDocument) -> Option<String> {
    const NAMED_MAX: usize = 10;
    let mut keys: Vec<&str> = document.keys.iter().map(|(_, key)| &**key).collect();
    keys.sort_unstable();
    keys.dedup();
    let count = keys.len();
    let more = if count > NAMED_MAX { ", …" } else { "" };
    keys.truncate(NAMED_MAX);
    let name = &document.name;
    let why = if document.bibliographies > 0 {
        "lead to no URL, DOI, arXiv id or PMID of the bibliography"
    } else {
        "cite a bibliography that was not read; put the .bib file that the document names beside it"
    };
    (count > 0).then(|| format!("{name}: {count} key(s) {why}: {}{more}", keys.join(", ")))
}

/// Says that no document has anything that could be checked.
fn idle(documents: &[CitingDocument], checker: &Checker) -> Option<String> {
    let what = match documents {
        [] => return None,
        [one] => format!("{}: it has no citation that can be checked", one.name),
        many => format!(
            "none of {} documents has a citation that can be checked",
            many.len()
        ),
    };
    let is_allowed = checker.looker.settings.allow_empty;
    (!is_allowed).then(|| format!("{what}; --allow-empty accepts that"))
}

/// How many threads judge. Judging alone keeps the processors busy; where a
/// judgement waits for somebody else, there is one thread for each job.
fn judges(checker: &Checker) -> usize {
    let settings = &checker.looker.settings;
    let waits = checker.judge.is_model()
        || settings.archive.is_some()
        || settings.search_command.is_some()
        || settings.probe_soft_404;
    let processors = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    if waits {
        settings.jobs.max(1)
    } else {
        settings.jobs.max(1).min(processors)
    }
}

/// What was found so far.
#[derive(Default)]
struct Found {
    /// Each row with whether it is about a place in a page, and the number of its task.
    rows: Vec<((bool, usize), Row)>,
    lint: Vec<Finding>,
}

/// Where pages are judged.
struct Desk<'d> {
    tasks: &'d [Task],
    checker: &'d Checker,
    found: Mutex<Found>,
    listener: Shared<'d>,
    pages: usize,
    done: AtomicUsize,
}

impl Desk<'_> {
    /// Judges the page of an answer.
    fn check_answer(&self, page: &Page, fetched: Fetched) {
        self.look_for_places(page, &fetched);
        self.check(page, &self.checker.looker.seen(fetched));
    }

    /// Looks for the places that URLs of the page name, where they are wanted.
    fn look_for_places(&self, page: &Page, fetched: &Fetched) {
        let named = |task: &Task| place(&task.citation.source.cited).is_some();
        let wanted = self.checker.looker.settings.checks_places();
        if !wanted || !self.tasks_of(page).any(|(_, task)| named(task)) {
            return;
        }
        let Some(places) = Places::of(fetched) else {
            return;
        };
        for (at, task) in self.tasks_of(page) {
            if let Some(ruling) = places.missing(&task.citation.source.cited) {
                let row = placed(task, &row_of(task, &ruling), Shown::of_answer(fetched));
                self.found().rows.push(((true, at), row));
            }
        }
    }

    fn tasks_of<'p>(&'p self, page: &'p Page) -> impl Iterator<Item = (usize, &'p Task)> {
        let tasks = page.tasks.iter();
        tasks.filter_map(|at| Some((*at, self.tasks.get(*at)?)))
    }

    /// Judges a page for every sentence that cites it.
    fn check(&self, page: &Page, look: &Look) {
        let mut known: HashMap<Known<'_>, (Ruling, Row)> = HashMap::new();
        let mut shown = Shown::of(look);
        for (at, task) in self.tasks_of(page) {
            // The same words on the same page: the same ruling, and one text for all its rows.
            let (ruling, row) = known.entry(Known::of(&task.citation)).or_insert_with(|| {
                let ruling = self.checker.rule(&task.citation, look);
                let row = row_of(task, &ruling);
                (ruling, row)
            });
            self.conclude(at, task, (ruling, row), shown.clone());
            shown = shown.again();
        }
        self.advance();
    }

    /// Writes the row of one citation.
    fn conclude(&self, at: usize, task: &Task, (ruling, row): (&Ruling, &Row), page: Shown) {
        let row = placed(task, row, page);
        tell_judged(&self.listener, &row);
        let lint = lint_of(task, ruling, self.checker);
        let mut found = self.found();
        found.lint.extend(lint);
        found.rows.push(((false, at), row));
    }

    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn advance(&self) {
        self.done.fetch_add(1, Ordering::SeqCst);
        self.tell();
    }

    fn tell(&self) {
        let completed = self.done.load(Ordering::SeqCst);
        let left = self.pages.saturating_sub(completed);
        let in_progress = left.min(self.checker.looker.settings.jobs.max(1));
        self.listener.hear(Event::Queue {
            pending: left - in_progress,
            in_progress,
        });
    }
}

/// What decides a ruling besides the page. Texts are known by where they are kept.
#[derive(PartialEq, Eq, Hash)]
struct Known<'t> {
    url: &'t str,
    title: Option<&'t str>,
    bound: usize,
    is_certain: bool,
    firm: Firm,
    part: Option<&'t Part>,
}

impl<'t> Known<'t> {
    fn of(citation: &'t Citation) -> Self {
        let bound = citation.bound.as_ref();
        Self {
            url: &citation.source.cited.text,
            title: citation.source.title.as_deref(),
            bound: bound.map_or(0, |bound| Arc::as_ptr(bound).addr()),
            is_certain: citation.entry.as_ref().is_some_and(|one| one.is_certain),
            firm: citation.firm,
            part: citation.part.as_deref(),
        }
    }
}

fn tasks(documents: &[CitingDocument]) -> Vec<Task> {
    let mut cited: HashMap<&str, Arc<Cited>> = HashMap::new();
    let mut contexts = Contexts::default();
    let mut tasks = Vec::new();
    for document in documents {
        let name: Arc<str> = document.name.as_str().into();
        for mention in &document.mentions {
            let known = cited.entry(&mention.url);
            let (text, bound) = contexts.of(mention);
            tasks.push(Task {
                name: Arc::clone(&name),
                line: mention.line,
                column: mention.column,
                citation: Citation {
                    source: Source {
                        cited: Arc::clone(known.or_insert_with(|| Cited::new(&mention.url).into())),
                        title: mention.title.clone(),
                        claim: mention.claim.clone(),
                        places: Vec::new(),
                        at: None,
                    },
                    only: false,
                    text,
                    bound: Some(bound),
                    entry: mention.entry.clone(),
                    firm: mention.firm,
                    part: mention.part.clone(),
                },
            });
        }
    }
    tasks
}

/// The sentences around a citation, and what is judged of them.
type Context = (Arc<Passage>, Arc<Binding>);

/// What texts say: each is cut once.
#[derive(Default)]
struct Contexts<'d> {
    /// By their words.
    claims: HashMap<&'d str, Context>,
    /// Long ones, by where they are kept.
    others: HashMap<usize, Context>,
}

impl<'d> Contexts<'d> {
    fn of(&mut self, mention: &'d Mention) -> Context {
        let of = |words: &str, bound: fn(&[Sentence]) -> Binding| {
            let text = Sentence::all(words);
            let bound = bound(&text);
            (Arc::new(Passage::from(text)), Arc::new(bound))
        };
        let own = match (&mention.entry, &mention.claim) {
            (Some(entry), _) => {
                let all = |text: &[Sentence]| Binding {
                    strength: Strength::Unbound,
                    sentences: text.to_vec(),
                };
                let place = entry.words.as_ptr().addr();
                let known = self.others.entry(place);
                known.or_insert_with(|| of(&entry.words, all))
            }
            (None, Some(claim)) => {
                let known = self.claims.entry(&**claim);
                known.or_insert_with(|| of(claim, |text| Binding::strong(text.to_vec())))
            }
            (None, None) => {
                let words = mention.context.as_deref().unwrap_or_default();
                let known = self.others.entry(words.as_ptr().addr());
                known.or_insert_with(|| of(words, Binding::unbound))
            }
        };
        own.clone()
    }
}

/// The URLs in the order of their first citation.
fn pages(tasks: &[Task]) -> Vec<Page> {
    let mut index: HashMap<&str, usize> = HashMap::new();
    let mut pages: Vec<Page> = Vec::new();
    for (at, task) in tasks.iter().enumerate() {
        let cited = &task.citation.source.cited;
        let place = *index.entry(&cited.key).or_insert_with(|| {
            pages.push(Page {
                cited: Arc::clone(cited),
                tasks: Vec::new(),
            });
            pages.len() - 1
        });
        if let Some(page) = pages.get_mut(place) {
            page.tasks.push(at);
        }
    }
    pages
}

fn lint_of(task: &Task, ruling: &Ruling, checker: &Checker) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut add = |rule, message: String| {
        found.push(Finding {
            rule,
            seq: None,
            line: Some(task.line),
            message,
        });
    };
    let cited = &task.citation.source.cited;
    if ruling.figure_missing {
        add(
            Rule::R24,
            format!(
                "a figure is not on the cited page {}",
                shown_url(&cited.text)
            ),
        );
    }
    let domains = &checker.looker.settings.self_published_domains;
    let listed = (!domains.is_empty()).then(|| cited.host()).flatten();
    if let Some(host) = listed.filter(|host| is_listed(host, domains)) {
        add(Rule::SelfPublished, format!("{host} is self-published"));
    }
    found
}

/// The row of a ruling, without its place.
fn row_of(task: &Task, ruling: &Ruling) -> Row {
    let cited = &task.citation.source.cited;
    Row::new(Arc::clone(&task.name), cited, ruling, Shown::default())
}

/// A row at the place of a citation.
fn placed(task: &Task, row: &Row, page: Shown) -> Row {
    Row {
        line: Some(task.line),
        column: Some(task.column),
        page: page.sha256.map(Into::into),
        input: Arc::clone(&task.name),
        final_url: page.final_url,
        http_status: page.http_status,
        redirects: page.redirects,
        ms: page.ms,
        cached: page.cached,
        ..row.clone()
    }
}

fn ignored_row(document: &CitingDocument, mention: &Mention) -> Row {
    let code = Code::IgnoredByProject;
    let meaning = code.reason().meaning;
    let ruling = Ruling {
        claim: mention.claim.as_deref().map(str::to_owned),
        ..Ruling::plain(SourceStatus::Suspect, code, meaning)
    };
    let cited = Cited::new(&mention.url);
    Row {
        line: Some(mention.line),
        column: Some(mention.column),
        ..Row::new(
            document.name.as_str().into(),
            &cited,
            &ruling,
            Shown::default(),
        )
    }
}
