//! Lines read one after the other by one reader, which follows the forms of
//! those before: each says what it says on its own, or is refused as there.
#![no_main]

use crosscheck_core::canonical;
use crosscheck_core::json::{Json, Reader};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut reader = Reader::default();
    for line in text.lines() {
        let again = reader.read(line.as_bytes());
        let alone = Json::parse(line);
        assert_eq!(again.as_ref().err(), alone.as_ref().err(), "{line:?}");
        if let (Ok(again), Ok(alone)) = (again, alone) {
            let said = |json: &Json| canonical::of_node(json.root());
            assert_eq!(said(again), said(&alone), "{line:?}");
        }
    }
});
