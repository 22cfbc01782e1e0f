//! Images: texels at integer coordinates, converted by the codec of the image's format.

use formats::Format;
use formats::lanes::{Packer, Unpacker};
use tgsi::exec::{AtomicCode, Lanes, Mask, MemoryKind, MemoryRequest};
use tgsi::shader::TextureTarget;

use super::Bytes;
use crate::lanes::planes::{pack, unpack};
use crate::lanes::{lane_of, set_lane};

/// The texels that an image shows, and their positions in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Image {
    pub(crate) format: Format,
    /// Byte offset of the first texel.
    pub(crate) first: usize,
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Layers, faces or slices.
    pub(crate) layers: u32,
    pub(crate) row_stride: usize,
    pub(crate) layer_stride: usize,
    /// Samples per texel.
    pub(crate) samples: u32,
    /// Bytes from one sample of a texel to the next.
    pub(crate) sample_stride: usize,
}

impl Image {
    /// Executes a request on the image's texels.
    pub(super) fn access<R: Lanes>(
        &self,
        bytes: Bytes<'_>,
        request: &MemoryRequest<'_, R>,
        out: &mut [R; 4],
    ) {
        match request.kind {
            MemoryKind::Load => self.load(bytes, request, out),
            MemoryKind::Store => self.store(bytes, request),
            MemoryKind::Atomic(code) => self.change(bytes, request, code, &mut out[0]),
            MemoryKind::Size => {
                for (out, size) in out.iter_mut().zip(self.size(request.target)) {
                    *out = R::splat(size);
                }
            }
        }
    }

    /// Returns the width, the height, and the layers or depth, as far as the target has them; w is
    /// the number of samples per texel.
    fn size(&self, target: TextureTarget) -> [u32; 4] {
        use TextureTarget::*;
        let Image { width, height, layers, samples, .. } = *self;
        let [y, z] = match target {
            Buffer | Texture1D | Shadow1D => [0, 0],
            Array1D | ShadowArray1D => [layers, 0],
            Texture2D | Rect | Shadow2D | ShadowRect | Cube | ShadowCube | Msaa2D => [height, 0],
            CubeArray | ShadowCubeArray => [height, layers / 6],
            Texture3D | Array2D | ShadowArray2D | MsaaArray2D | Unknown => [height, layers],
        };
        [width, y, z, samples]
    }

