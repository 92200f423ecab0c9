//! Text preparation: normal form, words, stems, prose, units.

mod beginnings;
pub(super) mod chars;
pub(super) mod normal;
mod plain;
mod prose;
mod rewritten;
mod stem;
mod units;
mod words;

pub(super) use beginnings::Beginnings;
pub(super) use chars::{is_letter, is_whole, is_word_char, last_word, word_before};
pub use normal::{collapse, normalise};
pub(super) use plain::{is_normal, next_of};
pub(super) use prose::{is_plain, is_prose};
pub(super) use rewritten::Rewritten;
pub(super) use stem::stem_into;
pub use stem::stems;
pub use units::sentences;
pub(super) use units::{blocks, cut_sentences, lines};
pub(super) use words::{Style, each_word, is_content, is_negation};
