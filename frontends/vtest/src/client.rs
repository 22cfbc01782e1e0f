//! One client. The server finishes each message before it reads the next one.

use std::os::fd::AsFd;
use std::rc::Rc;
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Duration;

use os_shim::{Memory, OutOfMemory};

use crate::caps::{GlVersion, V1_BYTES, V2_BYTES};
use crate::context::{CommandWork, Shared};
use crate::diary::{Diary, Holds};
use crate::error::ClientError;
use crate::files::Files;
use crate::frames::FrameDump;
use crate::link::Link;
use crate::memory::{ClientMemory, ServerMemory};
use crate::notes::Notes;
use crate::peer::Peer;
use crate::reader::Reader;
use crate::resource::{CreateWords, Device, MAX_RESOURCES, Resource, Resources};
use crate::stats::Stats;
use crate::submit::Contexts;
use crate::transfer::{self, Place, Rows, region};
use crate::turns::Turns;
use crate::watch::Activity;
use crate::wire::{HEADER_BYTES, MAX_NAME_BYTES, MAX_SUBMIT_WORDS, Message, VERSION};

/// Bytes that one inline transfer may have.
const MAX_INLINE_BYTES: u32 = 1 << 29;
/// Bytes of a client's name that the log shows.
const SHOWN_NAME: usize = 200;
/// Bytes of a payload's first piece. Each later piece is as long as all pieces before it together.
const FIRST_PIECE: usize = 16 << 10;
/// The largest piece of a payload in bytes, and the largest buffer that is kept between messages.
const PIECE: usize = 1 << 20;

/// Clients that may be connected at a time by default.
pub const MAX_CLIENTS: u64 = 256;

/// The default limit of the processor time of one command, for the user's own programs. It is
/// several times the time of the heaviest draws that we know, which take 15 seconds.
pub const COMMAND_TIME: Duration = Duration::from_secs(60);

/// The default limit of the work of one command, in units. A command reaches its time limit first.
pub const COMMAND_WORK: u64 = 1 << 36;

/// The most bytes that a client without a context may hold to count as [`Holds::Little`].
const LITTLE: usize = 64 << 10;

/// A factory of screens. Each client has a separate screen, because clients share no resources.
pub trait Screens: Sync {
    /// Runs `run` with a new screen that allocates from `memory`. `activity` is the budget of the
    /// client's commands.
    fn with(
        &self,
        memory: Memory<'static>,
        activity: &'static Activity,
        run: &mut dyn FnMut(Device<'_>),
    );
}

/// The state that all clients share.
pub struct Service<'s> {
    screens: &'s dyn Screens,
    /// The capabilities announced to clients.
    pub caps: [u8; V2_BYTES],
    /// The memory of all clients.
    pub memory: ServerMemory,
    /// The open files of all clients.
    pub files: Arc<Files>,
    /// Bytes that one client may use: resources, objects, contexts, messages, shared memory.
    pub client_memory: usize,
    /// Clients that may be connected at a time.
    pub max_clients: u64,
    /// The longest time that a client may take for a part of a message; `None` for any. When no
    /// place is free, a client that holds next to nothing and has rested longer than this is
    /// disconnected.
    pub timeout: Option<Duration>,
    /// The longest time that a client may rest between messages; `None` for any.
    pub idle_time: Option<Duration>,
    /// Units of work that one command of a client may take; see [`os_shim::budget`].
    pub command_work: u64,
    /// The longest processor time that one command of a client may take; `None` for any.
    pub command_time: Option<Duration>,
    /// The time for which a connection waits for a place before it is refused. Other clients may be
    /// about to hang up.
    pub patience: Duration,
    /// The diary, in a process that serves one client.
    pub diary: OnceLock<Diary>,
    /// The newest protocol version that clients are offered.
    pub version: u32,
    /// The writer of the clients' frames, if frames are dumped.
    pub frames: Option<FrameDump>,
    /// Totals of the clients' work.
    pub stats: Stats,
}

