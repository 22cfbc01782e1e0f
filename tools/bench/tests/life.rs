//! Compares the game of life computed by grids with its rules.

use gallium_bench::screens;
use gallium_host::render::BOARD;
use os_shim::Os;
use raster::AnyProfile;
use scenes::View;

const COLUMNS: usize = 32;
const ROWS: usize = 24;

type Cells = [[bool; COLUMNS]; ROWS];

/// Returns the cells of the scene's first generation. A cell lives if the top three bits of a
/// product of its number are below 3.
fn first() -> Cells {
    let bits = |number: usize| (number as u32).wrapping_mul(2_654_435_761) >> 29;
    std::array::from_fn(|y| std::array::from_fn(|x| bits(y * COLUMNS + x) < 3))
}

/// Applies Conway's rules on a torus: with three neighbours a cell becomes alive, with two it
/// survives.
fn next(cells: &Cells) -> Cells {
    let neighbours = |x: usize, y: usize| {
        let around = [-1, 0, 1].into_iter().flat_map(|down| [-1, 0, 1].map(|right| (right, down)));
        let lives = |&(right, down): &(isize, isize)| {
            let column = (x as isize + right).rem_euclid(COLUMNS as isize);
            let row = (y as isize + down).rem_euclid(ROWS as isize);
            cells[row as usize][column as usize]
        };
        around.filter(|place| *place != (0, 0)).filter(lives).count()
    };
    std::array::from_fn(|y| {
        std::array::from_fn(|x| matches!((neighbours(x, y), cells[y][x]), (3, _) | (2, true)))
    })
}

#[test]
fn cells_live_by_the_rules() {
    let scene = scenes::find("life").unwrap();
    let mut cells = first();
    for frame in 0..36 {
        cells = next(&cells);
        if ![0, 1, 10, 35].contains(&frame) {
            continue;
        }
        let living = cells.as_flattened().iter().filter(|lives| **lives).count();
        assert!((50..600).contains(&living), "frame {frame}: {living} cells");
        let view = View::turntable(frame, 36, BOARD.aspect());
        let picture = screens::frame(AnyProfile::Small, Os::host(), &BOARD, scene, &view).unwrap();
        // A cell is a square of 10 pixels; the pixels at its edge stay empty.
        let background = picture.pixels[0];
        for (at, pixel) in picture.pixels.iter().enumerate() {
            let (x, y) = (at % 320, at / 320);
            let inside = (1..9).contains(&(x % 10)) && (1..9).contains(&(y % 10));
            let wanted = inside && cells[y / 10][x / 10];
            assert_eq!(*pixel != background, wanted, "frame {frame}: {x} {y}");
        }
    }
}
