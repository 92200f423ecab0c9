//! The guarded fetcher: the only way from checked text to the web.
//!
//! The URLs come from agents, so nothing about them is trusted. Every address
//! of a name is checked before a connection is made, and the connection goes to
//! the checked address itself, so that a second look-up cannot return another
//! one. Every redirect is checked the same way.
#![warn(missing_docs)]

pub mod address;
mod body;
mod cache;
mod causes;
mod connect;
mod fetch;
mod guard;
mod politeness;
mod problem;
mod request;
mod resolve;
mod robots;
mod settings;
pub mod text;
mod tls;
mod wall;

pub use crosscheck_core::is_machine_limit;
pub use fetch::{Arrivals, Fetched, Fetcher, Response, SetupError};
pub use guard::{Guard, Refusal};
pub use ipnet::IpNet;
pub use problem::Problem;
pub use resolve::{DnsAnswer, DnsFailure, DnsFixture, FixtureError, NameService};
pub use settings::{AcceptList, CacheSettings, FetchSettings, Header, Limits, Politeness, Proxies};
pub use url::Url;
pub use wall::{is_bot_wall, is_bot_wall_page};
