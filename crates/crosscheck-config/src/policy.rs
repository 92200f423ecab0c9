//! The `[[check]]` list of a file: each entry is checked as the keys of a table are, and
//! what is wrong is named with its line.

use serde_json::{Map, Value};
use toml::de::{DeTable, DeValue};

use crate::check::of_toml;
use crate::layer::{ConfigError, Layer, unknown_key};
use crate::tables::{CHECK, VERIFIERS, Verifier};

/// One `[[check]]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    /// Its name, unique in the policy.
    pub name: String,
    /// What checks it.
    pub verifier: &'static Verifier,
    /// The file that declares it, as it is shown.
    pub file: String,
    /// The line at which it begins.
    pub line: usize,
    /// Every key that is given, checked.
    pub values: Map<String, Value>,
}

impl Check {
    /// A key that holds one text.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.values.get(key)?.as_str()
    }

    /// Whether it opens a database or verifies a workspace that none of these does.
    pub(crate) fn reaches_beyond(&self, others: &[&Self]) -> bool {
        ["db", "workspace"].iter().any(|key| {
            let own = self.values.get(*key);
            own.is_some() && !others.iter().any(|other| other.values.get(*key) == own)
        })
    }

    /// The key of which each file is one run, and its patterns.
    pub fn inputs(&self) -> (&'static str, Vec<&str>) {
        let given = |key: &&&str| self.values.contains_key(**key);
        // a check without inputs is refused when it is read
        let key = self.verifier.each.iter().find(given).unwrap_or(&"");
        let patterns = self.values.get(*key).and_then(Value::as_array);
        let patterns = patterns.into_iter().flatten().filter_map(Value::as_str);
        (key, patterns.collect())
    }
}

impl Layer {
    /// Reads the list; `text` is the whole file, for its lines.
    pub(crate) fn read_checks(
        &mut self,
        list: &toml::Value,
        text: &str,
    ) -> Result<(), ConfigError> {
        let Some(list) = list.as_array() else {
            return Err(self.refuse("check", "must be a list: write each as `[[check]]`"));
        };
        for (index, entry) in list.iter().enumerate() {
            let check = self.read_check(entry).map_err(|(key, why)| {
                let line = line_of(text, index, &key);
                let key = if key.is_empty() {
                    key
                } else {
                    format!(", check.{key}")
                };
                self.refuse(format!("line {line}{key}"), why)
            })?;
            let line = line_of(text, index, "");
            self.checks.push(Check { line, ..check });
        }
        Ok(())
    }

    /// One entry; the error is about a key, or about the whole entry.
    fn read_check(&self, entry: &toml::Value) -> Result<Check, (String, String)> {
        let Value::Object(given) = of_toml(entry) else {
            return Err((String::new(), "must be a table".to_owned()));
        };
        let mut values = Map::new();
        for (name, value) in &given {
            let Some(key) = CHECK.key(name) else {
                return Err((name.clone(), unknown_key(&CHECK, name)));
            };
            let value = key.kind.check(value).map_err(|why| (name.clone(), why))?;
            values.insert(name.clone(), value);
        }
        let needed = |key: &str| {
            let value = values.get(key).and_then(Value::as_str);
            value.ok_or_else(|| (String::new(), format!("the check has no `{key}`")))
        };
        let (name, verifier) = (needed("name")?.to_owned(), needed("verifier")?);
        if self.checks.iter().any(|other| other.name == name) {
            let why = "another check has this name already".to_owned();
            return Err(("name".to_owned(), why));
        }
        let known = VERIFIERS.iter().find(|known| known.name == verifier);
        let unknown = || ("verifier".to_owned(), "unknown verifier".to_owned());
        let verifier = known.ok_or_else(unknown)?;
        fits(verifier, &values)?;
        Ok(Check {
            name,
            verifier,
            file: self.file.clone().unwrap_or_default(),
            line: 0,
            values,
        })
    }
}

/// Whether the keys are those that the verifier reads.
fn fits(verifier: &Verifier, values: &Map<String, Value>) -> Result<(), (String, String)> {
    const COMMON: [&str; 5] = ["name", "verifier", "accept", "expires", "why"];
    const DATABASE: [&str; 2] = ["db", "sqlite"];
    let has = |key: &&str| values.contains_key(*key);
    let own = [verifier.each, verifier.needs, verifier.takes].concat();
    let is_read = |key: &str| {
        own.contains(&key) || COMMON.contains(&key) || verifier.database && DATABASE.contains(&key)
    };
    if let Some(key) = values.keys().find(|key| !is_read(key)) {
        let why = format!(
            "`{}` does not read it; it reads {}",
            verifier.name,
            own.join(", ")
        );
        return Err((key.clone(), why));
    }
    let whole = |why: String| Err((String::new(), why));
    let one_of = |keys: &[&str]| {
        let given = keys.iter().copied().filter(|key| has(key)).count();
        (given != 1).then(|| {
            let list = keys.join("`, `");
            let count = if keys.len() == 1 {
                ""
            } else {
                "exactly one of "
            };
            format!("`{}` needs {count}`{list}`", verifier.name)
        })
    };
    if let Some(why) = one_of(verifier.each) {
        return whole(why);
    }
    if let Some(why) = one_of(&DATABASE).filter(|_| verifier.database) {
        return whole(why);
    }
    if let Some(key) = verifier.needs.iter().find(|key| !has(key)) {
        return whole(format!("`{}` needs `{key}`", verifier.name));
    }
    let is_name = |text: &str| {
        let is_first = |c: char| c.is_ascii_alphabetic() || c == '_';
        text.starts_with(is_first) && text.chars().all(|c| is_first(c) || c.is_ascii_digit())
    };
    let db = values.get("db").and_then(Value::as_str);
    if db.is_some_and(|db| !is_name(db)) {
        // a URL may hold a password, so it is not repeated
        let why = "must be the name of an environment variable; a file of the project is named with `sqlite`";
        return Err(("db".to_owned(), why.to_owned()));
    }
    Ok(())
}

