//! The judgement: both pictures of a scene, pixel against pixel.

use os_shim::Os;
use pipe_core::{PipeError, Screen};
use reference::Nudge;

use crate::bounds::Bounds;
use crate::render::{Picture, render};
use crate::scene::Scene;

/// The number of nudged pictures that may explain a pixel: four alike, the others by chance. Few pixels
/// need more than ten; those where a divisor nears 0 take any value, of which many pictures show some.
const NUDGES: u32 = 200;

/// A pixel that differs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pixel {
    /// Number of the buffer: colour buffers, then depth and stencil.
    pub plane: usize,
    /// Column.
    pub x: usize,
    /// Row.
    pub y: usize,
    /// The driver's components.
    pub ours: [f64; 4],
    /// The plain driver's.
    pub plain: [f64; 4],
}

/// The outcome of a comparison.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// All pixels lie within their bounds; of so many, a nudge was needed to explain them.
    Same {
        /// Pixels that needed a nudge.
        nudged: usize,
    },
    /// Both drivers refuse the scene, or its streamed frame is larger than the scene buffer.
    Refused(PipeError),
    /// The drivers refuse the scene for different reasons, or only one does.
    Refusals([Option<PipeError>; 2]),
    /// These pixels differ.
    Pixels(Vec<Pixel>),
    /// Occlusion queries differ although all pixels are the same.
    Samples([Vec<u64>; 2]),
}

impl Verdict {
    /// Returns true if something is wrong.
    pub fn is_fault(&self) -> bool {
        !matches!(self, Verdict::Same { .. } | Verdict::Refused(_))
    }
}

/// Draws a scene plainly, with every number moved by a nudge.
///
/// # Errors
/// The driver's.
pub fn plain(scene: &Scene, nudge: Nudge) -> Result<Picture, PipeError> {
    let config = reference::Config { nudge };
    render(&reference::Screen::new(Os::host(), config), scene)
}

/// Draws a scene on a driver and plainly, and compares them.
pub fn judge(screen: &dyn Screen<'static>, scene: &Scene) -> Verdict {
    let (ours, reference) = (render(screen, scene), plain(scene, Nudge::default()));
    let (ours, reference) = match (ours, reference) {
        (Ok(ours), Ok(reference)) => (ours, reference),
        (Err(ours), Err(reference)) if ours == reference => return Verdict::Refused(ours),
        // A streamed frame has no memory to go on in: one that is larger than the scene buffer is refused.
        (Err(ours @ PipeError::SceneFull { needed, capacity }), Ok(_))
            if scene.streamed && needed > capacity =>
        {
            return Verdict::Refused(ours);
        }
        (ours, reference) => return Verdict::Refusals([ours.err(), reference.err()]),
    };
    let bounds = Bounds::of(scene);
    let mut range = Range::of(&reference);
    let mut wrong = differences(&ours, &reference, &range, &bounds);
    let suspects = wrong.len();
    for seed in 1..=NUDGES {
        if wrong.is_empty() {
            break;
        }
        // The scene was drawn plainly before.
        if let Ok(nudged) = plain(scene, Nudge { seed, ..bounds.nudge }) {
            range.extend(&nudged);
        }
        wrong = differences(&ours, &reference, &range, &bounds);
    }
    if !wrong.is_empty() {
        return Verdict::Pixels(wrong);
    }
    if suspects == 0 && ours.samples != reference.samples {
        // A test may have been decided the other way, with pixels that look alike.
        let explained = (1..=NUDGES).any(|seed| {
            let nudged = plain(scene, Nudge { seed, ..bounds.nudge });
            nudged.is_ok_and(|nudged| nudged.samples != reference.samples)
        });
        if !explained {
            return Verdict::Samples([ours.samples, reference.samples]);
        }
    }
    Verdict::Same { nudged: suspects }
}

/// The least and the greatest value of every component.
struct Range(Vec<Vec<[[f64; 2]; 4]>>);

impl Range {
    fn of(picture: &Picture) -> Self {
        let plane = |pixels: &Vec<[f64; 4]>| {
            pixels.iter().map(|pixel| pixel.map(|component| [component; 2])).collect()
        };
        Range(picture.planes.iter().map(|each| plane(&each.pixels)).collect())
    }

    fn extend(&mut self, picture: &Picture) {
        for (ranges, plane) in self.0.iter_mut().zip(&picture.planes) {
            for (range, pixel) in ranges.iter_mut().zip(&plane.pixels) {
                for ([low, high], component) in range.iter_mut().zip(pixel) {
                    (*low, *high) = (low.min(*component), high.max(*component));
                }
            }
        }
    }
}

/// Returns the pixels that lie outside of the range by more than their bounds.
fn differences(ours: &Picture, plain: &Picture, range: &Range, bounds: &Bounds) -> Vec<Pixel> {
    let mut wrong = Vec::new();
    let width = ours.width;
    for (number, plane) in ours.planes.iter().enumerate() {
        let (plain, range) = (&plain.planes[number].pixels, &range.0[number]);
        for (at, (ours, range)) in plane.pixels.iter().zip(range).enumerate() {
            let outside = (0..4).any(|component| {
                let (value, [low, high]) = (ours[component], range[component]);
                let bound = match plane.exact {
                    true => 0.0,
                    false => {
                        let greatest = low.abs().max(high.abs());
                        bounds.of_component(plane.format, component, greatest)
                    }
                };
                // Infinities are the same, and so are NaNs on both sides.
                let same = value == low || value == high || (value.is_nan() && low.is_nan());
                let within = value >= low - bound && value <= high + bound;
                !(same || within)
            });
            if outside {
                let (x, y) = (at % width, at / width);
                wrong.push(Pixel { plane: number, x, y, ours: *ours, plain: plain[at] });
            }
        }
    }
    wrong
}
