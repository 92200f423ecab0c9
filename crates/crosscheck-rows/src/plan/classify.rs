//! What kind of call it is (rows 5): does it read, write, delete, or did it
//! fail?

mod coding;
mod failed;
mod refused;

pub(crate) use coding::runs_a_command;
use crosscheck_core::rules::Rule;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::field::{Tool, Vocabulary};
use super::means::means;
use super::model::Model;
use super::statement::Script;
use super::words::{List, words};
use crate::read::{Answer, Call, Class as Stated};

const REFUSED: Rule = Rule::new("rows.refused", "an answer may refuse in words of its own");
const REMOVAL: Rule = Rule::new("rows.removal", "an argument may ask for a row to go");
const MADE: Rule = Rule::new(
    "rows.made",
    "a read whose answer names what was made is none",
);

/// The class of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Class {
    Read,
    Write,
    Delete,
    /// No word tells; it is planned as a write and never refuted.
    Unknown,
    Failed,
    Ignored,
}

impl Class {
    /// Whether calls of this class are judged.
    pub(crate) const fn is_judged(self) -> bool {
        matches!(self, Self::Write | Self::Delete | Self::Unknown)
    }

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Delete => "delete",
            Self::Unknown => "unknown",
            Self::Failed => "failed",
            Self::Ignored => "ignored",
        }
    }
}

/// A class and where it comes from.
#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is asked for on its own"
)]
pub(crate) struct Classified {
    pub(crate) class: Class,
    /// For people.
    pub(crate) from: SmolStr,
    /// Whether a listed verb, an annotation or a contract says so.
    pub(crate) is_certain: bool,
    /// Whether the call carries an SQL statement that writes.
    pub(crate) carries_sql: bool,
    /// Whether a shell or file tool was called that reaches no database.
    pub(crate) works_elsewhere: bool,
    /// Whether the answer may say that nothing was done.
    pub(crate) may_be_refused: bool,
}

impl Classified {
    fn new(class: Class, from: impl Into<SmolStr>, is_certain: bool) -> Self {
        Self {
            class,
            from: from.into(),
            is_certain,
            carries_sql: false,
            works_elsewhere: false,
            may_be_refused: false,
        }
    }
}

/// What the name of a tool says about its class.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Verb {
    pub(crate) says: Says,
    /// The word that says so.
    pub(crate) word: SmolStr,
    /// Whether it makes new rows.
    pub(crate) creates: bool,
    /// Whether it sets what it is given and nothing else.
    pub(crate) is_setter: bool,
    /// Whether it sets what it is given, by a word of our own list.
    pub(crate) sets: bool,
    /// For people.
    shown: SmolStr,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Says {
    /// It only talks.
    Talk,
    Read,
    Write,
    Delete,
    #[default]
    Nothing,
}

impl Verb {
    fn new(says: Says, word: &str) -> Self {
        Self {
            says,
            word: word.into(),
            creates: words().create.has(word) || words().weak_create.has(word),
            is_setter: words().setter.has(word),
            sets: means().sets.has(word),
            shown: format!("verb {word}").into(),
        }
    }
}

/// The class of a call; the first rule that fits decides.
pub(crate) fn classify(
    vocabulary: &mut Vocabulary,
    call: &Call,
    tool: &Tool,
    stated: Option<Stated>,
) -> Classified {
    let contract = |class| Classified::new(class, "contract", true);
    match stated {
        Some(Stated::Read) => return contract(Class::Read),
        Some(Stated::Ignore) => return contract(Class::Ignored),
        Some(Stated::Write | Stated::Delete) | None => {}
    }
    if stated.is_none()
        && let Some(script) = Script::of(call, tool)
    {
        let from = format!("SQL {}", script.word);
        let mut classified = if script.reads {
            Classified::new(Class::Read, from, true)
        } else {
            let classified = Classified::new(Class::Write, from, true);
            unless_failed(vocabulary, call, tool, classified)
        };
        classified.carries_sql = classified.class == Class::Write;
        return classified;
    }
    if stated.is_none() && coding::works_elsewhere(call, tool) {
        return Classified {
            works_elsewhere: true,
            ..Classified::new(Class::Ignored, "a shell or file tool", true)
        };
    }
    if is_dry(call) {
        return Classified::new(Class::Read, "a dry run", true);
    }
    let verb = &tool.verb;
    let by_verb = |class| Classified::new(class, verb.shown.clone(), true);
    let classified = match verb.says {
        Says::Talk => return Classified::new(Class::Ignored, "a tool that only talks", true),
        Says::Read => by_verb(Class::Read),
        Says::Write => by_verb(Class::Write),
        Says::Delete => by_verb(Class::Delete),
        Says::Nothing => Classified::new(Class::Unknown, "no known verb", false),
    };
    let classified = match removal(call) {
        Some(how) if classified.class != Class::Delete && REMOVAL.is_on() => {
            Classified::new(Class::Delete, how, false)
        }
        _ => classified,
    };
    let is_read = classified.class == Class::Read;
    let classified = if is_read && MADE.is_on() && has_made(vocabulary, call) {
        Classified::new(Class::Unknown, "the answer names what was made", false)
    } else {
        classified
    };
    let hints = call.hints;
    let classified = if hints.read_only == Some(true) {
        Classified::new(Class::Read, "readOnlyHint", true)
    } else if classified.class == Class::Unknown
        && (hints.destructive == Some(true) || hints.read_only == Some(false))
    {
        Classified::new(Class::Write, "annotations", true)
    } else {
        classified
    };
    let classified = match stated {
        Some(Stated::Delete) => contract(Class::Delete),
        Some(Stated::Write) => contract(Class::Write),
        Some(Stated::Read | Stated::Ignore) | None => classified,
    };
    if classified.class == Class::Read {
        return classified;
    }
    unless_failed(vocabulary, call, tool, classified)
}

