//! One line of an events file (`event.schema.json`, version 1). The members
//! are in this order; the file is not canonical JSON.

use serde::Serialize;
use serde_json::value::RawValue;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EventV1<'a> {
    pub(crate) schema_version: u8,
    pub(crate) workflow_id: &'a str,
    pub(crate) seq: usize,
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    pub(crate) tool_id: &'a str,
    pub(crate) params: &'a RawValue,
}
