//! The built-in judge by itself.

use crate::desk;

#[test]
fn the_judge_answers_line_by_line() {
    let seen = desk().crosscheck_with_input(
        ["judge", "--stdin"],
        concat!(
            r#"{"claim":"The limit is 5 MB","snippet":"limit: 5 MB","kind":"file"}"#,
            "\n",
            r#"{"claim":"The limit is 5 MB","snippet":"limit: 7 MB","kind":"file","ref":"a.toml","quote":null}"#,
            "\n"
        )
        .as_bytes(),
    );
    insta::assert_snapshot!(seen.summary(), @r#"
    exit 0
    --- stdout
    {"verdict":"supports","reasons":["lexical"],"span":"limit: 5 MB","score":1.0,"missing":[],"basis":"all_words","explanation":"Every word, name and figure of the claim is in one passage of the text","judge":"builtin/2"}
    {"verdict":"contradicts","reasons":["quantity_conflict"],"span":"limit: 7 MB","score":1.0,"missing":[],"basis":"figure","explanation":"The text says 7 MB, the claim 5 MB","judge":"builtin/2"}
    --- stderr
    "#);
}

#[test]
fn a_question_that_cannot_be_read_ends_with_3() {
    let seen = desk().crosscheck_with_input(["judge", "--stdin"], b"{\"claim\":1}\n");
    assert_eq!((seen.code, seen.stdout.as_str()), (3, ""));
    assert!(
        seen.stderr.starts_with("error[CLI_USAGE]"),
        "{}",
        seen.stderr
    );
}
