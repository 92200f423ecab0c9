//! Claims about symbols and scripts.

use crosscheck_core::Verdict;

use super::Finding;
use crate::observe::{DiffLine, Facts, Patch};
use crate::read::Name;
use crate::reasons::PrReason;

/// How lines hold a symbol.
#[derive(Clone, Copy)]
enum Held<'p> {
    Word(&'p DiffLine),
    /// Only in another spelling: `max_size` for `--max-size`.
    Spelling,
    Not,
}

pub(super) fn added(name: &Name, facts: &Facts) -> Finding {
    with_patch(facts, |patch| {
        found(name, held(name, &patch.added), patch, "added")
    })
}

pub(super) fn removed(name: &Name, facts: &Facts) -> Finding {
    with_patch(facts, |patch| {
        let finding = found(name, held(name, &patch.removed), patch, "removed");
        match (finding.verdict, held(name, &patch.added)) {
            (Verdict::Confirmed, Held::Word(line)) => {
                let observed = format!("removed, and added again: {}", shown(line));
                Finding::undecided(PrReason::NotInDiff, observed)
            }
            _ => finding,
        }
    })
}

pub(super) fn renamed(old: &Name, new: &Name, facts: &Facts) -> Finding {
    with_patch(facts, |patch| {
        let gone = found(old, held(old, &patch.removed), patch, "removed");
        let come = found(new, held(new, &patch.added), patch, "added");
        if gone.verdict > come.verdict {
            gone
        } else {
            come
        }
    })
}

fn with_patch(facts: &Facts, judge: impl FnOnce(&Patch) -> Finding) -> Finding {
    match &facts.patch {
        Ok(patch) => judge(patch),
        Err(why) => Finding::undecided(PrReason::PatchUnread, why.clone()),
    }
}

fn found(name: &Name, held: Held<'_>, patch: &Patch, word: &str) -> Finding {
    match held {
        Held::Word(line) => Finding::confirmed(shown(line)).at(&line.path, Some(line.line)),
        Held::Spelling => Finding::undecided(
            PrReason::NotInDiff,
            format!(
                "`{}` is in {word} lines in another spelling only",
                name.text
            ),
        ),
        Held::Not if patch.binary > 0 => {
            let observed = format!("not in {word} lines; {} files are binary", patch.binary);
            Finding::undecided(PrReason::PatchUnread, observed)
        }
        // half of such claims are about another project, or about what a program does
        Held::Not => Finding::undecided(
            PrReason::SymbolNotInDiff,
            format!("no {word} line has `{}`", name.text),
        ),
    }
}

fn shown(line: &DiffLine) -> String {
    format!("{}:{} {}", line.path, line.line, line.text.trim())
}

/// Looks for the last part of a symbol: `parse` of `Header::parse`.
fn held<'p>(name: &Name, lines: &'p [DiffLine]) -> Held<'p> {
    let last = name
        .text
        .rsplit([':', '.', '#'])
        .find(|part| !part.is_empty());
    let last = last.unwrap_or(&name.text).trim_start_matches('-');
    // `any` alone between blanks is a word of a sentence
    let is_plain = name.text.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_free = |c: Option<char>| c.is_none_or(|c| c.is_whitespace() || ".,;!?".contains(c));
    let has_word = |line: &&DiffLine| {
        let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        line.text.match_indices(last).any(|(at, _)| {
            let before = line
                .text
                .get(..at)
                .and_then(|head| head.chars().next_back());
            let behind = line
                .text
                .get(at + last.len()..)
                .and_then(|tail| tail.chars().next());
            let is_prose = is_plain && is_free(before) && is_free(behind);
            !is_part(before) && !is_part(behind) && !is_prose
        })
    };
    if let Some(line) = lines.iter().find(has_word) {
        return Held::Word(line);
    }
    let wanted = bare(last);
    let is_spelled = |line: &DiffLine| bare(&line.text).contains(&wanted);
    if lines
        .iter()
        .any(|line| is_spelled(line) || bare(&line.path).contains(&wanted))
    {
        Held::Spelling
    } else {
        Held::Not
    }
}

/// Without case and the signs that spellings differ in.
fn bare(text: &str) -> String {
    let signs = |c: &char| !matches!(c, '-' | '_' | ' ');
    text.chars()
        .filter(signs)
        .flat_map(char::to_lowercase)
        .collect()
}

/// `npm run lint`: whether a manifest or file of targets declares it.
pub(super) fn script(command: &str, facts: &Facts) -> Finding {
    let Some((runner, script)) = command.rsplit_once(' ') else {
        return Finding::undecided(PrReason::NotInDiff, "no script is named");
    };
    let declares = match runner {
        "make" | "just" => declares_target,
        _ => declares_script,
    };
    let name = match runner {
        "make" => "makefile",
        "just" => "justfile",
        _ => "package.json",
    };
    let mut is_open = false;
    let mut files = 0;
    for (path, text) in &facts.scripts {
        if !path.to_lowercase().ends_with(name) {
            continue;
        }
        files += 1;
        match declares(text, script) {
            Some(true) => return Finding::confirmed(format!("declared in {path}")).at(path, None),
            Some(false) => {}
            None => is_open = true,
        }
    }
    let observed = format!("{files} files could declare it, none does");
    if files > 0 && !is_open {
        Finding::refuted(PrReason::ScriptMissing, observed)
    } else {
        Finding::undecided(PrReason::NotInDiff, observed)
    }
}

fn declares_script(text: &str, script: &str) -> Option<bool> {
    let manifest: serde_json::Value = serde_json::from_str(text).ok()?;
    Some(
        manifest
            .get("scripts")
            .is_some_and(|all| all.get(script).is_some()),
    )
}

/// Whether a line declares the target; `None` where other files or patterns may.
fn declares_target(text: &str, target: &str) -> Option<bool> {
    let head = |line: &str| {
        let (names, _) = line.split_once(':')?;
        (!line.starts_with(['\t', ' ', '#'])).then(|| names.trim_start_matches('@').to_owned())
    };
    let heads: Vec<String> = text.lines().filter_map(head).collect();
    let is_named = |names: &String| names.split_whitespace().any(|name| name == target);
    if heads.iter().any(is_named) {
        return Some(true);
    }
    let may_be_elsewhere = |line: &str| {
        let word = line.trim_start_matches('-').split_whitespace().next();
        matches!(
            word,
            Some("include" | "sinclude" | "import" | "mod" | "mod?" | "alias")
        )
    };
    let has_pattern = heads.iter().any(|names| names.contains(['%', '$']));
    let is_open = has_pattern || text.lines().any(may_be_elsewhere);
    (!is_open).then_some(false)
}
