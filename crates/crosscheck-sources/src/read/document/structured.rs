//! JSON and JSON Lines: objects with a text and its URLs.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crosscheck_core::json::Value;
use crosscheck_core::{JsStr, Json, Node};

use super::raw::{Decoded, Strings, offsets};
use super::spans::Walk;
use super::{DocumentError, Format, Mention, ReadOptions, mentions};
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

/// One JSON value.
pub(super) fn json(
    text: &str,
    options: ReadOptions,
    fields: &[String],
) -> Result<Vec<Mention>, DocumentError> {
    let json = Json::parse(text).map_err(|_| DocumentError::Json)?;
    if has_repeated_key(json.root()) {
        return Err(DocumentError::Repeated);
    }
    Ok(placed(text, &objects(json.root(), options, fields)))
}

/// One JSON value on each line; lines that are none are named.
pub(super) fn jsonl(
    text: &str,
    options: ReadOptions,
    fields: &[String],
    bad_lines: &mut Vec<u64>,
) -> Vec<Mention> {
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        match Json::parse(line) {
            Ok(json) if !has_repeated_key(json.root()) => found.extend(
                placed(line, &objects(json.root(), options, fields))
                    .into_iter()
                    .map(|mention| Mention {
                        line: number,
                        ..mention
                    }),
            ),
            Err(_) if line.trim().is_empty() => {}
            _ => bad_lines.push(number),
        }
    }
    found
}

/// Whether an object has a key twice: who asks for it gets one of both values only.
pub(super) fn has_repeated_key(root: Node<'_>) -> bool {
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        match node.value() {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                let mut keys = HashSet::new();
                for (key, value) in members {
                    if !keys.insert(key.to_str_lossy()) {
                        return true;
                    }
                    open.push(value);
                }
            }
            _ => {}
        }
    }
    false
}

/// An object that has a text or a list of URLs, or a text of any other name.
struct Object {
    text: Arc<str>,
    /// Cited by the list.
    listed: Vec<Mention>,
    /// Cited in the text, with their place in it.
    inline: Vec<Mention>,
}

