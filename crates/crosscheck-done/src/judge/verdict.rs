//! One verdict from what the session shows and what the world shows.
//!
//! Contract: done 7.

use crosscheck_core::Verdict;

use crate::kind::ClaimKind;
use crate::opinion::Opinion;
use crate::reasons::{Caveat, DoneReason};

/// Weighs the session against the world. The world was asked last, so it
/// wins; a session alone never says that a file is not there.
pub fn settle(kind: ClaimKind, session: Opinion, world: Option<Opinion>) -> Opinion {
    let mut caveats = session.caveats.clone();
    let suggest = session.suggest.clone();
    let mut settled = match world {
        None => alone(kind, session),
        Some(world) => {
            caveats.extend(world.caveats.clone());
            match (session.verdict, world.verdict) {
                (_, Verdict::Undecided) if is_contrary(world.reason) => world,
                // our own run over the files of before did not see what the session shows
                (Verdict::Confirmed, Verdict::Undecided) if is_other_run(world.reason) => world,
                (Verdict::Refuted, Verdict::Confirmed) => world.but(Caveat::TranscriptFailed),
                (_, Verdict::Refuted) | (Verdict::Undecided, Verdict::Confirmed) => world,
                (Verdict::Confirmed, Verdict::Confirmed) => agreed(kind, session, world),
                (Verdict::Refuted | Verdict::Confirmed, Verdict::Undecided) => {
                    alone(kind, note(session, &world))
                }
                (Verdict::Undecided, Verdict::Undecided) if kind.is_of_the_world() => world,
                (Verdict::Undecided, Verdict::Undecided) => {
                    let mut session = note(session, &world);
                    if session.reason == world.reason {
                        session.proof.extend(world.proof);
                    }
                    session
                }
            }
        }
    };
    for caveat in caveats {
        if !settled.caveats.contains(&caveat) {
            settled.caveats.push(caveat);
        }
    }
    settled.caveats.sort_unstable();
    settled.suggest = settled.suggest.or(suggest);
    settled
}

/// Whether the world has something else than what was said, although that
/// contradicts nothing: another commit, another remote, a folder of that name.
const fn is_contrary(reason: DoneReason) -> bool {
    matches!(
        reason,
        DoneReason::FilePresent
            | DoneReason::GitOtherCommit
            | DoneReason::GitOwnRemote
            | DoneReason::GitAhead
            | DoneReason::GitUncommitted
            | DoneReason::FileAbsent
            | DoneReason::FileUnchanged
    )
}

/// Whether our own run ended in another way than that of the session, and nobody can say by whose fault.
const fn is_other_run(reason: DoneReason) -> bool {
    matches!(reason, DoneReason::Steered | DoneReason::EmptyRun)
}

/// Both show it: of files, names and commits the world has the last word, of
/// commands the session, unless it was run again.
fn agreed(kind: ClaimKind, session: Opinion, world: Opinion) -> Opinion {
    if kind.is_run() && world.reason != DoneReason::CmdOk {
        return session;
    }
    let mut world = world;
    world.proof.extend(session.proof);
    world
}

fn alone(kind: ClaimKind, session: Opinion) -> Opinion {
    if session.verdict == Verdict::Refuted && kind.is_of_the_world() {
        return Opinion {
            verdict: Verdict::Undecided,
            ..session
        };
    }
    session
}

/// Why the world could not be asked is worth knowing.
fn note(session: Opinion, world: &Opinion) -> Opinion {
    match world.reason {
        DoneReason::CmdUnavailable => session.but(Caveat::CmdUnavailable),
        DoneReason::CmdTimeout => session.but(Caveat::CmdTimeout),
        _ => session,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opinion::Source;
    use Verdict::{Confirmed, Refuted, Undecided};

    #[test]
    fn an_own_run_that_ended_otherwise_leaves_nothing_verified() {
        let own = |session: Verdict, reason: DoneReason| {
            let session = Opinion::new(session, DoneReason::RunOk, Source::Transcript);
            let world = Opinion::undecided(reason, Source::Reality);
            settle(ClaimKind::TestsPass, session, Some(world)).verdict
        };
        for (session, reason, expected) in [
            (Confirmed, DoneReason::Steered, Undecided),
            (Confirmed, DoneReason::EmptyRun, Undecided),
            (Confirmed, DoneReason::CmdUnavailable, Confirmed),
            (Refuted, DoneReason::Steered, Refuted),
        ] {
            assert_eq!(own(session, reason), expected, "{session:?} {reason:?}");
        }
    }

    fn of(kind: ClaimKind, session: Verdict, world: Option<Verdict>) -> (Verdict, DoneReason) {
        let session = Opinion::new(session, DoneReason::RunOk, Source::Transcript);
        let world = world.map(|verdict| Opinion::new(verdict, DoneReason::CmdOk, Source::Reality));
        let settled = settle(kind, session, world);
        (settled.verdict, settled.reason)
    }

    #[test]
    fn the_world_wins_over_the_session() {
        let table = [
            (Confirmed, Some(Confirmed), Confirmed, DoneReason::CmdOk),
            (Confirmed, Some(Refuted), Refuted, DoneReason::CmdOk),
            (Confirmed, Some(Undecided), Confirmed, DoneReason::RunOk),
            (Confirmed, None, Confirmed, DoneReason::RunOk),
            (Refuted, Some(Confirmed), Confirmed, DoneReason::CmdOk),
            (Refuted, Some(Refuted), Refuted, DoneReason::CmdOk),
            (Refuted, Some(Undecided), Refuted, DoneReason::RunOk),
            (Undecided, Some(Confirmed), Confirmed, DoneReason::CmdOk),
            (Undecided, Some(Refuted), Refuted, DoneReason::CmdOk),
            (Undecided, Some(Undecided), Undecided, DoneReason::RunOk),
        ];
        for (session, world, verdict, reason) in table {
            assert_eq!(
                of(ClaimKind::TestsPass, session, world),
                (verdict, reason),
                "{session:?} {world:?}"
            );
        }
    }

    #[test]
    fn a_session_alone_never_refutes_what_only_the_world_can_show() {
        assert_eq!(of(ClaimKind::FileCreated, Refuted, None).0, Undecided);
        assert_eq!(
            of(ClaimKind::Committed, Refuted, Some(Undecided)).0,
            Refuted
        );
        assert_eq!(
            of(ClaimKind::FileCreated, Undecided, Some(Undecided)).1,
            DoneReason::CmdOk
        );
    }

    #[test]
    fn a_failure_that_is_over_is_kept_as_a_caveat() {
        let session = Opinion::new(Refuted, DoneReason::RunFailed, Source::Transcript);
        let world = Opinion::new(Confirmed, DoneReason::CmdOk, Source::Reality);
        assert_eq!(
            settle(ClaimKind::TestsPass, session, Some(world)).caveats,
            [Caveat::TranscriptFailed]
        );
    }
}
