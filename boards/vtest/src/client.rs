//! One client: its messages, one after the other, each done before the next is read.

use std::io::{Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::rc::Rc;

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

use crate::caps::{V1_BYTES, V2_BYTES};
use crate::context::Shared;
use crate::error::ClientError;
use crate::frames::FrameDump;
use crate::notes::Notes;
use crate::reader::Reader;
use crate::resource::{Budget, CreateWords, Device, Resource, Resources};
use crate::stats::Stats;
use crate::submit::Contexts;
use crate::transfer::{self, Place, Rows, region};
use crate::wire::{HEADER_BYTES, MAX_NAME_BYTES, MAX_SUBMIT_WORDS, Message, VERSION};

/// Bytes that one inline transfer may have.
const MAX_INLINE_BYTES: u32 = 1 << 29;

/// The way to a client and back.
pub trait Link {
    /// Fills `bytes`.
    ///
    /// # Errors
    /// The other end is gone.
    fn receive(&mut self, bytes: &mut [u8]) -> std::io::Result<()>;

    /// Sends all of `bytes`.
    ///
    /// # Errors
    /// The other end is gone.
    fn send(&mut self, bytes: &[u8]) -> std::io::Result<()>;

    /// Sends a file, with one byte of value 0.
    ///
    /// # Errors
    /// The other end is gone, or files cannot be sent.
    fn send_file(&mut self, file: BorrowedFd<'_>) -> std::io::Result<()>;
}

/// A client's socket.
#[derive(Debug)]
pub struct Socket<'s> {
    stream: &'s UnixStream,
    /// Clients write headers and payloads separately; they are read together.
    reader: std::io::BufReader<&'s UnixStream>,
}

impl<'s> Socket<'s> {
    /// Speaks over a connected socket.
    pub fn new(stream: &'s UnixStream) -> Self {
        Socket { stream, reader: std::io::BufReader::with_capacity(1 << 16, stream) }
    }
}

impl Link for Socket<'_> {
    fn receive(&mut self, bytes: &mut [u8]) -> std::io::Result<()> {
        self.reader.read_exact(bytes)
    }

    fn send(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.stream.write_all(bytes)
    }

    fn send_file(&mut self, file: BorrowedFd<'_>) -> std::io::Result<()> {
        let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        let files = [file];
        if !control.push(SendAncillaryMessage::ScmRights(&files)) {
            return Err(std::io::Error::other("no room for a file in a message"));
        }
        let data = [std::io::IoSlice::new(&[0])];
        sendmsg(self.stream.as_fd(), &data, &mut control, SendFlags::NOSIGNAL)?;
        Ok(())
    }
}

/// The state that all clients share.
pub struct Service<'s> {
    /// The screen they share.
    pub device: Device<'s>,
    /// The capabilities announced to clients.
    pub caps: [u8; V2_BYTES],
    /// Bytes of resources each of them may have.
    pub memory_limit: u64,
    /// Vertices that one draw of theirs may have: draws are not interrupted.
    pub draw_limit: u64,
    /// The newest protocol version they are offered.
    pub version: u32,
    /// The writer of their frames, if frames are dumped.
    pub frames: Option<FrameDump>,
    /// Totals of their work.
    pub stats: Stats,
}

impl<'s> Service<'s> {
    /// A service with the limits that suit a desktop.
    pub fn new(device: Device<'s>, gl: crate::caps::GlVersion) -> Self {
        Service {
            device,
            caps: crate::caps::v2(device, gl),
            memory_limit: 1 << 31,
            draw_limit: 1 << 26,
            version: VERSION,
            frames: None,
            stats: Stats::default(),
        }
    }
}

/// One client's connection.
pub struct Client<'s> {
    service: &'s Service<'s>,
    number: u64,
    contexts: Contexts<'s>,
    shared: Shared<'s>,
    budget: Rc<Budget>,
    /// A message's payload.
    payload: Vec<u8>,
}

impl<'s> Client<'s> {
    /// A client that has said nothing yet.
    pub fn new(service: &'s Service<'s>, number: u64) -> Self {
        Client {
            service,
            number,
            contexts: Contexts::new(service.device),
            shared: Shared {
                resources: Resources::default(),
                notes: Notes::new(number),
                scratch: Vec::new(),
                draw_limit: service.draw_limit,
            },
            budget: Budget::new(service.memory_limit),
            payload: Vec::new(),
        }
    }

    /// Returns the number of kinds of refusals.
    pub fn refusals(&self) -> usize {
        self.shared.notes.kinds()
    }

    /// Bytes its resources take.
    pub fn bytes(&self) -> u64 {
        self.budget.used()
    }

