//! vello, which draws paths with some twenty compute stages, against vello_cpu, which draws them without wgpu.

mod canvas;
mod scenes;

use anyhow::Result;
use image::RgbaImage;
use vello::{AaConfig, AaSupport, RenderParams, Renderer, RendererOptions, Scene};

use super::Case;
use crate::adapter::Door;
use crate::compare::Bounds;
use crate::target;
use scenes::SCENES;

/// Pixels per side.
const SIZE: u32 = 256;

/// How far a picture may be from lavapipe's: the stages are the same, and nearly all of their arithmetic is exact.
const SAME_STAGES: Bounds = Bounds::Coverage { step: 2, share: 0.0005, mean: 0.05 };

/// Returns the cases: every scene with exact coverage, some with samples, too.
pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for scene in &SCENES {
        for &(mode, mean, share) in scene.modes {
            let suffix = match mode {
                AaConfig::Area => "",
                AaConfig::Msaa8 => "-8",
                AaConfig::Msaa16 => "-16",
            };
            // vello_cpu draws by another method. The bounds are lavapipe's distances, plus a tenth.
            let bounds = Bounds::Coverage { step: 32, share: share * 1.1, mean: mean * 1.1 };
            cases.push(Case {
                name: format!("vello/{}{suffix}", scene.name),
                draw: Box::new(move |door| draw(door, mode, scene)),
                bounds: SAME_STAGES,
                reference: Some((Box::new(move || canvas::on_cpu(SIZE, scene.draw)), bounds)),
            });
        }
    }
    cases
}

fn draw(door: Door, mode: AaConfig, scene: &scenes::Scene) -> Result<RgbaImage> {
    let gpu = door.open(wgpu::Features::empty())?;
    let options = RendererOptions {
        use_cpu: false,
        antialiasing_support: AaSupport::from_iter([mode]),
        num_init_threads: None,
        pipeline_cache: None,
    };
    let mut renderer = Renderer::new(&gpu.device, options)?;
    let mut canvas = Scene::new();
    (scene.draw)(&mut canvas);
    let target = target::create(&gpu, SIZE, SIZE, wgpu::TextureUsages::STORAGE_BINDING);
    let params = RenderParams {
        base_color: scenes::BACKGROUND,
        width: SIZE,
        height: SIZE,
        antialiasing_method: mode,
    };
    let view = target.create_view(&Default::default());
    renderer.render_to_texture(&gpu.device, &gpu.queue, &canvas, &view, &params)?;
    target::read(&gpu, &target)
}
