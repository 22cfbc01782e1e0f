//! `board.toml`: target, emulator and budgets of a board's firmware.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::printed::Printed;
use crate::rp2040js::{self, Rp2040js};
use crate::rp2350::Rp2350;
use crate::{firmware, shell, toolchain};

/// A board with firmware.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// The name of the folder under `boards/`.
    #[serde(skip)]
    pub name: String,
    /// Its package; the binary has the same name.
    pub package: String,
    /// The compiler's target.
    pub target: String,
    /// Targets of other cores that the firmware supports.
    #[serde(default)]
    pub other_targets: Vec<String>,
    /// Cargo's profile.
    #[serde(default = "firmware_profile")]
    pub profile: String,
    /// The scenes that it draws; empty: every scene of 320×240 pixels.
    #[serde(default)]
    pub scenes: Vec<String>,
    /// The scenes that the tests draw; empty: all of `scenes`.
    #[serde(default)]
    pub tested: Vec<String>,
    /// The firmware has the feature `chip-log`.
    #[serde(default)]
    pub chip_log: bool,
    /// The firmware has the feature `failures`.
    #[serde(default)]
    pub failures: bool,
    /// The firmware has the feature `replay`.
    #[serde(default)]
    pub replay: bool,
    /// The firmware has the feature `record`; the tests record this scene.
    pub record: Option<String>,
    /// The span kernel for its common programs: a table of [`KERNELS`].
    pub kernel: Option<String>,
    /// The display that QEMU shows; `None`: the frame is written to a file.
    pub screen: Option<Screen>,
    /// The emulator.
    pub emulator: Emulator,
    /// A second chip, which prints hashes of the same frames.
    pub printed: Option<Printed>,
    /// A chip that no emulator has.
    pub rp2350: Option<Rp2350>,
    /// Budgets of flash and RAM.
    pub budget: Budget,
    /// Builds with a feature that draws additional scenes, by the feature's name.
    #[serde(default)]
    pub features: BTreeMap<String, Feature>,
    /// Budgets of instructions per frame (clear included), by target and scene.
    #[serde(default)]
    pub instructions: BTreeMap<String, BTreeMap<String, u64>>,
    /// Design goals for the instructions per frame, by scene.
    #[serde(default)]
    pub goals: BTreeMap<String, u64>,
}

/// The driver's list of its span kernels.
const KERNELS: &str = "raster/src/span/pixels.toml";

/// The functions of a span kernel that run for each pixel, by parts of their paths. No function
/// that they reach may panic or use software floats. They may not make calls through pointers
/// either, because such calls would hide a panic.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kernel {
    /// The functions.
    pub pixels: Vec<String>,
    /// Functions that may call through a pointer, because they call functions in `pixels` that way.
    #[serde(default)]
    pub by_pointer: Vec<String>,
    /// Functions that may use software floats: they paint the few triangles that integers cannot
    /// hold.
    #[serde(default)]
    pub in_floats: Vec<String>,
}

/// The emulator of a board.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Emulator {
    /// QEMU: the firmware draws scenes of `boards/scenes` and reports the outcome over semihosting.
    Qemu(Qemu),
    /// rp2040js: the unmodified firmware runs, and its display is watched.
    Rp2040js(Rp2040js),
}

impl Emulator {
    /// Installs missing programs.
    ///
    /// # Errors
    /// A program is missing and cannot be installed.
    pub fn install(&self) -> Result<()> {
        match self {
            Emulator::Qemu(qemu) => shell::need(&qemu.program, &qemu.package),
            Emulator::Rp2040js(_) => rp2040js::install().map(drop),
        }
    }
}

/// A QEMU machine.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Qemu {
    /// The program.
    pub program: String,
    /// The Debian package of the program.
    pub package: String,
    /// Arguments that select machine and clock.
    pub arguments: Vec<String>,
    /// Instructions per tick of the counter that the firmware reports.
    pub instructions_per_tick: u64,
}

/// A display that QEMU emulates: the firmware prints `shown` when its picture is complete.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Screen {
    /// Pixels of QEMU's picture per pixel of the display, along a side.
    #[serde(default = "one")]
    pub magnified: u32,
    /// The display shows 16 greys with an instruction count over them, like the host's command
    /// `grey`. Otherwise it shows the golden image.
    #[serde(default)]
    pub grey: bool,
}

fn one() -> u32 {
    1
}

fn firmware_profile() -> String {
    "firmware".into()
}

/// Budgets in kibibytes, without mesh and texture data.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Flash.
    pub flash: u64,
    /// RAM: statics, heap and stack.
    pub ram: u64,
}

/// A build with a feature.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feature {
    /// The scenes that it draws.
    pub scenes: Vec<String>,
    /// Arguments for QEMU that replace the board's and select another machine. Instructions are
    /// then not counted.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// The budgets of flash and RAM for this build.
    pub budget: Budget,
}