    /// Returns a function from a lane to the byte offset of its texel, `None` out of range.
    #[inline(always)]
    fn places<'r, R: Lanes>(
        &self,
        request: &MemoryRequest<'r, R>,
    ) -> impl Fn(usize) -> Option<usize> + use<'r, R> {
        use TextureTarget::*;
        let [x, y, z, sample] = request.address;
        let zero = R::ZERO_AND_ONE[0];
        let sample = match request.target {
            Msaa2D | MsaaArray2D => sample,
            _ => zero,
        };
        let (y, z) = match request.target {
            Buffer | Texture1D | Shadow1D => (zero, zero),
            Array1D | ShadowArray1D => (zero, y),
            Texture2D | Rect | Shadow2D | ShadowRect | Msaa2D => (y, zero),
            Texture3D | Array2D | ShadowArray2D | MsaaArray2D | Cube | ShadowCube | CubeArray
            | ShadowCubeArray | Unknown => (y, z),
        };
        let (image, size) = (*self, self.format.block_bytes());
        move |lane| {
            let at = [x, y, z, sample].map(|row| lane_of(row.as_slice(), lane));
            let [x, y, z, sample] = at;
            let is_there =
                x < image.width && y < image.height && z < image.layers && sample < image.samples;
            is_there.then(|| {
                let row = z as usize * image.layer_stride + y as usize * image.row_stride;
                let plane = sample as usize * image.sample_stride;
                image.first + row + plane + x as usize * size
            })
        }
    }

    /// Loads texels as colours: f32, or integers for pure-integer formats.
    fn load<R: Lanes>(&self, bytes: Bytes<'_>, request: &MemoryRequest<'_, R>, out: &mut [R; 4]) {
        let size = self.format.block_bytes();
        let mut texels = [R::ZERO; 4];
        let mut there: Mask = 0;
        let place = self.places(request);
        for lane in request.lanes() {
            let Some(at) = place(lane) else { continue };
            there |= 1 << lane;
            for (word, texels) in texels.iter_mut().enumerate().take(size.div_ceil(4)) {
                let value = bytes.load(at + 4 * word).unwrap_or(0);
                set_lane(texels.as_mut_slice(), lane, value >> shift(at, size));
            }
        }
        if let Some(one) = self.word_one() {
            let [word, ..] = texels;
            *out = [word, R::ZERO, R::ZERO, R::splat(one)];
        } else {
            unpack(&Unpacker::new(self.format), size.div_ceil(4), &texels, out);
        }
        for row in out {
            let lanes = row.as_mut_slice().iter_mut().enumerate();
            lanes.filter(|(lane, _)| there >> lane & 1 == 0).for_each(|(_, value)| *value = 0);
        }
    }

    /// Returns the alpha, 1 in the format's type, for the one-channel 32-bit formats. Atomics use
    /// these formats, and their texel is the red channel's word.
    fn word_one(&self) -> Option<u32> {
        match self.format {
            Format::R32Uint | Format::R32Sint => Some(1),
            Format::R32Float => Some(1.0f32.to_bits()),
            _ => None,
        }
    }

    /// Stores colours as texels.
    fn store<R: Lanes>(&self, bytes: Bytes<'_>, request: &MemoryRequest<'_, R>) {
        let size = self.format.block_bytes();
        let texels = match self.word_one() {
            Some(_) => [*request.value[0], R::ZERO, R::ZERO, R::ZERO],
            None => pack(&Packer::new(self.format), size.div_ceil(4), request.value),
        };
        let place = self.places(request);
        for lane in request.lanes() {
            let Some(at) = place(lane) else { continue };
            if size < 4 {
                let (shift, mask) = (shift(at, size), u32::MAX >> (32 - 8 * size));
                let texel = lane_of(texels[0].as_slice(), lane);
                bytes.store_bits(at, mask << shift, texel << shift);
                continue;
            }
            for (word, texels) in texels.iter().enumerate().take(size / 4) {
                bytes.store(at + 4 * word, lane_of(texels.as_slice(), lane));
            }
        }
    }

    /// Applies an atomic to texels of one word; `old` receives the previous words.
    fn change<R: Lanes>(
        &self,
        bytes: Bytes<'_>,
        request: &MemoryRequest<'_, R>,
        code: AtomicCode,
        old: &mut R,
    ) {
        if self.format.block_bytes() != 4 {
            return;
        }
        let place = self.places(request);
        for lane in request.lanes() {
            let Some(at) = place(lane) else { continue };
            let operand = lane_of(request.value[0].as_slice(), lane);
            let compare = lane_of(request.compare.as_slice(), lane);
            let before = bytes.change(at, code, operand, compare).unwrap_or(0);
            set_lane(old.as_mut_slice(), lane, before);
        }
    }
}

/// Returns the bit offset, within its word, of a `size`-byte texel at byte `at`.
#[inline(always)]
fn shift(at: usize, size: usize) -> u32 {
    if size < 4 { 8 * (at as u32 & 3) } else { 0 }
}

#[cfg(test)]
mod tests {
    use os_shim::Words;
    use tgsi::declaration::ImageFormat;
    use tgsi::exec::MemorySpace;

    use super::*;

    const IMAGE: Image = Image {
        format: Format::R8Uint,
        first: 0,
        width: 3,
        height: 2,
        layers: 2,
        row_stride: 3,
        layer_stride: 6,
        samples: 1,
        sample_stride: 0,
    };

    /// Runs a request of four lanes, each at its (x, y, z); returns their results.
    fn run(
        image: Image,
        words: &mut [u32],
        target: TextureTarget,
        kind: MemoryKind,
        at: [[u32; 4]; 4],
        value: [u32; 4],
    ) -> [[u32; 4]; 4] {
        let zero = [0; 4];
        let value = value.map(|component| [component; 4]);
        let request = MemoryRequest {
            kind,
            space: MemorySpace::Image,
            unit: 0,
            target,
            format: ImageFormat::NONE,
            address: at.each_ref(),
            value: value.each_ref(),
            compare: &zero,
            mask: 15,
            live: 0b1111,
        };
        let mut out = [zero; 4];
        image.access(Bytes::Shared(Words::new(words)), &request, &mut out);
        out
    }

