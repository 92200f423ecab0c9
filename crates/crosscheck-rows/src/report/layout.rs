//! JSON for people and programs: one line for each member, but what lies as
//! deep as a fact is on one line.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

/// Objects and lists below this depth of an outcome are on one line.
const DEPTH: usize = 4;

/// The JSON text of a part that begins behind so many indents.
pub(super) fn text(part: &impl Serialize, outer: usize) -> io::Result<String> {
    let mut text = Vec::new();
    part.serialize(&mut Serializer::with_formatter(
        &mut text,
        Layout::new(outer),
    ))?;
    String::from_utf8(text).map_err(io::Error::other)
}

struct Layout {
    outer: usize,
    depth: usize,
    is_empty: bool,
}

impl Layout {
    const fn new(outer: usize) -> Self {
        Self {
            outer,
            depth: 0,
            is_empty: true,
        }
    }

    fn begin<W: Write + ?Sized>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.is_empty = true;
        writer.write_all(bracket)
    }

    fn item<W: Write + ?Sized>(&mut self, writer: &mut W, is_first: bool) -> io::Result<()> {
        if !is_first {
            writer.write_all(b",")?;
        }
        if self.depth <= DEPTH {
            self.line(writer)
        } else if is_first {
            Ok(())
        } else {
            writer.write_all(b" ")
        }
    }

    fn end<W: Write + ?Sized>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth -= 1;
        if !self.is_empty && self.depth < DEPTH {
            self.line(writer)?;
        }
        self.is_empty = false;
        writer.write_all(bracket)
    }

    fn line<W: Write + ?Sized>(&self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b"\n")?;
        for _ in 0..self.outer + self.depth {
            writer.write_all(b"  ")?;
        }
        Ok(())
    }
}

impl Formatter for Layout {
    fn begin_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b"[")
    }

    fn end_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer, b"]")
    }

    fn begin_array_value<W: Write + ?Sized>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.item(writer, first)
    }

    fn end_array_value<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.is_empty = false;
        Ok(())
    }

    fn begin_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b"{")
    }

    fn end_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer, b"}")
    }

    fn begin_object_key<W: Write + ?Sized>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.item(writer, first)
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn end_object_value<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.is_empty = false;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn what_lies_deep_is_on_one_line() {
        let part = json!({"a": [], "b": {}, "c": [{"d": [{"e": 1, "f": [2, {}]}], "g": {"h": 3}}]});
        let shown = text(&part, 1).unwrap();
        let expected = r#"{
    "a": [],
    "b": {},
    "c": [
      {
        "d": [
          {"e": 1, "f": [2, {}]}
        ],
        "g": {
          "h": 3
        }
      }
    ]
  }"#;
        assert_eq!(shown, expected);
        assert_eq!(serde_json::from_str::<Value>(&shown).unwrap(), part);
    }
}
