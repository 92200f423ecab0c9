//! The same contract on every engine: every kind, and every way to fail.
//! The servers come from the environment; see `scripts/test-servers`.

mod exact;
pub(crate) mod stage;

use serde_json::Value;

use crate::check::event;
use stage::{ENGINES, Kind, Stage};

/// In words that all engines understand.
const SETUP: &str = "
    CREATE TABLE guests (id VARCHAR(20) PRIMARY KEY, name VARCHAR(40), room INTEGER, rate DECIMAL(9,2));
    INSERT INTO guests VALUES ('g1', 'Mira', 204, 99.50), ('g2', 'Otto', 117, 80.00), ('g3', NULL, NULL, NULL);
    CREATE TABLE rooms (id INTEGER PRIMARY KEY, floor INTEGER);
    INSERT INTO rooms VALUES (204, 2), (117, 1), (300, 3);
    CREATE TABLE visits (guest VARCHAR(20), nights INTEGER, room INTEGER);
    INSERT INTO visits VALUES ('g1', 2, 204), ('g1', 2, 204), ('g2', 3, 117), ('g9', 1, 999);
    CREATE TABLE stays (guest VARCHAR(20), nights INTEGER);
    CREATE INDEX stays_guest ON stays (guest);
    INSERT INTO stays VALUES ('g1', 1), ('g1', 2), ('g2', 3)";

const REGISTRY: &str = r#"[
 {"toolId":"row","effectDescriptionTemplate":"row","verification":{"kind":"sql_row","table":{"pointer":"/table"},
   "identityEq":[{"column":{"pointer":"/by"},"value":{"pointer":"/id"}}],"requiredFields":{"pointer":"/fields"}}},
 {"toolId":"pair","effectDescriptionTemplate":"pair","verification":{"kind":"sql_row","table":{"const":"visits"},
   "identityEq":[{"column":{"const":"room"},"value":{"pointer":"/room"}},{"column":{"const":"guest"},"value":{"pointer":"/guest"}}],
   "requiredFields":{"pointer":"/fields"}}},
 {"toolId":"effects","effectDescriptionTemplate":"effects","verification":{"kind":"sql_effects","effects":[
   {"id":"guest","table":{"const":"guests"},"identityEq":[{"column":{"const":"id"},"value":{"pointer":"/id"}}],"requiredFields":{"pointer":"/guest"}},
   {"id":"room","table":{"const":"rooms"},"identityEq":[{"column":{"const":"id"},"value":{"pointer":"/room"}}],"requiredFields":{"pointer":"/fields"}}]}},
 {"toolId":"absent","effectDescriptionTemplate":"absent","verification":{"kind":"sql_row_absent","table":{"const":"guests"},
   "identityEq":[{"column":{"const":"id"},"value":{"pointer":"/id"}}],"filterEq":[{"column":{"const":"room"},"value":{"pointer":"/room"}}]}},
 {"toolId":"related","effectDescriptionTemplate":"related","verification":{"kind":"sql_relational","checks":[
   {"checkKind":"related_exists","id":"r","childTable":{"const":"visits"},"matchEq":[{"column":{"const":"guest"},"value":{"pointer":"/guest"}},{"column":{"const":"nights"},"value":{"pointer":"/nights"}}]}]}},
 {"toolId":"count","effectDescriptionTemplate":"count","verification":{"kind":"sql_relational","checks":[
   {"checkKind":"aggregate","id":"c","table":{"const":"visits"},"fn":"COUNT_STAR","whereEq":[{"column":{"const":"guest"},"value":{"pointer":"/guest"}}],"expect":{"op":"eq","value":{"pointer":"/n"}}}]}},
 {"toolId":"all","effectDescriptionTemplate":"all","verification":{"kind":"sql_relational","checks":[
   {"checkKind":"aggregate","id":"c","table":{"const":"visits"},"fn":"COUNT_STAR","expect":{"op":"gte","value":{"pointer":"/n"}}}]}},
 {"toolId":"sum","effectDescriptionTemplate":"sum","verification":{"kind":"sql_relational","checks":[
   {"checkKind":"aggregate","id":"s","table":{"const":"guests"},"fn":"SUM","sumColumn":{"const":"rate"},"whereEq":[{"column":{"const":"id"},"value":{"pointer":"/id"}}],"expect":{"op":"eq","value":{"pointer":"/n"}}}]}},
 {"toolId":"join","effectDescriptionTemplate":"join","verification":{"kind":"sql_relational","checks":[
   {"checkKind":"join_count","id":"j","leftTable":{"const":"guests"},"rightTable":{"const":"visits"},"join":{"leftColumn":{"const":"id"},"rightColumn":{"const":"guest"}},
    "whereEq":[{"tableSide":"left","column":{"const":"name"},"value":{"pointer":"/name"}},{"tableSide":"right","column":{"const":"nights"},"value":{"const":2}}],"expect":{"op":"eq","value":{"pointer":"/n"}}}]}},
 {"toolId":"orphans","effectDescriptionTemplate":"orphans","verification":{"kind":"sql_relational","checks":[
   {"checkKind":"anti_join","id":"o","anchorTable":{"const":"visits"},"lookupTable":{"const":"guests"},"anchorColumn":{"const":"guest"},"lookupColumn":{"const":"id"},"lookupPresenceColumn":{"const":"id"},
    "filterEqAnchor":[{"column":{"const":"nights"},"value":{"pointer":"/nights"}}]}]}},
 {"toolId":"both","effectDescriptionTemplate":"both","verification":{"kind":"sql_relational","checks":[
   {"checkKind":"related_exists","id":"a","childTable":{"const":"rooms"},"matchEq":[{"column":{"const":"id"},"value":{"pointer":"/room"}}]},
   {"checkKind":"related_exists","id":"b","childTable":{"const":"stays"},"matchEq":[{"column":{"const":"guest"},"value":{"pointer":"/guest"}}]}]}}]"#;

