//! What tests share: a folder to run the program in, and servers and pages
//! for it to check. Never part of the program.
#![expect(
    clippy::disallowed_methods,
    clippy::panic,
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "a test that cannot set its stage must stop at once"
)]

mod desk;
mod llm;
mod modules;
#[cfg(feature = "servers")]
mod proxy;
mod schema;
#[cfg(feature = "servers")]
mod servers;
mod site;
#[cfg(feature = "servers")]
mod tls;
#[cfg(feature = "servers")]
mod tls_site;

pub use desk::{Desk, Seen};
pub use modules::assert_all_modules_listed;
#[cfg(feature = "servers")]
pub use proxy::{Damage, Proxy};
pub use schema::Schema;
#[cfg(feature = "servers")]
pub use servers::{Database, Engine, Server, Session};
pub use site::{Asked, Reply, Site};
#[cfg(feature = "servers")]
pub use tls::{Authority, TlsServer};
#[cfg(feature = "servers")]
pub use tls_site::TlsSite;
