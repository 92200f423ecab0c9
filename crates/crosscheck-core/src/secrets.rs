//! What a secret is called and what it looks like: the one list for everything
//! that shows a text or sends a header.
//! The words are in `secrets.txt`, each list with what it is for.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

const LISTS: &str = include_str!("secrets.txt");

/// The lines of a list.
fn section(name: &str) -> impl Iterator<Item = &'static str> {
    let lines = LISTS.lines().skip_while(move |line| {
        let own = line
            .strip_prefix('[')
            .and_then(|line| line.strip_suffix(']'));
        own != Some(name)
    });
    let lines = lines.skip(1).take_while(|line| !line.starts_with('['));
    lines.filter(|line| !line.is_empty() && !line.starts_with('#'))
}

macro_rules! lists {
    ( $( $list:ident = $name:literal; )+ ) => { $(
        static $list: LazyLock<Vec<&'static str>> =
            LazyLock::new(|| section($name).flat_map(|line| line.split(' ')).collect());
    )+ };
}

lists! {
    INSIDE = "inside";
    ENDS = "ends";
    PARTS = "parts";
    HARMLESS = "harmless";
    FIELD_WORDS = "field_words";
    FIELD_INSIDE = "field_inside";
    FIELD_ENDS = "field_ends";
    FIELD_NAMES = "field_names";
    OPENING_CODES = "opening_codes";
    OPENING_KEYS = "opening_keys";
    PUBLIC_HASHES = "public_hashes";
    QUESTIONS = "questions";
    URL_INSIDE = "url_inside";
    URL_ENDS = "url_ends";
    URL_NAMES = "url_names";
    NO_SECRETS = "no_secrets";
    URL_LONG = "url_long";
    FILE_WORDS = "file_words";
    FILE_NAMES = "file_names";
    FILE_ENDINGS = "file_endings";
    FILE_FOLDERS = "file_folders";
    DATA_ENDINGS = "data_endings";
    SETTERS = "setters";
    READERS = "readers";
    SECRET_COMMANDS = "secret_commands";
    ALIKE = "alike";
}

/// Programs that are about secrets, each with the words behind it.
static SECRET_PROGRAMS: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| section("secret_programs").collect());

/// Programs with the options behind which they take a secret, as words.
static PROGRAM_OPTIONS: LazyLock<Vec<Vec<&'static str>>> = LazyLock::new(|| {
    let lines = section("options");
    lines.map(|line| line.split(' ').collect()).collect()
});

const LONG_MIN: usize = 16;
/// The same with letters and figures; a shorter one is a number with letters in front, or a word.
const SHORT_MIN: usize = 8;

/// Whether the name of a file, in small letters, says that it is about secrets.
pub fn names_secret_file(name: &str) -> bool {
    FILE_WORDS.iter().any(|word| name.contains(word))
}

/// Whether a file holds secrets and nothing else, by the parts of its path in small letters.
pub fn is_secret_file(path: &[String]) -> bool {
    let name = path.last().map_or("", String::as_str);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_data = ending.is_empty() || DATA_ENDINGS.contains(&ending);
    FILE_NAMES.contains(&name)
        || name.starts_with(".env.")
        || FILE_ENDINGS.contains(&ending)
        || path
            .iter()
            .any(|part| FILE_FOLDERS.contains(&part.as_str()))
        || names_secret_file(name) && is_data
}

