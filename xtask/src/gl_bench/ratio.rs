//! Ratios of times measured in turns, and their spread.

use serde::{Deserialize, Serialize};

/// Our times divided by the other driver's times, turn by turn.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Ratio {
    /// The median.
    pub(super) median: f64,
    /// The minimum.
    pub(super) least: f64,
    /// The maximum.
    pub(super) most: f64,
}

impl Ratio {
    /// Returns the ratios of the turns for which both have a time; `None` if there are none.
    pub(super) fn of(ours: &[f64], theirs: &[f64]) -> Option<Ratio> {
        let mut turns: Vec<f64> =
            ours.iter().zip(theirs).map(|(ours, theirs)| ours / theirs).collect();
        turns.retain(|turn| turn.is_finite() && *turn > 0.0);
        turns.sort_by(f64::total_cmp);
        let (least, most) = (*turns.first()?, *turns.last()?);
        Some(Ratio { median: turns[turns.len() / 2], least, most })
    }
}

impl core::fmt::Display for Ratio {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{:.2} ({:.2}-{:.2})", self.median, self.least, self.most)
    }
}

/// Prints the geometric mean for each pair of drivers; `ratios` returns the results of a pair.
pub(super) fn print_means(pairs: &[(String, String)], ratios: impl Fn(&str, &str) -> Vec<Ratio>) {
    println!("geometric means");
    for (ours, theirs) in pairs {
        if let Some(mean) = mean(ratios(ours, theirs)) {
            println!("  {ours} takes {mean:.2} times as long as {theirs}");
        }
    }
}

/// Returns the geometric mean of the medians; `None` if there are no ratios.
pub(super) fn mean(ratios: impl IntoIterator<Item = Ratio>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0);
    for ratio in ratios {
        sum += ratio.median.ln();
        count += 1;
    }
    (count > 0).then(|| (sum / f64::from(count)).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_of_one_turn() {
        // A machine that is twice as slow in the second turn does not change a ratio.
        let ratio = Ratio::of(&[1.0, 2.0, 3.0], &[2.0, 4.0, 2.0]).unwrap();
        assert_eq!((ratio.least, ratio.median, ratio.most), (0.5, 0.5, 1.5));
        assert_eq!(Ratio::of(&[], &[1.0]), None);
        assert_eq!(Ratio::of(&[1.0], &[0.0]), None);
    }

    #[test]
    fn the_mean_is_geometric() {
        let ratio = |median| Ratio { median, least: median, most: median };
        assert_eq!(mean([ratio(0.5), ratio(2.0)]), Some(1.0));
        assert_eq!(mean([]), None);
    }
}
