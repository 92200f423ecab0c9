//! What the harness writes around an output about the end of the command.

use crate::raw::Raw;

/// The end of a command in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Frame {
    Exited(i64),
    Running(i64),
    Silent,
}

/// What the harness writes before the output.
pub(super) fn frame(start: &str) -> Frame {
    if start.trim_start().starts_with('{') {
        return metadata(start).map_or(Frame::Silent, Frame::Exited);
    }
    let head = match start.split_once("\nOutput:") {
        Some((head, rest)) if rest.is_empty() || rest.starts_with('\n') => head,
        _ => return Frame::Silent,
    };
    if head.lines().any(|line| line == "Output:") {
        return Frame::Silent;
    }
    let number = |words: &str| {
        let line = head.lines().find_map(|line| line.strip_prefix(words))?;
        line.trim().parse().ok()
    };
    let code = number("Process exited with code ").or_else(|| number("Exit code: "));
    match (code, number("Process running with session ID ")) {
        (Some(code), _) => Frame::Exited(code),
        (None, Some(session)) => Frame::Running(session),
        (None, None) => Frame::Silent,
    }
}

/// The exit code in the data around an output.
fn metadata(text: &str) -> Option<i64> {
    let digits = |text: &str| {
        let (_, rest) = text.rsplit_once("\"metadata\"")?;
        let (_, rest) = rest.split_once("\"exit_code\"")?;
        let rest = rest.trim_start().strip_prefix(':')?.trim_start();
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '-')?;
        rest.get(..end)?.parse().ok()
    };
    match Raw::line(text.as_bytes()) {
        Ok(data) => {
            let [output, metadata] = data.pick(["output", "metadata"]).ok()?;
            output.and(metadata)?.get("exit_code")?.int()
        }
        // only the beginning of the data was decoded
        Err(_) => digits(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_frame_before_the_output_says_how_a_command_ended() {
        let table = [
            (
                "Wall time: 1\nProcess exited with code 3\nOutput:\nx",
                Frame::Exited(3),
            ),
            (
                "Exit code: 0\nWall time: 0\nOutput:\nExit code: 1\n",
                Frame::Exited(0),
            ),
            (
                "Chunk ID: 1\nProcess running with session ID 7\nOutput:\n",
                Frame::Running(7),
            ),
            (
                "Wall time: 0\nOutput:\nProcess exited with code 0\nOutput:\n",
                Frame::Silent,
            ),
            ("Process exited with code 0\n", Frame::Silent),
            (
                "Output:\nProcess exited with code 0\nOutput:\nx",
                Frame::Silent,
            ),
            (
                r#"{"output":"Exit code: 9","metadata":{"exit_code":2}}"#,
                Frame::Exited(2),
            ),
            (r#"{"metadata":{"exit_code":0}}"#, Frame::Silent),
        ];
        for (text, expected) in table {
            assert_eq!(frame(text), expected, "{text}");
        }
    }
}