/// Whether a call failed, for whatever reason it may have been made.
pub(crate) fn has_failed(vocabulary: &mut Vocabulary, call: &Call) -> bool {
    failed::why(vocabulary, call).is_some()
}

fn unless_failed(
    vocabulary: &mut Vocabulary,
    call: &Call,
    tool: &Tool,
    classified: Classified,
) -> Classified {
    match failed::why(vocabulary, call) {
        Some(why) => Classified::new(Class::Failed, why, true),
        None => Classified {
            may_be_refused: REFUSED.is_on() && refused::perhaps(vocabulary, call, tool),
            ..classified
        },
    }
}

fn is_dry(call: &Call) -> bool {
    let Ok(arguments) = &call.arguments else {
        return false;
    };
    let mut members = arguments.root().as_object().into_iter().flatten();
    members.any(|(name, value)| {
        value.as_bool() == Some(true) && words().dry.has(&name.to_str_lossy().to_lowercase())
    })
}

/// An argument that asks for a row to be taken away: `action: "REMOVE"`,
/// `delete: true`.
fn removal(call: &Call) -> Option<String> {
    let arguments = call.arguments.as_ref().ok()?;
    arguments.root().as_object()?.find_map(|(name, value)| {
        let name = name.to_str_lossy().to_lowercase();
        let text = value.as_str().unwrap_or_default().to_lowercase();
        let is_asked = (value.as_bool() == Some(true) && means().takes_away.has(&name))
            || (means().actions.has(&name) && means().takes_away.has(&text));
        is_asked.then(|| format!("argument {name}"))
    })
}

/// Whether the answer of what looks like a read names what was made, or says
/// that it was: `exported_asset_ids`, `created_id`, `"updated": true`.
fn has_made(vocabulary: &mut Vocabulary, call: &Call) -> bool {
    let Some(Answer::Json(answer)) = &call.answer else {
        return false;
    };
    let mut members = answer.root().as_object().into_iter().flatten();
    members.any(|(name, value)| {
        let field = vocabulary.member(name);
        let is_done = value.as_bool() == Some(true);
        if is_done
            && ["created", "updated", "deleted", "inserted", "saved"].contains(&&*field.lower)
        {
            return true;
        }
        let makes = |word: &str| {
            let stems = [word.strip_suffix('d'), word.strip_suffix("ed")];
            stems
                .into_iter()
                .flatten()
                .any(|verb| means().makes.has(verb) || verb == "export")
        };
        field.holds_ids && makes(field.name.first())
    })
}

