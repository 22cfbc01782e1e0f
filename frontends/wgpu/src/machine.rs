//! The driver of one device: its screen, the screen's only context, and handles to destroy.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use codegen::Generator;
use os_shim::clock::HostClock;
use os_shim::memory::Quota;
use os_shim::options::{Environment, thread_count};
#[cfg(not(feature = "rbug"))]
use os_shim::options::{names, string_option};
use os_shim::threads::{Inline, Pool, Threads};
use os_shim::{Memory, Os};
use pipe_core::wrap::record::{RecordFile, RecordScreen};
use pipe_core::{
    BlendHandle, Context, ContextFlags, DepthStencilAlphaHandle, PipeError, QueryHandle,
    RasterizerHandle, ResourceHandle, SamplerHandle, SamplerViewHandle, Screen, ShaderHandle,
    ShaderType, SurfaceHandle, VertexElementsHandle,
};
use self_cell::self_cell;
use wgpu_hal::DeviceError;

use crate::budget::Deadline;
use crate::options::Options;

/// A screen of any kind.
type AnyScreen = Box<dyn Screen<'static> + Send + Sync>;

/// A device on a page. It is listed until this is dropped.
type Listing = Box<dyn Send + Sync>;

/// Puts the screen of a device on a page, if the options or the environment ask for one.
type Watch = fn(AnyScreen, &Options) -> Result<(AnyScreen, Option<Listing>), PipeError>;

#[cfg(feature = "rbug")]
const WATCH: Watch = crate::live::watched;
/// Refuses an address in the options; a variable of the environment may be meant for another program.
#[cfg(not(feature = "rbug"))]
const WATCH: Watch = |screen, options| {
    if options.rbug.is_some() {
        return Err(PipeError::Invalid(
            "Options::rbug has an address; enable the feature `rbug` of gallium-wgpu",
        ));
    }
    string_option(&Environment, names::GALLIUM_RBUG, &mut |_| {
        log::warn!("GALLIUM_RBUG has no effect; enable the feature `rbug` of gallium-wgpu");
    });
    Ok((screen, None))
};

/// A context that borrows its screen.
type AnyContext<'s> = os_shim::Box<'s, dyn Context<'static> + 's>;

self_cell!(
    /// A screen and its context.
    struct Driver {
        owner: AnyScreen,
        #[not_covariant]
        dependent: AnyContext,
    }
);

/// A handle of an object to destroy before the next command.
pub(crate) enum Garbage {
    Resource(ResourceHandle),
    SamplerView(SamplerViewHandle),
    Surface(SurfaceHandle),
    Sampler(SamplerHandle),
    Query(QueryHandle),
    Shader(ShaderType, ShaderHandle),
    VertexElements(VertexElementsHandle),
    Rasterizer(RasterizerHandle),
    DepthStencilAlpha(DepthStencilAlphaHandle),
    Blend(BlendHandle),
}

/// Parts of a driver that live as long as the program, because the driver borrows them for as long.
/// Later devices use them again.
struct Lasting {
    deadline: Deadline,
    limit: Option<usize>,
    quota: Quota<'static>,
    generator: OnceLock<Option<Generator>>,
}

/// Lasting parts that no device uses.
static IDLE: Mutex<Vec<&'static Lasting>> = Mutex::new(Vec::new());

/// The use of lasting parts by one device.
struct Lease {
    lasting: &'static Lasting,
    /// Another device may use the parts afterwards. The screen of a device with a trace or on a page stays,
    /// with its resources.
    ends: bool,
}

impl Lease {
    fn new(options: &Options) -> Lease {
        let limit = options.memory;
        let ends = options.trace.is_none();
        let mut idle = lock(&IDLE);
        if let Some(at) = idle.iter().position(|lasting| lasting.limit == limit) {
            return Lease { lasting: idle.swap_remove(at), ends };
        }
        let lasting = Box::leak(Box::new(Lasting {
            deadline: Deadline::new(),
            limit,
            quota: Quota::new(Memory::system(), limit.unwrap_or(usize::MAX)),
            generator: OnceLock::new(),
        }));
        Lease { lasting, ends }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if self.ends {
            lock(&IDLE).push(self.lasting);
        }
    }
}

