//! Notes the commit, so that `--version` can name it.

#![expect(clippy::disallowed_methods, reason = "a build script may ask git")]

use std::process::Command;

fn main() {
    let commit = Command::new("git")
        .args(["rev-parse", "--short=12", "HEAD"])
        .output()
        .ok()
        .filter(|answer| answer.status.success())
        .and_then(|answer| String::from_utf8(answer.stdout).ok())
        .map_or_else(
            || "unknown commit".to_owned(),
            |text| text.trim().to_owned(),
        );
    println!("cargo::rustc-env=CROSSCHECK_COMMIT={commit}");
    println!("cargo::rerun-if-changed=../../.git/HEAD");
    println!("cargo::rerun-if-changed=../../.git/refs/heads");
}