/// Whether a value of this name in a URL is a secret.
pub fn is_secret_in_url(name: &str, value: &str) -> bool {
    let is_long = |min: usize| value.chars().take(min).count() == min;
    let has_figure = value.contains(|c: char| c.is_ascii_digit());
    let has_both = has_figure && value.contains(char::is_alphabetic);
    let is_name = |plain: &str| {
        let harmless = NO_SECRETS.iter().filter(|word| plain.contains(**word));
        let rest = harmless.fold(plain.to_owned(), |rest, word| rest.replace(word, ""));
        URL_NAMES.contains(&plain)
            || URL_LONG.contains(&plain) && (is_long(LONG_MIN) || is_long(SHORT_MIN) && has_both)
            || plain == "hash" && is_long(LONG_MIN) && is_mixed(value)
            || plain == "ticket" && is_long(SHORT_MIN) && is_mixed(value)
            || URL_ENDS.iter().any(|end| rest.ends_with(end))
            || URL_INSIDE.iter().any(|word| rest.contains(word))
            || INSIDE.iter().any(|word| rest.contains(word))
    };
    let letters = |text: &str| -> String {
        let letters = visible(text).filter(|c| c.is_alphabetic());
        letters.flat_map(char::to_lowercase).map(latin).collect()
    };
    // `user[password]`, `token[0]`, `connect.sid`
    let last = name.rsplit(|c: char| !c.is_alphabetic());
    let last = last.filter(|word| !word.is_empty()).take(1);
    let mut words = name.split(['[', ']']).chain([name]).chain(last);
    sounds_secret(name) || words.any(|word| is_name(&letters(word)))
}

/// Letters and digits in no order, unlike `INC0012345`, `SHOP-12345` and words.
pub fn is_mixed(value: &str) -> bool {
    let number = value.trim_start_matches(char::is_alphabetic);
    let number = number.strip_prefix(['-', '_']).unwrap_or(number);
    value.contains(char::is_alphabetic)
        && value.contains(|c: char| c.is_ascii_digit())
        && !number.bytes().all(|byte| byte.is_ascii_digit())
}

/// A text without the invisible signs.
fn visible(text: &str) -> impl Iterator<Item = char> + '_ {
    let is_hidden = |c: &char| matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}');
    text.chars().filter(move |c| !is_hidden(c))
}

/// The Latin letter that a small letter of another script looks like, as in `tоken`.
fn latin(letter: char) -> char {
    match letter {
        'ａ'..='ｚ' => char::from_u32(u32::from(letter) - 0xfee0).unwrap_or(letter),
        _ if letter.is_ascii() => letter,
        _ => {
            let alike = ALIKE.iter().find(|all| all.contains(letter));
            alike.and_then(|all| all.chars().next()).unwrap_or(letter)
        }
    }
}

/// Whether what bears this name is a secret.
pub fn sounds_secret(name: &str) -> bool {
    let parts = parts_of(name);
    let is_part = |part: &String| PARTS.contains(&part.as_str());
    is_secret(name, &parts) || !is_harmless(&parts) && parts.iter().any(is_part)
}

/// Whether a column, an argument of a call or a field of a document is a
/// secret by its name. The rule, in this order:
///
/// 1. `card_number` and the like are.
/// 2. A question (`has_password`) and a name that ends in what is known of a
///    secret (`token_count`, `password_changed_at`) are not.
/// 3. A name with one of the words that always mean a secret is.
/// 4. A `…_code` or `…_key` and the like is one if the word before says that it
///    opens or proves something; a `hash` is one unless that word says what is hashed.
pub fn is_secret_field(name: &str) -> bool {
    let mut parts = parts_of(name);
    let is_number = |word: &String| word.bytes().all(|byte| byte.is_ascii_digit());
    if parts.len() > 1 && parts.last().is_some_and(is_number) {
        parts.pop(); // `recovery_code_1`
    }
    let joined = parts.concat();
    let is = |list: &[&str], word: &str| list.contains(&word);
    let has = |list: &[&str]| list.iter().any(|word| joined.contains(word));
    if has(&FIELD_INSIDE) {
        return true;
    }
    let Some((last, before)) = parts.split_last() else {
        return false;
    };
    let asks = !before.is_empty() && parts.first().is_some_and(|first| is(&QUESTIONS, first));
    if asks || is_harmless(&parts) {
        return false;
    }
    let before = before.last().map_or("", String::as_str);
    let is_word = |part: &String| {
        let word = part.as_str();
        word != "key" && is(&PARTS, word) || is(&FIELD_WORDS, word)
    };
    let is_noun = match singular(last) {
        "code" | "link" => is(&OPENING_CODES, before),
        "key" | "pem" | "token" => is(&OPENING_KEYS, before),
        _ if is(&FIELD_NAMES, last) => before.is_empty() || is(&OPENING_KEYS, before),
        "hash" => !is(&PUBLIC_HASHES, before),
        word => is(&FIELD_ENDS, word),
    };
    is_noun || is_secret(name, &parts) || parts.iter().any(is_word)
}

