//! What a judgement asks the log and the project for.

use std::path::{Path, PathBuf};

use crosscheck_transcript::session::Replacement;

use crate::read::session::{Edit, Run};

/// Texts of the session that are read on request.
pub trait Outputs {
    /// The output of a command.
    fn output(&self, run: &Run) -> Option<Text>;
    /// What an edit replaced.
    fn replaced(&self, edit: &Edit) -> Vec<Replacement>;
}

/// The output of a command.
#[derive(Debug, Clone, Default)]
pub struct Text {
    /// The text; of a long one both ends.
    pub text: String,
    /// Whether something is missing.
    pub is_cut: bool,
}

/// What the layout of a project says about its packages.
pub trait Layout {
    /// The folder of the nearest manifest above a path, within the root.
    fn package(&self, path: &Path) -> PathBuf;
    /// Whether the project is a workspace of several packages.
    fn is_workspace(&self) -> bool;
    /// Whether no test lies outside of these files and folders.
    fn covers_tests(&self, targets: &[PathBuf]) -> bool;
    /// Whether a test is known to lie outside of this folder.
    fn has_tests_beside(&self, folder: &Path) -> bool;
    /// What a file of the project holds now.
    fn now(&self, path: &Path) -> Option<String>;
    /// What it held in the commit before the session.
    fn before(&self, path: &Path) -> Option<String>;
}
