//! egui through egui_kittest: every window of the demo, the widget gallery, the colour test.

use anyhow::Result;
use egui::{Theme, Vec2};
use egui_demo_lib::{ColorTest, DemoWindows, View as _, WidgetGallery};
use egui_kittest::kittest::Queryable as _;
use egui_kittest::wgpu::WgpuTestRenderer;
use egui_kittest::{Harness, HarnessBuilder};
use image::RgbaImage;

use super::Case;
use crate::adapter::Door;
use crate::compare::Bounds;

/// The threshold with which all of egui's snapshot tests pass on Linux: a grey may differ by two steps.
pub const THRESHOLD: f32 = 2.1;

/// The windows that the demo opens at the start.
const OPEN: [&str; 3] = ["About egui", "⌨️ Code Example", "🗄️ Widget Gallery"];

/// The other windows, by the labels of the demo's list. The window of viewports is not in the list where there
/// is only one viewport.
const WINDOWS: [&str; 38] = [
    "〰 Band",
    "〰️ Bézier Curve",
    "⌨️ Code Editor",
    "😀 Completion",
    "♫ Dancing Strings",
    "✋ Drag and Drop",
    "🔤 Font Book",
    "▣ Frame",
    "✨ Highlighting",
    "\u{20E3} Interactive Container",
    "✨ Misc Demos",
    "💭 Modals",
    "👌 Multi Touch",
    "🖊️ Painting",
    "📰 Panels",
    "\u{2755} Popups",
    "🔍 Scene",
    "📷 Screenshot",
    "↕️ Scrolling",
    "↔️ Sliders",
    "▣ Strip",
    "☰ Table",
    "✏️ TextEdit",
    "📄 Text Layout",
    "💬 Tooltips",
    "⟲ Undo Redo",
    "🔲 Window Options",
    "Clipboard Test",
    "Cursor Test",
    "Grid Test",
    "ID Test",
    "Input Event History",
    "Input Test",
    "Layout Test",
    "Manual Layout Test",
    "SVG Test",
    "Tessellation Test",
    "Window Resize Test",
];

/// Returns the cases.
pub fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = WINDOWS
        .into_iter()
        .map(|label| case(without_symbol(label), move |door| window(door, label)))
        .collect();
    cases.push(case("At the start", start));
    for (name, theme, scale) in [
        ("Gallery dark", Theme::Dark, 1.0),
        ("Gallery light", Theme::Light, 1.0),
        ("Gallery dark twice", Theme::Dark, 2.0),
    ] {
        cases.push(case(name, move |door| gallery(door, theme, scale)));
    }
    for (name, scale) in [("Colours", 1.0), ("Colours 1.5", 1.5)] {
        cases.push(case(name, move |door| colours(door, scale)));
    }
    cases
}

/// Returns the label without the symbol that it begins with.
fn without_symbol(label: &str) -> &str {
    match label.split_once(' ') {
        Some((symbol, name)) if !symbol.is_ascii() && symbol.chars().count() <= 2 => name,
        _ => label,
    }
}

fn case(name: &str, draw: impl Fn(Door) -> Result<RgbaImage> + 'static) -> Case {
    Case {
        name: format!("egui/{}", name.replace(' ', "-")),
        bounds: Bounds::Snapshot(THRESHOLD),
        draw: Box::new(draw),
        reference: None,
    }
}

fn builder(door: Door) -> Result<HarnessBuilder> {
    let gpu = door.open(wgpu::Features::empty())?;
    Ok(Harness::builder().renderer(WgpuTestRenderer::from_setup(gpu.into_egui())))
}

fn render(mut harness: Harness<'_>) -> Result<RgbaImage> {
    harness.render().map_err(anyhow::Error::msg)
}

/// Draws the demo as it starts, with three windows.
fn start(door: Door) -> Result<RgbaImage> {
    let mut windows = DemoWindows::default();
    let harness = builder(door)?.with_size(Vec2::new(1280.0, 900.0));
    let mut harness = harness.build_ui(move |ui| {
        egui_extras::install_image_loaders(ui.ctx());
        windows.ui(ui);
    });
    harness.run_ok();
    render(harness)
}

/// Draws the demo with one window.
fn window(door: Door, label: &str) -> Result<RgbaImage> {
    let mut windows = DemoWindows::default();
    let harness = builder(door)?.with_size(Vec2::new(1024.0, 900.0));
    let mut harness = harness.build_ui(move |ui| {
        egui_extras::install_image_loaders(ui.ctx());
        windows.ui(ui);
    });
    harness.run_ok();
    // The list comes first in the tree; titles of windows have the same labels.
    for switch in OPEN.into_iter().chain([label]) {
        harness
            .get_all_by_label(switch)
            .next()
            .ok_or_else(|| anyhow::anyhow!("the demo's list has no `{switch}`"))?
            .click_accesskit();
        harness.run_ok();
    }
    render(harness)
}

fn gallery(door: Door, theme: Theme, scale: f32) -> Result<RgbaImage> {
    let mut demo = WidgetGallery::default();
    let harness = builder(door)?.with_theme(theme).with_pixels_per_point(scale);
    let mut harness = harness.with_size(Vec2::new(380.0, 550.0)).build_ui(move |ui| {
        egui_extras::install_image_loaders(ui.ctx());
        demo.ui(ui);
    });
    harness.run_ok();
    harness.fit_contents();
    render(harness)
}

fn colours(door: Door, scale: f32) -> Result<RgbaImage> {
    let mut test = ColorTest::default();
    let harness = builder(door)?.with_pixels_per_point(scale);
    let mut harness = harness.build_ui(move |ui| test.ui(ui));
    harness.get_by_label("Color test").click_accesskit();
    harness.run_ok();
    harness.fit_contents();
    render(harness)
}
