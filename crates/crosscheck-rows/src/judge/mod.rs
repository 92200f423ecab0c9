//! Does it agree? Compares what should be true with what was seen. Pure.

pub(crate) mod call;
pub(crate) mod children;
pub(crate) mod like;
pub(crate) mod seen;
pub(crate) mod subject;
pub(crate) mod texts;
pub(crate) mod time;
