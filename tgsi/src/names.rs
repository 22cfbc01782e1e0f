//! Enumerations with a number in tokens and a spelling in text.

/// Declares an enumeration once: variants, numbers, spellings.
///
/// Each gets `ALL` (in the order of the numbers), `name`, `from_name` (any case) and `from_code`.
macro_rules! named_enum {
    ($(#[$meta:meta])* pub enum $Name:ident {
        $($(#[$doc:meta])* $Variant:ident = $code:literal $text:literal,)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum $Name {
            $($(#[$doc])* $Variant = $code,)*
        }

        impl $Name {
            /// Every value, in numerical order.
            pub const ALL: &'static [$Name] = &[$($Name::$Variant,)*];

            /// Returns the spelling in text.
            pub const fn name(self) -> &'static str {
                match self { $($Name::$Variant => $text,)* }
            }

            /// Returns the number in tokens.
            pub const fn code(self) -> u8 {
                self as u8
            }

            /// Returns the value with this number.
            pub const fn from_code(code: u8) -> Option<$Name> {
                match code { $($code => Some($Name::$Variant),)* _ => None }
            }

            /// Returns the value with this spelling, in any case.
            pub fn from_name(name: &str) -> Option<$Name> {
                Self::ALL.iter().copied().find(|value| value.name().eq_ignore_ascii_case(name))
            }
        }

        impl core::fmt::Display for $Name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(self.name())
            }
        }

        #[cfg(feature = "defmt")]
        impl defmt::Format for $Name {
            fn format(&self, f: defmt::Formatter<'_>) {
                defmt::write!(f, "{=str}", self.name())
            }
        }
    };
}

pub(crate) use named_enum;

/// Returns the number of edits that turn one word into the other (optimal string alignment,
/// ignoring case); `usize::MAX` for words of more than 24 letters.
#[expect(clippy::indexing_slicing, reason = "words have at most 24 letters, rows 25 places")]
pub(crate) fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() > 24 || b.len() > 24 {
        return usize::MAX;
    }
    let mut rows = [[0usize; 25]; 3];
    for (column, cost) in rows[1].iter_mut().enumerate() {
        *cost = column;
    }
    for (i, x) in a.iter().enumerate() {
        let [before, last, row] = &mut rows;
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let same = x.eq_ignore_ascii_case(y);
            row[j + 1] = (last[j] + usize::from(!same)).min(last[j + 1] + 1).min(row[j] + 1);
            let swapped = i > 0
                && j > 0
                && x.eq_ignore_ascii_case(&b[j - 1])
                && y.eq_ignore_ascii_case(&a[i - 1]);
            if swapped {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        rows.rotate_left(1);
    }
    rows[1][b.len()]
}
