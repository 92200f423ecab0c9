//! Secrets are taken out before anything is shown or stored.

use std::sync::LazyLock;

use regex::Regex;

/// What stands in the place of a secret.
const REDACTED: &str = "[redacted]";

/// A pattern, and which of its groups is the secret.
struct Rule {
    pattern: Regex,
    keep: &'static str,
}

/// Rules are built once, when something is shown for the first time.
static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let name = r"[A-Za-z0-9_-]*(?i:token|secret|passw(?:or)?d|passwd|pwd|api_?-?key|credential|auth|private_?key)[A-Za-z0-9_-]*";
    let table: [(String, &'static str); 11] = [
        // PEM blocks
        (r"(?s)-----BEGIN [A-Z ]+-----.*?(?:-----END [A-Z ]+-----|$)".to_owned(), ""),
        // URL userinfo
        (r"(?P<keep>[A-Za-z][A-Za-z0-9+.-]*://)[^\s/@'\x22]*:[^\s/@'\x22]*@".to_owned(), "${keep}[redacted]@"),
        (r"(?P<keep>[A-Za-z][A-Za-z0-9+.-]*://)[^\s/@:'\x22]{16,}@".to_owned(), "${keep}[redacted]@"),
        // headers
        (r#"(?i)(?P<keep>\b(?:authorization|x-api-key|x-auth-token|cookie|proxy-authorization)\s*:\s*(?:bearer\s+|basic\s+|token\s+)?)[^\s'"]+"#.to_owned(), "${keep}[redacted]"),
        (r"(?i)(?P<keep>\bbearer\s+)[A-Za-z0-9._~+/=-]{8,}".to_owned(), "${keep}[redacted]"),
        // well-known shapes
        (
            r"\b(?:ghp_|gho_|ghu_|ghs_|ghr_|github_pat_|sk-|sk_live_|sk_test_|rk_live_|xox[a-z]-|glpat-|npm_|fo1_|pypi-|hf_|AIza|ya29\.)[A-Za-z0-9._-]{8,}".to_owned(),
            REDACTED,
        ),
        (r"\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?".to_owned(), REDACTED),
        // assignments by name
        (format!(r#"(?P<keep>\b{name}["']?\s*[=:]\s*)(?:"[^"]*"|'[^']*'|[^\s'"&;,]+)"#), "${keep}[redacted]"),
        // options
        (
            format!(r#"(?P<keep>(?:^|\s)(?:--?{name}|--build-secret|--build-arg\s+{name})(?:\s+|=))(?:"[^"]*"|'[^']*'|[^\s'"-][^\s'"]*)"#),
            "${keep}[redacted]",
        ),
        (
            r"(?P<keep>\b(?:mysql\w*|mariadb\w*|sshpass|docker login|podman login|htpasswd|redis-cli)\b[^\n|;&]*?\s-[pa]\s*)[^\s-]\S*".to_owned(),
            "${keep}[redacted]",
        ),
        (r"(?P<keep>\bcurl\b[^\n|;&]*?\s(?:-u|--user)\s+[^\s:]+:)\S+".to_owned(), "${keep}[redacted]"),
    ];
    let rules = table.into_iter().filter_map(|(pattern, keep)| {
        let pattern = Regex::new(&pattern).ok()?;
        let keep = if keep.is_empty() { REDACTED } else { keep };
        Some(Rule { pattern, keep })
    });
    rules.collect()
});

/// A command or a line of output as it may be shown.
pub fn redacted(text: &str) -> String {
    if !may_hold_secret(text) {
        return text.to_owned();
    }
    let mut shown = text.to_owned();
    for rule in RULES.iter() {
        if rule.pattern.is_match(&shown) {
            shown = rule.pattern.replace_all(&shown, rule.keep).into_owned();
        }
    }
    shown
}

/// A cheap look before the patterns are built: most commands are plain words.
fn may_hold_secret(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let signs = [
        "token",
        "secret",
        "passw",
        "pwd",
        "key",
        "credential",
        "auth",
        "://",
        "bearer",
        "cookie",
        "-----begin",
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
        "github_pat",
        "sk-",
        "sk_",
        "rk_",
        "xox",
        "akia",
        "asia",
        "eyj",
        "glpat",
        "npm_",
        "fo1_",
        "pypi-",
        "hf_",
        "aiza",
        "ya29",
        " -p",
        " -a",
        " -u",
        "--user",
        "--build-",
    ];
    signs.iter().any(|sign| lower.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_is_shown() {
        for (text, secret) in [
            ("API_KEY=abc123 npm test", "abc123"),
            (
                "curl -H 'Authorization: Bearer abcdef123456' x",
                "abcdef123456",
            ),
            ("psql postgres://u:s3cr3t@localhost/db", "s3cr3t"),
            (
                "printf 'DATABASE_URL=postgres://u:s3cr3t@localhost/db\\n' >> .env",
                "s3cr3t",
            ),
            ("mysql -u root -phunter2 shop", "hunter2"),
            ("docker login -u me -p hunter2", "hunter2"),
            ("curl -u me:hunter2 https://x", "hunter2"),
            ("login --password hunter2", "hunter2"),
            ("login --token=hunter2x", "hunter2x"),
            ("docker build --build-secret K=hunter2 .", "hunter2"),
            ("echo ghp_abcdefghijklmnop1234", "ghp_abcdefghijklmnop1234"),
            ("export AWS=AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"),
            (
                "x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc y",
                "eyJhbGciOiJIUzI1NiJ9",
            ),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----",
                "MIIabc",
            ),
            ("{\"client_secret\": \"xyz789\"}", "xyz789"),
            (
                "fly deploy --build-secret NPM=fo1_abcdefghijk",
                "fo1_abcdefghijk",
            ),
        ] {
            let shown = redacted(text);
            assert!(!shown.contains(secret), "{shown}");
            assert!(shown.contains(REDACTED), "{shown}");
        }
    }

    #[test]
    fn plain_commands_stay_as_they_are() {
        for text in [
            "pytest -q tests/test_auth.py",
            "cargo test -p core",
            "git commit -m 'tok: keep names'",
            "curl -si localhost:8080/items",
            "mkdir -p src/a",
        ] {
            assert_eq!(redacted(text), text);
        }
    }
}