fn singular(word: &str) -> &str {
    let word = word
        .strip_suffix("es")
        .filter(|word| word.ends_with("sh"))
        .unwrap_or(word);
    let single = word.strip_suffix('s').filter(|word| !word.ends_with('s'));
    single.unwrap_or(word) // `pass` is one
}

/// Whether it is one even where the words around it are prose: `password`, and
/// not `key`.
pub fn is_surely_secret(name: &str) -> bool {
    is_secret(name, &parts_of(name))
}

fn is_secret(name: &str, parts: &[String]) -> bool {
    let joined = parts.concat();
    let mut words = parts.iter();
    let ends = words.any(|part| ENDS.iter().any(|end| part.ends_with(end)));
    // the working directory, as shells call it
    let is_folder = matches!(name, "PWD" | "OLDPWD");
    !is_folder && !is_harmless(parts) && (ends || holds_word(&joined))
}

/// Whether a name, in letters that look Latin, holds a word that stands for a secret wherever it is.
fn holds_word(joined: &str) -> bool {
    // a word of another script is looked for as its look-alike
    static WORDS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
        let plain = |word: &&str| word.chars().map(latin).collect::<String>();
        AhoCorasick::new(INSIDE.iter().map(plain)).ok()
    });
    WORDS.as_ref().is_none_or(|words| words.is_match(joined))
}

fn is_harmless(parts: &[String]) -> bool {
    let last = parts.last();
    last.is_some_and(|last| HARMLESS.contains(&last.as_str()))
}

