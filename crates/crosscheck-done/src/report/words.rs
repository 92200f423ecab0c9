//! Receipts as sentences: for the agent, for the user, for a pull request.
//!
//! Contract: done 9.2, done 14.

use std::fmt::Write as _;

use super::receipt::{ClaimOf, HandoverOf, Receipt};
use crate::config::Action;
use crate::judge::findings::{Finding, Severity, What};
use crate::judge::policy::GaveUp;
use crate::opinion::Trace;
use crate::reasons::DoneReason;

/// The most an agent is shown.
const MAX_LINES: usize = 20;
const MAX_CHARS: usize = 1800;

/// What the agent is told when it is sent back.
pub fn for_agent(receipt: &Receipt) -> String {
    let mut wrong: Vec<&ClaimOf> = receipt
        .claims
        .iter()
        .filter(|claim| claim.verdict != "verified")
        .collect();
    wrong.sort_by_key(|claim| claim.verdict != "refuted");
    let strict: Vec<&Finding> = receipt
        .findings
        .iter()
        .filter(|finding| finding.severity == Severity::Block)
        .collect();
    let count = wrong.len().max(usize::from(!strict.is_empty()));
    let first = format!(
        "crosscheck: {count} statement(s) in your final message are contradicted or not shown."
    );
    let last = "Run what is named and report what really happens, or restate the message without the statement. Do not weaken checks.";
    let mut lines = vec![first];
    for claim in wrong {
        let quote = shortened(&claim.quote, 80);
        let mut line = format!("- \"{quote}\": {}", because(claim));
        match &claim.suggest {
            Some(command) if !command.is_empty() => {
                let _ = write!(line, " Run: {}", shortened(command, 120));
            }
            _ => {
                let _ = write!(line, " {}", remedy(&claim.reason));
            }
        }
        lines.push(line);
    }
    lines.extend(
        strict
            .iter()
            .map(|finding| format!("- {}", finding_words(finding))),
    );
    fit(&lines, last)
}

/// Keeps what fits, and says how much does not.
fn fit(lines: &[String], last: &str) -> String {
    let mut text = String::new();
    let mut left = 0;
    let room = MAX_CHARS - last.chars().count() - 40;
    for (at, line) in lines.iter().enumerate() {
        let line = shortened(line, 400);
        if at + 2 >= MAX_LINES || text.chars().count() + line.chars().count() + 1 > room {
            left = lines.len() - at;
            break;
        }
        text.push_str(&line);
        text.push('\n');
    }
    if left > 0 {
        let _ = writeln!(text, "- and {left} more");
    }
    text.push_str(last);
    text
}

/// What the user is told.
pub fn for_user(receipt: &Receipt) -> String {
    let mut lines = vec![summary(receipt)];
    if let Some(gave_up) = receipt.decision.gave_up {
        lines.push(match gave_up {
            GaveUp::MaxBounces => format!(
                "The agent was sent back {} time(s) and still says so.",
                receipt.decision.bounces
            ),
            GaveUp::SameSignature => {
                "The agent repeats the same statements without having done anything.".to_owned()
            }
            GaveUp::StateUnwritable if receipt.decision.action == Action::Block => {
                "The number of rounds cannot be kept: the agent is sent back once only.".to_owned()
            }
            GaveUp::StateUnwritable => {
                "The agent was not sent back: the number of rounds cannot be kept.".to_owned()
            }
        });
    }
    for claim in receipt
        .claims
        .iter()
        .filter(|claim| claim.verdict != "verified" || !claim.caveats.is_empty())
    {
        lines.push(format!(
            "{} \"{}\": {}",
            mark(claim.verdict),
            shortened(&claim.quote, 80),
            because(claim)
        ));
    }
    let listed = receipt
        .findings
        .iter()
        .filter(|finding| finding.severity != Severity::Info && finding.finding != What::Tamper);
    lines.extend(listed.map(|finding| format!("! {}", finding_words(finding))));
    for tamper in &receipt.tamper {
        let mut line = format!(
            "! The session wrote {}, which steers this check.",
            tamper.path
        );
        if !tamper.ignored.is_empty() {
            let _ = write!(line, " Ignored from it: {}.", tamper.ignored.join(", "));
        }
        lines.push(line);
    }
    lines.extend(receipt.notices.iter().map(|notice| format!("! {notice}")));
    let mut text = lines.join("\n");
    if text.chars().count() > 4000 {
        text = shortened(&text, 4000);
    }
    text
}

/// One line with the counts.
pub fn summary(receipt: &Receipt) -> String {
    let count = |word: &str| {
        receipt
            .claims
            .iter()
            .filter(|claim| claim.verdict == word)
            .count()
    };
    let (verified, refuted, unproven) = (count("verified"), count("refuted"), count("unproven"));
    let mut text =
        format!("crosscheck: {verified} verified, {refuted} refuted, {unproven} unproven");
    if receipt.claims_left_out > 0 {
        let _ = write!(text, ", {} more not looked at", receipt.claims_left_out);
    }
    if receipt.message_cut {
        text.push_str("; the end of the message was not read");
    }
    text
}

