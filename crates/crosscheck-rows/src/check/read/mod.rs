//! What was said: the registry and the events, as typed statements.

pub(crate) mod event;
mod log;
pub(crate) mod moment;
mod registry;
mod template;

pub use log::{Counts, Log, load as events};
pub(crate) use log::{Noted, RunContext, Step, canonical_params};
pub(crate) use registry::Relation;
pub use registry::{
    CheckSpec, ExpectSpec, Op, PairSpec, Registry, RegistryError, RowSpec, Spec, ToolEntry,
    Verification, WitnessSpec, load as registry, load_for_run as registry_for_run,
};
pub(crate) use template::Part;
pub use template::Template;
