//! Random scenes.

use formats::Format;
use pipe_core::*;

use crate::rng::Rng;
use crate::samples;
use crate::scene::{Draw, Scene, Texture, Vertex};
use crate::shaders::{Fragment, Interpolation, Lookup, Work};
use crate::stages::Stages;
use crate::widen;

/// Widely used colour formats. Half of the scenes draw to one of them.
const COMMON: [Format; 6] = [
    Format::B8G8R8A8Unorm,
    Format::R8G8B8A8Unorm,
    Format::B8G8R8X8Unorm,
    Format::B5G6R5Unorm,
    Format::R8G8B8A8Srgb,
    Format::R16G16B16A16Float,
];

/// Distance of the near plane from the eye.
const NEAR: f32 = 0.25;
/// Distance of the far plane from the eye.
const FAR: f32 = 8.0;

impl Scene {
    /// Returns the scene for a seed, the same on every machine. The scene uses only formats that
    /// `screen` supports.
    pub fn random(seed: u64, screen: &dyn Screen<'_>) -> Scene {
        let mut rng = Rng::new(seed);
        Generator { rng: &mut rng, screen }.scene()
    }
}

struct Generator<'g, 's> {
    rng: &'g mut Rng,
    screen: &'g dyn Screen<'s>,
}

impl Generator<'_, '_> {
    /// Returns a random format that supports these bindings.
    fn format(&mut self, target: TextureTarget, bind: Bind, fits: fn(Format) -> bool) -> Format {
        loop {
            let format = self.rng.pick(Format::ALL);
            if fits(format) && self.screen.is_format_supported(format, target, 0, 0, bind) {
                return format;
            }
        }
    }

    fn scene(&mut self) -> Scene {
        let common = !self.rng.one_in(2);
        let first = if common {
            self.rng.pick(&COMMON)
        } else {
            self.format(TextureTarget::Texture2D, Bind::RENDER_TARGET, is_target)
        };
        let mut colors = vec![first];
        while self.rng.one_in(6) && colors.len() < 4 && !first.is_pure_integer() {
            colors.push(self.rng.pick(&COMMON));
        }
        let depth = (!self.rng.one_in(3))
            .then(|| self.format(TextureTarget::Texture2D, Bind::DEPTH_STENCIL, |_| true));
        let large = self.rng.one_in(8);
        let (least, most) = if large { (60, 100) } else { (4, 36) };
        let (width, height) =
            (self.rng.within(least, most) as u16, self.rng.within(least, most) as u16);
        // Logic operations can amplify a rounding step to any difference, so their scenes contain
        // no rounded colours.
        let exact = self.rng.one_in(8);
        let count = if self.rng.one_in(3) { self.rng.within(2, 4) } else { 1 };
        let size = (width, height);
        let mut scene = Scene {
            width,
            height,
            colors,
            depth,
            clear_color: [(); 4].map(|()| fifths(self.rng)),
            clear_depth: self.rng.pick(&[1.0, 0.5, 0.0, 0.25]),
            clear_stencil: self.rng.bits() as u8,
            samples: 1,
            layers: 1,
            streamed: false,
            kernel: None,
            draws: Vec::new(),
        };
        for _ in 0..count {
            let draw = self.draw(&scene, size, exact);
            scene.draws.push(draw);
        }
        samples::scatter(&mut scene, self.rng, self.screen);
        widen::widen(&mut scene, self.rng, self.screen);
        scene
    }