/// What a tool's words say. Verbs that are nouns, too, count only where there
/// is no other.
pub(crate) fn verb(name: &[SmolStr], model: &Model) -> Verb {
    let lists = words();
    let joined = name.join("_");
    let talks = lists.ignore_exact.has(&joined)
        || lists
            .ignore_prefix
            .iter()
            .any(|start| joined.starts_with(start));
    if talks {
        return Verb::new(Says::Talk, &joined);
    }
    let strong = hits(
        name,
        &[
            (&lists.read, Says::Read),
            (&lists.create, Says::Write),
            (&lists.write, Says::Write),
            (&means().writes, Says::Write),
            (&lists.delete, Says::Delete),
        ],
    );
    let mut weak = hits(
        name,
        &[
            (&lists.weak_read, Says::Read),
            (&lists.weak_write, Says::Write),
        ],
    );
    // `check_store_inventory` reads what is in a store
    let is_thing = |hit: &Hit<'_>| hit.place > 0 && model.is_noun(hit.word);
    let begins = weak.first().is_some_and(|hit| hit.place == 0);
    let is_left = !(begins && strong.iter().all(is_thing));
    if let Some(verb) = decide(name, &strong).filter(|_| is_left) {
        // `get_and_refund`, `read_replica_promote`: nobody can say
        let joins = name.iter().any(|word| lists.join_words.has(word));
        let weak = weak.iter().filter(|_| joins);
        let mut others = strong.iter().chain(weak).filter(|hit| !is_thing(hit));
        if verb.says == Says::Read && others.any(|hit| hit.says != Says::Read) {
            return Verb::new(Says::Nothing, "");
        }
        // `generate_sales_report` writes to no table of reports
        let last = name.last().map_or("", SmolStr::as_str);
        let is_paper = verb.word == "generate" && means().papers.has(last) && !model.is_noun(last);
        return if is_paper {
            Verb::new(Says::Nothing, "")
        } else {
            verb
        };
    }
    // a word inside a name is what it is about: `manage_custom_list_items`
    let is_inside = |hit: &Hit<'_>| hit.place > 0 && hit.place + 1 < name.len();
    weak.retain(|hit| hit.says != Says::Read || !is_inside(hit));
    // `order_list` reads, `order_item` writes
    let is_noun = |hit: &Hit<'_>| hit.says == Says::Write && model.is_noun(hit.word);
    weak.retain(|hit| hit.place == 0 || !is_noun(hit));
    if weak.iter().any(|hit| !is_noun(hit)) {
        weak.retain(|hit| !is_noun(hit));
    }
    decide(name, &weak).unwrap_or_else(|| Verb::new(Says::Nothing, ""))
}

struct Hit<'n> {
    place: usize,
    word: &'n str,
    says: Says,
}

fn hits<'n>(name: &'n [SmolStr], lists: &[(&List, Says)]) -> Vec<Hit<'n>> {
    let find = |(place, word): (usize, &'n SmolStr)| {
        let found = lists.iter().find(|(list, _)| list.has(word));
        found.map(|(_, says)| Hit {
            place,
            word,
            says: *says,
        })
    };
    name.iter().enumerate().filter_map(find).collect()
}

fn decide(name: &[SmolStr], hits: &[Hit<'_>]) -> Option<Verb> {
    let first = hits.first()?;
    let next = name.get(first.place + 1).map_or("", SmolStr::as_str);
    if first.says == Says::Read {
        // to check in or out is to write
        if first.word == "check" && matches!(next, "in" | "out") {
            return Some(Verb::new(Says::Write, first.word));
        }
        let writes = |hit: &&Hit<'_>| hit.says != Says::Read;
        if words().join_words.has(next)
            && let Some(hit) = hits.iter().find(writes)
        {
            return Some(Verb::new(hit.says, hit.word));
        }
    }
    Some(Verb::new(first.says, first.word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::names::split;
    use crate::plan::testing::{call, model, vocabulary};

    #[test]
    fn a_read_that_says_what_it_wrote_is_none() {
        for (answer, made) in [
            (r#"{"ok":true,"updated":true}"#, true),
            (r#"{"created_id":"n1"}"#, true),
            (r#"{"ok":true,"updated":false}"#, false),
            (r#"{"updated":"2026-01-01"}"#, false),
        ] {
            let line = format!(r#"{{"tool":"get_note","params":{{"id":"n1"}},"result":{answer}}}"#);
            let made_one = has_made(&mut vocabulary(&[]), &call(&line));
            assert_eq!(made_one, made, "{answer}");
        }
    }

    #[test]
    fn the_words_of_a_tool_tell_what_it_does() {
        let model = model(&["orders: id*", "order_items: id*", "files: id*"]);
        let table = [
            ("get_order", Says::Read, "get"),
            ("create_order", Says::Write, "create"),
            ("orders.remove", Says::Delete, "remove"),
            ("get_or_create_order", Says::Write, "create"),
            ("find_and_delete_order", Says::Delete, "delete"),
            ("check_order", Says::Read, "check"),
            ("check_in_guest", Says::Write, "check"),
            ("check_out", Says::Write, "check"),
            ("order_list", Says::Read, "list"),
            ("order_item", Says::Write, "order"),
            ("list_files", Says::Read, "list"),
            ("file_complaint", Says::Write, "file"),
            ("book_flight", Says::Write, "book"),
            ("update_order_status", Says::Write, "update"),
            ("order_status", Says::Read, "status"),
            ("zap_order", Says::Nothing, ""),
            ("get_and_refund", Says::Nothing, ""),
            ("read_replica_promote", Says::Nothing, ""),
            ("get_update", Says::Nothing, ""),
            ("think", Says::Talk, "think"),
            ("transfer_to_human", Says::Talk, "transfer_to_human"),
            ("transfer_funds", Says::Write, "transfer"),
            ("refund_order", Says::Write, "refund"),
        ];
        for (name, says, word) in table {
            assert_eq!(verb(&split(name), &model), Verb::new(says, word), "{name}");
        }
    }
}
