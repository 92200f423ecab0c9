//! JSON and JSON Lines: objects with a text and its URLs; notebooks by their cells of text.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::Arc;

use crosscheck_core::json::{ParseError, Rules, Value};
use crosscheck_core::{Json, Node};

use super::written::Written;
use super::{DocumentError, Format, Mention, ReadOptions, at_places};
use crate::read::cited::Cited;
use crate::read::entry::{Source, listed};
use crate::read::sentence::Sentence;

const TEXTS: [&str; 6] = [
    "content",
    "text",
    "answer",
    "output",
    "response",
    "completion",
];
const LISTS: [&str; 5] = ["sources", "citations", "references", "urls", "documents"];

/// Where the numbers of a list lead for the reader of its text.
const LISTED: &str = "https://source.invalid/";

/// Who asks for a key that an object has twice gets one of both values only.
const RULES: Rules = Rules {
    repeated_keys: false,
    ..Rules::ECMASCRIPT
};

fn parse(text: &str) -> Result<Json, DocumentError> {
    Json::parse_with(text, &RULES).map_err(|why| match why {
        ParseError::RepeatedKey { .. } => DocumentError::Repeated,
        _ => DocumentError::Json,
    })
}

/// Citations and where they are in the file.
pub(super) type Placed = Vec<(usize, Mention)>;

/// One JSON value.
pub(super) fn value(
    text: &str,
    options: ReadOptions,
    fields: &[String],
) -> Result<Placed, DocumentError> {
    let json = parse(text)?;
    let mut walk = Walk {
        raw: text,
        options,
        fields,
        found: Vec::new(),
        alone: Vec::new(),
        cites: false,
    };
    walk.over(json.root());
    let Walk {
        mut found,
        alone,
        cites,
        ..
    } = walk;
    if !cites {
        let nothing: Arc<str> = "".into();
        found.extend(alone.into_iter().map(|(at, url)| {
            let context = Some(Arc::clone(&nothing));
            (
                at,
                Mention {
                    context,
                    ..Mention::of(url)
                },
            )
        }));
    }
    Ok(found)
}

/// One JSON value on each line; lines that are none are named.
pub(super) fn lines(
    text: &str,
    options: ReadOptions,
    fields: &[String],
    bad_lines: &mut Vec<u64>,
) -> Placed {
    let mut found = Vec::new();
    let mut start = 0;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        match value(line, options, fields) {
            Ok(own) => found.extend(own.into_iter().map(|(at, one)| (start + at, one))),
            Err(_) if line.trim().is_empty() => {}
            Err(_) => bad_lines.push(number),
        }
        start += line.len();
    }
    found
}

/// The citations of a notebook: the Markdown of its cells and what they have shown. Its cells
/// are one text, so that a list of sources in the last cell serves them all.
pub(super) fn notebook(raw: &str, options: ReadOptions) -> Result<Placed, DocumentError> {
    let json = parse(raw)?;
    let cells = json.root().get("cells").and_then(Node::as_array);
    let cells = cells.ok_or(DocumentError::Notebook)?;
    let [mut markdown, mut html] = [Written::default(), Written::default()];
    let mut open: Vec<Node<'_>> = cells.collect();
    open.reverse();
    while let Some(node) = open.pop() {
        let Some(members) = node.as_object() else {
            let items = node.as_array().into_iter().flatten();
            let start = open.len();
            open.extend(items);
            open.get_mut(start..).unwrap_or_default().reverse();
            continue;
        };
        let kind = node.get("cell_type").and_then(Node::as_str);
        let start = open.len();
        for (key, value) in members {
            match key.to_str_lossy().as_ref() {
                "source" if kind == Some("markdown") => cell(&mut markdown, raw, value),
                "source" => {} // code, or text for a tool
                "text/markdown" => cell(&mut markdown, raw, value),
                "text/html" => cell(&mut html, raw, value),
                _ => open.push(value),
            }
        }
        open.get_mut(start..).unwrap_or_default().reverse();
    }
    let mut found = Vec::new();
    for (own, format) in [(markdown, Format::Markdown), (html, Format::Html)] {
        let all = at_places(&own.text, format, options);
        found.extend(all.into_iter().map(|(at, one)| (own.at(at), one)));
    }
    Ok(found)
}

