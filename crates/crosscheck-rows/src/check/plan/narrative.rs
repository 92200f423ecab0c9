//! What a step says it did, for people. Never influences a verdict.
//!
//! Contract: check 3.1.

use crosscheck_core::canonical::{self, KeyOrder, Style};
use crosscheck_core::json::{FormId, Node, Place};
use crosscheck_core::text::{ONE_LINE_MAX, one_line_js};
use crosscheck_core::{JsStr, JsString};

use crate::check::read::{Part, Template};
use crate::read::pointer::resolve_pointer;

const SPACE: u16 = 0x20;
/// Characters that the certificate holds of a declared action.
const ACTION_MAX: usize = 4096;

/// The text of an empty narrative.
pub(crate) const NONE: &str = "(none)";

/// Tells one step after the other.
#[derive(Debug, Default)]
pub(crate) struct Narrator {
    /// Kept for its memory.
    line: JsString,
    /// Where the values of the step before stood, in parameters of that form.
    places: Vec<Option<Place>>,
    form: Option<FormId>,
}

impl Narrator {
    /// From now on the steps of another entry are reported.
    pub(crate) fn turn(&mut self) {
        self.form = None;
    }

    /// The template with every `{/pointer}` replaced by the value it leads to.
    pub(crate) fn tell(&mut self, template: &Template, params: Node<'_>) -> JsString {
        if self.form.is_none() || self.form != params.form() {
            self.form = params.form();
            self.places.clear();
            let pointers = template.parts.iter().filter_map(|part| match part {
                Part::Value(pointer) => Some(pointer),
                Part::Text(_) => None,
            });
            let place = |pointer: &JsString| resolve_pointer(params, pointer.as_js());
            self.places
                .extend(pointers.map(|pointer| place(pointer).map(Node::place)));
        }
        self.line.clear();
        let mut places = self.places.iter();
        for part in &template.parts {
            match part {
                Part::Text(text) => self.line.push(text.as_js()),
                Part::Value(_) => match places.next() {
                    Some(Some(place)) => value(&mut self.line, params.at(*place)),
                    _ => self.line.push_str("MISSING"),
                },
            }
        }
        let line = one_line(self.line.as_js());
        if line.is_empty() { NONE.into() } else { line }
    }
}

fn value(line: &mut JsString, node: Node<'_>) {
    if let Some(text) = node.as_js() {
        return canonical::append_string(line, text);
    }
    let mut value = String::new();
    canonical::write_node(&mut value, node, &STRINGIFY);
    line.push_str(&value);
}

/// Line breaks become spaces and runs of spaces one. Unlike other texts a tab
/// stays, and only what the certificate cannot hold is cut.
fn one_line(text: JsStr<'_>) -> JsString {
    let bytes = text.bytes();
    if bytes.len() <= ONE_LINE_MAX && !bytes.contains(&b'\t') {
        return one_line_js(text);
    }
    let mut units: Vec<u16> = Vec::with_capacity(bytes.len());
    for unit in text.units() {
        let unit = if matches!(unit, 0xA | 0xD) {
            SPACE
        } else {
            unit
        };
        if unit != SPACE || units.last() != Some(&SPACE) {
            units.push(unit);
        }
    }
    cut(JsString::from_units(units).as_js().trim())
}

/// At most [`ACTION_MAX`] characters, as the schema counts them: a pair of
/// surrogates is one.
fn cut(line: JsStr<'_>) -> JsString {
    let starts = |unit: &u16| !(0xDC00..0xE000).contains(unit);
    if line.unit_len() <= ACTION_MAX || line.units().filter(starts).count() <= ACTION_MAX {
        return line.to_owned();
    }
    let mut characters = 0;
    let kept = line.units().take_while(|unit| {
        characters += usize::from(starts(unit));
        characters <= ACTION_MAX - 3
    });
    let mut cut = JsString::from_units(kept);
    cut.push_str("...");
    cut
}

/// What `JSON.stringify` writes: members in the order ECMAScript keeps them in.
pub(crate) const STRINGIFY: Style = Style {
    keys: KeyOrder::Ecma,
    ..Style::ECMA
};

#[cfg(test)]
mod tests {
    use crosscheck_core::json::{Json, Reader};

    use super::*;

    fn narrative(template: JsStr<'_>, params: Node<'_>) -> JsString {
        Narrator::default().tell(&Template::new(template), params)
    }

    #[test]
    fn half_a_surrogate_pair_stays_as_it_is() {
        let params = Json::parse(r#"{"id":"\ud800"}"#).unwrap();
        let template = Json::parse(r#""\udc00 {/id} x""#).unwrap();
        let said = narrative(template.root().as_js().unwrap(), params.root());
        assert_eq!(canonical::quoted(said.as_js()), r#""\udc00 \"\\ud800\" x""#);
    }

    #[test]
    fn values_are_found_in_parameters_of_any_form() {
        let template = Template::new("{/a} {/b/0} {/c}".into());
        let (mut narrator, mut reader) = (Narrator::default(), Reader::default());
        for (params, expected) in [
            (r#"{"a":1,"b":["x"]}"#, r#"1 "x" MISSING"#),
            (r#"{"a":"2","b":[null]}"#, r#""2" null MISSING"#),
            (r#"{"c":3,"b":["y"]}"#, r#"MISSING "y" 3"#),
            (r#"{"a":4,"b":["z"]}"#, r#"4 "z" MISSING"#),
            (r#"{"c":3,"b":[]}"#, "MISSING MISSING 3"),
            (r#"{"a":"\t","b":[]}"#, r#""\t" MISSING MISSING"#),
        ] {
            let params = reader.read(params.as_bytes()).unwrap().root();
            assert_eq!(narrator.tell(&template, params).to_string(), expected);
        }
    }

    #[test]
    fn a_declared_action_is_cut_where_the_certificate_ends() {
        let params = Json::parse("{}").unwrap();
        let said = |text: String| narrative(text.as_str().into(), params.root()).to_string();
        for text in ["x".repeat(4096), "\u{1f600}".repeat(4096)] {
            assert_eq!(said(text.clone()), text);
            let longer = said(format!("{text}!"));
            assert_eq!(longer.chars().count(), 4096);
            assert!(longer.ends_with("..."), "{longer}");
        }
    }

    #[test]
    fn tokens_become_values() {
        let params = Json::parse(r#"{"id":"g1","o":{"b":1.0,"a":[null]},"n":null,"k":{"b":7,"10":0,"01":3,"2":1,"-1":4,"4294967295":6,"0":5}}"#).unwrap();
        let table = [
            ("do {/id}", "do \"g1\""),
            ("{/o} {/o/b}", r#"{"b":1,"a":[null]} 1"#),
            (
                "{/k}",
                r#"{"0":5,"2":1,"10":0,"b":7,"01":3,"-1":4,"4294967295":6}"#,
            ),
            ("{/nope}{/n}", "MISSINGnull"),
            ("{id} {/} {{/id}} {/id", "{id} {/} {\"g1\"} {/id"),
            ("a\n\n b", "a b"),
            ("a\tb\r\n  c \t", "a\tb c"),
            (" ", "(none)"),
            ("", "(none)"),
        ];
        for (template, expected) in table {
            assert_eq!(
                narrative(template.into(), params.root()).to_string(),
                expected,
                "{template}"
            );
        }
    }
}
