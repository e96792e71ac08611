//! The size from which a part stands on its own: a threshold that follows the sizes themselves,
//! without jumps.
//!
//! A fixed number of parts ("the eleven largest") changes two parts whenever two sizes cross, and a
//! fixed share of the repository gives two parts for one repository and twenty for the next. So the
//! threshold *T* is the smallest at which the parts, each counting `min(1, (size / T)⁸)`, add up to
//! at most the number wanted. *T* moves by a fraction of a file when one file comes or goes, and at
//! most that many parts reach it. Every part has a weight of its own, within a tenth of 1 and fixed by
//! its path, so that parts of equal size do not cross at the same time.

use bindery_source::ContentHash;

/// A size with its part's weight: 1000 is one file.
pub(crate) fn weighted(size: usize, path: &str) -> u64 {
    size as u64 * weight(path)
}

/// Between 900 and 1100, fixed by the path.
fn weight(path: &str) -> u64 {
    let hash = ContentHash::of(path.as_bytes()).0;
    900 + u64::from(u16::from_le_bytes([hash[0], hash[1]])) * 200 / 65_535
}

/// The smallest threshold, on a grid of steps of one per mille and not below `floor`, at which the
/// `sizes` and `more(threshold)` together come to at most `wanted`.
///
/// Whole numbers throughout: the result must not depend on how a machine rounds.
pub(crate) fn threshold(sizes: &[u64], floor: u64, wanted: u64, more: impl Fn(u64) -> u64) -> u64 {
    let total =
        |threshold: u64| sizes.iter().map(|size| fullness(*size, threshold)).sum::<u64>() + more(threshold);
    let mut low = floor.max(1);
    if total(low) <= wanted * FULL {
        return low;
    }
    let mut high = sizes.iter().copied().max().unwrap_or(0).max(low) * 64;
    while high - low > (low / 1000).max(1) {
        let middle = low + (high - low) / 2;
        if total(middle) <= wanted * FULL { high = middle } else { low = middle }
    }
    high
}

/// What one part that reaches the threshold counts.
pub(crate) const FULL: u64 = 1 << 30;

/// How much of a part a size below the threshold is: its eighth power, steep enough that parts well
/// below the threshold hardly count, and still without a jump.
pub(crate) fn fullness(size: u64, threshold: u64) -> u64 {
    if size >= threshold {
        return FULL;
    }
    // A quarter counts less than one in 65,000: nothing, and most of many groups are that small.
    if size * 4 < threshold {
        return 0;
    }
    let square = |share: u64| share * share / FULL;
    square(square(square(size * FULL / threshold)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_than_wanted_reach_it() {
        let sizes: Vec<u64> = (1..=40).map(|n| n * 1000).collect();
        let found = threshold(&sizes, 1, 11, |_| 0);
        let reaching = sizes.iter().filter(|size| **size >= found).count();
        assert!((6..=11).contains(&reaching), "{reaching} at {found}");
        assert_eq!(threshold(&sizes[..5], 3000, 11, |_| 0), 3000);
    }

    #[test]
    fn one_file_moves_it_by_less_than_a_file() {
        let mut sizes: Vec<u64> = (1..=40).map(|n| n * 1000).collect();
        let before = threshold(&sizes, 1, 11, |_| 0);
        sizes[20] += 1000;
        let after = threshold(&sizes, 1, 11, |_| 0);
        assert!(after >= before && after - before < 1000, "{before} {after}");
    }
}
