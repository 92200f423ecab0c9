//! The ids of objects, most of which are hashes (trace 3.3).

use std::borrow::Cow;

use crosscheck_core::digest::Digest;

use crate::ids::{self, Form, Key};

/// An id, given or computed, and whether it is the hash it claims to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named<'j> {
    pub(crate) id: Cow<'j, str>,
    pub(crate) key: Key,
    pub(crate) form: Form,
    /// What the id should be, when it is not.
    pub(crate) should_be: Option<String>,
}

/// A prefix, and how its hash is computed.
pub(crate) type Recipe<'r> = (&'static str, &'r dyn Fn() -> Digest);

impl<'j> Named<'j> {
    /// The id of an object. The recipes are tried in order; the last one
    /// computes an absent id.
    pub(crate) fn new(given: &'j str, recipes: &[Recipe<'_>]) -> Self {
        let prefixes = recipes.iter().map(|(prefix, _)| *prefix);
        let form = ids::form(given, prefixes);
        let mut id = Cow::Borrowed(given);
        let mut should_be = None;
        match form {
            Form::Opaque => {}
            Form::Absent => {
                let made = recipes
                    .last()
                    .map(|(prefix, make)| ids::stable(prefix, make()));
                id = Cow::Owned(made.unwrap_or_default());
            }
            Form::Content => {
                for (prefix, make) in recipes {
                    let made = make();
                    if ids::is_stable(given, prefix, made) {
                        should_be = None;
                        break;
                    }
                    should_be = should_be.or_else(|| Some(ids::stable(prefix, made)));
                }
            }
        }
        Self {
            key: ids::key(&id),
            id,
            form,
            should_be,
        }
    }
}
