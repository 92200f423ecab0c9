//! A negation counts for the clause it belongs to (judge P3, P8).

use super::verdict_of;

#[test]
fn a_negation_of_one_clause_does_not_turn_another() {
    for (claim, text) in [
        (
            "The drug does not cure, but it lowers the risk of stroke.",
            "The drug does not cure, but it lowers the overall risk of stroke.",
        ),
        (
            "No restart required: the server reloads the file.",
            "No restart required: the server reloads the whole file.",
        ),
        (
            "The tool is not a parser; it reads tokens from the lexer.",
            "The tool is not a parser; it reads the tokens from the lexer.",
        ),
        (
            "The plan was never approved — the council built the bridge anyway.",
            "The plan was never approved - the council built the new bridge anyway.",
        ),
        (
            "The drug lowers the risk of death, though it does not cure.",
            "Though it does not cure, the drug lowers the risk of death.",
        ),
        (
            "Rome did not sell the port: it leased the port to Athens in May.",
            "Rome did not sell the port; it leased the port to Athens in early May.",
        ),
        (
            "While no vaccine exists, the drug lowers the risk of death.",
            "While no vaccine exists, the drug lowers the risk of early death.",
        ),
    ] {
        assert_eq!(
            verdict_of(claim, text),
            "Supports lexical",
            "{claim} / {text}"
        );
    }
}

#[test]
fn a_negation_elsewhere_in_the_sentence_does_not_contradict() {
    for (claim, text) in [
        (
            "Rome leased the port to Athens in May.",
            "Rome did not sell the port; it leased the port to Athens in early May.",
        ),
        (
            "The tool finds the project root.",
            "No configuration of the project needed: the tool finds the whole project root.",
        ),
        (
            "The bridge is made of steel rather than wood.",
            "The bridge is not made of wood but of steel.",
        ),
        (
            "The bridge uses steel instead of wood.",
            "The bridge uses steel, not wood.",
        ),
        (
            "The drug does not cure, but it lowers the risk of stroke.",
            "In the trial the drug lowers the overall risk of stroke in adults.",
        ),
        (
            "Not a database? The tool stores rows in plain files.",
            "The tool stores its rows in plain files.",
        ),
    ] {
        let verdict_of = verdict_of(claim, text);
        assert!(
            !verdict_of.starts_with("Contradicts"),
            "{claim} / {text}: {verdict_of}"
        );
    }
}

#[test]
fn a_negation_of_the_clause_itself_contradicts() {
    for (claim, text) in [
        (
            "The drug is safe: it does not lower the risk of stroke in adults.",
            "The drug lowers the risk of stroke in adults.",
        ),
        (
            "The drug does not cure, but it lowers the risk of stroke.",
            "The drug does not cure, but it does not lower the overall risk of stroke.",
        ),
        (
            "No restart required: the server reloads the file.",
            "Restart required: the server reloads the whole file.",
        ),
        (
            "The drug lowers the risk of stroke.",
            "The drug, which is cheap, does not lower the risk of stroke.",
        ),
    ] {
        let expected = "Contradicts polarity_conflict";
        assert_eq!(verdict_of(claim, text), expected, "{claim} / {text}");
    }
}
