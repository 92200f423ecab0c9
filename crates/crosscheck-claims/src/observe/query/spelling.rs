//! Where in the file the selected nodes are.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crosscheck_core::Node;
use crosscheck_core::json::Value as Spelled;
use serde_json::Value;

/// A selected node as the file spells it.
pub(super) struct Found<'d> {
    /// The last member name on the way to it.
    pub(super) name: Option<&'d str>,
    pub(super) node: Node<'d>,
    /// Its range in the text, with its name if it is a member.
    pub(super) range: Range<usize>,
    /// Where the surrounding value begins.
    pub(super) parent: usize,
}

/// Finds the spelling of selected nodes by walking both parsed forms and the
/// text in parallel.
pub(super) struct Search<'d> {
    text: &'d [u8],
    at: usize,
    wanted: HashSet<usize>,
    found: HashMap<usize, Found<'d>>,
}

/// The path to a value.
#[derive(Clone, Copy)]
struct Way<'d> {
    name: Option<&'d str>,
    /// Where its name begins, if it is a member.
    key: Option<usize>,
    parent: usize,
}

/// Distinguishes equal values by their address; the document does not move
/// meanwhile.
pub(super) fn address(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}

impl<'d> Search<'d> {
    /// Searches for the nodes in the text that both forms were parsed from.
    pub(super) fn new(text: &'d str, nodes: &[&Value]) -> Self {
        Self {
            text: text.as_bytes(),
            at: 0,
            wanted: nodes.iter().map(|node| address(node)).collect(),
            found: HashMap::new(),
        }
    }

    pub(super) fn run(mut self, value: &'d Value, root: Node<'d>) -> HashMap<usize, Found<'d>> {
        let way = Way {
            name: None,
            key: None,
            parent: 0,
        };
        self.walk(Some(value), root, way);
        self.found
    }

    /// The first form nests at most 128 levels, so the recursion is bounded. It
    /// lacks the values of a repeated key that do not count.
    fn walk(&mut self, value: Option<&'d Value>, node: Node<'d>, way: Way<'d>) {
        self.skip(is_between);
        let start = self.at;
        match node.value() {
            Spelled::Array(nodes) => {
                self.at += 1;
                let values = value.and_then(Value::as_array);
                for (number, node) in nodes.enumerate() {
                    let value = values.and_then(|values| values.get(number));
                    let way = Way {
                        name: way.name,
                        key: None,
                        parent: start,
                    };
                    self.walk(value, node, way);
                }
                self.close();
            }
            Spelled::Object(members) => {
                self.at += 1;
                let values = value.and_then(Value::as_object);
                for (key, node) in members {
                    let known = key
                        .as_str()
                        .and_then(|key| values.and_then(|values| values.get_key_value(key)));
                    self.skip(is_between);
                    let way = Way {
                        name: known.map(|(key, _)| key.as_str()),
                        key: Some(self.at),
                        parent: start,
                    };
                    self.skip_string();
                    self.walk(known.map(|(_, value)| value), node, way);
                }
                self.close();
            }
            Spelled::String(_) => self.skip_string(),
            _ => self.skip(|byte| !is_between(byte) && !matches!(byte, b']' | b'}')),
        }
        if let Some(value) = value.filter(|value| self.wanted.contains(&address(value))) {
            // The last value of a repeated key counts, and it comes last.
            let found = Found {
                name: way.name,
                node,
                range: way.key.unwrap_or(start)..self.at,
                parent: way.parent,
            };
            self.found.insert(address(value), found);
        }
    }

    fn skip(&mut self, skipped: impl Fn(u8) -> bool) {
        while self.text.get(self.at).is_some_and(|byte| skipped(*byte)) {
            self.at += 1;
        }
    }

    /// Up to and including the closing bracket.
    fn close(&mut self) {
        self.skip(is_between);
        self.at += 1;
    }

    fn skip_string(&mut self) {
        self.at += 1;
        while let Some(byte) = self.text.get(self.at) {
            self.at += if *byte == b'\\' { 2 } else { 1 };
            if *byte == b'"' {
                break;
            }
        }
    }
}

/// White space and commas between values.
const fn is_between(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',' | b':')
}

/// These parts of a text; of nested ones only the outermost.
pub(super) fn outermost(text: &str, mut ranges: Vec<Range<usize>>) -> Vec<String> {
    ranges.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    let mut end = 0;
    ranges.retain(|range| {
        let is_new = range.end > end;
        end = end.max(range.end);
        is_new
    });
    let parts = ranges.into_iter().filter_map(|range| text.get(range));
    parts.map(str::to_owned).collect()
}
