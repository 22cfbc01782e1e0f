//! Sets the cfg `spans` where a feature brings a kernel of integer spans.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(spans)");
    let kernels = ["CARGO_FEATURE_SPANS_565", "CARGO_FEATURE_SPANS_GENERIC"];
    if kernels.iter().any(|kernel| std::env::var_os(kernel).is_some()) {
        println!("cargo::rustc-cfg=spans");
    }
}
