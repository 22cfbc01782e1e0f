//! The gauge without the kit: every object and every call of the contract, for comparison.
//!
//! A firmware engineer wrote it who had not seen the crates before. The tests compare its pictures
//! with the kit's.

use core::mem::MaybeUninit;

use gallium::glam::camera::rh::{proj::opengl, view};
use gallium::os_shim::{Box, Memory};
use gallium::pipe_core::context::*;
use gallium::pipe_core::{Screen as _, *};
use gallium::prelude::{
    Config, Context, Mat4, Os, Program, Region, Screen, Small, Vec2, Vec3, Vec4,
};

use crate::{SIDE, SKY, assets, text};

const MIRROR: u32 = 64;

mod shaders {
    use super::Program;
    use gallium::tgsi;

    // CONST[0..3]: columns to clip space, 4: light, 5: colour and ambient light, 6: fog colour,
    // 7: scale and offset of the fog.
    pub(super) static LIT: &Program<'static> = tgsi!(
        native(16);
        VERT
        DCL IN[0..1]
        DCL OUT[0], POSITION
        DCL OUT[1], COLOR
        DCL CONST[0..7]
        DCL TEMP[0..2]
        MUL TEMP[0], CONST[0], IN[0].xxxx
        MAD TEMP[0], CONST[1], IN[0].yyyy, TEMP[0]
        MAD TEMP[0], CONST[2], IN[0].zzzz, TEMP[0]
        ADD TEMP[0], TEMP[0], CONST[3]
        MOV OUT[0], TEMP[0]
        DP3 TEMP[1].x, IN[1], CONST[4]
        MAX TEMP[1].x, TEMP[1].xxxx, CONST[5].wwww
        MUL TEMP[2], CONST[5], TEMP[1].xxxx
        MAD_SAT TEMP[1].x, TEMP[0].wwww, CONST[7].xxxx, CONST[7].yyyy
        LRP OUT[1], TEMP[1].xxxx, TEMP[2], CONST[6]
        END
    );

    pub(super) static FLAT: &Program<'static> = tgsi!(
        native(16);
        VERT
        DCL IN[0..1]
        DCL OUT[0], POSITION
        DCL OUT[1], COLOR
        MOV OUT[0], IN[0]
        MOV OUT[1], IN[1]
        END
    );

    pub(super) static COLOR: &Program<'static> = tgsi!(
        FRAG
        DCL IN[0], COLOR, PERSPECTIVE
        DCL OUT[0], COLOR
        MOV OUT[0], IN[0]
        END
    );

    pub(super) static QUAD: &Program<'static> = tgsi!(
        native(16);
        VERT
        DCL IN[0..1]
        DCL OUT[0], POSITION
        DCL OUT[1].xy, GENERIC[0]
        DCL CONST[0..2]
        DCL TEMP[0]
        MUL TEMP[0], CONST[0], IN[0].xxxx
        MAD TEMP[0], CONST[1], IN[0].yyyy, TEMP[0]
        ADD OUT[0], TEMP[0], CONST[2]
        MOV OUT[1].xy, IN[1]
        END
    );

    pub(super) static TEXEL: &Program<'static> = tgsi!(
        FRAG
        DCL IN[0].xy, GENERIC[0], PERSPECTIVE
        DCL OUT[0], COLOR
        DCL SAMP[0]
        DCL SVIEW[0], 2D, FLOAT
        TEX OUT[0], IN[0], SAMP[0], 2D
        END
    );
}

/// x, y, u, v.
static QUAD: [[f32; 4]; 4] =
    [[-1.0, -1.0, 0.0, 1.0], [1.0, -1.0, 1.0, 1.0], [-1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0]];
static QUAD_INDICES: [u8; 6] = [0, 1, 2, 2, 1, 3];
const FOG: Vec4 = Vec4::new(0.42, 0.34, 0.37, 1.0);

