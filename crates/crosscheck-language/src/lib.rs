//! Reading language, for every verifier that compares what was said with what a text says: the
//! normal form of a text, its words and sentences, clauses, negations, hedges and quantities.
//! The word lists are data (`lexicon.json`); nothing here decides a verdict.
#![warn(missing_docs)]

pub mod clause;
pub mod lexicon;
pub mod phrase;
pub mod quantity;
pub mod text;

pub use lexicon::{LEXICON, List};
pub use quantity::{Origin, Quantity, has_figure, has_quantity, quantities};
pub use text::{collapse, normalise, sentences, stems};
