//! A parameter bag as a map from path to scalar.

use std::collections::HashMap;

use crosscheck_core::json::{Node, Scalar, Value};
use crosscheck_core::{JsStr, JsString, canonical};

use crate::error::RowsError;

const MAX_DEPTH: usize = 6;
const MAX_NODES: usize = 500;
/// At most this many ignored arrays of a bag are named.
const MAX_ARRAYS: usize = 8;

/// Paths repeat the keys above them; beyond this many bytes of them in one run
/// the log is hostile and the run ends.
const MAX_PATH_BYTES: usize = 64 << 20;

/// Scalars by path, in the order the paths were first seen.
#[derive(Debug, Clone, Default)]
pub struct Flat {
    entries: Vec<(JsString, Scalar)>,
    /// The first arrays with elements that are ignored, by path.
    arrays: Vec<JsString>,
    is_cut: bool,
}

impl Flat {
    /// The entries in order.
    pub fn iter(&self) -> impl Iterator<Item = (JsStr<'_>, &Scalar)> {
        self.entries
            .iter()
            .map(|(path, value)| (path.as_js(), value))
    }

    /// The map as canonical JSON.
    pub fn canonical(&self) -> String {
        let mut entries: Vec<&(JsString, Scalar)> = self.entries.iter().collect();
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        let mut text = String::from("{");
        for (index, (path, value)) in entries.into_iter().enumerate() {
            if index > 0 {
                text.push(',');
            }
            canonical::write_string(&mut text, path.as_js());
            text.push(':');
            match value {
                Scalar::String(string) => canonical::write_string(&mut text, string.as_js()),
                Scalar::Number(number) => text.push_str(&canonical::number_text(*number)),
                other => text.push_str(&other.text().to_str_lossy()),
            }
        }
        text.push('}');
        text
    }

    /// The first arrays with elements that are ignored because they are no
    /// objects, by path.
    pub fn arrays(&self) -> impl Iterator<Item = &JsString> {
        self.arrays.iter()
    }

    /// Whether the limits on depth and number left something out.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Whether the bag held no scalar.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// Flattens the bags of one run.
#[derive(Debug, Default)]
pub(super) struct Flattener {
    path_bytes: usize,
}

impl Flattener {
    pub(super) fn flatten(&mut self, bag: Node<'_>) -> Result<Flat, RowsError> {
        let mut walk = Walk {
            places: HashMap::new(),
            flat: Flat::default(),
            nodes: 0,
            path_bytes: self.path_bytes,
        };
        walk.visit(&JsString::default(), bag, 0)?;
        self.path_bytes = walk.path_bytes;
        Ok(walk.flat)
    }
}

struct Walk {
    places: HashMap<JsString, usize>,
    flat: Flat,
    nodes: usize,
    path_bytes: usize,
}

impl Walk {
    /// Recursion is at most [`MAX_DEPTH`] + 1 deep.
    fn visit(&mut self, prefix: &JsString, node: Node<'_>, depth: usize) -> Result<(), RowsError> {
        if self.is_full() {
            return Ok(());
        }
        self.nodes += 1;
        if depth > MAX_DEPTH {
            self.flat.is_cut = true;
            return Ok(());
        }
        match node.value() {
            Value::Array(elements) => {
                let mut plain = elements;
                if self.flat.arrays.len() < MAX_ARRAYS
                    && plain.any(|element| element.as_object().is_none())
                {
                    self.flat.arrays.push(prefix.clone());
                }
                let objects = elements
                    .enumerate()
                    .filter(|(_, element)| element.as_object().is_some());
                for (index, element) in objects {
                    if self.is_full() {
                        break;
                    }
                    let mut path = prefix.clone();
                    path.push_str(&format!("[{index}]"));
                    self.visit(&path, element, depth + 1)?;
                }
            }
            Value::Object(members) => {
                for (key, member) in members.sorted() {
                    if self.is_full() {
                        break;
                    }
                    let mut path = prefix.clone();
                    if !path.is_empty() {
                        path.push_str(".");
                    }
                    path.push(key);
                    self.visit(&path, member, depth + 1)?;
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                if let Some(value) = Scalar::of(node) {
                    self.record(prefix, value)?;
                }
            }
        }
        Ok(())
    }

    /// Whether nothing more is visited; what is left is noted.
    fn is_full(&mut self) -> bool {
        let is_full = self.nodes >= MAX_NODES;
        self.flat.is_cut |= is_full;
        is_full
    }

    fn record(&mut self, prefix: &JsString, value: Scalar) -> Result<(), RowsError> {
        let path = if prefix.is_empty() {
            "value".into()
        } else {
            prefix.clone()
        };
        self.path_bytes += path.as_js().bytes().len();
        if self.path_bytes > MAX_PATH_BYTES {
            return Err(RowsError::ParametersTooLarge {
                limit: MAX_PATH_BYTES,
            });
        }
        if let Some(entry) = self
            .places
            .get(&path)
            .and_then(|&place| self.flat.entries.get_mut(place))
        {
            entry.1 = value;
        } else {
            self.places.insert(path.clone(), self.flat.entries.len());
            self.flat.entries.push((path, value));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crosscheck_core::Json;

    use super::*;

    fn flat(text: &str) -> String {
        let json = Json::parse(text).unwrap();
        let flat = Flattener::default().flatten(json.root()).unwrap();
        flat.canonical()
    }

    #[test]
    fn paths_are_dotted_and_only_objects_in_arrays_count() {
        assert_eq!(
            flat(r#"{"b":{"c":1,"d":null},"a":[1,{"x":true},[{"y":2}],{"z":"s"}],"":5}"#),
            r#"{"a[1].x":true,"a[3].z":"s","b.c":1,"b.d":null,"value":5}"#
        );
    }

    #[test]
    fn a_later_path_of_the_same_name_overwrites() {
        assert_eq!(flat(r#"{"a":{"b":1},"a.b":2}"#), r#"{"a.b":2}"#);
    }

    #[test]
    fn depth_six_is_the_last_that_counts() {
        assert_eq!(
            flat(r#"{"1":{"2":{"3":{"4":{"5":{"6":"in","7":{"8":"out"}}}}}}}"#),
            r#"{"1.2.3.4.5.6":"in"}"#
        );
    }

    #[test]
    fn at_most_500_nodes_are_visited() {
        let members: Vec<String> = (0..600).map(|i| format!("\"k{i:03}\":{i}")).collect();
        let json = Json::parse(&format!("{{{}}}", members.join(","))).unwrap();
        let flat = Flattener::default().flatten(json.root()).unwrap();
        assert_eq!(flat.iter().count(), 499); // the bag itself is a node
    }

    #[test]
    fn keys_repeated_into_gigabytes_of_paths_are_refused() {
        let members: Vec<String> = (0..400).map(|i| format!("\"k{i:03}\":{i}")).collect();
        let text = format!("{{\"{}\":{{{}}}}}", "x".repeat(1 << 20), members.join(","));
        let json = Json::parse(&text).unwrap();
        assert!(matches!(
            Flattener::default().flatten(json.root()),
            Err(RowsError::ParametersTooLarge { .. })
        ));
    }
}
