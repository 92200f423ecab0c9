//! The `[claims]` table of the configuration, as the options of a run.

use crosscheck_config::tables::ClaimsSettings;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::rate::Rate;
use crate::request::Options;

impl Options {
    /// Puts what was chosen in the place of the defaults; the error says which value is
    /// wrong.
    pub fn choose(&mut self, chosen: &ClaimsSettings) -> Result<(), String> {
        self.sample_rate = chosen.sample_rate.as_ref().map(rate).transpose()?;
        self.risk = word(&chosen.risk)?;
        self.selection = word(&chosen.select)?;
        self.seed = Some(chosen.seed.clone());
        self.evidence_mode = word(&chosen.evidence_mode)?;
        self.quote_level = word(&chosen.quote_match)?;
        self.line_slack = chosen.line_slack;
        self.on_unclear = word(&chosen.on_unclear)?;
        self.strict_hash = chosen.strict_hash;
        self.strict_schema = chosen.strict_schema;
        self.confined = chosen.confine;
        self.allow_paths.clone_from(&chosen.allow_paths);
        self.extended = chosen.extended;
        self.offline = chosen.offline;
        self.max_file_bytes = chosen.max_file_bytes;
        self.max_snippet_bytes = chosen.max_snippet_bytes;
        self.jobs = chosen.jobs.unwrap_or(self.jobs);
        Ok(())
    }
}

/// One of the words that the table lists.
fn word<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_value(Value::from(text)).map_err(|error| error.to_string())
}

/// A share as a number, by its shortest digits, or as its digits.
fn rate(share: &Value) -> Result<Rate, String> {
    let digits = share
        .as_str()
        .map_or_else(|| share.to_string(), str::to_owned);
    let wrong = || format!("`sample_rate`: `{digits}` is not a number from 0 to 1");
    Rate::parse(&digits).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use serde_json::json;

    use super::*;

    #[test]
    fn a_share_is_a_number_or_its_digits() {
        let rate = |share| {
            let chosen = ClaimsSettings {
                sample_rate: Some(share),
                ..ClaimsSettings::default()
            };
            let mut options = Options::new(PathBuf::from("/"));
            options
                .choose(&chosen)
                .map(|()| options.sample_rate.map(|rate| rate.of(25)))
        };
        assert_eq!(rate(json!(0.28)), Ok(Some(7)));
        assert_eq!(rate(json!("0.28")), Ok(Some(7)));
        assert!(rate(json!("most")).is_err());
        assert!(rate(json!(1.5)).is_err());
    }
}
