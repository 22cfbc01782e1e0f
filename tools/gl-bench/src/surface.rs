//! Off-screen drawing without a display: EGL on Mesa's surfaceless platform, and a framebuffer
//! object with 8-bit colours, 24-bit depth and 8-bit stencil, of one or several samples per pixel.

use anyhow::{Context as _, Result, anyhow, ensure};
use glow::HasContext;
use khronos_egl as egl;

/// `EGL_PLATFORM_SURFACELESS_MESA`, from the extension of that name.
const PLATFORM_SURFACELESS: egl::Enum = 0x31dd;

/// A current OpenGL context and its framebuffer.
pub(crate) struct Surface {
    /// OpenGL, for as long as the surface lives.
    pub(crate) gl: glow::Context,
    /// Width in pixels.
    pub(crate) width: i32,
    /// Height in pixels.
    pub(crate) height: i32,
    /// The framebuffer that scenes draw to.
    framebuffer: glow::Framebuffer,
    /// The framebuffer that receives the averaged samples; `None` if pixels have one sample.
    resolved: Option<glow::Framebuffer>,
    /// Keeps the library, and so the context, loaded.
    _egl: egl::DynamicInstance<egl::EGL1_5>,
}

impl Surface {
    /// Creates a context of the driver that `GALLIUM_DRIVER` selects in Mesa, and makes it current.
    /// Draws go to this number of colour buffers with this number of samples per pixel. In the
    /// `core` profile, the context has a vertex array bound.
    ///
    /// # Errors
    /// No libEGL, no surfaceless platform, no OpenGL, or an incomplete framebuffer.
    pub(crate) fn new(
        width: i32,
        height: i32,
        (color_buffers, samples): (u32, i32),
        core: bool,
    ) -> Result<Surface> {
        // SAFETY: loading libEGL runs its initialisers, as in every EGL program.
        let egl = unsafe { egl::DynamicInstance::<egl::EGL1_5>::load_required() }
            .map_err(|error| anyhow!("no libEGL 1.5 (Debian: libegl1): {error}"))?;
        // SAFETY: the surfaceless platform takes the default display, a null pointer.
        let display = unsafe {
            egl.get_platform_display(
                PLATFORM_SURFACELESS,
                egl::DEFAULT_DISPLAY,
                &[egl::ATTRIB_NONE],
            )
        }
        .context("no surfaceless EGL platform (Mesa has one)")?;
        egl.initialize(display).context("EGL does not start")?;
        egl.bind_api(egl::OPENGL_API).context("EGL without OpenGL")?;
        let wanted =
            [egl::RENDERABLE_TYPE, egl::OPENGL_BIT, egl::SURFACE_TYPE, egl::PBUFFER_BIT, egl::NONE];
        let config = egl
            .choose_first_config(display, &wanted)?
            .ok_or_else(|| anyhow!("no EGL configuration for OpenGL"))?;
        let attributes = [
            egl::CONTEXT_MAJOR_VERSION,
            3,
            egl::CONTEXT_MINOR_VERSION,
            2,
            egl::CONTEXT_OPENGL_PROFILE_MASK,
            egl::CONTEXT_OPENGL_CORE_PROFILE_BIT,
            egl::NONE,
        ];
        let attributes = if core { &attributes[..] } else { &[egl::NONE] };
        let context = egl.create_context(display, config, None, attributes)?;
        egl.make_current(display, None, None, Some(context))?;
        // SAFETY: the context is current on this thread, and stays so.
        let gl = unsafe {
            glow::Context::from_loader_function(|name| {
                egl.get_proc_address(name).map_or(std::ptr::null(), |call| call as *const _)
            })
        };
        if core {
            // SAFETY: the context is current.
            unsafe {
                let array = gl.create_vertex_array().map_err(|error| anyhow!(error))?;
                gl.bind_vertex_array(Some(array));
            }
        }
        // SAFETY: the context is current.
        let framebuffer = unsafe { gl.create_framebuffer() }.map_err(|error| anyhow!(error))?;
        let mut surface = Surface { gl, width, height, framebuffer, resolved: None, _egl: egl };
        if samples > 1 {
            // SAFETY: the context is current.
            let resolved = unsafe { surface.gl.create_framebuffer() };
            let resolved = resolved.map_err(|error| anyhow!(error))?;
            surface.attach(resolved, color_buffers, 1)?;
            surface.resolved = Some(resolved);
        }
        surface.attach(surface.framebuffer, color_buffers, samples)?;
        surface.check().with_context(|| format!("no framebuffer of {samples} samples"))?;
        Ok(surface)
    }

