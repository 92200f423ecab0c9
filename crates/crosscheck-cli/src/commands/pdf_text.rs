//! `crosscheck pdf-text`: the text of one PDF, in a process of its own.
//!
//! PDF parsers panic, loop and eat memory on broken files. Here that ends a
//! child with limits, and the check goes on without its text.

use std::io;

use crosscheck::core::files::drain_limited;
use rustix::process::{Resource, Rlimit, setrlimit};

use crate::failure::Failure;
use crate::output::Streams;

const PDF_MAX: u64 = 64 * 1024 * 1024;
/// Address space, of which the program itself takes about a third.
const MEMORY_MAX: u64 = 384 * 1024 * 1024;
const CPU_SECONDS: u64 = 15;

pub(crate) fn run(streams: &mut Streams) -> Result<u8, Failure> {
    limit(Resource::As, MEMORY_MAX);
    limit(Resource::Cpu, CPU_SECONDS);
    limit(Resource::Core, 0);
    let unreadable = || {
        Failure::usage(
            "standard input holds no PDF that can be read",
            "send one PDF of at most 64 MiB",
        )
    };
    let bytes = drain_limited(io::stdin().lock(), PDF_MAX)
        .ok()
        .flatten()
        .ok_or_else(unreadable)?;
    let pages = pdf_extract::extract_text_from_mem_by_pages(&bytes).map_err(|_| unreadable())?;
    streams.data(pages.join("\n\n").as_bytes())?;
    Ok(0)
}

/// A limit that cannot be set leaves the one that was there.
fn limit(resource: Resource, most: u64) {
    let _ = setrlimit(
        resource,
        Rlimit {
            current: Some(most),
            maximum: Some(most),
        },
    );
}
