//! The text of a learnt contract.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crosscheck_core::foreign::{json_written, toml_string as string};
use crosscheck_core::text::safe_line;
use smol_str::SmolStr;

use super::pointers::{self, Best};
use super::{Counts, EachLesson, Learnt, Lesson, TableLesson};
use crate::plan::model::{Meaning, TableModel};
use crate::plan::names::Name;
use crate::plan::{ColumnId, TableId};
use crate::report::Report;

/// A table with fewer columns of what is said is hardly meant.
const ENOUGH: usize = 2;

pub(super) fn learnt(report: &Report, lessons: &BTreeMap<SmolStr, Lesson>) -> Learnt {
    // what a person wrote or confirmed stays as it is
    let known = &report.known.planner.contract;
    let mut text = if known.text.is_empty() {
        String::from("version = 1\n")
    } else {
        known.text.trim_end().to_owned() + "\n"
    };
    let (mut left_out, mut missed) = (Vec::new(), Vec::new());
    let mut writes = 0;
    let mut questions = Vec::new();
    for (name, lesson) in lessons {
        if let Some(rule) = known.rule(name) {
            let says = rule.row.is_some() || !rule.rows.is_empty();
            writes += usize::from(says);
            continue;
        }
        text.push('\n');
        let (cover, open) = tool(report, name, lesson, &mut text);
        if !open.is_empty() {
            left_out.push(format!("{name}: {}", listed(&open)));
        }
        let asked = open.into_iter().map(|open| (name.to_string(), open));
        questions.extend(asked);
        writes += usize::from(cover != Cover::Needless);
        if cover == Cover::Missed {
            missed.push(name.as_str());
        }
    }
    let mut coverage = format!(
        "{} of {writes} tools that write are covered",
        writes - missed.len()
    );
    if !missed.is_empty() {
        let names = safe_line(&missed.join(", ")).into_owned();
        let _ = write!(coverage, "; a lost write of {names} would not be seen");
    }
    Learnt {
        contract: text,
        left_out,
        questions,
        coverage,
        tools: lessons.len(),
    }
}

/// The text of a contract in which what a tool is given is no longer open, because
/// it is not stored.
pub(super) fn ignored(contract: &str, tool: &str, name: &str) -> String {
    let (head, name) = (format!("[tools.{}]", key(tool)), string(name));
    let mut is_here = false;
    let mut lines: Vec<String> = Vec::new();
    for line in contract.lines() {
        is_here = line.starts_with(&head) || (is_here && !line.starts_with("[tools."));
        let list = line.strip_prefix("open = [").filter(|_| is_here);
        let Some((names, remark)) = list.and_then(|list| list.split_once("]  #")) else {
            lines.push(line.to_owned());
            continue;
        };
        let left: Vec<&str> = names.split(", ").filter(|own| *own != name).collect();
        let known = lines
            .last()
            .and_then(|last| last.strip_prefix("ignore = ["));
        let known = known.and_then(|known| known.strip_suffix(']'));
        let known = known.map(|known| format!("{known}, "));
        if known.is_some() {
            lines.pop();
        }
        lines.push(format!("ignore = [{}{name}]", known.unwrap_or_default()));
        if !left.is_empty() {
            lines.push(format!("open = [{}]  #{remark}", left.join(", ")));
        }
    }
    lines.join("\n") + "\n"
}

/// Whether the entry of a tool shows that a write was lost.
#[derive(PartialEq, Eq)]
enum Cover {
    /// It does not write.
    Needless,
    Covered,
    Missed,
}

/// Names of a log, in one line.
fn listed(names: &BTreeSet<String>) -> String {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    safe_line(&names.join(", ")).into_owned()
}

