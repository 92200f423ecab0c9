//! The account that runs the program.

use std::path::{Path, PathBuf};

use crate::files::read_regular;

const LIST: &str = "/etc/passwd";
const LIST_MAX: u64 = 16 << 20;

/// The home of this account as the system's list has it; `HOME` may name any
/// folder.
pub fn home() -> Option<PathBuf> {
    let list = read_regular(Path::new(LIST), LIST_MAX).ok()?;
    let number = rustix::process::getuid().as_raw();
    home_of(&String::from_utf8_lossy(&list), number)?
        .canonicalize()
        .ok()
}

fn home_of(list: &str, number: u32) -> Option<PathBuf> {
    list.lines().find_map(|line| {
        let mut fields = line.split(':').skip(2);
        let is_own = fields.next()?.parse() == Ok(number);
        fields.nth(2).filter(|_| is_own).map(PathBuf::from)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_home_of_an_account_is_the_sixth_field_of_its_line() {
        let list =
            "root:x:0:0:root:/root:/bin/bash\n\nbroken\nada:x:1000:1000:Ada:/home/ada:/bin/sh\n";
        assert_eq!(home_of(list, 1000), Some(PathBuf::from("/home/ada")));
        assert_eq!(home_of(list, 0), Some(PathBuf::from("/root")));
        assert_eq!(home_of(list, 7), None);
    }
}