/// A vertex buffer with its layout.
struct Mesh {
    buffer: VertexBuffer,
    elements: VertexElementsHandle,
}

struct Pipeline {
    vs: ShaderHandle,
    fs: ShaderHandle,
}

/// The driver, and everything that the gauge draws.
pub struct Gauge {
    context: Box<'static, Context<'static, 'static, Small>>,
    target: ResourceHandle,
    main: FramebufferState,
    mirror: FramebufferState,
    gear: Mesh,
    sky: Mesh,
    quad: Mesh,
    lit: Pipeline,
    flat: Pipeline,
    textured: Pipeline,
    needle: SamplerViewHandle,
    mirror_view: SamplerViewHandle,
    opaque: BlendHandle,
    over: BlendHandle,
    depth_on: DepthStencilAlphaHandle,
    depth_off: DepthStencilAlphaHandle,
    cull: RasterizerHandle,
    both: RasterizerHandle,
    frame: u32,
    /// The memory.
    pub memory: Memory<'static>,
}

impl Gauge {
    /// Creates the driver in `heap`, and everything that the gauge draws.
    pub fn new(heap: &'static mut [MaybeUninit<u8>]) -> Result<Gauge, PipeError> {
        let memory = Region::in_place(heap)?;
        let config = Config { scene_bytes: 11 * 1024 };
        let screen = Screen::<Small>::new(Os::bare(memory), config);
        let screen: &'static Screen<'static, Small> = Box::leak(Box::try_new_in(screen, memory)?);
        let mut context = screen.boxed_context(ContextFlags::empty())?;
        let (rgb, z16) = (Format::B5G6R5Unorm, Format::Z16Unorm);

        let target = screen.resource_create(&ResourceTemplate::streamed(rgb, SIDE, SIDE))?;
        let z = screen.resource_create(&ResourceTemplate::streamed_depth(z16, SIDE, SIDE))?;
        let color = context.create_surface(target, &SurfaceTemplate::of(rgb))?;
        let z = context.create_surface(z, &SurfaceTemplate::of(z16))?;
        let main = FramebufferState::single(SIDE as u16, SIDE as u16, color, Some(z));

        let bind = Bind::RENDER_TARGET | Bind::SAMPLER_VIEW;
        let template = ResourceTemplate::texture_2d(rgb, MIRROR, MIRROR, bind);
        let image = screen.resource_create(&template)?;
        let mirror_view =
            context.create_sampler_view(image, &SamplerViewTemplate::whole(&template))?;
        let z = ResourceTemplate::texture_2d(z16, MIRROR, MIRROR, Bind::DEPTH_STENCIL);
        let z = screen.resource_create(&z)?;
        let color = context.create_surface(image, &SurfaceTemplate::of(rgb))?;
        let z = context.create_surface(z, &SurfaceTemplate::of(z16))?;
        let mirror = FramebufferState::single(MIRROR as u16, MIRROR as u16, color, Some(z));

        let mut mesh = |bytes: &'static [u8], stride, elements: &[VertexElement]| {
            let template = ResourceTemplate::buffer(bytes.len() as u32, Bind::VERTEX_BUFFER);
            let resource = screen.resource_from_user_memory(&template, bytes)?;
            let elements = context.create_vertex_elements_state(elements)?;
            let buffer = VertexBuffer { resource, stride, buffer_offset: 0 };
            Ok::<_, PipeError>(Mesh { buffer, elements })
        };
        let gear = mesh(
            assets::GEAR.vertices,
            20,
            &[
                VertexElement::per_vertex(0, Format::R32G32B32Float),
                VertexElement::per_vertex(12, Format::R16G16B16A16Snorm),
            ],
        )?;
        let sky = mesh(
            bytemuck::cast_slice(&SKY),
            20,
            &[
                VertexElement::per_vertex(0, Format::R32G32Float),
                VertexElement::per_vertex(8, Format::R32G32B32Float),
            ],
        )?;
        let quad = mesh(
            bytemuck::cast_slice(&QUAD),
            16,
            &[
                VertexElement::per_vertex(0, Format::R32G32Float),
                VertexElement::per_vertex(8, Format::R32G32Float),
            ],
        )?;

