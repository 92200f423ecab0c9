//! An open workspace: located, read, configured.

use std::path::PathBuf;

use crosscheck_core::files::read_limited;

use crosscheck_config::Layer;

use crate::config::{Settings, Surroundings};
use crate::error::WorkspaceError;
use crate::observe::criteria::Ground;
use crate::read::layout::{self, INSTRUCTIONS_FILE};
use crate::read::metadata::Metadata;
use crate::reasons::WorkspaceReason;

pub(crate) const INSTRUCTIONS_LIMIT: u64 = 64 << 20;

/// An opened workspace.
#[derive(Debug, Clone)]
pub struct Workspace {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
    /// The folder of workspaces.
    pub home: PathBuf,
    /// The project folder.
    pub project: PathBuf,
    /// The name of the command in advice.
    pub program: String,
    /// Its state when it was opened.
    pub metadata: Metadata,
    /// Its settings.
    pub settings: Settings,
}

impl Workspace {
    /// Finds and reads a workspace; what was typed goes before all files.
    pub fn open(
        surroundings: &Surroundings,
        name: &str,
        typed: Layer,
    ) -> Result<Self, WorkspaceError> {
        layout::check_name(name)?;
        let settings = Settings::load(surroundings)?.under(typed)?;
        let (folder, home) = layout::find(surroundings, &settings, name)?;
        // the LLM runs in the project and can replace it
        crosscheck_core::held::hold(&folder);
        let metadata = Metadata::load(&folder)?;
        let settings = settings.with_workspace(&metadata)?;
        Ok(Self {
            name: name.to_owned(),
            folder,
            home,
            project: surroundings.project.clone(),
            program: surroundings.program.clone(),
            metadata,
            settings,
        })
    }

    /// The instructions; if there are none, an error with advice.
    pub fn instructions(&self) -> Result<Vec<u8>, WorkspaceError> {
        let path = self.folder.join(INSTRUCTIONS_FILE);
        if !path.is_file() {
            let (program, name) = (&self.program, &self.name);
            return Err(WorkspaceError::new(
                WorkspaceReason::InstructionsMissing,
                format!("Instructions not found. Run setup first:\n {program} setup {name}"),
            ));
        }
        read_limited(&path, INSTRUCTIONS_LIMIT).map_err(|error| WorkspaceError::io(&error))
    }

    /// The same workspace with its metadata as it is now.
    pub(crate) fn reread(&self) -> Result<Self, WorkspaceError> {
        Ok(Self {
            metadata: Metadata::load(&self.folder)?,
            ..self.clone()
        })
    }

    /// Where criteria are evaluated.
    pub fn ground(&self) -> Ground<'_> {
        Ground {
            project: &self.project,
            home: &self.home,
            workspace: &self.folder,
            set_aside: None,
        }
    }
}