/// Writes the entry of a tool; what it is good for, and what its calls said and
/// it does not compare.
fn tool(
    report: &Report,
    name: &str,
    lesson: &Lesson,
    text: &mut String,
) -> (Cover, BTreeSet<String>) {
    let calls: usize = lesson.ends.values().sum();
    let ends: Vec<String> = lesson
        .ends
        .iter()
        .map(|(end, count)| format!("{count} {end}"))
        .collect();
    let head = format!("tools.{}", key(name));
    let noun = if calls == 1 { "call" } else { "calls" };
    let _ = writeln!(text, "[{head}]  # {calls} {}: {}", noun, ends.join(", "));
    let class = lesson
        .class
        .iter()
        .max_by_key(|(_, count)| **count)
        .map_or("failed", |(class, _)| *class);
    let line = match class {
        "read" => "class = \"read\"\n",
        "ignored" => "class = \"ignore\"\n",
        "failed" => "# every call failed: nothing to learn\n",
        "unknown" => {
            "class = \"write\"\nconfirmed = false  # no known verb: say whether it writes\n"
        }
        "delete" => "class = \"delete\"\nconfirmed = false\n",
        _ => "class = \"write\"\nconfirmed = false\n",
    };
    text.push_str(line);
    if matches!(class, "read" | "ignored" | "failed") {
        return (Cover::Needless, BTreeSet::new());
    }
    // from calls that were only refuted, what agrees would be learned, and the lie forgotten
    if lesson.ends.contains_key("refuted") && !lesson.ends.contains_key("proven") {
        text.push_str("# refuted: learn it from a run that you trust\n");
        return (Cover::Missed, BTreeSet::new());
    }
    let table = lesson
        .tables
        .iter()
        .max_by_key(|(_, count)| **count)
        .map(|(table, _)| *table);
    let is_elsewhere = fits_elsewhere(report, lesson, table);
    let known = table.and_then(|id| Some((id, lesson.of_tables.get(&id)?)));
    let known = known.filter(|(_, learnt)| is_borne_out(lesson, learnt, is_elsewhere));
    let mut body = String::new();
    let learnt = known.filter(|(id, learnt)| {
        let is_delete = class == "delete";
        of_table(report, &head, *id, learnt, is_delete, &mut body)
    });
    let Some((_, learnt)) = learnt else {
        if table.is_none() && lesson.ends.contains_key("proven") {
            text.push_str("# no table: the rows were found by their values; an answer with their key would prove more\n");
            return (Cover::Covered, BTreeSet::new());
        }
        nothing(lesson, text);
        return (Cover::Missed, BTreeSet::new());
    };
    let open = open(lesson, learnt);
    if !open.is_empty() {
        let names: Vec<String> = open.iter().map(|name| string(name)).collect();
        let _ = writeln!(
            text,
            "open = [{}]  # said and not compared: map it to a column, or move it to ignore = [...] if it is not stored",
            names.join(", ")
        );
    }
    let shows = shows_something(learnt) || class == "delete";
    if !shows {
        text.push_str("# nothing here shows what the call did: a lost write would not be seen\n");
    }
    text.push_str(&body);
    if !lesson.reasons.is_empty() {
        let _ = writeln!(text, "# not proven: {}", reasons(lesson));
    }
    let cover = if shows { Cover::Covered } else { Cover::Missed };
    (cover, open)
}

/// Whether a line of an entry shows what the call did.
fn shows_something(learnt: &TableLesson) -> bool {
    let each = learnt.each.values().map(|each| &each.counts);
    let mut counts = learnt.fields.values().chain(each);
    counts.any(|counts| counts.tells > 0) || !learnt.states.is_empty()
}

/// Whether the rows of a table bear out what the calls say, or may at least:
/// a row that was only found, while another table has a column for all that
/// the calls say, is rather what that one points to.
fn is_borne_out(lesson: &Lesson, learnt: &TableLesson, is_elsewhere: bool) -> bool {
    let counts = || {
        let each = learnt.each.values().map(|each| each.counts);
        learnt.fields.values().copied().chain(each)
    };
    let mut ends = lesson.ends.keys();
    ends.any(|end| matches!(*end, "proven" | "superseded"))
        || counts().any(|counts| counts.agrees > 0)
        || (learnt.was_found && !is_elsewhere && counts().all(|counts| counts.differs == 0))
}

