//! The `[fetch]` table of the configuration.

use serde::Deserialize;

use crate::FetchSettings;

/// `[fetch]` as in the file: which addresses may be contacted.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RawFetch {
    /// Private addresses may be contacted.
    pub allow_private: Option<bool>,
    /// Networks that may be contacted.
    pub allow_cidr: Vec<String>,
    /// Redirects may leave TLS.
    pub allow_downgrade: Option<bool>,
    /// http is refused.
    pub require_https: Option<bool>,
    /// Largest size of a page in bytes.
    pub max_body: Option<usize>,
    /// robots.txt is obeyed.
    pub robots: Option<bool>,
}

impl RawFetch {
    /// Applies the table to the defaults; the error is an invalid network.
    pub fn apply(&self, fetch: &mut FetchSettings) -> Result<(), String> {
        fetch.guard.allow_private |= self.allow_private.unwrap_or(false);
        for network in &self.allow_cidr {
            let parsed = network.parse();
            let parsed =
                parsed.map_err(|_| format!("`{network}` is not a network such as 10.0.0.0/8"))?;
            fetch.guard.allow_networks.push(parsed);
        }
        fetch.allow_downgrade |= self.allow_downgrade.unwrap_or(false);
        fetch.require_https |= self.require_https.unwrap_or(false);
        fetch.limits.body = self.max_body.unwrap_or(fetch.limits.body);
        fetch.robots |= self.robots.unwrap_or(false);
        Ok(())
    }
}