        let needle =
            ResourceTemplate::texture_2d(Format::B4G4R4A4Unorm, 16, 64, Bind::SAMPLER_VIEW);
        let view = SamplerViewTemplate::whole(&needle);
        let needle = screen.resource_from_user_memory(&needle, assets::NEEDLE.texels)?;
        let needle = context.create_sampler_view(needle, &view)?;
        let sampler = SamplerState {
            min_mip_filter: TexMipFilter::None,
            min_img_filter: TexFilter::Linear,
            mag_img_filter: TexFilter::Linear,
            ..SamplerState::wrapping(TexWrap::ClampToEdge)
        };
        let sampler = context.create_sampler_state(&sampler)?;
        context.bind_sampler_states(ShaderType::Fragment, 0, &[Some(sampler)])?;

        let mut pipeline = |vs, fs| {
            let vs = context.create_vs_state(&ShaderState::program(vs))?;
            let fs = context.create_fs_state(&ShaderState::program(fs))?;
            Ok::<_, PipeError>(Pipeline { vs, fs })
        };
        let lit = pipeline(shaders::LIT, shaders::COLOR)?;
        let flat = pipeline(shaders::FLAT, shaders::COLOR)?;
        let textured = pipeline(shaders::QUAD, shaders::TEXEL)?;