    fn draw(&mut self, scene: &Scene, (width, height): (u16, u16), exact: bool) -> Draw {
        let integer = scene.colors[0].is_pure_integer();
        let fragment = self.fragment(exact);
        let texture = fragment.samples().then(|| self.texture(fragment));
        let fragment = match &texture {
            Some(texture) => fitting(fragment, texture),
            None => fragment,
        };
        let mode = self.mode();
        let rasterizer = self.rasterizer();
        let vertices = self.vertices(mode, texture.as_ref(), (width, height), &rasterizer);
        let indices = self.rng.one_in(3).then(|| {
            let count = vertices.len() as u32;
            (0..count + self.rng.below(6)).map(|_| self.rng.below(count) as u16).collect()
        });
        let dual = scene.colors.len() == 1 && !exact;
        let blend = if integer { self.masks() } else { self.blend(exact, dual) };
        Draw {
            blend,
            blend_color: BlendColor { color: [(); 4].map(|()| self.rng.float(0.0, 1.0)) },
            tests: self.tests(exact || integer),
            stencil_ref: StencilRef { ref_value: [self.rng.bits() as u8, self.rng.bits() as u8] },
            rasterizer,
            viewport: self.viewport(width.into(), height.into(), rasterizer.clip_halfz),
            scissor: self.scissor(width, height),
            stipple: PolyStipple { stipple: [(); 32].map(|()| self.rng.bits() as u32) },
            clip: ClipState { ucp: [(); 8].map(|()| [(); 4].map(|()| self.rng.float(-1.0, 1.0))) },
            texture,
            fragment,
            constant: [(); 4].map(|()| fifths(self.rng)),
            sample_mask: u32::MAX,
            min_samples: 1,
            mode,
            vertices,
            indices,
            restart: None,
            instances: 1,
            stages: Stages::default(),
            second_viewport: ViewportState::default(),
            second_scissor: ScissorState::default(),
            windows: WindowRectangles::default(),
            sample_places: None,
        }
    }

    fn fragment(&mut self, exact: bool) -> Fragment {
        use Work::*;
        let interpolation = self.rng.pick(&[
            Interpolation::Perspective,
            Interpolation::Perspective,
            Interpolation::Linear,
            Interpolation::Constant,
        ]);
        if exact {
            return Fragment { work: Constant, interpolation, ..Fragment::COLOR };
        }
        let lookup = self.rng.pick(&[
            Lookup::Implicit,
            Lookup::Implicit,
            Lookup::Implicit,
            Lookup::Bias,
            Lookup::Lod,
            Lookup::Gradient,
            Lookup::Projected,
            Lookup::Gather,
            Lookup::Fetch,
            Lookup::LodQuery,
        ]);
        let work = self.rng.pick(&[
            Color,
            Color,
            Constant,
            Texture(lookup),
            Texture(lookup),
            Texture(lookup),
            Modulate(lookup),
            Modulate(lookup),
            Shadow(lookup),
            Kill,
            Depth,
            Position,
            Face,
            Derivatives,
            Flow,
        ]);
        Fragment { work, interpolation, ..Fragment::COLOR }
    }

    fn mode(&mut self) -> PrimType {
        use PrimType::*;
        self.rng.pick(&[
            Triangles,
            Triangles,
            Triangles,
            TriangleStrip,
            TriangleFan,
            Quads,
            QuadStrip,
            Polygon,
            Points,
            Lines,
            LineStrip,
            LineLoop,
            TrianglesAdjacency,
            LinesAdjacency,
        ])
    }

    fn vertices(
        &mut self,
        mode: PrimType,
        texture: Option<&Texture>,
        (width, height): (u16, u16),
        rasterizer: &RasterizerState,
    ) -> Vec<Vertex> {
        let perspective = self.rng.one_in(3);
        let least = mode.min_vertices(0);
        let count = least + mode.step(0) * self.rng.below(4);
        let unnormalized = texture.filter(|texture| texture.is_unnormalized());
        let sizes = unnormalized.map_or([1; 3], |texture| texture.size);
        let snaps = self.rng.one_in(3);
        let reach = self.rng.pick(&[0.5, 1.0, 1.0, 1.5, 3.0]);
        (0..count)
            .map(|_| {
                let mut w = if perspective { self.rng.float(0.5, 4.0) } else { 1.0 };
                let mut place = [(); 3].map(|()| self.rng.float(-reach, reach));
                if snaps {
                    // At multiples of half a pixel, fill rules decide.
                    for (place, size) in place.iter_mut().zip([width, height]) {
                        let size = f32::from(size);
                        *place = (*place * size).round() / size;
                    }
                }
                let [x, y, z] = place;
                let mut z = z.clamp(-1.2, 1.2) * w;
                if perspective && rasterizer.depth_clip_near {
                    // Sometimes behind the eye. Near and far plane lie at `NEAR` and `FAR`.
                    w *= if self.rng.one_in(8) { -1.0 } else { 1.0 };
                    z = (w - NEAR) * FAR / (FAR - NEAR);
                    z = if rasterizer.clip_halfz { z } else { 2.0 * z - w };
                }
                let texcoord = [0, 1, 2, 3].map(|axis: usize| {
                    let size = sizes.get(axis).copied().unwrap_or(1) as f32;
                    size * self.rng.float(-0.75, 2.0)
                });
                Vertex {
                    position: [x * w, y * w, z, w],
                    color: [(); 4].map(|()| self.rng.float(-0.1, 1.1)),
                    texcoord,
                    size: self.rng.float(0.0, 9.0),
                }
            })
            .collect()
    }

