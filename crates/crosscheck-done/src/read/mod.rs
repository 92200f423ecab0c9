//! What was said, and what the log of the session tells: bytes become typed
//! statements and events. Nothing of the project is looked at here.

pub mod event;
pub mod session;
