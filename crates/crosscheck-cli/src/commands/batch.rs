//! `crosscheck batch`: jobs in, answers out, with work for every core and room
//! for a bounded number of jobs.

pub(super) mod pool;
mod resume;
pub(super) mod worker;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, Write};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use crosscheck::batch::{Answer, Head, Refusal};
use crosscheck::core::advice::{EXIT_COULD_NOT_RUN, RunReason, with_causes};

use self::pool::{Pool, Reply, Shared};
use crate::args::batch::BatchArgs;
use crate::commands::spare::spare;
use crate::failure::Failure;
use crate::output::{Streams, standard_output};

/// The longest line that is read as a job.
pub(super) const MAX_LINE: usize = 64 << 20;
/// How much of a longer one is kept, for its id.
const KEPT: usize = 4096;
/// Memory for reading jobs and for answers that wait to be written.
const BUFFER: usize = 1 << 18;

pub(crate) fn run(args: &BatchArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let allowed = worker::Allowed {
        any_database: args.any_database,
        verify: args.allow_verify,
    };
    // what is wrong with the command line is said once, not by every job
    let runner = worker::runner(&args.runner, &allowed)?;
    if args.runner.worker {
        return worker::serve(&runner, &args.runner);
    }
    drop(runner);
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let jobs = args.jobs.unwrap_or(cores).max(1);
    let (out, earlier) = destination(args)?;
    let pool = Pool::start(jobs, args.runner.limit)?;
    let (replies, answered) = mpsc::channel();
    let shared = pool.shared();
    let unordered = args.unordered;
    let writer = thread::spawn(move || write(out, &answered, unordered, &shared));
    let read = read(&pool, &earlier, &replies);
    drop(replies);
    pool.close();
    let written = writer.join().unwrap_or(Ok([0; 4]));
    read.map_err(|error| {
        Failure::usage(
            &format!("cannot read the jobs: {error}"),
            "send one JSON object per line on standard input",
        )
    })?;
    let counts = match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => [0; 4],
        counts => counts.map_err(|error| Failure::stdout(&error))?,
    };
    if args.output.is_some() {
        streams.talk(&format!(
            "{} jobs: {} confirmed, {} refuted, {} undecided, {} could not run; {} were answered before\n",
            counts.iter().sum::<u64>(), counts[0], counts[1], counts[2], counts[3], earlier.jobs(),
        ));
    }
    let totals = counts
        .iter()
        .zip(earlier.counts)
        .map(|(now, before)| now + before);
    let seen: Vec<usize> = totals
        .enumerate()
        .filter(|(_, total)| *total > 0)
        .map(|(code, _)| code)
        .collect();
    let worst = [EXIT_COULD_NOT_RUN, 1, 2]
        .into_iter()
        .find(|code| seen.contains(&usize::from(*code)));
    Ok(worst.unwrap_or(0))
}

/// Where answers go, and those that are already there.
fn destination(args: &BatchArgs) -> Result<(Box<dyn Write + Send>, resume::Earlier), Failure> {
    let Some(path) = &args.output else {
        return Ok((standard_output(), resume::Earlier::default()));
    };
    spare(path, &[], &[])?;
    let opened: io::Result<(File, resume::Earlier)> = resume::open(path);
    let (file, earlier) = opened.map_err(|error| {
        let reason = RunReason::OutputUnwritable.reason();
        let message = format!("cannot append to `{}`: {error}", path.display());
        Failure::because(reason, &message, "name a file of answers, or a new one")
    })?;
    Ok((Box::new(file), earlier))
}

