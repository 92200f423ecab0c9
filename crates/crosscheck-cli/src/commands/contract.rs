//! The commands around `check`: registries, certificates, bundles.

use std::fmt::Write as _;

use crosscheck::check::{ContractError, ContractFailure, bundle, compare as comparing, validate};
use crosscheck::core::canonical;

use crate::args::{
    CompareArgs, CompareCommand, DecisionBundleArgs, DecisionBundleCommand, ValidateRegistryArgs,
    VerifyBundleSignatureArgs,
};
use crate::failure::Failure;
use crate::output::Streams;

const MOVEMENTS: [&str; 5] = [
    "improved",
    "weakened",
    "unchanged",
    "less_determinate",
    "drifted",
];

fn failure(error: &ContractError) -> Failure {
    Failure::enveloped(error)
}

fn print(document: &serde_json::Value, streams: &mut Streams) -> Result<(), Failure> {
    let line = canonical::of(document)
        .map_err(|error| failure(&ContractError::internal(error.to_string())))?;
    streams
        .try_data((line + "\n").as_bytes())
        .map_err(|error| failure(&ContractError::internal(format!("stdout: {error}"))))
}

pub(crate) fn validate_registry(
    args: &ValidateRegistryArgs,
    streams: &mut Streams,
) -> Result<u8, Failure> {
    let usage = |text: &str| {
        failure(&ContractError::new(
            ContractFailure::ValidateRegistryUsage,
            text,
        ))
    };
    let registry = args
        .registry
        .as_ref()
        .ok_or_else(|| usage("--registry <path> is missing"))?;
    let events = match (&args.events, &args.workflow_id) {
        (None, None) => None,
        (Some(path), Some(id)) if !id.is_empty() => Some((path.as_path(), id.as_str())),
        _ => return Err(usage("--events and --workflow-id go together")),
    };
    let found = validate::registry(registry, events).map_err(|error| failure(&error))?;
    print(&found.result, streams)?;
    if !found.valid {
        let mut text = "Registry validation failed:\n".to_owned();
        for issue in &found.issues {
            let _ = writeln!(text, "- {issue}");
        }
        streams.talk(&text);
    }
    for note in &found.notes {
        streams.talk(&format!("warning: {note}\n"));
    }
    Ok(u8::from(!found.valid))
}

pub(crate) fn compare(args: &CompareArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let CompareCommand::Certificates {
        before,
        after,
        steps,
        fail_on,
    } = &args.command;
    let usage = |text: &str| failure(&ContractError::new(ContractFailure::CompareUsage, text));
    let (Some(before), Some(after)) = (before, after) else {
        return Err(usage(
            "name both certificates: --before <path> --after <path>",
        ));
    };
    if let Some(unknown) = fail_on
        .iter()
        .find(|word| !MOVEMENTS.contains(&word.as_str()))
    {
        return Err(usage(&format!(
            "--fail-on: unknown movement `{unknown}`; the movements are {}",
            MOVEMENTS.join(", ")
        )));
    }
    let found = comparing::certificates(before, after, *steps).map_err(|error| failure(&error))?;
    print(&found.document, streams)?;
    streams.talk(&found.text);
    Ok(u8::from(fail_on.iter().any(|word| word == found.movement)))
}

pub(crate) fn decision_bundle(
    args: &DecisionBundleArgs,
    streams: &mut Streams,
) -> Result<u8, Failure> {
    let DecisionBundleCommand::Validate { folder, public_key } = &args.command;
    let found = bundle::validate_decision(folder, public_key.as_deref())
        .map_err(|error| failure(&error))?;
    print(&found.document, streams)?;
    streams.talk(&found.note);
    Ok(found.exit)
}

pub(crate) fn verify_bundle_signature(
    args: &VerifyBundleSignatureArgs,
    streams: &mut Streams,
) -> Result<u8, Failure> {
    let usage = |text: &str| failure(&ContractError::usage(text));
    let folder = args
        .run_dir
        .as_ref()
        .ok_or_else(|| usage("--run-dir <dir> is missing"))?;
    let key = args
        .public_key
        .as_ref()
        .ok_or_else(|| usage("--public-key <pem> is missing"))?;
    // without the option the contract wants silence, and 3 for whatever is wrong
    match bundle::verify_run(folder, key) {
        Ok(words) if args.explain => streams.data(words.as_bytes()).map(|()| 0),
        Ok(_) => Ok(0),
        Err(error) if args.explain && bundle::is_refuted(&error) => {
            streams.data(format!("refuted: {error}\n").as_bytes())?;
            Ok(1)
        }
        Err(error) => Err(failure(&error)),
    }
}
