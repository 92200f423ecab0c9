//! Sentences that tell the reader what to do: `visit …`, `please open an
//! issue`. They say nothing that a page could refute.

/// Verbs that begin such a sentence.
const VERBS: &str = " visit see open click go join install run download read check use try follow submit report file \
    contact ask email create sign register subscribe star fork clone copy paste add set configure refer consult \
    browse explore learn get start watch choose select navigate enter type ensure consider note update upgrade \
    write send tell share review grab pick replace make build deploy launch enable disable head search look find \
    consult access edit upload import export press tap scroll bookmark discover buy order book donate support ";

/// What follows such a verb, and not behind a noun that is spelled alike.
const BEHIND: &str = " the a an this that these those our your my us it its up to on in at out into all any more and \
    or here about after before by for from with over via then sure free how what where if when one some each both \
    as through ";

/// Words before the verb that change nothing.
const BEFORE: &str =
    " please then now next first finally also just simply or and so kindly always ";

/// Whether a sentence asks the reader to do something.
pub fn is_request(text: &str) -> bool {
    if begins_with_verb(text) {
        return true;
    }
    let lower = text.to_lowercase();
    let asks = [
        "please ",
        "click here",
        "click on ",
        "click the ",
        "feel free to ",
        "let us know",
        "don't forget",
    ];
    let points = [
        "for more information",
        "for more details",
        "for further information",
        "to learn more",
        "for details,",
    ];
    asks.iter().any(|words| lower.contains(words))
        || points.iter().any(|words| lower.starts_with(words))
        || behind_lead(text).is_some_and(begins_with_verb)
}

/// What follows `To get started,`, `If it fails,` or a label.
fn behind_lead(text: &str) -> Option<&str> {
    const LEADS: [&str; 5] = ["To ", "For ", "If ", "Once ", "When "];
    let led = LEADS.iter().any(|lead| text.starts_with(lead));
    let (_, rest) = text.split_once(", ").filter(|_| led)?;
    Some(rest)
}

fn begins_with_verb(text: &str) -> bool {
    let is_in = |list: &str, word: &str| list.contains(&format!(" {} ", word.to_lowercase()));
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let mut words = text
        .split_whitespace()
        .skip_while(|word| is_in(BEFORE, word.trim_end_matches(',')));
    let Some(verb) = words.next() else {
        return false;
    };
    let negated = ["don't", "never", "do"].contains(&verb.to_lowercase().as_str());
    let verb = if negated {
        words.next().unwrap_or_default()
    } else {
        verb
    };
    let bare = verb.trim_end_matches(|c: char| !c.is_alphanumeric());
    let next = words.next().unwrap_or_default();
    let shown = next
        .trim_matches(|c: char| matches!(c, '"' | '\'' | '“' | '”' | '*' | '(' | ',' | '.' | ':'));
    // "Set theory", "Open data": a noun follows.
    let fits = || {
        shown.is_empty()
            || is_in(BEHIND, shown)
            || shown != next
            || next.starts_with(|c: char| {
                c.is_uppercase() || c.is_ascii_digit() || matches!(c, '`' | '~' | '/' | '-' | '$')
            })
    };
    is_in(VERBS, bare) && (bare != verb || fits())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_reader_should_do_is_a_request() {
        for (text, expected) in [
            ("For more information on SemVer, please visit.", true),
            ("Visit and click the \"Create new file\" button.", true),
            (
                "Please open an issue and tell us the version (0.3.2).",
                true,
            ),
            ("Open after about 30 seconds.", true),
            ("Join the 2,300 people in our Discord!", true),
            ("To get started, install Node.js 20.", true),
            ("- Run `npm install` 3 times.", true),
            (
                "Download the latest installer from and restart your terminal.",
                true,
            ),
            ("Do not open it.", false),
            ("Germany added 16.2 GW of solar capacity in 2024.", false),
            ("Open data helped 40 cities.", false),
            ("Use of coal fell by 12 %.", false),
            ("Reports say that 12 people died.", false),
            ("Set theory has 9 axioms.", false),
            ("If the bill passes, taxes will rise by 5 %.", false),
            ("For 30 years, the town grew.", false),
        ] {
            assert_eq!(is_request(text), expected, "{text}");
        }
    }
}
