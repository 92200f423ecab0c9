//! Objects read by a table of their fields.
//!
//! One table describes an object completely: names, aliases, shapes and
//! defaults (trace 2.1). Reading is strict: no coercion, no unknown field. The
//! fields of a table are in the order of their names, so the normalised object
//! that ids are hashes of (trace 3.3) is written straight from the table.

use crosscheck_core::json::{Node, Value};

use crate::canonical;
use crate::forms::{is_hash, is_safe_path, natural};
use crate::reasons::TraceReason;

/// One field of an object.
pub(crate) struct Field {
    name: &'static str,
    alias: Option<&'static str>,
    shape: Shape,
    /// Canonical text of the default; `None` makes the field required.
    default: Option<&'static str>,
}

/// What a value must look like. Objects inside are read by their own tables.
#[derive(Clone, Copy)]
pub(crate) enum Shape {
    Any,
    Bool,
    Integer,
    IntegerOrNull,
    Number,
    Str,
    NonEmptyStr,
    StrOrNull,
    Strings,
    Pairs,
    Object,
    ObjectOrNull,
    Objects,
    Hash,
    Span,
    Path,
    OneOf(&'static [&'static str]),
}

/// Why a record or an object cannot be read; one for each object (trace 6.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Flaw {
    pub(crate) reason: TraceReason,
    /// Path of the field inside the record; empty for the record itself.
    pub(crate) field: String,
    /// What the parser found, if the text is not JSON.
    pub(crate) found: Option<String>,
}

impl Flaw {
    pub(crate) fn new(reason: TraceReason, field: impl Into<String>) -> Self {
        Self {
            reason,
            field: field.into(),
            found: None,
        }
    }
}

/// The flaws of one record, outermost first.
pub(crate) type Flaws = Vec<Flaw>;

pub(crate) const fn required(name: &'static str, shape: Shape) -> Field {
    Field {
        name,
        alias: None,
        shape,
        default: None,
    }
}

pub(crate) const fn optional(name: &'static str, shape: Shape, default: &'static str) -> Field {
    Field {
        name,
        alias: None,
        shape,
        default: Some(default),
    }
}

impl Field {
    pub(crate) const fn or(mut self, alias: &'static str) -> Self {
        self.alias = Some(alias);
        self
    }
}