    fn texture(&mut self, fragment: Fragment) -> Texture {
        use TextureTarget::*;
        let shadow = matches!(fragment.work, Work::Shadow(_));
        let target = if shadow {
            self.rng.pick(&[Texture1D, Texture2D, Texture2D, Rect, Texture2DArray, Cube])
        } else if fragment.lookup() == Some(Lookup::Fetch) {
            self.rng.pick(&[Texture2D, Rect, Texture3D, Texture2DArray])
        } else {
            self.rng.pick(&[
                Texture1D,
                Texture2D,
                Texture2D,
                Texture2D,
                Texture3D,
                Cube,
                Rect,
                Texture1DArray,
                Texture2DArray,
                CubeArray,
            ])
        };
        let format = if shadow {
            self.format(target, Bind::SAMPLER_VIEW, Format::has_depth)
        } else if self.rng.one_in(2) {
            self.rng.pick(&COMMON)
        } else {
            self.format(target, Bind::SAMPLER_VIEW, is_texture)
        };
        let mut size = [(); 3].map(|()| self.rng.within(1, 20) as u32);
        if self.rng.one_in(2) {
            size = size.map(u32::next_power_of_two);
        }
        size[2] = size[2].min(5);
        if matches!(target, Texture1D | Texture1DArray) {
            size[1] = 1;
        }
        if matches!(target, Cube | CubeArray) {
            size[1] = size[0];
        }
        let template = ResourceTemplate {
            target,
            depth0: if target == Texture3D { size[2] } else { 1 },
            ..ResourceTemplate::texture_2d(format, size[0], size[1], Bind::SAMPLER_VIEW)
        };
        let most = template.last_possible_level() + 1;
        let levels = if self.rng.one_in(2) { 1 } else { 1 + self.rng.below(most) };
        let first_level = if self.rng.one_in(3) { self.rng.below(levels) } else { 0 };
        let mut swizzle = Swizzle::IDENTITY;
        if self.rng.one_in(4) {
            swizzle = swizzle.map(|_| self.rng.pick(Swizzle::ALL));
        }
        let sampler = self.sampler(target, shadow);
        let seed = self.rng.bits();
        Texture { target, format, size, levels, first_level, swizzle, sampler, seed }
    }

    fn sampler(&mut self, target: TextureTarget, shadow: bool) -> SamplerState {
        let rect = target == TextureTarget::Rect;
        let modes: &[TexWrap] = if rect {
            &[TexWrap::Clamp, TexWrap::ClampToEdge, TexWrap::ClampToBorder]
        } else {
            TexWrap::ALL
        };
        let mut state = SamplerState {
            wrap_s: self.rng.pick(modes),
            wrap_t: self.rng.pick(modes),
            wrap_r: self.rng.pick(modes),
            min_img_filter: self.rng.pick(TexFilter::ALL),
            min_mip_filter: self.rng.pick(TexMipFilter::ALL),
            mag_img_filter: self.rng.pick(TexFilter::ALL),
            normalized_coords: !rect,
            seamless_cube_map: self.rng.one_in(2),
            ..SamplerState::default()
        };
        if rect {
            state.min_mip_filter = TexMipFilter::None;
        }
        if self.rng.one_in(4) {
            state.lod_bias = self.rng.float(-2.0, 2.0);
        }
        if self.rng.one_in(4) {
            (state.min_lod, state.max_lod) = (self.rng.float(0.0, 1.5), self.rng.float(1.5, 3.0));
        }
        let border = [(); 4].map(|()| self.rng.float(0.0, 1.0));
        state.border_color = ColorUnion::float(border);
        if shadow {
            state.compare_mode = TexCompare::RToTexture;
            state.compare_func = self.rng.pick(CompareFunc::ALL);
        } else if self.rng.one_in(10) && self.screen.get_param(Cap::SamplerReductionMinmax) != 0 {
            state.reduction_mode = self.rng.pick(ReductionMode::ALL);
        }
        state
    }

    /// Returns a state that only masks channels.
    fn masks(&mut self) -> BlendState {
        let mut state = BlendState::default();
        if self.rng.one_in(3) {
            state.independent_blend_enable = self.rng.one_in(2);
            for target in &mut state.rt {
                target.colormask = ColorMask::from_bits_truncate(self.rng.bits() as u8);
            }
        }
        state
    }