impl<'s> Service<'s> {
    /// Returns a service with limits for a desktop.
    pub fn new(screens: &'s dyn Screens, memory: ServerMemory, gl: GlVersion) -> Self {
        Service {
            screens,
            caps: caps(screens, gl),
            memory,
            files: Files::of_process(MAX_CLIENTS),
            client_memory: 1 << 31,
            max_clients: MAX_CLIENTS,
            timeout: Some(Duration::from_secs(10)),
            idle_time: None,
            command_work: COMMAND_WORK,
            command_time: Some(COMMAND_TIME),
            patience: Duration::from_millis(100),
            diary: OnceLock::new(),
            version: VERSION,
            frames: None,
            stats: Stats::default(),
        }
    }

    /// Runs `run` with a new client of a new program, on a separate screen.
    pub fn client<R>(&self, number: u64, run: impl FnOnce(&mut Client<'_>) -> R) -> Option<R> {
        self.client_of(&Arc::new(Peer::new(&self.files)), number, run)
    }

    /// Runs `run` with a client of a program; see [`client`](Self::client).
    pub fn client_of<R>(
        &self,
        peer: &Arc<Peer>,
        number: u64,
        run: impl FnOnce(&mut Client<'_>) -> R,
    ) -> Option<R> {
        let mut run = Some(run);
        let mut result = None;
        self.memory.client(peer, self.client_memory, |memory| {
            self.screens.with(memory.heap(), memory.activity(), &mut |device| {
                if let Some(run) = run.take() {
                    result = Some(run(&mut Client::new(self, peer, device, memory, number)));
                }
            });
        });
        result
    }
}

/// Returns the capabilities of the drivers, up to a version of OpenGL.
pub fn caps(screens: &dyn Screens, gl: GlVersion) -> [u8; V2_BYTES] {
    let mut caps = [0; V2_BYTES];
    // Nothing is drawn.
    static TURNS: Turns = Turns::new(1);
    static ACTIVITY: LazyLock<Activity> = LazyLock::new(|| Activity::new(&TURNS));
    screens.with(Memory::system(), &ACTIVITY, &mut |device| caps = crate::caps::v2(device, gl));
    caps
}

/// One client's connection.
pub struct Client<'s> {
    service: &'s Service<'s>,
    device: Device<'s>,
    number: u64,
    contexts: Contexts<'s>,
    shared: Shared<'s>,
    /// A message's payload.
    payload: os_shim::Vec<'static, u8>,
    /// Bytes in use before the client's first message.
    first_bytes: usize,
}

impl<'s> Client<'s> {
    fn new(
        service: &'s Service<'s>,
        peer: &Arc<Peer>,
        device: Device<'s>,
        memory: ClientMemory,
        number: u64,
    ) -> Self {
        Client {
            service,
            device,
            number,
            contexts: Contexts::new(device),
            shared: Shared {
                resources: Resources::default(),
                files: peer.files.client(),
                notes: Notes::new(number),
                memory,
                scratch: os_shim::Vec::new_in(memory.heap()),
                work: CommandWork {
                    activity: memory.activity(),
                    units: service.command_work,
                    time: service.command_time,
                    stops: 0,
                },
            },
            payload: os_shim::Vec::new_in(memory.heap()),
            first_bytes: memory.used(),
        }
    }

    /// Returns the number of kinds of refusals.
    pub fn refusals(&self) -> usize {
        self.shared.notes.kinds()
    }

    /// Returns the number of commands that were stopped because they took too long.
    pub fn stops(&self) -> u32 {
        self.shared.work.stops
    }

    /// Returns the state of the client that a watch reads.
    pub fn activity(&self) -> &'static Activity {
        self.shared.memory.activity()
    }

    /// Returns the bytes in use on the client's behalf.
    pub fn bytes(&self) -> usize {
        self.shared.memory.used()
    }

    /// Returns how much state the client would lose with its connection.
    fn holds(&self) -> Holds {
        let bytes = self.bytes().saturating_sub(self.first_bytes);
        match self.contexts.is_empty() && bytes <= LITTLE {
            true => Holds::Little,
            false => Holds::Much,
        }
    }

