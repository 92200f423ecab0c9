//! Strict JSON, kept as its text.
//!
//! Strings and numbers stay where they are in the text; the tape only says
//! where each value lies, and whether it is written as the canonical form
//! writes it. Producers mostly write canonical lines, and what is canonical
//! already is hashed as it stands instead of being written again.

mod parse;

use crosscheck_core::json::ParseError;

/// A text and where its values lie. Kept from line to line, so that reading
/// a line allocates nothing.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tape {
    /// The text itself: with it inside, a node is small.
    pub(crate) text: String,
    /// Apart from the text, so that one can be read while the other is filled.
    pub(crate) marks: Marks,
}

/// Where the values of a text lie.
#[derive(Debug, Clone, Default)]
pub(crate) struct Marks {
    slots: Vec<Slot>,
    /// Strings with escapes, decoded, one after the other.
    decoded: String,
    /// Where each of them lies in `decoded`.
    pieces: Vec<(u32, u32)>,
    open: Vec<parse::Open>,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    /// The value in the text: strings without quotes, containers with brackets.
    start: u32,
    end: u32,
    /// Of a container the slot behind it, of an escaped string its piece.
    extra: u32,
    kind: Kind,
    canonical: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Null,
    True,
    False,
    Integer,
    Double,
    Text,
    Escaped,
    Array,
    Object,
}

/// A text that was read and is kept.
#[derive(Debug, Clone)]
pub struct Document(Tape);

/// One value of a text.
#[derive(Debug, Clone, Copy)]
pub struct Node<'j> {
    tape: &'j Tape,
    at: u32,
}

/// What a node is.
#[derive(Debug, Clone, Copy)]
pub enum Value<'j> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// a number, as its digits
    Number(Digits<'j>),
    /// a string
    String(&'j str),
    /// an array
    Array(Elements<'j>),
    /// an object
    Object(Members<'j>),
}

/// The digits of a number as they stand in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digits<'j> {
    text: &'j str,
    integer: bool,
}

/// The elements of an array.
#[derive(Debug, Clone, Copy)]
pub struct Elements<'j> {
    next: Node<'j>,
    end: u32,
}

/// The members of an object in the order of the text.
#[derive(Debug, Clone, Copy)]
pub struct Members<'j> {
    next: Node<'j>,
    end: u32,
}

/// A value that lies inside a text of which the rest is read elsewhere.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inner {
    at: u32,
    /// Where the text goes on behind it.
    pub(crate) end: usize,
    /// A number with a point or an exponent.
    pub(crate) is_double: bool,
}

impl Tape {
    /// Reads the text under the strict rules: no repeated keys, no halves of
    /// surrogate pairs, no infinite numbers, at most 128 levels deep.
    pub(crate) fn read(&mut self) -> Result<Node<'_>, ParseError> {
        if parse::parse(&self.text, &mut self.marks) {
            Ok(Node { tape: self, at: 0 })
        } else {
            Err(parse::why(&self.text))
        }
    }

    /// What [`Marks::read_inner`] found in the text.
    pub(crate) const fn inner(&self, inner: Inner) -> Node<'_> {
        Node {
            tape: self,
            at: inner.at,
        }
    }

    fn slot(&self, at: u32) -> Slot {
        self.marks.slot(at)
    }

    /// The slot behind a value.
    fn after(&self, at: u32) -> u32 {
        self.marks.after(at)
    }

    /// The content of a string.
    fn string(&self, slot: Slot) -> &str {
        self.marks.string(slot, &self.text)
    }
}

impl Marks {
    /// Forgets the text before.
    pub(crate) fn clear(&mut self) {
        self.slots.clear();
        self.decoded.clear();
        self.pieces.clear();
        self.open.clear();
    }

    /// Reads the one value that begins here, under the same rules as a whole
    /// text. Nothing if it is none, or not written as the canonical form
    /// writes it, or nests very deep.
    pub(crate) fn read_inner(&mut self, text: &str, at: usize) -> Option<Inner> {
        let number = self.slots.len();
        let end = parse::parse_inner(text, at, self)?;
        let slot = self.slots.get(number).filter(|slot| slot.canonical)?;
        Some(Inner {
            at: u32::try_from(number).ok()?,
            end,
            is_double: slot.kind == Kind::Double,
        })
    }

    fn slot(&self, at: u32) -> Slot {
        const NOTHING: Slot = Slot {
            start: 0,
            end: 0,
            extra: 0,
            kind: Kind::Null,
            canonical: false,
        };
        self.slots.get(at as usize).copied().unwrap_or(NOTHING)
    }

    fn after(&self, at: u32) -> u32 {
        let slot = self.slot(at);
        match slot.kind {
            Kind::Array | Kind::Object => slot.extra,
            _ => at + 1,
        }
    }

    /// The content of a string of this text.
    fn string<'j>(&'j self, slot: Slot, source: &'j str) -> &'j str {
        let (text, start, end) = if slot.kind == Kind::Escaped {
            let (start, end) = self
                .pieces
                .get(slot.extra as usize)
                .copied()
                .unwrap_or_default();
            (self.decoded.as_str(), start, end)
        } else {
            (source, slot.start, slot.end)
        };
        text.get(start as usize..end as usize).unwrap_or_default()
    }
}

impl Document {
    /// Reads a text and keeps it.
    pub fn parse(source: &str) -> Result<Self, ParseError> {
        let mut tape = Tape {
            text: source.to_owned(),
            marks: Marks::default(),
        };
        tape.read()?;
        Ok(Self(tape))
    }

