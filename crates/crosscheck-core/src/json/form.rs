//! Fast path for texts that share keys and punctuation with an earlier one.
//!
//! Usually one program writes all lines of a log, so their keys and punctuation
//! are the same. These are compared instead of parsed, and only the values are
//! read. A text of another form goes to the parser, which alone decides what is
//! wrong with it.

use std::ops::Range;

use super::{End, Json, Slot, index32};

/// Longer texts seldom share a form.
const TEXT_MAX: usize = 16 * 1024;

/// Identifies the form of a text. In two texts with the same form and reader, a
/// value has the same [`Place`](super::Place).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormId(pub(super) u64);

/// The text between the values: keys and punctuation.
#[derive(Debug, Clone)]
pub(super) struct Form {
    pub(super) id: FormId,
    pub(super) end: End,
    /// Everything but the values, concatenated.
    fixed: Vec<u8>,
    /// The text before each value.
    pieces: Vec<Piece>,
    tail: Piece,
    /// All of the text.
    pub(super) slots: Vec<Slot>,
}

/// The text between two values.
#[derive(Debug, Clone, Default)]
pub(super) struct Piece {
    /// Where it began in the text.
    pub(super) began: u32,
    /// Where it ends in the fixed text.
    end: usize,
    /// Where its slots end: keys and containers. The slot of its value comes
    /// next.
    pub(super) slots: usize,
}

impl Form {
    /// The form of a text that was parsed up to `stop`. `None` for a text with
    /// escapes, whose slots no longer match it.
    pub(super) fn of(json: &Json, source: &[u8], stop: usize, end: End) -> Option<Self> {
        let source = source.get(..stop)?;
        if source.len() > TEXT_MAX || source.contains(&b'\\') {
            return None;
        }
        let mut form = Self {
            id: FormId(0),
            end,
            fixed: Vec::new(),
            pieces: Vec::new(),
            tail: Piece::default(),
            slots: json.slots.clone(),
        };
        // where the piece begins, and how far the text was scanned
        let (mut from, mut at) = (0, 0);
        for (slots, slot) in json.slots.iter().enumerate() {
            let start = match *slot {
                Slot::Array { start, .. } | Slot::Object { start, .. } => {
                    at = start as usize + 1;
                    continue;
                }
                Slot::String { start, len } => {
                    at = start as usize + len as usize + 1;
                    if is_key(source, at) {
                        continue;
                    }
                    start as usize - 1
                }
                Slot::Number { start, len } => {
                    at = start as usize + len as usize;
                    start as usize
                }
                Slot::Null | Slot::Bool(_) => {
                    let start = at + word(source.get(at..)?)?;
                    at = start + "true".len() + usize::from(matches!(slot, Slot::Bool(false)));
                    start
                }
            };
            let piece = form.piece(source, from..start, slots)?;
            form.pieces.push(piece);
            from = at;
        }
        form.tail = form.piece(source, from..stop, json.slots.len())?;
        Some(form)
    }

    fn piece(&mut self, source: &[u8], place: Range<usize>, slots: usize) -> Option<Piece> {
        let began = index32(place.start);
        self.fixed.extend_from_slice(source.get(place)?);
        Some(Piece {
            began,
            end: self.fixed.len(),
            slots,
        })
    }

    /// The text before each value.
    #[inline]
    pub(super) fn pieces(&self) -> impl Iterator<Item = (&[u8], &Piece)> {
        let mut from = 0;
        self.pieces.iter().map(move |piece| {
            let text = self.fixed.get(from..piece.end).unwrap_or_default();
            from = piece.end;
            (text, piece)
        })
    }

    /// The text after the last value.
    #[inline]
    pub(super) fn tail(&self) -> (&[u8], &Piece) {
        let from = self.pieces.last().map_or(0, |piece| piece.end);
        (self.fixed.get(from..).unwrap_or_default(), &self.tail)
    }
}

/// Whether a colon follows, as it does only after keys.
fn is_key(source: &[u8], at: usize) -> bool {
    let rest = source.get(at..).unwrap_or_default();
    let next = rest.iter().find(|byte| !byte.is_ascii_whitespace());
    next == Some(&b':')
}

/// Where `true`, `false` or `null` begins: only punctuation comes before it.
fn word(rest: &[u8]) -> Option<usize> {
    rest.iter().position(u8::is_ascii_lowercase)
}

