//! A client's resources: the driver's, and the memory shared with the client.

use std::rc::Rc;
use std::sync::Arc;

use formats::Format;
use os_shim::memory::Reservation;
use pipe_core::layout::{Layout, LevelLayout};
use pipe_core::{Bind, PipeError, ResourceHandle, ResourceTemplate, Screen, TextureTarget};
use rustc_hash::FxHashMap;

use crate::error::ClientError;
use crate::files::{ClientFiles, OpenFile};
use crate::memory::ClientMemory;
use crate::shared_memory::SharedMemory;

/// A client's screen.
pub type Device<'s> = &'s (dyn Screen<'static> + 's);

/// Resources that one client may have at a time.
pub const MAX_RESOURCES: usize = 1 << 16;

/// The ten words that both versions of a create message begin with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CreateWords {
    /// The client's name for it.
    pub handle: u32,
    /// `TextureTarget`'s number.
    pub target: u32,
    /// `Format`'s number.
    pub format: u32,
    /// `Bind`'s bits.
    pub bind: u32,
    /// Width, height, depth of level 0.
    pub size: [u32; 3],
    /// Layers; 0 is 1.
    pub array_size: u32,
    /// The last level.
    pub last_level: u32,
    /// Samples of a pixel.
    pub nr_samples: u32,
}

impl From<[u32; 10]> for CreateWords {
    fn from(words: [u32; 10]) -> Self {
        let [
            handle,
            target,
            format,
            bind,
            width,
            height,
            depth,
            array_size,
            last_level,
            nr_samples,
        ] = words;
        let size = [width, height, depth];
        Self { handle, target, format, bind, size, array_size, last_level, nr_samples }
    }
}

/// Returns all bind flags that the device supports for this template. A client's bind flags are
/// only a hint: the client uses the resource in other ways, too.
fn generous_bind(device: Device<'_>, template: &ResourceTemplate) -> Bind {
    let uses: &[Bind] = if template.is_buffer() {
        &[
            Bind::VERTEX_BUFFER,
            Bind::INDEX_BUFFER,
            Bind::CONSTANT_BUFFER,
            Bind::SAMPLER_VIEW,
            Bind::STREAM_OUTPUT,
            Bind::COMMAND_ARGS_BUFFER,
            Bind::SHADER_BUFFER,
            Bind::QUERY_BUFFER,
            Bind::SHADER_IMAGE,
        ]
    } else {
        &[Bind::SAMPLER_VIEW, Bind::RENDER_TARGET, Bind::DEPTH_STENCIL, Bind::SHADER_IMAGE]
    };
    let samples = template.nr_samples;
    let usable = |bind: Bind| {
        device.is_format_supported(template.format, template.target, samples, samples, bind)
    };
    uses.iter().copied().filter(|bind| usable(*bind)).collect()
}

/// Returns the template for a create message.
///
/// # Errors
/// No such target or format.
pub fn template(device: Device<'_>, words: &CreateWords) -> Result<ResourceTemplate, PipeError> {
    let target = TextureTarget::from_number(words.target)
        .ok_or(PipeError::Invalid("unknown texture target"))?;
    let format = u16::try_from(words.format).ok().and_then(Format::from_number);
    let [width0, height0, depth0] = words.size;
    let mut template = ResourceTemplate {
        target,
        format: format.unwrap_or(Format::None),
        width0,
        height0: if target.is_1d() { 1 } else { height0 },
        depth0: if target == TextureTarget::Texture3D { depth0.max(1) } else { 1 },
        array_size: match target {
            TextureTarget::Cube => 6,
            target if target.is_layered() => words.array_size.max(1),
            _ => 1,
        },
        last_level: words.last_level,
        nr_samples: u8::try_from(words.nr_samples).unwrap_or(u8::MAX),
        ..ResourceTemplate::default()
    };
    if target == TextureTarget::Buffer {
        // The format of a buffer is nominal.
        template.format = Format::R8Unorm;
    }
    if template.format == Format::None {
        return Err(PipeError::Invalid("unknown format"));
    }
    if template.nr_samples <= 1 {
        template.nr_samples = 0;
    }
    template.bind = generous_bind(device, &template);
    Ok(template)
}

/// Bytes that a resource takes in addition to its texels: table entries, names, the file.
const RESOURCE_BYTES: usize = 512;

/// The driver's side of a resource.
#[derive(Debug)]
struct Stored {
    handle: ResourceHandle,
    template: ResourceTemplate,
    layout: Layout,
}

/// A resource. The client's table and bindings hold references to it.
pub struct Resource<'s> {
    device: Device<'s>,
    /// `None` if the driver refused the resource. Commands that use it are skipped, and the client
    /// stays connected.
    stored: Option<Stored>,
    memory: Option<(SharedMemory, OpenFile)>,
    /// Shared memory and table entries; the driver allocates the texels itself.
    _reserved: Reservation<'static>,
}

impl std::fmt::Debug for Resource<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Resource").field("stored", &self.stored).finish_non_exhaustive()
    }
}