/// Everything that has a text or a list of URLs, however deep. Without
/// `fields` a text is what the known names hold, and any other string with a
/// URL in its words.
fn objects(root: Node<'_>, options: ReadOptions, fields: &[String]) -> Vec<Object> {
    let is_named = |key: &str| fields.iter().any(|field| field == key);
    let mut found = Vec::new();
    let mut alone: Vec<String> = Vec::new();
    let mut open: Vec<(String, Node<'_>)> = vec![(String::new(), root)];
    while let Some((key, node)) = open.pop() {
        match node.value() {
            Value::Array(items) => {
                let items: Vec<Node<'_>> = items.collect();
                open.extend(items.into_iter().rev().map(|item| (key.clone(), item)));
            }
            Value::Object(members) => {
                let own = if fields.is_empty() {
                    object(node, options)
                } else {
                    None
                };
                // What the object's own list or text holds is not a further object.
                let used = |key: &str| {
                    own.is_some()
                        && (LISTS.contains(&key)
                            || text_of(node).is_some_and(|(name, _)| name == key))
                };
                let inner: Vec<(String, Node<'_>)> = members
                    .map(|(key, value)| (key.to_str_lossy().into_owned(), value))
                    .filter(|(key, _)| !used(key))
                    .collect();
                open.extend(inner.into_iter().rev());
                found.extend(own);
            }
            Value::String(text) if fields.is_empty() || is_named(&key) => {
                let text = text.to_str_lossy();
                if is_prose(&text) || is_named(&key) {
                    found.push(inline_object(&text, options));
                } else if is_url(&text) && !key.starts_with(['$', '@']) {
                    alone.push(text.trim().to_owned());
                }
            }
            _ => {}
        }
    }
    let is_empty = |object: &Object| object.listed.is_empty() && object.inline.is_empty();
    if found.iter().all(is_empty) && !alone.is_empty() {
        found.push(bare(alone));
    }
    found
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

/// A text of any name.
fn inline_object(text: &str, options: ReadOptions) -> Object {
    let text: Arc<str> = text.into();
    Object {
        inline: mentions(&text, Format::Markdown, options).unwrap_or_default(),
        text,
        listed: Vec::new(),
    }
}

/// URLs that are all a value has to say; nothing is cited with them.
fn bare(urls: Vec<String>) -> Object {
    let text: Arc<str> = "".into();
    let mention = |url| Mention {
        url,
        line: 1,
        column: 1,
        claim: None,
        whole: None,
        part: None,
        is_loose: false,
        title: None,
        context: Some(Arc::clone(&text)),
        entry: None,
    };
    Object {
        listed: urls.into_iter().map(mention).collect(),
        inline: Vec::new(),
        text: Arc::clone(&text),
    }
}

/// The text of an object and its name.
fn text_of(node: Node<'_>) -> Option<(&'static str, JsStr<'_>)> {
    let string = |key: &&'static str| Some((*key, node.get(key).and_then(Node::as_js)?));
    TEXTS.iter().find_map(string)
}

/// Reads one object; none when it has neither text nor list.
fn object(node: Node<'_>, options: ReadOptions) -> Option<Object> {
    let text = text_of(node);
    let mut sources: Vec<Source> = Vec::new();
    for list in LISTS.iter().filter_map(|key| node.get(key)) {
        let before = sources.iter().flat_map(|source| &source.places).max();
        let before = before.copied().unwrap_or(0);
        sources.extend(listed(list).into_iter().map(|mut source| {
            source.places.iter_mut().for_each(|place| *place += before);
            source
        }));
    }
    if text.is_none() && sources.is_empty() {
        return None;
    }
    let answer = text.is_none().then(|| answer(node)).flatten();
    let is_answer = answer.is_some();
    let text = text
        .map(|(_, text)| text)
        .or(answer)
        .map(JsStr::to_str_lossy)
        .unwrap_or_default();
    let mut own = inline_object(&text, options);
    if sources.is_empty() {
        return Some(own);
    }
    let is_block = node
        .get("type")
        .and_then(Node::as_js)
        .is_some_and(|kind| kind.to_str_lossy() == "text");
    let said = Said {
        is_block,
        ..Said::of(&own)
    };
    if is_answer {
        own.inline.clear(); // they are read where the text is
    }
    let listed = sources
        .iter()
        .flat_map(|source| said.citations(source))
        .collect();
    Some(Object { listed, ..own })
}

/// The text of the only answer in an object with sources for it, as chat
/// programs return them: `choices[0].message.content`.
fn answer(node: Node<'_>) -> Option<JsStr<'_>> {
    let Value::Array(mut choices) = node.get("choices")?.value() else {
        return None;
    };
    let only = choices.next().filter(|_| choices.next().is_none())?;
    only.get("message")?.get("content").and_then(Node::as_js)
}

/// What the text of an object cites.
struct Said {
    text: Arc<str>,
    sentences: Vec<Arc<str>>,
    /// The sentences in which each mark is.
    marks: HashMap<usize, Vec<usize>>,
    /// Keys of the URLs in it.
    urls: HashSet<String>,
    /// It is a piece of an answer, and its list is what the piece is from.
    is_block: bool,
}

impl Said {
    fn of(object: &Object) -> Self {
        let mut marks: HashMap<usize, Vec<usize>> = HashMap::new();
        let sentences = Sentence::all(&object.text);
        for (at, sentence) in sentences.iter().enumerate() {
            for mark in &sentence.marks {
                marks.entry(*mark).or_default().push(at);
            }
        }
        let urls = object.inline.iter().map(|one| Cited::key_of(&one.url));
        Self {
            text: Arc::clone(&object.text),
            sentences: sentences.into_iter().map(|one| one.text.into()).collect(),
            marks,
            urls: urls.collect(),
            is_block: false,
        }
    }

    /// One citation for each sentence that marks the entry; one without a sentence
    /// when neither a mark nor the URL itself is in the text.
    fn citations(&self, source: &Source) -> Vec<Mention> {
        let mention = |claim| Mention {
            url: source.cited.text.clone(),
            line: 1,
            column: 1,
            claim,
            whole: None,
            part: None,
            is_loose: false,
            title: source.title.clone(),
            context: Some(Arc::clone(&self.text)),
            entry: None,
        };
        if source.claim.is_some() {
            return vec![mention(source.claim.clone())];
        }
        let places = source.places.iter();
        let marked: BTreeSet<usize> = places
            .filter_map(|place| self.marks.get(place))
            .flatten()
            .copied()
            .collect();
        if marked.is_empty() && !self.urls.contains(&source.cited.key) {
            let whole = match self.sentences.as_slice() {
                [only] if self.is_block => Some(Arc::clone(only)),
                _ => None,
            };
            return vec![mention(whole)];
        }
        let sentence = |at: usize| self.sentences.get(at).map(Arc::clone);
        marked.into_iter().map(|at| mention(sentence(at))).collect()
    }
}

/// Gives every citation its place in the raw text.
fn placed(raw: &str, objects: &[Object]) -> Vec<Mention> {
    let wanted = objects.iter().flat_map(|object| {
        let urls = object.listed.iter().map(|mention| mention.url.as_str());
        urls.chain([&*object.text])
    });
    let mut strings = Strings::find(raw, wanted);
    let mut found: Vec<(usize, &Mention)> = Vec::new();
    for object in objects {
        let place = strings.next(&object.text);
        let start = place.as_ref().map_or(0, |place| place.start);
        let own = place.and_then(|place| raw.get(place)).unwrap_or_default();
        found.extend(
            inside(own, &object.inline)
                .into_iter()
                .map(|(at, mention)| (start + at, mention)),
        );
        let mut last: Option<(&str, usize)> = None;
        for mention in &object.listed {
            let at = match last {
                Some((url, at)) if url == mention.url => at,
                _ => strings
                    .next(&mention.url)
                    .map_or(start, |place| place.start),
            };
            last = Some((&mention.url, at));
            found.push((at, mention));
        }
    }
    found.sort_by_key(|(at, _)| *at);
    let mut walk = Walk::new(raw);
    let place = |(at, mention): (usize, &Mention)| {
        let (line, column) = walk.place(at);
        Mention {
            line,
            column,
            ..mention.clone()
        }
    };
    found.into_iter().map(place).collect()
}

/// Where the citations of a text are in its raw form.
fn inside<'m>(raw: &str, mentions: &'m [Mention]) -> Vec<(usize, &'m Mention)> {
    let mut sorted: Vec<&Mention> = mentions.iter().collect();
    sorted.sort_by_key(|mention| (mention.line, mention.column));
    let places = offsets(Decoded::new(raw), &sorted);
    places.into_iter().zip(sorted).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::OPTIONS;
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
                    "https://c.example/".to_owned(),
                    (3, column("https://c.example/)")),
                    Some("Elms grow.".to_owned())
                ),
                (
                    "https://a.example/".to_owned(),
                    (3, column("https://a")),
                    Some("Trees cool.".to_owned())
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
            ["iPhone users cannot join.", "`fast_sync` has been removed."]
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
}