    /// Serves the client until it goes.
    ///
    /// # Errors
    /// See [`ClientError`]; the connection cannot be used any more.
    pub fn serve(&mut self, link: &mut dyn Link) -> Result<(), ClientError> {
        while link.begin()? {
            let mut header = [0; HEADER_BYTES];
            link.receive(&mut header)?;
            let mut reader = Reader::new(&header);
            let (Ok(length), Ok(command)) = (reader.word(), reader.word()) else {
                return Err(ClientError::Protocol("no header"));
            };
            let message =
                Message::from_number(command).ok_or(ClientError::Protocol("unknown message"))?;
            log::trace!("client {}: {message:?}, length {length}", self.number);
            self.activity().set_holds(Holds::Much);
            self.activity().turn.begin();
            self.shared.work.begin(1);
            let done = self.message(message, length, link);
            match done.and_then(|()| self.shared.check(message.into())) {
                Err(ClientError::Gone) => return Ok(()),
                other => other?,
            }
            self.forget();
            self.activity().set_holds(self.holds());
        }
        Ok(())
    }

    fn message(
        &mut self,
        message: Message,
        length: u32,
        link: &mut dyn Link,
    ) -> Result<(), ClientError> {
        match message {
            Message::CreateRenderer => {
                let limit = MAX_NAME_BYTES.into();
                ClientError::at_most("bytes of a name", length.into(), limit)?;
                self.receive(link, length as usize)?;
                let name = self.payload.split(|byte| *byte == 0).next().unwrap_or(&[]);
                // The client may be a stranger: escape sequences are printed as text.
                let name = name.get(..SHOWN_NAME).unwrap_or(name);
                log::info!("client {} is {:?}", self.number, String::from_utf8_lossy(name));
                Ok(())
            }
            Message::PingProtocolVersion => reply(link, &[0, 10]),
            Message::ProtocolVersion => {
                let [newest] = words(link)?;
                // Mesa's client and server have both dropped version 1.
                let chosen = match newest.min(self.service.version) {
                    1 => 0,
                    version => version,
                };
                reply(link, &[1, 11, chosen])
            }
            Message::GetCaps => {
                reply(link, &[V1_BYTES as u32 + 1, 1])?;
                Ok(link.send(&crate::caps::v1(&self.service.caps))?)
            }
            Message::GetCaps2 => {
                reply(link, &[V2_BYTES as u32 + 1, 2])?;
                Ok(link.send(&self.service.caps)?)
            }
            Message::ResourceBusyWait => {
                let [_handle, _flags] = words(link)?;
                // Everything before this message is done.
                reply(link, &[1, 7, 0])
            }
            Message::ResourceCreate => {
                let words: [u32; 10] = words(link)?;
                self.create(&words.into(), 0)?;
                Ok(())
            }
            Message::ResourceCreate2 => {
                let [create @ .., size]: [u32; 11] = words(link)?;
                let create = CreateWords::from(create);
                let made = self.create(&create, size)?;
                match made.as_ref().and_then(|resource| resource.memory().ok()) {
                    Some(memory) => Ok(link.send_file(memory.as_fd())?),
                    // The byte without a file informs the client that the resource does not exist.
                    None if size > 0 => Ok(link.send(&[0])?),
                    None => Ok(()),
                }
            }
            Message::ResourceUnref => {
                let [name] = words(link)?;
                self.shared.resources.remove(name);
                Ok(())
            }
            Message::SubmitCmd => self.submit(length, link),
            Message::TransferGet => self.get(link),
            Message::TransferPut => self.put(link),
            Message::TransferGet2 | Message::TransferPut2 => {
                let [name, level, x, y, z, w, h, d, _size, offset] = words(link)?;
                let region = region([x, y, z, w, h, d]);
                let place =
                    Place { level, region, stride: 0, layer_stride: 0, offset: offset.into() };
                self.transfer(name, &place, message == Message::TransferPut2)
            }
        }
    }

    /// Receives a payload of `size` bytes. Its memory grows as bytes arrive, to at most twice their
    /// number. So a client that only announces a large payload takes no memory from other clients.
    fn receive(&mut self, link: &mut dyn Link, size: usize) -> Result<(), ClientError> {
        let memory = self.shared.memory;
        let refused = |error: OutOfMemory| memory.refused("a message", error.requested);
        self.payload.clear();
        let missing = size.saturating_sub(self.payload.capacity());
        if memory.refuses(missing) {
            return Err(memory.refused("a message", missing));
        }
        while self.payload.len() < size {
            let start = self.payload.len();
            let end = size.min(start + start.clamp(FIRST_PIECE, PIECE));
            if end > self.payload.capacity() {
                let room = size.min(end.max(2 * start));
                self.payload.try_reserve_exact(room - start).map_err(refused)?;
            }
            self.payload.try_resize(end, 0).map_err(refused)?;
            link.receive(self.payload.get_mut(start..).unwrap_or_default())?;
        }
        // The time that the bytes took to arrive does not count as time of the command.
        self.shared.work.begin(1);
        Ok(())
    }

