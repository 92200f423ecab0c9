//! Any bytes as a log: a list of calls within its caps, or codes that say why
//! there is none; the same bytes read the same way twice.
#![no_main]

use crosscheck_rows::quick::read;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let log = read::log(Some(bytes)).expect("every log can be read");
    let calls = log.actions.len() + log.repeated.len();
    assert!(calls <= 50);
    assert!(calls > 0 || !log.ingest.is_clean());
    assert!(calls == 0 || log.ingest.malformed_codes == 0);
    for action in &log.actions {
        assert!(action.flat.iter().count() < 500);
    }
    let again = read::log(Some(bytes)).expect("every log can be read");
    assert_eq!((again.actions.len(), again.ingest), (log.actions.len(), log.ingest));
});
