//! Build products: deletes the ones that no later step of the tests uses, and shares some between profiles.

use std::path::Path;
use std::{env, fs, io};

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

/// Links into `to`, unless it exists, the products that cargo made in `from`. Both are folders of profiles under cargo's
/// target folder. Cargo builds a macro again for each profile, even with the same settings; now it finds it there.
///
/// # Errors
/// A folder cannot be read or written.
pub fn share(from: &str, to: &str) -> io::Result<()> {
    let [from, to] = [from, to].map(|folder| shell::target_dir().join(folder));
    if to.exists() {
        return Ok(());
    }
    INTERMEDIATE
        .map(|name| (from.join(name), to.join(name)))
        .iter()
        .try_for_each(|(from, to)| if from.is_dir() { link(from, to) } else { Ok(()) })
}

/// Links the files of a folder, and of the folders in it, into the folder `to`.
fn link(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            link(&entry.path(), &target)?;
        } else {
            fs::hard_link(entry.path(), target)?;
        }
    }
    Ok(())
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

    #[test]
    fn folders_are_linked_with_all_they_hold() {
        let folder = env::temp_dir().join(format!("gallium-link-{}", std::process::id()));
        fs::create_dir_all(folder.join("from/inner")).unwrap();
        fs::write(folder.join("from/inner/library"), "1").unwrap();
        link(&folder.join("from"), &folder.join("to")).unwrap();
        assert_eq!(fs::read(folder.join("to/inner/library")).unwrap(), *b"1");
        fs::remove_dir_all(&folder).unwrap();
    }
}
