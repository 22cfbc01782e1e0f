//! Sets cfgs that combine features or describe the target:
//!
//! * `flights`: a flush may return before its work is done (`threads` does that work, `desktop`
//!   has the fences that report its end).
//! * `palettes`: textures may be indices into a palette (on hosts, and in firmware with the generic
//!   kernel for all targets).
//! * `armv6m`: Cortex-M0 and M0+, with no FPU, no division and products of 32 bits. They are
//!   recognised by their lack of compare-and-swap, which other Arm cores have.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let has = |features: &[&str]| {
        features.iter().all(|name| std::env::var_os(format!("CARGO_FEATURE_{name}")).is_some())
    };
    println!("cargo::rustc-check-cfg=cfg(flights)");
    if has(&["THREADS", "DESKTOP"]) {
        println!("cargo::rustc-cfg=flights");
    }
    println!("cargo::rustc-check-cfg=cfg(palettes)");
    if has(&["SPANS_ALL"]) || has(&["FRAGMENTS", "ES2", "ALL_FORMATS"]) {
        println!("cargo::rustc-cfg=palettes");
    }
    println!("cargo::rustc-check-cfg=cfg(armv6m)");
    let target = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    if target("ARCH") == "arm" && !target("HAS_ATOMIC").split(',').any(|width| width == "ptr") {
        println!("cargo::rustc-cfg=armv6m");
    }
}