/// Adds the strings of a cell, and a blank line behind them.
fn cell(out: &mut Written, raw: &str, value: Node<'_>) {
    let items = value.as_array().into_iter().flatten();
    for start in std::iter::once(value)
        .chain(items)
        .filter_map(Node::text_start)
    {
        out.json(raw, start);
    }
    out.text.push_str("\n\n");
}

/// Walks over a value, however deep. Without `fields` a text is what the known names hold, and
/// any other string with a URL in its words.
struct Walk<'t> {
    raw: &'t str,
    options: ReadOptions,
    fields: &'t [String],
    found: Placed,
    /// URLs that are all a string has to say.
    alone: Vec<(usize, String)>,
    /// Something was found that cites.
    cites: bool,
}

impl Walk<'_> {
    fn over(&mut self, root: Node<'_>) {
        let mut open: Vec<(String, Node<'_>)> = vec![(String::new(), root)];
        while let Some((key, node)) = open.pop() {
            match node.value() {
                Value::Array(items) => {
                    let items: Vec<Node<'_>> = items.collect();
                    open.extend(items.into_iter().rev().map(|item| (key.clone(), item)));
                }
                Value::Object(members) => {
                    let text = text_of(node);
                    let is_own = self.fields.is_empty() && self.object(node, text);
                    // What the object's own list or text holds is not a further object.
                    let used = |key: &str| {
                        is_own
                            && (LISTS.contains(&key) || text.is_some_and(|(name, _)| name == key))
                    };
                    let inner: Vec<(String, Node<'_>)> = members
                        .map(|(key, value)| (key.to_str_lossy().into_owned(), value))
                        .filter(|(key, _)| !used(key))
                        .collect();
                    open.extend(inner.into_iter().rev());
                }
                Value::String(_) => self.string(&key, node),
                _ => {}
            }
        }
    }

    fn string(&mut self, key: &str, node: Node<'_>) {
        let is_named = self.fields.iter().any(|field| field == key);
        if !is_named && !self.fields.is_empty() {
            return;
        }
        let own = self.written(node);
        if is_named || is_prose(&own.text) {
            let all = self.inline(&own.text).into_iter();
            self.found.extend(all.map(|(at, one)| (own.at(at), one)));
        } else if is_url(&own.text) && !key.starts_with(['$', '@']) {
            self.alone.push((own.at(0), own.text.trim().to_owned()));
        }
    }

    /// The value of a string.
    fn written(&self, node: Node<'_>) -> Written {
        let mut own = Written::default();
        if let Some(start) = node.text_start() {
            own.json(self.raw, start);
        }
        own
    }

    /// Reads one object; false where it has neither text nor list.
    fn object(&mut self, node: Node<'_>, text: Option<(&str, Node<'_>)>) -> bool {
        let mut sources: Vec<Source> = Vec::new();
        for list in LISTS.iter().filter_map(|key| node.get(key)) {
            let before = sources.iter().flat_map(|source| &source.places).max();
            let before = before.copied().unwrap_or(0);
            sources.extend(listed(list).into_iter().map(|mut source| {
                source.places.iter_mut().for_each(|place| *place += before);
                source.at = source.at.or(list.text_start());
                source
            }));
        }
        if text.is_none() && sources.is_empty() {
            return false;
        }
        let answer = answer(node).filter(|_| text.is_none());
        let own = text.map(|(_, text)| text).or(answer);
        let own = own.map_or_else(Written::default, |text| self.written(text));
        // the list defines what the numbers in the text stand for
        let mut defined = own.text.clone();
        for (number, source) in sources.iter().enumerate() {
            for place in source.places.iter().filter(|_| source.claim.is_none()) {
                let _ = write!(defined, "\n\n[{place}]: {LISTED}{number}");
            }
        }
        let context: Arc<str> = own.text.as_str().into();
        let mut cited: HashSet<String> = HashSet::new();
        for (at, one) in self.inline(&defined) {
            let number = one.url.strip_prefix(LISTED).and_then(|at| at.parse().ok());
            let source = number.and_then(|number: usize| sources.get(number));
            cited.extend((at < own.text.len()).then(|| match source {
                Some(source) => source.cited.key.clone(),
                None => Cited::key_of(&one.url),
            }));
            match source {
                Some(_) if at >= own.text.len() => {} // no mark points to it
                Some(source) => self.found.push((
                    own.at(at),
                    Mention {
                        url: source.cited.text.clone(),
                        title: source.title.clone(),
                        context: Some(Arc::clone(&context)),
                        entry: None,
                        ..one
                    },
                )),
                None if answer.is_some() => {} // it is read where it is
                None => self.found.push((own.at(at), one)),
            }
        }
        let is_block = node.get("type").and_then(Node::as_str) == Some("text");
        let only = Sentence::all(&own.text);
        let only = only.first().filter(|_| is_block && only.len() == 1);
        let is_left = |one: &&Source| one.claim.is_some() || !cited.contains(&one.cited.key);
        for source in sources.iter().filter(is_left) {
            let claim = source.claim.clone();
            let mention = Mention {
                claim: claim.or_else(|| only.map(|one| one.text.as_str().into())),
                title: source.title.clone(),
                context: Some(Arc::clone(&context)),
                ..Mention::of(source.cited.text.clone())
            };
            self.found.push((source.at.unwrap_or(own.at(0)), mention));
        }
        self.cites |= !sources.is_empty();
        true
    }

    /// What a text cites itself.
    fn inline(&mut self, text: &str) -> Placed {
        let all = at_places(text, Format::Markdown, self.options);
        self.cites |= !all.is_empty();
        all
    }
}