    /// Binds the framebuffer, and sets the viewport to the whole framebuffer.
    pub(crate) fn bind(&self) {
        // SAFETY: the context is current.
        unsafe {
            self.gl.bind_framebuffer(glow::FRAMEBUFFER, Some(self.framebuffer));
            self.gl.viewport(0, 0, self.width, self.height);
        }
    }

    /// Enables the depth test for later draws: less passes.
    pub(crate) fn test_depth(&self) {
        // SAFETY: the context is current.
        unsafe { self.gl.enable(glow::DEPTH_TEST) }
    }

    /// Averages the samples of the first colour buffer, if pixels have several.
    pub(crate) fn resolve(&self) {
        let Some(resolved) = self.resolved else { return };
        let (gl, [width, height]) = (&self.gl, [self.width, self.height]);
        // SAFETY: the context is current.
        unsafe {
            gl.bind_framebuffer(glow::DRAW_FRAMEBUFFER, Some(resolved));
            let (mask, filter) = (glow::COLOR_BUFFER_BIT, glow::NEAREST);
            gl.blit_framebuffer(0, 0, width, height, 0, 0, width, height, mask, filter);
            gl.bind_framebuffer(glow::DRAW_FRAMEBUFFER, Some(self.framebuffer));
        }
    }

    /// Creates a framebuffer's renderbuffers and binds the framebuffer.
    fn attach(
        &self,
        framebuffer: glow::Framebuffer,
        color_buffers: u32,
        samples: i32,
    ) -> Result<()> {
        let gl = &self.gl;
        // Renderbuffers with 0 samples have a single sample per pixel.
        let samples = if samples > 1 { samples } else { 0 };
        // SAFETY: the context is current.
        let status = unsafe {
            gl.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
            gl.viewport(0, 0, self.width, self.height);
            let colors = (0..color_buffers).map(|i| (glow::COLOR_ATTACHMENT0 + i, glow::RGBA8));
            let depth = (glow::DEPTH_STENCIL_ATTACHMENT, glow::DEPTH24_STENCIL8);
            for (attachment, format) in colors.chain([depth]) {
                let buffer = gl.create_renderbuffer().map_err(|error| anyhow!(error))?;
                gl.bind_renderbuffer(glow::RENDERBUFFER, Some(buffer));
                gl.renderbuffer_storage_multisample(
                    glow::RENDERBUFFER,
                    samples,
                    format,
                    self.width,
                    self.height,
                );
                gl.framebuffer_renderbuffer(
                    glow::FRAMEBUFFER,
                    attachment,
                    glow::RENDERBUFFER,
                    Some(buffer),
                );
            }
            gl.check_framebuffer_status(glow::FRAMEBUFFER)
        };
        ensure!(status == glow::FRAMEBUFFER_COMPLETE, "an incomplete framebuffer: {status:#x}");
        Ok(())
    }

    /// Returns the driver's name (`GL_RENDERER`).
    pub(crate) fn renderer(&self) -> String {
        // SAFETY: the context is current.
        unsafe { self.gl.get_parameter_string(glow::RENDERER) }
    }

    /// Waits until everything is drawn.
    pub(crate) fn finish(&self) {
        // SAFETY: the context is current.
        unsafe { self.gl.finish() }
    }

    /// Reads the picture: RGBA, top row first.
    pub(crate) fn read(&self) -> Vec<u8> {
        let (width, height) = (self.width as usize, self.height as usize);
        let mut pixels = vec![0; 4 * width * height];
        // SAFETY: the context is current, and the slice has room for the whole picture.
        unsafe {
            if self.resolved.is_some() {
                self.gl.bind_framebuffer(glow::READ_FRAMEBUFFER, self.resolved);
            }
            self.gl.read_pixels(
                0,
                0,
                self.width,
                self.height,
                glow::RGBA,
                glow::UNSIGNED_BYTE,
                glow::PixelPackData::Slice(Some(&mut pixels)),
            );
            self.gl.bind_framebuffer(glow::READ_FRAMEBUFFER, Some(self.framebuffer));
        }
        pixels.chunks(4 * width).rev().flatten().copied().collect()
    }

    /// Checks for a pending OpenGL error.
    ///
    /// # Errors
    /// There is an OpenGL error.
    pub(crate) fn check(&self) -> Result<()> {
        // SAFETY: the context is current.
        let error = unsafe { self.gl.get_error() };
        ensure!(error == glow::NO_ERROR, "OpenGL error {error:#x}");
        Ok(())
    }
}
