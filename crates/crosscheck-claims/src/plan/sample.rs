//! Which claims are checked (claims 4). No random generator is involved:
//! "random" is an order of hashes, the same on every machine.

use crosscheck_core::digest::Digest;
use serde::Deserialize;

use crate::rate::Rate;
use crate::read::Claim;

/// How claims are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Selection {
    /// The first ones.
    #[default]
    First,
    /// Every claim.
    All,
    /// By the order of hashes.
    Random,
    /// From each answer its share, by the order of hashes.
    Stratified,
}

impl Selection {
    /// The word used in reports.
    pub const fn word(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::All => "all",
            Self::Random => "random",
            Self::Stratified => "stratified",
        }
    }
}

/// The indices of the claims to check, in the order of the document.
pub(crate) fn select(
    claims: &[Claim<'_>],
    rate: &Rate,
    selection: Selection,
    seed: &str,
) -> Vec<usize> {
    let wanted = rate.of(claims.len());
    match selection {
        Selection::First => (0..wanted).collect(),
        Selection::All => (0..claims.len()).collect(),
        Selection::Random => drawn((0..claims.len()).collect(), wanted, seed),
        Selection::Stratified => stratified(claims, wanted, seed),
    }
}

/// `wanted` of the indices, by the order of their hashes; returned sorted.
fn drawn(indices: Vec<usize>, wanted: usize, seed: &str) -> Vec<usize> {
    let mut order: Vec<(Digest, usize)> = indices
        .into_iter()
        .map(|index| (Digest::of(format!("{seed}\n{index}")), index))
        .collect();
    order.sort_unstable();
    let mut chosen: Vec<usize> = order
        .into_iter()
        .take(wanted)
        .map(|(_, index)| index)
        .collect();
    chosen.sort_unstable();
    chosen
}

/// Each answer gets its share; remaining places go to the largest remainders.
fn stratified(claims: &[Claim<'_>], wanted: usize, seed: &str) -> Vec<usize> {
    let mut strata: Vec<Vec<usize>> = Vec::new();
    let mut last = None;
    for (index, claim) in claims.iter().enumerate() {
        if last != Some(claim.answer) {
            strata.push(Vec::new());
            last = Some(claim.answer);
        }
        if let Some(stratum) = strata.last_mut() {
            stratum.push(index);
        }
    }
    let sizes: Vec<usize> = strata.iter().map(Vec::len).collect();
    let mut chosen: Vec<usize> = strata
        .into_iter()
        .zip(quotas(&sizes, wanted))
        .flat_map(|(stratum, quota)| drawn(stratum, quota, seed))
        .collect();
    chosen.sort_unstable();
    chosen
}

fn quotas(sizes: &[usize], wanted: usize) -> Vec<usize> {
    let total: u128 = sizes.iter().map(|size| *size as u128).sum();
    let share = |size: usize| wanted as u128 * size as u128;
    let mut quotas: Vec<usize> = sizes
        .iter()
        .map(|size| usize::try_from(share(*size) / total.max(1)).unwrap_or(0))
        .collect();
    let mut by_remainder: Vec<usize> = (0..sizes.len()).collect();
    by_remainder.sort_by_key(|at| {
        let size = sizes.get(*at).copied().unwrap_or(0);
        std::cmp::Reverse(share(size) % total.max(1))
    });
    let mut left = wanted - quotas.iter().sum::<usize>().min(wanted);
    for at in by_remainder {
        if left > 0
            && let Some(quota) = quotas.get_mut(at)
        {
            *quota += 1;
            left -= 1;
        }
    }
    quotas
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_go_by_largest_remainder_and_lower_answer() {
        assert_eq!(quotas(&[3, 3, 3], 4), [2, 1, 1]);
        assert_eq!(quotas(&[1, 8, 1], 5), [1, 4, 0]);
        assert_eq!(quotas(&[], 0), [0; 0]);
        assert_eq!(quotas(&[10, 20, 70], 10), [1, 2, 7]);
    }

    #[test]
    fn the_draw_is_the_order_of_hashes() {
        let mut by_hash: Vec<(String, usize)> = (0..10)
            .map(|index| (Digest::of(format!("s\n{index}")).hex(), index))
            .collect();
        by_hash.sort();
        let mut expected: Vec<usize> = by_hash
            .into_iter()
            .take(3)
            .map(|(_, index)| index)
            .collect();
        expected.sort_unstable();
        assert_eq!(drawn((0..10).collect(), 3, "s"), expected);
    }
}
