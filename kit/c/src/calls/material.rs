//! Materials: one function per kind, so that the linker drops shaders that no call names.

use core::cell::Cell;

use gallium::pipe_core::PipeError;
use gallium::{glam, kit};

use super::{device, object, place, reference};
use crate::data::{Color, Mat4, Surface, View};
use crate::error::Code;
use crate::object::{Gallium, Material, Mesh, Painted, Raster, Texture, answer, hand_over};

/// A constructor of the kit with its own arguments.
type Make<'a> =
    &'a dyn Fn(&mut Raster, &kit::Layout, &kit::Surface) -> Result<kit::Material, PipeError>;

/// Creates a material for a mesh by the kit's constructor.
///
/// Not generic, as a copy for each constructor would take flash.
///
/// # Safety
/// See the module [`calls`](super).
unsafe fn create(
    gallium: *mut Gallium,
    mesh: *const Mesh,
    surface: u32,
    material: *mut *mut Material,
    make: Make<'_>,
) -> Code {
    // SAFETY: null or valid, as the header demands.
    let (device, mesh, material) = unsafe {
        let device = device(gallium);
        (device, object(device, mesh), place(material))
    };
    answer(device, |raster| {
        let (layout, material) = (mesh?.layout, material?);
        let made = make(raster, &layout, &Surface::of(surface)?)?;
        Ok(hand_over(raster.memory, Painted { material: Cell::new(made), layout }, material)?)
    })
}

/// Calls a function with the texture at a pointer.
///
/// # Safety
/// See the module [`calls`](super).
unsafe fn with_texture(
    gallium: *mut Gallium,
    texture: *const Texture,
    call: impl FnOnce(kit::Texture) -> Code,
) -> Code {
    // SAFETY: null or valid, as the header demands.
    let (device, texture) = unsafe {
        let device = device(gallium);
        (device, object(device, texture))
    };
    match texture {
        Ok(texture) => call(*texture),
        Err(code) => answer(device, |_| Err(code.into())),
    }
}

/// Creates a material of one colour without light, for meshes with the layout of `mesh`.
///
/// `surface` is a constant of `gallium_surface`, in this function and the next ones.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gallium_material_plain(
    gallium: *mut Gallium,
    mesh: *const Mesh,
    surface: u32,
    color: Color,
    material: *mut *mut Material,
) -> Code {
    // SAFETY: null or valid, as the header demands.
    unsafe {
        create(gallium, mesh, surface, material, &|raster, layout, surface| {
            kit::Material::plain(raster, layout, surface, color.into())
        })
    }
}

/// Creates a material that shows the colours of the vertices.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gallium_material_colored(
    gallium: *mut Gallium,
    mesh: *const Mesh,
    surface: u32,
    material: *mut *mut Material,
) -> Code {
    // SAFETY: null or valid, as the header demands.
    unsafe {
        create(gallium, mesh, surface, material, &|raster, layout, surface| {
            kit::Material::colored(raster, layout, surface)
        })
    }
}

/// Creates a material of one colour in the light of the sun. The mesh has normals.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gallium_material_lit(
    gallium: *mut Gallium,
    mesh: *const Mesh,
    surface: u32,
    color: Color,
    material: *mut *mut Material,
) -> Code {
    // SAFETY: null or valid, as the header demands.
    unsafe {
        create(gallium, mesh, surface, material, &|raster, layout, surface| {
            kit::Material::lit(raster, layout, surface, color.into())
        })
    }
}

/// Creates a material that shows the colours of the vertices in the light of the sun.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gallium_material_colored_lit(
    gallium: *mut Gallium,
    mesh: *const Mesh,
    surface: u32,
    material: *mut *mut Material,
) -> Code {
    // SAFETY: null or valid, as the header demands.
    unsafe {
        create(gallium, mesh, surface, material, &|raster, layout, surface| {
            kit::Material::colored_lit(raster, layout, surface)
        })
    }
}

/// Creates a material of one colour in the light of the sun, in fog.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gallium_material_lit_fogged(
    gallium: *mut Gallium,
    mesh: *const Mesh,
    surface: u32,
    color: Color,
    material: *mut *mut Material,
) -> Code {
    // SAFETY: null or valid, as the header demands.
    unsafe {
        create(gallium, mesh, surface, material, &|raster, layout, surface| {
            kit::Material::lit_fogged(raster, layout, surface, color.into())
        })
    }
}

