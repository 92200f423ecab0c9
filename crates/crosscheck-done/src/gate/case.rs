//! One message that has claims: each is judged by the session and the world.

use std::path::Path;
use std::time::Duration;

use crosscheck_core::Verdict;
use crosscheck_transcript::session::{Change, Harness};

use super::report::{Base, Judged, Report};
use super::{Task, advice, bench, session};
use crate::claim::{Extraction, span_of_code};
use crate::config::{Reality, Settings};
use crate::handover::{self, Handover};
use crate::judge::findings::{Finding, Seen, Severity, What};
use crate::judge::{self, Ground};
use crate::kind::{Claim, ClaimKind, Work};
use crate::observe::git::Repository;
use crate::observe::layout::Disk;
use crate::observe::outputs::Logs;
use crate::observe::{env, files, http, symbols};
use crate::opinion::{Opinion, Source};
use crate::own::{self, OwnRuns};
use crate::read::session::{Candidate, Edit, Session};
use crate::reasons::DoneReason;
use crate::redact::redacted;
use crate::relevance::Relevance;
use crate::report::receipt::{GitOf, TranscriptOf};
use crate::runner::Table;
use crate::tamper::Tampering;

pub(super) struct Case<'c> {
    pub(super) task: &'c Task,
    pub(super) table: &'c Table,
    pub(super) session: Option<&'c Session>,
    pub(super) settings: &'c Settings,
    pub(super) repository: &'c Repository<'c>,
    pub(super) logs: Option<&'c Logs>,
    /// When the session began.
    pub(super) began: Option<i64>,
}

