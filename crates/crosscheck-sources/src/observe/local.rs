//! Files of this machine that a document links to.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use crosscheck_core::files::read_limited;
use crosscheck_core::outputs;
use crosscheck_fetch::Url;

use crate::read::document::{Format, anchor, anchors, decode, is_document};

const FILE_MAX: u64 = 64 * 1024 * 1024;

/// What a local link leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocalSeen {
    /// To a file or folder, and to a place in it where one is named.
    There,
    /// To nothing.
    NoFile,
    /// To a file without a place of this name.
    NoPlace,
    /// It cannot be said, for this reason.
    Unknown(&'static str),
}

/// Looks for linked files; each is read once.
#[derive(Debug, Default)]
pub struct Files(HashMap<PathBuf, Option<HashSet<String>>>);

impl Files {
    /// Looks for what a document links to.
    pub fn look(&mut self, document: &Path, target: &str) -> LocalSeen {
        let folder = document.parent().filter(|folder| *folder != Path::new(""));
        let folder = std::fs::canonicalize(folder.unwrap_or(Path::new(".")));
        let Some(base) = folder
            .ok()
            .and_then(|folder| Url::from_directory_path(folder).ok())
        else {
            return LocalSeen::Unknown("the folder of the document is not known");
        };
        if document == Path::new("-") {
            return LocalSeen::Unknown("standard input has no folder");
        }
        if target.starts_with('/') {
            return LocalSeen::Unknown("the root of the site is not known; --base-url names it");
        }
        let Ok(url) = base.join(target) else {
            return LocalSeen::Unknown("the link cannot be read");
        };
        let place = url.fragment().map(str::to_owned);
        let file = if target.starts_with('#') {
            Some(document.to_owned())
        } else {
            url.to_file_path().ok().and_then(|path| existing(&path))
        };
        let Some(file) = file else {
            return LocalSeen::NoFile;
        };
        outputs::named(&file);
        match place.as_deref() {
            None | Some("" | "top") => LocalSeen::There,
            Some(place) => self.place(&file, place),
        }
    }

    fn place(&mut self, file: &Path, place: &str) -> LocalSeen {
        let known = self.0.entry(file.to_owned()).or_insert_with(|| {
            let name = file.to_string_lossy();
            let bytes = read_limited(file, FILE_MAX)
                .ok()
                .filter(|_| is_document(&name))?;
            let text = decode(&bytes).ok()?;
            anchors(&text, Format::by_name(&name))
        });
        // Names with escapes are compared by their letters; that of a repeated heading ends in a number.
        let plain = Url::parse(&format!("file:///{place}")).ok();
        let plain = plain.and_then(|url| url.to_file_path().ok());
        let plain = plain.map_or_else(
            || place.to_owned(),
            |path| path.to_string_lossy().into_owned(),
        );
        let wanted = anchor(&plain);
        let first = wanted.trim_end_matches(|c: char| c.is_ascii_digit());
        match known {
            None => LocalSeen::Unknown("the places in this file are not known"),
            Some(names) if names.contains(&wanted) || names.contains(first) => LocalSeen::There,
            Some(_) => LocalSeen::NoPlace,
        }
    }
}

/// The file that a link names, also where its ending is left out.
fn existing(path: &Path) -> Option<PathBuf> {
    let with = |ending: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    let bare = path.extension().is_none();
    let mut all = vec![path.to_owned()];
    if bare {
        all.extend([".md", ".html", ".mdx"].map(with));
    }
    all.into_iter().find(|path| path.exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_places_in_them_are_looked_for() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            crosscheck_core::files::write_atomic(&path, text.as_bytes()).unwrap();
            path
        };
        let own = write("docs/own page.md", "# Own part\n\n## Twice\n\n## Twice\n");
        write("other.html", "<h1 id=\"first\">x</h1>");
        write("code.rs", "fn main() {}");
        let mut files = Files::default();
        for (target, expected) in [
            ("own%20page.md", LocalSeen::There),
            ("own%20page", LocalSeen::There),
            ("../other.html#first", LocalSeen::There),
            ("../other.html?x#second", LocalSeen::NoPlace),
            ("#own-part", LocalSeen::There),
            ("#twice-1", LocalSeen::There),
            ("#gone", LocalSeen::NoPlace),
            ("#top", LocalSeen::There),
            ("..", LocalSeen::There),
            ("missing.md", LocalSeen::NoFile),
        ] {
            assert_eq!(files.look(&own, target), expected, "{target}");
        }
        for target in ["../code.rs#L1", "/root.md"] {
            let seen = files.look(&own, target);
            assert!(matches!(seen, LocalSeen::Unknown(_)), "{target}: {seen:?}");
        }
    }
}