/// Whether a table beside the one that was looked at has a column for every
/// argument, one of them the id of something.
fn fits_elsewhere(report: &Report, lesson: &Lesson, looked: Option<TableId>) -> bool {
    let model = report.known.model();
    let fits = |table: TableId| {
        let column = |name: &String| {
            let meanings = model.index.meanings(&Name::new(name).norm);
            let mut meanings = meanings.iter();
            let meaning = meanings.find(|meaning| meaning.table == table && meaning.firm);
            meaning.map(|meaning| meaning.column)
        };
        let columns: Option<Vec<ColumnId>> = lesson.arguments.iter().map(column).collect();
        columns.is_some_and(|columns| {
            let mut ids = columns.iter();
            columns.len() >= ENOUGH && ids.any(|id| model.table(table).column(*id).is_key_like)
        })
    };
    let mut tables = model.tables().map(|(id, _)| id);
    tables.any(|id| Some(id) != looked && fits(id))
}

/// What was said and no line of the entry compares, or what was there otherwise.
fn open(lesson: &Lesson, learnt: &TableLesson) -> BTreeSet<String> {
    let of_rows = learnt.each.values().flat_map(|each| &each.open);
    let fields = learnt.fields.iter().map(|((_, place), own)| (place, own));
    let each = learnt
        .each
        .iter()
        .map(|((place, _), own)| (place, &own.counts));
    let differs = fields
        .chain(each)
        .filter(|(_, counts)| counts.agrees == 0 && counts.differs > 0);
    let differing = differs.map(|(place, _)| pointers::spoken(place));
    let said = lesson.open.iter().chain(of_rows).cloned();
    said.chain(differing).collect()
}

fn nothing(lesson: &Lesson, text: &mut String) {
    let _ = writeln!(
        text,
        "# table = \"...\"  # nothing fits: {}\n# class = \"ignore\"  # in place of the class above, if it does not write to this database",
        reasons(lesson)
    );
}

fn reasons(lesson: &Lesson) -> String {
    if lesson.reasons.is_empty() {
        return "no place of the calls always holds the key".to_owned();
    }
    let reasons: Vec<String> = lesson
        .reasons
        .iter()
        .map(|(code, count)| format!("{code} {count}"))
        .collect();
    reasons.join(", ")
}

/// Writes what is known about the row; `false` when its key is found nowhere.
fn of_table(
    report: &Report,
    head: &str,
    id: TableId,
    learnt: &TableLesson,
    is_delete: bool,
    text: &mut String,
) -> bool {
    let table = report.known.model().table(id);
    let key = learnt.keys.values().max_by_key(|key| key.calls);
    let keys = key.and_then(|key| origins(report, id, &key.columns));
    let Some(keys) = keys else {
        return false;
    };
    let _ = writeln!(text, "table = {}", string(&table.shown));
    let _ = writeln!(text, "key = {{ {} }}", assigned(table, &keys));
    if is_delete {
        text.push_str("absent = true\n");
        return true;
    }
    fields(table, head, learnt, text);
    for ((items, _), each) in &learnt.each {
        one_each(report, head, items, each, &keys, text);
    }
    true
}

/// Where the columns of a key come from; `None` if one of them is nowhere.
fn origins(
    report: &Report,
    table: TableId,
    key: &BTreeMap<ColumnId, Best>,
) -> Option<Vec<(ColumnId, String)>> {
    let origin = |(column, best): (&ColumnId, &Best)| {
        let pointers = best.all(|name| is_key_name(report, table, *column, name));
        let pointers: Vec<String> = pointers.into_iter().map(string).collect();
        let origin = match &pointers[..] {
            [] => return None,
            [one] => one.clone(),
            several => format!("[{}]", several.join(", ")),
        };
        Some((*column, origin))
    };
    key.iter().map(origin).collect()
}

/// Columns with where they come from.
fn assigned(table: &TableModel, origins: &[(ColumnId, String)]) -> String {
    let part =
        |(column, origin): &(ColumnId, String)| format!("{} = {origin}", name(table, *column));
    let parts: Vec<String> = origins.iter().map(part).collect();
    parts.join(", ")
}

/// Whether a key column is called so: like the column, or like the table's id.
fn is_key_name(report: &Report, table: TableId, column: ColumnId, name: &Name) -> bool {
    let index = &report.known.model().index;
    let means = |meaning: &Meaning| (meaning.table, meaning.column) == (table, column);
    index.meanings(&name.norm).iter().any(means)
        || index.ids(&name.words).contains(&table)
        || index.called(&name.words).contains(&table)
}

