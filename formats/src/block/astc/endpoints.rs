//! Decodes colour endpoints from 2 to 8 values, according to the endpoint mode of the partition.

type Color = [i32; 4];

/// Moves the highest bit of `a` to `b` and turns `a` into a signed 6-bit number.
const fn transfer(a: i32, b: i32) -> (i32, i32) {
    let base = b >> 1 | (a & 0x80);
    let offset = a >> 1 & 0x3f;
    (if offset & 0x20 != 0 { offset - 0x40 } else { offset }, base)
}

/// Moves red and green halfway towards blue ("blue contraction"), so that blue is stored precisely.
const fn contract([r, g, b, a]: Color) -> Color {
    [(r + b) >> 1, (g + b) >> 1, b, a]
}

fn clamped(ends: [Color; 2]) -> [Color; 2] {
    ends.map(|color| color.map(|x| x.clamp(0, 255)))
}

/// Decodes two endpoints stored as absolute values. If the first has the greater sum, the two are
/// swapped and contracted.
fn direct(low: Color, high: Color) -> [Color; 2] {
    let sum = |c: &Color| c[0] + c[1] + c[2];
    if sum(&high) >= sum(&low) { [low, high] } else { [contract(high), contract(low)] }
}

/// Decodes endpoints stored as a base and an offset. Each component is a pair (base, offset).
fn offset(pairs: [(i32, i32); 4]) -> [Color; 2] {
    let parts = pairs.map(|(base, offset)| transfer(offset, base));
    let low = parts.map(|(_, base)| base);
    let high = parts.map(|(offset, base)| base + offset);
    let sum = parts[0].0 + parts[1].0 + parts[2].0;
    clamped(if sum >= 0 { [low, high] } else { [contract(high), contract(low)] })
}

/// Decodes two endpoints; `None` for modes of high dynamic range.
pub(super) fn decode(mode: u32, values: &[u8]) -> Option<[Color; 2]> {
    let v: [i32; 8] = core::array::from_fn(|i| values.get(i).copied().unwrap_or(0) as i32);
    let grey = |l: i32, a: i32| [l, l, l, a];
    // Alpha that is not stored: base 255, offset 0, after the bit has moved.
    let opaque = |ends: [Color; 2]| ends.map(|[r, g, b, _]| [r, g, b, 255]);
    let scaled = |scale: i32, a: i32| {
        let part = |x: i32| (x * scale) >> 8;
        [part(v[0]), part(v[1]), part(v[2]), a]
    };
    Some(match mode {
        0 => [grey(v[0], 255), grey(v[1], 255)],
        1 => {
            let low = v[0] >> 2 | (v[1] & 0xc0);
            [grey(low, 255), grey((low + (v[1] & 0x3f)).min(255), 255)]
        }
        4 => [grey(v[0], v[2]), grey(v[1], v[3])],
        5 => {
            let ((dl, l), (da, a)) = (transfer(v[1], v[0]), transfer(v[3], v[2]));
            clamped([grey(l, a), grey(l + dl, a + da)])
        }
        6 => [scaled(v[3], 255), [v[0], v[1], v[2], 255]],
        8 => direct([v[0], v[2], v[4], 255], [v[1], v[3], v[5], 255]),
        9 => opaque(offset([(v[0], v[1]), (v[2], v[3]), (v[4], v[5]), (0, 0)])),
        10 => [scaled(v[3], v[4]), [v[0], v[1], v[2], v[5]]],
        12 => direct([v[0], v[2], v[4], v[6]], [v[1], v[3], v[5], v[7]]),
        13 => offset([(v[0], v[1]), (v[2], v[3]), (v[4], v[5]), (v[6], v[7])]),
        _ => return None,
    })
}
