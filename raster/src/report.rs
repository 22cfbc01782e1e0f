//! A report of features: a program's draws used them, lacked them, or did not use what is linked.
//! Builds with the feature `check` have it.

use core::fmt;

use pipe_core::PipeError;

bitflags::bitflags! {
    /// A set of the driver's features.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub(crate) struct Features: u32 {
        const SPANS_565 = 1 << 0;
        const SPANS_SMALL = 1 << 1;
        const SPANS_PROGRAMS = 1 << 2;
        const SPANS_FILTERED = 1 << 3;
        const SPANS_GENERIC = 1 << 4;
        const SPANS_BILINEAR = 1 << 5;
        const SPANS_ALL = 1 << 6;
        const FRAGMENTS = 1 << 7;
        const INTERPRETER = 1 << 8;
        const MEMORY_SURFACES = 1 << 9;
        const PRIMITIVE_TYPES = 1 << 10;
        const TEXTURES = 1 << 11;
        const ES2 = 1 << 12;
        const ALL_FORMATS = 1 << 13;
        const SAMPLES = 1 << 14;
        const STAGES = 1 << 15;
        const SHADER_MEMORY = 1 << 16;
    }
}

/// A feature of the report.
struct Entry {
    name: &'static str,
    feature: Features,
    /// True if the build has it.
    linked: bool,
    /// The features that it enables.
    enables: Features,
}

macro_rules! entries {
    ($($name:literal, $feature:ident, [$($enables:ident)*];)*) => {
        /// The features of the report.
        const ENTRIES: &[Entry] = &[$(Entry {
            name: $name,
            feature: Features::$feature,
            linked: cfg!(feature = $name),
            enables: Features::empty()$(.union(Features::$enables))*,
        }),*];
    };
}

entries! {
    "spans-565", SPANS_565, [];
    "spans-small", SPANS_SMALL, [SPANS_565];
    "spans-programs", SPANS_PROGRAMS, [SPANS_565];
    "spans-filtered", SPANS_FILTERED, [SPANS_565 TEXTURES];
    "spans-generic", SPANS_GENERIC, [];
    "spans-bilinear", SPANS_BILINEAR, [SPANS_GENERIC TEXTURES];
    "spans-all", SPANS_ALL, [SPANS_565 SPANS_GENERIC SPANS_BILINEAR TEXTURES];
    "fragments", FRAGMENTS, [INTERPRETER PRIMITIVE_TYPES TEXTURES];
    "interpreter", INTERPRETER, [];
    "memory-surfaces", MEMORY_SURFACES, [];
    "primitive-types", PRIMITIVE_TYPES, [];
    "textures", TEXTURES, [];
    "es2", ES2, [PRIMITIVE_TYPES TEXTURES];
    "all-formats", ALL_FORMATS, [];
    "samples", SAMPLES, [FRAGMENTS INTERPRETER PRIMITIVE_TYPES TEXTURES];
    "stages", STAGES, [INTERPRETER PRIMITIVE_TYPES];
    "shader-memory", SHADER_MEMORY, [FRAGMENTS INTERPRETER PRIMITIVE_TYPES TEXTURES ALL_FORMATS MEMORY_SURFACES];
}

/// The driver's features that a program used, lacked, and links without use, so far: see
/// [`Screen::feature_report`](crate::Screen::feature_report). It prints three lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FeatureReport {
    used: Features,
    lacked: Features,
}

impl FeatureReport {
    /// Notes features that a draw or another call used.
    pub(crate) fn note_used(&mut self, used: Features) {
        self.used |= used;
    }

    /// Notes the features that a refusal names.
    pub(crate) fn note_refusal(&mut self, error: &PipeError) {
        let text = match error {
            PipeError::Unsupported(text) => text,
            PipeError::UnsupportedFormat { usage, .. } => usage,
            _ => return,
        };
        for name in text.split('`').skip(1).step_by(2) {
            let named = ENTRIES.iter().find(|entry| entry.name == name && !entry.linked);
            self.lacked |= named.map_or(Features::empty(), |entry| entry.feature);
        }
    }

    /// Returns the names of the features that draws and other calls used.
    pub fn used(&self) -> impl Iterator<Item = &'static str> {
        names(self.used & linked())
    }

    /// Returns the names of the missing features that refused calls named. Often one of them is
    /// enough.
    pub fn lacked(&self) -> impl Iterator<Item = &'static str> {
        names(self.lacked)
    }

    /// Returns the names of the linked features that no draw and no object used. A feature that
    /// another used feature enables is not among them.
    pub fn unused(&self) -> impl Iterator<Item = &'static str> {
        let mut kept = self.used;
        for entry in ENTRIES {
            let keeps = self.used.contains(entry.feature);
            kept |= if keeps { entry.enables } else { Features::empty() };
        }
        names(linked().difference(kept))
    }
}

/// Returns the features of this build.
fn linked() -> Features {
    let linked = ENTRIES.iter().filter(|entry| entry.linked);
    linked.fold(Features::empty(), |all, entry| all | entry.feature)
}

/// Returns the names of a set's features.
fn names(of: Features) -> impl Iterator<Item = &'static str> {
    ENTRIES.iter().filter(move |entry| of.contains(entry.feature)).map(|entry| entry.name)
}

impl fmt::Display for FeatureReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn line(
            f: &mut fmt::Formatter<'_>,
            what: &str,
            names: impl Iterator<Item = &'static str>,
        ) -> fmt::Result {
            write!(f, "{what}:")?;
            let mut any = false;
            for name in names {
                write!(f, "{} {name}", if any { "," } else { "" })?;
                any = true;
            }
            writeln!(f, "{}", if any { "" } else { " none" })
        }
        line(f, "features used", self.used())?;
        line(f, "features lacked", self.lacked())?;
        line(f, "features linked and not used", self.unused())
    }
}