impl Case<'_> {
    pub(super) fn report(&mut self, extraction: Extraction, tampering: Tampering) -> Report {
        let none = Logs::new(&[], Harness::Neutral);
        let logs = self.logs.unwrap_or(&none);
        let relevance = Relevance::new(&self.task.places, &self.settings.irrelevant);
        let layout = Disk::new(
            &self.task.places,
            self.settings.reality.fs,
            self.settings.reality.git.then_some(self.repository),
        );
        let seen = Seen::default();
        let ground = Ground {
            seen: &seen,
            session: self.session,
            table: self.table,
            places: &self.task.places,
            relevance: &relevance,
            settings: self.settings,
            outputs: logs,
            layout: &layout,
            running: &self.task.running,
        };
        let mut own = self.own_runs();
        let mut world =
            |claim: &Claim, shown: &Opinion| self.world(claim, &ground, &mut own, shown);
        let mut wanted = extraction.claims;
        // an answer to a question needs no tests
        if !self.task.live
            || self
                .session
                .is_some_and(|session| !session.edits.is_empty())
        {
            wanted.extend(bench::required(&wanted, self.settings));
        }
        let mut claims = bench::judge(wanted, &ground, &mut world);
        bench::complete(&mut claims, self.settings);
        let mut handovers = Vec::new();
        for judged in &mut claims {
            self.complete(judged, &mut handovers);
        }
        if claims.is_empty() && self.settings.strict && extraction.says_done {
            claims.extend(self.done_alone(&ground));
        }
        let mut findings = bench::findings(&mut claims, &ground);
        tampers(&tampering, &mut findings);
        let skipped = self.is_switched_off();
        Report {
            claims,
            findings,
            tampering,
            notices: Vec::new(),
            handovers,
            settings: self.settings.clone(),
            dropped: extraction.dropped,
            commands: self.explained(),
            skipped,
            decision: None,
            base: self.base(extraction.left_out, extraction.is_cut),
        }
    }

    /// Whether the person typed the word that ends a turn unchecked. The
    /// prompts of a subagent are its parent's, and what stands within a tag
    /// was put there by the harness.
    fn is_switched_off(&self) -> bool {
        let token = &self.settings.skip_token;
        let is_agent = self.task.log.as_ref().is_some_and(|log| log.own);
        let prompt = self.session.and_then(|session| session.prompt.as_deref());
        !token.is_empty()
            && !is_agent
            && prompt.is_some_and(|prompt| unquoted(&outside_tags(prompt)).contains(token.as_str()))
    }

    /// Our own runs, of the commands that the person configured or accepted;
    /// without any, those that the project's files named before the session,
    /// if the person said so.
    fn own_runs(&self) -> OwnRuns<'_> {
        let root = &self.task.places.root;
        let is_wanted = !self.settings.reality.commands.is_empty();
        let base = self
            .session
            .filter(|_| is_wanted)
            .and_then(|_| self.repository.commit_before());
        let mut commands = self.settings.commands.clone();
        if is_wanted && self.settings.commands_from == crate::config::CommandsFrom::Manifest {
            let named = match (&base, self.session) {
                (Some(base), _) => own::at_commit(root, base),
                (None, None) => own::in_folder(root),
                (None, Some(_)) => Vec::new(),
            };
            for one in named {
                commands.entry(one.work).or_insert(one.argv);
            }
        }
        let edits = self.session.iter().flat_map(|session| &session.edits);
        OwnRuns {
            commands,
            root,
            base,
            written: edits
                .filter(|edit| edit.done)
                .map(|edit| edit.path.clone())
                .collect(),
            began: self.began.filter(|_| self.session.is_some()),
            time: Duration::from_secs(self.settings.timeout_s),
            hidden: &self.task.hidden,
            table: self.table,
            memory: self.task.memory.as_ref(),
            seen: std::collections::BTreeMap::new(),
        }
    }

    /// Hands a statement about rows on, and says what would show one that is
    /// not shown.
    fn complete(&self, judged: &mut Judged, handovers: &mut Vec<Handover>) {
        // `rows` judges calls that write rows; a migration is none
        let is_for_rows = judged.claim.kind == ClaimKind::RowWritten && self.session.is_some();
        if is_for_rows && self.settings.database.is_some() {
            judged.opinion.reason = DoneReason::HandedToRows;
            judged.handover = Some(handover::ROWS.to_owned());
            let by_shell = self.session.is_some_and(|session| session.runs_sql);
            handovers.push(Handover::of_claim(&judged.claim, by_shell));
        }
        let opinion = &mut judged.opinion;
        if opinion.verdict == Verdict::Confirmed {
            return;
        }
        let said = opinion.suggest.take();
        let work = judged.claim.kind.work();
        // a secret is known by what is around it, so it goes before anything is cut away
        let said = said.map(|command| advice::plain(&redacted(&command), work, self.table));
        let wanted = said.or_else(|| self.suggest(judged.claim.kind));
        opinion.suggest = wanted.filter(|_| !advice::is_useless(opinion.reason));
    }

    /// What would show it, when the session has no such command: the
    /// configured one, or the one the manifest names.
    fn suggest(&self, kind: ClaimKind) -> Option<String> {
        let work = kind.work()?;
        let configured = self.settings.commands.get(&work).cloned();
        let named = || {
            let proposals = own::in_folder(&self.task.places.root).into_iter();
            let found = proposals.into_iter().find(|one| one.work == work);
            found.map(|one| one.argv)
        };
        let argv = configured.or_else(named)?;
        Some(redacted(&argv.join(" ")))
    }

    /// What the world shows; `None` when it is not asked.
    fn world(
        &self,
        claim: &Claim,
        ground: &Ground<'_>,
        own: &mut OwnRuns<'_>,
        shown: &Opinion,
    ) -> Option<Opinion> {
        let reality: &Reality = &self.settings.reality;
        let places = &self.task.places;
        let from = [places.cwd.clone()];
        let subject = claim.subject.as_str();
        match claim.kind {
            ClaimKind::FileCreated | ClaimKind::FileDeleted | ClaimKind::FileModified
                if self.was_written_outside(subject) =>
            {
                Some(Opinion::undecided(DoneReason::OutsideRoot, Source::Reality))
            }
            ClaimKind::FileCreated | ClaimKind::FileDeleted => reality.fs.then(|| {
                let opinion = files::look(claim.kind, subject, places, &from);
                let is_gone =
                    claim.kind == ClaimKind::FileDeleted && opinion.verdict == Verdict::Confirmed;
                if is_gone && !self.was_there(subject) {
                    return files::never_there(subject);
                }
                let is_seen = claim.kind == ClaimKind::FileCreated
                    && opinion.verdict == Verdict::Confirmed
                    && shown.reason == DoneReason::NoRun
                    && !self.may_have_written(subject);
                match self.began.filter(|_| is_seen) {
                    Some(began) => files::older(opinion, began, places),
                    None => opinion,
                }
            }),
            ClaimKind::FileModified => reality.fs.then(|| {
                self.repository
                    .modified(subject, self.session, &from, reality.git)
            }),
            ClaimKind::SymbolAdded | ClaimKind::SymbolRemoved => reality.fs.then(|| {
                symbols::look(
                    claim.kind,
                    subject,
                    places,
                    &from,
                    self.was_removed(subject),
                )
            }),
            ClaimKind::Committed => reality.git.then(|| {
                self.repository
                    .committed(claim, self.session, ground.relevance)
            }),
            ClaimKind::Pushed => reality.git.then(|| {
                self.repository
                    .pushed(claim, self.session, ground.relevance, shown)
            }),
            ClaimKind::EnvSet => reality.env.then(|| env::look(subject, places, &from)),
            ClaimKind::EndpointWorks => reality.http.then(|| http::look(subject, claim.count)),
            kind => {
                let work = kind.work()?;
                let argv = own.commands.get(&work).filter(|_| !claim.tool.is_empty());
                let read = |path: &Path| {
                    let before = ground.layout.before(path);
                    before.or_else(|| ground.layout.now(path))
                };
                let line = argv.map(|argv| argv.join(" "));
                let is_other = line.is_some_and(|line| {
                    !crate::runner::runs_tool(&line, &claim.tool, &places.root, &read)
                });
                (!is_other).then(|| self.run_now(work, own, shown))?
            }
        }
    }

    /// Our own run. The hook asks for it only where the session shows nothing;
    /// who asks for a check wants to see it.
    fn run_now(&self, work: Work, own: &mut OwnRuns<'_>, shown: &Opinion) -> Option<Opinion> {
        let is_shown = shown.verdict == Verdict::Confirmed;
        let wanted = self.settings.reality.commands.contains(&work);
        let needed = !is_shown || self.task.identity.event == "check";
        (wanted && needed).then(|| own.look(work, is_shown))
    }

    /// Whether anything shows that a file was there: the session, as far as it
    /// is known, or the repository.
    fn was_there(&self, subject: &str) -> bool {
        let Some(session) = self
            .session
            .filter(|session| !session.is_cut && !session.facts.begins_midway)
        else {
            return true;
        };
        let subject = subject.trim_start_matches("./").trim_end_matches('/');
        let path = Path::new(subject);
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.unwrap_or(subject);
        let mut edits = session.edits.iter();
        let mut runs = session.runs.iter();
        let mut others = session.others.iter();
        let whole = self.task.places.root.join(path);
        let is_in = |edit: &Edit| edit.change == Change::Tree && whole.starts_with(&edit.path);
        edits.any(|edit| edit.path.ends_with(path) || is_in(edit))
            || runs.any(|run| run.command.contains(name))
            || others.any(|(_, command, _)| command.contains(name))
            || !session.opaque.is_empty()
            || self.settings.reality.git && self.repository.knew(subject)
    }

    /// Whether the session may have written a file without an edit of it that
    /// the log shows.
    fn may_have_written(&self, subject: &str) -> bool {
        let Some(session) = self.session else {
            return true;
        };
        let whole = self.task.places.root.join(subject);
        let mut edits = session.edits.iter().filter(|edit| edit.done);
        session.is_cut
            || session.facts.begins_midway
            || !session.opaque.is_empty()
            || edits.any(|edit| whole.starts_with(&edit.path))
    }

    /// Whether the session wrote a file of this name outside of the project.
    fn was_written_outside(&self, subject: &str) -> bool {
        let name = Path::new(subject.trim_start_matches("./").trim_end_matches('/'));
        let edits = self
            .session
            .map_or(&[][..], |session| session.edits.as_slice());
        let named = edits
            .iter()
            .filter(|edit| edit.done && edit.path.ends_with(name));
        let (mut inside, mut outside) = (false, false);
        for edit in named {
            match self.task.places.below(&edit.path) {
                Some(_) => inside = true,
                None => outside = true,
            }
        }
        outside && !inside
    }

    /// Whether the session took a name out of the file that is named with it.
    fn was_removed(&self, subject: &str) -> bool {
        let (Some((name, file)), Some(session), Some(logs)) =
            (subject.split_once('@'), self.session, self.logs)
        else {
            return false;
        };
        let edits = session
            .edits
            .iter()
            .filter(|edit| edit.done && edit.change == Change::Modify && edit.path.ends_with(file));
        edits.into_iter().any(|edit| {
            let replaced = logs.replaced(edit);
            replaced.iter().any(|one| {
                one.old.as_deref().unwrap_or_default().matches(name).count()
                    > one.new.matches(name).count()
            })
        })
    }

    /// "Done!" and nothing that can be checked.
    fn done_alone(&self, ground: &Ground<'_>) -> Option<Judged> {
        let message = self.task.message.trim();
        let quote = message.chars().take(200).collect();
        let claim = Claim {
            span: [0, message.chars().count()],
            ..Claim::new(ClaimKind::Done, quote)
        };
        let opinion = judge::transcript(&claim, ground);
        (opinion.verdict != Verdict::Confirmed).then_some(Judged {
            claim,
            opinion,
            handover: None,
        })
    }

    fn explained(&self) -> Vec<String> {
        if !self.task.explain {
            return Vec::new();
        }
        let runs = self
            .session
            .map_or(&[][..], |session| session.runs.as_slice());
        let word = |one: &Candidate| {
            let works: Vec<&str> = one.found.work.iter().map(|work| work.name()).collect();
            let end = if one.found.disqualified {
                " (disqualified)"
            } else {
                ""
            };
            works.join("+") + end
        };
        let shown = runs.iter().map(|run| {
            let works: Vec<String> = run.candidates.iter().map(word).collect();
            let works = works.join(", ");
            let what = if run.unparsed {
                "not understood"
            } else {
                &works
            };
            let command = redacted(&run.command);
            format!("step {}: {command} [{what}]", run.order.line)
        });
        shown.collect()
    }

    fn base(&self, left_out: usize, cut: bool) -> Base {
        let session = self.session;
        let transcript = session.map(|session| TranscriptOf {
            sha256: session
                .files
                .first()
                .filter(|_| self.task.printed || self.settings.receipts)
                .and_then(|path| session::hash(path))
                .map(|hash| hash.hex()),
            bytes: session.bytes,
            lines: session.facts.lines,
            skipped_lines: session.facts.broken,
            other_lines: session.facts.unknown.clone(),
        });
        let asks_git = self.settings.reality.git && (self.task.printed || self.settings.receipts);
        let git = asks_git
            .then(|| self.repository.head())
            .flatten()
            .map(|(head, dirty)| GitOf { head, dirty });
        Base {
            transcript,
            git,
            left_out,
            cut,
            seen: session.map_or(0, Session::last_deed),
            turn: session.map_or_else(String::new, |session| format!("line {}", session.turn.line)),
            ..Base::of(self.task)
        }
    }
}

