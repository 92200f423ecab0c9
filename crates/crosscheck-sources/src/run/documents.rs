//! Citations of documents: every page is fetched once and judged for each
//! sentence that cites it. Nothing is written but the report.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use super::{Audience, Progress};
use crate::check::{Checker, Citation};
use crate::finding::{Finding, Rule};
use crate::judge::ruling::Ruling;
use crate::observe::Look;
use crate::plan::binding::{Binding, Strength};
use crate::plan::sentence::Sentence;
use crate::read::cited::Cited;
use crate::read::document::Mention;
use crate::read::entry::Source;
use crate::report::result::{Row, Shown, SourcesReport, shown_claim};
use crate::report::words::told_url;
use crate::settings::is_listed;

/// A document that was read.
#[derive(Debug, Clone)]
pub struct Document {
    /// Its name in the report.
    pub name: String,
    /// Its text, for citations that no sentence carries.
    pub text: String,
    /// What it cites.
    pub mentions: Vec<Mention>,
    /// Lines that are not what they should be.
    pub bad_lines: Vec<u64>,
}

/// The most sentences that are judged for a source nothing cites.
const UNBOUND_MAX: usize = 200;

/// One citation, ready to be checked.
struct Task {
    name: String,
    line: u64,
    column: u64,
    citation: Citation,
}

/// All citations of one URL.
struct Page {
    cited: Cited,
    tasks: Vec<usize>,
}

/// Checks all citations of all documents.
pub fn check(documents: &[Document], checker: &Checker, audience: &dyn Audience) -> SourcesReport {
    let tasks = tasks(documents);
    let pages = pages(&tasks);
    let rows: Vec<OnceLock<Row>> = tasks.iter().map(|_| OnceLock::new()).collect();
    let findings: Mutex<Vec<Finding>> = Mutex::new(Vec::new());
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let workers = checker.looker.settings.jobs.max(1).min(pages.len().max(1));
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(page) = pages.get(next.fetch_add(1, Ordering::SeqCst)) {
                    check_page(page, &tasks, checker, &rows, &findings, audience);
                    let completed = done.fetch_add(1, Ordering::SeqCst) + 1;
                    let started = next.load(Ordering::SeqCst).min(pages.len());
                    let in_progress = started.saturating_sub(completed);
                    audience.progress(Progress {
                        pending: pages.len() - started,
                        in_progress,
                        completed,
                    });
                }
            });
        }
    });
    let results = rows.into_iter().filter_map(OnceLock::into_inner).collect();
    let mut lint = findings
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    for document in documents {
        let bad = document.bad_lines.iter();
        lint.extend(bad.map(|line| {
            let message = format!("{}: the line is not JSON", document.name);
            Finding::line(Rule::BadLine, line.saturating_sub(1), &message)
        }));
    }
    lint.sort_by_key(|a| (a.line, a.rule));
    let inputs = documents
        .iter()
        .map(|document| document.name.clone())
        .collect();
    SourcesReport::new(inputs, results, lint, 0)
}

fn check_page(
    page: &Page,
    tasks: &[Task],
    checker: &Checker,
    rows: &[OnceLock<Row>],
    findings: &Mutex<Vec<Finding>>,
    audience: &dyn Audience,
) {
    let mut look: Option<Look> = None;
    for at in &page.tasks {
        let Some(task) = tasks.get(*at) else {
            continue;
        };
        let look: &Look = match &mut look {
            Some(look) => {
                *look = look.again();
                look
            }
            none => none.insert(checker.looker.look(&page.cited)),
        };
        let ruling = checker.rule(&task.citation, look);
        let row = row(task, &ruling, look);
        let mut lint = findings.lock().unwrap_or_else(PoisonError::into_inner);
        lint.extend(lint_of(task, &ruling, checker));
        drop(lint);
        audience.result(&row);
        if let Some(place) = rows.get(*at) {
            let _ = place.set(row);
        }
    }
}

fn tasks(documents: &[Document]) -> Vec<Task> {
    let mut tasks = Vec::new();
    for document in documents {
        let whole: OnceLock<Arc<Vec<Sentence>>> = OnceLock::new();
        let mut last: Option<(&str, Arc<Vec<Sentence>>)> = None;
        for mention in &document.mentions {
            let source = Source {
                cited: Cited::new(&mention.url),
                title: mention.title.clone(),
                claim: mention.claim.clone(),
                places: Vec::new(),
            };
            let (text, bound) = if let Some(claim) = &mention.claim {
                (Arc::new(Sentence::alone(claim)), None)
            } else {
                let text = match mention.context.as_deref() {
                    None => whole
                        .get_or_init(|| Arc::new(Sentence::all(&document.text)))
                        .clone(),
                    // The entries of one object stand one after the other.
                    Some(own) => match &last {
                        Some((text, sentences)) if *text == own => Arc::clone(sentences),
                        _ => {
                            let sentences = Arc::new(Sentence::all(own));
                            last = Some((own, Arc::clone(&sentences)));
                            sentences
                        }
                    },
                };
                let bound = unbound(&text);
                (text, Some(bound))
            };
            tasks.push(Task {
                name: document.name.clone(),
                line: mention.line,
                column: mention.column,
                citation: Citation {
                    source,
                    only: false,
                    text,
                    bound,
                },
            });
        }
    }
    tasks
}

fn unbound(text: &[Sentence]) -> Binding {
    let judged = |sentence: &&Sentence| !sentence.conjecture;
    let concrete: Vec<Sentence> = text
        .iter()
        .filter(judged)
        .filter(|sentence| sentence.is_concrete())
        .take(UNBOUND_MAX)
        .cloned()
        .collect();
    let sentences = if concrete.is_empty() {
        text.iter()
            .filter(judged)
            .take(UNBOUND_MAX)
            .cloned()
            .collect()
    } else {
        concrete
    };
    Binding {
        strength: Strength::Unbound,
        sentences,
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
                cited: cited.clone(),
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
                told_url(&cited.text)
            ),
        );
    }
    let host = cited.host().unwrap_or_default();
    if is_listed(&host, &checker.looker.settings.self_published_domains) {
        add(Rule::SelfPublished, format!("{host} is self-published"));
    }
    found
}

fn row(task: &Task, ruling: &Ruling, look: &Look) -> Row {
    let page = Shown::of(look);
    let cited = &task.citation.source.cited;
    Row {
        input: task.name.clone(),
        line: Some(task.line),
        column: Some(task.column),
        seq: None,
        url: told_url(&cited.text),
        final_url: page.final_url,
        claim: shown_claim(ruling),
        binding: ruling.binding.map(Strength::word),
        status: ruling.status,
        code: ruling.code.word(),
        confidence: ruling.confidence,
        explanation: ruling.explanation(),
        http_status: page.http_status,
        redirects: page.redirects,
        ms: page.ms,
        cached: page.cached,
        key: cited.key.clone(),
        reason: ruling.code,
    }
}
