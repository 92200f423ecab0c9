//! Details with `--verbose`, and the colour of a verdict.

use crosscheck::core::Verdict;

use crate::args::talk::TalkArgs;
use crate::output::Streams;

/// Prints a detail with `--verbose`.
pub(super) fn explain(args: TalkArgs, streams: &mut Streams, text: &str) {
    if args.verbose {
        streams.talk(&format!("{text}\n"));
    }
}

/// A text that begins with its verdict, with the verdict coloured.
pub(super) fn painted(text: &str, verdict: Verdict, colours: bool) -> String {
    let stop = text.find([':', ' ']).filter(|_| colours);
    let Some((word, rest)) = stop.map(|stop| text.split_at(stop)) else {
        return text.to_owned();
    };
    let colour = match verdict {
        Verdict::Confirmed => 32,
        Verdict::Refuted => 31,
        Verdict::Undecided => 33,
    };
    format!("\u{1b}[{colour}m{word}\u{1b}[0m{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_of_the_verdict_is_painted_and_nothing_else() {
        let text = "rejected: 1 of 16\n  run\n";
        assert_eq!(painted(text, Verdict::Refuted, false), text);
        assert_eq!(
            painted(text, Verdict::Refuted, true),
            "\u{1b}[31mrejected\u{1b}[0m: 1 of 16\n  run\n"
        );
    }
}
