//! The drivers to compare, and the environment for programs that draw with them.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::mesa::{Server, ServerCommand};
use crate::shell;

/// A driver, with the number of its threads if it has a choice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Driver {
    /// Mesa's softpipe, in the program's process.
    Softpipe,
    /// Mesa's llvmpipe, in the program's process.
    Llvmpipe(u32),
    /// Mesa's virpipe, with virglrenderer on llvmpipe as the server.
    Virgl(u32),
    /// Mesa's virpipe, with gallium-vtest as the server.
    Gallium(u32),
}

impl Driver {
    /// Returns the driver's name, with the number of threads.
    pub(super) fn name(self) -> String {
        match self {
            Driver::Softpipe => "softpipe".into(),
            Driver::Llvmpipe(threads) => format!("llvmpipe-{threads}"),
            Driver::Virgl(threads) => format!("virgl-{threads}"),
            Driver::Gallium(threads) => format!("gallium-{threads}"),
        }
    }
}

/// The drivers of a measurement, with their servers.
pub(super) struct Drivers {
    /// All drivers, in the order of a turn.
    pub(super) list: Vec<Driver>,
    servers: Vec<(Driver, Server)>,
}

impl Drivers {
    /// Starts the servers for each number of threads; their output is written to files in `folder`.
    /// If the server of virgl is missing and cannot be installed, virgl is left out with a message.
    ///
    /// # Errors
    /// A server does not start.
    pub(super) fn new(threads: &[u32], vtest: &Path, folder: &Path) -> Result<Drivers> {
        let virgl = install_virgl();
        let mut drivers = Drivers { list: vec![Driver::Softpipe], servers: Vec::new() };
        for &threads in threads {
            drivers.list.push(Driver::Llvmpipe(threads));
            if virgl {
                drivers.serve(Driver::Virgl(threads), virgl_command(threads), folder)?;
            }
            let arguments = vec!["--threads".into(), threads.to_string()];
            let command = ServerCommand::vtest(vtest.into(), arguments);
            drivers.serve(Driver::Gallium(threads), command, folder)?;
        }
        Ok(drivers)
    }

    fn serve(&mut self, driver: Driver, command: ServerCommand, folder: &Path) -> Result<()> {
        let server = Server::new(command, folder.join(format!("{}.log", driver.name())))?;
        self.list.push(driver);
        self.servers.push((driver, server));
        Ok(())
    }

    /// Sets the environment for a program that draws on `driver`. For gallium-vtest, returns the id
    /// of the server's process.
    pub(super) fn apply(&self, driver: Driver, command: &mut Command) -> Option<u32> {
        // No shader cache: every run must compile its shaders, like the first.
        command.env("LIBGL_ALWAYS_SOFTWARE", "1").env("MESA_SHADER_CACHE_DISABLE", "true");
        if let Some((_, server)) = self.servers.iter().find(|(served, _)| *served == driver) {
            server.virpipe.apply(command);
            return server.id().filter(|_| matches!(driver, Driver::Gallium(_)));
        }
        if let Driver::Llvmpipe(threads) = driver {
            command.env("GALLIUM_DRIVER", "llvmpipe").env("LP_NUM_THREADS", workers(threads));
        } else {
            command.env("GALLIUM_DRIVER", "softpipe");
        }
        None
    }
}

/// Returns the value of `LP_NUM_THREADS`; 0 means that only the program's own thread draws.
fn workers(threads: u32) -> String {
    if threads < 2 { "0".into() } else { threads.to_string() }
}

fn virgl_command(threads: u32) -> ServerCommand {
    ServerCommand {
        program: "virgl_test_server".into(),
        arguments: vec!["--use-egl-surfaceless".into()],
        socket_option: "--socket-path",
        environment: vec![
            ("LIBGL_ALWAYS_SOFTWARE", "1".into()),
            ("GALLIUM_DRIVER", "llvmpipe".into()),
            ("LP_NUM_THREADS", workers(threads)),
            ("MESA_SHADER_CACHE_DISABLE", "true".into()),
        ],
    }
}

/// Returns true if virglrenderer's server can be started.
fn install_virgl() -> bool {
    let program = "virgl_test_server";
    if !shell::on_path(program)
        && let Err(error) = shell::apt_install(&["virgl-server"])
    {
        println!("without {program} (Debian: virgl-server): {error}");
    }
    shell::on_path(program)
}
