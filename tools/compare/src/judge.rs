//! The verdict: compares both pictures of a scene, pixel by pixel.

use os_shim::Os;
use pipe_core::{PipeError, Screen};
use reference::Nudge;

use crate::bounds::Bounds;
use crate::render::{Picture, render};
use crate::scene::Scene;

/// The maximum number of nudged pictures that may explain a pixel. In four of them all numbers move
/// alike, in the rest by chance. Few pixels need more than ten pictures. A pixel with a divisor
/// near 0 can take any value, and needs many pictures to show that.
const NUDGES: u32 = 200;

/// A differing pixel.
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
    /// The plain driver's components.
    pub plain: [f64; 4],
}

/// The outcome of a comparison.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// All pixels lie within their bounds; some of them may have needed a nudge.
    Same {
        /// Pixels that needed a nudge.
        nudged: usize,
    },
    /// Both drivers refuse the scene, or its streamed frame is larger than the scene buffer.
    Refused(PipeError),
    /// The drivers refuse the scene for different reasons, or only one of them refuses it.
    Refusals([Option<PipeError>; 2]),
    /// These pixels differ.
    Pixels(Vec<Pixel>),
    /// Occlusion queries differ although all pixels are the same.
    Samples([Vec<u64>; 2]),
}

impl Verdict {
    /// Returns true if the drivers disagree.
    pub fn is_fault(&self) -> bool {
        !matches!(self, Verdict::Same { .. } | Verdict::Refused(_))
    }
}

/// Draws a scene on the plain driver, with every number moved by a nudge.
///
/// # Errors
/// Any error of the driver.
pub fn plain(scene: &Scene, nudge: Nudge) -> Result<Picture, PipeError> {
    let config = reference::Config { nudge };
    render(&reference::Screen::new(Os::host(), config), scene)
}

/// Draws a scene on a driver and on the plain driver, and compares the pictures.
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
        // The plain driver drew the scene before, so an error is not expected here.
        if let Ok(nudged) = plain(scene, Nudge { seed, ..bounds.nudge }) {
            range.extend(&nudged);
        }
        wrong = differences(&ours, &reference, &range, &bounds);
    }
    if !wrong.is_empty() {
        return Verdict::Pixels(wrong);
    }
    if suspects == 0 && ours.samples != reference.samples {
        // A test may have had the other outcome, in pixels of the same colour.
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

/// The minimum and maximum of every component.
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
                // Equal infinities are the same, and so are NaNs on both sides.
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
