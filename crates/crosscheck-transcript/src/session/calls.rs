//! Records as calls, answers and messages, for verifiers that do not ask what a
//! tool does.

use std::borrow::Cow;

use super::Harness;
use super::Span;
use super::record::{Answer, Input, Item, Place, Record, Step, records};
use crate::content::{answered, arguments, asked};
use crate::model::{Arguments, Body, Message, Role};
use crate::raw::Raw;
use crate::sink::{News, Sink};

/// Reads one line.
pub(crate) fn line(sink: &mut Sink, harness: Harness, line: &[u8]) {
    let span = Span {
        at: 0,
        len: line.len(),
    };
    let place = Place { line: 0, span };
    if records(harness, place, line, &mut |_, record| tell(sink, record)).is_err() {
        sink.ignore();
    }
}

fn tell(sink: &mut Sink, record: Record<'_>) {
    let Record {
        items, is_inserted, ..
    } = record;
    if items.iter().any(|item| matches!(item, Item::Begins)) {
        sink.conversations.begin();
    }
    if let Some(message) = record
        .group
        .filter(|_| matches!(record.step, Step::Message))
    {
        sink.set_message(&message);
    }
    for item in items {
        match item {
            Item::Said(role, words) => said(sink, role, words, is_inserted),
            Item::Called {
                id,
                name,
                input,
                is_retold,
            } => {
                let news = match named(&id) {
                    Some(id) if is_retold => sink.announce(&id),
                    _ => News::First,
                };
                if news != News::Known {
                    let call = asked(named(&id), Some(name.into_owned()), given(&input));
                    sink.tell_news(news, call);
                }
            }
            Item::Answered { id, answer } => sink.tell(answer_of(named(&id), &answer)),
            Item::Exited(exit, _) => sink.tell(Body::Exit(exit)),
            Item::TurnEnd => sink.tell(Body::TurnEnd),
            Item::Other => sink.ignore(),
            Item::Begins => {}
        }
    }
}

fn named(id: &str) -> Option<String> {
    (!id.is_empty()).then(|| id.to_owned())
}

fn said(sink: &mut Sink, role: Role, words: Cow<'_, str>, synthetic: bool) {
    if !words.is_empty() {
        sink.tell(Body::Message(Message {
            role,
            text: words.into_owned(),
            synthetic,
        }));
    }
}

fn given(input: &Input<'_>) -> Arguments {
    match input {
        Input::Text(text) => crosscheck_core::Json::parse(text).map_or_else(
            |_| Arguments::Text(text.clone().into_owned()),
            Arguments::Json,
        ),
        input => {
            let json = input.raw().and_then(Raw::json);
            arguments(json.as_ref().map(crosscheck_core::Json::root))
        }
    }
}

fn answer_of(id: Option<String>, answer: &Answer<'_>) -> Body {
    let content = answer.content.and_then(Raw::json);
    let content = content.as_ref().map(crosscheck_core::Json::root);
    let mut body = answered(id, content, answer.failed);
    if let Body::ToolResult(result) = &mut body {
        result.structured = answer.data.and_then(Raw::json).or(result.structured.take());
    }
    body
}