        let opaque = context.create_blend_state(&BlendState::default())?;
        let over = BlendState::uniform(RenderTargetBlendState::alpha_blending());
        let over = context.create_blend_state(&over)?;
        let depth_on = DepthStencilAlphaState::depth(CompareFunc::Less);
        let depth_on = context.create_depth_stencil_alpha_state(&depth_on)?;
        let depth_off =
            context.create_depth_stencil_alpha_state(&DepthStencilAlphaState::default())?;
        let cull = RasterizerState { cull_face: Face::Back, ..RasterizerState::default() };
        let cull = context.create_rasterizer_state(&cull)?;
        let both = context.create_rasterizer_state(&RasterizerState::default())?;
        Ok(Gauge {
            context,
            target,
            main,
            mirror,
            gear,
            sky,
            quad,
            lit,
            flat,
            textured,
            needle,
            mirror_view,
            opaque,
            over,
            depth_on,
            depth_off,
            cull,
            both,
            frame: 0,
            memory,
        })
    }

    fn constants(&mut self, constants: &[Vec4]) -> Result<(), PipeError> {
        let constants = ConstantBuffer::User(bytemuck::cast_slice(constants));
        self.context.set_constant_buffer(ShaderType::Vertex, 0, Some(constants))
    }

    fn mesh(
        &mut self,
        mesh: fn(&Gauge) -> &Mesh,
        pipeline: fn(&Gauge) -> &Pipeline,
    ) -> Result<(), PipeError> {
        let (buffer, elements) = (mesh(self).buffer, mesh(self).elements);
        let (vs, fs) = (pipeline(self).vs, pipeline(self).fs);
        self.context.set_vertex_buffers(0, &[Some(buffer)])?;
        self.context.bind_vertex_elements_state(Some(elements))?;
        self.context.bind_vs_state(Some(vs))?;
        self.context.bind_fs_state(Some(fs))
    }

    fn draw(&mut self, indices: &'static [u8], size: u8) -> Result<(), PipeError> {
        let info = DrawInfo::indexed(PrimType::Triangles, IndexBuffer::user(indices, size));
        let count = DrawStartCount::count(indices.len() as u32 / u32::from(size));
        self.context.draw_vbo(&info, None, &[count])
    }

    /// Draws the gear over the sky, seen from `eye`.
    fn world(&mut self, eye: Vec3) -> Result<(), PipeError> {
        self.context.bind_blend_state(Some(self.opaque))?;
        self.context.bind_rasterizer_state(Some(self.cull))?;
        self.context.bind_depth_stencil_alpha_state(Some(self.depth_off))?;
        self.mesh(|g| &g.sky, |g| &g.flat)?;
        self.draw(&QUAD_INDICES, 1)?;

        let model = Mat4::from_rotation_x(-0.6) * Mat4::from_rotation_z(self.frame as f32 * 0.1);
        let view = view::look_at_mat4(eye, Vec3::ZERO, Vec3::Y);
        let clip = opengl::perspective(0.9, 1.0, 1.5, 8.0) * view * model;
        let light = model.transpose() * Vec3::new(0.3, 0.8, 0.5).normalize().extend(0.0);
        let fog = Vec4::new(-0.45, 2.0, 0.0, 0.0);
        let color = Vec4::new(0.85, 0.7, 0.35, 0.2);
        let columns = [clip.x_axis, clip.y_axis, clip.z_axis, clip.w_axis];
        let [x, y, z, w] = columns;
        self.constants(&[x, y, z, w, light, color, FOG, fog])?;
        self.context.bind_depth_stencil_alpha_state(Some(self.depth_on))?;
        self.mesh(|g| &g.gear, |g| &g.lit)?;
        self.draw(assets::GEAR.indices, 2)
    }

    /// Draws a textured quad: centre, half sizes, angle.
    fn sprite(
        &mut self,
        view: SamplerViewHandle,
        at: [f32; 2],
        half: [f32; 2],
        angle: f32,
    ) -> Result<(), PipeError> {
        let Vec2 { x: c, y: s } = Vec2::from_angle(angle);
        let m = [
            Vec4::new(c * half[0], s * half[0], 0.0, 0.0),
            Vec4::new(-s * half[1], c * half[1], 0.0, 0.0),
            Vec4::new(at[0], at[1], 0.0, 1.0),
        ];
        self.constants(&m)?;
        self.context.set_sampler_views(ShaderType::Fragment, 0, &[Some(view)])?;
        self.mesh(|g| &g.quad, |g| &g.textured)?;
        self.draw(&QUAD_INDICES, 1)
    }

    /// Draws a frame, and turns the gear.
    pub fn frame(&mut self, panel: &mut dyn TilePanel) -> Result<(), PipeError> {
        let both = ClearFlags::COLOR0 | ClearFlags::DEPTH;
        let black = ColorUnion::float([0.0, 0.0, 0.0, 1.0]);
        // The mirror.
        let mirror = self.mirror;
        self.context.set_framebuffer_state(&mirror)?;
        self.context.set_viewport_states(0, &[ViewportState::y_up(MIRROR, MIRROR)])?;
        self.context.clear(both, None, &black, 1.0, 0)?;
        self.world(Vec3::new(0.0, 1.0, -4.0))?;
        // The display.
        let main = self.main;
        self.context.set_framebuffer_state(&main)?;
        self.context.set_viewport_states(0, &[ViewportState::y_up(SIDE, SIDE)])?;
        self.context.clear(both, None, &black, 1.0, 0)?;
        self.world(Vec3::new(0.0, 0.6, 4.0))?;
        self.context.bind_depth_stencil_alpha_state(Some(self.depth_off))?;
        self.context.bind_rasterizer_state(Some(self.both))?;
        self.sprite(self.mirror_view, [0.62, 0.62], [-0.3, 0.3], 0.0)?;
        self.context.bind_blend_state(Some(self.over))?;
        let swing = Vec2::from_angle(self.frame as f32 * 0.15).y;
        let x = 0.45 * -Vec2::from_angle(swing).y;
        self.sprite(self.needle, [x, -0.3], [0.12, 0.6], swing)?;
        self.frame += 1;
        let bounds = Area { x: 8, y: 8, width: 9 * 8, height: 15 };
        self.context.present(self.target.into(), &mut Overlay { panel, bounds, draw: text })
    }
}