/// Creates a material of one colour in the light of the sun and the lamp, in fog.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gallium_material_lamplit(
    gallium: *mut Gallium,
    mesh: *const Mesh,
    surface: u32,
    color: Color,
    material: *mut *mut Material,
) -> Code {
    // SAFETY: null or valid, as the header demands.
    unsafe {
        create(gallium, mesh, surface, material, &|raster, layout, surface| {
            kit::Material::lamplit(raster, layout, surface, color.into())
        })
    }
}

/// Creates a material that shows a texture. The mesh has texture coordinates.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gallium_material_textured(
    gallium: *mut Gallium,
    mesh: *const Mesh,
    surface: u32,
    texture: *const Texture,
    material: *mut *mut Material,
) -> Code {
    // SAFETY: null or valid, as the header demands.
    unsafe {
        with_texture(gallium, texture, |texture| {
            create(gallium, mesh, surface, material, &|raster, layout, surface| {
                kit::Material::textured(raster, layout, surface, texture)
            })
        })
    }
}

/// Creates a material that shows a texture times a colour.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gallium_material_textured_tinted(
    gallium: *mut Gallium,
    mesh: *const Mesh,
    surface: u32,
    texture: *const Texture,
    color: Color,
    material: *mut *mut Material,
) -> Code {
    // SAFETY: null or valid, as the header demands.
    unsafe {
        with_texture(gallium, texture, |texture| {
            create(gallium, mesh, surface, material, &|raster, layout, surface| {
                kit::Material::textured_tinted(raster, layout, surface, texture, color.into())
            })
        })
    }
}

/// Creates a material that shows a texture times a colour in the light of the sun.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gallium_material_textured_lit(
    gallium: *mut Gallium,
    mesh: *const Mesh,
    surface: u32,
    texture: *const Texture,
    color: Color,
    material: *mut *mut Material,
) -> Code {
    // SAFETY: null or valid, as the header demands.
    unsafe {
        with_texture(gallium, texture, |texture| {
            create(gallium, mesh, surface, material, &|raster, layout, surface| {
                kit::Material::textured_lit(raster, layout, surface, texture, color.into())
            })
        })
    }
}

/// Creates a material that shows a texture in light without a product per pixel: the texture has
/// sixteen brightnesses, one below the other, and each vertex selects one by the light of the sun.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gallium_material_shaded(
    gallium: *mut Gallium,
    mesh: *const Mesh,
    surface: u32,
    texture: *const Texture,
    material: *mut *mut Material,
) -> Code {
    // SAFETY: null or valid, as the header demands.
    unsafe {
        with_texture(gallium, texture, |texture| {
            create(gallium, mesh, surface, material, &|raster, layout, surface| {
                kit::Material::shaded(raster, layout, surface, texture)
            })
        })
    }
}

/// Changes the colour of a material for the next draws.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gallium_material_set_color(
    gallium: *mut Gallium,
    material: *mut Material,
    color: Color,
) -> Code {
    // SAFETY: null or valid, as the header demands.
    let (device, material) = unsafe {
        let device = device(gallium);
        (device, object(device, material))
    };
    answer(device, |_| {
        let material = &material?.material;
        material.set(material.get().with_color(color.into()));
        Ok(())
    })
}

/// Changes the texture of a material for the next draws.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gallium_material_set_texture(
    gallium: *mut Gallium,
    material: *mut Material,
    texture: *const Texture,
) -> Code {
    // SAFETY: null or valid, as the header demands.
    let (device, material, texture) = unsafe {
        let device = device(gallium);
        (device, object(device, material), object(device, texture))
    };
    answer(device, |_| {
        let (material, texture) = (&material?.material, *texture?);
        let mut changed = material.get();
        if changed.texture.is_none() {
            return Err(Code::Invalid.into());
        }
        changed.texture = Some(texture);
        material.set(changed);
        Ok(())
    })
}

/// Draws a mesh; `model` is the map from the mesh to the world. The mesh has the layout that the
/// material was made for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gallium_draw(
    gallium: *mut Gallium,
    material: *const Material,
    mesh: *const Mesh,
    view: *const View,
    model: *const Mat4,
) -> Code {
    // SAFETY: null or valid, as the header demands.
    let (device, material, mesh, view, model) = unsafe {
        let device = device(gallium);
        (device, object(device, material), object(device, mesh), reference(view), reference(model))
    };
    answer(device, |raster| {
        let (painted, mesh) = (material?, mesh?);
        if painted.layout != mesh.layout {
            return Err(Code::WrongLayout.into());
        }
        let (view, model) = (kit::View::from(view?), glam::Mat4::from(*model?));
        Ok(painted.material.get().draw(raster, mesh, &view, &model)?)
    })
}
