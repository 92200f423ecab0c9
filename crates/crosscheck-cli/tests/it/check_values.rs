//! Values that no comparison may take for what they are not.

use crosscheck_testkit::{Desk, Seen};

use crate::check::{FLAGS, desk, event, execute, line};

fn check(desk: &Desk, params: &str) -> Seen {
    desk.file("events.ndjson", event(0, "guest.save", params));
    desk.crosscheck(["check", "--no-human-report"].into_iter().chain(FLAGS))
}

#[test]
fn text_that_is_not_utf_8_equals_no_text() {
    let desk = desk();
    execute(
        &desk,
        "UPDATE guests SET name = CAST(x'ff' AS TEXT) WHERE id = 'g1'",
    );
    let said = r#"{"id":"g1","fields":{"name":"\ufffd"}}"#;
    insta::assert_snapshot!(check(&desk, said).summary());
    execute(
        &desk,
        "UPDATE guests SET name = char(65533) WHERE id = 'g1'",
    );
    assert_eq!(check(&desk, said).code, 0);
}

#[test]
fn a_value_beyond_the_limit_is_undecided_and_leaves_other_steps_alone() {
    let desk = desk();
    execute(
        &desk,
        "CREATE TABLE base AS SELECT * FROM guests; DROP TABLE guests;
         CREATE VIEW guests AS SELECT id, room,
           CASE id WHEN 'g1' THEN printf('%.*c', 900000000, 'x') ELSE name END AS name FROM base;",
    );
    desk.file(
        "events.ndjson",
        event(0, "guest.save", r#"{"id":"g1","fields":{"name":"Mira"}}"#)
            + &event(1, "guest.save", r#"{"id":"g2","fields":{"name":"Otto"}}"#),
    );
    insta::assert_snapshot!(desk.talk([line("--no-human-report")]));
}