/// The driver of a device. Any thread may use it; one does at a time.
pub(crate) struct Machine {
    // Dropped before the parts that it borrows go to another device.
    driver: Mutex<Driver>,
    lease: Lease,
    garbage: Mutex<Vec<Garbage>>,
    is_lost: AtomicBool,
    command_time: Duration,
    /// The device on a page, if one shows it.
    _listing: Option<Listing>,
}

impl fmt::Debug for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Machine").field("is_lost", &self.is_lost).finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the pool of `count` threads, one pool for the process.
fn threads(count: usize) -> &'static dyn Threads {
    static POOLS: Mutex<Option<HashMap<usize, &'static Pool>>> = Mutex::new(None);
    let available = || std::thread::available_parallelism().map_or(1, |count| count.get());
    match if count == 0 { thread_count(&Environment, available()) } else { count } {
        1 => &Inline,
        count => *lock(&POOLS)
            .get_or_insert_default()
            .entry(count)
            .or_insert_with(|| Box::leak(Box::new(Pool::new(count)))),
    }
}

/// Returns the name of the trace of the next device: later devices have a number.
fn trace_path(path: &Path) -> std::path::PathBuf {
    static NAMES: Mutex<Option<HashMap<std::path::PathBuf, u32>>> = Mutex::new(None);
    let mut names = lock(&NAMES);
    let number = names.get_or_insert_default().entry(path.to_path_buf()).or_insert(0);
    *number = number.saturating_add(1);
    let mut name = path.as_os_str().to_owned();
    if *number > 1 {
        name.push(format!(".{number}"));
    }
    name.into()
}

/// Records the calls of a screen to a file, for as long as the program runs.
fn recorded(screen: AnyScreen, path: &Path) -> std::io::Result<AnyScreen> {
    let file = RecordFile::create(&trace_path(path))?;
    let screen: &'static AnyScreen = Box::leak(Box::new(screen));
    let file: &'static RecordFile<'static> = Box::leak(Box::new(file));
    Ok(Box::new(RecordScreen::new(&**screen, file, Memory::system())))
}

impl Machine {
    pub(crate) fn new(options: &Options) -> Result<Machine, PipeError> {
        let mut lease = Lease::new(options);
        let lasting = lease.lasting;
        let memory = match options.memory {
            Some(_) => Memory::new(&lasting.quota),
            None => Memory::system(),
        };
        let os = Os {
            memory,
            threads: threads(options.threads),
            options: &Environment,
            clock: &HostClock,
        };
        let config = raster::Config::default();
        let generator = || lasting.generator.get_or_init(Generator::new).as_ref();
        let generator = (!options.interpret).then(generator).flatten().map(|it| it as _);
        let screen = raster::Screen::boxed(os, config, &lasting.deadline, generator);
        let (mut screen, listing) = WATCH(screen, options)?;
        lease.ends &= listing.is_none();
        if let Some(path) = &options.trace {
            screen = recorded(screen, path).map_err(|error| {
                log::error!("cannot write the trace {}: {error}", path.display());
                PipeError::Invalid("the trace cannot be written")
            })?;
        }
        let driver =
            Driver::try_new(screen, |screen| screen.context_create(ContextFlags::empty()))?;
        Ok(Machine {
            driver: Mutex::new(driver),
            lease,
            garbage: Mutex::default(),
            is_lost: AtomicBool::new(false),
            // A viewer may hold a command for as long as it likes.
            command_time: listing.as_ref().map_or(options.command_time, |_| Duration::MAX),
            _listing: listing,
        })
    }

    /// Counts bytes outside of the driver against the device's memory.
    pub(crate) fn reserve(&self, bytes: usize) -> Result<Reserved, DeviceError> {
        let reserved = self.lease.lasting.quota.reserve(bytes);
        reserved.map(Reserved).map_err(|_| DeviceError::OutOfMemory)
    }

    /// Begins a command: it has the whole time again.
    pub(crate) fn grant(&self) {
        self.lease.lasting.deadline.grant(self.command_time);
    }

    /// Destroys the object of a handle before the next call. Any thread may drop objects at any
    /// time, even while a command runs.
    pub(crate) fn discard(&self, garbage: Garbage) {
        lock(&self.garbage).push(garbage);
    }

