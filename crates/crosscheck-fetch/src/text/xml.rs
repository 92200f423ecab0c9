//! XML to text: tags removed, character data kept.

use html5gum::emitters::callback::CallbackEvent;

use super::html::Collapsed;
use super::tokens::each_event;

const OPEN: &str = "<![CDATA[";
const CLOSE: &str = "]]>";

/// The character data of a document, with a space in place of each tag.
pub(super) fn text(xml: &str) -> String {
    let mut result = Collapsed::default();
    let mut rest = xml;
    while let Some((before, after)) = rest.split_once(OPEN) {
        strip(before, &mut result);
        let (data, behind) = after.split_once(CLOSE).unwrap_or((after, ""));
        result.push(data);
        rest = behind;
    }
    strip(rest, &mut result);
    result.into_text()
}

fn strip(xml: &str, result: &mut Collapsed) {
    each_event(xml, false, &mut |event, _| match event {
        CallbackEvent::String { value } => result.push(&String::from_utf8_lossy(value)),
        CallbackEvent::CloseStartTag { .. } | CallbackEvent::EndTag { .. } => result.space(),
        _ => {}
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_go_and_character_data_stays() {
        let xml = "<?xml version='1.0'?><feed><!-- no --><title>A &amp; B</title><body><![CDATA[1 < 2 & <b>]]></body></feed>";
        assert_eq!(text(xml), "A & B 1 < 2 & <b>");
    }
}
