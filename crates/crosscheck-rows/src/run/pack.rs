//! Judged calls as bytes, for those that do not fit the memory.

use std::collections::HashMap;
use std::sync::Arc;

use crosscheck_core::canonical::{self, KeyOrder, Layout, Numbers, Style};
use crosscheck_core::json::Json;
use smallvec::SmallVec;
use smol_str::SmolStr;

use crate::compare::value::{Print, Value};
use crate::judge::seen::{Found, Look, Mark, RowSeen, SeenCall, SeenFact, SeenSubject};
use crate::judge::time::{RowId, TargetId};
use crate::observe::Cell;
use crate::plan::classify::Class;
use crate::plan::{Claim, ColumnId, From, KeyFrom, Looked, TableId, Tool, Why};
use crate::read::Place;
use crate::reasons::CallReason;

/// What many calls share is kept once, and known by its number.
#[derive(Debug, Default)]
pub(super) struct Shared {
    tools: Vec<Arc<Tool>>,
    /// Their numbers, by where they are.
    numbers: HashMap<usize, u32, foldhash::fast::RandomState>,
    words: Vec<&'static str>,
    reasons: Vec<CallReason>,
}

/// The number of a value in a short list, to which it may be new.
fn number<T: Copy + PartialEq>(list: &mut Vec<T>, value: T) -> u32 {
    let at = list.iter().position(|known| *known == value);
    let at = at.unwrap_or_else(|| {
        list.push(value);
        list.len() - 1
    });
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Where values are written.
pub(super) struct Packer<'s> {
    pub(super) bytes: &'s mut Vec<u8>,
    pub(super) shared: &'s mut Shared,
}

/// Where they are read.
pub(super) struct Unpacker<'s> {
    pub(super) bytes: &'s [u8],
    pub(super) shared: &'s Shared,
}

impl<'s> Unpacker<'s> {
    fn take(&mut self, len: usize) -> Option<&'s [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(len)?;
        self.bytes = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    fn text(&mut self) -> Option<&'s str> {
        let len = u32::unpack(self)? as usize;
        std::str::from_utf8(self.take(len)?).ok()
    }
}

/// A value that can be written as bytes and read again.
pub(super) trait Packed: Sized {
    fn pack(&self, to: &mut Packer<'_>);
    fn unpack(from: &mut Unpacker<'_>) -> Option<Self>;
}

macro_rules! packed_struct {
    ($name:ident: $($field:tt)+) => {
        impl Packed for $name {
            fn pack(&self, to: &mut Packer<'_>) {
                $(self.$field.pack(to);)+
            }

            fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
                Some(Self { $($field: Packed::unpack(from)?,)+ })
            }
        }
    };
}

macro_rules! packed_enum {
    ($name:ident: $($tag:literal $variant:ident $(($($field:ident)+))? $({$($named:ident)+})?,)+) => {
        impl Packed for $name {
            fn pack(&self, to: &mut Packer<'_>) {
                match self {
                    $(Self::$variant $(($($field),+))? $({$($named),+})? => {
                        to.bytes.push($tag);
                        $($($field.pack(to);)+)?
                        $($($named.pack(to);)+)?
                    })+
                }
            }

            fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
                Some(match from.byte()? {
                    $($tag => Self::$variant
                        $(($({ let $field = Packed::unpack(from)?; $field }),+))?
                        $({$($named: Packed::unpack(from)?),+})?,)+
                    _ => return None,
                })
            }
        }
    };
}

packed_struct!(SeenCall: index id tool class class_from is_answered may_be_refused step place said subjects reason raw uncompared);
packed_struct!(SeenSubject: table row key key_from looked is_sure has_image why seen facts conditions cells);
packed_struct!(SeenFact: target claim from field is_firm is_outcome repeats_argument asked before was_known look found word);
packed_struct!(Place: log record);
packed_struct!(TableId: 0);
packed_struct!(ColumnId: 0);
packed_struct!(RowId: 0);
packed_struct!(TargetId: 0);
packed_enum!(Class: 0 Read, 1 Write, 2 Delete, 3 Unknown, 4 Failed, 5 Ignored,);
packed_enum!(KeyFrom: 0 Argument, 1 Result, 2 Contract, 3 Statement,);
packed_enum!(From: 0 Argument, 1 Result, 2 Contract, 3 Tool, 4 History, 5 Statement, 6 Shown,);
packed_enum!(Looked: 0 Row, 1 Absence, 2 Values, 3 ValuesAbsent,);
packed_enum!(Look: 0 Agrees, 1 Differs, 2 Not, 3 Extra, 4 Failed,);
packed_enum!(Mark: 0 Deleted, 1 Perhaps, 2 Not,);
packed_enum!(Why: 0 Answer(fields is_named), 1 Arguments(fields is_named), 2 Elements(field), 3 Values, 4 Contract, 5 Statement,);
packed_enum!(RowSeen: 0 None, 1 One, 2 Many, 3 There(mark), 4 Values{rows is_whole}, 5 Failed(message),);
packed_enum!(Claim: 0 Value(value), 1 Values(values), 2 Rows(rows),);
packed_enum!(Found: 0 Nothing, 1 Same, 2 Cell(cell), 3 Count(count), 4 Several(several), 5 Failed(message),);
packed_enum!(Value: 0 Null, 1 Bool(truth), 2 Number(digits), 3 Text(text), 4 Json(json),);
packed_enum!(Cell: 0 Null, 1 Bool(truth), 2 Number(number), 3 Text(text), 4 Moment(text), 5 Day(text), 6 Document(text), 7 Unreadable,);

