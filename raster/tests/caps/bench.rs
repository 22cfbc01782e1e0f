//! A bench that draws in any build: a target of 16×16 pixels, and white pictures on black.

use formats::Format;
use gallium_raster::{Config, Screen};
use os_shim::Os;
use pipe_core::{
    Bind, BlendState, ClearFlags, ColorUnion, Context, DepthStencilAlphaState, DrawInfo,
    DrawStartCount, FramebufferState, PanelError, PipeError, PrimType, RasterizerState,
    ResourceHandle, ResourceTemplate, SamplerState, SamplerViewTemplate, Screen as _, ShaderState,
    ShaderType, SurfaceTemplate, TilePanel, VertexBuffer, VertexElement, ViewportState,
};
use tgsi::program::Program;
use tgsi_macros::tgsi;

pub(crate) type Done<T = ()> = Result<T, PipeError>;

/// The profile: a host's profile with all features, a firmware's otherwise.
#[cfg(feature = "compile")]
pub(crate) type Profile = gallium_raster::Host;
#[cfg(not(feature = "compile"))]
pub(crate) type Profile = gallium_raster::Small;

/// A format that every kind of build draws to.
pub(crate) const FORMAT: Format = match cfg!(any(feature = "spans-565", feature = "fragments")) {
    true => Format::B5G6R5Unorm,
    false => Format::R8Unorm,
};

/// The side of the target, in pixels.
pub(crate) const SIDE: usize = 16;

/// The pixels of a picture, row by row.
pub(crate) type Picture = [[u32; SIDE]; SIDE];

/// Passes a position and a colour.
pub(crate) static PASS: &Program<'static> = tgsi!(
    VERT
    DCL IN[0]
    DCL IN[1]
    DCL OUT[0], POSITION
    DCL OUT[1], GENERIC[0]
    MOV OUT[0], IN[0]
    MOV OUT[1], IN[1]
    END
);

/// Shows the colour.
pub(crate) static SHOW: &Program<'static> = tgsi!(
    FRAG
    DCL IN[0], GENERIC[0], PERSPECTIVE
    DCL OUT[0], COLOR
    MOV OUT[0], IN[0]
    END
);

/// Shows the texel at the first two components of the colour.
pub(crate) static TEXEL: &Program<'static> = tgsi!(
    FRAG
    DCL IN[0], GENERIC[0], PERSPECTIVE
    DCL OUT[0], COLOR
    DCL SAMP[0]
    DCL SVIEW[0], 2D, FLOAT
    TEX OUT[0], IN[0], SAMP[0], 2D
    END
);

/// Makes a vertex program that writes `OUT[1]` from immediates and temporaries; 1.0 is right.
macro_rules! vertex {
    ($($body:tt)*) => {
        tgsi_macros::tgsi!(
            VERT
            DCL IN[0]
            DCL OUT[0], POSITION
            DCL OUT[1], GENERIC[0]
            DCL TEMP[0..3]
            $($body)*
            MOV OUT[0], IN[0]
            END
        )
    };
}

/// Makes a fragment program that writes `OUT[0]`; 1.0 is right.
macro_rules! fragment {
    ($($body:tt)*) => {
        tgsi_macros::tgsi!(
            FRAG
            DCL IN[0], GENERIC[0], PERSPECTIVE
            DCL OUT[0], COLOR
            DCL TEMP[0..3]
            $($body)*
            END
        )
    };
}

/// A panel that keeps the pixels of its tiles.
#[derive(Default)]
struct Panel(Picture);

impl TilePanel for Panel {
    fn tile(
        &mut self,
        x: u32,
        y: u32,
        width: u32,
        height: u32,
        format: Format,
        pixels: &[u8],
        stride_bytes: usize,
    ) -> Result<(), PanelError> {
        let bytes = format.block_bytes();
        let rows = pixels.chunks(stride_bytes).take(height as usize);
        for (row, from) in self.0[y as usize..].iter_mut().zip(rows) {
            let texels = from.chunks(bytes).take(width as usize);
            for (to, texel) in row[x as usize..].iter_mut().zip(texels) {
                *to = texel.iter().rev().fold(0, |all, byte| all << 8 | u32::from(*byte));
            }
        }
        Ok(())
    }
}

