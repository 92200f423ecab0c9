//! Commands and lines of output without the secrets in them.

use std::sync::{LazyLock, OnceLock};

use crate::secrets::{self, is_surely_secret, sounds_secret, without_keys};
use regex::Regex;

/// What is in the place of a secret.
const REDACTED: &str = "[redacted]";

/// The end of a text that was cut off, with the brackets around it.
const CUT: &str = r#"(?:…|\.\.\.)[)\]}"'`]*$"#;

/// A pattern, and what is shown in the place of what it finds.
struct Rule {
    /// One of these, in small letters, is in every text that it finds something in: a
    /// search for them is far cheaper than building the pattern.
    signs: &'static [&'static str],
    pattern: String,
    keep: &'static str,
    built: OnceLock<Regex>,
}

impl Rule {
    #[expect(
        clippy::expect_used,
        reason = "a rule that is left out would show secrets"
    )]
    fn built(&self) -> &Regex {
        let build = || Regex::new(&self.pattern).expect("the patterns of this file are valid");
        self.built.get_or_init(build)
    }
}

/// A value, also in JSON inside of JSON, and where the text was cut off.
const VALUE: &str = r#"(?:\\+["'][^"']*|(?:\$?"(?:\\(?s:.)?|[^"\\])*(?:"|$)|\$'(?:\\(?s:.)?|[^'\\])*(?:'|$)|'[^']*(?:'|$)|\$\([^)]*\)?|[^\s'"&;,]+(?:,[^\s'"&;,]+)*)+)"#;

/// A name with the sign behind it, and a value.
static ASSIGNED: LazyLock<Option<(Regex, Regex)>> = LazyLock::new(|| {
    let name = r#"\b(?P<name>[A-Za-z][A-Za-z0-9_.-]*(?:(?:'\w+'|"\w+")[A-Za-z0-9_]*)*)(?:\\*["'`]\]?)?\s*(?P<sign>\+?=|:=?)\s*"#;
    Some((
        Regex::new(name).ok()?,
        Regex::new(&format!("^{VALUE}")).ok()?,
    ))
});

/// Programs, the options behind which they take a secret, and what every such command holds.
/// A value may be right behind an option of one letter.
const SECRET_OPTIONS: [(&str, &str, &[&str]); 22] = [
    (
        r"mysql\w*|mariadb\w*|sshpass|htpasswd|cqlsh|rabbitmqadmin",
        "-p",
        &["-p"],
    ),
    (
        r"(?:docker|podman|helm registry|az|oc|gcloud) login",
        "-p",
        &[" login"],
    ),
    (
        "twine|mongosh?|mongodump|mongorestore",
        "-p",
        &["twine", "mongo"],
    ),
    ("redis-cli", "-a", &["redis-cli"]),
    (
        "zip|unzip|7z|sqlcmd|bcp|osql|ipmitool|mosquitto_[a-z]+",
        "-P",
        &["-p"],
    ),
    ("7z", "-p", &["7z"]),
    ("ldap[a-z]+", "-w|-y", &["ldap"]),
    (
        "keytool|jarsigner",
        "-storepass|-keypass|-new|-srcstorepass|-deststorepass|-srckeypass|-destkeypass",
        &["keytool", "jarsigner"],
    ),
    (
        "az",
        "--account-key|--sas-token|--connection-string|--admin-password",
        &["--account-key", "--sas-token", "--connection-", "--admin-"],
    ),
    ("openssl", "-passin|-passout|-pass|-k", &["openssl"]),
    ("snmp[a-z]+", "-c|-A|-X", &["snmp"]),
    ("influx", "-t|-p", &["influx"]),
    ("nomad|consul", "-token", &["-token"]),
    (
        "wp",
        "--user_pass|--dbpass|--admin_password",
        &["--user_pass", "--dbpass", "--admin_"],
    ),
    (
        "curl",
        "--oauth2-bearer|--pass|--tlspassword",
        &["--oauth2", "--pass", "--tlsp"],
    ),
    ("net user", r"\S+", &["net user"]),
    ("cmdkey", r"/pass:", &["/pass:"]),
    ("xfreerdp|rdesktop", r"/p:", &["/p:"]),
    (
        "smbclient|rpcclient|smbmap|net|winexe",
        r"-U\s*[^\s%]+%",
        &["%"],
    ),
    (r"lftp", r"-u\s*[^\s,]+,", &["lftp"]),
    (
        r"vault (?:kv )?(?:put|patch|write)",
        r"[A-Za-z][\w.-]*=",
        &["vault "],
    ),
    (
        r"ansible\w*",
        r"(?:-e|--extra-vars)\s+[\x22']?[\w.]*pass\w*=",
        &["ansible"],
    ),
];

