//! What a screen can do: four families of questions, each with a default answer.
//!
//! The defaults oblige a driver to nothing: what the manual names, else features are absent and
//! limits are what OpenGL 2.1 demands at least.

mod cap;
mod capf;
mod compute;
mod shader;

pub use cap::Cap;
pub use capf::CapF;
pub use compute::ComputeCap;
pub use shader::ShaderCap;

/// Defines a family: variants, their Gallium names, their defaults.
macro_rules! caps {
    (
        $(#[$meta:meta])*
        pub enum $name:ident: $value:ty $(as $default:ident)? {
            $( $(#[$cap_meta:meta])* $cap:ident = $gallium:literal, $answer:expr; )+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[cfg_attr(feature = "defmt", derive(defmt::Format))]
        #[repr(u16)]
        pub enum $name {
            $(
                $(#[$cap_meta])*
                #[doc = concat!("\n\n`", $gallium, "`, by default ", stringify!($answer), ".")]
                $cap,
            )+
        }

        impl $name {
            /// All of them, in the manual's order.
            pub const ALL: &'static [Self] = &[$( Self::$cap, )+];

            /// Gallium's name.
            pub const fn gallium_name(self) -> &'static str {
                match self {
                    $( Self::$cap => $gallium, )+
                }
            }

            caps!(@default $value, [$( $default )?], [$( $cap = $answer, )+]);
        }
    };
    (@default $value:ty, [], [$( $cap:ident = $answer:expr, )+]) => {
        /// What a screen answers that does not say otherwise.
        pub const fn default_value(self) -> $value {
            match self {
                $( Self::$cap => $answer, )+
            }
        }
    };
    (@default $value:ty, [$default:ident], [$( $cap:ident = $answer:expr, )+]) => {
        /// The default of a stage that exists.
        const fn $default(self) -> $value {
            match self {
                $( Self::$cap => $answer, )+
            }
        }
    };
}
pub(crate) use caps;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shader::ShaderType;

    #[test]
    fn families_are_complete() {
        // Counted in the manual's lists.
        let counts = [Cap::ALL.len(), CapF::ALL.len(), ShaderCap::ALL.len(), ComputeCap::ALL.len()];
        assert_eq!(counts, [248, 15, 39, 16]);
    }

    #[test]
    fn defaults_of_the_manual() {
        for (cap, expected) in [
            (Cap::Graphics, 1),
            (Cap::VendorId, -1),
            (Cap::MaxTextureMb, 1024),
            (Cap::NirImagesAsDeref, 1),
            (Cap::PackedStreamOutput, 1),
            (Cap::ViewportTransformLowered, 0),
            (Cap::PsizClamped, 0),
            (Cap::Flatshade, 1),
            (Cap::AlphaTest, 1),
            (Cap::TwoSidedColor, 1),
            (Cap::MaxGsInvocations, 32),
            (Cap::Compute, 0),
            (Cap::MaxRenderTargets, 1),
        ] {
            assert_eq!(cap.default_value(), expected, "{}", cap.gallium_name());
        }
        assert_eq!(CapF::MaxLineWidth.default_value(), 1.0);
        assert_eq!(ComputeCap::MaxGridSize.default_value(), [0; 3]);
        assert_eq!(ShaderCap::MaxInstructions.default_value(ShaderType::Geometry), 0);
        assert_eq!(ShaderCap::SupportedIrs.default_value(ShaderType::Vertex), 1);
    }

    #[test]
    fn names_follow_gallium() {
        assert_eq!(Cap::MaxTexture2dSize.gallium_name(), "PIPE_CAP_MAX_TEXTURE_2D_SIZE");
        for cap in Cap::ALL {
            assert!(cap.gallium_name().starts_with("PIPE_CAP_"));
        }
    }
}
