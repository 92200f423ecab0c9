//! JSON literals: strings and numbers as the contracts write them.

mod number;
mod string;

pub use number::{Numbers, double_text, is_short_decimal, number_text, write_number};
pub use string::{append_string, plain_one_line, push_string, quoted, write_string, write_text};