/// The line of a key of the check with this number; of the check itself without one.
fn line_of(text: &str, index: usize, key: &str) -> usize {
    let start = || {
        let whole = DeTable::parse(text).ok()?;
        let table = whole.get_ref();
        let DeValue::Array(list) = table.get("check")?.get_ref() else {
            return None;
        };
        let entry = list.get(index)?;
        let DeValue::Table(keys) = entry.get_ref() else {
            return Some(entry.span().start);
        };
        let found = keys.keys().find(|name| name.get_ref() == key);
        Some(found.map_or(entry.span().start, |name| name.span().start))
    };
    let before = text.get(..start().unwrap_or(0)).unwrap_or_default();
    before.matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use crate::{Layer, Place};

    fn read(text: &str) -> Result<Layer, String> {
        let layer = Layer::of_text(Place::Named, text, "crosscheck.toml".to_owned(), false);
        layer.map_err(|error| error.to_string())
    }

    #[test]
    fn a_wrong_check_is_named_with_its_line_and_the_nearest_key() {
        let good = "[[check]]\nname = \"a\"\nverifier = \"sources\"\ndocument = \"a.md\"\n";
        for (text, expected) in [
            (
                "\n[[check]]\nname = \"a\"\nverifir = \"rows\"\n",
                "crosscheck.toml: line 4, check.verifir: unknown key; did you mean check.verifier?",
            ),
            (
                "[[check]]\nname = \"a\"\nverifier = \"row\"\n",
                "crosscheck.toml: line 3, check.verifier: must be one of rows, quick, check, claims, sources, trace, done, workspace, pr, got \"row\"",
            ),
            (
                "[[check]]\nverifier = \"rows\"\n",
                "crosscheck.toml: line 1: the check has no `name`",
            ),
            (
                "[[check]]\nname = \"a\"\nverifier = \"rows\"\nlog = \"a\"\n",
                "crosscheck.toml: line 1: `rows` needs exactly one of `db`, `sqlite`",
            ),
            (
                "[[check]]\nname = \"a\"\nverifier = \"rows\"\nlog = \"a\"\ndb = \"postgres://u:S3cret@h/d\"\n",
                "crosscheck.toml: line 5, check.db: must be the name of an environment variable; a file of the project is named with `sqlite`",
            ),
            (
                "[[check]]\nname = \"a\"\nverifier = \"sources\"\ndocument = \"a\"\ncontract = \"b\"\n",
                "crosscheck.toml: line 5, check.contract: `sources` does not read it; it reads document",
            ),
            (
                "[[check]]\nname = \"a\"\nverifier = \"sources\"\ndocument = [\"/etc/passwd\"]\n",
                "crosscheck.toml: line 4, check.document: must be a path below the project, got an absolute one",
            ),
            (
                "[[check]]\nname = \"a\"\nverifier = \"sources\"\ndocument = \"a\"\nexpires = \"soon\"\n",
                "crosscheck.toml: line 5, check.expires: must be a date such as 2026-12-31, got \"soon\"",
            ),
            (
                &format!("{good}{good}"),
                "crosscheck.toml: line 6, check.name: another check has this name already",
            ),
            (
                "[check]\nname = \"a\"\n",
                "crosscheck.toml: check: must be a list: write each as `[[check]]`",
            ),
        ] {
            assert_eq!(read(text).err().unwrap_or_default(), expected, "{text}");
        }
    }

    #[test]
    fn a_check_is_read_with_its_patterns_and_its_date() {
        let text = "[[check]]\nname = \"a\"\nverifier = \"sources\"\ndocument = [\"a.md\", \"b/*.md\"]\naccept = \"undecided\"\nexpires = 2026-12-31\n";
        let layer = read(text).unwrap();
        let [check] = layer.checks.as_slice() else {
            panic!("{:?}", layer.checks)
        };
        assert_eq!(check.inputs(), ("document", vec!["a.md", "b/*.md"]));
        assert_eq!(check.text("expires"), Some("2026-12-31"));
        assert_eq!((check.verifier.name, check.line), ("sources", 1));
    }
}
