//! Judges random WGSL programs. `cargo xtask wgsl random` runs this program.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Parser;
use gallium_wgsl_random::generate::program;
use gallium_wgsl_random::judge::{Verdict, judge};
use gallium_wgsl_random::mesa::Mesa;
use gallium_wgsl_random::print::wgsl;
use gallium_wgsl_random::shrink::shrink;

#[derive(Parser)]
#[command(about = "Judges random WGSL programs")]
struct Options {
    /// Number of programs.
    #[arg(long, default_value_t = 1000)]
    count: u64,
    /// Seed of the first program; it increases by one per program.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The program `gallium-gl-bench`, to compare with Mesa too.
    #[arg(long)]
    mesa: Option<PathBuf>,
    /// Lists the programs that differ without shrinking them.
    #[arg(long)]
    brief: bool,
    /// Writes each program to this folder instead of running it.
    #[arg(long)]
    write: Option<PathBuf>,
}

fn main() -> Result<ExitCode> {
    let options = Options::parse();
    let seeds = options.seed..options.seed.saturating_add(options.count);
    if let Some(folder) = &options.write {
        for seed in seeds {
            let path = folder.join(format!("{seed}.wgsl"));
            std::fs::write(&path, wgsl(&program(seed)))
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut mesa = options.mesa.as_deref().map(Mesa::new).transpose()?;
    if let Some(mesa) = &mesa {
        println!("compared with {}", mesa.renderer);
    }
    let (mut passed, mut failed, mut known) = (0, 0, 0);
    for seed in seeds {
        let random = program(seed);
        let verdict = judge(&random, mesa.as_mut());
        match verdict {
            Verdict::Same => {
                passed += 1;
                continue;
            }
            Verdict::MesaKnown(_) => {
                println!("seed {seed}: {verdict}");
                passed += 1;
                known += 1;
                continue;
            }
            _ => {}
        }
        failed += 1;
        println!("seed {seed}: {verdict}");
        if !options.brief {
            let smallest =
                shrink(&random, |candidate| judge(candidate, mesa.as_mut()).is_like(&verdict));
            println!("shrunk: {}", judge(&smallest, mesa.as_mut()));
            println!("{}", wgsl(&smallest));
        }
    }
    if known > 0 {
        println!("{known} differ on Mesa by known faults, and count as passed");
    }
    println!("{passed} passed, {failed} failed");
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
