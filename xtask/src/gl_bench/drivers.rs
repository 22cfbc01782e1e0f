//! The drivers that are compared, and the environment in which a program draws with each.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::mesa::{Server, ServerCommand};
use crate::shell;

/// A driver, with its threads where it has a choice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Driver {
    /// Mesa's softpipe, in the program's process.
    Softpipe,
    /// Mesa's llvmpipe, in the program's process.
    Llvmpipe(u32),
    /// Mesa's virpipe, with virglrenderer on llvmpipe behind the socket.
    Virgl(u32),
    /// Mesa's virpipe, with gallium-vtest behind the socket.
    Gallium(u32),
}

impl Driver {
    /// Returns its name, with the number of threads.
    pub(super) fn name(self) -> String {
        match self {
            Driver::Softpipe => "softpipe".into(),
            Driver::Llvmpipe(threads) => format!("llvmpipe-{threads}"),
            Driver::Virgl(threads) => format!("virgl-{threads}"),
            Driver::Gallium(threads) => format!("gallium-{threads}"),
        }
    }
}

/// The drivers of a measurement, with the servers that they need.
pub(super) struct Drivers {
    /// All of them, in the order of a turn.
    pub(super) list: Vec<Driver>,
    servers: Vec<(Driver, Server)>,
}

impl Drivers {
    /// Starts the servers, of each number of threads; their output goes to files in `folder`.
    /// Leaves virgl out, and says so, if its server is missing and cannot be installed.
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

    /// Sets the environment with which a program draws on `driver`. Returns the process of
    /// gallium-vtest, if that draws.
    pub(super) fn apply(&self, driver: Driver, command: &mut Command) -> Option<u32> {
        // Shaders of an earlier run must be as new as those of the first.
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

/// The value of `LP_NUM_THREADS`: 0 is the program's own thread alone.
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