/// Slots of a piece that begins at another position.
#[inline]
pub(super) fn shift(slots: &mut [Slot], by: u32) {
    for slot in slots {
        if let Slot::Number { start, .. }
        | Slot::String { start, .. }
        | Slot::Array { start, .. }
        | Slot::Object { start, .. } = slot
        {
            *start = start.wrapping_add(by);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Json, ParseError, Reader, Rules};
    use crate::canonical;

    /// All that is known of a parsed text.
    fn shown(json: Result<&Json, ParseError>) -> Result<String, ParseError> {
        json.map(|json| {
            let text = canonical::of_node(json.root());
            format!("{:?} {text}", json.slots)
        })
    }

    fn outline() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "$",
            " $\n",
            r#"{"a":$}"#,
            r#"{"a": $ , "b":[$,{},$,[]]} "#,
            r#"[$,$,{"true":$,"":{"null":[$]}}]"#,
            r#"{"a":$,"a":$}"#,
            r#"[[],{"x":[]},$]"#,
        ])
    }

    fn plain() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "0",
            "-1.5e3",
            "12345678901234567890",
            "true",
            "false",
            "null",
            r#""""#,
            r#""plain""#,
            r#""key:,""#,
            r#""null""#,
            "\"ä {}\"",
        ])
    }

    fn anything() -> impl Strategy<Value = &'static str> {
        let other = vec![
            r#""a \"quoted\" \ud800 word""#,
            r#""\n""#,
            // not values at all
            "",
            "01",
            "tru",
            "\"",
            "[]",
            "{}",
            "1 2",
            "1e999",
        ];
        prop_oneof![plain(), prop::sample::select(other)]
    }

    fn fill(outline: &str, values: &[&str]) -> String {
        let mut values = values.iter().cycle();
        let parts = outline.split_inclusive('$');
        parts
            .map(|part| match part.strip_suffix('$') {
                Some(before) => format!("{before}{}", values.next().unwrap()),
                None => part.to_owned(),
            })
            .collect()
    }

    /// Reads a text with a reader that knows forms and with the parser alone;
    /// returns whether a known form was used.
    fn agrees(reader: &mut Reader, rules: &Rules, text: &str) -> bool {
        let alone = Json::parse_with(text, rules);
        let alone = shown(alone.as_ref().map_err(Clone::clone));
        assert_eq!(shown(reader.read(text.as_bytes())), alone, "{text}");
        reader.misses == 0
    }

    proptest! {
        #[test]
        fn a_text_of_a_known_form_is_followed_and_reads_as_by_the_parser(
            outline in outline(),
            first in prop::collection::vec(plain(), 5),
            second in prop::collection::vec(plain(), 5),
            third in prop::collection::vec(anything(), 5),
            is_strict in any::<bool>(),
        ) {
            let rules = if is_strict { Rules::STRICT } else { Rules::ECMASCRIPT };
            let mut reader = Reader::new(rules);
            let is_json = Json::parse_with(&fill(outline, &first), &rules).is_ok();
            prop_assert!(!agrees(&mut reader, &rules, &fill(outline, &first)));
            prop_assert_eq!(agrees(&mut reader, &rules, &fill(outline, &second)), is_json);
            agrees(&mut reader, &rules, &fill(outline, &third));
        }

        #[test]
        fn texts_of_many_forms_read_as_by_the_parser(
            texts in prop::collection::vec((outline(), prop::collection::vec(anything(), 4)), 1..40)
        ) {
            let mut reader = Reader::default();
            for (outline, values) in texts {
                let text = fill(outline, &values);
                agrees(&mut reader, &Rules::ECMASCRIPT, &text);
                // the first value of a longer text
                let longer = format!("{text},1");
                let read = |reader: &mut Reader| {
                    let read = reader.read_first(longer.as_bytes());
                    read.map(|(json, length)| (canonical::of_node(json.root()), length))
                };
                prop_assert_eq!(read(&mut reader), read(&mut Reader::default()), "{}", longer);
            }
        }
    }

    #[test]
    fn the_second_text_of_a_form_is_followed() {
        let mut reader = Reader::default();
        for (text, misses) in [
            (r#"{"a":1,"b":["x",null]}"#, 1),
            (r#"{"a":"\n","b":[true,-2.5]}"#, 0),
            (r#"{"a":1,"c":["x",null]}"#, 1),
            (r#"{"a":2,"b":["y",null]}"#, 0),
            (r#"{"a":2,"b":["y",null]"#, 1),
            (r#"{"a":2,"c":["y",null]}"#, 0),
        ] {
            let _ = reader.read(text.as_bytes());
            assert_eq!(reader.misses, misses, "{text}");
        }
    }

    /// What forms save:
    /// `cargo test --release -p crosscheck-core forms_save -- --ignored --nocapture`.
    #[test]
    #[ignore = "a measurement"]
    fn what_forms_save() {
        let line = |nth: usize| {
            format!(
                r#"{{"schemaVersion":1,"workflowId":"w","seq":{nth},"type":"tool_observed","toolId":"crm.upsert_contact","params":{{"recordId":"r_{nth}","fields":{{"name":"Name {nth}","status":"active","score":{}}}}}}}"#,
                nth % 100
            )
        };
        let lines: Vec<String> = (0..100_000).map(line).collect();
        let time = |read: &mut dyn FnMut(&str)| {
            let best = (0..5).map(|_| {
                let start = std::time::Instant::now();
                for line in &lines {
                    read(line);
                }
                start.elapsed()
            });
            best.min().unwrap().as_nanos() / lines.len() as u128
        };
        let (mut forms, mut alone) = (Reader::default(), Reader::default());
        let with = time(&mut |line| assert!(forms.read(line.as_bytes()).is_ok()));
        let without = time(&mut |line| {
            alone.misses = 17; // forms are not tried
            assert!(alone.read(line.as_bytes()).is_ok());
        });
        println!("{with} ns for each line with forms, {without} ns without");
    }
}
