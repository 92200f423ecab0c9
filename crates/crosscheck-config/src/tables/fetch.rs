//! `[fetch]`

use super::why;
use crate::Direction::{Down, Shrink, StarterOnly};
use crate::Preset;
use crate::ValueKind::{Flag, Texts, Whole};
use crate::key::table;

table! {
    /// Keys for every command that fetches pages.
    FETCH = "fetch", "Which addresses may be contacted, for every command that fetches pages";
    "allow_private": Flag, Preset::Flag(false), Down,
        "Contact private addresses and local names too";
    "allow_cidr": Texts, Preset::Texts(&[]), Shrink,
        "Networks that may be contacted although they are private, for example `10.0.0.0/8`";
    "allow_downgrade": Flag, Preset::Flag(false), Down,
        "Follow redirects from https to http";
    "require_https": Flag, Preset::Flag(false), StarterOnly(why::SKIPS),
        "Refuse http";
    "max_body": Whole { least: 1, most: u64::MAX }, Preset::Number(5_242_880.0), StarterOnly(why::COSTS),
        "Maximum size of a decoded page, in bytes";
    "robots": Flag, Preset::Flag(false), StarterOnly(why::SKIPS),
        "Obey robots.txt";
}
