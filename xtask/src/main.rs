//! All developer commands.
#![expect(unreachable_pub, reason = "a program: `pub` says who may use it within")]

mod assets;
mod bench;
mod board;
mod budget;
mod c_shader;
mod calls;
mod ci;
mod compare;
mod conformance;
mod contract;
mod demo;
mod deny;
mod deqp;
mod disk;
mod display;
mod features;
mod firmware;
mod flash_map;
mod formats;
mod fuzz;
mod gl_bench;
mod golden;
mod inspect;
mod layers;
mod live_page;
mod mesa;
mod no_std;
mod npm;
mod oldest;
mod packages;
mod picture;
mod piglit;
mod playground;
mod printed;
mod profile;
mod progress;
mod public_api;
mod qmp;
mod races;
mod readme;
mod recording;
mod replay;
mod rp2040js;
mod rp2350;
mod sanitizer;
mod selection;
mod shell;
mod size;
mod soak;
mod stream;
mod table;
mod test;
mod tgsi;
mod toolchain;
mod web;
mod wgpu;
mod wgsl;
mod words;
mod workers;
mod wrapper;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Every developer command of this workspace")]
struct Cli {
    #[command(subcommand)]
    command: Cmd,
}

#[derive(Subcommand)]
enum Cmd {
    /// Renders the demo scenes to target/demo.
    Demo {
        /// Open a window instead: arrow keys orbit, page up and down zoom, space changes the scene.
        #[arg(long)]
        window: bool,
    },
    Test(test::Options),
    Firmware(firmware::Options),
    Bench(bench::Options),
    Compare(compare::Options),
    GlBench(gl_bench::Options),
    Golden(golden::Options),
    Inspect(inspect::Options),
    Size(size::Options),
    Assets(assets::Options),
    Tgsi(tgsi::Options),
    Wgpu(wgpu::Options),
    Wgsl(wgsl::Options),
    Piglit(piglit::Options),
    Playground(playground::Options),
    Profile(profile::Options),
    Deqp(deqp::Options),
    Formats(formats::Options),
    Fuzz(fuzz::Options),
    Layers(layers::Options),
    Api(public_api::Options),
    Replay(replay::Options),
    Soak(soak::Options),
    Words(words::Options),
    Workers(workers::Options),
    /// Runs everything that a change must pass: documentation, advisories, tests.
    Ci,
}

fn main() -> ExitCode {
    if let Some(code) = wrapper::run() {
        return code;
    }
    let done = match Cli::parse().command {
        Cmd::Demo { window } => demo::run(window).map_err(anyhow::Error::from).and_then(|status| {
            anyhow::ensure!(status.success(), "the demo ended with {status}");
            Ok(())
        }),
        Cmd::Test(options) => test::run(&options),
        Cmd::Firmware(options) => firmware::run(&options),
        Cmd::Bench(options) => bench::run(&options),
        Cmd::Compare(options) => compare::run(&options),
        Cmd::GlBench(options) => gl_bench::run(&options),
        Cmd::Golden(options) => golden::run(&options),
        Cmd::Inspect(options) => inspect::run(&options),
        Cmd::Size(options) => size::run(&options),
        Cmd::Assets(options) => assets::run(&options),
        Cmd::Tgsi(options) => tgsi::run(&options),
        Cmd::Wgpu(options) => wgpu::run(&options),
        Cmd::Wgsl(options) => wgsl::run(&options),
        Cmd::Piglit(options) => piglit::run(&options),
        Cmd::Playground(options) => playground::run(&options),
        Cmd::Profile(options) => profile::run(&options),
        Cmd::Deqp(options) => deqp::run(&options),
        Cmd::Formats(options) => formats::run(&options),
        Cmd::Fuzz(options) => fuzz::run(&options),
        Cmd::Layers(options) => layers::run(&options),
        Cmd::Api(options) => public_api::run(&options),
        Cmd::Replay(options) => replay::run(&options),
        Cmd::Soak(options) => soak::run(&options),
        Cmd::Words(options) => words::run(&options),
        Cmd::Workers(options) => workers::run(&options),
        Cmd::Ci => ci::run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Prints causes instead of a backtrace: the errors are the caller's, not ours.
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
