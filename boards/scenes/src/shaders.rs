//! The scenes' shaders, compiled to lane code at build time from the WGSL files of `shaders/`.

use wgsl::wgsl;

/// Wraps `wgsl!` for vertex shaders: adds machine code for the lanes that the crate's features
/// select.
macro_rules! vertex {
    ($($shader:tt)*) => {
        #[cfg(not(any(feature = "native-4", feature = "native-16")))]
        wgsl! { $($shader)* }
        #[cfg(all(feature = "native-4", not(feature = "native-16")))]
        wgsl! { native(4); $($shader)* }
        #[cfg(all(feature = "native-16", not(feature = "native-4")))]
        wgsl! { native(16); $($shader)* }
        #[cfg(all(feature = "native-4", feature = "native-16"))]
        wgsl! { native(4, 16); $($shader)* }
    };
}

vertex! {
    interface;
    /// Position, and the colour lit at the vertex.
    pub(crate) static LIT_VERTEX: "shaders/model.wgsl" => lit_vertex;
}

wgsl! {
    /// The interpolated colour.
    pub(crate) static COLOR_FRAGMENT: "shaders/model.wgsl" => color_fragment;
}

vertex! {
    /// Position, and the unchanged normal.
    pub(crate) static NORMAL_VERTEX: "shaders/model.wgsl" => normal_vertex;
}

wgsl! {
    pixel;
    /// Lights the pixel: normalises the normal, then as in `LIT_VERTEX` with a tighter highlight.
    pub(crate) static LIT_FRAGMENT: "shaders/model.wgsl" => lit_fragment;
}

vertex! {
    /// Position; texture coordinate, with the light as a third component.
    pub(crate) static TEXTURED_VERTEX: "shaders/model.wgsl" => textured_vertex;
}

wgsl! {
    /// The texel times the light.
    pub(crate) static TEXTURED_FRAGMENT: "shaders/model.wgsl" => textured_fragment;
}

vertex! {
    /// Transforms the position by the matrix; passes on a texture coordinate.
    pub(crate) static MODEL_UV_VERTEX: "shaders/model.wgsl" => uv_vertex;
}

vertex! {
    /// Transforms the position by the matrix; ambient and diffuse light.
    pub(crate) static DIFFUSE_VERTEX: "shaders/model.wgsl" => diffuse_vertex;
}

vertex! {
    /// Passes clip space on unchanged.
    pub(crate) static FLAT_VERTEX: "shaders/screen.wgsl" => flat_vertex;
}

wgsl! {
    /// Outputs the first four constants.
    pub(crate) static FLAT_FRAGMENT: "shaders/screen.wgsl" => flat_fragment;
}

vertex! {
    /// Passes on clip space and a colour.
    pub(crate) static GOURAUD_VERTEX: "shaders/screen.wgsl" => gouraud_vertex;
}

vertex! {
    /// Passes on clip space and a texture coordinate.
    pub(crate) static UV_VERTEX: "shaders/screen.wgsl" => uv_vertex;
}

wgsl! {
    /// Outputs the texel.
    pub(crate) static TEXEL_FRAGMENT: "shaders/screen.wgsl" => texel_fragment;
}