impl<'s> Resource<'s> {
    /// Makes a resource with `shared_bytes` of memory shared with the client (0: none). If the
    /// driver cannot make a resource without shared memory, the second result is the reason, and
    /// the resource is an empty shell, because the client does not wait for an answer.
    ///
    /// # Errors
    /// The client's memory or open files are used up; the driver cannot make a resource with shared
    /// memory.
    pub fn new(
        device: Device<'s>,
        words: &CreateWords,
        shared_bytes: u32,
        client: &ClientMemory,
        files: &Arc<ClientFiles>,
    ) -> Result<(Self, Option<PipeError>), ClientError> {
        let planned = template(device, words).and_then(|template| {
            template.validate()?;
            Ok((template, Layout::of(&template)?))
        });
        // Texels count once, although both sides may hold them. The driver counts its own
        // allocation. The pages of the file exist once the client writes to them.
        let texels = planned.as_ref().map_or(0, |(_, layout)| layout.total());
        let bytes = RESOURCE_BYTES + (shared_bytes as usize).saturating_sub(texels);
        let reserved = client.reserve("a resource", bytes)?;
        let mut resource = Resource { device, stored: None, memory: None, _reserved: reserved };
        let created = planned.and_then(|(template, layout)| {
            let handle = device.resource_create(&template)?;
            Ok(Stored { handle, template, layout })
        });
        let refusal = match created {
            Ok(stored) => {
                resource.stored = Some(stored);
                None
            }
            // With shared memory, the client waits for a file, and the missing file reports the
            // error. Without shared memory, the client waits for no answer.
            Err(PipeError::OutOfMemory { requested }) if shared_bytes > 0 => {
                return Err(client.refused("a resource", requested));
            }
            Err(refusal) if shared_bytes > 0 => return Err(refusal.into()),
            Err(refusal) => Some(refusal),
        };
        // All bytes of the resource are counted here.
        if shared_bytes > 0 {
            let file = files.take()?;
            resource.memory = Some((SharedMemory::new(shared_bytes)?, file));
        }
        Ok((resource, refusal))
    }

    fn stored(&self) -> Result<&Stored, PipeError> {
        self.stored
            .as_ref()
            .ok_or(PipeError::Invalid("the resource was refused when it was created"))
    }

    /// The driver's name for it.
    ///
    /// # Errors
    /// The driver refused it.
    pub fn handle(&self) -> Result<ResourceHandle, PipeError> {
        Ok(self.stored()?.handle)
    }

    /// Returns the template it was made from.
    ///
    /// # Errors
    /// The driver refused it.
    pub fn template(&self) -> Result<&ResourceTemplate, PipeError> {
        Ok(&self.stored()?.template)
    }

    /// Returns the layout of its texels, the same in the client's memory and in the driver's.
    ///
    /// # Errors
    /// The driver refused it.
    pub fn layout(&self) -> Result<&Layout, PipeError> {
        Ok(&self.stored()?.layout)
    }

    /// One level of its layout.
    ///
    /// # Errors
    /// The driver refused it, or there is no such level.
    pub fn level(&self, level: u32) -> Result<&LevelLayout, PipeError> {
        let limit = u64::from(self.template()?.last_level);
        let outside = PipeError::OutOfRange { what: "the level", value: level.into(), limit };
        self.layout()?.level(level).ok_or(outside)
    }

    /// The memory shared with the client.
    ///
    /// # Errors
    /// It has none.
    pub fn memory(&self) -> Result<&SharedMemory, PipeError> {
        let memory = self.memory.as_ref().map(|(memory, _)| memory);
        memory.ok_or(PipeError::Invalid("the resource has no shared memory"))
    }
}

impl Drop for Resource<'_> {
    fn drop(&mut self) {
        if let Some(stored) = &self.stored {
            // Views and surfaces of it keep its contents; its name was ours alone.
            let _ = self.device.resource_destroy(stored.handle);
        }
    }
}

/// A client's resources by its names for them.
#[derive(Debug, Default)]
pub struct Resources<'s>(FxHashMap<u32, Rc<Resource<'s>>>);

impl<'s> Resources<'s> {
    /// Returns the number of resources.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Checks that a resource may be called `name`.
    ///
    /// # Errors
    /// The name is 0 or in use.
    pub fn check(&self, name: u32) -> Result<(), ClientError> {
        match name == 0 || self.0.contains_key(&name) {
            true => Err(ClientError::Protocol("the resource's name is 0 or in use")),
            false => Ok(()),
        }
    }

    /// Adds a resource.
    pub fn insert(&mut self, name: u32, resource: Resource<'s>) -> Rc<Resource<'s>> {
        let resource = Rc::new(resource);
        self.0.insert(name, Rc::clone(&resource));
        resource
    }

    /// Removes a name; bindings of the resource stay.
    pub fn remove(&mut self, name: u32) {
        self.0.remove(&name);
    }

    /// The resource called `name`.
    pub fn get(&self, name: u32) -> Option<&Rc<Resource<'s>>> {
        self.0.get(&name)
    }

    /// The resource called `name`, in a command.
    ///
    /// # Errors
    /// There is none.
    pub fn find(&self, name: u32) -> Result<&Rc<Resource<'s>>, PipeError> {
        self.get(name).ok_or(PipeError::Invalid("no resource has this name"))
    }
}
