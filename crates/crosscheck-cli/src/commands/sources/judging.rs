//! Who says whether a page supports a claim.

use std::path::PathBuf;
use std::sync::Arc;

use crosscheck::core::judge::Judge;
use crosscheck::ground::judges::{CommandModel, HttpModel, Lexical, ModelJudge, Use};

use super::settings::variable;
use crate::args::sources::{JudgeName, JudgingArgs};
use crate::failure::Failure;

pub(super) fn judge(args: &JudgingArgs) -> Result<Arc<dyn Judge>, Failure> {
    let plan = Use {
        cache: args.judge_cache.clone(),
        fallback: args.judge_fallback.is_some(),
        builtin_first: args.judge_first.is_some(),
        budget: None,
    };
    let missing = |what: &str, help: &str| Failure::usage(what, help);
    match args.judge {
        JudgeName::Builtin => Ok(Arc::new(Lexical)),
        JudgeName::Command => {
            if args.judge_command.is_empty() {
                return Err(missing(
                    "--judge command names no command",
                    "add --judge-command PROGRAM ARGS",
                ));
            }
            let model = CommandModel::new(
                args.judge_command.clone(),
                PathBuf::from("."),
                args.judge_timeout,
            );
            Ok(Arc::new(ModelJudge::new(model, plan)))
        }
        JudgeName::Http => {
            let url = args.judge_url.as_deref();
            let url = url
                .ok_or_else(|| missing("--judge http names no endpoint", "add --judge-url URL"))?;
            let name = args.judge_model.clone();
            let name = name
                .ok_or_else(|| missing("--judge http names no model", "add --judge-model NAME"))?;
            let key = match args.judge_api_key_env.as_deref() {
                None => None,
                Some(name) => {
                    let value = variable(name);
                    Some(value.ok_or_else(|| {
                        missing(
                            &format!("the variable {name} is empty"),
                            "set it to the key",
                        )
                    })?)
                }
            };
            let model = HttpModel::new(url, name, key, args.judge_structured, args.judge_timeout);
            Ok(Arc::new(ModelJudge::new(model, plan)))
        }
    }
}