    /// The outermost value.
    pub const fn root(&self) -> Node<'_> {
        Node {
            tape: &self.0,
            at: 0,
        }
    }
}

impl<'j> Node<'j> {
    fn slot(self) -> Slot {
        self.tape.slot(self.at)
    }

    /// What this is.
    pub fn value(self) -> Value<'j> {
        let slot = self.slot();
        let next = Node {
            at: self.at + 1,
            ..self
        };
        let end = slot.extra;
        match slot.kind {
            Kind::Null => Value::Null,
            Kind::True => Value::Bool(true),
            Kind::False => Value::Bool(false),
            Kind::Integer | Kind::Double => Value::Number(Digits {
                text: self.source(),
                integer: slot.kind == Kind::Integer,
            }),
            Kind::Text | Kind::Escaped => Value::String(self.tape.string(slot)),
            Kind::Array => Value::Array(Elements { next, end }),
            Kind::Object => Value::Object(Members { next, end }),
        }
    }

    /// The text, if this is a string.
    pub fn as_str(self) -> Option<&'j str> {
        let slot = self.slot();
        matches!(slot.kind, Kind::Text | Kind::Escaped).then(|| self.tape.string(slot))
    }

    /// The double, if this is a number.
    pub fn as_f64(self) -> Option<f64> {
        match self.value() {
            Value::Number(digits) => Some(digits.to_f64()),
            _ => None,
        }
    }

    /// The truth value, if this is one.
    pub fn as_bool(self) -> Option<bool> {
        match self.slot().kind {
            Kind::True => Some(true),
            Kind::False => Some(false),
            _ => None,
        }
    }

    /// The members, if this is an object.
    pub fn as_object(self) -> Option<Members<'j>> {
        let (next, end) = self.inside(Kind::Object)?;
        Some(Members { next, end })
    }

    /// The elements, if this is an array.
    pub fn as_array(self) -> Option<Elements<'j>> {
        let (next, end) = self.inside(Kind::Array)?;
        Some(Elements { next, end })
    }

    /// First and last of what is inside a container of this kind.
    fn inside(self, kind: Kind) -> Option<(Self, u32)> {
        let slot = self.slot();
        let at = self.at + 1;
        (slot.kind == kind).then_some((Node { at, ..self }, slot.extra))
    }

    pub(crate) fn is_str(self) -> bool {
        matches!(self.slot().kind, Kind::Text | Kind::Escaped)
    }

    pub(crate) fn is_bool(self) -> bool {
        matches!(self.slot().kind, Kind::True | Kind::False)
    }

    pub(crate) fn is_object(self) -> bool {
        self.slot().kind == Kind::Object
    }

    pub(crate) fn is_number(self) -> bool {
        matches!(self.slot().kind, Kind::Integer | Kind::Double)
    }

    /// Whether this is a number without fraction and exponent.
    pub(crate) fn is_integer(self) -> bool {
        self.slot().kind == Kind::Integer
    }

    /// Whether this is `null`.
    pub fn is_null(self) -> bool {
        self.slot().kind == Kind::Null
    }

    /// Whether this is a number with a point or an exponent.
    pub(crate) fn is_double(self) -> bool {
        self.slot().kind == Kind::Double
    }

    /// The member `key`, if this is an object that has it.
    pub fn get(self, key: &str) -> Option<Self> {
        self.as_object()?
            .find(|(name, _)| *name == key)
            .map(|(_, node)| node)
    }

    /// The value as it stands in the text, if that is its canonical form.
    pub(crate) fn canonical(self) -> Option<&'j str> {
        self.slot().canonical.then(|| self.source())
    }

    /// The value as it stands in the text.
    fn source(self) -> &'j str {
        let slot = self.slot();
        let (start, end) = (slot.start as usize, slot.end as usize);
        match slot.kind {
            Kind::Text | Kind::Escaped => self.tape.text.get(start.saturating_sub(1)..end + 1),
            _ => self.tape.text.get(start..end),
        }
        .unwrap_or_default()
    }
}

impl<'j> Digits<'j> {
    /// The digits as they stand in the text.
    pub const fn text(self) -> &'j str {
        self.text
    }

    /// The nearest double.
    pub fn to_f64(self) -> f64 {
        self.text.parse().unwrap_or(f64::NAN)
    }

    /// Whether the number is written without fraction and exponent.
    pub const fn is_integer(self) -> bool {
        self.integer
    }
}

#[expect(
    clippy::copy_iterator,
    reason = "a cursor: copying one starts the walk again from there"
)]
impl<'j> Iterator for Elements<'j> {
    type Item = Node<'j>;

    fn next(&mut self) -> Option<Node<'j>> {
        let node = self.next;
        (node.at < self.end).then(|| {
            self.next.at = node.tape.after(node.at);
            node
        })
    }
}

#[expect(
    clippy::copy_iterator,
    reason = "a cursor: copying one starts the walk again from there"
)]
impl<'j> Iterator for Members<'j> {
    type Item = (&'j str, Node<'j>);

    fn next(&mut self) -> Option<Self::Item> {
        let key = self.next;
        (key.at < self.end).then(|| {
            let node = Node {
                at: key.at + 1,
                ..key
            };
            self.next.at = key.tape.after(node.at);
            (key.tape.string(key.slot()), node)
        })
    }
}

impl<'j> Members<'j> {
    /// The members in code point order of their keys, which is byte order.
    pub(crate) fn sorted(self) -> Vec<(&'j str, Node<'j>)> {
        let mut members: Vec<_> = self.collect();
        members.sort_unstable_by_key(|(key, _)| *key);
        members
    }
}

#[cfg(test)]
mod tests;
