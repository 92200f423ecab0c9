//! Cycles among records: a record that is its own ancestor.

/// One member of each cycle. `parents` gives the index of each record's parent.
pub(super) fn cycles(parents: &[Option<usize>]) -> Vec<usize> {
    let mut found = Vec::new();
    // the walk that reached the record first, counted from 1
    let mut walks = vec![0_usize; parents.len()];
    for start in 0..parents.len() {
        let walk = start + 1;
        let mut at = Some(start);
        while let Some(here) = at {
            let Some(mark) = walks.get_mut(here) else {
                break;
            };
            if *mark != 0 {
                if *mark == walk {
                    found.push(here);
                }
                break;
            }
            *mark = walk;
            at = parents.get(here).copied().flatten();
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cycle_is_found_once_and_a_chain_is_not_one() {
        let table: [(&[Option<usize>], &[usize]); 6] = [
            (&[], &[]),
            (&[None, Some(0), Some(1), Some(1)], &[]),
            (&[Some(1), Some(2), None], &[]),
            (&[Some(0)], &[0]),
            (&[Some(1), Some(2), Some(1), Some(0)], &[1]),
            (&[Some(1), Some(0), Some(3), Some(2), None], &[0, 2]),
        ];
        for (parents, expected) in table {
            assert_eq!(cycles(parents), expected, "{parents:?}");
        }
    }
}