/// Returns bytes that live as long as the process.
pub(crate) fn kept<T: bytemuck::NoUninit>(values: &[T]) -> &'static [u8] {
    Vec::leak(bytemuck::cast_slice(values).to_vec())
}

/// Returns a screen that lives as long as the process.
pub(crate) fn screen() -> &'static Screen<'static, Profile> {
    Box::leak(Box::new(Screen::new(Os::host(), Config::default())))
}

/// A context with everything bound that a draw needs.
pub(crate) struct Bench {
    pub(crate) screen: &'static Screen<'static, Profile>,
    pub(crate) context: os_shim::Box<'static, dyn Context<'static> + 'static>,
    pub(crate) target: ResourceHandle,
}

/// Returns a triangle that covers the target, at depth `z`.
pub(crate) fn covering(z: f32, color: [f32; 4]) -> Vec<[f32; 4]> {
    let corners = [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]];
    corners.iter().flat_map(|[x, y]| [[*x, *y, z, 1.0], color]).collect()
}

pub(crate) const WHITE: [f32; 4] = [1.0; 4];
pub(crate) const BLACK: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

impl Bench {
    pub(crate) fn new() -> Done<Bench> {
        Bench::with(None)
    }

    /// Makes a bench with a depth buffer of this format.
    pub(crate) fn with(depth: Option<Format>) -> Done<Bench> {
        let screen = screen();
        let mut context = screen.context_create(Default::default())?;
        let bind = Bind::RENDER_TARGET | Bind::DISPLAY_TARGET;
        let side = SIDE as u32;
        let target = ResourceTemplate::texture_2d(FORMAT, side, side, bind);
        let target = screen.resource_create(&target)?;
        let surface = context.create_surface(target, &SurfaceTemplate::of(FORMAT))?;
        let mut zsbuf = None;
        if let Some(format) = depth {
            let depth = ResourceTemplate::texture_2d(format, side, side, Bind::DEPTH_STENCIL);
            let depth = screen.resource_create(&depth)?;
            zsbuf = Some(context.create_surface(depth, &SurfaceTemplate::of(format))?);
        }
        let size = SIDE as u16;
        context.set_framebuffer_state(&FramebufferState::single(size, size, surface, zsbuf))?;
        context.set_viewport_states(0, &[ViewportState::y_down(side, side)])?;
        let mut bench = Bench { screen, context, target };
        bench.programs(PASS, SHOW)?;
        bench.rasterizer(&RasterizerState::default())?;
        bench.vertices(2, &covering(0.0, WHITE))?;
        let mut buffers = ClearFlags::COLOR0;
        buffers.set(ClearFlags::DEPTH_STENCIL, depth.is_some());
        bench.context.clear(buffers, None, &ColorUnion::float(BLACK), 1.0, 0)?;
        Ok(bench)
    }

    pub(crate) fn programs(
        &mut self,
        vertex: &'static Program<'static>,
        fragment: &'static Program<'static>,
    ) -> Done {
        let vertex = self.context.create_vs_state(&ShaderState::program(vertex))?;
        self.context.bind_vs_state(Some(vertex))?;
        let fragment = self.context.create_fs_state(&ShaderState::program(fragment))?;
        self.context.bind_fs_state(Some(fragment))
    }

    pub(crate) fn rasterizer(&mut self, state: &RasterizerState) -> Done {
        let state = self.context.create_rasterizer_state(state)?;
        self.context.bind_rasterizer_state(Some(state))
    }

    pub(crate) fn blend(&mut self, state: &BlendState) -> Done {
        let state = self.context.create_blend_state(state)?;
        self.context.bind_blend_state(Some(state))
    }