/// A text without what it quotes: lines behind `>`, blocks and spans of code.
fn unquoted(text: &str) -> String {
    let mut is_code = false;
    let lines = text.lines().filter(|line| {
        let line = line.trim_start();
        let is_fence = line.starts_with("```") || line.starts_with("~~~");
        is_code ^= is_fence;
        !is_fence && !is_code && !line.starts_with('>')
    });
    let lines = lines.collect::<Vec<_>>().join("\n");
    let (mut plain, mut rest) = (String::new(), lines.as_str());
    while let Some((before, _)) = rest.split_once('`') {
        plain.push_str(before);
        let code = rest.get(before.len()..).unwrap_or_default();
        rest = code.get(span_of_code(code)..).unwrap_or_default();
        plain.push(' ');
    }
    plain + rest
}

/// A text without its tags and everything within them. Of several ends of a
/// tag the last one counts, so that text within cannot close it.
fn outside_tags(text: &str) -> String {
    let mut outside = String::new();
    let mut rest = text;
    while let Some((before, tag)) = rest.split_once('<') {
        outside.push_str(before);
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ':');
        let name: String = tag.chars().take_while(|c| is_name(*c)).collect();
        if name.is_empty() {
            outside.push('<');
            rest = tag;
            continue;
        }
        let end = format!("</{name}>");
        rest = tag.rsplit_once(&end).map_or("", |(_, behind)| behind);
        outside.push(' ');
    }
    outside + rest
}

fn tampers(tampering: &Tampering, findings: &mut Vec<Finding>) {
    findings.extend(tampering.files.iter().map(|file| Finding {
        finding: What::Tamper,
        kind: "written",
        path: Some(file.path.clone()),
        step: file.step,
        severity: Severity::Warn,
    }));
}
