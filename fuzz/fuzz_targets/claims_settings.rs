//! Any text as the settings file: defaults or values, never a crash.
#![no_main]

use crosscheck_claims::read::Settings;
use crosscheck_claims::{Risk, Warnings};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut warnings = Warnings::default();
    let settings = Settings::parse(text, &mut warnings);
    let _ = settings.rate(Risk::High).of(1000);
    let _ = warnings.into_list();
});
