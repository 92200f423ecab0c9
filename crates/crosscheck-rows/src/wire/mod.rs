//! The contracts, as structs. They mirror a schema and do nothing else.

pub(crate) mod certificate_v3;
pub(crate) mod event;
pub(crate) mod registry;
pub(crate) mod report_v4;
pub(crate) mod rows_v1;
