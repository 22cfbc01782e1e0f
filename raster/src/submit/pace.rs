//! Decides by measured time whether large draws run their geometry on all workers.
//!
//! Both ways make the same scene, so the decision changes only the time. It is made for each vertex shader, because
//! recordings cost the same for each primitive and pay only where a vertex costs more.

use os_shim::pool::RawHandle;

/// The first draws of a shader take both ways in turn, each twice: early draws of a shader also make its machine code,
/// and the first shared draw also requests the workers' memory.
const FIRST_DRAWS: u32 = 4;
/// Of so many later draws, one takes the slower way, so that a change is noticed.
const DRAWS_A_TRIAL: u32 = 64;
/// The number of shaders that have times.
const SHADERS: usize = 32;

/// The times of the large draws of a context.
#[derive(Default)]
pub(super) struct Paces([Pace; SHADERS]);

/// The times of the large draws of a vertex shader.
#[derive(Clone, Copy, Default)]
struct Pace {
    shader: Option<RawHandle>,
    draws: u32,
    /// Nanoseconds for 1,024 indices: on one thread, and on all workers. A lower time replaces the one before; a
    /// higher one moves it by an eighth of the difference.
    times: [u64; 2],
}

impl Paces {
    /// Returns true if the next large draw of `shader` should run on all workers.
    pub(super) fn shares(&mut self, shader: RawHandle) -> bool {
        let pace = self.of(shader);
        pace.draws = pace.draws.wrapping_add(1);
        let [alone, shared] = pace.times;
        match pace.draws {
            ..=FIRST_DRAWS => pace.draws.is_multiple_of(2),
            draws => (shared < alone) != draws.is_multiple_of(DRAWS_A_TRIAL),
        }
    }

    /// Notes that a draw of so many indices took `nanoseconds`.
    pub(super) fn note(&mut self, shader: RawHandle, shared: bool, indices: u64, nanoseconds: u64) {
        let [alone, of_workers] = &mut self.of(shader).times;
        let kept = if shared { of_workers } else { alone };
        let time = nanoseconds.saturating_mul(1024) / indices.max(1);
        *kept = match *kept {
            before if time < before || before == 0 => time,
            before => before + (time - before) / 8,
        };
    }

    /// Returns the times of a shader, none if another shader had its place.
    fn of(&mut self, shader: RawHandle) -> &mut Pace {
        let [first, rest @ ..] = &mut self.0;
        let pace = match shader.slot() % SHADERS {
            0 => first,
            slot => rest.get_mut(slot - 1).unwrap_or(first),
        };
        if pace.shader != Some(shader) {
            *pace = Pace { shader: Some(shader), ..Pace::default() };
        }
        pace
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws 1,024 indices `draws` times, in the times given for one thread and for all workers; returns how many
    /// draws were shared.
    fn shared(paces: &mut Paces, shader: RawHandle, draws: u32, times: [u64; 2]) -> u32 {
        (0..draws).fold(0, |count, _| {
            let shares = paces.shares(shader);
            paces.note(shader, shares, 1024, times[usize::from(shares)]);
            count + u32::from(shares)
        })
    }

    #[test]
    fn the_faster_way_is_taken_and_the_other_tried() {
        let [slow, fast] = [1, 2].map(|bits| RawHandle::from_bits(bits).unwrap());
        let mut paces = Paces::default();
        // Two of the first four, then one of 64.
        assert_eq!(shared(&mut paces, slow, 4, [100, 150]), 2);
        assert_eq!(shared(&mut paces, slow, 640, [100, 150]), 10);
        // The times of one shader do not change the choice for another.
        assert_eq!(shared(&mut paces, fast, 4, [150, 100]), 2);
        assert_eq!(shared(&mut paces, fast, 640, [150, 100]), 630);
        assert_eq!(shared(&mut paces, slow, 64, [100, 150]), 1);
        // The workers are free at last: the next trial shows it.
        assert!(shared(&mut paces, slow, 640, [100, 50]) > 570);
    }

    #[test]
    fn a_place_is_for_the_last_shader_in_it() {
        let shaders = [5, 5 + SHADERS as u32].map(|bits| RawHandle::from_bits(bits).unwrap());
        let mut paces = Paces::default();
        for shader in shaders {
            assert_eq!(shared(&mut paces, shader, 4, [150, 100]), 2);
            assert_eq!(shared(&mut paces, shader, 10, [150, 100]), 10);
        }
        assert_eq!(shared(&mut paces, shaders[0], 4, [150, 100]), 2);
    }
}
