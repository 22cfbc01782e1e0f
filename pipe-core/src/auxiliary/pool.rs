//! Reuse of freed resources (the manual's "Pipe buffer managers").

use os_shim::{Memory, Vec};

use crate::error::PipeError;
use crate::handle::{FenceHandle, ResourceHandle};
use crate::layout::Layout;
use crate::resource::ResourceTemplate;
use crate::screen::Screen;

/// The smallest buffer that a pool makes, in bytes.
const SMALLEST: u32 = 64;

/// Keeps resources that you release, and hands them out again. `pb_cache`.
///
/// The pool rounds a buffer's size up to a power of two, so a buffer serves requests of many sizes.
/// A texture serves requests with an equal template. A resource from the pool has old contents,
/// while a new resource has zeros.
///
/// ```
/// use gallium_pipe_core::auxiliary::ResourcePool;
/// use gallium_pipe_core::wrap::NullScreen;
/// use gallium_pipe_core::{Bind, ResourceTemplate};
/// # use os_shim::Memory;
/// let memory = Memory::system();
/// let screen = NullScreen::new(memory);
/// let mut pool = ResourcePool::new(1 << 20, memory);
/// for frame in 0..100 {
///     let template = ResourceTemplate::buffer(1000 + frame % 20, Bind::VERTEX_BUFFER);
///     let vertices = pool.acquire(&screen, &template)?;
///     // write, draw, flush …
///     pool.release(&screen, vertices, None)?;
/// }
/// assert_eq!(screen.resource_count(), 1);
/// pool.clear(&screen)?;
/// # Ok::<(), gallium_pipe_core::PipeError>(())
/// ```
#[derive(Debug)]
pub struct ResourcePool<'p> {
    /// The waiting resources, oldest first.
    waiting: Vec<'p, Waiting>,
    /// The bytes of all waiting resources, and their limit.
    bytes: usize,
    most_bytes: usize,
}

/// A resource that waits for its next use.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    resource: ResourceHandle,
    template: ResourceTemplate,
    bytes: usize,
    /// The fence of its last use; `None` if it is free.
    fence: Option<FenceHandle>,
}

impl<'p> ResourcePool<'p> {
    /// Returns an empty pool that keeps at most `most_bytes` bytes of resources. Its list is in
    /// `memory`.
    pub const fn new(most_bytes: usize, memory: Memory<'p>) -> Self {
        Self { waiting: Vec::new_in(memory), bytes: 0, most_bytes }
    }

    /// Returns the number of bytes of the waiting resources.
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns a resource for `template`: the oldest released one that fits and is not in use,
    /// otherwise a new one. A buffer may be larger than requested.
    ///
    /// # Errors
    /// As for [`Screen::resource_create`]. If the fence of a released resource cannot be read or
    /// destroyed, the resource stays in the pool.
    pub fn acquire<'m>(
        &mut self,
        screen: &dyn Screen<'m>,
        template: &ResourceTemplate,
    ) -> Result<ResourceHandle, PipeError> {
        let template = class(template);
        for at in 0..self.waiting.len() {
            let Some(&Waiting { resource, template: known, bytes, fence }) = self.waiting.get(at)
            else {
                break;
            };
            if known != template || !is_over(screen, fence)? {
                continue;
            }
            if let Some(fence) = fence {
                screen.fence_destroy(fence)?;
            }
            self.waiting.remove(at);
            self.bytes = self.bytes.saturating_sub(bytes);
            return Ok(resource);
        }
        screen.resource_create(&template)
    }

    /// Takes a resource that you no longer use, and the fence of its last use. The pool destroys
    /// both later. If the pool has too many bytes, it destroys the oldest resources.
    ///
    /// # Errors
    /// The resource's handle is stale, or the driver fails.
    pub fn release<'m>(
        &mut self,
        screen: &dyn Screen<'m>,
        resource: ResourceHandle,
        fence: Option<FenceHandle>,
    ) -> Result<(), PipeError> {
        let template = screen.resource_template(resource)?;
        let bytes = Layout::of(&template).map_or(usize::MAX, |layout| layout.total());
        let waiting = Waiting { resource, template, bytes, fence };
        if bytes > self.most_bytes || self.waiting.try_push(waiting).is_err() {
            return end(screen, &waiting);
        }
        self.bytes = self.bytes.saturating_add(bytes);
        self.trim(screen, self.most_bytes)
    }

    /// Destroys the oldest resources until at most `most_bytes` bytes wait.
    ///
    /// # Errors
    /// The driver's error.
    pub fn trim<'m>(
        &mut self,
        screen: &dyn Screen<'m>,
        most_bytes: usize,
    ) -> Result<(), PipeError> {
        while self.bytes > most_bytes && !self.waiting.is_empty() {
            let oldest = self.waiting.remove(0);
            self.bytes = self.bytes.saturating_sub(oldest.bytes);
            end(screen, &oldest)?;
        }
        Ok(())
    }

    /// Destroys all waiting resources.
    ///
    /// # Errors
    /// The driver's error.
    pub fn clear<'m>(&mut self, screen: &dyn Screen<'m>) -> Result<(), PipeError> {
        while let Some(waiting) = self.waiting.pop() {
            self.bytes = self.bytes.saturating_sub(waiting.bytes);
            end(screen, &waiting)?;
        }
        Ok(())
    }
}