/// Whether a string has words besides a URL.
fn is_prose(text: &str) -> bool {
    let has_url = text.contains("://") || text.contains("www.") || text.contains("10.");
    has_url && text.split_whitespace().nth(2).is_some()
}

fn is_url(text: &str) -> bool {
    let text = text.trim();
    (text.starts_with("http://") || text.starts_with("https://"))
        && !text.contains(char::is_whitespace)
}

/// The text of an object and its name.
fn text_of(node: Node<'_>) -> Option<(&'static str, Node<'_>)> {
    let string =
        |key: &&'static str| Some((*key, node.get(key).filter(|text| text.as_js().is_some())?));
    TEXTS.iter().find_map(string)
}

/// The text of the only answer in an object with sources for it, as chat
/// programs return them: `choices[0].message.content`.
fn answer(node: Node<'_>) -> Option<Node<'_>> {
    let mut choices = node.get("choices")?.as_array()?;
    let only = choices.next().filter(|_| choices.next().is_none())?;
    only.get("message")?
        .get("content")
        .filter(|text| text.as_js().is_some())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{OPTIONS, cited};
    use super::super::{Format, mentions, read};
    use super::*;

    fn seen(text: &str, format: Format) -> Vec<(String, (u64, u64), Option<String>)> {
        let found = mentions(text, format, OPTIONS).unwrap();
        found
            .into_iter()
            .map(|one| {
                (
                    one.url,
                    (one.line, one.column),
                    one.claim.as_deref().map(str::to_owned),
                )
            })
            .collect()
    }

    #[test]
    fn objects_give_their_urls_and_the_sentences_that_mark_them() {
        let line = r#"{"answer":"Trees cool [1]. Elms grow (https://c.example/).","citations":[{"url":"https://a.example/","title":"A"},"https://b.example/",{"url":"https://c.example/"}]}"#;
        let text = format!("\nnot json\n{line}\n");
        let column = |what: &str| line.find(what).unwrap() as u64 + 1;
        assert_eq!(
            seen(&text, Format::Jsonl),
            [
                (
                    "https://a.example/".to_owned(),
                    (3, column("[1]")),
                    Some("Trees cool.".to_owned())
                ),
                (
                    "https://c.example/".to_owned(),
                    (3, column("https://c.example/)")),
                    Some("Elms grow.".to_owned())
                ),
                (
                    "https://b.example/".to_owned(),
                    (3, column("https://b")),
                    None
                ),
            ]
        );
        assert_eq!(
            read(&text, Format::Jsonl, OPTIONS).unwrap().bad_lines,
            [2],
            "a line that is not JSON is named"
        );
        let nested = format!(r#"{{"runs":[{line}]}}"#);
        assert_eq!(mentions(&nested, Format::Json, OPTIONS).unwrap().len(), 3);
        assert_eq!(
            mentions("{", Format::Json, OPTIONS),
            Err(DocumentError::Json)
        );
    }

    #[test]
    fn a_sentence_of_an_answer_may_begin_with_a_small_letter_or_with_code() {
        let text = r#"{"answer": "A version is planned. iPhone users cannot join [1]. It is slow. `fast_sync` has been removed [2].", "citations": ["https://a.example/1", "https://a.example/2"]}"#;
        let claims: Vec<_> = seen(text, Format::Json)
            .into_iter()
            .map(|one| one.2.unwrap())
            .collect();
        assert_eq!(
            claims,
            ["iPhone users cannot join.", "fast_sync has been removed."]
        );
    }

    #[test]
    fn answers_of_chat_programs_cite_their_lists() {
        let choices = r#"{"choices":[{"message":{"role":"assistant","content":"Rome planted trees[1]. Pines are common[2]."}}],"citations":["https://a.example/1","https://a.example/2"]}"#;
        let blocks = r#"{"content":[{"type":"text","text":"Rome planted trees.","citations":[{"url":"https://a.example/1","title":"T"}]},{"type":"text","text":" Pines are common.","citations":[{"url":"https://a.example/2"}]}]}"#;
        for text in [choices, blocks] {
            let claims: Vec<_> = seen(text, Format::Json)
                .into_iter()
                .map(|one| (one.0, one.2.unwrap_or_default()))
                .collect();
            let one = |url: &str, claim: &str| (url.to_owned(), claim.to_owned());
            assert_eq!(
                claims,
                [
                    one("https://a.example/1", "Rome planted trees."),
                    one("https://a.example/2", "Pines are common."),
                ],
                "{text}"
            );
        }
        let several = r#"{"type":"text","text":"Rome planted trees. Pines are common.","citations":[{"url":"https://a.example/1"}]}"#;
        assert_eq!(seen(several, Format::Json)[0].2, None);
    }

    #[test]
    fn an_entry_without_a_mark_belongs_to_the_decoded_text_of_its_own_object() {
        let text = "{\"answer\":\"The Caf\\u00e9 said \\\"so\\\".\",\"sources\":[\"https://a.example/\"]}\n{\"answer\":\"Other.\"}";
        let found = mentions(text, Format::Jsonl, OPTIONS).unwrap();
        assert_eq!(found[0].context.as_deref(), Some("The Café said \"so\"."));
        assert_eq!(found[0].claim, None);
    }

    #[test]
    fn every_list_counts_whatever_its_shape() {
        for (json, expected) in [
            (
                r#"{"text":"A [1].","sources":null,"citations":["https://a.example/"]}"#,
                1,
            ),
            (
                r#"{"text":"A.","sources":[],"citations":["https://a.example/"]}"#,
                1,
            ),
            (
                r#"{"text":"A.","sources":["https://a.example/"],"references":["https://b.example/"]}"#,
                2,
            ),
            (r#"{"text":"A.","sources":"https://a.example/"}"#, 1),
            (r#"{"text":"A.","sources":{"url":"https://a.example/"}}"#, 1),
            (
                r#"{"output":"Intro.","steps":[{"answer":"A.","citations":["https://a.example/"]}]}"#,
                1,
            ),
        ] {
            assert_eq!(seen(json, Format::Json).len(), expected, "{json}");
        }
    }

    #[test]
    fn places_are_those_of_the_file() {
        let text = "{\n  \"answer\": \"One.\\nSee https://a.example/x now.\",\n  \"sources\": [\n    \"https://b.example/\"\n  ]\n}\n";
        let places: Vec<(u64, u64)> = seen(text, Format::Json).iter().map(|one| one.1).collect();
        assert_eq!(places, [(2, 24), (4, 6)]);
    }

    /// URL, place and claim of each citation.
    fn shown(text: &str) -> Vec<String> {
        let found = cited(text, Format::Notebook).into_iter();
        let claim = |claim: Option<Arc<str>>| claim.unwrap_or_default();
        found
            .map(|one| {
                format!(
                    "{} {}:{} {}",
                    one.url,
                    one.line,
                    one.column,
                    claim(one.claim)
                )
            })
            .collect()
    }

    #[test]
    fn cells_are_read_in_their_places() {
        let text = "{\n \"cells\": [\n  {\"cell_type\": \"code\", \"source\": [\"# https://a.example/code\\n\"]},\n  {\n   \"source\": [\n    \"# T\\n\",\n    \"Oaks are old (https://a.example/x).\\n\"\n   ],\n   \"cell_type\": \"markdown\"\n  },\n  {\"cell_type\": \"markdown\", \"source\": \"Elms are tall [1].\\n\\n[1] https://a.example/y\"}\n ]\n}\n";
        assert_eq!(
            shown(text),
            [
                "https://a.example/x 7:20 Oaks are old.",
                "https://a.example/y 11:54 Elms are tall.",
            ]
        );
        assert!(mentions("{", Format::Notebook, OPTIONS).is_err());
    }
}
