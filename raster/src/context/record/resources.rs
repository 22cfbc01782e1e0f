//! The resources that programs read: texture bindings, and copies of constants.

use os_shim::Vec;
use os_shim::memory::OutOfMemory;
use tgsi::exec::MemorySpace;
use tgsi::program::{Constant, ConstantSource, Program, Row, Uses};

use super::{RecordError, bound_state};
use crate::context::binding::{Bound, Constants};
use crate::context::cso::{Objects, View};
use crate::features::{BINDLESS, SHADER_MEMORY, TEXTURES};
use crate::profile::Profile;
use crate::resource::{Inputs, TextureBinding};
use crate::scene::{ConstantBlock, MAX_CONSTANT_BLOCKS, Scene};

/// The views of the units that a stage's program samples, with the units.
pub(in crate::context) fn used_views<'a>(
    objects: &'a Objects<'_>,
    bound: &'a Bound<'_>,
    stage: usize,
    program: &'a Program<'_>,
) -> impl Iterator<Item = (usize, &'a View)> {
    // A unit that the program computes may be any.
    let computed = program.samples.iter().any(|sample| sample.unit_row != Row::NONE);
    let views = bound.views.get(stage).into_iter().flatten().enumerate();
    let used = views.filter(move |(unit, _)| {
        computed || program.samplers.iter().any(|used| usize::from(used.unit) == *unit)
    });
    used.filter_map(|(unit, view)| Some((unit, objects.views.get((*view)?)?)))
}

/// Appends the views and sampler states of the units that a stage's program samples, then those of
/// handles.
pub(in crate::context) fn add_textures(
    textures: &mut Vec<'_, TextureBinding>,
    objects: &Objects<'_>,
    bound: &Bound<'_>,
    stage: usize,
    program: &Program<'_>,
) -> Result<(), OutOfMemory> {
    if !TEXTURES {
        return Ok(());
    }
    let Some(samplers) = bound.samplers.get(stage) else { return Ok(()) };
    for (unit, view) in used_views(objects, bound, stage, program) {
        let sampler = samplers.get(unit).copied().flatten();
        textures.try_push(TextureBinding {
            unit: unit as u32,
            resource: view.resource,
            view: view.state,
            sampler: bound_state(&objects.samplers, sampler),
        })?;
    }
    if BINDLESS && program.uses.contains(Uses::BINDLESS) {
        objects.handles.add_textures(textures)?;
    }
    Ok(())
}

/// Returns the bytes of a constant buffer.
pub(in crate::context) fn constant_bytes<'a>(
    constants: &'a Constants<'_>,
    inputs: Inputs<'a, '_>,
) -> &'a [u8] {
    match constants {
        Constants::None => &[],
        Constants::User(bytes) => bytes,
        Constants::Resource { resource, offset, size } => {
            let bytes = inputs.bytes(*resource, 0);
            let end = offset.saturating_add(*size).min(bytes.len());
            bytes.get(*offset..end).unwrap_or(&[])
        }
    }
}

/// Copies the constants that a program reads: buffers may change before pixels are shaded.
///
/// Returns the copies' range (first, count) of the scene's constants.
pub(super) fn record_constants<P: Profile>(
    scene: &mut Scene<'_, P>,
    buffers: &[Constants<'_>],
    program: Option<&Program<'_>>,
    inputs: Inputs<'_, '_>,
) -> Result<(u32, u32), RecordError> {
    let first = scene.constants.len() as u32;
    let Some(program) = program else { return Ok((first, 0)) };
    for (constants, words) in buffers.iter().zip(constant_words(program)) {
        let bytes = constant_bytes(constants, inputs);
        let words = words.min(bytes.len() / 4);
        let at = scene.reserve(words)?;
        for (word, bytes) in scene.arena.get_mut(at, words).iter_mut().zip(bytes.as_chunks().0) {
            *word = u32::from_ne_bytes(*bytes);
        }
        let block = ConstantBlock { at: at as u32, words: words as u32 };
        scene.constants.try_push(block)?;
    }
    Ok((first, scene.constants.len() as u32 - first))
}

/// Returns how many words of each constant buffer a program reads.
fn constant_words(program: &Program<'_>) -> [usize; MAX_CONSTANT_BLOCKS] {
    let mut accesses = program.memory.iter();
    let loads = SHADER_MEMORY && accesses.any(|access| access.space == MemorySpace::Constant);
    if loads || program.uses.contains(Uses::INDIRECT_CONSTANTS) {
        return [usize::MAX; MAX_CONSTANT_BLOCKS];
    }
    let mut words = [0; MAX_CONSTANT_BLOCKS];
    for constant in program.constants {
        if let Constant { source: ConstantSource::Buffer { buffer, word }, .. } = *constant
            && let Some(words) = words.get_mut(buffer as usize)
        {
            *words = (*words).max(word as usize + 1);
        }
    }
    words
}
