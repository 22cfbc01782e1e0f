//! Shaders: TGSI text, possibly in several pieces.

use pipe_core::{
    ComputeState, PipeError, ShaderSource, ShaderState, ShaderType, StreamOutput, StreamOutputInfo,
};

use super::objects::Object;
use super::{CommandError, Done, Shared, SubContext, decode, idiom};
use crate::error::ClientError;
use crate::reader::Reader;

/// Bytes of one shader's text.
const MAX_TEXT: usize = 16 << 20;
/// Shaders that may be incomplete at a time.
const MAX_PARTIAL: usize = 4;
/// Set in the offset word of pieces after the first.
const CONTINUATION: u32 = 1 << 31;

/// A shader that is not complete yet.
#[derive(Debug)]
pub(super) struct PartialShader {
    stage: ShaderType,
    /// Bytes that the text will have, its final NUL included.
    total: usize,
    text: os_shim::Vec<'static, u8>,
    stride: [u16; 4],
    outputs: os_shim::Vec<'static, StreamOutput>,
    shared_bytes: u32,
}

impl<'s> SubContext<'s> {
    /// A shader, or a piece of one.
    pub(super) fn create_shader(
        &mut self,
        name: u32,
        mut reader: Reader<'_>,
        shared: &mut Shared<'s>,
    ) -> Done {
        let [stage, offset, _tokens, count] = reader.words()?;
        if offset & CONTINUATION != 0 {
            return self.continue_shader(name, (offset & !CONTINUATION) as usize, reader, shared);
        }
        let stage = decode("shader stage", ShaderType::from_number, stage)?;
        let total = offset as usize;
        ClientError::at_most("bytes of a shader", total as u64, MAX_TEXT as u64)?;
        let mut shader = PartialShader {
            stage,
            total,
            text: os_shim::Vec::try_with_capacity_in(total, shared.memory.heap())
                .map_err(|error| shared.memory.refused("a shader's text", error.requested))?,
            stride: [0; 4],
            outputs: os_shim::Vec::new_in(shared.memory.heap()),
            shared_bytes: if stage == ShaderType::Compute { count } else { 0 },
        };
        if count > 0 && stage != ShaderType::Compute {
            shader.stride = reader.words()?.map(|stride: u32| stride as u16);
            for _ in 0..count {
                let output = stream_output(&mut reader)?;
                shader.outputs.try_push(output).map_err(PipeError::from)?;
            }
        }
        self.partial.remove(&name);
        self.add_text(name, shader, reader, shared)
    }

    fn continue_shader(
        &mut self,
        name: u32,
        offset: usize,
        reader: Reader<'_>,
        shared: &mut Shared<'s>,
    ) -> Done {
        let Some(shader) = self.partial.remove(&name) else {
            return Err(
                PipeError::Invalid("shader text continues a shader that was not begun").into()
            );
        };
        if shader.text.len() != offset {
            return Err(PipeError::Invalid("shader text comes out of order").into());
        }
        self.add_text(name, shader, reader, shared)
    }

    fn add_text(
        &mut self,
        name: u32,
        mut shader: PartialShader,
        reader: Reader<'_>,
        shared: &mut Shared<'s>,
    ) -> Done {
        let piece = reader.rest();
        let missing = shader.total - shader.text.len().min(shader.total);
        let piece = piece.get(..missing).unwrap_or(piece);
        shader.text.try_extend_from_slice(piece).map_err(PipeError::from)?;
        if shader.text.len() < shader.total {
            let count = self.partial.len() as u64 + 1;
            ClientError::at_most("incomplete shaders", count, MAX_PARTIAL as u64)?;
            self.partial.insert(name, shader);
            return Ok(());
        }
        // A modified copy of the text exists only while the shader is compiled.
        let copy = shared.memory.reserve("a shader's text", 2 * shader.text.len())?;
        let handle = self.compile(&shader)?;
        drop(copy);
        const SAMPLER: &[u8] = b"DCL SAMP";
        let samples = shader.text.windows(SAMPLER.len()).any(|part| part == SAMPLER);
        self.insert(name, Object::Shader { stage: shader.stage, handle, samples }, shared)
    }

    fn compile(&mut self, shader: &PartialShader) -> Result<pipe_core::ShaderHandle, PipeError> {
        let text = shader.text.split(|byte| *byte == 0).next().unwrap_or_default();
        let text =
            str::from_utf8(text).map_err(|_| PipeError::Invalid("shader text is not UTF-8"))?;
        let text = &idiom::with_absolute_values(text);
        let source = ShaderSource::Text(text);
        log::trace!("shader:\n{text}");
        let made = if shader.stage == ShaderType::Compute {
            self.driver.create_compute_state(&ComputeState {
                source,
                static_shared_mem: shader.shared_bytes,
                req_private_mem: 0,
                req_input_mem: 0,
            })
        } else {
            let stream_output =
                StreamOutputInfo { stride: shader.stride, outputs: &shader.outputs };
            self.driver.create_shader_state(shader.stage, &ShaderState { source, stream_output })
        };
        if let Err(why) = &made {
            log::debug!("{why}, in this shader:\n{text}");
        }
        made
    }

    pub(super) fn bind_shader(&mut self, mut reader: Reader<'_>, shared: &mut Shared<'s>) -> Done {
        let [name, stage] = reader.words()?;
        let stage = decode("shader stage", ShaderType::from_number, stage)?;
        let object = self.object(name).cloned();
        let handle = match object.as_deref() {
            Some(Object::Shader { stage: made_for, handle, .. }) if *made_for == stage => {
                Some(*handle)
            }
            _ => None,
        };
        let bound = if stage == ShaderType::Compute {
            self.driver.bind_compute_state(handle)
        } else {
            self.driver.bind_shader_state(stage, handle)
        };
        // Every client that disconnects unbinds all stages, also stages that the driver lacks.
        if handle.is_some() || name != 0 {
            bound?;
        }
        *self.bound.shaders.of_mut(stage) = handle.and(object);
        self.sweep(&mut shared.notes);
        if name != 0 && handle.is_none() {
            return Err(PipeError::Invalid("the shader was refused when it was created").into());
        }
        Ok(())
    }
}

/// One streamed output: two words.
fn stream_output(reader: &mut Reader<'_>) -> Result<StreamOutput, CommandError> {
    let [place, stream] = reader.words()?;
    Ok(StreamOutput {
        register_index: place as u8,
        start_component: (place >> 8 & 3) as u8,
        num_components: (place >> 10 & 7) as u8,
        output_buffer: (place >> 13 & 7) as u8,
        dst_offset: (place >> 16) as u16,
        stream: (stream & 3) as u8,
    })
}