/// Returns all boards with a `board.toml`, by name.
pub fn all() -> Result<Vec<Board>> {
    let folder = shell::root().join("boards");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .with_context(|| format!("cannot list {}", folder.display()))?
        .flatten()
        .filter(|entry| entry.path().join("board.toml").is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names.iter().map(|name| read(name)).collect()
}

/// Returns the board with this name.
pub fn find(name: &str) -> Result<Board> {
    let path = shell::root().join("boards").join(name).join("board.toml");
    if !path.is_file() {
        let names: Vec<String> = all()?.into_iter().map(|board| board.name).collect();
        bail!("no board `{name}`, expected one of: {}", names.join(", "));
    }
    read(name)
}

fn read(name: &str) -> Result<Board> {
    let path = shell::root().join("boards").join(name).join("board.toml");
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let mut board: Board =
        toml::from_str(&text).with_context(|| format!("{}: not a board", path.display()))?;
    board.name = name.to_owned();
    Ok(board)
}

/// Settings of a profile for a build that ends soon: none that changes how macros are built.
const QUICK: [&str; 2] = ["debug=0", "package.gallium-raster.opt-level=1"];

/// Makes cargo build with a profile, without the optimisations that take long.
pub fn quickly(cargo: &mut Command, name: &str) {
    profile(cargo, name, &QUICK);
}

/// Makes cargo build with the profile `name` and these changes to it.
fn profile(cargo: &mut Command, name: &str, settings: &[&str]) {
    cargo.args(["--profile", name]);
    for setting in settings {
        cargo.args(["--config", &format!("profile.{name}.{setting}")]);
    }
}

impl Board {
    /// Returns the board with other arguments for QEMU, if `arguments` is not empty.
    pub fn with_arguments(mut self, arguments: &[String]) -> Board {
        if let Emulator::Qemu(qemu) = &mut self.emulator
            && !arguments.is_empty()
        {
            qemu.arguments = arguments.to_vec();
        }
        self
    }

    /// Returns the board for another core.
    pub fn with_target(mut self, target: &str) -> Result<Board> {
        let built = self.rp2350.as_ref().map(|chip| chip.target.as_str());
        if !self.targets().chain(built).any(|known| known == target) {
            let known = self.targets().chain(built).collect::<Vec<_>>().join(", ");
            bail!("{}: no target `{target}`, expected one of: {known}", self.name);
        }
        self.target = target.to_owned();
        Ok(self)
    }

    /// Returns the targets of the board's cores, the main one first.
    pub fn targets(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.target).chain(&self.other_targets).map(String::as_str)
    }

    /// Reads the span kernel that the board names.
    ///
    /// # Errors
    /// The list of kernels cannot be read, or has no kernel with that name.
    pub fn kernel(&self) -> Result<Option<Kernel>> {
        let Some(name) = &self.kernel else { return Ok(None) };
        let path = shell::root().join(KERNELS);
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let mut kernels: BTreeMap<String, Kernel> =
            toml::from_str(&text).with_context(|| format!("{KERNELS}: not a list of kernels"))?;
        let names = kernels.keys().cloned().collect::<Vec<_>>().join(", ");
        let kernel = kernels.remove(name).with_context(|| {
            format!("{}: no kernel `{name}` in {KERNELS}, expected one of: {names}", self.name)
        })?;
        Ok(Some(kernel))
    }

    /// Returns the names of the scenes that the board draws.
    pub fn scene_names(&self) -> Vec<&str> {
        match self.scenes.as_slice() {
            [] => firmware::scenes().collect(),
            scenes => scenes.iter().map(String::as_str).collect(),
        }
    }

    /// Returns true if the display shows an instruction count over the picture ([`Screen::grey`]).
    pub fn shows_count(&self) -> bool {
        self.screen.as_ref().is_some_and(|screen| screen.grey)
    }

    /// Returns the names of the scenes that the tests draw.
    pub fn tested_scenes(&self) -> Vec<&str> {
        match self.tested.as_slice() {
            [] => self.scene_names(),
            scenes => scenes.iter().map(String::as_str).collect(),
        }
    }

    /// Returns the name of the feature that draws a scene, and its build; `None` if no feature is
    /// needed.
    pub fn feature_of(&self, scene: &str) -> Option<(&str, &Feature)> {
        let draws = |feature: &Feature| feature.scenes.iter().any(|name| name == scene);
        let found = self.features.iter().find(|(_, feature)| draws(feature));
        found.map(|(name, feature)| (name.as_str(), feature))
    }

    /// Builds the firmware; returns the linked image.
    pub fn build(&self, features: &[&str]) -> Result<PathBuf> {
        self.build_with(features, &[])
    }

    /// Builds the firmware without the optimisations that take long: for tests that measure neither size nor
    /// instructions.
    pub fn build_quickly(&self, features: &[&str]) -> Result<PathBuf> {
        self.build_with(features, &QUICK)
    }

    /// * `settings`: changes to the profile.
    fn build_with(&self, features: &[&str], settings: &[&str]) -> Result<PathBuf> {
        let mut cargo = toolchain::firmware(&self.target, &self.package)?;
        profile(&mut cargo, &self.profile, settings);
        if !features.is_empty() {
            cargo.args(["--features", &features.join(",")]);
            // At compile time, defmt drops messages below this level; its default is `error`.
            if std::env::var_os("DEFMT_LOG").is_none() {
                cargo.env("DEFMT_LOG", "info");
            }
        }
        shell::output(&mut cargo)?;
        Ok(shell::target_dir().join(&self.target).join(&self.profile).join(&self.package))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_name_kernels_that_are_listed() {
        let with_kernel = all().unwrap().iter().filter(|it| it.kernel().unwrap().is_some()).count();
        assert!(with_kernel >= 3, "only {with_kernel} boards name a kernel");
        let board = Board { kernel: Some("none-such".into()), ..find("mps2-an386").unwrap() };
        let message = board.kernel().err().unwrap().to_string();
        assert!(
            message.contains("`none-such`") && message.ends_with("generic, rgb565"),
            "{message}"
        );
    }
}