    fn blend(&mut self, exact: bool, dual: bool) -> BlendState {
        let mut state = self.masks();
        if exact {
            state.logicop_enable = !self.rng.one_in(4);
            state.logicop_func = self.rng.pick(LogicOp::ALL);
            return state;
        }
        if self.rng.one_in(2) {
            return state;
        }
        let common = self.rng.one_in(3);
        for target in &mut state.rt {
            target.blend_enable = !self.rng.one_in(4);
            if common {
                let colormask = target.colormask;
                *target = RenderTargetBlendState::alpha_blending();
                target.colormask = colormask;
                continue;
            }
            target.rgb_func = self.rng.pick(BlendFunc::ALL);
            target.alpha_func = self.rng.pick(BlendFunc::ALL);
            let mut factor = || loop {
                let factor = self.rng.pick(BlendFactor::ALL);
                if dual || !factor.is_dual_source() {
                    return factor;
                }
            };
            target.rgb_src_factor = factor();
            target.rgb_dst_factor = factor();
            target.alpha_src_factor = factor();
            target.alpha_dst_factor = factor();
        }
        if self.rng.one_in(8) {
            state.alpha_to_coverage = true;
        }
        if self.rng.one_in(8) {
            state.alpha_to_one = true;
        }
        state
    }

    fn tests(&mut self, exact: bool) -> DepthStencilAlphaState {
        let mut state = DepthStencilAlphaState::default();
        if !self.rng.one_in(3) {
            state.depth_enabled = true;
            state.depth_writemask = !self.rng.one_in(4);
            state.depth_func = self.rng.pick(CompareFunc::ALL);
            if self.rng.one_in(8) {
                state.depth_bounds_test = true;
                state.depth_bounds_min = self.rng.float(0.0, 0.5);
                state.depth_bounds_max = self.rng.float(0.5, 1.0);
            }
        }
        if self.rng.one_in(3) {
            for (face, stencil) in state.stencil.iter_mut().enumerate() {
                stencil.enabled = face == 0 || self.rng.one_in(2);
                stencil.func = self.rng.pick(CompareFunc::ALL);
                stencil.fail_op = self.rng.pick(StencilOp::ALL);
                stencil.zfail_op = self.rng.pick(StencilOp::ALL);
                stencil.zpass_op = self.rng.pick(StencilOp::ALL);
                stencil.valuemask = self.rng.pick(&[0xff, 0x0f, 0xf0, 0x81]);
                stencil.writemask = self.rng.pick(&[0xff, 0x0f, 0xf0, 0x81]);
            }
        }
        if self.rng.one_in(5) && !exact {
            state.alpha_enabled = true;
            state.alpha_func = self.rng.pick(CompareFunc::ALL);
            state.alpha_ref_value = self.rng.float(0.0, 1.0);
        }
        state
    }

    fn rasterizer(&mut self) -> RasterizerState {
        let mut state = RasterizerState::default();
        let rng = &mut *self.rng;
        let rare = |rng: &mut Rng| rng.one_in(6);
        state.flatshade = rare(rng);
        state.flatshade_first = rng.one_in(2);
        state.light_twoside = rare(rng);
        state.clamp_vertex_color = rare(rng);
        state.clamp_fragment_color = rare(rng);
        state.front_ccw = rng.one_in(2);
        if rare(rng) {
            state.cull_face = rng.pick(&[Face::Front, Face::Back, Face::FrontAndBack]);
        }
        if rare(rng) {
            let modes = [PolygonMode::Fill, PolygonMode::Line, PolygonMode::Point];
            (state.fill_front, state.fill_back) = (rng.pick(&modes), rng.pick(&modes));
        }
        if rare(rng) {
            (state.offset_tri, state.offset_line, state.offset_point) = (true, true, true);
            state.offset_units = rng.float(-8.0, 8.0);
            state.offset_scale = rng.float(-1.0, 1.0);
            state.offset_clamp = rng.pick(&[0.0, 0.01, -0.01]);
        }
        state.scissor = rng.one_in(4);
        state.poly_stipple_enable = rare(rng);
        state.line_stipple_enable = rare(rng);
        state.line_stipple_pattern = rng.bits() as u16;
        state.line_stipple_factor = rng.below(4) as u8;
        state.line_last_pixel = rng.one_in(2);
        state.line_rectangular = rng.one_in(3);
        state.line_smooth = rare(rng);
        state.line_width = if rng.one_in(2) { 1.0 } else { rng.float(0.0, 9.0) };
        state.point_smooth = rare(rng);
        state.point_size = if rng.one_in(2) { 1.0 } else { rng.float(0.0, 9.0) };
        state.point_size_per_vertex = rng.one_in(3);
        state.point_quad_rasterization = rng.one_in(2);
        if state.point_quad_rasterization {
            state.point_smooth = false;
            state.point_tri_clip = rng.one_in(2);
            state.sprite_coord_enable = rng.below(2);
            state.sprite_coord_mode = rng.pick(SpriteCoordMode::ALL);
        }
        state.half_pixel_center = !rare(rng);
        state.bottom_edge_rule = rng.one_in(3);
        state.clip_halfz = rng.one_in(4);
        if rare(rng) {
            state.depth_clip_near = rng.one_in(2);
            state.depth_clip_far = rng.one_in(2);
        }
        state.depth_clamp = rare(rng);
        if rare(rng) {
            state.clip_plane_enable = rng.below(8) as u8;
        }
        state
    }