/// The words of a name in small letters: `X-Api-Key`, `apiKey`, `API_KEY`.
fn parts_of(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut before = ' ';
    for letter in visible(name) {
        let begins = letter.is_uppercase() && before.is_lowercase();
        if begins || !letter.is_alphanumeric() {
            parts.push(String::new());
        }
        if let Some(last) = parts.last_mut().filter(|_| letter.is_alphanumeric()) {
            last.extend(letter.to_lowercase().map(latin));
        }
        before = letter;
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Whether a name is one of a password in short: `DB_PASS`, `-storepass`; not `--bypass`.
pub fn is_passing(name: &str) -> bool {
    let parts = parts_of(name);
    let last = parts.last();
    last.is_some_and(|last| last.ends_with("pass") && !NO_SECRETS.contains(&last.as_str()))
}

/// Whether a name that sounds secret is as often one of other things: `--key`, `--session`.
pub fn names_things(name: &str) -> bool {
    match parts_of(name).last().map(String::as_str) {
        Some("key") => !is_secret_field(name),
        last => last == Some("session"),
    }
}

/// Whether a name of several words is one of a secret in any text: `AccountKey`, and not `key`.
pub fn is_secret_compound(name: &str) -> bool {
    parts_of(name).len() > 1 && (sounds_secret(name) && is_secret_field(name) || is_passing(name))
}

/// Whether a word looks like no word, name, path, number or address: letters with figures or signs.
pub fn is_opaque(word: &str) -> bool {
    let word = word.trim_end_matches(['.', ',', '!', '?']);
    let has = |is: fn(char) -> bool| word.contains(is);
    word.len() >= 4
        && word.starts_with(char::is_alphanumeric)
        && has(char::is_alphabetic)
        && has(|c| c.is_ascii_digit() || "!$%^*#~".contains(c))
        && !has(|c| c.is_whitespace() || "/.@:=<>(){}[]|".contains(c))
}

/// Whether the word behind this one is a variable: `setx TOKEN …`.
pub fn sets_variables(word: &str) -> bool {
    SETTERS.contains(&word)
}

/// Whether a program or option reads a secret from its input.
pub fn reads_secret(word: &str) -> bool {
    READERS.contains(&word)
}

/// Whether a command begins with a program that is about secrets, or has a word about them
/// (`docker login`, `change_password`).
pub fn handles_secrets(words: &[&str], is_command: bool) -> bool {
    let bases: Vec<&str> = words.iter().map(|word| base_name(word)).collect();
    let begins = |program: &str| {
        let mut bases = bases.iter();
        let mut names = program.split(' ');
        names.all(|name| bases.next() == Some(&name))
    };
    let is_about = |word: &&&str| {
        let is_name = !word.starts_with('-') && !word.contains(['=', ':', ' ', '/']);
        is_name && (SECRET_COMMANDS.contains(*word) || is_surely_secret(word))
    };
    SECRET_PROGRAMS.iter().any(|program| begins(program))
        || is_command && words.first().as_ref().is_some_and(is_about)
}

/// `/usr/bin/mysql`, `mysql.exe`
fn base_name(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// The options behind which the programs of a command take a secret.
#[derive(Debug, Default)]
pub struct Programs(Vec<&'static str>);

impl Programs {
    /// One more word that may be a program.
    pub fn add(&mut self, word: &str) {
        let name = base_name(word);
        let is_option = |word: &&&'static str| word.starts_with(['-', '/']);
        let is_named = |program: &&str| match program.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => name == *program,
        };
        for line in PROGRAM_OPTIONS.iter() {
            if line.iter().any(is_named) {
                self.0.extend(line.iter().filter(is_option));
            }
        }
    }

    /// What is behind such an option in its own word; nothing if it is the next word.
    pub fn behind<'w>(&self, word: &'w str) -> Option<&'w str> {
        self.0.iter().find_map(|option| {
            let rest = word.strip_prefix(option)?;
            let is_short = option.len() < 4;
            let value = rest.strip_prefix('=').unwrap_or(rest);
            (is_short || rest.is_empty() || value.len() < rest.len()).then_some(value)
        })
    }
}

/// How a key of a well-known service begins, how long the rest is at least, and whether it
/// needs a figure or a capital to be none of the usual words.
type KeyShape = (&'static str, usize, bool);

static SHAPES: LazyLock<Vec<KeyShape>> = LazyLock::new(|| {
    let shape = |line: &'static str| {
        let mut words = line.split(' ');
        let (start, least) = (words.next()?, words.next()?.parse().ok()?);
        Some((start, least, words.next() == Some("mixed")))
    };
    section("shapes").filter_map(shape).collect()
});

/// How keys of well-known services begin.
pub fn key_starts() -> impl Iterator<Item = &'static str> {
    SHAPES.iter().map(|(start, ..)| *start)
}

/// Whether a text has a name of a secret, a word about secrets or the start of a key anywhere in it: a
/// cheap look before a close one.
pub fn may_hold_secret(text: &str) -> bool {
    static WORDS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
        /// Parts of the names of two words, and signs of users and options.
        const HINTS: &str =
            "magic seed phrase answer conn mot_de pass :// @ -----BEGIN /p: /bot <<< … ...";
        let names = INSIDE.iter().chain(ENDS.iter()).chain(PARTS.iter());
        let names = names
            .chain(SECRET_COMMANDS.iter())
            .chain(READERS.iter())
            .copied();
        let names = names
            .chain(SECRET_PROGRAMS.iter().copied())
            .chain(key_starts());
        let names = names.map(str::to_owned);
        let names = names.chain(HINTS.split(' ').map(|hint| hint.replace('_', " ")));
        AhoCorasick::new(names.map(|name| name.to_lowercase())).ok()
    });
    // numbers and moments
    let is_figure = |byte: u8| byte.is_ascii_digit() || b"\"+-.:TZ ".contains(&byte);
    if text.bytes().all(is_figure) {
        return false;
    }
    let mut lower = text.to_lowercase();
    if is_address(&lower) {
        // no sign of a user with a password
        lower = lower.replace('@', " ");
    }
    let mut signs = lower.as_bytes().array_windows();
    signs.any(|[before, dash, letter]| {
        matches!(before, b' ' | b'"') && *dash == b'-' && matches!(letter, b'a'..=b'z' | b'-')
    }) || WORDS.as_ref().is_none_or(|words| words.is_match(&lower))
}

