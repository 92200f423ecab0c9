//! Any bytes as a document of `sources`: it is text, or is refused; two bytes before it hide nothing.
#![no_main]

use crosscheck_sources::read::document::decode;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = decode(bytes);
    let is_letter = |byte: &u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    let is_text = bytes.iter().all(is_letter) && !bytes.is_empty();
    if is_text {
        for mark in [b"\xff\xfe", b"\xfe\xff"] {
            let marked = [mark.as_slice(), bytes].concat();
            assert!(decode(&marked).is_err(), "{bytes:?}");
        }
    }
});
