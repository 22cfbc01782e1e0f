//! Capabilities of a screen: four families, each with default answers.
//!
//! A default answer obliges a driver to nothing. It is the manual's default if the manual has one.
//! Otherwise features are absent, and limits are the least that OpenGL 2.1 allows.

mod cap;
mod capf;
mod compute;
mod shader;

pub use cap::Cap;
pub use capf::CapF;
pub use compute::ComputeCap;
pub use shader::ShaderCap;

/// Defines a family: one variant per capability, with Gallium's name and the default answer.
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
            /// Every capability of the family, in the manual's order.
            pub const ALL: &'static [Self] = &[$( Self::$cap, )+];

            /// Returns Gallium's name of the capability, such as `PIPE_CAP_COMPUTE`.
            pub const fn gallium_name(self) -> &'static str {
                match self {
                    $( Self::$cap => $gallium, )+
                }
            }

            caps!(@default $value, [$( $default )?], [$( $cap = $answer, )+]);
        }
    };
    (@default $value:ty, [], [$( $cap:ident = $answer:expr, )+]) => {
        /// Returns the answer of a screen that does not override it.
        pub const fn default_value(self) -> $value {
            match self {
                $( Self::$cap => $answer, )+
            }
        }
    };
    (@default $value:ty, [$default:ident], [$( $cap:ident = $answer:expr, )+]) => {
        /// Returns the default answer for a stage that the driver has.
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
        // The number of entries in the manual's lists of the four families. `TextureBarrier` and
        // `SubgroupSizes` are not counted: the manual has only the call of the former, and the
        // latter's name in another place.
        let caps = Cap::ALL.iter().filter(|&&cap| cap != Cap::TextureBarrier).count();
        let sizes = |cap: &&ComputeCap| **cap != ComputeCap::SubgroupSizes;
        let compute = ComputeCap::ALL.iter().filter(sizes).count();
        let counts = [caps, CapF::ALL.len(), ShaderCap::ALL.len(), compute];
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
