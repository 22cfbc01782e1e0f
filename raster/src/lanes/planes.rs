//! Texels of any format between planes of words and colours, by `formats::lanes`.

use formats::lanes::{Packer, Unpacker};
use tgsi::exec::Lanes;

/// Lanes converted at once: bounds the words on the stack.
const CHUNK: usize = 16;

/// Planes of texels to colours.
pub(crate) fn unpack<R: Lanes>(
    unpacker: &Unpacker,
    planes: usize,
    texels: &[R; 4],
    rgba: &mut [R; 4],
) {
    if planes == 1 {
        unpacker.unpack(texels[0].as_slice(), rgba.each_mut().map(|row| row.as_mut_slice()));
        return;
    }
    for start in (0..R::COUNT).step_by(CHUNK) {
        let range = start..R::COUNT.min(start + CHUNK);
        let count = range.len();
        let mut words = [0; 4 * CHUNK];
        for (plane, texels) in texels.iter().enumerate().take(planes) {
            words[plane * count..][..count].copy_from_slice(&texels.as_slice()[range.clone()]);
        }
        let rows = rgba.each_mut().map(|row| &mut row.as_mut_slice()[range.clone()]);
        unpacker.unpack(&words[..planes.min(4) * count], rows);
    }
}

/// Colours to planes of texels.
pub(crate) fn pack<R: Lanes>(packer: &Packer, planes: usize, rgba: [&R; 4]) -> [R; 4] {
    let mut texels = [R::ZERO; 4];
    if planes == 1 {
        packer.pack(rgba.map(|row| row.as_slice()), texels[0].as_mut_slice());
        return texels;
    }
    for start in (0..R::COUNT).step_by(CHUNK) {
        let range = start..R::COUNT.min(start + CHUNK);
        let count = range.len();
        let mut words = [0; 4 * CHUNK];
        let rows = rgba.map(|row| &row.as_slice()[range.clone()]);
        packer.pack(rows, &mut words[..planes.min(4) * count]);
        for (plane, texels) in texels.iter_mut().enumerate().take(planes) {
            texels.as_mut_slice()[range.clone()].copy_from_slice(&words[plane * count..][..count]);
        }
    }
    texels
}