/// Tool, parameters, and how the step must end: status and code.
const STEPS: [(&str, &str, &str, &str); 34] = [
    (
        "row",
        r#"{"table":"guests","by":"id","id":"g1","fields":{"name":"Mira","room":204,"rate":99.5}}"#,
        "verified",
        "",
    ),
    (
        "row",
        r#"{"table":"guests","by":"id","id":"g2","fields":{}}"#,
        "verified",
        "",
    ),
    (
        "row",
        r#"{"table":"guests","by":"id","id":"g3","fields":{"name":null,"rate":null}}"#,
        "verified",
        "",
    ),
    (
        "row",
        r#"{"table":"guests","by":"id","id":"g3","fields":{"name":"x"}}"#,
        "inconsistent",
        "VALUE_MISMATCH",
    ),
    (
        "row",
        r#"{"table":"guests","by":"id","id":"g9","fields":{"name":"x"}}"#,
        "missing",
        "ROW_ABSENT",
    ),
    (
        "row",
        r#"{"table":"guests","by":"id","id":"g1","fields":{"ROOM":205}}"#,
        "inconsistent",
        "VALUE_MISMATCH",
    ),
    (
        "row",
        r#"{"table":"guests","by":"id","id":"g1","fields":{"Name":"Mira","name":"Mira"}}"#,
        "verified",
        "",
    ),
    (
        "row",
        r#"{"table":"guests","by":"id","id":"g1","fields":{"name":"mira"}}"#,
        "inconsistent",
        "VALUE_MISMATCH",
    ),
    (
        "row",
        r#"{"table":"guests","by":"id","id":"g1","fields":{"nope":1}}"#,
        "incomplete_verification",
        "ROW_SHAPE_MISMATCH",
    ),
    (
        "row",
        r#"{"table":"guests","by":"nope","id":"g1","fields":{}}"#,
        "incomplete_verification",
        "CONNECTOR_ERROR",
    ),
    (
        "row",
        r#"{"table":"nowhere","by":"id","id":"g1","fields":{}}"#,
        "incomplete_verification",
        "CONNECTOR_ERROR",
    ),
    (
        "row",
        r#"{"table":"visits","by":"guest","id":"g1","fields":{}}"#,
        "inconsistent",
        "DUPLICATE_ROWS",
    ),
    (
        "row",
        r#"{"table":"visits","by":"guest","id":"g2","fields":{"nights":3}}"#,
        "verified",
        "",
    ),
    (
        "row",
        r#"{"table":"stays","by":"guest","id":"g1","fields":{"nights":1}}"#,
        "inconsistent",
        "DUPLICATE_ROWS",
    ),
    (
        "row",
        r#"{"table":"stays","by":"guest","id":"g2","fields":{"nights":3}}"#,
        "verified",
        "",
    ),
    (
        "pair",
        r#"{"room":117,"guest":"g2","fields":{"nights":3}}"#,
        "verified",
        "",
    ),
    (
        "pair",
        r#"{"room":204,"guest":"g1","fields":{"nights":2}}"#,
        "inconsistent",
        "DUPLICATE_ROWS",
    ),
    (
        "effects",
        r#"{"id":"g1","guest":{"room":204},"room":204,"fields":{"floor":2}}"#,
        "verified",
        "",
    ),
    (
        "effects",
        r#"{"id":"g1","guest":{"room":204},"room":204,"fields":{"floor":9}}"#,
        "partially_verified",
        "MULTI_EFFECT_PARTIAL",
    ),
    (
        "effects",
        r#"{"id":"g9","guest":{},"room":1,"fields":{}}"#,
        "inconsistent",
        "MULTI_EFFECT_ALL_FAILED",
    ),
    ("absent", r#"{"id":"g9","room":1}"#, "verified", ""),
    ("absent", r#"{"id":"g1","room":205}"#, "verified", ""),
    (
        "absent",
        r#"{"id":"g1","room":204}"#,
        "inconsistent",
        "ROW_PRESENT_WHEN_FORBIDDEN",
    ),
    ("related", r#"{"guest":"g1","nights":2}"#, "verified", ""),
    (
        "related",
        r#"{"guest":"g1","nights":3}"#,
        "missing",
        "RELATED_ROWS_ABSENT",
    ),
    ("count", r#"{"guest":"g1","n":2}"#, "verified", ""),
    (
        "count",
        r#"{"guest":"g1","n":3}"#,
        "inconsistent",
        "RELATIONAL_EXPECTATION_MISMATCH",
    ),
    ("all", r#"{"n":4}"#, "verified", ""),
    ("sum", r#"{"id":"g1","n":99.5}"#, "verified", ""),
    ("sum", r#"{"id":"g9","n":0}"#, "verified", ""),
    ("join", r#"{"name":"Mira","n":2}"#, "verified", ""),
    ("orphans", r#"{"nights":2}"#, "verified", ""),
    (
        "orphans",
        r#"{"nights":1}"#,
        "inconsistent",
        "ORPHAN_ROW_DETECTED",
    ),
    (
        "both",
        r#"{"room":204,"guest":"g9"}"#,
        "partially_verified",
        "MULTI_EFFECT_PARTIAL",
    ),
];

pub(crate) fn outcome(step: &Value) -> (String, String) {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (word(&step["status"]), word(&step["reasons"][0]["code"]))
}

#[test]
fn every_kind_ends_the_same_way_on_every_engine() {
    let mut certificates = Vec::new();
    for kind in ENGINES {
        let Some(stage) = Stage::new(kind, SETUP) else {
            continue;
        };
        stage.desk.file("registry.json", REGISTRY);
        let events = STEPS.iter().enumerate();
        let events: String = events
            .map(|(seq, (tool, params, _, _))| event(seq, tool, params))
            .collect();
        stage.desk.file("events.ndjson", events);
        let seen = stage.check(&[]);
        assert_eq!(seen.code, 2, "{kind:?}: {}", seen.summary());
        let steps = stage.steps();
        for (step, (tool, params, status, code)) in steps.iter().zip(STEPS) {
            let wanted = (status.to_owned(), code.to_owned());
            assert_eq!(outcome(step), wanted, "{kind:?} {tool} {params}: {step}");
        }
        let certificate: Value = serde_json::from_str(&seen.stdout).unwrap();
        certificates.push((kind, certificate["steps"].clone()));
    }
    let (_, first) = certificates.first().unwrap();
    for (kind, steps) in &certificates {
        for (step, wanted) in steps
            .as_array()
            .unwrap()
            .iter()
            .zip(first.as_array().unwrap())
        {
            // an engine shows a decimal in its own way only where it differs
            assert_eq!(step, wanted, "{kind:?}");
        }
    }
}

#[test]
fn samples_show_the_rows_that_are_too_many() {
    for kind in ENGINES {
        let Some(stage) = Stage::new(kind, SETUP) else {
            continue;
        };
        stage.desk.file("registry.json", REGISTRY);
        let events = event(0, "absent", r#"{"id":"g1","room":204}"#)
            + &event(1, "orphans", r#"{"nights":1}"#);
        stage.desk.file("events.ndjson", events);
        assert_eq!(stage.check(&[]).code, 1);
        let steps = stage.steps();
        let samples: Vec<&Value> = steps
            .iter()
            .map(|step| &step["evidenceSummary"]["sampleRows"])
            .collect();
        let wanted = serde_json::json!([
            [{"id": "g1", "room": 204}],
            [{"guest": "g9", "nights": 1}]
        ]);
        assert_eq!(serde_json::json!(samples), wanted, "{kind:?}");
    }
}

#[test]
fn a_value_of_the_wrong_type_changes_the_verdict_of_no_other_step() {
    for kind in ENGINES {
        let Some(stage) = Stage::new(kind, SETUP) else {
            continue;
        };
        stage.desk.file("registry.json", REGISTRY);
        let wrong = [17, 1000, 2501];
        let events: String = (0..2600)
            .map(|seq| {
                let id = if wrong.contains(&seq) { "x" } else { "204" };
                let params =
                    format!(r#"{{"table":"rooms","by":"id","id":"{id}","fields":{{"floor":2}}}}"#);
                event(seq, "row", &params)
            })
            .collect();
        stage.desk.file("events.ndjson", events);
        let seen = stage.check(&[]);
        // text never equals an INTEGER column of SQLite; servers refuse to compare them
        let (code, reason) = match kind {
            Kind::Sqlite => (1, "ROW_ABSENT"),
            Kind::Postgres | Kind::Mysql => (2, "CONNECTOR_ERROR"),
        };
        assert_eq!(seen.code, code, "{kind:?}: {}", seen.stderr);
        for (seq, step) in stage.steps().iter().enumerate() {
            let wanted = if wrong.contains(&seq) { reason } else { "" };
            assert_eq!(outcome(step).1, wanted, "{kind:?} seq={seq}: {step}");
        }
    }
}

#[test]
fn the_same_key_may_be_asked_for_many_times() {
    for kind in ENGINES {
        let Some(stage) = Stage::new(kind, SETUP) else {
            continue;
        };
        stage.desk.file("registry.json", REGISTRY);
        let events: String = (0..2100)
            .map(|seq| {
                let id = if seq % 2 == 0 { "g1" } else { "g2" };
                let params =
                    format!(r#"{{"table":"visits","by":"guest","id":"{id}","fields":{{}}}}"#);
                event(seq, "row", &params)
            })
            .collect();
        stage.desk.file("events.ndjson", events);
        assert_eq!(stage.check(&[]).code, 1, "{kind:?}");
        let steps = stage.steps();
        let twice = |step: &&Value| outcome(step).1 == "DUPLICATE_ROWS";
        assert_eq!(steps.iter().filter(twice).count(), 1050, "{kind:?}");
        assert_eq!(steps.len(), 2100);
    }
}

#[test]
fn a_row_that_comes_late_is_waited_for_on_every_engine() {
    for kind in ENGINES {
        let Some(stage) = Stage::new(kind, SETUP) else {
            continue;
        };
        stage.desk.file("registry.json", REGISTRY);
        stage.desk.file(
            "events.ndjson",
            event(
                0,
                "row",
                r#"{"table":"guests","by":"id","id":"late","fields":{"room":7}}"#,
            ) + &event(1, "absent", r#"{"id":"g1","room":204}"#),
        );
        let child = stage.spawn(&[
            "--consistency",
            "eventual",
            "--verification-window-ms",
            "30000",
            "--poll-interval-ms",
            "200",
        ]);
        std::thread::sleep(std::time::Duration::from_millis(700));
        stage.run("INSERT INTO guests VALUES ('late', 'Ada', 7, 1)");
        stage.run("DELETE FROM guests WHERE id = 'g1'");
        let seen = stage.desk.seen(&child.wait_with_output().unwrap());
        assert_eq!(seen.code, 0, "{kind:?}: {}", seen.summary());
    }
}

#[test]
fn what_does_not_come_within_the_window_is_never_a_pass() {
    for kind in ENGINES {
        let Some(stage) = Stage::new(kind, SETUP) else {
            continue;
        };
        stage.desk.file("registry.json", REGISTRY);
        stage.desk.file(
            "events.ndjson",
            event(
                0,
                "row",
                r#"{"table":"guests","by":"id","id":"late","fields":{}}"#,
            ) + &event(1, "absent", r#"{"id":"g1","room":204}"#)
                + &event(2, "both", r#"{"room":9,"guest":"g9"}"#),
        );
        let window = [
            "--verification-window-ms",
            "500",
            "--poll-interval-ms",
            "200",
        ];
        let seen = stage.check(&[&["--consistency", "eventual"][..], &window].concat());
        assert_eq!(seen.code, 2, "{kind:?}: {}", seen.summary());
        let codes: Vec<String> = stage.steps().iter().map(|step| outcome(step).1).collect();
        assert_eq!(
            codes,
            [
                "ROW_NOT_OBSERVED_WITHIN_WINDOW",
                "FORBIDDEN_ROWS_STILL_PRESENT_WITHIN_WINDOW",
                "MULTI_EFFECT_UNCERTAIN_WITHIN_WINDOW"
            ],
            "{kind:?}"
        );
    }
}