/// Whether a text is nothing but an address of mail, in quotes or not.
fn is_address(text: &str) -> bool {
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || b"._-+".contains(&byte);
    let is_part = |part: &str| part.bytes().all(is_sign);
    let parts = text.trim_matches('"').split_once('@');
    parts.is_some_and(|(user, host)| is_part(user) && is_part(host))
}

/// This many letters of a key show whether it is one.
const DECIDES: usize = 512;

/// Whether a word has the shape of a key, whatever it is called.
pub fn looks_secret(word: &str) -> bool {
    token_at(word) == Some(word.len())
}

/// How long the key is that a text begins with.
fn token_at(text: &str) -> Option<usize> {
    let first = text.as_bytes().first();
    let (start, least, mixed) = SHAPES.iter().find(|(start, ..)| {
        // most words do not even begin like a key
        start.as_bytes().first() == first && text.starts_with(start)
    })?;
    let all = text.get(start.len()..)?;
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    // the beginning decides: what is not a key is looked at again from the next word
    let mut letters = all.char_indices().take(DECIDES);
    let long = letters.find(|(_, c)| !is_letter(*c)).map(|(at, _)| at);
    let head = all
        .get(..long.unwrap_or(DECIDES.min(all.len())))
        .unwrap_or(all);
    let rest = head.trim_end_matches('.');
    let has_figures = rest.contains(|c: char| c.is_ascii_digit() || c.is_ascii_uppercase());
    let is_shaped = match *start {
        "AKIA" | "ASIA" => !rest.contains(|c: char| c.is_ascii_lowercase()),
        // a web token has parts, and the first is not short
        "eyJ" => rest.find('.').is_some_and(|dot| dot >= 8),
        _ => true,
    };
    if rest.len() < *least || !is_shaped || *mixed && !has_figures {
        return None;
    }
    let long = all.find(|c: char| !is_letter(c)).unwrap_or(all.len());
    Some(start.len() + all.get(..long)?.trim_end_matches('.').len())
}

/// A text with a mark in the place of every key that is known by its shape, and of users and
/// passwords of URLs.
pub fn without_keys(text: &str, mark: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut at = 0;
    for key in keys_in(text) {
        clean.push_str(text.get(at..key.start).unwrap_or_default());
        clean.push_str(mark);
        at = key.end;
    }
    clean + text.get(at..).unwrap_or_default()
}

/// The places of all keys of a text.
pub fn keys_in(text: &str) -> Vec<Range<usize>> {
    let mut keys: Vec<Range<usize>> = Vec::new();
    while let Some(key) = key_in(text, keys.last().map_or(0, |key| key.end)) {
        keys.push(key);
    }
    keys
}

/// Whether a text has a key that is known by its shape, or a URL with a password.
pub fn has_key(text: &str) -> bool {
    key_in(text, 0).is_some()
}

/// Where the next key of a text begins and ends. A key begins a word.
fn key_in(text: &str, from: usize) -> Option<Range<usize>> {
    let mut before = text.get(..from)?.chars().next_back().unwrap_or(' ');
    let letters = text.get(from..)?.char_indices();
    letters
        .map(|(at, letter)| (from + at, letter))
        .find_map(|(at, letter)| {
            let last = std::mem::replace(&mut before, letter);
            if letter == ':' {
                return user_at(text, at);
            }
            let begins = letter.is_ascii_alphabetic() && !last.is_alphanumeric();
            let long = begins.then(|| token_at(text.get(at..)?)).flatten()?;
            (last != '_' || long >= 30).then_some(at..at + long)
        })
}

/// So much of a URL is read to find its user.
const USER_MAX: usize = 512;