    /// Frees the memory of large messages.
    fn forget(&mut self) {
        for bytes in [&mut self.payload, &mut self.shared.scratch] {
            if bytes.capacity() > PIECE {
                *bytes = os_shim::Vec::new_in(bytes.memory());
            }
        }
    }

    /// Creates a resource. Returns `None` if the resource cannot be created.
    fn create(
        &mut self,
        words: &CreateWords,
        shared_bytes: u32,
    ) -> Result<Option<Rc<Resource<'s>>>, ClientError> {
        self.shared.resources.check(words.handle)?;
        let Shared { memory, files, resources, .. } = &self.shared;
        let count = resources.len() as u64 + 1;
        let made = ClientError::at_most("resources", count, MAX_RESOURCES as u64)
            .and_then(|()| Resource::new(self.device, words, shared_bytes, memory, files));
        match made {
            Ok((resource, refusal)) => {
                if let Some(why) = refusal {
                    self.shared.refused("a resource", &why);
                }
                Ok(Some(self.shared.resources.insert(words.handle, resource)))
            }
            Err(why) => {
                self.shared.notes.refused("ResourceCreate", &why);
                Ok(None)
            }
        }
    }

    fn submit(&mut self, length: u32, link: &mut dyn Link) -> Result<(), ClientError> {
        let limit = MAX_SUBMIT_WORDS.into();
        ClientError::at_most("words of a command stream", length.into(), limit)?;
        self.receive(link, length as usize * 4)?;
        let stats = &self.service.stats;
        let _turn = TakenTurn::new(self.activity());
        let work = self.contexts.run(&self.payload, &mut self.shared)?;
        Stats::add(&stats.draws, work.draws);
        if work.draws > 0 {
            Stats::add(&stats.frames, 1);
            if let Some(frames) = &self.service.frames {
                self.dump(frames);
            }
        }
        Ok(())
    }

    /// Writes the colour buffer of the stream to a file.
    fn dump(&mut self, frames: &FrameDump) {
        let Ok(context) = self.contexts.current() else { return };
        let Some((resource, level)) = context.color_buffer() else { return };
        let memory = &self.shared.memory;
        let written = frames.write(self.number, memory, context.driver(), &resource, level);
        self.shared.notes.done("a dump of a frame", written);
    }

    fn transfer(&mut self, name: u32, place: &Place, put: bool) -> Result<(), ClientError> {
        let Shared { resources, scratch, memory, .. } = &mut self.shared;
        let budget = memory.budget();
        let resource = resources.get(name).ok_or(ClientError::NoResource(name))?;
        let _turn = TakenTurn::new(memory.activity());
        let done = self.contexts.current().and_then(|context| match put {
            true => transfer::upload(context.driver(), resource, resource, place, scratch, budget),
            false => transfer::download(context.driver(), resource, place, budget),
        });
        self.shared.done("a transfer", done);
        Ok(())
    }

    /// Sends texels inline to the client: exactly as many bytes as it asks for, even after an
    /// error.
    fn get(&mut self, link: &mut dyn Link) -> Result<(), ClientError> {
        let (name, place, size) = inline_place(link)?;
        let budget = self.shared.memory.budget();
        let resource = self.shared.resources.get(name).ok_or(ClientError::NoResource(name))?;
        let _turn = TakenTurn::new(self.shared.memory.activity());
        let mut answer = Answer::new(link, self.shared.memory.activity(), size as usize);
        let done = self.contexts.current().and_then(|context| {
            transfer::read(context.driver(), resource, &place, |offset, bytes| {
                answer.put(offset, bytes);
                transfer::check(budget)
            })
        });
        let sent = answer.finish();
        self.shared.done("a transfer", done);
        Ok(sent?)
    }

    /// Receives texels inline from the client.
    fn put(&mut self, link: &mut dyn Link) -> Result<(), ClientError> {
        let (name, place, size) = inline_place(link)?;
        self.receive(link, size as usize)?;
        let resource = self.shared.resources.get(name).ok_or(ClientError::NoResource(name))?;
        let payload = &self.payload;
        let _turn = TakenTurn::new(self.shared.memory.activity());
        let done = self.contexts.current().and_then(|context| {
            let rows = Rows::of(resource, &place)?;
            transfer::write(context.driver(), resource, &place, &rows, payload)
        });
        self.shared.done("a transfer", done);
        Ok(())
    }
}

