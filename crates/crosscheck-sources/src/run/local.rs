//! Local links of documents: do the linked files and places exist? With a base
//! address they are pages of that site.

use std::collections::HashMap;
use std::path::Path;

use super::documents::CitingDocument;
use crate::check::Checker;
use crate::judge::classify::{reached, reached_file};
use crate::judge::ruling::Ruling;
use crate::observe::Look;
use crate::observe::local::Files;
use crate::read::cited::Cited;
use crate::read::document::LocalLink;
use crate::report::result::{Row, Shown};

/// One row for each local link.
pub(super) fn rows(documents: &[CitingDocument], checker: &Checker) -> Vec<Row> {
    let mut files = Files::default();
    let mut pages: HashMap<String, Look> = HashMap::new();
    let mut rows = Vec::new();
    for document in documents {
        for link in &document.links {
            // a place of the document itself needs no site
            let base = checker.looker.settings.base_url.as_ref();
            let base = base.filter(|_| !link.target.starts_with('#'));
            let url = base.and_then(|base| base.join(&link.target).ok());
            rows.push(if let Some(url) = url {
                let cited = Cited::new(url.as_str());
                let look = pages.entry(cited.key.clone());
                let look = look.or_insert_with(|| checker.looker.look(&cited));
                row(document, link, &cited, &reached(look), &Shown::of(look))
            } else {
                let seen = files.look(Path::new(&document.name), &link.target);
                let cited = Cited::new(&link.target);
                row(
                    document,
                    link,
                    &cited,
                    &reached_file(seen),
                    &Shown::default(),
                )
            });
        }
    }
    rows
}

fn row(
    document: &CitingDocument,
    link: &LocalLink,
    cited: &Cited,
    ruling: &Ruling,
    page: &Shown,
) -> Row {
    Row {
        line: Some(link.line),
        column: Some(link.column),
        key: format!("{}\0{}", document.name, cited.key).into(),
        ..Row::new(document.name.as_str().into(), cited, ruling, page.clone())
    }
}
