//! The player: calls that need special treatment.

use os_shim::Vec;

use super::answer::{Answer, Verdict};
use super::calls::number;
use super::panel::Watched;
use super::picture::{Attachments, Rows, mapped};
use super::player::Mapped;
use super::values::Code;
use crate::context::{Context, PresentSource};
use crate::flags::FlushFlags;
use crate::handle::{ResourceHandle, SurfaceHandle, TransferHandle};
use crate::limits::MAX_SO_BUFFERS;
use crate::panel::TilePanel;
use crate::region::Region;
use crate::screen::Screen;
use crate::shader::{ComputeState, ShaderSource, ShaderState, ShaderType, StreamOutputInfo};
use crate::state::FramebufferState;
use crate::surface::SurfaceTemplate;
use crate::transfer::MapFlags;
use crate::wire::{Reader, TraceError, Wire};

/// The data for playing a call of a context.
pub(super) struct Special<'p, 'c, 'm> {
    pub(super) screen: &'c dyn Screen<'m>,
    pub(super) attachments: &'p mut Attachments<'c>,
    pub(super) mapped: &'p mut Vec<'c, Mapped>,
    pub(super) panel: &'p mut dyn TilePanel,
}

/// The most bytes of a tile: 512×512 pixels of 16 bytes.
const MAX_TILE_BYTES: usize = 1 << 22;

/// Returns the words of binary tokens.
fn words<'r>(code: &Code<'_>, input: &Reader<'_, 'r>) -> Result<Vec<'r, u32>, TraceError> {
    let mut words = Vec::new_in(input.memory);
    if let Code::Tokens(bytes) = code {
        for word in bytes.chunks(4) {
            let word = word.first_chunk().ok_or(TraceError::Value("token"))?;
            words.try_push(u32::from_le_bytes(*word)).map_err(|_| TraceError::OutOfMemory)?;
        }
    }
    Ok(words)
}

const fn source<'t, 'm>(code: &Code<'t>, words: &'t [u32]) -> ShaderSource<'t, 'm> {
    match code {
        Code::Text(text) => ShaderSource::Text(text),
        Code::Tokens(_) => ShaderSource::Tokens(words),
    }
}

/// Creates a shader.
fn create_shader<'m>(
    context: &mut (dyn Context<'m> + '_),
    input: &mut Reader<'m, '_>,
) -> Result<Verdict, TraceError> {
    let stage = ShaderType::read(input)?;
    let code = Code::read(input)?;
    let stride = <[u16; MAX_SO_BUFFERS]>::read(input)?;
    let outputs = input.list()?;
    let words = words(&code, input)?;
    let stream_output = StreamOutputInfo { stride, outputs: &outputs };
    let state = ShaderState { source: source(&code, &words), stream_output };
    context.create_shader_state(stage, &state).settle(input)
}

/// Binds global memory, and compares the addresses with the trace's.
fn global_binding<'m>(
    context: &mut (dyn Context<'m> + '_),
    input: &mut Reader<'m, '_>,
) -> Result<Verdict, TraceError> {
    let first = Wire::read(input)?;
    let resources = input.list::<Option<ResourceHandle>>()?;
    let mut addresses = input.list::<u64>()?;
    let answer = context.set_global_binding(first, &resources, &mut addresses);
    let verdict = answer.settle(input)?;
    if input.is_at_end() {
        return Ok(verdict);
    }
    // Programs store these addresses in their data, so different addresses would be
    // wrong.
    let is_same = verdict.is_same && *input.list::<u64>()? == *addresses;
    Ok(Verdict { is_same, ..verdict })
}

