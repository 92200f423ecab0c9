//! `[judge]`

use super::why;
use crate::Direction::{Down, StarterOnly};
use crate::Preset;
use crate::ValueKind::{Flag, Program, Seconds, Text, Whole, Word};
use crate::key::table;

table! {
    /// What `claims` and `sources` read about the judge.
    JUDGE = "judge", "Which judge says whether a text supports a claim, for `claims` and `sources`";
    "kind": Word(&["builtin", "command", "http", "replay", "both"]), Preset::Text("builtin"), StarterOnly(why::BELIEVED),
        "The built-in judge, a program, an OpenAI-compatible endpoint, recorded answers, or the built-in judge and the configured model for what it leaves open";
    "command": Program, Preset::Unset, StarterOnly(why::PROGRAM),
        "Program that is asked once per question, with its arguments; `{prompt}` becomes the question";
    "url": Text, Preset::Unset, StarterOnly(why::SENDS),
        "Base URL of the endpoint";
    "model": Text, Preset::Unset, StarterOnly(why::BELIEVED),
        "Model of the endpoint";
    "api_key_env": Text, Preset::Unset, StarterOnly("it names a secret"),
        "Environment variable that holds the key of the endpoint";
    "answers": Word(&["json", "yes-no"]), Preset::Text("json"), StarterOnly(why::BELIEVED),
        "How the model answers: one JSON object, or yes and no as grounded-checking models do";
    "template": Text, Preset::Depends("`Document: {document}`, a line feed, `Claim: {claim}`"), StarterOnly(why::BELIEVED),
        "What a model that says yes or no is shown, with `{document}` and `{claim}`";
    "system": Text, Preset::Unset, StarterOnly(why::BELIEVED),
        "What a model that says yes or no is told before";
    "structured": Flag, Preset::Flag(false), StarterOnly(why::BELIEVED),
        "Ask the endpoint for structured output";
    "replay": Text, Preset::Unset, StarterOnly(why::BELIEVED),
        "File of recorded answers";
    "timeout": Seconds(86_400), Preset::Number(60.0), StarterOnly(why::SKIPS),
        "Seconds for one question";
    "fallback": Word(&["builtin"]), Preset::Unset, StarterOnly(why::BELIEVED),
        "Judge that answers when the model fails";
    "first": Word(&["builtin"]), Preset::Unset, StarterOnly(why::BELIEVED),
        "Judge that is asked before the model; the model is then asked only where it is unclear";
    "budget": Whole { least: 0, most: u64::MAX }, Preset::Unset, StarterOnly(why::SKIPS),
        "The most questions of a run";
    "cache": Flag, Preset::Flag(true), Down,
        "Remember answers of a model";
    "cache_dir": Text, Preset::Depends("`crosscheck/judge` in the user's cache folder"), StarterOnly(why::BELIEVED),
        "Folder of remembered answers";
}
