//! Devices on a page that shows and holds them while the program runs.

use std::sync::{Mutex, PoisonError};

use inspect::live::live_to_the_end;
use inspect::serve_live::{LiveServer, address_of};
use os_shim::options::Environment;
use pipe_core::{PipeError, Screen};

use crate::options::Options;

type AnyScreen = Box<dyn Screen<'static> + Send + Sync>;

/// The process's server. The first device that asks for one opens it.
static SERVER: Mutex<Option<&'static LiveServer>> = Mutex::new(None);

/// Puts a device's screen on the page that the options or the environment ask for, and returns what lists
/// the device until it is dropped. The screen of such a device stays as long as the program runs.
///
/// # Errors
/// The page cannot be served; the log has the reason.
pub(crate) fn watched(
    screen: AnyScreen,
    options: &Options,
) -> Result<(AnyScreen, Option<Box<dyn Send + Sync>>), PipeError> {
    let server = server(options).map_err(|error| {
        log::error!("{error:#}");
        PipeError::Invalid("GALLIUM_RBUG: the page cannot be served")
    })?;
    let Some(server) = server else { return Ok((screen, None)) };
    let listed = server.gate();
    let screen = live_to_the_end(screen, &listed.gate);
    Ok((screen, Some(Box::new(listed))))
}

/// Returns the server, if the options or the environment ask for one.
fn server(options: &Options) -> Result<Option<&'static LiveServer>, Box<dyn std::error::Error>> {
    let asked = match options.rbug {
        None => address_of(&Environment)?,
        address => address,
    };
    let Some(address) = asked else { return Ok(None) };
    let mut server = SERVER.lock().unwrap_or_else(PoisonError::into_inner);
    if server.is_none() {
        let opened: &'static LiveServer = Box::leak(Box::new(LiveServer::open(address)?));
        eprintln!("GALLIUM_RBUG: {}", opened.link());
        *server = Some(opened);
    }
    Ok(*server)
}
