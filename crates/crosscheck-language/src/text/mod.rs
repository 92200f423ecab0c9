//! Text preparation: normal form, words, stems, prose, units.

mod beginnings;
pub mod chars;
pub mod normal;
mod plain;
mod prose;
mod rewritten;
mod stem;
mod units;
mod words;

pub use beginnings::Beginnings;
pub use chars::{is_letter, is_whole, is_word_char, last_word, word_before};
pub use normal::{collapse, normalise};
pub use plain::{is_normal, next_of};
pub use prose::{is_plain, is_prose};
pub use rewritten::Rewritten;
pub use stem::stem_into;
pub use stem::stems;
pub use units::sentences;
pub use units::{blocks, cut_sentences, lines};
pub use words::{Style, each_word, is_content, is_negation};
