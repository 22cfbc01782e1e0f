//! Runs recorded commands on the device's context.

mod bindings;
mod copy;
mod draw;
mod pass;

use pipe_core::{Context, FlushFlags, PipeError, Screen, SurfaceHandle};

use crate::command::{Command, RenderPass};
use crate::machine::Machine;
use crate::pipeline::{ComputePipeline, RenderPipeline, RenderState};
use crate::query::QuerySet;

use self::bindings::Bindings;
use self::draw::Inputs;
pub(crate) use self::pass::viewport;

/// The commands of a submission on their way to the driver.
pub(crate) struct Run<'c> {
    screen: &'c dyn Screen<'static>,
    context: &'c mut dyn Context<'static>,
    machine: &'c Machine,
    bindings: Bindings<'c>,
    inputs: Inputs<'c>,
    pass: Option<&'c RenderPass>,
    /// Surfaces of slices, destroyed at the end of the pass.
    slices: Vec<SurfaceHandle>,
    pipeline: Option<&'c RenderPipeline>,
    /// The pipeline that is bound in the context.
    bound: Option<&'c RenderState>,
    compute: Option<&'c ComputePipeline>,
}

impl<'c> Run<'c> {
    pub(crate) fn new(
        screen: &'c dyn Screen<'static>,
        context: &'c mut dyn Context<'static>,
        machine: &'c Machine,
    ) -> Run<'c> {
        Run {
            screen,
            context,
            machine,
            bindings: Bindings::default(),
            inputs: Inputs::default(),
            pass: None,
            slices: Vec::new(),
            pipeline: None,
            bound: None,
            compute: None,
        }
    }

    /// Runs commands in order.
    ///
    /// # Errors
    /// The first error of the driver. Later commands do not run.
    pub(crate) fn commands(&mut self, commands: &'c [Command]) -> Result<(), PipeError> {
        for command in commands {
            self.machine.grant();
            self.command(command)?;
        }
        Ok(())
    }

    /// Waits until all draws are done.
    ///
    /// # Errors
    /// The errors of the draws.
    pub(crate) fn finish(&mut self) -> Result<(), PipeError> {
        self.machine.grant();
        match self.context.flush(FlushFlags::empty())? {
            Some(fence) => self.screen.fence_destroy(fence),
            None => Ok(()),
        }
    }

    fn command(&mut self, command: &'c Command) -> Result<(), PipeError> {
        match command {
            Command::ClearBuffer { buffer, offset, size } => {
                self.clear_buffer(buffer, *offset, *size)
            }
            Command::CopyBuffer { src, dst, copy } => self.copy_buffer(src, dst, copy),
            Command::CopyTexture { src, dst, copy } => self.copy_texture(src, dst, copy),
            Command::Upload { src, dst, copy } => self.upload(src, dst, copy),
            Command::Download { src, dst, copy } => self.download(src, dst, copy),
            Command::BeginQuery { set, index } => set.begin(self.context, *index),
            Command::EndQuery { set, index } => set.end(self.context, *index),
            Command::WriteTimestamp { set, index } => self.timestamp(set, *index),
            Command::ResetQueries { set, first, end } => {
                set.reset(*first..*end);
                Ok(())
            }
            Command::ResolveQueries { set, first, end, buffer, offset, stride } => {
                let mut at = *offset;
                for index in *first..*end {
                    let value = set.result(self.context, index)?;
                    self.write(buffer, at, &value.to_le_bytes())?;
                    at = at.saturating_add(*stride);
                }
                Ok(())
            }
            Command::BeginRender(pass) => self.begin_render(pass),
            Command::EndRender => self.end_render(),
            Command::BeginCompute(timestamps) => {
                self.bindings.begin(true);
                self.compute = None;
                match timestamps {
                    Some(it) => self.maybe_timestamp(&it.set, it.beginning),
                    None => Ok(()),
                }
            }
            Command::EndCompute { timestamps } => {
                self.unbind()?;
                match timestamps {
                    Some(it) => self.maybe_timestamp(&it.set, it.end),
                    None => Ok(()),
                }
            }
            Command::BindGroup { layout, index, group, offsets } => {
                self.bindings.set(*index, layout, group, offsets);
                Ok(())
            }
            Command::Immediates { offset, data } => {
                self.bindings.immediates(*offset, data);
                Ok(())
            }
            Command::RenderPipeline(pipeline) => {
                self.pipeline = Some(pipeline);
                Ok(())
            }
            Command::IndexBuffer { buffer, offset, format } => {
                self.inputs.index = Some((buffer, *offset, *format));
                Ok(())
            }
            Command::VertexBuffer { index, buffer, offset } => {
                self.inputs.set(*index, buffer, *offset);
                Ok(())
            }
            Command::Viewport(viewport) => self.set_viewport(viewport),
            Command::Scissor(scissor) => self.context.set_scissor_states(0, &[*scissor]),
            Command::StencilReference(value) => {
                self.set_stencil_reference(*value);
                Ok(())
            }
            Command::BlendColor(color) => {
                self.context.set_blend_color(color);
                Ok(())
            }
            Command::Draw(part) => self.draw(*part, None),
            Command::DrawIndexed { part, base_vertex } => self.draw(*part, Some(*base_vertex)),
            Command::DrawIndirect { indexed, buffer, offset, count, limit } => {
                let limit = limit.as_ref().map(|(buffer, offset)| (buffer, *offset));
                self.draw_indirect(*indexed, (buffer, *offset), *count, limit)
            }
            Command::ComputePipeline(pipeline) => {
                self.compute = Some(pipeline);
                let program = pipeline.program();
                self.bindings.touch_immediates();
                self.context.bind_compute_state(Some(program.handle))
            }
            Command::Dispatch(groups) => self.dispatch(*groups, None),
            Command::DispatchIndirect { buffer, offset } => {
                let indirect = (buffer.resource()?, *offset);
                self.dispatch([1; 3], Some(indirect))
            }
        }
    }

    /// Writes the time after all commands so far.
    fn timestamp(&mut self, set: &QuerySet, index: u32) -> Result<(), PipeError> {
        self.finish()?;
        set.set(index, self.screen.get_timestamp());
        Ok(())
    }

    fn maybe_timestamp(&mut self, set: &QuerySet, index: Option<u32>) -> Result<(), PipeError> {
        index.map_or(Ok(()), |index| self.timestamp(set, index))
    }
}
