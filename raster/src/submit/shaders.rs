//! Shaders, which flights read too.

#[cfg(feature = "shader-memory")]
use os_shim::pool::RawHandle;
use pipe_core::{PipeError, ShaderHandle, ShaderType, StreamOutputInfo};

use super::Renderer;
use crate::device::pool_error;
use crate::profile::Profile;
use crate::shader::Shader;
#[cfg(feature = "shader-memory")]
use crate::state::Entries;
use crate::state::{State, object};

/// The error for a `pc` at which no subroutine begins.
#[cfg(all(feature = "shader-memory", feature = "compile"))]
const NO_ENTRY: PipeError = PipeError::Invalid("no subroutine begins at pc");

impl<'m, P: Profile> Renderer<'_, 'm, P> {
    /// Checks a shader and makes an object of it.
    ///
    /// # Errors
    /// A shader of another stage, or one that these lanes cannot run; out of memory.
    pub(crate) fn add_shader(
        &mut self,
        state: &mut State<'m>,
        stage: ShaderType,
        shader: Shader<'m>,
        stream_output: &StreamOutputInfo<'_>,
    ) -> Result<ShaderHandle, PipeError> {
        if shader.program().processor != stage.processor() {
            return Err(PipeError::Invalid("the shader has another stage"));
        }
        shader.check_lanes::<P::Row>()?;
        let program = shader.program();
        state.diagnostics.shader(format_args!(
            "{stage:?} shader: {} ops, {} rows",
            program.preamble.len() + program.body.len(),
            program.rows
        ));
        let raw = self.shaders_mut(state)?.insert(shader).map_err(pool_error)?;
        if let Err(error) = state.streams.add_shader(raw, stream_output) {
            self.shaders_mut(state)?.remove(raw);
            return Err(error.into());
        }
        Ok(ShaderHandle::new(raw))
    }

    /// Unbinds and deletes a shader, after the draws that still need it.
    ///
    /// # Errors
    /// The handle is stale; the errors of a flush.
    #[inline(always)]
    pub(crate) fn delete_shader(
        &mut self,
        state: &mut State<'m>,
        handle: ShaderHandle,
    ) -> Result<(), PipeError> {
        object(&state.objects.shaders, handle)?;
        self.shaders_mut(state)?;
        for bound in state.bound.shaders.iter_mut() {
            bound.take_if(|bound| *bound == handle.raw());
        }
        self.touch();
        // Draws that are not rasterized yet still need the shader.
        if self.scene.draws.iter().any(|draw| draw.shader == Some(handle.raw())) {
            let flushed = self.flush_scene(state);
            self.note_stop(state, flushed)?;
        }
        self.shaders_mut(state)?.remove(handle.raw());
        state.streams.remove_shader(handle.raw());
        Ok(())
    }

    /// Returns the shader that runs a compute program from the instruction `pc` on. The first
    /// launch at a subroutine compiles it.
    ///
    /// # Errors
    /// No subroutine begins there, or it does not compile; out of memory.
    #[cfg(all(feature = "shader-memory", feature = "compile"))]
    pub(crate) fn entry(
        &mut self,
        state: &mut State<'m>,
        shader: RawHandle,
        pc: u32,
    ) -> Result<RawHandle, PipeError> {
        if pc == 0 {
            return Ok(shader);
        }
        let entries = state.programs.entries(shader).ok_or(NO_ENTRY)?;
        if let Some((_, entry)) = entries.compiled.iter().find(|(entry, _)| *entry == pc) {
            return Ok(*entry);
        }
        entries.compiled.try_reserve(1)?;
        let device = self.device;
        let code = entries.code.as_ref().ok_or(NO_ENTRY)?;
        let compiled = Shader::of(code, pc, device.generator, device.debug, device.os)?;
        let none = StreamOutputInfo::NONE;
        let entry = self.add_shader(state, ShaderType::Compute, compiled, &none)?.raw();
        if let Some(entries) = state.programs.entries(shader) {
            let _ = entries.compiled.push_within_capacity((pc, entry));
        }
        Ok(entry)
    }

    /// Removes the shaders of a program's entries.
    #[cfg(all(feature = "shader-memory", feature = "compile"))]
    pub(crate) fn remove_entries(&mut self, state: &mut State<'m>, entries: Entries<'m>) {
        for (_, entry) in entries.compiled.iter() {
            // The program is removed, so no flush in flight uses the entries.
            if let Ok(shaders) = self.shaders_mut(state) {
                shaders.remove(*entry);
            }
            state.streams.remove_shader(*entry);
        }
    }

    /// Returns the shader of a compute program, which starts at its first instruction.
    ///
    /// # Errors
    /// Another start.
    #[cfg(all(feature = "shader-memory", not(feature = "compile")))]
    #[inline(always)]
    #[expect(clippy::unused_self, reason = "with the feature it compiles entries")]
    pub(crate) fn entry(
        &mut self,
        _: &mut State<'m>,
        shader: RawHandle,
        pc: u32,
    ) -> Result<RawHandle, PipeError> {
        crate::state::unsupported::refuse(pc != 0, "pc")?;
        Ok(shader)
    }

    /// Does nothing: there are no entries.
    #[cfg(all(feature = "shader-memory", not(feature = "compile")))]
    #[inline(always)]
    #[expect(clippy::unused_self, reason = "with the feature it removes entries")]
    pub(crate) fn remove_entries(&mut self, _: &mut State<'m>, _: Entries<'m>) {}
}