/// The user and password of the URL whose scheme ends at a colon: `scheme://user:secret@host`, and
/// `https://secret@host`. A password may have an `@`, and a careless one a `/`.
fn user_at(text: &str, colon: usize) -> Option<Range<usize>> {
    let (scheme, rest) = text.split_at_checked(colon)?;
    let url = rest
        .strip_prefix("://")
        .or_else(|| rest.strip_prefix(":\\/\\/"))?;
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '`');
    let mut near = url.char_indices().take(USER_MAX);
    let end = near.find(|(_, c)| ends(*c)).map(|(at, _)| at);
    let url = url.get(..end.or(near.next().map(|(at, _)| at)).unwrap_or(url.len()))?;
    let authority = url.split(['/', '?', '#', '\\']).next()?;
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let user = match (authority.rsplit_once('@'), authority.split_once(':')) {
        (Some((user, _)), _) => user,
        (None, Some((_, port))) if !authority.starts_with('[') && !is_port(port) => {
            url.rsplit_once('@')?.0
        }
        _ => return None,
    };
    let is_secret = match user.split_once(':') {
        Some((_, password)) => !password.is_empty() && password != "***",
        None => user.len() >= LONG_MIN || scheme.ends_with("http") || scheme.ends_with("https"),
    };
    let is_masked = matches!(user, "" | "***" | "[redacted]" | "<secret>");
    let from = text.len() - rest.len() + rest.find(url)?;
    (is_secret && !is_masked).then(|| from..from + user.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_beginnings_of_keys_cost_no_more_than_their_length() {
        let text = "eyJ-".repeat(100_000);
        let began = std::time::Instant::now();
        assert_eq!(without_keys(&text, "***"), text);
        assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
    }

    #[test]
    fn a_name_is_a_secret_by_its_words_and_not_by_its_letters() {
        for name in [
            "API_KEY",
            "apiKey",
            "X-Api-Key",
            "Token",
            "access_token",
            "accesstoken",
            "tok",
            "cred",
            "credentials",
            "csrf",
            "X-CSRF-Token",
            "webhook",
            "SLACK_WEBHOOK_URL",
            "auth",
            "X-Auth-Key",
            "session",
            "SessionId",
            "otp",
            "pin",
            "Cookie",
            "Set-Cookie",
            "Authorization",
            "Proxy-Authorization",
            "DB_PASSWORD",
            "client_secret",
            "signature",
            "X-Amz-Signature",
            "aws_secret_access_key",
            "private_key",
            "jwt",
            "pwd",
            "DATABASE_DSN",
            "t\u{43e}ken",
            "P\u{410}SSW\u{41e}RD",
            "ｔｏｋｅｎ",
            "to\u{200b}ken",
            "\u{3ba}ey",
        ] {
            assert!(sounds_secret(name), "{name}");
        }
        for name in [
            "author",
            "authority",
            "pinned",
            "spinner",
            "tokens",
            "max_tokens",
            "tokenizer",
            "token_count",
            "monkey",
            "keyboard",
            "secretary",
            "sessions",
            "session_timeout",
            "credits",
            "cookbook",
            "key_name",
            "PWD",
            "signal",
            "topic",
            "Accept",
            "User-Agent",
            "Accept-Language",
            "password_file",
            "pattern",
        ] {
            assert!(!sounds_secret(name), "{name}");
        }
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table of names")]
    fn a_field_is_a_secret_by_the_stated_rule() {
        for name in [
            "passcode",
            "geheimnis",
            "wifi_psk",
            "smtp_pass",
            "jdbc_url",
            "presigned_url",
            "priv_key",
            "tls_pem",
            "kms_key",
            "encryption_iv",
            "tokenhash",
            "lozinka",
            "kata_sandi",
            "סיסמה",
            "كلمة_السر",
            "salasana",
            "two_factor_code",
            "pepper",
            "auth_key",
            "authKey",
            "totp",
            "totp_seed_phrase",
            "pin",
            "pin_number",
            "PinCode",
            "verification_code",
            "recovery_code",
            "recovery_codes",
            "recovery_code_1",
            "backup_codes",
            "backupCodes",
            "mfa_code",
            "sms_code",
            "reset_code",
            "invite_code",
            "account_recovery",
            "mfa_backup",
            "mnemonic",
            "wallet_mnemonic",
            "seed_phrase",
            "seedPhrase",
            "security_answer",
            "security_answer_2",
            "salt",
            "password_salt",
            "hash",
            "pw_hash",
            "user_hash",
            "hashes",
            "session_id",
            "sessionId",
            "ssh_key",
            "encryption_key",
            "license_key",
            "licence_key",
            "magic_link",
            "dsn",
            "sentry_dsn",
            "conn_str",
            "connStr",
            "connection_string",
            "iban",
            "customer_iban",
            "card_number",
            "cvv",
            "ssn",
            "api_keys",
            "signing_key",
            "passwort",
            "kennwort",
            "contraseña",
            "contrasena",
            "clave",
            "senha",
            "mot_de_passe",
            "wachtwoord",
            "hasło",
            "şifre",
            "пароль",
            "пароль_пользователя",
            "密码",
            "用户密码",
            "パスワード",
            "비밀번호",
            "access_token",
            "client_secret",
            "jwt",
            "otp",
            "cookie",
            "private_key",
            "password_hash",
            "db_pass",
            "login_code",
            "one_time_code",
            "door_code",
            "pass",
            "seed",
            "wallet_seed",
            "api_tokens",
            "refresh_tokens",
            "reset_tokens",
            "token_value",
            "reset_link",
            "private_pem",
            "cert_key",
            "xprv",
            "keystore",
            "twofa",
            "pwhash",
            "暗証番号",
            "암호",
            "사용자암호",
        ] {
            assert!(is_secret_field(name), "{name}");
        }
        for name in [
            "code",
            "country_code",
            "shipping_code",
            "zip_code",
            "postal_code",
            "status_code",
            "error_code",
            "currency_code",
            "product_code",
            "promo_code",
            "key",
            "primary_key",
            "customer_key",
            "idempotency_key",
            "sort_key",
            "commit_hash",
            "content_hash",
            "tx_hash",
            "random_seed",
            "seed_count",
            "seeds",
            "passes",
            "pass_rate",
            "passenger_id",
            "bypass",
            "max_tokens",
            "tokens",
            "download_link",
            "public_pem",
            "certificate",
            "암호화폐",
            "has_password",
            "is_secret",
            "password_changed_at",
            "token_count",
            "pin_length",
            "backup_region",
            "recovery_time",
            "session_timeout",
            "mfa_enabled",
            "auth_provider",
            "pinned",
            "address",
            "compass",
            "boarding_pass",
            "author",
            "keywords",
            "hashtag",
            "status",
            "name",
            "id",
            "user_id",
            "email",
            "order_id",
            "total",
            "notes",
            "answer",
            "security_level",
            "magic",
            "link",
            "connection",
            "secretary_name",
        ] {
            assert!(!is_secret_field(name), "{name}");
        }
    }

    #[test]
    fn a_key_is_known_by_its_shape() {
        for key in [
            "ghp_abcdefghijklmnop1234",
            "github_pat_11ABCDEFG0abcdefghij",
            "AKIAIOSFODNN7EXAMPLE",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc",
            "xoxb-1234567890-abcdef",
            "xoxc-1234567890-abcdef",
            "sk-proj-abc123DEF456",
            "glpat-abcdefgh1234",
            "npm_AbCdEf0123456789",
            "AIzaSyA1234567890abc",
        ] {
            assert!(looks_secret(key), "{key}");
            let text = format!("see (https://h/{key}), or \"{key}\".");
            let clean = without_keys(&text, "***");
            assert_eq!(clean, "see (https://h/***), or \"***\".", "{key}");
        }
        let long = format!("ghp_{}", "a1".repeat(2_000));
        assert_eq!(without_keys(&format!("{long}/x"), "***"), "***/x");
        for text in [
            "npm_config_registry sk-learn-like task-sk-abcdefgh hf_models eyJ eyJabc ASIAN AKIA SG.",
            "test_hf_model_loading pypi-server",
        ] {
            assert_eq!(without_keys(text, "***"), text);
        }
    }
}
