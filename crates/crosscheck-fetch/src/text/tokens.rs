//! The tags of an HTML text with their positions, for readers that need them.

use std::ops::Range;

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};

use super::html::Calm;

/// A tag or comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    /// The start of an element.
    Open {
        /// Its name in lower case.
        name: String,
        /// Its attributes, character references resolved.
        attributes: Vec<(String, String)>,
    },
    /// The end of an element.
    Close {
        /// Its name in lower case.
        name: String,
    },
    /// A comment or a declaration.
    Hidden,
}

/// All tags and comments of an HTML text, in order, with their positions.
pub fn tokens(html: &str) -> Vec<(Range<usize>, Token)> {
    let mut reader = Reader::default();
    each_event(html, true, &mut |event, span| reader.event(event, span));
    reader.found
}

/// Hands over every event of a text with its position; `is_page` says that scripts and the like
/// are read as a browser does.
pub(super) fn each_event(
    html: &str,
    is_page: bool,
    take: &mut dyn FnMut(&CallbackEvent<'_>, Span<usize>),
) {
    let hand_over = |event: CallbackEvent<'_>, span: Span<usize>| -> Option<()> {
        take(&event, span);
        None
    };
    let mut emitter: CallbackEmitter<_, (), usize> = CallbackEmitter::new(hand_over);
    emitter.naively_switch_states(is_page);
    for Ok(()) in Tokenizer::new_with_emitter(html, Calm(emitter)) {}
}

/// A text with its character references resolved.
pub fn unescape(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let mut out = String::new();
    each_event(text, false, &mut |event, _| {
        if let CallbackEvent::String { value } = event {
            out.push_str(&String::from_utf8_lossy(value));
        }
    });
    out
}

#[derive(Default)]
struct Reader {
    found: Vec<(Range<usize>, Token)>,
    start: usize,
    name: String,
    attribute: String,
    attributes: Vec<(String, String)>,
}

impl Reader {
    fn event(&mut self, event: &CallbackEvent<'_>, span: Span<usize>) {
        let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.start = span.start;
                self.name = text(name);
                self.attributes.clear();
            }
            CallbackEvent::AttributeName { name } => {
                self.attribute = text(name);
                self.attributes
                    .push((self.attribute.clone(), String::new()));
            }
            CallbackEvent::AttributeValue { value } => {
                if let Some((_, last)) = self.attributes.last_mut() {
                    last.push_str(&text(value));
                }
            }
            CallbackEvent::CloseStartTag { .. } => {
                let token = Token::Open {
                    name: std::mem::take(&mut self.name),
                    attributes: std::mem::take(&mut self.attributes),
                };
                self.found.push((self.start..span.end, token));
            }
            CallbackEvent::EndTag { name } => {
                let token = Token::Close { name: text(name) };
                self.found.push((span.start..span.end, token));
            }
            CallbackEvent::Comment { .. } | CallbackEvent::Doctype { .. } => {
                self.found.push((span.start..span.end, Token::Hidden));
            }
            CallbackEvent::String { .. } | CallbackEvent::Error(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_have_their_position() {
        let html = "<!doctype html>\n<p class=x>One &amp; <a\n href='https://a.example/?a=1&amp;b'>two</a><!-- gone -->é<br/></p><script>var a = \"<b>\";</script><i>x</i>";
        let pieces: Vec<&str> = tokens(html)
            .iter()
            .filter_map(|(range, _)| html.get(range.clone()))
            .collect();
        assert_eq!(
            pieces,
            [
                "<!doctype html>",
                "<p class=x>",
                "<a\n href='https://a.example/?a=1&amp;b'>",
                "</a>",
                "<!-- gone -->",
                "<br/>",
                "</p>",
                "<script>",
                "</script>",
                "<i>",
                "</i>",
            ]
        );
        let link = Token::Open {
            name: "a".to_owned(),
            attributes: vec![("href".to_owned(), "https://a.example/?a=1&b".to_owned())],
        };
        assert_eq!(tokens(html)[2].1, link);
        assert_eq!(
            unescape("a &amp; b &ndash; c &unknown; &#233;"),
            "a & b – c &unknown; é"
        );
    }
}