impl Packed for bool {
    fn pack(&self, to: &mut Packer<'_>) {
        to.bytes.push(u8::from(*self));
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        Some(from.byte()? == 1)
    }
}

/// Small numbers take one byte.
impl Packed for u32 {
    fn pack(&self, to: &mut Packer<'_>) {
        let mut rest = *self;
        loop {
            let [low, ..] = rest.to_le_bytes();
            rest >>= 7;
            if rest == 0 {
                to.bytes.push(low);
                return;
            }
            to.bytes.push(low | 0x80);
        }
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        let mut number = 0;
        for shift in (0..35).step_by(7) {
            let byte = from.byte()?;
            number |= Self::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }
}

impl Packed for f64 {
    fn pack(&self, to: &mut Packer<'_>) {
        to.bytes.extend_from_slice(&self.to_le_bytes());
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        Some(Self::from_le_bytes(from.take(8)?.try_into().ok()?))
    }
}

impl Packed for Print {
    fn pack(&self, to: &mut Packer<'_>) {
        to.bytes.extend_from_slice(&self.bits().to_le_bytes());
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        Self::of_bits(u64::from_le_bytes(from.take(8)?.try_into().ok()?))
    }
}

macro_rules! packed_text {
    ($name:ty) => {
        impl Packed for $name {
            fn pack(&self, to: &mut Packer<'_>) {
                u32::try_from(self.len()).unwrap_or(u32::MAX).pack(to);
                to.bytes.extend_from_slice(self.as_bytes());
            }

            fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
                from.text().map(Into::into)
            }
        }
    };
}

packed_text!(String);
packed_text!(SmolStr);
packed_text!(Box<str>);

/// As its text; numbers mean the same, and members keep their order.
impl Packed for Json {
    fn pack(&self, to: &mut Packer<'_>) {
        let style = Style {
            keys: KeyOrder::Source,
            numbers: Numbers::Exact,
            layout: Layout::COMPACT,
        };
        canonical::text(self.root(), &style).pack(to);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        Self::parse(from.text()?).ok()
    }
}

impl Packed for &'static str {
    fn pack(&self, to: &mut Packer<'_>) {
        number(&mut to.shared.words, *self).pack(to);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        let at = u32::unpack(from)? as usize;
        from.shared.words.get(at).copied()
    }
}

impl Packed for CallReason {
    fn pack(&self, to: &mut Packer<'_>) {
        number(&mut to.shared.reasons, *self).pack(to);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        let at = u32::unpack(from)? as usize;
        from.shared.reasons.get(at).copied()
    }
}

impl Packed for Arc<Tool> {
    fn pack(&self, to: &mut Packer<'_>) {
        let Shared { tools, numbers, .. } = &mut *to.shared;
        let number = numbers.entry(Arc::as_ptr(self).addr()).or_insert_with(|| {
            tools.push(Self::clone(self));
            u32::try_from(tools.len() - 1).unwrap_or(u32::MAX)
        });
        let number = *number;
        number.pack(to);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        let at = u32::unpack(from)? as usize;
        from.shared.tools.get(at).cloned()
    }
}

impl Packed for Arc<Json> {
    fn pack(&self, to: &mut Packer<'_>) {
        (**self).pack(to);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        Json::unpack(from).map(Self::new)
    }
}

impl<T: Packed> Packed for Option<T> {
    fn pack(&self, to: &mut Packer<'_>) {
        self.is_some().pack(to);
        if let Some(value) = self {
            value.pack(to);
        }
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        Some(if bool::unpack(from)? {
            Some(T::unpack(from)?)
        } else {
            None
        })
    }
}

impl<T: Packed> Packed for Box<T> {
    fn pack(&self, to: &mut Packer<'_>) {
        (**self).pack(to);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        T::unpack(from).map(Self::new)
    }
}

impl<A: Packed, B: Packed> Packed for (A, B) {
    fn pack(&self, to: &mut Packer<'_>) {
        self.0.pack(to);
        self.1.pack(to);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        Some((A::unpack(from)?, B::unpack(from)?))
    }
}

fn pack_list<T: Packed>(list: &[T], to: &mut Packer<'_>) {
    u32::try_from(list.len()).unwrap_or(u32::MAX).pack(to);
    for item in list {
        item.pack(to);
    }
}

impl<T: Packed> Packed for Box<[T]> {
    fn pack(&self, to: &mut Packer<'_>) {
        pack_list(self, to);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        let len = u32::unpack(from)? as usize;
        // each takes a byte at least
        let mut list = Vec::with_capacity(len.min(from.bytes.len()));
        for _ in 0..len {
            list.push(T::unpack(from)?);
        }
        Some(list.into())
    }
}

impl<T: Packed> Packed for SmallVec<[T; 1]> {
    fn pack(&self, to: &mut Packer<'_>) {
        pack_list(self, to);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        (0..u32::unpack(from)?).map(|_| T::unpack(from)).collect()
    }
}
