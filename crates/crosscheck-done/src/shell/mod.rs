//! What a command line runs, where, and whether its exit status says so.

mod flat;
mod lex;
mod parse;
mod pipes;
mod prints;
mod reach;
mod strip;
mod words;
mod writes;

pub use flat::{Line, Segment, Standing};
pub(crate) use lex::TOP;
pub use lex::Unparsed;
pub use pipes::Behind;
pub(crate) use prints::prints_foreign;
pub(crate) use reach::reaches;
pub use strip::Stripped;
pub use writes::{Write, writes};

/// Whether a program prints settings of the shell for an environment.
pub(crate) fn is_environment(name: &str) -> bool {
    words::has(&words::WORDS.environments, name)
}

/// Whether a text sets plain variables and does nothing else, though each of them is exported.
pub(crate) fn only_sets(text: &str) -> bool {
    line(&format!("set -a\n{text}")).is_ok_and(|line| {
        line.segments.is_empty() && line.shadows.is_empty() && line.paths.is_empty() && !line.steers
    })
}

/// Whether a command only looks at files: it tries nothing out.
pub(crate) fn is_look(command: &str) -> bool {
    let is_look = |segment: &Segment| {
        let name = segment.run.words.first();
        name.is_none_or(|name| is_looker(name))
    };
    line(command).is_ok_and(|line| line.segments.iter().all(is_look))
}

/// Whether a program prints what is there.
pub(crate) fn is_looker(name: &str) -> bool {
    let pipes = &words::WORDS.pipes;
    let looks = [
        &pipes.lookers,
        &pipes.printers,
        &pipes.sifters,
        &pipes.whole,
    ];
    looks.iter().any(|list| words::has(list, name))
}

/// Cuts a command line into the programs it runs.
pub fn line(text: &str) -> Result<Line, Unparsed> {
    flat::line(text).or_else(|unparsed| {
        let plain = without_messages(text);
        if plain == text {
            return Err(unparsed);
        }
        flat::line(&plain)
    })
}

/// `git commit -m "$(cat <<'EOF' … EOF)"`: the text of a message may hold any
/// quote, and runs nothing.
fn without_messages(text: &str) -> String {
    const OPEN: &str = "$(cat <<";
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, inside)) = rest.split_once(OPEN) {
        let (mark, body) = inside.split_once('\n').unwrap_or((inside, ""));
        let mark = mark.trim_matches(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let end = body
            .lines()
            .position(|line| line.trim() == mark)
            .filter(|_| !mark.is_empty());
        let Some(end) = end else {
            break;
        };
        plain.push_str(before);
        plain.push_str("message");
        let skipped: usize = body.split_inclusive('\n').take(end + 1).map(str::len).sum();
        let behind = body.get(skipped..).unwrap_or_default();
        rest = behind.trim_start().strip_prefix(')').unwrap_or(behind);
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_message_may_hold_any_quote() {
        let text = "git add a && git commit -m \"$(cat <<'EOF'\nthat don't match (\nEOF\n)\" && ls";
        let line = super::line(text).unwrap();
        let words: Vec<String> = line
            .segments
            .iter()
            .map(|one| one.run.words.join(" "))
            .collect();
        assert_eq!(words, ["git add a", "git commit -m message", "ls"]);
    }
}
