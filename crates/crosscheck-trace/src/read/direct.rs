//! Events that stand in the trace exactly as their producer writes them.
//!
//! A trace is long because of four kinds of events, and of these nearly every
//! line is canonical and complete: between the values there is the same text
//! again and again. So that text is compared instead of being taken apart and
//! looked up. Whatever differs in anything, be it well-formed or not, is
//! nothing here, and is read by the tables, which decide alone what is wrong.

use crosscheck_core::digest::{Digest, Hasher};

use super::claim::{Claim, ClaimType, Status, Support, SupportKind};
use super::event::{Body, Call, Event, Evidence, Idx, ToolResult};
use super::forms::{is_hash, is_safe_path, leading_natural};
use super::named::Named;
use crate::ids;
use crate::tape::{Inner, Marks, Tape};

/// Reads the line in the tape, if it is such an event.
pub(crate) fn event(tape: &mut Tape) -> Option<Event<'_>> {
    tape.marks.clear();
    let text = tape.text.as_str();
    // without a way out of the loop the compiler looks at many at once
    let least = text.bytes().fold(u8::MAX, u8::min);
    if least < b' ' {
        return None; // no string holds a control character
    }
    let mut scan = Scan {
        text,
        at: 0,
        marks: &mut tape.marks,
        kept: None,
    };
    let mut event = scan.record()?;
    let inner = scan.kept.map(|inner| tape.inner(inner));
    match &mut event.body {
        Body::Called(call) => call.arguments = inner,
        Body::Claimed(claim) => claim.structured = inner,
        _ => {}
    }
    Some(event)
}

/// One pass over a line without control characters.
struct Scan<'s, 'm> {
    text: &'s str,
    at: usize,
    marks: &'m mut Marks,
    /// The arguments of a call, the structured part of a claim.
    kept: Option<Inner>,
}

