//! The front matter as a tree that keeps every scalar as written. Tags and
//! anchors are refused: settings need none.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser, ScalarStyle};

/// The deepest nesting.
const DEPTH_MAX: usize = 64;

/// One value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Yaml {
    /// A scalar without quotes, as written.
    Plain(String),
    /// A quoted scalar, which is always text.
    Text(String),
    Map(BTreeMap<String, Yaml>),
    List,
}

/// An open collection and the key that waits for its value; `None` is a list.
type Open = (Option<BTreeMap<String, Yaml>>, Option<String>);

/// Parses one document. An empty document is an empty plain scalar.
pub(super) fn parse(text: &str) -> Result<Yaml, String> {
    let mut root = None;
    let mut open: Vec<Open> = Vec::new();
    for event in Parser::new_from_str(text) {
        let (event, _) = event.map_err(|error| error.to_string())?;
        let value = match event {
            Event::Scalar(text, ScalarStyle::Plain, 0, None) => Yaml::Plain(text.into_owned()),
            Event::Scalar(text, _, 0, None) => Yaml::Text(text.into_owned()),
            Event::MappingStart(0, None) | Event::SequenceStart(0, None)
                if open.len() == DEPTH_MAX =>
            {
                return Err(format!("values are nested more than {DEPTH_MAX} deep"));
            }
            Event::MappingStart(0, None) => {
                open.push((Some(BTreeMap::new()), None));
                continue;
            }
            Event::SequenceStart(0, None) => {
                open.push((None, None));
                continue;
            }
            Event::MappingEnd | Event::SequenceEnd => {
                let (map, _) = open.pop().unwrap_or_default();
                map.map_or(Yaml::List, Yaml::Map)
            }
            Event::DocumentStart(_) if root.is_some() => {
                return Err("there is more than one document".to_owned());
            }
            Event::Scalar(..)
            | Event::Alias(_)
            | Event::MappingStart(..)
            | Event::SequenceStart(..) => return Err("tags and anchors are not read".to_owned()),
            _ => continue,
        };
        match open.last_mut() {
            None => root = Some(value),
            Some((None, _)) => {}
            Some((Some(map), key)) => put(map, key, value)?,
        }
    }
    Ok(root.unwrap_or(Yaml::Plain(String::new())))
}

/// Puts a key or the value of a key into a map.
fn put(
    map: &mut BTreeMap<String, Yaml>,
    key: &mut Option<String>,
    value: Yaml,
) -> Result<(), String> {
    match (key.take(), value) {
        (None, Yaml::Plain(name) | Yaml::Text(name)) if map.contains_key(&name) => {
            return Err(format!("the key `{name}` occurs twice"));
        }
        (None, Yaml::Plain(name) | Yaml::Text(name)) => *key = Some(name),
        (None, _) => return Err("a key is not a scalar".to_owned()),
        (Some(name), value) => {
            map.insert(name, value);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(text: &str) -> BTreeMap<String, Yaml> {
        match parse(text).unwrap() {
            Yaml::Map(map) => map,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn scalars_stay_as_they_are_written() {
        let found = map("a: 0.10\nb: '0.10'\nc: [1, {x: 2}]\nd: |\n  x\ne: # none\n");
        let plain = |text: &str| Yaml::Plain(text.to_owned());
        let text = |text: &str| Yaml::Text(text.to_owned());
        let expected = [
            ("a", plain("0.10")),
            ("b", text("0.10")),
            ("c", Yaml::List),
            ("d", text("x\n")),
            ("e", plain("")),
        ];
        for (key, value) in expected {
            assert_eq!(found[key], value, "{key}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_an_error() {
        let deep = "{a: ".repeat(1000);
        for text in [
            "a: [",
            "a: 1\na: 2",
            "? [1]\n: 2",
            "a: *b",
            "a: &a 1",
            "a: !!str 1",
            &deep,
            "a: 1\n...\n---\nb: 2",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert_eq!(parse("").unwrap(), Yaml::Plain(String::new()));
    }
}