    #[test]
    fn texels_of_a_byte_leave_their_neighbours() {
        let mut words = [0x1111_1111; 3];
        let at = [[0, 2, 3, 1], [0, 1, 0, 1], [0, 1, 0, 2], [0; 4]];
        let target = TextureTarget::Array2D;
        run(IMAGE, &mut words, target, MemoryKind::Store, at, [0xAB, 9, 9, 9]);
        // Texel 0 and texel 11; x = 3 and z = 2 are out of range.
        assert_eq!(words, [0x1111_11AB, 0x1111_1111, 0xAB11_1111]);
        let loaded = run(IMAGE, &mut words, target, MemoryKind::Load, at, [0; 4]);
        assert_eq!(loaded, [[0xAB, 0xAB, 0, 0], [0; 4], [0; 4], [1, 1, 0, 0]]);
    }

    #[test]
    fn targets_read_their_coordinates_only() {
        let mut words = [0x0302_0100, 0x0706_0504, 0x0B0A_0908];
        let at = [[1; 4], [1; 4], [1; 4], [0; 4]];
        let load = |target, words: &mut [u32]| {
            run(IMAGE, words, target, MemoryKind::Load, at, [0; 4])[0][0]
        };
        assert_eq!(load(TextureTarget::Texture1D, &mut words), 1);
        assert_eq!(load(TextureTarget::Array1D, &mut words), 7);
        assert_eq!(load(TextureTarget::Texture2D, &mut words), 4);
        assert_eq!(load(TextureTarget::Texture3D, &mut words), 10);
    }

    #[test]
    fn samples_are_planes_of_a_row() {
        // Rows of three texels, two samples each: bytes 3 to 5 are sample 1 of row 0.
        let image =
            Image { row_stride: 6, layer_stride: 12, samples: 2, sample_stride: 3, ..IMAGE };
        let mut words = [0; 6];
        let at = [[2, 2, 2, 2], [0, 1, 0, 0], [0, 0, 1, 0], [0, 1, 1, 2]];
        let target = TextureTarget::MsaaArray2D;
        run(image, &mut words, target, MemoryKind::Store, at, [7, 0, 0, 0]);
        // Texels (2, 0), (2, 1) and (2, 0) of layer 1, for samples 0, 1 and 1; sample 2 is out of
        // range.
        let bytes: &[u8] = bytemuck::cast_slice(&words);
        let stored = bytes.iter().enumerate().filter(|(_, byte)| **byte == 7);
        assert!(stored.map(|(at, _)| at).eq([2, 11, 17]));
        let loaded = run(image, &mut words, target, MemoryKind::Load, at, [0; 4]);
        assert_eq!(loaded[0], [7, 7, 7, 0]);
        assert_eq!(image.size(target), [3, 2, 2, 2]);
    }

    #[test]
    fn sizes_are_of_the_target() {
        let size = |target, layers| Image { layers, ..IMAGE }.size(target);
        assert_eq!(size(TextureTarget::Buffer, 1), [3, 0, 0, 1]);
        assert_eq!(size(TextureTarget::Array1D, 5), [3, 5, 0, 1]);
        assert_eq!(size(TextureTarget::Cube, 6), [3, 2, 0, 1]);
        assert_eq!(size(TextureTarget::CubeArray, 12), [3, 2, 2, 1]);
        assert_eq!(size(TextureTarget::Texture3D, 4), [3, 2, 4, 1]);
    }

    #[test]
    fn atomics_are_of_one_word() {
        let image = Image { format: Format::R32Uint, row_stride: 12, layer_stride: 24, ..IMAGE };
        let at = [[1, 1, 1, 9], [0; 4], [0; 4], [0; 4]];
        let add = MemoryKind::Atomic(AtomicCode::Add);
        let mut words = [0, 100, 0, 0];
        let old = run(image, &mut words, TextureTarget::Texture2D, add, at, [5, 0, 0, 0])[0];
        assert_eq!((old, words), ([100, 105, 110, 0], [0, 115, 0, 0]));
        run(IMAGE, &mut words, TextureTarget::Texture2D, add, at, [5, 0, 0, 0]);
        assert_eq!(words, [0, 115, 0, 0], "a texel of a byte is none");
    }
}
