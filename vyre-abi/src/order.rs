//! Sorting by integer keys.
//!
//! The library's sorts are large generic functions: each use compiles 25 to 35 kB of machine code, in every build of a
//! user's crate. [`sort_by_key`] is one sort of keys for all types of items.

/// Sorts items by their keys. Items of equal keys keep their order.
pub fn sort_by_key<T>(items: &mut [T], key: impl Fn(&T) -> u128) {
    let mut keys = Vec::with_capacity(items.len());
    for item in &*items {
        keys.push((key(item), keys.len()));
    }
    for (one, other) in swaps(keys) {
        items.swap(one, other);
    }
}

/// The swaps that sort a list with these keys, each beside its position.
fn swaps(mut keys: Vec<(u128, usize)>) -> Vec<(usize, usize)> {
    keys.sort_unstable();
    let mut swaps = Vec::new();
    for start in 0..keys.len() {
        // A cycle of the permutation; positions that are done refer to themselves.
        let mut position = start;
        loop {
            let from = std::mem::replace(&mut keys[position].1, position);
            if from == start || from == position {
                break;
            }
            swaps.push((position, from));
            position = from;
        }
    }
    swaps
}

#[cfg(test)]
mod tests {
    use super::sort_by_key;

    #[test]
    fn sorts_as_the_stable_sort_of_the_library() {
        let mut state = 1u64;
        for length in (0..40).chain([1000]) {
            for kinds in [1, 3, 1 << 20] {
                let mut items = Vec::new();
                for number in 0..length {
                    state = state
                        .wrapping_mul(6364136223846793005)
                        .wrapping_add(1442695040888963407);
                    items.push(((state >> 33) % kinds, number.to_string()));
                }
                let mut expected = items.clone();
                expected.sort_by_key(|(key, _)| *key);
                sort_by_key(&mut items, |(key, _)| (*key).into());
                assert_eq!(items, expected);
            }
        }
    }
}
