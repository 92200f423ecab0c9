//! Canonical JSON against texts and hashes made by the published producer.

use crosscheck_core::canonical::{Style, text};
use crosscheck_core::digest::Digest;
use crosscheck_core::json::{Json, Rules};

#[test]
fn canonical_texts_and_hashes_are_those_of_the_published_producer() {
    let rows = include_str!("../../../../vectors/trace/canonical_json.ndjson");
    assert!(rows.lines().count() >= 22);
    for row in rows.lines() {
        let row: serde_json::Value = serde_json::from_str(row).unwrap();
        let input = row["input"].as_str().unwrap();
        let json = Json::parse_with(input, &Rules::STRICT).unwrap();
        let text = text(json.root(), &Style::TRACE);
        assert_eq!(text, row["canonical"].as_str().unwrap(), "{input}");
        assert_eq!(
            Digest::of(&text).hex(),
            row["sha256"].as_str().unwrap(),
            "{input}"
        );
    }
}