/// The items of a list; none where there is no list.
pub(super) fn items(list: Option<Node<'_>>) -> impl Iterator<Item = Node<'_>> {
    list.and_then(Node::as_array).into_iter().flatten()
}

/// A text that grows step by step is copied at each.
const TYPICAL: usize = 512;

/// The most fields that a table has.
const MAX_FIELDS: usize = 9;

/// The values of an object by the table it was read with.
#[derive(Clone, Copy)]
pub(crate) struct Object<'j> {
    table: &'static [Field],
    nodes: [Option<Node<'j>>; MAX_FIELDS],
}

impl<'j> Object<'j> {
    /// Reads an object; records a flaw and then returns `None`. A missing field
    /// counts before a bad one, a bad one before an unknown one.
    pub(crate) fn read(
        node: Node<'j>,
        table: &'static [Field],
        path: &str,
        flaws: &mut Flaws,
    ) -> Option<Self> {
        match Self::sort(node, table) {
            Ok((object, None)) => Some(object),
            Ok((_, Some(unknown))) => {
                flaws.push(flaw(TraceReason::UnknownField, path, &unknown));
                None
            }
            Err((reason, field)) => {
                flaws.push(flaw(reason, path, field));
                None
            }
        }
    }

    /// As [`Object::read`], but also returns the name of an unknown field.
    pub(crate) fn sort(
        node: Node<'j>,
        table: &'static [Field],
    ) -> Result<(Self, Option<String>), (TraceReason, &'static str)> {
        let Some(members) = node.as_object() else {
            return Err((TraceReason::BadField, ""));
        };
        let mut nodes = [None; MAX_FIELDS];
        let mut aliased = Vec::new();
        let mut unknown = None;
        for (key, node) in members {
            match place(table, key.bytes()) {
                Some((at, false)) => {
                    if let Some(slot) = nodes.get_mut(at) {
                        *slot = Some(node);
                    }
                }
                Some((at, true)) => aliased.push((at, node)),
                None => unknown = unknown.or_else(|| Some(key.to_string())),
            }
        }
        for (at, node) in aliased {
            if let Some(slot @ None) = nodes.get_mut(at) {
                *slot = Some(node);
            } else {
                let alias = table.get(at).and_then(|field| field.alias);
                unknown = unknown.or_else(|| alias.map(str::to_owned));
            }
        }
        let pairs = || table.iter().zip(&nodes);
        if let Some((field, _)) =
            pairs().find(|(field, node)| node.is_none() && field.default.is_none())
        {
            return Err((TraceReason::MissingField, field.name));
        }
        if let Some((field, _)) =
            pairs().find(|(field, node)| node.is_some_and(|node| !field.shape.fits(node)))
        {
            return Err((TraceReason::BadField, field.name));
        }
        Ok((Self { table, nodes }, unknown))
    }

    /// The value of a field, if it is present.
    pub(crate) fn get(&self, name: &str) -> Option<Node<'j>> {
        let mut pairs = self.table.iter().zip(self.nodes);
        pairs.find(|(field, _)| field.name == name)?.1
    }

    /// The text of a field that is a string and present, otherwise empty.
    pub(crate) fn text(&self, name: &str) -> &'j str {
        self.get(name).and_then(Node::as_str).unwrap_or_default()
    }

    /// The normalised object: names for aliases, defaults written out.
    pub(crate) fn normalised(&self, own: impl FnMut(&str, &mut String) -> Write) -> String {
        let mut out = String::with_capacity(TYPICAL);
        self.write(&mut out, own);
        out
    }

    /// Appends the normalised object. `own` may write a value itself and then
    /// returns `Done`; a field for which it returns `Skip` is left out.
    pub(crate) fn write(&self, out: &mut String, mut own: impl FnMut(&str, &mut String) -> Write) {
        out.push('{');
        let mut first = true;
        for (field, node) in self.table.iter().zip(self.nodes) {
            let mark = out.len();
            if !first {
                out.push(',');
            }
            out.push('"');
            out.push_str(field.name);
            out.push_str("\":");
            match own(field.name, out) {
                Write::Done => {}
                Write::Skip => {
                    out.truncate(mark);
                    continue;
                }
                Write::Plain => match node {
                    Some(node) => canonical::write(out, node),
                    None => out.push_str(field.default.unwrap_or("null")),
                },
            }
            first = false;
        }
        out.push('}');
    }
}

/// How to write a field.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Write {
    /// Write the value or its default.
    Plain,
    /// Already written.
    Done,
    /// Not part of this object.
    Skip,
}

/// The field that a key names, and whether by its alias.
fn place(table: &[Field], key: &[u8]) -> Option<(usize, bool)> {
    table.iter().enumerate().find_map(|(at, field)| {
        if field.name.as_bytes() == key {
            return Some((at, false));
        }
        (field.alias.map(str::as_bytes) == Some(key)).then_some((at, true))
    })
}

fn flaw(reason: TraceReason, path: &str, field: &str) -> Flaw {
    let field = match (path.is_empty(), field.is_empty()) {
        (true, _) => field.to_owned(),
        (false, true) => path.to_owned(),
        (false, false) => format!("{path}.{field}"),
    };
    Flaw::new(reason, field)
}

impl Shape {
    fn fits(self, node: Node<'_>) -> bool {
        let text = |holds: &dyn Fn(&str) -> bool| node.as_str().is_some_and(holds);
        match self {
            Self::Any => true,
            Self::Bool => node.as_bool().is_some(),
            Self::Integer => is_integer(node),
            Self::IntegerOrNull => node.is_null() || is_integer(node),
            Self::Number => matches!(node.value(), Value::Number(_)),
            Self::Str => is_str(node),
            Self::NonEmptyStr => text(&|text| !text.is_empty()),
            Self::StrOrNull => node.is_null() || is_str(node),
            Self::Strings => elements(node, is_str),
            Self::Pairs => elements(node, |pair| {
                elements(pair, is_str) && pair.as_array().is_some_and(|ends| ends.count() == 2)
            }),
            Self::Object => is_object(node),
            Self::ObjectOrNull => node.is_null() || is_object(node),
            Self::Objects => elements(node, is_object),
            Self::Hash => text(&is_hash),
            Self::Span => span(node).is_some(),
            Self::Path => text(&is_safe_path),
            Self::OneOf(words) => text(&|text| words.contains(&text)),
        }
    }
}

fn is_str(node: Node<'_>) -> bool {
    matches!(node.value(), Value::String(_))
}

fn is_object(node: Node<'_>) -> bool {
    node.as_object().is_some()
}

