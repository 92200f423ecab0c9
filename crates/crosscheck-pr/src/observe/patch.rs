//! The lines of a patch.

/// A line that was added or removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DiffLine {
    pub(crate) path: String,
    /// In the new file for an added line, in the old one for a removed line.
    pub(crate) line: u64,
    pub(crate) text: String,
}

/// All lines of a patch without context.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Patch {
    pub(crate) added: Vec<DiffLine>,
    pub(crate) removed: Vec<DiffLine>,
    /// Files of which the patch says only that they differ.
    pub(crate) binary: usize,
}

impl Patch {
    /// Reads what `git diff-tree -p -U0` prints. Lines of a hunk are counted, so that none of
    /// them is taken for a header.
    pub(crate) fn read(text: &str) -> Self {
        let mut patch = Self::default();
        let (mut old_path, mut new_path) = (String::new(), String::new());
        let (mut old, mut new) = ((0, 0), (0, 0));
        for line in text.split('\n') {
            if old.1 > 0 && line.starts_with('-') {
                take(&mut patch.removed, &old_path, &mut old, line);
            } else if new.1 > 0 && line.starts_with('+') {
                take(&mut patch.added, &new_path, &mut new, line);
            } else if let Some(path) = line.strip_prefix("--- ") {
                old_path = path_of(path);
            } else if let Some(path) = line.strip_prefix("+++ ") {
                new_path = path_of(path);
            } else if let Some(hunk) = line.strip_prefix("@@ -") {
                let mut parts = hunk.split(' ');
                old = span_of(parts.next().unwrap_or_default());
                new = span_of(parts.next().unwrap_or_default().trim_start_matches('+'));
            } else if line.starts_with("Binary files ") {
                patch.binary += 1;
            }
        }
        patch
    }
}

fn take(into: &mut Vec<DiffLine>, path: &str, span: &mut (u64, u64), line: &str) {
    into.push(DiffLine {
        path: path.to_owned(),
        line: span.0,
        text: line.get(1..).unwrap_or_default().to_owned(),
    });
    *span = (span.0 + 1, span.1 - 1);
}

/// `a/src/x.rs`, which git quotes where it holds a control character.
fn path_of(text: &str) -> String {
    let text = text.trim_end_matches('\t').trim_matches('"');
    text.get(2..).unwrap_or_default().to_owned()
}

/// First line and number of lines: `12,3`, or `12` for one line.
fn span_of(text: &str) -> (u64, u64) {
    let (first, count) = text.split_once(',').unwrap_or((text, "1"));
    (first.parse().unwrap_or(0), count.parse().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_looks_like_a_header_stays_a_line() {
        let patch = Patch::read(
            "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -3 +3,2 @@ f\n--- a/y\n+++ b/y\n+b\nBinary files a/z and b/z differ\n",
        );
        let line = |path: &str, line, text: &str| DiffLine {
            path: path.to_owned(),
            line,
            text: text.to_owned(),
        };
        assert_eq!(patch.removed, [line("x", 3, "-- a/y")]);
        assert_eq!(patch.added, [line("x", 3, "++ b/y"), line("x", 4, "b")]);
        assert_eq!(patch.binary, 1);
    }
}
