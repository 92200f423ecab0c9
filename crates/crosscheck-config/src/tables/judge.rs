//! `[judge]`

use std::path::PathBuf;

use super::why;
use crate::Direction::{Down, StarterOnly};
use crate::Preset::{self, Unset};
use crate::Typed::{All, Nowhere, People};
use crate::ValueKind::{Flag, Program, Seconds, Text, Whole, Word};
use crate::key::table;

table! {
    /// What `claims` and `sources` read about the judge.
    JUDGE, JudgeSettings = "judge", "Which judge says whether a text supports a claim, for `claims` and `sources`";
    "Judge" {
        kind: String, Word(&["builtin", "command", "http", "replay", "both"]), Preset::Text("builtin"), StarterOnly(why::BELIEVED), Nowhere,
            "The built-in judge, a program, an OpenAI-compatible endpoint, recorded answers, or the built-in judge and the configured model for what it leaves open; typed as `--judge`";
        command: Option<Vec<String>>, Program, Unset, StarterOnly(why::PROGRAM), People("--judge-command ARGV"),
            "Program that is asked once per question, with its arguments; `{prompt}` becomes the question; on the command line up to a lone `;` or the end";
        url: Option<String>, Text, Unset, StarterOnly(why::SENDS), People("--judge-url URL"),
            "Base URL of an OpenAI-compatible endpoint";
        model: Option<String>, Text, Unset, StarterOnly(why::BELIEVED), All("--judge-model NAME"),
            "Model of the endpoint";
        api_key_env: Option<String>, Text, Unset, StarterOnly(why::SECRET), People("--judge-api-key-env VARIABLE"),
            "Environment variable that holds the key of the endpoint";
        answers: String, Word(&["json", "yes-no"]), Preset::Text("json"), StarterOnly(why::BELIEVED), All("--judge-answers FORM"),
            "How the model answers: one JSON object, or yes and no as grounded-checking models do";
        template: Option<String>, Text, Preset::Depends("`Document: {document}`, a line feed, `Claim: {claim}`"), StarterOnly(why::BELIEVED), Nowhere,
            "What a model that says yes or no is shown, with `{document}` and `{claim}`";
        system: Option<String>, Text, Unset, StarterOnly(why::BELIEVED), Nowhere,
            "What a model that says yes or no is told before";
        structured: bool, Flag, Preset::Flag(false), StarterOnly(why::BELIEVED), All("--judge-structured"),
            "Ask the endpoint for structured output";
        replay: Option<PathBuf>, Text, Unset, StarterOnly(why::BELIEVED), People("--judge-replay FILE"),
            "File of recorded answers";
        timeout: f64, Seconds(86_400), Preset::Number(60.0), StarterOnly(why::SKIPS), All("--judge-timeout SECONDS"),
            "Seconds for one question";
        fallback: Option<String>, Word(&["builtin"]), Unset, StarterOnly(why::BELIEVED), All("--judge-fallback JUDGE"),
            "Judge that answers when the model fails";
        first: Option<String>, Word(&["builtin"]), Unset, StarterOnly(why::BELIEVED), All("--judge-first JUDGE"),
            "Judge that is asked before the model; the model is then asked only where it is unclear";
        budget: Option<u64>, Whole { least: 0, most: u64::MAX }, Unset, StarterOnly(why::SKIPS), All("--judge-budget N"),
            "The most questions of a run";
        cache: bool, Flag, Preset::Flag(true), Down, All("--no-judge-cache"),
            "Remember answers of a model";
        cache_dir: Option<PathBuf>, Text, Preset::Depends("`crosscheck/judge` in the user's cache folder"), StarterOnly(why::BELIEVED), People("--judge-cache DIR"),
            "Folder of remembered answers";
    }
}
