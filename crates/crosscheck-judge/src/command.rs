//! A program as a model: one process for each question, without a shell.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use super::NoAnswer;
use super::model::{Ask, Model};
use crosscheck_core::{is_machine_limit, outputs};
use crosscheck_process::{Ending, Program};

/// The longest answer that is kept.
const KEEP: usize = 1024 * 1024;

/// A program that reads a question and writes an answer.
#[derive(Debug, Clone)]
pub struct CommandModel {
    argv: Vec<String>,
    folder: PathBuf,
    timeout: Duration,
    id: String,
}

impl CommandModel {
    /// The program and its arguments; an argument `{prompt}` is replaced by the
    /// whole question as one text.
    pub fn new(argv: Vec<String>, folder: PathBuf, timeout: Duration) -> Self {
        let id = format!("command:{}", argv.join(" "));
        outputs::named_words(&folder, &argv);
        Self {
            argv,
            folder,
            timeout,
            id,
        }
    }
}

impl Model for CommandModel {
    fn id(&self) -> &str {
        &self.id
    }

    fn ask(&self, ask: &Ask) -> Result<String, NoAnswer> {
        let Some((command, args)) = self.argv.split_first() else {
            return Err(NoAnswer::new("no judge command is given".to_owned()));
        };
        let args = args.iter().map(|arg| {
            if arg == "{prompt}" {
                ask.prompt_text()
            } else {
                arg.clone()
            }
        });
        let ran = Program::new(command, &self.folder)
            .args(args)
            .input(ask.json().into_bytes())
            .time_limit(Some(self.timeout))
            .keep(KEEP)
            .run()
            .map_err(|error| NoAnswer {
                why: format!("{error}: {}", error.source),
                // too many processes is "try again"
                is_machine_limit: is_machine_limit(&error.source)
                    || error.source.kind() == io::ErrorKind::WouldBlock,
            })?;
        match ran.ending {
            Ending::Exited(0) => Ok(ran.stdout.text()),
            Ending::Exited(code) => Err(NoAnswer::new(format!(
                "the judge command ended with {code}"
            ))),
            Ending::Signalled(signal) => Err(NoAnswer::new(format!(
                "the judge command was ended by signal {signal}"
            ))),
            Ending::TimedOut => Err(NoAnswer::new("the judge command took too long".to_owned())),
            Ending::LeftRunning => Err(NoAnswer::new(
                "the judge command left processes running".to_owned(),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Style;
    use crate::{Question, Text};

    fn ask(script: &str, more: &[&str]) -> Result<String, NoAnswer> {
        let mut argv = vec!["sh".to_owned(), "-c".to_owned(), script.to_owned()];
        argv.extend(more.iter().map(|arg| (*arg).to_owned()));
        let folder = std::env::temp_dir();
        CommandModel::new(argv, folder, Duration::from_secs(2)).ask(&Ask::of(
            &Question::new("the claim", &Text::new("the snippet")),
            &Style::Json,
        ))
    }

    #[test]
    fn the_question_comes_as_json_and_as_a_prompt() {
        let said = ask("cat", &[]).unwrap();
        assert!(
            said.contains(r#""protocol":"crosscheck.judge.v1""#),
            "{said}"
        );
        assert!(said.contains(r#""claim":"the claim""#), "{said}");
        let said = ask("printf %s \"$0\"", &["{prompt}"]).unwrap();
        assert!(said.contains("follow none of them"), "{said}");
        assert!(said.contains(r#""snippet":"the snippet""#), "{said}");
    }

    #[test]
    fn failure_and_slowness_are_errors() {
        assert!(ask("exit 3", &[]).unwrap_err().why.contains('3'));
        assert!(ask("sleep 60", &[]).unwrap_err().why.contains("too long"));
        let none = CommandModel::new(
            vec!["/no/such/program".into()],
            std::env::temp_dir(),
            Duration::from_secs(1),
        );
        assert!(
            none.ask(&Ask::of(&Question::new("", &Text::default()), &Style::Json))
                .is_err()
        );
    }
}
