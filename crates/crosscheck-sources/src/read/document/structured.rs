//! JSON and JSON Lines: objects with a text and its URLs.

use crosscheck_core::json::Value;
use crosscheck_core::{Json, Node};

use super::{DocumentError, Mention, ReadOptions, markdown};
use crate::plan::sentence::Sentence;
use crate::read::cited::Cited;

const TEXTS: [&str; 4] = ["content", "text", "answer", "output"];
const LISTS: [&str; 4] = ["sources", "citations", "references", "urls"];

/// One JSON value.
pub(super) fn json(text: &str, options: ReadOptions) -> Result<Vec<Mention>, DocumentError> {
    let json = Json::parse(text).map_err(|_| DocumentError)?;
    let mut found = Vec::new();
    objects(json.root(), 1, options, &mut found);
    Ok(found)
}

/// One JSON value on each line; lines that are none are passed over.
pub(super) fn jsonl(text: &str, options: ReadOptions) -> Vec<Mention> {
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if let Ok(json) = Json::parse(line) {
            objects(json.root(), number as u64 + 1, options, &mut found);
        }
    }
    found
}

/// Every object that has a text or a list of URLs, however deep.
fn objects(root: Node<'_>, line: u64, options: ReadOptions, found: &mut Vec<Mention>) {
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        match node.value() {
            Value::Array(items) => {
                let items: Vec<Node<'_>> = items.collect();
                open.extend(items.into_iter().rev());
            }
            Value::Object(members) if !object(node, line, options, found) => {
                let inner: Vec<Node<'_>> = members.map(|(_, value)| value).collect();
                open.extend(inner.into_iter().rev());
            }
            _ => {}
        }
    }
}

/// Reads one object; false when it has neither text nor list.
fn object(node: Node<'_>, line: u64, options: ReadOptions, found: &mut Vec<Mention>) -> bool {
    let string = |key: &str| {
        node.get(key)
            .and_then(Node::as_js)
            .map(|text| text.to_str_lossy().into_owned())
    };
    let text = TEXTS.iter().find_map(|key| string(key));
    let list = LISTS
        .iter()
        .find_map(|key| node.get(key))
        .and_then(Node::as_array);
    if text.is_none() && list.is_none() {
        return false;
    }
    let text = text.unwrap_or_default();
    let inline = markdown::mentions(&text, options);
    let sentences = Sentence::all(&text);
    let mut listed = Vec::new();
    for (index, item) in list.into_iter().flatten().enumerate() {
        let member = |key: &str| {
            item.get(key)
                .and_then(Node::as_js)
                .map(|text| text.to_str_lossy().into_owned())
        };
        let url = item
            .as_js()
            .map(|text| text.to_str_lossy().into_owned())
            .or_else(|| member("url"));
        let Some(url) = url.filter(|url| !url.trim().is_empty()) else {
            continue;
        };
        let key = Cited::new(&url).key;
        let marked = sentences
            .iter()
            .find(|sentence| sentence.marks.contains(&(index + 1)));
        let claim = member("claim").or_else(|| marked.map(|sentence| sentence.text.clone()));
        let cited_inline = inline
            .iter()
            .any(|mention| Cited::new(&mention.url).key == key);
        listed.push(key);
        if claim.is_some() || !cited_inline {
            found.push(Mention {
                url,
                line,
                column: 1,
                claim,
                title: member("title"),
            });
        }
    }
    for mention in inline {
        let known = found.iter().any(|known| {
            known.line == line && known.url == mention.url && known.claim == mention.claim
        });
        if !known {
            found.push(Mention {
                line,
                column: 1,
                ..mention
            });
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::{Format, mentions};
    use super::*;

    #[test]
    fn objects_give_their_urls_and_the_sentences_that_mark_them() {
        let options = ReadOptions {
            include_code: false,
            identifiers: true,
        };
        let line = r#"{"answer":"Trees cool [1]. Elms grow (https://c.example/).","citations":[{"url":"https://a.example/","title":"A"},"https://b.example/",{"url":"https://c.example/"}]}"#;
        let text = format!("\nnot json\n{line}\n");
        let found = mentions(&text, Format::Jsonl, options).unwrap();
        let seen: Vec<(&str, u64, Option<&str>)> = found
            .iter()
            .map(|one| (one.url.as_str(), one.line, one.claim.as_deref()))
            .collect();
        assert_eq!(
            seen,
            [
                ("https://a.example/", 3, Some("Trees cool.")),
                ("https://b.example/", 3, None),
                ("https://c.example/", 3, Some("Elms grow.")),
            ]
        );
        let nested = format!(r#"{{"runs":[{line}]}}"#);
        assert_eq!(mentions(&nested, Format::Json, options).unwrap().len(), 3);
        assert_eq!(mentions("{", Format::Json, options), Err(DocumentError));
    }
}
