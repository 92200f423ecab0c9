//! `--explain-mapping`: why each parameter went where it went.

use std::fmt::Write as _;

use crosscheck_core::text::{cut_units, one_line};

use super::reconcile::three_decimals;
use crate::quick::plan::{Choice, Mapping};

pub(super) fn text(mappings: &[Mapping]) -> String {
    let mut text = String::from("=== mapping ===\n");
    let mut current = None;
    for mapping in mappings {
        if current != Some(mapping.action) {
            current = Some(mapping.action);
            let _ = writeln!(
                text,
                "action#={} tool={}",
                mapping.action,
                short(&mapping.tool.to_string())
            );
        }
        let by = if mapping.by_tool {
            "by the tool's name"
        } else {
            "by the parameter's name"
        };
        let _ = writeln!(
            text,
            "  {} -> table {} ({by}), column {}",
            short(&mapping.path.to_string()),
            choice(&mapping.table),
            choice(&mapping.column)
        );
    }
    if mappings.is_empty() {
        text.push_str("no parameter was mapped\n");
    }
    text.push_str("=== end mapping ===\n");
    text
}

fn choice(choice: &Choice) -> String {
    let shown = |name: &str, score: f64| format!("`{}` {}", short(name), three_decimals(score));
    let best = match &choice.best {
        Some((name, score)) if choice.taken => shown(name, *score),
        Some((name, score)) => format!("none (best {})", shown(name, *score)),
        None => "none".to_owned(),
    };
    match &choice.runner_up {
        Some((name, score)) => format!("{best}, runner-up {}", shown(name, *score)),
        None => best,
    }
}

fn short(text: &str) -> String {
    one_line(cut_units(text, 120))
}