    fn viewport(&mut self, width: u32, height: u32, half_z: bool) -> ViewportState {
        let mut viewport = if self.rng.one_in(2) {
            ViewportState::y_up(width, height)
        } else {
            ViewportState::y_down(width, height)
        };
        if half_z {
            viewport = viewport.half_z();
        }
        if self.rng.one_in(4) {
            for axis in 0..2 {
                viewport.scale[axis] *= self.rng.float(0.3, 1.2);
                viewport.translate[axis] += self.rng.float(-4.0, 4.0);
            }
        }
        if self.rng.one_in(8) {
            viewport.scale[2] *= 0.5;
        }
        viewport
    }

    fn scissor(&mut self, width: u16, height: u16) -> ScissorState {
        let (minx, miny) =
            (self.rng.below(width.into()) as u16, self.rng.below(height.into()) as u16);
        let maxx = minx + self.rng.below(width.into()) as u16;
        let maxy = miny + self.rng.below(height.into()) as u16;
        ScissorState { minx, miny, maxx, maxy }
    }
}

/// Returns a multiple of 1/5: no format of up to 16 bits has a rounding tie there.
fn fifths(rng: &mut Rng) -> f32 {
    rng.below(6) as f32 / 5.0
}

/// Returns true if scenes may draw to a format. Masks have no meaning for formats with a shared
/// exponent, and `Format::None` means a framebuffer without attachments.
fn is_target(format: Format) -> bool {
    !matches!(format, Format::R9G9B9E5Float | Format::None)
}

/// Returns true if scenes may sample a format.
fn is_texture(format: Format) -> bool {
    !format.is_yuv()
}

/// Returns the shader, with a plain lookup if the texture's target does not allow its lookup.
fn fitting(fragment: Fragment, texture: &Texture) -> Fragment {
    use TextureTarget::*;
    let shadow = matches!(fragment.work, Work::Shadow(_));
    let fits = |lookup: Lookup| match lookup {
        Lookup::Implicit => true,
        // The fourth coordinate is already in use.
        Lookup::Bias | Lookup::Lod => match texture.target {
            CubeArray => false,
            Texture2DArray | Cube => !shadow,
            _ => true,
        },
        Lookup::Projected => {
            !shadow && matches!(texture.target, Texture1D | Texture2D | Rect | Texture3D)
        }
        Lookup::Gradient => !matches!(texture.target, CubeArray) && !shadow,
        Lookup::Gather => matches!(texture.target, Texture2D | Texture2DArray | Cube | Rect),
        Lookup::Fetch => {
            !shadow && matches!(texture.target, Texture2D | Rect | Texture3D | Texture2DArray)
        }
        Lookup::LodQuery => !shadow && texture.target != Rect,
    };
    let plain = |lookup| if fits(lookup) { lookup } else { Lookup::Implicit };
    let work = match fragment.work {
        Work::Texture(lookup) => Work::Texture(plain(lookup)),
        Work::Modulate(lookup) => Work::Modulate(plain(lookup)),
        Work::Shadow(lookup) => Work::Shadow(plain(lookup)),
        work => work,
    };
    Fragment { work, ..fragment }
}