/// Whether this is a number without fraction and exponent.
pub(crate) fn is_integer(node: Node<'_>) -> bool {
    matches!(node.value(), Value::Number(digits) if digits.is_integer())
}

fn elements<'j>(node: Node<'j>, holds: impl Fn(Node<'j>) -> bool) -> bool {
    node.as_array().is_some_and(|mut items| items.all(holds))
}

/// `[start, end]` with `0 <= start < end < 2^63`.
pub(crate) fn span(node: Node<'_>) -> Option<(u64, u64)> {
    let mut ends = node.as_array()?.map(offset);
    let (start, end) = (ends.next()??, ends.next()??);
    (ends.next().is_none() && start < end).then_some((start, end))
}

fn offset(node: Node<'_>) -> Option<u64> {
    match node.value() {
        Value::Number(digits) if digits.is_integer() => natural(digits.text()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static TABLE: [Field; 3] = [
        required("a", Shape::Integer),
        optional("b", Shape::Str, "\"\"").or("bee"),
        required("c", Shape::Bool),
    ];

    fn flaws(text: &str) -> Vec<(TraceReason, String)> {
        let json = canonical::parse(text).unwrap();
        let mut flaws = Flaws::new();
        let _ = Object::read(json.root(), &TABLE, "", &mut flaws);
        flaws
            .into_iter()
            .map(|flaw| (flaw.reason, flaw.field))
            .collect()
    }

    #[test]
    fn one_flaw_per_object_missing_before_bad_before_unknown() {
        let table = [
            (r#"{"a":1,"c":true}"#, None),
            (r#"{"x":1,"a":"1"}"#, Some((TraceReason::MissingField, "c"))),
            (
                r#"{"x":1,"a":"1","c":true}"#,
                Some((TraceReason::BadField, "a")),
            ),
            (
                r#"{"x":1,"a":1,"c":true}"#,
                Some((TraceReason::UnknownField, "x")),
            ),
            (
                r#"{"b":"","bee":"","a":1,"c":true}"#,
                Some((TraceReason::UnknownField, "bee")),
            ),
            (r#"{"a":null,"c":true}"#, Some((TraceReason::BadField, "a"))),
        ];
        for (text, expected) in table {
            let expected: Vec<_> = expected
                .into_iter()
                .map(|(reason, field): (_, &str)| (reason, field.to_owned()))
                .collect();
            assert_eq!(flaws(text), expected, "{text}");
        }
    }

    #[test]
    fn shapes_do_not_coerce() {
        let fits = |shape: Shape, text: &str| shape.fits(canonical::parse(text).unwrap().root());
        for text in ["1.0", "1e0", "\"1\"", "true", "null"] {
            assert!(!fits(Shape::Integer, text), "{text}");
        }
        assert!(fits(Shape::Integer, "123456789012345678901234567890"));
        for text in ["1", "0", "\"true\"", "null"] {
            assert!(!fits(Shape::Bool, text), "{text}");
        }
        for text in ["[0,1]", "[-0,5]", "[0,9223372036854775807]"] {
            assert!(fits(Shape::Span, text), "{text}");
        }
        for text in [
            "[1,1]",
            "[2,1]",
            "[-1,1]",
            "[0]",
            "[0,1,2]",
            "[0,1.0]",
            "[0,9223372036854775808]",
            "\"0-1\"",
        ] {
            assert!(!fits(Shape::Span, text), "{text}");
        }
        assert!(fits(Shape::Pairs, r#"[["a","b"]]"#));
        for text in [
            r#"[["a"]]"#,
            r#"[["a","b","c"]]"#,
            r#"["ab"]"#,
            r#"[["a",1]]"#,
        ] {
            assert!(!fits(Shape::Pairs, text), "{text}");
        }
    }

    #[test]
    fn the_normalised_object_has_defaults_and_names() {
        let json = canonical::parse(r#"{"c":false,"bee":"x","a":-0}"#).unwrap();
        let object = Object::read(json.root(), &TABLE, "", &mut Flaws::new()).unwrap();
        let mut out = String::new();
        object.write(&mut out, |_, _| Write::Plain);
        assert_eq!(out, r#"{"a":0,"b":"x","c":false}"#);
        out.clear();
        object.write(&mut out, |name, _| {
            if name == "a" {
                Write::Skip
            } else {
                Write::Plain
            }
        });
        assert_eq!(out, r#"{"b":"x","c":false}"#);
    }
}