    /// Serves the client until it goes.
    ///
    /// # Errors
    /// See [`ClientError`]; the connection is of no more use.
    pub fn serve(&mut self, link: &mut dyn Link) -> Result<(), ClientError> {
        loop {
            let mut header = [0; HEADER_BYTES];
            match link.receive(&mut header) {
                Err(error) if ClientError::is_hangup(&error) => return Ok(()),
                other => other?,
            }
            let mut reader = Reader::new(&header);
            let (Ok(length), Ok(command)) = (reader.word(), reader.word()) else {
                return Err(ClientError::Protocol("no header"));
            };
            let message =
                Message::from_number(command).ok_or(ClientError::Protocol("unknown message"))?;
            log::trace!("client {}: {message:?}, length {length}", self.number);
            self.message(message, length, link)?;
        }
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
                log::info!("client {} is {}", self.number, String::from_utf8_lossy(name));
                Ok(())
            }
            Message::PingProtocolVersion => reply(link, &[0, 10]),
            Message::ProtocolVersion => {
                let [newest] = words(link)?;
                // Version 1 was given up by both sides.
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
                self.create(&words.into(), 0).map(|_| ())
            }
            Message::ResourceCreate2 => {
                let [create @ .., size]: [u32; 11] = words(link)?;
                let mut create_words = [0; 10];
                create_words.copy_from_slice(&create);
                let create = CreateWords::from(create_words);
                self.create(&create, size)?;
                let made = self.shared.resources.get(create.handle);
                match made.and_then(|resource| resource.memory().ok()) {
                    Some(memory) => Ok(link.send_file(memory.as_fd())?),
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

    /// Receives a payload of `size` bytes, which is not believed before it is there.
    fn receive(&mut self, link: &mut dyn Link, size: usize) -> Result<(), ClientError> {
        const PIECE: usize = 1 << 20;
        self.payload.clear();
        while self.payload.len() < size {
            let start = self.payload.len();
            self.payload.resize(size.min(start + PIECE), 0);
            link.receive(&mut self.payload[start..])?;
        }
        Ok(())
    }

    fn create(&mut self, words: &CreateWords, shared_bytes: u32) -> Result<(), ClientError> {
        let (resource, refusal) =
            Resource::new(self.service.device, words, shared_bytes, &self.budget)?;
        if let Some(why) = refusal {
            self.shared.notes.refused("a resource", &why);
        }
        self.shared.resources.insert(words.handle, resource)
    }

    fn submit(&mut self, length: u32, link: &mut dyn Link) -> Result<(), ClientError> {
        let limit = MAX_SUBMIT_WORDS.into();
        ClientError::at_most("words of a command stream", length.into(), limit)?;
        self.receive(link, length as usize * 4)?;
        let stats = &self.service.stats;
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
        let written = frames.write(self.number, context.driver(), &resource, level);
        self.shared.notes.done("a dump of a frame", written);
    }

    fn transfer(&mut self, name: u32, place: &Place, put: bool) -> Result<(), ClientError> {
        let Shared { resources, notes, scratch, .. } = &mut self.shared;
        let resource = resources.get(name).ok_or(ClientError::NoResource(name))?;
        let driver = self.contexts.current()?.driver();
        let done = if put {
            transfer::upload(driver, resource, resource, place, scratch)
        } else {
            transfer::download(driver, resource, place)
        };
        notes.done("a transfer", done);
        Ok(())
    }

    /// Texels, inline, to the client: exactly as many bytes as it asks for, whatever happens.
    fn get(&mut self, link: &mut dyn Link) -> Result<(), ClientError> {
        let (name, place, size) = inline_place(link)?;
        let resource = self.shared.resources.get(name).ok_or(ClientError::NoResource(name))?;
        let resource = Rc::clone(resource);
        let driver = self.contexts.current()?.driver();
        self.payload.clear();
        self.payload.resize(size as usize, 0);
        let payload = &mut self.payload;
        let done = transfer::read(driver, &resource, &place, |offset, bytes| {
            // The last row is cut where the client's memory ends.
            let Some(to) = payload.get_mut(offset..) else { return };
            let count = bytes.len().min(to.len());
            to[..count].copy_from_slice(&bytes[..count]);
        });
        self.shared.notes.done("a transfer", done);
        Ok(link.send(&self.payload)?)
    }

    /// Texels, inline, from the client.
    fn put(&mut self, link: &mut dyn Link) -> Result<(), ClientError> {
        let (name, place, size) = inline_place(link)?;
        self.receive(link, size as usize)?;
        let resource = self.shared.resources.get(name).ok_or(ClientError::NoResource(name))?;
        let driver = self.contexts.current()?.driver();
        let payload = &self.payload;
        let done = Rows::of(resource, &place)
            .and_then(|rows| transfer::write(driver, resource, &place, &rows, payload));
        self.shared.notes.done("a transfer", done);
        Ok(())
    }
}

/// The eleven words of an inline transfer: resource, place, bytes.
fn inline_place(link: &mut dyn Link) -> Result<(u32, Place, u32), ClientError> {
    let [name, level, stride, layer_stride, x, y, z, w, h, d, size] = words(link)?;
    let limit = MAX_INLINE_BYTES.into();
    ClientError::at_most("bytes of a transfer", size.into(), limit)?;
    let region = region([x, y, z, w, h, d]);
    Ok((name, Place { level, region, stride, layer_stride, offset: 0 }, size))
}

/// Receives `N` words.
fn words<const N: usize>(link: &mut dyn Link) -> Result<[u32; N], ClientError> {
    let mut words = [0; N];
    for word in &mut words {
        let mut bytes = [0; 4];
        link.receive(&mut bytes)?;
        *word = u32::from_le_bytes(bytes);
    }
    Ok(words)
}

/// Sends words.
fn reply(link: &mut dyn Link, words: &[u32]) -> Result<(), ClientError> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    Ok(link.send(&bytes)?)
}
