//! Calls together with what the database shows of them.

use std::sync::Arc;

use crosscheck_core::Json;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::compare::shown;
use crate::compare::value::{Value, as_text};
use crate::fact::{Found, Subject};
use crate::plan::Tool;
use crate::plan::classify::Class;
use crate::read::Place;
use crate::reasons::CallReason as Reason;

/// A call that is judged.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SeenCall {
    /// Among all calls of the logs, from 1.
    pub(crate) index: u32,
    pub(crate) id: Option<Box<str>>,
    /// The tool, which many calls share.
    #[serde(skip)]
    pub(crate) tool: Arc<Tool>,
    pub(crate) class: Class,
    pub(crate) class_from: SmolStr,
    pub(crate) is_answered: bool,
    /// Whether the answer may say that nothing was done.
    pub(crate) may_be_refused: bool,
    pub(crate) step: u32,
    pub(crate) place: Place,
    /// The arguments, in one short line.
    pub(crate) said: Box<str>,
    pub(crate) subjects: Vec<Subject>,
    /// Why there is nothing to look for.
    #[serde(with = "coded")]
    pub(crate) reason: Option<Box<(Reason, String)>>,
    /// Arguments and answer, where they are asked for.
    pub(crate) raw: Option<Box<(Raw, Option<Raw>)>>,
    /// What was said and may not be compared with anything.
    pub(crate) uncompared: Box<[(SmolStr, Value)]>,
}

/// A JSON document of the log.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Raw(#[serde(with = "as_text")] pub(crate) Arc<Json>);

/// Reasons by their codes.
mod coded {
    use serde::{Deserialize, Deserializer, Serialize as _, Serializer};

    use super::Reason;

    type Told = Option<Box<(Reason, String)>>;

    pub(super) fn serialize<S: Serializer>(told: &Told, serializer: S) -> Result<S::Ok, S::Error> {
        let told = told.as_ref().map(|told| (told.0.code(), &told.1));
        told.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Told, D::Error> {
        let told = Option::<(&str, String)>::deserialize(deserializer)?;
        Ok(told.and_then(|(code, text)| {
            let mut all = Reason::VARIANTS.iter();
            let reason = all.find(|reason| reason.code() == code)?;
            Some(Box::new((*reason, text)))
        }))
    }
}

impl SeenCall {
    /// About how many bytes of text it keeps.
    pub(crate) fn weight(&self) -> usize {
        let mut weight = 0;
        let mut add = |value: &Value| weight += value.length();
        for subject in &self.subjects {
            subject.conditions.iter().for_each(|(_, value)| add(value));
            for fact in &subject.facts {
                fact.asked.iter().for_each(|asked| add(&asked.0));
                fact.claim.any(|value| {
                    add(value);
                    false
                });
            }
        }
        self.uncompared.iter().for_each(|(_, value)| add(value));
        let facts = self.subjects.iter().flat_map(|subject| &subject.facts);
        let found = facts.map(|fact| match &fact.found {
            Found::Cell(cell) => shown(cell).len(),
            Found::Several(several) => several.0.len() + several.1.len(),
            Found::Nothing | Found::Same | Found::Count(_) | Found::Failed(_) => 0,
        });
        let raw = self.raw.iter().map(|raw| {
            let answer = raw.1.as_ref().map_or(0, |answer| answer.0.weight());
            raw.0.0.weight() + answer
        });
        weight + found.sum::<usize>() + raw.sum::<usize>()
    }
}