/// A client's turn at the driver. Dropping the value ends the turn.
struct TakenTurn(&'static Activity);

impl TakenTurn {
    /// Waits for the turn.
    fn new(activity: &'static Activity) -> Self {
        activity.turn.take();
        TakenTurn(activity)
    }
}

impl Drop for TakenTurn {
    fn drop(&mut self) {
        self.0.turn.leave();
    }
}

/// An answer of known size, sent as its bytes arrive. Gaps are filled with zeros.
struct Answer<'l> {
    link: &'l mut dyn Link,
    /// The state of the client. The client may read slowly.
    activity: &'static Activity,
    size: usize,
    /// Bytes of the answer before the bytes in `buffer`.
    sent: usize,
    /// Bytes to send together.
    buffer: Vec<u8>,
    result: std::io::Result<()>,
}

impl<'l> Answer<'l> {
    /// Bytes that are sent together.
    const BUFFER: usize = 1 << 16;

    fn new(link: &'l mut dyn Link, activity: &'static Activity, size: usize) -> Self {
        let buffer = Vec::with_capacity(size.min(Self::BUFFER));
        Answer { link, activity, size, sent: 0, buffer, result: Ok(()) }
    }

    /// Adds bytes at `offset`, which never decreases between calls. Bytes beyond the answer's end
    /// are dropped.
    fn put(&mut self, offset: usize, bytes: &[u8]) {
        self.fill(offset.min(self.size));
        let room = self.size - self.position();
        let mut rest = bytes.get(..room).unwrap_or(bytes);
        while !rest.is_empty() && self.result.is_ok() {
            let (now, later) = rest.split_at(rest.len().min(Self::BUFFER - self.buffer.len()));
            self.buffer.extend_from_slice(now);
            rest = later;
            self.send_full();
        }
    }

    /// Adds zeros up to `position`.
    fn fill(&mut self, position: usize) {
        while self.position() < position && self.result.is_ok() {
            let zeros = (position - self.position()).min(Self::BUFFER - self.buffer.len());
            self.buffer.resize(self.buffer.len() + zeros, 0);
            self.send_full();
        }
    }

    fn position(&self) -> usize {
        self.sent + self.buffer.len()
    }

    fn send_full(&mut self) {
        if self.buffer.len() >= Self::BUFFER {
            self.send();
        }
    }

    fn send(&mut self) {
        if self.result.is_ok() {
            self.result = self.activity.turn.outside(|| self.link.send(&self.buffer));
        }
        self.sent += self.buffer.len();
        self.buffer.clear();
    }

    /// Sends the rest.
    fn finish(mut self) -> std::io::Result<()> {
        self.fill(self.size);
        self.send();
        self.result
    }
}

/// The eleven words of an inline transfer: resource, place, size in bytes.
fn inline_place(link: &mut dyn Link) -> Result<(u32, Place, u32), ClientError> {
    let [name, level, stride, layer_stride, x, y, z, w, h, d, size] = words(link)?;
    let limit = MAX_INLINE_BYTES.into();
    ClientError::at_most("bytes of a transfer", size.into(), limit)?;
    let region = region([x, y, z, w, h, d]);
    Ok((name, Place { level, region, stride, layer_stride, offset: 0 }, size))
}

/// Receives `N` words.
fn words<const N: usize>(link: &mut dyn Link) -> Result<[u32; N], ClientError> {
    let mut words = [[0; 4]; N];
    link.receive(words.as_flattened_mut())?;
    Ok(words.map(u32::from_le_bytes))
}

/// Sends words.
fn reply(link: &mut dyn Link, words: &[u32]) -> Result<(), ClientError> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    Ok(link.send(&bytes)?)
}
