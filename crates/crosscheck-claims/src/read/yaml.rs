//! The front matter as a tree that keeps every scalar as written;
//! [`super::scalar`] decides what a plain scalar means, by YAML 1.2 core.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use saphyr_parser::{Event, Parser, ScalarStyle};

/// The deepest nesting.
const DEPTH_MAX: usize = 64;

/// One value. Maps are shared, so that an alias costs nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Yaml {
    /// A scalar without quotes, as written.
    Plain(String),
    /// A quoted scalar, which is always text.
    Text(String),
    Map(Rc<BTreeMap<String, Yaml>>),
    List,
}

/// An open collection, and its anchor.
struct Open {
    anchor: usize,
    /// `None` for a list.
    map: Option<BTreeMap<String, Yaml>>,
    key: Option<String>,
}

/// Parses one document. An empty document is an empty plain scalar.
pub(super) fn parse(text: &str) -> Result<Yaml, String> {
    let mut tree = Tree::default();
    for event in Parser::new_from_str(text) {
        let (event, _) = event.map_err(|error| error.to_string())?;
        tree.take(event)?;
    }
    Ok(tree.root.unwrap_or(Yaml::Plain(String::new())))
}

#[derive(Default)]
struct Tree {
    open: Vec<Open>,
    anchored: HashMap<usize, Yaml>,
    root: Option<Yaml>,
}

impl Tree {
    fn take(&mut self, event: Event<'_>) -> Result<(), String> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let is_text =
                    tag.is_some_and(|tag| tag.is_yaml_core_schema() && tag.suffix == "str");
                let value = if style == ScalarStyle::Plain && !is_text {
                    Yaml::Plain(text.into_owned())
                } else {
                    Yaml::Text(text.into_owned())
                };
                self.put(anchor, value)
            }
            Event::Alias(anchor) => match self.anchored.get(&anchor) {
                Some(value) => self.put(0, value.clone()),
                None => Err("an alias names a value that is still open".to_owned()),
            },
            Event::MappingStart(anchor, _) => self.open(anchor, Some(BTreeMap::new())),
            Event::SequenceStart(anchor, _) => self.open(anchor, None),
            Event::MappingEnd | Event::SequenceEnd => match self.open.pop() {
                Some(Open { anchor, map, .. }) => self.put(
                    anchor,
                    map.map_or(Yaml::List, |map| Yaml::Map(Rc::new(map))),
                ),
                None => Ok(()),
            },
            Event::DocumentStart(_) if self.root.is_some() => {
                Err("there is more than one document".to_owned())
            }
            _ => Ok(()),
        }
    }

    fn open(&mut self, anchor: usize, map: Option<BTreeMap<String, Yaml>>) -> Result<(), String> {
        if self.open.len() == DEPTH_MAX {
            return Err(format!("values are nested more than {DEPTH_MAX} deep"));
        }
        let key = None;
        self.open.push(Open { anchor, map, key });
        Ok(())
    }

    /// Puts a complete value in its place.
    fn put(&mut self, anchor: usize, value: Yaml) -> Result<(), String> {
        if anchor != 0 {
            self.anchored.insert(anchor, value.clone());
        }
        let Some(parent) = self.open.last_mut() else {
            self.root = Some(value);
            return Ok(());
        };
        let Some(map) = &mut parent.map else {
            return Ok(());
        };
        match (parent.key.take(), value) {
            (None, Yaml::Plain(key) | Yaml::Text(key)) if map.contains_key(&key) => {
                Err(format!("the key `{key}` occurs twice"))
            }
            (None, Yaml::Plain(key) | Yaml::Text(key)) => {
                parent.key = Some(key);
                Ok(())
            }
            (None, _) => Err("a key is not a scalar".to_owned()),
            (Some(key), value) => {
                map.insert(key, value);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    fn map(text: &str) -> BTreeMap<String, Yaml> {
        match parse(text).unwrap() {
            Yaml::Map(map) => (*map).clone(),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn scalars_stay_as_they_are_written() {
        let found = map("a: 0.10\nb: '0.10'\nc: !!str 5\nd: |\n  x\ne: # none\n");
        let plain = |text: &str| Yaml::Plain(text.to_owned());
        let text = |text: &str| Yaml::Text(text.to_owned());
        let expected = [
            ("a", plain("0.10")),
            ("b", text("0.10")),
            ("c", text("5")),
            ("d", text("x\n")),
            ("e", plain("")),
        ];
        for (key, value) in expected {
            assert_eq!(found[key], value, "{key}");
        }
    }

    #[test]
    fn aliases_are_followed_without_copies() {
        let found = map("a: &a {x: 1}\nb: *a\nc: [*a, *a]\n");
        assert_eq!(found["a"], found["b"]);
        assert_eq!(found["c"], Yaml::List);
        let mut bomb = "a0: &a0 {x: 1}\n".to_owned();
        for level in 1..40 {
            let below = level - 1;
            let members: Vec<String> = (0..9).map(|one| format!("m{one}: *a{below}")).collect();
            writeln!(bomb, "a{level}: &a{level} {{{}}}", members.join(", ")).unwrap();
        }
        assert_eq!(map(&bomb).len(), 40);
    }

    #[test]
    fn what_cannot_be_read_is_an_error() {
        let deep = "{a: ".repeat(1000);
        for text in [
            "a: [",
            "a: 1\na: 2",
            "? [1]\n: 2",
            "a: *b",
            &deep,
            "a: 1\n...\n---\nb: 2",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert_eq!(parse("").unwrap(), Yaml::Plain(String::new()));
    }
}
