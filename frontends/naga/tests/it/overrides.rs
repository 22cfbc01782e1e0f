//! `override`s in sizes of arrays and workgroups, in the driver.

use gallium_naga::{ErrorKind, Module, Options, OwnedShader};
use pipe_core::Region;

use crate::machine::{with_machine, words};

/// Translates `main` with a value for the override `n`, if there is one.
fn with(wgsl: &str, n: Option<f64>) -> Result<OwnedShader, gallium_naga::Error> {
    let mut options = Options::default();
    options.constants.extend(n.map(|n| ("n".to_string(), n)));
    Module::wgsl(wgsl, "overrides.wgsl")?.translate("main", &options)?.try_into()
}

/// Runs one workgroup; returns the words of `output`.
#[track_caller]
fn run(wgsl: &str, n: Option<f64>, count: u32) -> Vec<u32> {
    let cs = with(wgsl, n).unwrap_or_else(|error| panic!("{error}"));
    with_machine([1, 1], 1, |machine| {
        let output = machine.storage(&cs, (0, 0), &vec![0; 4 * count as usize]);
        machine.launch(&cs, [1, 1, 1]);
        words(&machine.read(output, &Region::bytes(0, 4 * count)))
    })
}

#[test]
fn sizes_of_arrays() {
    let wgsl = "
        const first: array<i32, 1> = array(8);
        override n = first[0u];
        override m = first[0u];
        var<workgroup> all: array<u32, n - 2>;
        // The size of `all` for n = 14, as a number.
        var<workgroup> same: array<u32, 12>;
        // Two sizes by the same expression.
        var<workgroup> by_n: array<u32, n>;
        var<workgroup> by_m: array<u32, m>;
        @group(0) @binding(0) var<storage, read_write> output: array<u32>;
        @compute @workgroup_size(1) fn main() {
            // Each element names the next one, from both ends to the middle.
            for (var i = 0; i < n - 2; i++) {
                all[i] = u32(n - 2 - i);
                if i + 1 < (n + n % 2) / 2 { all[i] -= 1u; }
            }
            same[0] = 1; by_n[0] = 1; by_m[0] = 1;
            var i = 0u;
            var j = 1u;
            while i != j {
                output[0] = output[0] * all[i] + all[i];
                j = i;
                i = all[i];
            }
        }";
    // The same walk over an array of Rust.
    let expected = |n: i32| {
        let all: Vec<u32> =
            (0..n - 2).map(|i| (n - 2 - i - i32::from(i + 1 < (n + n % 2) / 2)) as u32).collect();
        let (mut i, mut j, mut output) = (0, 1, 0u32);
        while i != j {
            output = output.wrapping_mul(all[i]).wrapping_add(all[i]);
            j = i;
            i = all[i] as usize;
        }
        output
    };
    assert_eq!(expected(8), 534);
    assert_eq!(run(wgsl, None, 1), [534]);
    assert_eq!(run(wgsl, Some(14.0), 1), [expected(14)]);
    assert_eq!(run(wgsl, Some(9.0), 1), [expected(9)]);
}

#[test]
fn sizes_of_workgroups() {
    let wgsl = "
        override n = 3;
        @group(0) @binding(0) var<storage, read_write> output: array<u32>;
        @compute @workgroup_size(n - 2) fn main(@builtin(local_invocation_index) i: u32) {
            output[i] = i + 2;
        }";
    assert_eq!(run(wgsl, None, 3), [2, 0, 0]);
    assert_eq!(run(wgsl, Some(4.0), 3), [2, 3, 0]);
    // No invocations at all.
    assert_eq!(with(wgsl, Some(1.0)).unwrap_err().kind(), ErrorKind::Constants);
}