/// Returns the template of the resources that serve `template`: rounds a buffer's size up to a
/// power of two.
fn class(template: &ResourceTemplate) -> ResourceTemplate {
    if !template.is_buffer() {
        return *template;
    }
    let size = template.width0.max(SMALLEST);
    ResourceTemplate { width0: size.checked_next_power_of_two().unwrap_or(size), ..*template }
}

/// Returns true if a fence is signalled, or there is none.
fn is_over<'m>(screen: &dyn Screen<'m>, fence: Option<FenceHandle>) -> Result<bool, PipeError> {
    fence.map_or(Ok(true), |fence| screen.fence_finish(None, fence, 0))
}

/// Destroys a resource and its fence.
fn end<'m>(screen: &dyn Screen<'m>, waiting: &Waiting) -> Result<(), PipeError> {
    let fence = waiting.fence.map_or(Ok(()), |fence| screen.fence_destroy(fence));
    screen.resource_destroy(waiting.resource)?;
    fence
}

#[cfg(test)]
mod tests {
    use formats::Format;

    use super::*;
    use crate::context::Context;
    use crate::flags::{ContextFlags, FlushFlags};
    use crate::resource::{Bind, TextureTarget};
    use crate::wrap::NullScreen;
    use os_shim::Box;

    /// A screen with fences that are signalled and cannot be destroyed.
    struct Fences(NullScreen<'static>);

    impl Screen<'static> for Fences {
        fn get_name(&self) -> &str {
            self.0.get_name()
        }

        fn is_format_supported(
            &self,
            format: Format,
            target: TextureTarget,
            sample_count: u8,
            storage_sample_count: u8,
            bind: Bind,
        ) -> bool {
            self.0.is_format_supported(format, target, sample_count, storage_sample_count, bind)
        }

        fn resource_create(
            &self,
            template: &ResourceTemplate,
        ) -> Result<ResourceHandle, PipeError> {
            self.0.resource_create(template)
        }

        fn resource_destroy(&self, resource: ResourceHandle) -> Result<(), PipeError> {
            self.0.resource_destroy(resource)
        }

        fn resource_template(
            &self,
            resource: ResourceHandle,
        ) -> Result<ResourceTemplate, PipeError> {
            self.0.resource_template(resource)
        }

        fn fence_finish(
            &self,
            context: Option<&mut dyn Context<'static>>,
            fence: FenceHandle,
            timeout_ns: u64,
        ) -> Result<bool, PipeError> {
            self.0.fence_finish(context, fence, timeout_ns)
        }

        fn context_create<'s>(
            &'s self,
            flags: ContextFlags,
        ) -> Result<Box<'s, dyn Context<'static> + 's>, PipeError>
        where
            'static: 's,
        {
            self.0.context_create(flags)
        }
    }

    #[test]
    fn a_fence_that_stays_keeps_its_resource_in_the_pool() {
        let memory = Memory::system();
        let screen = Fences(NullScreen::new(memory));
        let fence = {
            let mut context = screen.context_create(ContextFlags::empty()).expect("room");
            context.flush(FlushFlags::empty()).expect("works").expect("every flush has a fence")
        };
        let mut pool = ResourcePool::new(4096, memory);
        let template = ResourceTemplate::buffer(1024, Bind::VERTEX_BUFFER);
        let first = pool.acquire(&screen, &template).expect("room");
        pool.release(&screen, first, Some(fence)).expect("alive");
        assert_eq!(pool.acquire(&screen, &template), Err(PipeError::stale(fence)));
        assert_eq!(pool.bytes(), 1024);
        // The screen itself can destroy the fence.
        assert_eq!(pool.acquire(&screen.0, &template), Ok(first));
        assert_eq!((pool.bytes(), screen.0.resource_count()), (0, 1));
    }

    #[test]
    fn freed_resources_serve_again() {
        let memory = Memory::system();
        let screen = NullScreen::new(memory);
        let mut pool = ResourcePool::new(4096, memory);
        let buffer = |size| ResourceTemplate::buffer(size, Bind::VERTEX_BUFFER);
        let first = pool.acquire(&screen, &buffer(1000)).expect("room");
        assert_eq!(screen.resource_template(first).expect("alive").width0, 1024);
        let second = pool.acquire(&screen, &buffer(1000)).expect("room");
        assert_ne!(first, second, "the first is in use");
        pool.release(&screen, first, None).expect("alive");
        pool.release(&screen, second, None).expect("alive");
        assert_eq!(pool.bytes(), 2048);
        // Another size of the class gets the oldest resource; other classes and bindings get other
        // resources.
        assert_eq!(pool.acquire(&screen, &buffer(513)), Ok(first));
        let small = pool.acquire(&screen, &buffer(512)).expect("room");
        let index = ResourceTemplate::buffer(1000, Bind::INDEX_BUFFER);
        let other = pool.acquire(&screen, &index).expect("room");
        assert!(![first, second].contains(&small) && other != second);
        assert_eq!(screen.resource_count(), 4);
        for resource in [first, small, other] {
            pool.release(&screen, resource, None).expect("alive");
        }
        pool.clear(&screen).expect("alive");
        assert_eq!((pool.bytes(), screen.resource_count()), (0, 0));
    }

    #[test]
    fn the_oldest_go_beyond_the_bound() {
        let memory = Memory::system();
        let screen = NullScreen::new(memory);
        let mut pool = ResourcePool::new(100, memory);
        let texture =
            |size| ResourceTemplate::texture_2d(Format::L8Unorm, size, 4, Bind::SAMPLER_VIEW);
        let made = [8, 9, 10].map(|size| pool.acquire(&screen, &texture(size)).expect("room"));
        for resource in made {
            pool.release(&screen, resource, None).expect("alive");
        }
        // 32, 36 and 40 bytes: the first resource was destroyed.
        assert_eq!((pool.bytes(), screen.resource_count()), (76, 2));
        assert_eq!(pool.acquire(&screen, &texture(10)), Ok(made[2]));
        assert_ne!(pool.acquire(&screen, &texture(8)), Ok(made[0]));
        // A stale handle is an error; a resource too large for the pool is destroyed at once.
        assert!(pool.release(&screen, made[0], None).is_err());
        let large = pool.acquire(&screen, &texture(26)).expect("room");
        pool.release(&screen, large, None).expect("alive");
        assert!(screen.resource_template(large).is_err());
    }
}
