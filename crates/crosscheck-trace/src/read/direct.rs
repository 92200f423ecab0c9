//! Fast path for events in the exact form their producer writes.
//!
//! A trace is long because of four kinds of events, and nearly every line of
//! these is canonical and complete, so the text between the values is the same
//! in each. That text is compared instead of parsed. Any other line, valid or
//! not, is left to the tables, which alone decide what is wrong with it.
//! bench/trace/README.md says what this saves.

use crosscheck_core::canonical::is_short_decimal;
use crosscheck_core::digest::{Digest, Hasher};
use crosscheck_core::json::{Node, Reader, Rules};

use super::claim::{Claim, ClaimStatus, ClaimType, Support, SupportKind};
use super::event::{Body, Call, Event, Evidence, Idx, ToolResult};
use super::named::Named;
use crate::forms::{is_hash, is_safe_path, leading_natural};
use crate::ids;

/// Reads a line if it is such an event.
pub(super) fn event<'s>(text: &'s str, payload: &'s mut Reader) -> Option<Event<'s>> {
    // a loop without an exit is vectorised
    let least = text.bytes().fold(u8::MAX, u8::min);
    if least < b' ' {
        return None; // no JSON string contains a control character
    }
    let payload = Some(payload);
    Scan {
        text,
        at: 0,
        payload,
    }
    .record()
}

/// A value that nests deeper is left to the tables, which also count the
/// levels around it.
const RULES: Rules = Rules {
    max_depth: Some(120),
    ..Rules::STRICT
};

/// A reader for the only free-form value of an event.
pub(super) fn payload_reader() -> Reader {
    Reader::new(RULES)
}

/// One pass over a line without control characters.
struct Scan<'s> {
    text: &'s str,
    at: usize,
    /// Used for the only free-form value.
    payload: Option<&'s mut Reader>,
}

impl<'s> Scan<'s> {
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
        let text = self.text.get(start..self.at)?.into();
        self.literal(b",\"record\":\"trace_event\"}")?;
        (self.at == self.text.len()).then_some(Event {
            idx,
            step_id,
            body,
            text,
        })
    }

    fn claim(&mut self) -> Option<Claim<'s>> {
        let start = self.at;
        self.literal(b"{\"claim_type\":")?;
        let origin = ClaimType::with_word(self.string()?)?;
        self.literal(b",\"confidence\":")?;
        self.decimal()?;
        let before_id = self.at;
        self.literal(b",\"id\":")?;
        let id = self.id()?;
        let after_id = self.at;
        self.literal(b",\"statement\":")?;
        let statement = self.string()?;
        self.literal(b",\"status\":")?;
        let status = ClaimStatus::with_word(self.string()?)?;
        self.literal(b",\"structured\":")?;
        let structured = match self.literal(b"null") {
            Some(()) => None,
            None => Some(self.object()?.0),
        };
        self.literal(b",\"supports\":[")?;
        let supports = self.supports()?;
        self.literal(b"}")?;
        let recipe = || self.digest(&[(start, before_id), (after_id, self.at)]);
        Some(Claim {
            name: Named::new(id, &[("claim", &recipe)]),
            statement,
            origin,
            status,
            structured,
            supports,
        })
    }

    /// The supports of a claim, after the opening bracket.
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
        let kind = SupportKind::with_word(self.string()?)?;
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
        })
    }

    fn call(&mut self) -> Option<Call<'s>> {
        self.literal(b"{\"arguments\":")?;
        let (_, arguments) = self.object()?;
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
            hasher.update(arguments);
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
            name: Named::new(id, &recipes),
            arguments: arguments.into(),
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
        self.value()?;
        self.literal(b",\"success\":")?;
        let success = self.literal(b"true").is_some();
        if !success {
            self.literal(b"false")?;
        }
        self.literal(b"}")?;
        Some(ToolResult {
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

    /// An id that is present.
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

    /// A double as the canonical form writes most of them.
    fn decimal(&mut self) -> Option<()> {
        let rest = self.text.get(self.at..)?;
        let length = rest.bytes().position(|byte| matches!(byte, b',' | b'}'))?;
        self.at += length;
        is_short_decimal(rest.get(..length)?).then_some(())
    }

    /// Any canonical value, and its text.
    fn value(&mut self) -> Option<(Node<'s>, &'s str)> {
        let rest = self.text.get(self.at..)?;
        let reader = self.payload.take()?;
        let (json, length) = reader.read_first(rest.as_bytes()).ok()?;
        self.at += length;
        let text = rest.get(..length)?;
        json.is_canonical().then_some((json.root(), text))
    }

    fn object(&mut self) -> Option<(Node<'s>, &'s str)> {
        let opens = self.text.as_bytes().get(self.at) == Some(&b'{');
        opens.then(|| self.value())?
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
