//! Who answers the question whether a text supports a claim.

pub mod lexical;

pub use lexical::Lexical;