    /// Runs `run` with the screen and the context.
    ///
    /// # Errors
    /// The device is lost. An error of `run`, except out of memory, loses the device if
    /// `loses` is set.
    fn call<R>(
        &self,
        loses: bool,
        run: impl FnOnce(&dyn Screen<'static>, &mut dyn Context<'static>) -> Result<R, PipeError>,
    ) -> Result<R, Refused> {
        let mut driver = lock(&self.driver);
        if self.is_lost.load(Relaxed) {
            return Err(Refused::Lost);
        }
        let garbage = std::mem::take(&mut *lock(&self.garbage));
        driver.with_dependent_mut(|screen, context| {
            self.grant();
            for garbage in garbage {
                sweep(&**screen, &mut **context, garbage);
            }
            let result = run(&**screen, &mut **context);
            result.map_err(|error| {
                if loses {
                    log::error!("the device is lost: {error}");
                    self.is_lost.store(true, Relaxed);
                }
                Refused::Error(error)
            })
        })
    }

    /// Runs a call that creates an object. A refusal leaves the device as it was.
    pub(crate) fn create<R>(
        &self,
        run: impl FnOnce(&dyn Screen<'static>, &mut dyn Context<'static>) -> Result<R, PipeError>,
    ) -> Result<R, Refused> {
        self.call(false, run)
    }

    /// Runs submitted commands. An error loses the device.
    pub(crate) fn submit(
        &self,
        run: impl FnOnce(&dyn Screen<'static>, &mut dyn Context<'static>) -> Result<(), PipeError>,
    ) -> Result<(), DeviceError> {
        Ok(self.call(true, run)?)
    }

    /// Returns an error if the device is lost.
    pub(crate) fn check(&self) -> Result<(), DeviceError> {
        if self.is_lost.load(Relaxed) { Err(DeviceError::Lost) } else { Ok(()) }
    }
}

/// Bytes that count against a device's memory until this is dropped.
pub(crate) struct Reserved(
    #[expect(dead_code, reason = "counts until it is dropped")]
    os_shim::memory::Reservation<'static>,
);

impl fmt::Debug for Reserved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reserved")
    }
}

/// Why a call was not made.
#[derive(Debug)]
pub(crate) enum Refused {
    /// The device was lost before.
    Lost,
    /// The driver refused it.
    Error(PipeError),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Lost => f.write_str("the device is lost"),
            Refused::Error(error) => error.fmt(f),
        }
    }
}

impl From<Refused> for DeviceError {
    fn from(refused: Refused) -> DeviceError {
        match refused {
            Refused::Lost | Refused::Error(PipeError::Stopped(_) | PipeError::DeviceLost) => {
                DeviceError::Lost
            }
            // A limit that WebGPU cannot name beforehand: the size of one texture.
            Refused::Error(PipeError::OutOfMemory { .. } | PipeError::OutOfRange { .. }) => {
                DeviceError::OutOfMemory
            }
            Refused::Error(error) => {
                log::error!("{error}");
                DeviceError::Unexpected
            }
        }
    }
}

/// Destroys the object of a handle.
fn sweep(screen: &dyn Screen<'static>, context: &mut dyn Context<'static>, garbage: Garbage) {
    let result = match garbage {
        Garbage::Resource(handle) => screen.resource_destroy(handle),
        Garbage::SamplerView(handle) => context.sampler_view_destroy(handle),
        Garbage::Surface(handle) => context.surface_destroy(handle),
        Garbage::Sampler(handle) => context.delete_sampler_state(handle),
        Garbage::Query(handle) => context.destroy_query(handle),
        Garbage::Shader(ShaderType::Compute, handle) => context.delete_compute_state(handle),
        Garbage::Shader(_, handle) => context.delete_shader_state(handle),
        Garbage::VertexElements(handle) => context.delete_vertex_elements_state(handle),
        Garbage::Rasterizer(handle) => context.delete_rasterizer_state(handle),
        Garbage::DepthStencilAlpha(handle) => context.delete_depth_stencil_alpha_state(handle),
        Garbage::Blend(handle) => context.delete_blend_state(handle),
    };
    if let Err(error) = result {
        log::warn!("an object was not destroyed: {error}");
    }
}
