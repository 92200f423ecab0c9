//! Any bytes as a SubResult: one report, never a crash.
#![no_main]

use crosscheck_claims::plan::Selection;
use crosscheck_claims::{Options, Session, World};
use crosscheck_judge::Builtin;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let options = Options {
        selection: Selection::All,
        extended: true,
        confined: true,
        read_settings: false,
        offline: true,
        ..Options::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz_targets").into())
    };
    let world = World {
        judge: &Builtin,
        pages: None,
        search: None,
    };
    let session = Session::new(&options, world).expect("the root is there");
    let report = session.verify(bytes);
    assert!(report.json(false).ends_with(b"}\n"));
    let _ = report.human(false);
});
