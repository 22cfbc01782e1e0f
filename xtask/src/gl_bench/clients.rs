//! Several clients of one server at the same time: compares their frame rate with that of one
//! client.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, ensure};

use super::Options;
use super::drivers::{Driver, Drivers};
use super::ratio::Ratio;
use super::scenes::{self, Line};

/// The default scenes: limited by textures, by geometry and by pixels.
const SCENES: [&str; 3] = ["textured", "lit", "overdraw"];

/// Prints, for each scene, the ratio of the frame rates of all `clients` together and of one
/// client. The server uses one thread per client.
pub(super) fn run(options: &Options, clients: u32, folder: &Path) -> Result<()> {
    ensure!(clients > 0, "--clients 0 draws nothing");
    let [client, vtest] = scenes::build()?;
    let drivers = Drivers::new(&[1], &vtest, folder)?;
    println!("frames of {clients} clients over those of one, the middle of the turns (least-most)");
    let scenes = options.scene.as_deref().map_or(SCENES.to_vec(), |scene| vec![scene]);
    for scene in scenes {
        let start = || {
            let mut command = Command::new(&client);
            command.args(["--scene", scene, "--seconds", &options.seconds.to_string()]);
            drivers.apply(Driver::Gallium(1), &mut command);
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            command.spawn().with_context(|| format!("cannot start {}", client.display()))
        };
        let (mut together, mut alone) = (Vec::new(), Vec::new());
        for _ in 0..options.turns.max(1) {
            alone.push(rate(start()?)?);
            let all = (0..clients).map(|_| start()).collect::<Result<Vec<_>>>()?;
            let rates = all.into_iter().map(rate).collect::<Result<Vec<f64>>>()?;
            together.push(rates.iter().sum());
        }
        let ratio = Ratio::of(&together, &alone).context("no turn has a time")?;
        println!("{scene:19} {ratio}");
    }
    Ok(())
}

/// Returns the frames per second that a client prints.
fn rate(client: Child) -> Result<f64> {
    let output = client.wait_with_output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "a client failed: {}", errors.trim());
    let line: Line = serde_json::from_slice(&output.stdout).context("a client prints no times")?;
    Ok(1e3 / line.frame_ms)
}
