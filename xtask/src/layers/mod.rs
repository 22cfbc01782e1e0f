//! `cargo xtask layers`: checks that imports point downward, between the crates and between the
//! rooms of a crate, and that few `cfg` stand inside functions.

mod crates;
mod imports;
mod map;
mod rooms;
mod switches;

use anyhow::{Result, bail};
use clap::Args;

pub use crates::{device_packages, firmware_packages, folder, members};

use crate::shell;

/// Checks that dependencies between the crates, and imports between the rooms (top-level modules)
/// of a crate, point downward, and that no `cfg` was added inside a function.
#[derive(Args, Default)]
pub struct Options {
    /// Only list the imports between the rooms of this crate, and mark those against its order.
    #[arg(long, value_name = "FOLDER")]
    pub rooms: Option<String>,
    /// Write the maps of the rooms into the READMEs.
    #[arg(long)]
    pub write: bool,
}

/// Runs the command.
///
/// # Errors
/// A dependency or an import points upward, sideways or in a circle; the map in a README differs
/// from the rooms; or the number of `cfg` inside functions of a crate differs from its ceiling. The
/// error lists all of them, one per line.
pub fn run(options: &Options) -> Result<()> {
    if let Some(folder) = &options.rooms {
        return rooms::list(folder);
    }
    if options.write {
        map::write()?;
    }
    let root = shell::root();
    let (count, mut wrong) = crates::check(&root)?;
    wrong.extend(rooms::check(&root)?);
    wrong.extend(map::check()?);
    wrong.extend(switches::check(&root)?);
    if !wrong.is_empty() {
        bail!("{}", wrong.join("\n"));
    }
    println!("{count} crates, every dependency and import points downward");
    Ok(())
}