impl<'m> Special<'_, '_, 'm> {
    /// Plays a call that is in no list; `None` if it is in a list.
    pub(super) fn call(
        &mut self,
        call: u64,
        context: &mut (dyn Context<'m> + '_),
        input: &mut Reader<'m, '_>,
    ) -> Result<Option<Verdict>, TraceError> {
        Ok(Some(match call {
            number::CREATE_SHADER_STATE => create_shader(context, input)?,
            number::CREATE_COMPUTE_STATE => {
                let [static_shared_mem, req_private_mem, req_input_mem] = <[u32; 3]>::read(input)?;
                let code = Code::read(input)?;
                let words = words(&code, input)?;
                let source = source(&code, &words);
                let state =
                    ComputeState { source, static_shared_mem, req_private_mem, req_input_mem };
                context.create_compute_state(&state).settle(input)?
            }
            number::SET_GLOBAL_BINDING => global_binding(context, input)?,
            number::SET_FRAMEBUFFER_STATE => {
                let state = FramebufferState::read(input)?;
                let answer = context.set_framebuffer_state(&state);
                if answer.is_ok() {
                    self.attachments.bound(&state);
                }
                answer.settle(input)?
            }
            number::CREATE_SURFACE => {
                let resource = ResourceHandle::read(input)?;
                let template = SurfaceTemplate::read(input)?;
                let answer = context.create_surface(resource, &template);
                if let Ok(surface) = answer {
                    self.attachments.created(surface, resource, &template);
                }
                answer.settle(input)?
            }
            number::SURFACE_DESTROY => {
                let surface = SurfaceHandle::read(input)?;
                self.attachments.destroyed(surface);
                context.surface_destroy(surface).settle(input)?
            }
            number::FLUSH => {
                let answer = context.flush(FlushFlags::read(input)?);
                let verdict = answer.settle(input)?;
                let picture = self.attachments.picture(self.screen, context);
                verdict.with_picture(input, picture)?
            }
            number::PRESENT | number::PRESENT_ROWS | number::PRESENT_TILE => {
                self.present(call, context, input)?
            }
            _ => return self.transfer(call, context, input),
        }))
    }

    fn present(
        &mut self,
        call: u64,
        context: &mut (dyn Context<'m> + '_),
        input: &mut Reader<'m, '_>,
    ) -> Result<Verdict, TraceError> {
        let source = PresentSource::read(input)?;
        let mut panel = Watched::new(&mut *self.panel, None);
        let answer = match call {
            number::PRESENT => context.present(source, &mut panel),
            number::PRESENT_ROWS => {
                let (start, end) = <(u32, u32)>::read(input)?;
                context.present_rows(source, start..end, &mut panel)
            }
            _ => {
                let index = u32::read(input)?;
                let size = usize::read(input)?;
                if size > MAX_TILE_BYTES {
                    return Err(TraceError::Value("size of a tile"));
                }
                let mut pixels = Vec::new_in(input.memory);
                pixels.try_resize(size, 0).map_err(|_| TraceError::OutOfMemory)?;
                return context.present_tile(source, index, &mut pixels).map(|_| ()).settle(input);
            }
        };
        let digest = answer.is_ok().then_some(panel.digest);
        answer.settle(input)?.with_picture(input, digest)
    }

    fn transfer(
        &mut self,
        call: u64,
        context: &mut (dyn Context<'m> + '_),
        input: &mut Reader<'m, '_>,
    ) -> Result<Option<Verdict>, TraceError> {
        Ok(Some(match call {
            number::TRANSFER_MAP => {
                let resource = ResourceHandle::read(input)?;
                let level = u32::read(input)?;
                let usage = MapFlags::read(input)?;
                let region = Region::read(input)?;
                self.mapped.try_reserve(1).map_err(|_| TraceError::OutOfMemory)?;
                let answer = context.transfer_map(resource, level, usage, &region);
                let verdict = answer.map(|transfer| transfer.handle).settle(input)?;
                let Ok(transfer) = answer else { return Ok(Some(verdict)) };
                let rows = Rows::of(self.screen, resource, &region, &transfer);
                let open = Mapped { transfer: transfer.handle, rows };
                // There is room for one.
                let _ = self.mapped.push_within_capacity(open);
                let reads = usage.contains(MapFlags::READ);
                let digest = if reads { mapped(context, transfer.handle, rows) } else { None };
                verdict.with_picture(input, digest)?
            }
            number::TRANSFER_WRITE => {
                let transfer = TransferHandle::read(input)?;
                let packed = input.bytes()?;
                let open = self.mapped.iter().find(|open| open.transfer == transfer);
                match (open.and_then(|open| open.rows), context.transfer_bytes(transfer)) {
                    (Some(rows), Ok(bytes)) => {
                        rows.fill(bytes, packed);
                        Verdict::SAME
                    }
                    (_, answer) => Verdict { error: answer.err(), ..Verdict::default() },
                }
            }
            number::TRANSFER_FLUSH_REGION => {
                let transfer = TransferHandle::read(input)?;
                let region = Region::read(input)?;
                context.transfer_flush_region(transfer, &region).settle(input)?
            }
            number::TRANSFER_UNMAP => {
                let transfer = TransferHandle::read(input)?;
                self.mapped.retain(|open| open.transfer != transfer);
                context.transfer_unmap(transfer).settle(input)?
            }
            _ => return Ok(None),
        }))
    }
}