/// A till receipt: each claim, a mark, the evidence in one line.
pub fn till(receipt: &Receipt) -> String {
    let mut text = String::new();
    let rule = "-".repeat(64);
    let _ = writeln!(text, "CROSSCHECK  {}  {}", receipt.event, receipt.at);
    if let Some(session) = &receipt.session {
        let _ = writeln!(text, "session {session}");
    }
    let _ = writeln!(text, "{rule}");
    if receipt.claims.is_empty() {
        let _ = writeln!(text, "no statement that can be checked");
    }
    for claim in &receipt.claims {
        let quote = shortened(&one_line(&claim.quote), 48);
        let quote = format!("\"{quote}\"");
        let dots = ".".repeat(52_usize.saturating_sub(quote.chars().count()).max(2));
        let _ = writeln!(
            text,
            "{} {quote} {dots} {}",
            mark(claim.verdict),
            claim.verdict
        );
        let _ = writeln!(text, "    {}: {}", claim.kind, because(claim));
        for line in more_evidence(claim) {
            let _ = writeln!(text, "    {line}");
        }
        if let Some(command) = claim
            .suggest
            .as_ref()
            .filter(|_| claim.verdict != "verified")
        {
            let _ = writeln!(text, "    run: {command}");
        }
    }
    for finding in &receipt.findings {
        let _ = writeln!(text, "! {}", finding_words(finding));
    }
    for tamper in &receipt.tamper {
        let _ = writeln!(
            text,
            "! the session wrote {}, which steers this check",
            tamper.path
        );
    }
    for notice in &receipt.notices {
        let _ = writeln!(text, "! {notice}");
    }
    for one in &receipt.handovers {
        let verdict = one.verdict.as_deref().unwrap_or_default();
        let _ = writeln!(
            text,
            "{} {} on {}: {}",
            mark(verdict),
            one.verifier,
            one.subject,
            answer(one)
        );
    }
    let _ = writeln!(text, "{rule}");
    let _ = writeln!(
        text,
        "{}",
        summary(receipt).trim_start_matches("crosscheck: ")
    );
    text
}

/// What another verifier said.
fn answer(handover: &HandoverOf) -> &str {
    handover.found.as_deref().unwrap_or("has not answered")
}

const fn mark(verdict: &str) -> &'static str {
    match verdict.as_bytes() {
        b"verified" => "✓",
        b"refuted" => "✗",
        _ => "?",
    }
}

/// The reason of a claim in words, with what was looked at.
pub fn because(claim: &ClaimOf) -> String {
    let meaning = match (claim.kind, claim.reason.as_str()) {
        (crate::kind::ClaimKind::Ran, "run_ok") => "the session shows that it was run",
        (_, reason) => DoneReason::of_word(reason).map_or("", |reason| reason.meaning),
    };
    let mut text = meaning.to_owned();
    let shown = claim
        .evidence
        .first()
        .map(short_evidence)
        .filter(|shown| !shown.is_empty());
    if let Some(shown) = shown {
        let _ = write!(text, " ({shown})");
    }
    text.push('.');
    text
}

/// The evidence that [`because`] does not tell in the same words.
fn more_evidence(claim: &ClaimOf) -> Vec<String> {
    let listed = because(claim);
    let shown = claim.evidence.iter().take(3).map(evidence);
    shown
        .filter(|line| !listed.contains(&format!("({line})")))
        .collect()
}

fn remedy(reason: &str) -> String {
    let help = DoneReason::of_word(reason).map_or("", |one| one.help);
    if help.starts_with("nothing to do") {
        return String::new();
    }
    let mut letters = help.chars();
    letters.next().map_or_else(String::new, |first| {
        format!("{}{}.", first.to_uppercase(), letters.as_str())
    })
}

fn short_evidence(trace: &Trace) -> String {
    match trace {
        Trace::Run { command, .. } => format!("`{}`", short(command, 60)),
        Trace::Edit { path, .. } => format!("{path} was changed"),
        Trace::File { path: what, found }
        | Trace::Git { what, found }
        | Trace::Handover {
            verifier: what,
            found,
        } => format!("{what}: {found}"),
        Trace::Http { url, status } => {
            let status = status.map_or("no answer".to_owned(), |status| status.to_string());
            format!("{url}: {status}")
        }
        Trace::Command {
            command, status, ..
        } => {
            let status = status.map_or("unknown".to_owned(), |status| status.to_string());
            format!("`{}`, exit status {status}", short(command, 60))
        }
    }
}

/// One line of evidence.
fn evidence(trace: &Trace) -> String {
    let ended = |status: &Option<i64>| match status {
        Some(status) => format!("exit {status}"),
        None => "unknown status".to_owned(),
    };
    match trace {
        Trace::Run {
            command,
            status,
            summary,
            ..
        } => {
            let bar = if summary.is_empty() { "" } else { " | " };
            let summary = short(summary, 80);
            format!("`{}`  {}{bar}{summary}", short(command, 80), ended(status))
        }
        Trace::Command {
            command,
            status,
            summary,
        } => {
            let (command, summary) = (short(command, 80), short(summary, 80));
            format!("run now  {command}  {} | {summary}", ended(status))
        }
        other => short_evidence(other),
    }
}

fn short(text: &str, limit: usize) -> String {
    shortened(&one_line(text), limit)
}

/// A finding in words, as `patterns/told.txt` has them.
pub fn finding_words(finding: &Finding) -> String {
    let kind = match (finding.kind, &finding.path) {
        // only a command that ran proves that nothing was tested
        ("pass_with_no_tests", Some(_)) => "",
        (kind, _) => kind,
    };
    let told = |kind: &str| {
        let name = format!("{:?} {kind}", finding.finding);
        let mut lines = include_str!("../../patterns/told.txt").lines();
        lines.find_map(|line| line.strip_prefix(name.trim_end())?.strip_prefix(": "))
    };
    let words = told(kind).or_else(|| told("")).unwrap_or_default();
    let path = finding.path.as_deref().unwrap_or("the session");
    words.replace("{path}", path)
}

fn one_line(text: &str) -> String {
    crosscheck_core::text::one_line(text)
}

/// A text of at most so many characters.
pub fn shortened(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    let cut: String = text.chars().take(limit.saturating_sub(1)).collect();
    format!("{cut}…")
}
