//! The report of an audit for people.

use std::fmt::Write as _;

use super::report::{Audit, FEW, Group, Rate};

/// At most this many claims that did not hold are shown.
const SHOWN: usize = 20;
/// At most this many rows of each table are shown.
const ROWS: usize = 12;

/// For a terminal.
pub fn human(audit: &Audit) -> String {
    let mut text = format!("{}\n\n", audit.summary());
    for (name, rate) in rates(audit) {
        let _ = writeln!(text, "{name:<20} {}", shown(&rate));
    }
    if audit.total.with_claims < FEW {
        let _ = writeln!(
            text,
            "\nThere are fewer than {FEW} stops with claims: the rates say little."
        );
    }
    for (title, groups) in tables(audit) {
        let _ = writeln!(text, "\n{title}");
        for (name, group) in groups {
            let rate = Rate::new(group.refuted, group.with_claims);
            let _ = writeln!(
                text,
                "  {name}: {} stops, {} with claims, False-Done Rate {}",
                group.stops,
                group.with_claims,
                shown(&rate)
            );
        }
    }
    if !audit.claims.is_empty() {
        text.push_str("\nclaims\n");
    }
    for (kind, verdicts) in &audit.claims {
        for (verdict, reasons) in verdicts {
            let reasons: Vec<String> = reasons
                .iter()
                .map(|(reason, count)| format!("{reason} {count}"))
                .collect();
            let _ = writeln!(text, "  {kind} {verdict}: {}", reasons.join(", "));
        }
    }
    if !audit.findings.is_empty() {
        let findings: Vec<String> = audit
            .findings
            .iter()
            .map(|(name, count)| format!("{name} {count}"))
            .collect();
        let _ = writeln!(text, "\nfindings: {}", findings.join(", "));
    }
    if !audit.worst.is_empty() {
        text.push_str("\nclaims that did not hold\n");
    }
    for one in audit.worst.iter().take(SHOWN) {
        let _ = writeln!(
            text,
            "  {} {}: \"{}\" ({})\n    {}:{}",
            one.verdict,
            one.kind,
            crosscheck_core::text::one_line(&one.quote),
            one.reason,
            one.file,
            one.line
        );
    }
    let more = (audit.worst.len().saturating_sub(SHOWN)) as u64 + audit.not_listed;
    if more > 0 {
        let _ = writeln!(text, "  and {more} more");
    }
    measured(audit, &mut text);
    for why in &audit.unread {
        let _ = writeln!(text, "not read: {why}");
    }
    text
}

pub(super) fn rates(audit: &Audit) -> [(&'static str, Rate); 3] {
    [
        ("False-Done Rate", audit.false_done_rate),
        ("Unshown Rate", audit.unshown_rate),
        ("Claimless Done Rate", audit.claimless_done_rate),
    ]
}

/// The groups that say something: more than one of a kind.
fn tables(audit: &Audit) -> Vec<(&'static str, Vec<(&String, &Group)>)> {
    let all = [
        ("by harness", &audit.by_harness),
        ("by model", &audit.by_model),
        ("by project", &audit.by_project),
        ("by week", &audit.by_week),
    ];
    let several = all.into_iter().filter(|(_, groups)| groups.len() > 1);
    let sorted = several.map(|(title, groups)| {
        let mut rows: Vec<(&String, &Group)> = groups.iter().collect();
        if title != "by week" {
            rows.sort_by_key(|(_, group)| std::cmp::Reverse(group.stops));
        }
        rows.truncate(ROWS);
        (title, rows)
    });
    sorted.collect()
}

fn measured(audit: &Audit, text: &mut String) {
    let Some(measured) = &audit.measured else {
        return;
    };
    let value = |share: Option<f64>| share.map_or_else(|| "–".to_owned(), percent);
    let _ = writeln!(
        text,
        "\nagainst {} verdicts made by hand: precision {}, recall {}, verdicts equal {}",
        measured.labels,
        value(measured.precision),
        value(measured.recall),
        value(measured.accuracy)
    );
}

pub(super) fn shown(rate: &Rate) -> String {
    match (rate.rate, rate.low, rate.high) {
        (Some(share), Some(low), Some(high)) => {
            format!(
                "{} ({} of {}; 95 %: {} to {})",
                percent(share),
                rate.count,
                rate.of,
                percent(low),
                percent(high)
            )
        }
        _ => "– (none)".to_owned(),
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}