    pub(crate) fn depth(&mut self, state: &DepthStencilAlphaState) -> Done {
        let state = self.context.create_depth_stencil_alpha_state(state)?;
        self.context.bind_depth_stencil_alpha_state(Some(state))
    }

    /// Binds vertices of `attributes` vectors each.
    pub(crate) fn vertices(&mut self, attributes: usize, values: &[[f32; 4]]) -> Done {
        let elements: Vec<_> = (0..attributes)
            .map(|index| VertexElement::per_vertex(16 * index as u32, Format::R32G32B32A32Float))
            .collect();
        let elements = self.context.create_vertex_elements_state(&elements)?;
        self.context.bind_vertex_elements_state(Some(elements))?;
        let bytes = kept(values);
        let resource = self.buffer(bytes, Bind::VERTEX_BUFFER)?;
        let stride = 16 * attributes as u32;
        let buffer = VertexBuffer { resource, stride, buffer_offset: 0 };
        self.context.set_vertex_buffers(0, &[Some(buffer)])
    }

    pub(crate) fn buffer(&mut self, bytes: &'static [u8], bind: Bind) -> Done<ResourceHandle> {
        let template = ResourceTemplate::buffer(bytes.len() as u32, bind);
        self.screen.resource_from_user_memory(&template, bytes)
    }

    /// Binds a texture with these texels to unit 0 of fragment programs.
    pub(crate) fn texture(
        &mut self,
        template: &ResourceTemplate,
        texels: &'static [u8],
        sampler: &SamplerState,
        change: impl FnOnce(&mut SamplerViewTemplate),
    ) -> Done {
        let resource = self.screen.resource_from_user_memory(template, texels)?;
        let mut view = SamplerViewTemplate::whole(template);
        change(&mut view);
        let view = self.context.create_sampler_view(resource, &view)?;
        let sampler = self.context.create_sampler_state(sampler)?;
        self.context.set_sampler_views(ShaderType::Fragment, 0, &[Some(view)])?;
        self.context.bind_sampler_states(ShaderType::Fragment, 0, &[Some(sampler)])
    }

    pub(crate) fn draw(&mut self, mode: PrimType, count: u32) -> Done {
        self.context.draw_vbo(&DrawInfo::new(mode), None, &[DrawStartCount::count(count)])
    }

    pub(crate) fn picture(&mut self) -> Done<Picture> {
        let mut panel = Panel::default();
        self.context.present(self.target.into(), &mut panel)?;
        Ok(panel.0)
    }

    /// Returns the number of pixels that are not black.
    pub(crate) fn lit(&mut self) -> Done<usize> {
        Ok(self.picture()?.iter().flatten().filter(|pixel| **pixel != 0).count())
    }

    /// Draws the triangle that covers the target; returns the number of pixels that are not black.
    pub(crate) fn covered(&mut self) -> Done<usize> {
        self.draw(PrimType::Triangles, 3)?;
        self.lit()
    }
}

/// Returns true if a vertex program writes 1.0: all pixels are white.
pub(crate) fn vertex_says(program: &'static Program<'static>) -> Done<bool> {
    let mut bench = Bench::new()?;
    bench.programs(program, SHOW)?;
    Ok(bench.covered()? == SIDE * SIDE)
}

/// Returns true if a fragment program writes 1.0 to all pixels.
pub(crate) fn fragment_says(program: &'static Program<'static>) -> Done<bool> {
    let mut bench = Bench::new()?;
    bench.programs(PASS, program)?;
    Ok(bench.covered()? == SIDE * SIDE)
}

/// Returns the number of pixels that a rasterizer state leaves of the covering triangle.
pub(crate) fn pixels_with(state: &RasterizerState) -> Done<usize> {
    let mut bench = Bench::new()?;
    bench.rasterizer(state)?;
    bench.covered()
}

/// Returns the error for a call that does not exist in this build.
pub(crate) fn left_out<T>() -> Done<T> {
    Err(PipeError::Unsupported("left out of this build"))
}
