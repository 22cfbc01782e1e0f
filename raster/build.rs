//! Sets cfgs that combine features or describe the target:
//!
//! * `flights`: a flush may return before its work is done (`threads` does that work, `desktop`
//!   has the fences that report its end).
//! * `armv6m`: Cortex-M0 and M0+, with no FPU, no division and products of 32 bits. They are
//!   recognised by their lack of compare-and-swap, which other Arm cores have.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(flights)");
    let needed = ["CARGO_FEATURE_THREADS", "CARGO_FEATURE_DESKTOP"];
    if needed.iter().all(|feature| std::env::var_os(feature).is_some()) {
        println!("cargo::rustc-cfg=flights");
    }
    println!("cargo::rustc-check-cfg=cfg(armv6m)");
    let target = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    if target("ARCH") == "arm" && !target("HAS_ATOMIC").split(',').any(|width| width == "ptr") {
        println!("cargo::rustc-cfg=armv6m");
    }
}
