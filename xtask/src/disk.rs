//! Disk space: deletes build products that later steps of the tests do not use.

use std::path::Path;
use std::{env, fs};

use crate::shell;

/// The environment variable that enables this; `.ci/run` sets it.
pub const VARIABLE: &str = "GALLIUM_TRIM";

/// Cargo's folders of intermediate products, within a profile's folder.
const INTERMEDIATE: [&str; 5] = ["deps", "build", "incremental", "examples", ".fingerprint"];

/// Deletes the intermediate products of the builds in `folder`, if [`VARIABLE`] is set. `folder` is
/// a profile's folder under cargo's target folder (`release`, `thumbv7m-none-eabi/firmware`).
/// Programs stay.
pub fn trim(folder: &str) {
    if env::var_os(VARIABLE).is_some_and(|value| !value.is_empty()) {
        delete_intermediate(&shell::target_dir().join(folder));
    }
}

/// Deletes the intermediate products of every profile of `target`, if [`VARIABLE`] is set.
pub fn trim_target(target: &str) {
    let Ok(profiles) = fs::read_dir(shell::target_dir().join(target)) else { return };
    for profile in profiles.flatten() {
        trim(&format!("{target}/{}", profile.file_name().to_string_lossy()));
    }
}

/// Deletes the folders of intermediate products of one profile. Errors are ignored: a folder that
/// stays only takes space.
fn delete_intermediate(parent: &Path) {
    for name in INTERMEDIATE {
        let _ = fs::remove_dir_all(parent.join(name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_stay() {
        let folder = env::temp_dir().join(format!("gallium-disk-{}", std::process::id()));
        fs::create_dir_all(folder.join("deps/inner")).unwrap();
        fs::write(folder.join("deps/inner/library"), "1").unwrap();
        fs::write(folder.join("program"), "2").unwrap();
        delete_intermediate(&folder);
        let left: Vec<_> =
            fs::read_dir(&folder).unwrap().flatten().map(|it| it.file_name()).collect();
        assert_eq!(left, ["program"]);
        fs::remove_dir_all(&folder).unwrap();
    }
}
