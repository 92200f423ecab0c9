//! Formats that programs read.

use crosscheck_core::Report;
use crosscheck_render::Format;
use crosscheck_testkit::Schema;
use roxmltree::{Document, Node};
use serde_json::Value;

use crate::fixture::{AWKWARD, rendered, rendered_all, report};

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

#[test]
fn json_contains_the_report_by_its_schema_with_every_character() {
    let json = parsed(&rendered(Format::Json));
    let schema = serde_json::to_value(schemars::schema_for!(Report)).unwrap();
    assert!(Schema::new(schema).fits(&json));
    assert_eq!(json["schema"], "crosscheck.report/1");
    assert_eq!(json["counts"]["refuted"], 2);
    assert_eq!(json["outcomes"][3]["claim"], AWKWARD);
    assert_eq!(json["outcomes"][2]["reasons"][1]["reason"], "LAMP_DARK");
}

#[test]
fn ndjson_has_a_line_for_each_outcome_and_one_for_the_run() {
    let text = rendered(Format::Ndjson);
    let lines: Vec<Value> = text.lines().map(parsed).collect();
    assert_eq!(lines.len(), 7);
    for (line, outcome) in lines.iter().zip(report().outcomes) {
        assert_eq!(line["type"], "outcome");
        assert_eq!(line["claim"], outcome.claim);
        assert_eq!(line["verdict"], outcome.verdict.word());
    }
    assert_eq!(lines[6]["type"], "run");
    assert_eq!(lines[6]["counts"]["undecided"], 2);
}

#[test]
fn sarif_has_the_shape_of_the_standard() {
    let shape = parsed(include_str!("../sarif-shape.schema.json"));
    let shape = Schema::new(shape);
    let sarif = parsed(&rendered(Format::Sarif));
    let errors = shape.problems(&sarif);
    assert!(errors.is_empty(), "{errors:#?}");
    let mut broken = sarif;
    broken["runs"][0]["results"][0]["verdict"] = "confirmed".into();
    assert!(!shape.fits(&broken), "the shape is closed");
}

