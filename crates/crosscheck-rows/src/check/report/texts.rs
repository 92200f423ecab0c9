//! Every sentence a contract run says to people.
//!
//! Contract: check 11.

use crate::certificate::texts;

texts! { include_str!("texts.tsv");
    TRUSTED, NOT_TRUSTED_MISMATCH, NOT_TRUSTED_INCOMPLETE, NOT_TRUSTED_UNCERTAIN,
    IRREGULAR_SUFFIX, RELIANCE_PERMITTED, RELIANCE_MISMATCH, RELIANCE_OPEN, NO_REQUEST,
    NO_ROW_COUNT, NOT_READ, EXPECTED_NONE, NO_VALUE_COMPARED, SEE_ALSO, TRUST_BOUNDARY,
}

/// Every sentence on trust. A signed bundle of ours is known by it, so that a
/// sentence that was once published stays in this list.
pub(crate) const TRUST: [&str; 4] = [
    TRUSTED,
    NOT_TRUSTED_MISMATCH,
    NOT_TRUSTED_INCOMPLETE,
    NOT_TRUSTED_UNCERTAIN,
];