fn fields(table: &TableModel, head: &str, learnt: &TableLesson, text: &mut String) {
    let mut best: BTreeMap<ColumnId, (&str, Counts)> = BTreeMap::new();
    for ((column, pointer), counts) in &learnt.fields {
        let known = best.entry(*column).or_insert((pointer, *counts));
        if (counts.agrees, pointer.starts_with("/args"))
            > (known.1.agrees, known.0.starts_with("/args"))
        {
            *known = (pointer, *counts);
        }
    }
    let is_replaced = |(_, (_, counts)): &(&ColumnId, &(&str, Counts))| {
        counts.agrees + counts.differs == 0 && counts.replaced > 0
    };
    let replaced: Vec<(ColumnId, &str)> = best
        .iter()
        .filter(is_replaced)
        .map(|(column, (pointer, _))| (*column, *pointer))
        .collect();
    best.retain(|_, (_, counts)| counts.agrees > 0);
    // a state may be written in several ways, and a column has one line
    let often = |(column, found): (&ColumnId, &BTreeMap<String, usize>)| {
        let (value, count) = found.iter().max_by_key(|(_, count)| **count)?;
        Some((*column, value.clone(), *count))
    };
    let mut states: Vec<_> = learnt.states.iter().filter_map(often).collect();
    states.retain(|(column, ..)| best.get(column).is_none_or(|(_, counts)| counts.tells == 0));
    best.retain(|column, _| !states.iter().any(|(state, ..)| state == column));
    let (mut told, mut shown) = (String::new(), String::new());
    for (column, (pointer, counts)) in best {
        let lines = if counts.tells > 0 {
            &mut told
        } else {
            &mut shown
        };
        let _ = writeln!(
            lines,
            "{} = {}{}",
            name(table, column),
            string(pointer),
            remark(counts)
        );
    }
    for (column, value, count) in &states {
        let _ = writeln!(
            told,
            "{} = {{ const = {} }}  # as the name of the tool says, agrees {count}",
            name(table, *column),
            json_written(value.clone())
        );
    }
    // a table without a line is refused
    let prefix = if told.is_empty() { "fields." } else { "" };
    if !told.is_empty() {
        let _ = writeln!(text, "[{head}.fields]\n{}", told.trim_end());
    }
    for (column, pointer) in replaced {
        let _ = writeln!(
            text,
            "# {prefix}{} = {}  # a later call replaced it each time; remove the first # to compare it",
            name(table, column),
            string(pointer)
        );
    }
    if !shown.is_empty() {
        let _ = writeln!(
            text,
            "[{head}.shows]  # compared, but does not show what the call did\n{}",
            shown.trim_end()
        );
    }
}

fn one_each(
    report: &Report,
    head: &str,
    items: &str,
    each: &EachLesson,
    keys: &[(ColumnId, String)],
    text: &mut String,
) {
    let table = report.known.model().table(each.table);
    let parent = keys
        .iter()
        .find(|(column, _)| Some(*column) == each.key.1)
        .or_else(|| keys.first());
    let fields: Vec<String> = each
        .fields
        .iter()
        .filter_map(|(column, best)| {
            Some(format!(
                "{} = {}",
                name(table, *column),
                string(best.get(|name| name.norm == table.column(*column).name.norm)?)
            ))
        })
        .collect();
    let (Some((_, pointer)), true) = (parent, each.counts.agrees > 0 && !fields.is_empty()) else {
        return;
    };
    let _ = writeln!(text, "[[{head}.each]]{}", remark(each.counts));
    let _ = writeln!(text, "items = {}", string(items));
    let _ = writeln!(text, "table = {}", string(&table.shown));
    let _ = writeln!(text, "key = {{ {} = {pointer} }}", name(table, each.key.0));
    let _ = writeln!(text, "fields = {{ {} }}", fields.join(", "));
}

fn remark(counts: Counts) -> String {
    format!(
        "  # agrees {}, differs {}, open {}",
        counts.agrees, counts.differs, counts.open
    )
}

fn name(table: &TableModel, column: ColumnId) -> String {
    key(table.column(column).column.as_str())
}

/// A key of TOML, quoted where it must be.
fn key(name: &str) -> String {
    let is_bare = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    if is_bare {
        name.to_owned()
    } else {
        string(name)
    }
}