/// Parts of the names of secrets, as `name` below has them.
const NAMES: &[&str] = &[
    "token",
    "secret",
    "passw",
    "pwd",
    "apikey",
    "api_key",
    "api-key",
    "api_-key",
    "credential",
    "private",
    "auth",
];

/// Each pattern is built when a text may hold what it looks for.
static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let name = r"[A-Za-z0-9_-]*(?i:token|secret|passw(?:or)?d|passwd|pwd|api_?-?key|credential|private_?key|auth(?:[_-]|\b))[A-Za-z0-9_-]*";
    let value = VALUE;
    let starts = secrets::key_starts().map(regex::escape).collect::<Vec<_>>();
    let starts = starts.join("|");
    let table: [(&'static [&'static str], String, &'static str); 37] = [
        // PEM blocks
        (&["-----begin"], r"(?s)-----BEGIN [A-Z ]+-----.*?(?:-----END [A-Z ]+-----|$)".to_owned(), ""),
        (&["<<<"], r"(?P<keep>--(?:with-token|password-stdin)\s*<<<\s*)\S+".to_owned(), "${keep}[redacted]"),
        // URL userinfo; a password may hold an `@`
        (&["@"], r"(?P<keep>[A-Za-z][A-Za-z0-9+.-]*://)[^\s/@'\x22]*:[^\s/'\x22]*@".to_owned(), "${keep}[redacted]@"),
        (&["@"], r"(?P<keep>[A-Za-z][A-Za-z0-9+.-]*://)[^\s/@:'\x22]{16,}@".to_owned(), "${keep}[redacted]@"),
        (&["@"], r"(?P<keep>\bhttps?://)[^\s/@:'\x22]+@".to_owned(), "${keep}[redacted]@"),
        (&["hooks.slack"], r"(?P<keep>\bhooks\.slack\.com/services/)[^\s'\x22]+".to_owned(), "${keep}[redacted]"),
        // a bot of Telegram, what a sign-in hands back
        (&["/bot"], r"(?P<keep>/bot)\d{6,}:[A-Za-z0-9_-]{16,}".to_owned(), "${keep}[redacted]"),
        (&["code="], r"(?P<keep>[?&](?:code|auth_code|device_code)=)[^\s&'\x22]{6,}".to_owned(), "${keep}[redacted]"),
        (&["htpasswd"], r"(?P<keep>\bhtpasswd\s+(?:-[A-Za-z]+\s+)*-[A-Za-z]*b[A-Za-z]*\s+(?:-[A-Za-z]+\s+)*(?:[^\s;|&]+\s+){1,2})(?:'[^']*'|[^\s;|&]+)(?P<end>\s*(?:[;|&\n]|$))".to_owned(), "${keep}[redacted]${end}"),
        // signed URLs
        (&["sig=", "signature=", "key=", "jwt="], r"(?P<keep>[?&][A-Za-z0-9_-]*(?i:sig|signature|key|jwt)=)[^\s&'\x22]+".to_owned(), "${keep}[redacted]"),
        // headers; between quotation marks to the end
        (
            &["authorization", "cookie", "private-token", "x-"],
            r#"(?i)(?P<keep>["'](?:authorization|proxy-authorization|cookie|set-cookie|private-token|x-[a-z0-9-]*(?:auth|key|token)[a-z0-9-]*)\s*:\s*)[^"'\n]+(?:["'][a-z0-9][^\s"']*)*"#.to_owned(),
            "${keep}[redacted]",
        ),
        (&["authorization", "x-api-key", "x-auth-token", "cookie"], r#"(?i)(?P<keep>\b(?:authorization|x-api-key|x-auth-token|cookie|proxy-authorization)\s*:\s*(?:bearer\s+|basic\s+|token\s+)?)[^\s'"]+"#.to_owned(), "${keep}[redacted]"),
        (&["bearer"], r#"(?i)(?P<keep>\bbearer\s+)(?:"[^"\s]*"[A-Za-z0-9._~+/=-]+|[A-Za-z0-9._~+/=-]{8,})"#.to_owned(), "${keep}[redacted]"),
        (NAMES, format!(r#"(?P<keep>["']{name}["']\s*,\s*)(?:"[^"]*"|'[^']*')"#), "${keep}[redacted]"),
        (&[" set "], r"(?P<keep>\bconfig(?:ure)? set \S*(?i:key|token|secret|password)\S*\s+)\S+".to_owned(), "${keep}[redacted]"),
        // `DB_PASS=…`; the summary of a run has `pass: 12`
        (&["pass=", "passphrase=", "passcode="], format!(r"(?P<keep>\b[A-Z0-9_]*PASS(?:PHRASE|CODE)?=){value}"), "${keep}[redacted]"),
        (
            &["-pass"],
            r#"(?P<keep>(?:^|[^\w-])--?pass(?:phrase|code)?(?:\s+|=))(?:"[^"]*(?:"|$)|'[^']*(?:'|$)|[^\s'"-][^\s'"]*)"#.to_owned(),
            "${keep}[redacted]",
        ),
        // what is said in words; `the token is invalid` is not
        (
            &["passw", "passphrase", "secret", "token", "api"],
            r#"(?i)(?P<keep>\b(?:password|passphrase|secret|token|api[ _-]?key)\s+(?:is|was)\s*:?\s*)(?:\\*["'`][^\s"'`]{4,}\\*["'`]|[^\s"'`]{3,}\d[^\s"'`]*|[^\s"'`]*\d[^\s"'`]{3,})"#.to_owned(),
            "${keep}[redacted]",
        ),
        // options
        (
            NAMES,
            format!(r#"(?P<keep>(?:^|[^\w-]|\\[nrt])(?:--?{name}|--build-secret|--build-arg\s+{name})(?:\s+|=|\\*["'`]\s*,\s*))(?:\\+["'][^"']*|"(?:\\(?s:.)?|[^"\\])*(?:"|$)|'[^']*(?:'|$)|[^\s'"-][^\s'"]*)"#),
            "${keep}[redacted]",
        ),
        (&["curl", "wget", "http", "xh"], r"(?P<keep>\b(?:curl|wget|http|https|xh)\b[^\n|;&]*?\s(?:-u|-a|--user|--auth)[\s=]*[^\s:]+:)\S+".to_owned(), "${keep}[redacted]"),
        (&["curl"], r"(?P<keep>\bcurl\b[^\n|;&]*?\s(?:-[A-Za-z]+u|--proxy-user)[\s=]*[\x22']?[^\s:]+:)[^\s\x22']+".to_owned(), "${keep}[redacted]"),
        (&["curl"], r#"(?P<keep>\bcurl\b[^\n|;&]*?\s(?:-b|--cookie)[\s=]*)(?:"[^"]*"|'[^']*'|\S+)"#.to_owned(), "${keep}[redacted]"),
        (
            &["--jwt", "--p", "--otp", "--tok", "--csrf", "--sid", "--cookie", "--webhook", "--cred", "--basic"],
            r#"(?P<keep>(?:^|[^\w-])--(?:jwt|pat|pw|otp|tok|pin|csrf|sid|cookie|webhook|creds?|basic-auth)(?:\s+|=))(?:"[^"]*"|'[^']*'|[^\s'"-][^\s'"]*)"#.to_owned(),
            "${keep}[redacted]",
        ),
        // `sort --key 2`, `--session 3` and `--key value` are none: letters and figures
        (
            &["--key", "--session"],
            r#"(?P<keep>(?:^|[^\w-])--(?:key|session)(?:\s+|=))(?:[^\s'"-][^\s'"]*\d[^\s'"]*[A-Za-z][^\s'"]*|[A-Za-z][^\s'"]*\d[^\s'"]*)"#.to_owned(),
            "${keep}[redacted]",
        ),
        (&["identified", "password"], r#"(?i)(?P<keep>\b(?:identified\s+(?:with\s+\S+\s+)?by|password)\s+)(?:'[^']+'|\\*"[^"]+")"#.to_owned(), "${keep}[redacted]"),
        (&["密", "口令", "パスワード", "비밀번호", "пароль", "wort", "contrase", "passe", "senha"], r"(?i)(?P<keep>(?:密码|口令|密钥|パスワード|비밀번호|пароль|passwort|kennwort|contraseña|mot de passe|senha)\s*[:=：＝]\s*)[^\s,;]+".to_owned(), "${keep}[redacted]"),
        (&["setx", "setenv", "set -"], format!(r"(?P<keep>\b(?:setx|setenv|set -U?g?x)\s+{name}\s+)\S+"), "${keep}[redacted]"),
        (&["--from-literal"], r"(?P<keep>--from-literal[=\s]+[^\s=]+=)\S+".to_owned(), "${keep}[redacted]"),
        (&["openssl"], r"(?P<keep>\bopenssl\b[^\n|;&]*?\bpass:)\S+".to_owned(), "${keep}[redacted]"),
        (&["vault login"], r"(?P<keep>\bvault login\s+)[^\s-]\S*".to_owned(), "${keep}[redacted]"),
        // what a program reads as its password
        (
            &["-stdin", "--with-token", "sudo"],
            r#"(?P<keep>\b(?:echo|printf)\s+(?:-n\s+)?)(?:"[^"]*"|'[^']*'|[^\s|]+)(?P<end>\s*\|[^\n|]*(?:-stdin|--with-token|\bsudo\s+-S))"#.to_owned(),
            "${keep}[redacted]${end}",
        ),
        (&["machine"], r"(?P<keep>\bmachine\s+\S+\s+login\s+\S+\s+password\s+)[^\s'\x22]+".to_owned(), "${keep}[redacted]"),
        // a word with capitals and digits behind `-p` is neither a port nor a name
        (
            &["-p"],
            r#"(?P<keep>(?:^|[\s"'`(\[])-p)(?:[a-z]*[A-Z][A-Za-z]*\d|[A-Za-z]*\d[a-z0-9]*[A-Z])[^\s"'`]*"#.to_owned(),
            "${keep}[redacted]",
        ),
        // where a text was cut off, a secret may have lost the end that shows it
        (&["…", "..."], format!(r"(?P<keep>[A-Za-z][A-Za-z0-9+.-]*://)[^\s/]*?(?P<end>{CUT})"), "${keep}[redacted]${end}"),
        (
            &["…", "..."],
            format!(r"\b(?:{starts})[A-Za-z0-9._-]*?(?P<end>{CUT})"),
            "[redacted]${end}",
        ),
        (&["bearer"], format!(r"(?i)(?P<keep>\bbearer\s+)\S*?(?P<end>{CUT})"), "${keep}[redacted]${end}"),
        (&["…", "..."], r"^(?:…|\.\.\.)[^\s/]*@".to_owned(), "…[redacted]@"),
    ];
    let programs = SECRET_OPTIONS.iter().map(|(program, options, signs)| {
        let pattern = format!(
            r#"(?P<keep>\b(?:{program})\b[^\n|;&]*?\s(?:{options})[=\s]*)(?:"[^"]+"|'[^']+'|[^\s'"\[-][^\s'"]*)"#
        );
        (*signs, pattern, "${keep}[redacted]")
    });
    let rules = table.into_iter().chain(programs);
    let rules = rules.map(|(signs, pattern, keep)| Rule {
        signs,
        pattern,
        keep: if keep.is_empty() { REDACTED } else { keep },
        built: OnceLock::new(),
    });
    rules.collect()
});

/// A command or a line of output as it may be shown.
pub fn redacted(text: &str) -> String {
    let lower = text.to_lowercase();
    let has_sign = |rule: &&Rule| rule.signs.iter().any(|sign| lower.contains(sign));
    let mut rules = RULES.iter().filter(has_sign).peekable();
    if rules.peek().is_none() && !secrets::may_hold_secret(&lower) {
        return text.to_owned();
    }
    let mut shown = without_keys(&without_assigned(text), REDACTED);
    for rule in rules {
        // a command may have several: each pass finds the next one
        for _ in 0..8 {
            let next = rule.built().replace_all(&shown, rule.keep);
            if next == shown {
                break;
            }
            shown = next.into_owned();
        }
    }
    shown
}

/// `TOKEN=…`, `"password": …`: without what is assigned to the name of a
/// secret.
fn without_assigned(text: &str) -> String {
    if !text.contains(['=', ':']) {
        return text.to_owned();
    }
    let Some((names, values)) = &*ASSIGNED else {
        return REDACTED.to_owned();
    };
    let mut shown = String::new();
    let mut at = 0;
    for found in names.captures_iter(text) {
        let (Some(whole), Some(name), Some(sign)) =
            (found.get(0), found.name("name"), found.name("sign"))
        else {
            continue;
        };
        let rest = text.get(whole.end()..).unwrap_or_default();
        let Some(value) = values.find(rest).filter(|_| whole.start() >= at) else {
            continue;
        };
        // `DB_PASS'WORD'=…`
        let name = name.as_str().replace(['\'', '"'], "");
        if is_hidden(&name, sign.as_str(), value.as_str()) {
            shown.push_str(text.get(at..whole.end()).unwrap_or_default());
            shown.push_str(REDACTED);
            at = whole.end() + value.end();
        }
    }
    shown.push_str(text.get(at..).unwrap_or_default());
    shown
}

/// Words such as `key` name other things, too: then the value has to look
/// like no word, or the name like a variable.
fn is_hidden(name: &str, sign: &str, value: &str) -> bool {
    let name = name.rsplit('.').next().unwrap_or(name);
    let is_variable = !sign.starts_with(':') && !name.contains(|c: char| c.is_lowercase());
    let has_figures = value.contains(|c: char| c.is_ascii_digit());
    let is_mixed = has_figures && value.trim_matches(['"', '\'']).len() >= 4;
    is_surely_secret(name) || sounds_secret(name) && (is_variable || is_mixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotation_marks_do_not_end_a_secret_early() {
        for (text, secret) in [
            (
                "curl https://api.telegram.org/bot123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/x",
                "AAHdq",
            ),
            ("export DB_PASS'WORD'=Qu0tedPw11; pytest -q", "Qu0ted"),
            (r#"login --password "a\"b Sec99zz" ; pytest"#, "Sec99zz"),
            (r"PASSWORD=$'Ab\'Cd Sec88yy' pytest", "Sec88yy"),
            ("curl 'https://a.b/c?code=CodeVal123456&x=1'", "CodeVal"),
            ("htpasswd -b f u HtPw66xx; pytest -q", "HtPw66xx"),
            ("htpasswd -nb u HtPw66xx", "HtPw66xx"),
            (r#"curl -H 'X: Bearer "abc"Sec66ww'"#, "Sec66ww"),
            (
                r#"curl -H "Authorization: Bearer "abc"Sec66ww" x; pytest"#,
                "Sec66ww",
            ),
        ] {
            let shown = redacted(text);
            assert!(!shown.contains(secret), "{shown}");
        }
        for text in [
            "pytest -q tests/bot123",
            "curl 'https://a.b/c?code=200'",
            "htpasswd -c f u",
            "the bearer \"token\" is checked",
        ] {
            assert_eq!(redacted(text), text);
        }
    }

    #[test]
    fn no_login_of_a_program_is_shown() {
        for (text, secret) in [
            ("STRIPE_KEY=abc123 pytest", "abc123"),
            ("AWS_ACCESS_KEY_ID=abc123 pytest", "abc123"),
            ("PASSWORD=abc,Zq7Hunter pytest", "Zq7Hunter"),
            ("PASSWORD=\"abc\"Zq7Hunter pytest", "Zq7Hunter"),
            ("TOKEN=$'Zq7Hunter' pytest", "Zq7Hunter"),
            ("TOKEN+=Zq7Hunter pytest", "Zq7Hunter"),
            ("PASSWORD=$(echo Zq7Hunter) pytest", "Zq7Hunter"),
            ("curl -H \"Authorization: ApiKey Zq7Hunter\" x", "Zq7Hunter"),
            ("curl -H \"Cookie: a=1; b=Zq7Hunter\" x", "Zq7Hunter"),
            ("curl -H 'X-Custom-Auth: Zq7Hunter' x", "Zq7Hunter"),
            ("curl -sSfu \"me:Zq7Hunter\" x", "Zq7Hunter"),
            ("curl --proxy-user me:Zq7Hunter x", "Zq7Hunter"),
            ("curl -b \"sid=Zq7Hunter\" x", "Zq7Hunter"),
            ("pytest --jwt Zq7Hunter", "Zq7Hunter"),
            ("zip -P Zq7Hunter a b", "Zq7Hunter"),
            ("az login -u a -p Zq7Hunter", "Zq7Hunter"),
            ("openssl rsa -passin pass:Zq7Hunter", "Zq7Hunter"),
            (
                "aws configure set aws_secret_access_key Zq7Hunter",
                "Zq7Hunter",
            ),
            ("vault login Zq7Hunter", "Zq7Hunter"),
            ("gh auth login --with-token <<< Zq7Hunter", "Zq7Hunter"),
            (
                "echo Zq7Hunter | docker login --password-stdin",
                "Zq7Hunter",
            ),
            ("echo \"Zq7Hunter\" | sudo -S pytest", "Zq7Hunter"),
            ("machine x login y password Zq7Hunter", "Zq7Hunter"),
            ("git clone https://Zq7Hunter@github.com/a/b", "Zq7Hunter"),
            (
                "X=https://hooks.slack.com/services/T0/B0/Zq7Hunter",
                "Zq7Hunter",
            ),
            ("os.environ['TOKEN']='Zq7Hunter'", "Zq7Hunter"),
            ("os.environ.setdefault('TOKEN', 'Zq7Hunter')", "Zq7Hunter"),
        ] {
            let shown = redacted(text);
            assert!(!shown.contains(secret), "{shown}");
            assert!(shown.contains(REDACTED), "{shown}");
        }
    }

    #[test]
    fn what_a_program_takes_as_a_secret_is_not_shown() {
        for text in [
            "az storage blob list --account-key Vhunter --output table",
            "sqlcmd -S h -U sa -P Vhunter -Q 'select 1'",
            "twine upload -u me -p Vhunter dist/*",
            "ldapsearch -x -D cn=a -w Vhunter -b dc=x",
            "smbclient //h/s -U me%Vhunter -c ls",
            "keytool -list -keystore a.jks -storepass Vhunter",
            "keytool -genkey -storepass Vhunter -keypass Vhunter",
            "mysql -e \"CREATE USER a IDENTIFIED BY 'Vhunter'\"",
            "psql -c \"ALTER USER a WITH PASSWORD 'Vhunter'\"",
            "Passwort: Vhunter",
            "密码=Vhunter",
            "setx TOKEN Vhunter",
            "kubectl create secret generic s --from-literal=a=Vhunter --from-literal=b=Vhunter",
            "vault kv put secret/x k=Vhunter other=Vhunter",
            "redis-cli -h h -a Vhunter ping",
            "mosquitto_pub -u me -P Vhunter -t x",
            "snmpwalk -v2c -c Vhunter host",
        ] {
            let shown = redacted(text);
            assert!(!shown.contains("Vhunter"), "{shown}");
        }
        for text in [
            "git commit --author bob",
            "cargo test --key value",
            "pytest --session 3",
            "tmux attach --session main",
            "grep -w word src",
            "docker run -p 8080:80 app",
            "sort -k 2 -t , a.csv",
            "kubectl get pods -n app",
            "the password 12 times",
        ] {
            assert_eq!(redacted(text), text);
        }
    }

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
            ("curl --user=me:hunter2 https://x", "hunter2"),
            ("http -a me:hunter2 GET localhost", "hunter2"),
            ("DB_PASS=hunter2 npm test", "hunter2"),
            ("gpg --passphrase hunter2 -d x", "hunter2"),
            ("PGPASSWORD=hunter2 psql -c 1", "hunter2"),
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
            (r#"run("args": "--password Pa55w0rdX")"#, "Pa55w0rdX"),
            ("(--password PARpass77)", "PARpass77"),
            (r#"["--password","ARRpass66"]"#, "ARRpass66"),
            (r#"["--token", "ARRpass66"]"#, "ARRpass66"),
            ("one\\n--password NLpass44", "NLpass44"),
            (r#""{\"password\":\"NEST pass55\"}""#, "pass55"),
            (r#"[\"--password\",\"NESTpass55\"]"#, "NESTpass55"),
            (r#"password="cut in the mid..."#, "mid"),
            ("ftp://bob:p@ss@ATpass88@host/x", "ATpass88"),
            ("https://a.example/x?se=1&sig=SIGpass11%3D", "SIGpass11"),
            ("mysqldump2 shop -pPa55w0rdZ", "Pa55w0rdZ"),
            ("the password is \"SAYpass00\".", "SAYpass00"),
            ("the token is SAYpass00 now", "SAYpass00"),
            (
                "f_ghp_abcdefghijklmnopqrstuvwxyz0123456789.py",
                "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
            ),
            (
                r#"users.create("note": "zz https://bob:hunterTWO...)"#,
                "hunter",
            ),
            ("see https://bob:hunterTWO…", "hunter"),
            ("see ghp_abc…", "ghp_abc"),
            ("see whsec_abc…", "whsec_abc"),
            ("curl 'https://h/x?q=ghp_abcdefghijklmnop1234'", "ghp_abc"),
            ("curl 'https://h/x?pin=918273&a=1'", "918273"),
            ("tok=Zq7Hunter CRED=abc otp=918273 make", "Zq7Hunter"),
            ("CRED=abcdef make", "abcdef"),
            ("curl -H 'Session: Zq7Hunter' h", "Zq7Hunter"),
            (r#"{"csrf": "Zq7Hunter"}"#, "Zq7Hunter"),
            ("PAT=Zq7Hunter make", "Zq7Hunter"),
            ("…nterTWO22@host/x", "TWO22"),
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
            "pass: 12, fail: 0",
            "tests pass=12 --pass-with-no-tests",
            "jest --passWithNoTests --bypass x",
            "the tests pass",
            "ssh -p2222 host -python3 -pthread",
            "the token is invalid and the password was wrong; the secret is 42",
            "All links of https://a.example/guide/start… are alive",
            "See https://a.example/guide/sta...",
            "Wrote to me@host, and so on...",
            "it uses --password, then --token-file",
            "author=smith pinned=yes max_tokens=100 token_count=5 key=name auth=basic PWD=/repo",
            "npm_config_registry=x sort --key 2 session_timeout=30 tokenizer=fast",
            "token count 5",
            "the design of test_hf_model_loading and f(x?y&z=1)",
        ] {
            assert_eq!(redacted(text), text);
        }
    }
}