#[test]
fn sarif_rules_are_the_declared_reasons() {
    let sarif = parsed(&rendered(Format::Sarif));
    let run = &sarif["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let ids: Vec<_> = rules
        .iter()
        .map(|rule| rule["id"].as_str().unwrap())
        .collect();
    assert_eq!(
        ids,
        ["CONFIRMED", "FOG", "OLD_BULB", "LAMP_DARK", "UNDECIDED"]
    );
    assert_eq!(
        rules[3]["shortDescription"]["text"],
        "the lamp gives no light"
    );
    assert_eq!(rules[3]["help"]["text"], "change the bulb");
    for result in run["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
}

#[test]
fn sarif_levels_and_places_follow_the_outcome() {
    let sarif = parsed(&rendered(Format::Sarif));
    let results = &sarif["runs"][0]["results"];
    let expected = [
        ("CONFIRMED", "pass", "none", "house%20plan.md"),
        ("FOG", "fail", "warning", "https://example.com/cellar?a=1"),
        (
            "LAMP_DARK",
            "fail",
            "error",
            "house/attic,%20left%3Aright.txt",
        ),
        ("LAMP_DARK", "fail", "error", ""),
        ("OLD_BULB", "pass", "none", "house%20plan.md"),
        ("UNDECIDED", "fail", "warning", "house%20plan.md"),
    ];
    for (at, (rule, kind, level, uri)) in expected.into_iter().enumerate() {
        let result = &results[at];
        assert_eq!(
            (&result["ruleId"], &result["kind"], &result["level"]),
            (&rule.into(), &kind.into(), &level.into())
        );
        let place = &result["locations"][0]["physicalLocation"];
        let seen = place["artifactLocation"]["uri"].as_str().unwrap();
        assert!(seen.is_ascii());
        assert!(uri.is_empty() || seen == uri, "{seen}");
    }
    let region = &results[2]["locations"][0]["physicalLocation"]["region"];
    assert_eq!(
        *region,
        serde_json::json!({"startLine": 12, "startColumn": 7, "endLine": 13})
    );
}

#[test]
fn two_sarif_runs_never_share_a_category() {
    let sarif = parsed(&rendered_all(&[&report(), &report()], Format::Sarif));
    let category = |at: usize| &sarif["runs"][at]["automationDetails"]["id"];
    assert_eq!(category(0), "crosscheck/lamps/");
    assert_eq!(category(1), "crosscheck/lamps-2/");
}

#[test]
fn an_impossible_location_does_not_invalidate_the_sarif_file() {
    let mut report = report();
    let place = report.outcomes[2].place.as_mut().unwrap();
    (place.line, place.column, place.end_line) = (Some(5), Some(0), Some(4));
    report.outcomes[3].place.as_mut().unwrap().line = Some(0);
    let sarif = parsed(&rendered_all(&[&report], Format::Sarif));
    let place = |at: usize| &sarif["runs"][0]["results"][at]["locations"][0]["physicalLocation"];
    assert_eq!(place(2)["region"], serde_json::json!({"startLine": 5}));
    assert!(place(3).get("region").is_none());
}

#[test]
fn fingerprints_survive_moved_lines_and_new_units_and_distinguish_equal_claims() {
    let prints = |report: &Report| -> Vec<String> {
        parsed(&rendered_all(&[report], Format::Sarif))["runs"][0]["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|result| {
                result["partialFingerprints"]["crosscheckClaim/v1"]
                    .as_str()
                    .unwrap()
                    .to_owned()
            })
            .collect()
    };
    let before = report();
    let mut after = report();
    after.outcomes.remove(0);
    after.outcomes[1].place.as_mut().unwrap().line = Some(99);
    after.outcomes.push(after.outcomes[0].clone());
    let (before, after) = (prints(&before), prints(&after));
    assert_eq!(before[1..], after[..5]);
    assert_ne!(after[0], after[5]);
}

#[test]
fn junit_counts_refuted_as_failures_and_undecided_as_errors() {
    let xml = rendered(Format::Junit);
    let document = Document::parse(&xml).unwrap();
    let root = document.root_element();
    for (count, expected) in [("tests", "6"), ("failures", "2"), ("errors", "2")] {
        assert_eq!(root.attribute(count), Some(expected), "{count}");
    }
    let suite = root.first_element_child().unwrap();
    assert_eq!(suite.attribute("name"), Some("lamps house plan.md"));
    let problem = |case: Node<'_, '_>| {
        let child = case.first_element_child()?;
        Some(child.tag_name().name().to_owned()).filter(|name| name != "system-out")
    };
    let cases = suite
        .children()
        .filter(|child| child.has_tag_name("testcase"));
    let problems: Vec<_> = cases.map(problem).collect();
    let (error, failure) = (Some("error".to_owned()), Some("failure".to_owned()));
    assert_eq!(
        problems,
        [None, error.clone(), failure.clone(), failure, None, error]
    );
}

#[test]
fn junit_keeps_every_character_of_a_claim_and_its_reason() {
    let xml = rendered(Format::Junit);
    let document = Document::parse(&xml).unwrap();
    let awkward = document
        .descendants()
        .find(|node| {
            node.attribute("name")
                .is_some_and(|name| name.contains("<script>"))
        })
        .unwrap();
    let name = awkward.attribute("name").unwrap();
    assert!(name.contains(r#"]]> & "quoted""#), "{name}");
    let failure = awkward.first_element_child().unwrap();
    let text = failure.text().unwrap();
    assert!(text.starts_with("refuted\n"), "{text}");
    assert!(text.contains("next: "), "{text}");
}

#[test]
fn junit_tags_have_only_attributes_of_the_public_schema() {
    let xml = rendered(Format::Junit);
    let tags = |start: &'static str| {
        xml.lines()
            .map(str::trim)
            .filter(move |line| line.starts_with(start))
    };
    assert_eq!(
        tags("<testsuites").collect::<Vec<_>>(),
        [r#"<testsuites name="crosscheck" tests="6" failures="2" errors="2">"#]
    );
    assert_eq!(
        tags("<testsuite ").collect::<Vec<_>>(),
        [r#"<testsuite name="lamps house plan.md" tests="6" skipped="0" errors="2" failures="2">"#]
    );
    assert_eq!(tags("<testcase ").count(), 6);
    for case in tags("<testcase ") {
        assert!(case.starts_with("<testcase name=\"u"), "{case}");
        assert!(
            case.trim_end_matches(['/', '>'])
                .ends_with("classname=\"crosscheck.lamps\""),
            "{case}"
        );
    }
}

#[test]
fn junit_contains_no_character_that_xml_forbids() {
    let xml = rendered(Format::Junit);
    assert!(!xml.contains(['\u{FFFE}', '\u{FFFF}', '\u{0}', '\u{1b}']));
    assert!(xml.contains("\\u001b[31m"), "the escape stays visible");
    assert!(!xml.contains("<script>") && !xml.contains("]]>"));
}

#[test]
fn every_line_for_github_is_one_command_of_ours() {
    let text = rendered(Format::Github);
    let starts: Vec<_> = text
        .lines()
        .map(|line| line.split(' ').next().unwrap())
        .collect();
    assert_eq!(
        starts,
        [
            "::error",
            "::error",
            "::warning",
            "::warning",
            "::notice",
            "::notice",
            "::notice",
            "::error"
        ]
    );
    let attic = text.lines().next().unwrap();
    assert!(
        attic.starts_with(
            "::error file=house/attic%2C left%3Aright.txt,line=12,endLine=13,col=7,\
             title=crosscheck lamps%3A u2 refuted::the attic is lit%0A"
        ),
        "{attic}"
    );
    assert!(
        attic.ends_with("%0Anext: keep a spare bulb%0Anext: change the bulb"),
        "{attic}"
    );
    let cellar = text.lines().nth(2).unwrap();
    assert!(
        !cellar.contains("file=") && cellar.contains("place: https://example.com/cellar"),
        "{cellar}"
    );
}

#[test]
fn the_table_has_one_row_for_each_outcome_and_as_many_cells_in_each() {
    let text = rendered(Format::Csv);
    let rows: Vec<Vec<String>> = text.lines().map(cells).collect();
    assert_eq!(rows.len(), 1 + report().outcomes.len());
    assert_eq!(rows[0].first().map(String::as_str), Some("unit"));
    for row in &rows {
        assert_eq!(row.len(), rows[0].len(), "{row:?}");
        assert!(
            !row.iter()
                .any(|cell| cell.starts_with(['=', '+', '-', '@'])),
            "{row:?}"
        );
    }
    let cellar = rows.iter().find(|row| row[0] == "u1").unwrap();
    assert_eq!(cellar[2], "https://example.com/cellar?a=1");
}

#[test]
fn a_run_without_outcomes_still_has_a_row_in_the_table() {
    let mut report = report();
    report.outcomes.clear();
    let text = rendered_all(&[&report], Format::Csv);
    let row = cells(text.lines().nth(1).unwrap());
    assert_eq!((row[0].as_str(), row[1].as_str()), ("", "refuted"));
    assert!(row.last().unwrap().contains("the switch was ignored"));
}

/// The cells of a line as RFC 4180 reads them.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut cell, mut quoted) = (Vec::new(), String::new(), false);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => cell.extend(chars.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(std::mem::take(&mut cell)),
            c => cell.push(c),
        }
    }
    cells.push(cell);
    cells
}
