//! Objects read by a table of their fields.
//!
//! One table says everything about an object: names, aliases, shapes and
//! defaults. Reading is strict (no coercion, nothing unknown), and because the
//! fields of a table stand in the order of their names, the normalised object
//! that ids are hashes of can be written straight from it.

pub(crate) mod schema;

use super::forms::{is_hash, is_safe_path, natural};
use crate::canonical;
use crate::reasons::TraceReason;
use crate::tape::{Node, Value};

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

/// Why an object cannot be read; one for each object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Flaw {
    pub(crate) reason: TraceReason,
    /// Path of the field inside the record.
    pub(crate) field: String,
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

/// The values of an object by the table it was read with.
#[derive(Clone, Copy)]
pub(crate) struct Object<'j, const N: usize> {
    table: &'static [Field; N],
    pub(crate) nodes: [Option<Node<'j>>; N],
    /// The whole object as it stands, if that is its normalised form as far
    /// as this table knows: canonical, no field left to its default or named
    /// by its alias.
    pub(crate) whole: Option<&'j str>,
}

impl<'j, const N: usize> Object<'j, N> {
    /// Reads an object; on a flaw notes it and gives nothing. A missing field
    /// counts before a bad one, a bad one before an unknown one.
    pub(crate) fn read(
        node: Node<'j>,
        table: &'static [Field; N],
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

    /// As [`Object::read`], leaving an unknown field to be judged later.
    pub(crate) fn sort(
        node: Node<'j>,
        table: &'static [Field; N],
    ) -> Result<(Self, Option<String>), (TraceReason, &'static str)> {
        let Some(members) = node.as_object() else {
            return Err((TraceReason::BadField, ""));
        };
        let mut nodes = [None; N];
        let mut aliased = Vec::new();
        let mut unknown = None;
        let mut likely = 0;
        for (key, node) in members {
            match place(table, key, likely) {
                Some((at, false)) => {
                    likely = at + 1;
                    if let Some(slot) = nodes.get_mut(at) {
                        *slot = Some(node);
                    }
                }
                Some((at, true)) => aliased.push((at, node)),
                None => unknown = unknown.or_else(|| Some(key.to_owned())),
            }
        }
        let named = nodes.iter().all(Option::is_some);
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
        let whole = node.canonical().filter(|_| named);
        Ok((
            Self {
                table,
                nodes,
                whole,
            },
            unknown,
        ))
    }

    /// About how long the normalised object is.
    pub(crate) fn room(&self) -> usize {
        self.whole.map_or(256, str::len)
    }

    /// Writes the normalised object. `own` may write a value itself and then
    /// says so; a field for which it answers `Skip` is left out.
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
                    Some(node) => canonical::write_node(out, node),
                    None => out.push_str(field.default.unwrap_or("null")),
                },
            }
            first = false;
        }
        out.push('}');
    }
}

/// What became of a field while writing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Write {
    /// Write the value or its default.
    Plain,
    /// Already written.
    Done,
    /// Not part of this object.
    Skip,
}

/// The field a key means, and whether it is named by its alias. Keys mostly
/// come in the order of the table, so the likely one is tried first.
fn place(table: &[Field], key: &str, likely: usize) -> Option<(usize, bool)> {
    let likely_field = table.get(likely);
    if likely_field.is_some_and(|field| same(field.name.as_bytes(), key.as_bytes())) {
        return Some((likely, false));
    }
    table.iter().enumerate().find_map(|(at, field)| {
        if field.name == key {
            Some((at, false))
        } else {
            (field.alias == Some(key)).then_some((at, true))
        }
    })
}

/// Whether two short texts are equal, without a call: two comparisons that
/// overlap, of four bytes each up to eight, of eight bytes each up to sixteen.
#[inline]
fn same(a: &[u8], b: &[u8]) -> bool {
    fn ends<const N: usize>(a: &[u8], b: &[u8]) -> bool {
        a.first_chunk::<N>() == b.first_chunk() && a.last_chunk::<N>() == b.last_chunk()
    }
    a.len() == b.len()
        && match a.len() {
            4..=8 => ends::<4>(a, b),
            9..=16 => ends::<8>(a, b),
            _ => a == b,
        }
}

fn flaw(reason: TraceReason, path: &str, field: &str) -> Flaw {
    let field = match (path.is_empty(), field.is_empty()) {
        (true, _) => field.to_owned(),
        (false, true) => path.to_owned(),
        (false, false) => format!("{path}.{field}"),
    };
    Flaw { reason, field }
}

impl Shape {
    fn fits(self, node: Node<'_>) -> bool {
        match self {
            Self::Any => true,
            Self::Bool => node.is_bool(),
            Self::Integer => node.is_integer(),
            Self::IntegerOrNull => node.is_null() || node.is_integer(),
            Self::Number => node.is_number(),
            Self::Str => node.is_str(),
            Self::NonEmptyStr => node.as_str().is_some_and(|text| !text.is_empty()),
            Self::StrOrNull => node.is_null() || node.is_str(),
            Self::Strings => elements(node, Node::is_str),
            Self::Pairs => elements(node, |pair| {
                elements(pair, Node::is_str)
                    && pair.as_array().is_some_and(|ends| ends.count() == 2)
            }),
            Self::Object => node.is_object(),
            Self::ObjectOrNull => node.is_null() || node.is_object(),
            Self::Objects => elements(node, Node::is_object),
            Self::Hash => node.as_str().is_some_and(is_hash),
            Self::Span => span(node).is_some(),
            Self::Path => node.as_str().is_some_and(is_safe_path),
            Self::OneOf(words) => node.as_str().is_some_and(|text| words.contains(&text)),
        }
    }
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
    fn texts_of_every_length_are_the_same_only_if_all_their_bytes_are() {
        for length in 0..40 {
            let text: Vec<u8> = (0..length).collect();
            assert!(same(&text, &text.clone()));
            for at in 0..text.len() {
                let mut other = text.clone();
                other[at] ^= 1;
                assert!(!same(&text, &other), "{length} {at}");
            }
            assert!(!same(&text, &[text.as_slice(), &[0]].concat()));
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
