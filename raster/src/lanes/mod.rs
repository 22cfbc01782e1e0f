//! Lanes: rows of values, one per pixel or texel, and the memory that they are loaded from and
//! stored to.
//!
//! All code that works on pixels builds on this module. A *row* is one `u32` per lane
//! (`tgsi::exec::Lanes`); floats are stored as their bits.
//!
//! | file | gives |
//! |---|---|
//! | `rows` | loops over rows, masks of lanes |
//! | `scalar` | clamp, floor and quantisation of one float |
//! | `comparison` | compare functions as tables |
//! | `unorm`, `planes` | texels ⇄ rows of colours |
//! | `target`, `quads` | pixels that are drawn to ⇄ rows, a stamp or a quad at a time |
//! | `stamp` | four quads that are 4×4 neighbouring pixels |
//! | `means` | samples → pixels |
//! | `level`, `indexed` | texels that are sampled, and indices into a palette |

mod comparison;
mod indexed;
mod level;
mod means;
pub(crate) mod planes;
mod quads;
mod rows;
mod scalar;
mod stamp;
mod target;
mod unorm;

pub(crate) use comparison::Comparison;
pub(crate) use indexed::Indexed;
pub(crate) use level::Level;
pub(crate) use means::means;
pub(crate) use quads::{
    gather, gather_planes, load_pixels, load_stamp, quads_with_mask, scatter, scatter_planes,
    store_pixels, store_stamp, touched_quads,
};
pub(crate) use rows::{
    each_lane, float, has_lane, lane_of, lanes_where, map, map_f32, map2_f32, select, set_lane,
};
pub(crate) use scalar::{clamp, floor, quantise};
pub(crate) use stamp::{STAMP, STAMP_X, STAMP_Y, stamp_masks, stamp_quads, stamps_per_batch};
use stamp::{lanes_of_rows, rows_of_lanes};
pub(crate) use target::{COLOR_BUFFERS, TileTargets, pixel};
pub(crate) use target::{QuadPosition, QuadPositions, Target};
pub(crate) use unorm::UnormLayout;