/// Hands over every job, and waits where there is no room.
fn read(pool: &Pool, earlier: &resume::Earlier, replies: &mpsc::Sender<Reply>) -> io::Result<()> {
    let mut input = io::BufReader::with_capacity(BUFFER, io::stdin().lock());
    let (mut seq, mut number) = (0, 0);
    while let Some(read) = next_line(&mut input)? {
        number += 1;
        let (line, is_long) = match read {
            Ok(line) => (line, false),
            Err(TooLong(begin)) => (begin, true),
        };
        if line.trim_ascii().is_empty() || earlier.answers(&line, number) {
            continue;
        }
        if is_long {
            let refusal = Refusal::new(
                RunReason::InputTooLarge.reason(),
                "the job is larger than 64 MiB",
                "name large inputs by their path",
            );
            let mut answer = Answer::refused(Head::of(&line), refusal);
            answer.line = answer.id.is_none().then_some(number);
            pool.answered(seq, &answer, replies);
            seq += 1;
            continue;
        }
        if !pool.push(seq, number, line, replies) {
            return Ok(()); // nobody reads the answers any more
        }
        seq += 1;
    }
    Ok(())
}

/// How a line begins that was longer than a job may be.
struct TooLong(Vec<u8>);

/// The next line without its end; `None` at the end of the input.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<Result<Vec<u8>, TooLong>>> {
    let (mut line, mut is_long, mut is_begun) = (Vec::new(), false, false);
    loop {
        let part = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            part => part?,
        };
        let end = part.iter().position(|byte| *byte == b'\n');
        let used = end.map_or(part.len(), |end| end + 1);
        is_begun |= used > 0;
        if line.len() + used > MAX_LINE {
            is_long = true;
            line.truncate(KEPT);
            line.shrink_to_fit();
        }
        if !is_long {
            let text = end.unwrap_or(part.len());
            line.extend_from_slice(part.get(..text).unwrap_or_default());
        }
        let is_over = part.is_empty();
        input.consume(used);
        if end.is_some() || is_over {
            let line = if is_long {
                Err(TooLong(line))
            } else {
                Ok(line)
            };
            return Ok(is_begun.then_some(line));
        }
    }
}

/// Writes answers as whole lines, each at once if nothing more is there. The
/// counts are by exit code.
fn write(
    mut out: Box<dyn Write + Send>,
    answered: &Receiver<Reply>,
    unordered: bool,
    shared: &Shared,
) -> io::Result<[u64; 4]> {
    let mut counts = [0; 4];
    let (mut waiting, mut next) = (BTreeMap::new(), 0);
    while let Ok(reply) = answered.recv() {
        let mut lines = Vec::new();
        let (mut ready, mut cost) = (0, 0);
        let mut reply = Some(reply);
        while let Some(one) = reply {
            let seq = if unordered { next } else { one.seq };
            waiting.insert(seq, one);
            while let Some(one) = waiting.remove(&next) {
                if let Some(count) = counts.get_mut(usize::from(one.exit)) {
                    *count += 1;
                }
                lines.extend_from_slice(&one.line);
                lines.push(b'\n');
                ready += 1;
                cost += one.cost;
                next += 1;
            }
            reply = if lines.len() < BUFFER {
                answered.try_recv().ok()
            } else {
                None
            };
        }
        let written = out.write_all(&lines).and_then(|()| out.flush());
        if let Err(error) = written {
            shared.stop();
            return Err(error);
        }
        shared.written(ready, cost);
    }
    Ok(counts)
}

/// What a job is answered with when its process could not be started.
fn not_started(error: &io::Error) -> Refusal {
    let reason = RunReason::InternalError.reason();
    let message = format!("cannot start a process for jobs: {}", with_causes(error));
    Refusal::new(reason, message, reason.help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_up_to_their_limit_and_the_next_one_is_whole() {
        let mut text = vec![b'x'; MAX_LINE + 1];
        text.extend_from_slice(b"\nb\n\nlast");
        let mut input = io::BufReader::with_capacity(1000, text.as_slice());
        let mut seen = Vec::new();
        while let Some(line) = next_line(&mut input).unwrap() {
            seen.push(line.map_or_else(
                |TooLong(begin)| format!("too long: {}", begin.len()),
                |line| String::from_utf8(line).unwrap(),
            ));
        }
        assert_eq!(seen, ["too long: 4096", "b", "", "last"]);
    }
}
