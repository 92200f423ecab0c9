//! What the values of a workspace's own files must be, and what to say when
//! they are not.

use serde_json::Value;

use super::time::is_timestamp;

/// What a value must be.
pub(super) enum FieldKind {
    Truth,
    Text,
    Texts,
    Object,
    Filled,
    Timestamp,
    Url,
    Word(&'static [&'static str]),
    Count(u64),
}

impl FieldKind {
    /// The value of the last key of a dotted path, if it is there.
    pub(super) fn of<'v>(&self, table: &'v Value, path: &str) -> Result<Option<&'v Value>, String> {
        let value = table.get(path.rsplit('.').next().unwrap_or(path));
        value.map_or(Ok(None), |value| self.check(value, path).map(Some))
    }

    pub(super) fn check<'v>(&self, value: &'v Value, path: &str) -> Result<&'v Value, String> {
        if self.fits(value) {
            return Ok(value);
        }
        let got = value.to_string();
        let shown: String = got.chars().take(80).collect();
        let dots = if shown.len() < got.len() { "…" } else { "" };
        let words = self.words();
        Err(format!("{path}: expected {words}, got {shown}{dots}"))
    }

    fn fits(&self, value: &Value) -> bool {
        let text = |good: &dyn Fn(&str) -> bool| value.as_str().is_some_and(good);
        match self {
            Self::Truth => value.is_boolean(),
            Self::Text => text(&|_| true),
            Self::Texts => {
                let all = value.as_array();
                all.is_some_and(|all| all.iter().all(Value::is_string))
            }
            Self::Object => value.is_object(),
            Self::Filled => text(&|text| !text.is_empty()),
            Self::Timestamp => text(&is_timestamp),
            Self::Url => text(&|text| url::Url::parse(text).is_ok()),
            Self::Word(words) => text(&|text| words.contains(&text)),
            Self::Count(least) => whole_number(value).is_some_and(|number| number >= *least),
        }
    }

    pub(super) fn words(&self) -> String {
        match self {
            Self::Truth => "true or false".to_owned(),
            Self::Text => "text".to_owned(),
            Self::Texts => "an array of texts".to_owned(),
            Self::Object => "an object".to_owned(),
            Self::Filled => "a non-empty string".to_owned(),
            Self::Timestamp => "a timestamp".to_owned(),
            Self::Url => "an absolute URL".to_owned(),
            Self::Word(words) => match words.split_last() {
                Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
                None => String::new(),
            },
            Self::Count(least) => format!("a whole number of at least {least}"),
        }
    }
}

/// A number without a fraction, in any spelling (`2.0` counts).
pub(super) fn whole_number(value: &Value) -> Option<u64> {
    let whole = || {
        let number = value.as_f64()?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole and in the range of exact doubles"
        )]
        (number.fract() == 0.0 && (0.0..=9_007_199_254_740_991.0).contains(&number))
            .then_some(number as u64)
    };
    value.as_u64().or_else(whole)
}
