//! Guards against tests that are never compiled.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Fails when a file in `tests/it` is not a module of its `main.rs`.
pub fn assert_all_modules_listed(crate_folder: &str) {
    let folder = Path::new(crate_folder).join("tests/it");
    let main = fs::read_to_string(folder.join("main.rs")).expect("tests/it/main.rs is there");
    let listed: BTreeSet<String> = main
        .lines()
        .filter_map(|line| line.trim().strip_prefix("mod ")?.strip_suffix(';'))
        .map(str::to_owned)
        .collect();
    let present: BTreeSet<String> = fs::read_dir(&folder)
        .expect("tests/it is a folder")
        .filter_map(|entry| {
            let path = entry.expect("readable").path();
            let name = path.file_stem()?.to_str()?.to_owned();
            let is_module =
                path.extension().is_some_and(|end| end == "rs") || path.join("mod.rs").is_file();
            (is_module && name != "main").then_some(name)
        })
        .collect();
    assert_eq!(
        listed,
        present,
        "modules listed in {}/main.rs and files beside it",
        folder.display()
    );
}
