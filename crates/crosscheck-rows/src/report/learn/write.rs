//! The text of a learnt contract.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crosscheck_core::foreign::toml_string as string;
use crosscheck_core::text::safe_line;
use smol_str::SmolStr;

use super::pointers::spoken;
use super::{Counts, EachLesson, Learnt, Lesson, Place, RowLesson};

pub(super) fn learnt(given: &str, lessons: &BTreeMap<SmolStr, Lesson>) -> Learnt {
    // what a person wrote or confirmed stays as it is
    let mut text = if given.is_empty() {
        String::from("version = 1\n")
    } else {
        given.trim_end().to_owned() + "\n"
    };
    let (mut left_out, mut missed, mut questions) = (Vec::new(), Vec::new(), Vec::new());
    let mut writes = 0;
    for (name, lesson) in lessons {
        if let Some(says) = lesson.ruled {
            writes += usize::from(says);
            continue;
        }
        text.push('\n');
        let (cover, open) = tool(name, lesson, &mut text);
        if !open.is_empty() {
            let names: Vec<&str> = open.iter().map(String::as_str).collect();
            left_out.push(format!("{name}: {}", safe_line(&names.join(", "))));
        }
        questions.extend(open.into_iter().map(|open| (name.to_string(), open)));
        writes += usize::from(cover != Cover::Needless);
        if cover == Cover::Missed {
            missed.push(name.as_str());
        }
    }
    let covered = writes - missed.len();
    let mut coverage = format!("{covered} of {writes} tools that write are covered");
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

/// Writes the entry of a tool; what it is good for, and what its calls said and
/// it does not compare.
fn tool(name: &str, lesson: &Lesson, text: &mut String) -> (Cover, BTreeSet<String>) {
    let calls: usize = lesson.ends.values().sum();
    let ends = lesson
        .ends
        .iter()
        .map(|(end, count)| format!("{count} {end}"));
    let ends = ends.collect::<Vec<String>>().join(", ");
    let head = format!("tools.{}", key(name));
    let noun = if calls == 1 { "call" } else { "calls" };
    let _ = writeln!(text, "[{head}]  # {calls} {noun}: {ends}"); // memory takes everything
    let class = lesson.class.iter().max_by_key(|(_, count)| **count);
    let class = class.map_or("failed", |(class, _)| *class);
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
    let table = lesson.tables.iter().max_by_key(|(_, table)| table.calls);
    let known = table.filter(|(_, row)| is_borne_out(lesson, row));
    let Some((row, body)) = known.and_then(|(table, row)| {
        let body = of_table(&head, table, row, class == "delete")?;
        Some((row, body))
    }) else {
        if table.is_none() && lesson.ends.contains_key("proven") {
            text.push_str("# no table: the rows were found by their values; an answer with their key would prove more\n");
            return (Cover::Covered, BTreeSet::new());
        }
        let _ = writeln!(
            text,
            "# table = \"...\"  # nothing fits: {}\n# class = \"ignore\"  # in place of the class above, if it does not write to this database",
            reasons(lesson)
        );
        return (Cover::Missed, BTreeSet::new());
    };
    let open = open(lesson, row);
    if !open.is_empty() {
        let names: Vec<String> = open.iter().map(|name| string(name)).collect();
        let _ = writeln!(
            text,
            "open = [{}]  # said and not compared: map it to a column, or move it to ignore = [...] if it is not stored",
            names.join(", ")
        );
    }
    let shows = class == "delete" || row.counts().any(Counts::shows_the_call);
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

/// Whether the rows of a table bear out what the calls say: a row that is only
/// there is perhaps that of something else.
fn is_borne_out(lesson: &Lesson, row: &RowLesson) -> bool {
    let mut ends = lesson.ends.keys();
    ends.any(|end| matches!(*end, "proven" | "superseded"))
        || row.counts().any(|counts| counts.agrees > 0)
}

impl RowLesson {
    fn counts(&self) -> impl Iterator<Item = &Counts> {
        let each = self.each.values().map(|each| &each.counts);
        self.fields.values().flat_map(BTreeMap::values).chain(each)
    }
}

/// What was said and no line of the entry compares, or what was there otherwise.
fn open(lesson: &Lesson, row: &RowLesson) -> BTreeSet<String> {
    let is_never = |counts: &Counts| counts.agrees == 0 && counts.differs > 0;
    let fields = row.fields.values().flatten();
    let fields = fields.map(|(place, counts)| (place.trim_matches('"'), counts));
    let each = row
        .each
        .iter()
        .map(|(place, each)| (place.as_str(), &each.counts));
    let never = fields.chain(each).filter(|(_, counts)| is_never(counts));
    let of_rows = row.each.values().flat_map(|each| &each.open);
    let said = lesson.open.iter().chain(of_rows).cloned();
    said.chain(never.map(|(place, _)| spoken(place))).collect()
}

fn reasons(lesson: &Lesson) -> String {
    if lesson.reasons.is_empty() {
        return "no place of the calls always holds the key".to_owned();
    }
    let reasons = lesson.reasons.iter();
    let reasons = reasons.map(|(code, count)| format!("{code} {count}"));
    reasons.collect::<Vec<String>>().join(", ")
}

/// What is known about the row; `None` when its key is found nowhere.
fn of_table(head: &str, table: &str, row: &RowLesson, is_delete: bool) -> Option<String> {
    let lesson = row.keys.values().max_by_key(|key| key.calls)?;
    let places = lesson.places.iter();
    let keys = places.map(|(column, places)| Some((column, origin(places, lesson.calls)?)));
    let keys: Vec<(&SmolStr, String)> = keys.collect::<Option<_>>()?;
    let assigned = keys.iter();
    let assigned = assigned.map(|(column, origin)| format!("{} = {origin}", key(column)));
    let assigned = assigned.collect::<Vec<String>>().join(", ");
    let mut text = format!("table = {}\nkey = {{ {assigned} }}\n", string(table));
    if is_delete {
        text.push_str("absent = true\n");
        return Some(text);
    }
    fields(head, row, &mut text);
    for (items, each) in &row.each {
        one_each((head, items), each, &keys, &mut text);
    }
    Some(text)
}

/// Where a column of a key comes from: the place that is called so and held it most
/// often, an argument before an answer; where that one was empty, others that are
/// called so.
fn origin(places: &BTreeMap<String, Place>, calls: usize) -> Option<String> {
    let mut places: Vec<(&String, &Place)> = places.iter().collect();
    places.sort_by_key(|(pointer, place)| {
        let steps = pointer.matches('/').count();
        let order = (place.is_named, place.count, pointer.starts_with("/args"));
        (std::cmp::Reverse(order), steps)
    });
    let ((best, place), others) = places.split_first()?;
    let mut chosen = vec![string(best)];
    if place.count < calls {
        let others = others.iter().filter(|(_, place)| place.is_named);
        chosen.extend(others.map(|(pointer, _)| string(pointer)));
    }
    Some(match &chosen[..] {
        [one] => one.clone(),
        several => format!("[{}]", several.join(", ")),
    })
}

/// The columns that agreed, or that later calls replaced each time, each with what
/// agreed most often: first those that show what the call did, then those that were
/// perhaps so before.
fn fields(head: &str, row: &RowLesson, text: &mut String) {
    let (mut told, mut shown) = (String::new(), String::new());
    for (column, origins) in &row.fields {
        let best = origins.iter().max_by_key(|(origin, counts)| {
            let is_argument = origin.starts_with("\"/args");
            (counts.tells > 0, counts.agrees, is_argument)
        });
        let Some((origin, counts)) = best else {
            continue;
        };
        let lines = match counts {
            counts if counts.shows_the_call() => &mut told,
            counts if counts.agrees > 0 => &mut shown,
            _ => continue,
        };
        let (name, remark) = (key(column), remark(*counts));
        let _ = writeln!(lines, "{name} = {origin}{remark}");
    }
    if !told.is_empty() {
        let _ = write!(text, "[{head}.fields]\n{told}");
    }
    if !shown.is_empty() {
        let remark = "  # compared, but does not show what the call did";
        let _ = write!(text, "[{head}.shows]{remark}\n{shown}");
    }
}

fn one_each(
    (head, items): (&str, &str),
    each: &EachLesson,
    keys: &[(&SmolStr, String)],
    text: &mut String,
) {
    let is_parent = |(column, _): &&(&SmolStr, String)| Some(*column) == each.key.1.as_ref();
    let parent = keys.iter().find(is_parent).or_else(|| keys.first());
    let fields = each.fields.iter();
    let fields = fields.map(|(column, place)| format!("{} = {}", key(column), string(place)));
    let fields = fields.collect::<Vec<String>>().join(", ");
    let (Some((_, place)), true) = (parent, each.counts.agrees > 0 && !fields.is_empty()) else {
        return;
    };
    let (remark, items, table) = (remark(each.counts), string(items), string(&each.table));
    let shared = key(&each.key.0);
    let _ = writeln!(
        text,
        "[[{head}.each]]{remark}\nitems = {items}\ntable = {table}\nkey = {{ {shared} = {place} }}\nfields = {{ {fields} }}"
    );
}

fn remark(counts: Counts) -> String {
    format!(
        "  # agrees {}, differs {}, open {}",
        counts.agrees, counts.differs, counts.open
    )
}

/// A key of TOML, quoted where it must be.
fn key(name: &str) -> String {
    let is_sign = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    if !name.is_empty() && name.chars().all(is_sign) {
        name.to_owned()
    } else {
        string(name)
    }
}
