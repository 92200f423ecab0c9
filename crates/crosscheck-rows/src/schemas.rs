//! The JSON Schemas of the documents this crate writes, from their types.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};

use crate::wire::certificate_v3::CertificateV3;
use crate::wire::event::EventV1;
use crate::wire::registry::RegistryEntry;
use crate::wire::report_v4::QuickReportV4;

/// The file of `--write-report`.
pub fn quick_report() -> Schema {
    written::<QuickReportV4>()
}

/// The line that `quick` and `check` print on standard output.
pub fn outcome_certificate() -> Schema {
    written::<CertificateV3>()
}

/// The file of `--export-registry`.
pub fn registry() -> Schema {
    written::<Vec<RegistryEntry>>()
}

/// One line of the file of `--emit-events`.
pub fn event() -> Schema {
    written::<EventV1<'static>>()
}

/// The schema of what is written: a member that is left out when there is
/// nothing to say is not required.
fn written<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<T>()
}
