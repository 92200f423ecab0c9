//! A judge's command line without the secrets in it.

use crosscheck_core::secrets::{looks_secret, sounds_secret};

/// `prog --api-key X` as `prog --api-key ***`. The words are already joined, so
/// a value may have several of them: everything up to the next option is
/// masked.
pub(crate) fn masked(command: &str) -> String {
    let mut hiding = false;
    let mut words = Vec::new();
    for word in command.split(' ') {
        let name = word.split(['=', ':']).next().unwrap_or_default();
        if word.len() > name.len() + 1 && sounds_secret(name) {
            let mark = word.chars().nth(name.chars().count()).unwrap_or('=');
            words.push(format!("{name}{mark}***"));
            hiding = true;
        } else if sounds_secret(name)
            && (word.starts_with('-')
                || name.len() < word.len()
                || name.eq_ignore_ascii_case("bearer"))
        {
            words.push(word.to_owned());
            hiding = true;
        } else if word.starts_with('-') {
            words.push(word.to_owned());
            hiding = false;
        } else if hiding || looks_secret(word) {
            words.push("***".to_owned());
        } else {
            words.push(word.to_owned());
        }
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::masked;

    #[test]
    fn secrets_of_a_command_line_are_masked() {
        let table = [
            ("builtin:lexical.v1", "builtin:lexical.v1"),
            ("command:claude -p {prompt}", "command:claude -p {prompt}"),
            (
                "command:prog --api-key s3cr3t --fast",
                "command:prog --api-key *** --fast",
            ),
            ("command:prog --token=s3cr3t", "command:prog --token=***"),
            (
                "command:env API_KEY=s3cr3t more",
                "command:env API_KEY=*** ***",
            ),
            (
                "command:curl -H Authorization: Bearer s3cr3t",
                "command:curl -H Authorization: Bearer ***",
            ),
            ("command:prog sk-s3cr3t-0123", "command:prog ***"),
            (
                "command:prog --password a s3cr3t --model m",
                "command:prog --password *** *** --model m",
            ),
        ];
        for (command, expected) in table {
            assert_eq!(masked(command), expected);
        }
    }
}
