//! The conversation of a record.
//!
//! Many servers restart the call ids in each conversation, so an id is valid
//! only in its conversation. Records name it in many ways, or not at all: then
//! a request without an answer begins one, and a request that carries a history
//! continues the conversation that began with it.

use std::collections::HashMap;

use crosscheck_core::Node;
use crosscheck_core::digest::{Digest, Hasher};

use super::content::{kind, list, present, readable, role, string, text};
use super::model::Role;

/// A name shared by the records of one conversation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Name {
    /// `custom_id` of a batch.
    Batch(String),
    /// The id of a response, its own or the one it follows.
    Response(String),
    /// A conversation that the vendor keeps.
    Kept(String),
    /// A trace.
    Trace(String),
}

/// What a record says about its conversation.
#[derive(Debug, Default)]
pub(super) struct Marks {
    /// Names of the conversation, the most reliable first.
    pub(super) names: Vec<Name>,
    /// A name for later records, which means nothing if it is new.
    pub(super) own: Option<Name>,
    /// How the request begins, if there is one.
    pub(super) opening: Option<Opening>,
}

#[derive(Debug)]
pub(super) struct Opening {
    /// The first words of the user.
    words: Option<Digest>,
    /// Whether there is no answer yet.
    is_fresh: bool,
}

/// The conversations of one log, numbered from 0.
#[derive(Debug, Default)]
pub(super) struct Conversations {
    current: usize,
    last: usize,
    named: HashMap<Name, usize>,
    begun: HashMap<Digest, usize>,
}

impl Conversations {
    pub(super) const fn current(&self) -> usize {
        self.current
    }

    /// The next records belong to a conversation of their own.
    pub(super) const fn begin(&mut self) {
        self.last += 1;
        self.current = self.last;
    }

    /// The next records belong to the conversation with these marks.
    pub(super) fn join(&mut self, marks: Marks) {
        let Marks {
            names,
            own,
            opening,
        } = marks;
        let mut all = names.iter().chain(own.as_ref());
        let known = all.find_map(|name| self.named.get(name).copied());
        let words = opening.as_ref().and_then(|opening| opening.words);
        let same_words = words.and_then(|words| self.begun.get(&words).copied());
        match (known, opening) {
            (Some(known), _) => self.current = known,
            (None, _) if !names.is_empty() => self.begin(),
            (None, Some(opening)) if opening.is_fresh => self.begin(),
            (None, Some(opening)) if opening.words.is_some() => match same_words {
                Some(same) => self.current = same,
                None => self.begin(),
            },
            (None, _) => {}
        }
        for name in names.into_iter().chain(own) {
            self.named.entry(name).or_insert(self.current);
        }
        if let Some(words) = words {
            self.begun.insert(words, self.current);
        }
    }
}

/// How a request begins; `None` when it carries no conversation.
pub(super) fn opening(request: Node<'_>) -> Option<Opening> {
    let input = request.get("input").filter(|_| kind(request).is_empty());
    if let Some(words) = input.and_then(string) {
        return Some(Opening {
            words: Some(digest(&words)),
            is_fresh: true,
        });
    }
    let items = list(request, "messages").chain(input.into_iter().flat_map(items));
    let mut opening = None;
    for item in items {
        let opening = opening.get_or_insert(Opening {
            words: None,
            is_fresh: true,
        });
        match role(&text(item, "role").unwrap_or_default()) {
            Role::System => {}
            Role::User => {
                if list(item, "content").any(is_result) {
                    opening.is_fresh = false;
                    continue;
                }
                let words = || {
                    item.get("content")
                        .map(|content| digest(&readable(content)))
                };
                opening.words = opening.words.or_else(words);
            }
            Role::Assistant | Role::Tool | Role::Other => opening.is_fresh = false,
        }
        if opening.words.is_some() && !opening.is_fresh {
            break;
        }
    }
    opening
}

fn items(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    node.as_array().into_iter().flatten()
}

fn is_result(block: Node<'_>) -> bool {
    kind(block).ends_with("tool_result")
}

/// The names in requests and responses of the vendors.
pub(super) fn marks(record: Node<'_>, request: Node<'_>, answer: Option<Node<'_>>) -> Marks {
    let parts = [Some(record), Some(request), answer];
    let text_of = |key: &str| {
        let mut found = parts
            .iter()
            .flatten()
            .filter_map(|part| present(*part, key));
        let id = found.find_map(|node| string(node).or_else(|| text(node, "id")));
        id.filter(|id| !id.is_empty())
    };
    let names = [
        text_of("conversation").map(Name::Kept),
        text_of("previous_response_id").map(Name::Response),
        text_of("custom_id").map(Name::Batch),
    ];
    let is_response = |node: &Node<'_>| text(*node, "object").as_deref() == Some("response");
    let response = answer.or(Some(record)).filter(is_response);
    Marks {
        names: names.into_iter().flatten().collect(),
        own: response
            .and_then(|response| text(response, "id"))
            .map(Name::Response),
        opening: opening(request),
    }
}

fn digest(words: &str) -> Digest {
    let mut hasher = Hasher::new();
    hasher.update(words);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use crosscheck_core::Json;

    use super::*;

    /// The conversation of each record.
    fn numbers(records: &[&str]) -> Vec<usize> {
        let mut conversations = Conversations::default();
        let join = |text: &&str| {
            let json = Json::parse(text).unwrap();
            let answer = present(json.root(), "response");
            conversations.join(marks(json.root(), json.root(), answer));
            conversations.current()
        };
        records.iter().map(join).collect()
    }

    #[test]
    fn a_response_is_followed_wherever_it_is() {
        let log = [
            r#"{"input": "one"}"#,
            r#"{"id": "r1", "object": "response", "output": []}"#,
            r#"{"input": "two"}"#,
            r#"{"id": "r2", "object": "response", "output": []}"#,
            r#"{"previous_response_id": "r1", "input": "three"}"#,
            r#"{"id": "r3", "object": "response", "previous_response_id": "r1"}"#,
            r#"{"previous_response_id": "lost", "input": "four"}"#,
            r#"{"id": "lost", "object": "response"}"#,
        ];
        assert_eq!(numbers(&log), [1, 1, 2, 2, 1, 1, 3, 3]);
    }

    #[test]
    fn a_request_with_a_history_continues_what_began_with_its_words() {
        let log = [
            r#"{"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "q"}]}"#,
            r#"{"messages": [{"role": "user", "content": "w"}]}"#,
            r#"{"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]}"#,
            r#"{"messages": [{"role": "assistant", "content": "a"}]}"#,
            r#"{"messages": [{"role": "user", "content": "new"}, {"role": "assistant", "content": "a"}]}"#,
            r#"{"messages": [{"role": "user", "content": "q"}]}"#,
            r#"{"messages": [{"role": "user", "content": [{"type": "tool_result"}]}]}"#,
            r#"{"role": "user", "content": "q"}"#,
        ];
        assert_eq!(numbers(&log), [1, 2, 1, 1, 3, 4, 4, 4]);
    }

    #[test]
    fn the_lines_of_one_batch_id_belong_together() {
        let log = [
            r#"{"custom_id": "a", "messages": [{"role": "user", "content": "q"}]}"#,
            r#"{"custom_id": "b", "messages": [{"role": "user", "content": "q"}]}"#,
            r#"{"custom_id": "a", "response": {"id": "x"}}"#,
            r#"{"conversation": {"id": "k"}, "input": "q"}"#,
            r#"{"conversation": "k", "input": "w"}"#,
        ];
        assert_eq!(numbers(&log), [1, 2, 1, 3, 3]);
    }
}
