//! A fake LLM program that really runs as a child.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use crate::Desk;

impl Desk {
    /// Puts a program on the desk that answers `--version`, counts its other
    /// calls in `llm/calls`, keeps the arguments of each call in
    /// `llm/args-N`, and then runs this shell script, with the number of the
    /// call in `$CALL`.
    pub fn fake_llm(&self, script: &str) -> PathBuf {
        let home = self.path().join("llm");
        let program = self.file(
            "llm/fake",
            format!(
                "#!/bin/sh\n[ \"$*\" = --version ] && {{ echo 'fake 1.0'; exit 0; }}\n\
                 HOME_OF_FAKE='{home}'\nCALL=$(($(cat \"$HOME_OF_FAKE/calls\" 2>/dev/null || echo 0) + 1))\n\
                 echo $CALL > \"$HOME_OF_FAKE/calls\"\nprintf '%s\\n' \"$@\" > \"$HOME_OF_FAKE/args-$CALL\"\n\
                 echo $$ > \"$HOME_OF_FAKE/pid\"\n{script}\n",
                home = home.display()
            ),
        );
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755))
            .expect("the program can be made executable");
        program
    }

    /// How often the fake was called.
    pub fn llm_calls(&self) -> usize {
        fs::read_to_string(self.path().join("llm/calls"))
            .ok()
            .and_then(|text| text.trim().parse().ok())
            .unwrap_or(0)
    }
}