impl<'s> Scan<'s, '_> {
    fn record(&mut self) -> Option<Event<'s>> {
        self.literal(b"{\"event\":")?;
        let start = self.at;
        self.literal(b"{\"")?;
        let (idx, body);
        if self.literal(b"claim\":").is_some() {
            body = Body::Claimed(self.claim()?);
            idx = self.idx(b",\"idx\":")?;
            self.literal(b",\"kind\":\"claim_emitted\",\"step_id\":")?;
        } else if self.literal(b"call\":").is_some() {
            body = Body::Called(self.call()?);
            idx = self.idx(b",\"idx\":")?;
            self.literal(b",\"kind\":\"tool_called\",\"step_id\":")?;
        } else if self.literal(b"evidence\":").is_some() {
            body = Body::Registered(self.evidence()?);
            idx = self.idx(b",\"idx\":")?;
            self.literal(b",\"kind\":\"evidence_registered\",\"step_id\":")?;
        } else {
            idx = self.idx(b"idx\":")?;
            self.literal(b",\"kind\":\"tool_returned\",\"result\":")?;
            body = Body::Returned(self.result()?);
            self.literal(b",\"step_id\":")?;
        }
        let step_id = self.string()?;
        if step_id.is_empty() {
            return None;
        }
        self.literal(b"}")?;
        let whole = self.text.get(start..self.at);
        self.literal(b",\"record\":\"trace_event\"}")?;
        (self.at == self.text.len()).then_some(Event {
            idx,
            step_id,
            body,
            whole,
        })
    }

    fn claim(&mut self) -> Option<Claim<'s>> {
        let start = self.at;
        self.literal(b"{\"claim_type\":")?;
        let origin = ClaimType::of(self.string()?)?;
        self.literal(b",\"confidence\":")?;
        if !self.inner()?.is_double {
            return None;
        }
        let before_id = self.at;
        self.literal(b",\"id\":")?;
        let id = self.id()?;
        let after_id = self.at;
        self.literal(b",\"statement\":")?;
        let statement = self.string()?;
        self.literal(b",\"status\":")?;
        let status = Status::of(self.string()?)?;
        self.literal(b",\"structured\":")?;
        if self.literal(b"null").is_none() {
            self.kept = Some(self.object()?);
        }
        self.literal(b",\"supports\":[")?;
        let supports = self.supports()?;
        self.literal(b"}")?;
        let recipe = || self.digest(&[(start, before_id), (after_id, self.at)]);
        Some(Claim {
            object: None,
            name: Named::new(id, &[("claim", &recipe)]),
            statement,
            origin,
            status,
            structured: None,
            supports,
        })
    }

    /// The supports of a claim, from behind the bracket on.
    fn supports(&mut self) -> Option<Vec<Support<'s>>> {
        let mut supports = Vec::new();
        if self.literal(b"]").is_some() {
            return Some(supports);
        }
        loop {
            supports.push(self.support()?);
            if self.literal(b",").is_none() {
                self.literal(b"]")?;
                return Some(supports);
            }
        }
    }

    fn support(&mut self) -> Option<Support<'s>> {
        self.literal(b"{\"hash_algo\":\"sha256\",\"kind\":")?;
        let kind = SupportKind::of(self.string()?)?;
        self.literal(b",\"ref_id\":")?;
        let ref_id = self.string()?;
        self.literal(b",\"snippet_sha256\":")?;
        let hash = self.hash()?;
        self.literal(b",\"span\":")?;
        let span = self.span()?;
        self.literal(b"}")?;
        Some(Support {
            kind,
            ref_id,
            key: ids::key(ref_id),
            span,
            hash,
            is_normal: true,
        })
    }

    fn call(&mut self) -> Option<Call<'s>> {
        self.literal(b"{\"arguments\":")?;
        let start = self.at;
        let arguments = self.object()?;
        self.kept = Some(arguments);
        self.literal(b",\"call_idx\":")?;
        let call_idx = self.natural()?.0;
        self.literal(b",\"id\":")?;
        let id = self.id()?;
        let after_id = self.at;
        self.literal(b",\"step_id\":")?;
        let step_id = self.string()?;
        let after_step = self.at;
        self.literal(b",\"tool_name\":")?;
        let before_tool = self.at;
        let tool_name = self.string()?;
        self.literal(b"}")?;
        let recipe = |index: &str| {
            let mut hasher = Hasher::new();
            hasher.update("{\"args\":");
            hasher.update(self.cut(start, arguments.end));
            hasher.update(index);
            hasher.update(call_idx);
            hasher.update(self.cut(after_id, after_step));
            hasher.update(",\"tool\":");
            hasher.update(self.cut(before_tool, self.at));
            hasher.finish()
        };
        let recipes: [(_, &dyn Fn() -> Digest); 2] = [
            ("call", &|| recipe(",\"i\":")),
            ("call", &|| recipe(",\"call_idx\":")),
        ];
        Some(Call {
            object: None,
            name: Named::new(id, &recipes),
            arguments: None,
            tool_name,
            step_id,
        })
    }

    fn result(&mut self) -> Option<ToolResult<'s>> {
        self.literal(b"{\"call_id\":")?;
        let call_id = self.string()?;
        self.literal(b",\"error\":")?;
        let error = match self.literal(b"null") {
            Some(()) => None,
            None => Some(self.string()?),
        };
        self.literal(b",\"result\":")?;
        self.inner()?;
        self.literal(b",\"success\":")?;
        let success = self.literal(b"true").is_some();
        if !success {
            self.literal(b"false")?;
        }
        self.literal(b"}")?;
        Some(ToolResult {
            object: None,
            call_id,
            call_key: ids::key(call_id),
            success,
            error,
        })
    }

    fn evidence(&mut self) -> Option<Evidence<'s>> {
        let start = self.at;
        self.literal(b"{\"chunk_id\":")?;
        let chunk_id = self.hash()?;
        let before_path = self.at;
        self.literal(b",\"content_path\":")?;
        let content_path = self.string().filter(|path| is_safe_path(path))?;
        let before_id = self.at;
        self.literal(b",\"id\":")?;
        let id = self.id()?;
        let after_id = self.at;
        self.literal(b",\"sha256\":")?;
        let sha256 = self.hash()?;
        self.literal(b",\"span\":")?;
        let span = self.span()?;
        self.literal(b",\"uri\":")?;
        let uri = self.string()?;
        self.literal(b"}")?;
        let recipe = |stop| self.digest(&[(start, stop), (after_id, self.at)]);
        let recipes: [(_, &dyn Fn() -> Digest); 2] = [
            ("ev", &|| recipe(before_path)),
            ("evidence", &|| recipe(before_id)),
        ];
        Some(Evidence {
            object: None,
            name: Named::new(id, &recipes),
            sha256,
            span,
            chunk_id,
            content_path,
            uri,
        })
    }

    /// Exactly this text.
    #[inline]
    fn literal<const N: usize>(&mut self, literal: &[u8; N]) -> Option<()> {
        let here = self.text.as_bytes().get(self.at..)?.first_chunk::<N>()?;
        (here == literal).then(|| self.at += N)
    }

    /// A string without escapes.
    #[inline]
    fn string(&mut self) -> Option<&'s str> {
        self.literal(b"\"")?;
        let start = self.at;
        let length = memchr::memchr2(b'"', b'\\', self.text.as_bytes().get(start..)?)?;
        self.at += length;
        self.literal(b"\"")?;
        self.text.get(start..start + length)
    }

    /// An id that is there.
    fn id(&mut self) -> Option<&'s str> {
        self.string().filter(|id| !id.is_empty())
    }

    fn hash(&mut self) -> Option<&'s str> {
        self.literal(b"\"")?;
        let hash = self.text.get(self.at..self.at + 64)?;
        self.at += 64;
        self.literal(b"\"")?;
        is_hash(hash).then_some(hash)
    }

    /// A number from 0 below 2^63, as its digits and by value.
    fn natural(&mut self) -> Option<(&'s str, u64)> {
        let start = self.at;
        let (number, length) = leading_natural(self.text.as_bytes().get(start..)?)?;
        self.at += length;
        Some((self.text.get(start..self.at)?, number))
    }

    fn idx<const N: usize>(&mut self, key: &[u8; N]) -> Option<Idx<'s>> {
        self.literal(key)?;
        if self.literal(b"null").is_some() {
            return Some(Idx::default());
        }
        let (digits, number) = self.natural()?;
        Some(Idx {
            digits: Some(digits),
            number: Some(number),
        })
    }

    fn span(&mut self) -> Option<(u64, u64)> {
        self.literal(b"[")?;
        let (_, start) = self.natural()?;
        self.literal(b",")?;
        let (_, end) = self.natural()?;
        self.literal(b"]")?;
        (start < end).then_some((start, end))
    }

    /// Any canonical value.
    fn inner(&mut self) -> Option<Inner> {
        let inner = self.marks.read_inner(self.text, self.at)?;
        self.at = inner.end;
        Some(inner)
    }

    fn object(&mut self) -> Option<Inner> {
        let opens = self.text.as_bytes().get(self.at) == Some(&b'{');
        opens.then(|| self.inner())?
    }

    fn cut(&self, start: usize, end: usize) -> &'s str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// The hash of these parts of the line.
    fn digest(&self, parts: &[(usize, usize)]) -> Digest {
        let mut hasher = Hasher::new();
        for (start, end) in parts {
            hasher.update(self.cut(*start, *end));
        }
        hasher.finish()
    }
}

#[cfg(test)]
mod tests;
