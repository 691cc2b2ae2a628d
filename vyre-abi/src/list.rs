//! Lists made of lists.
//!
//! `iter().map(..).collect()` compiles about a dozen functions and 1.5 kB of machine code for each closure, in every build
//! of a user's crate, which is without optimisation. [`map`] compiles one, and [`try_map`] saves the adapter that stops at
//! a `None`.

/// The result of a function for each item.
pub fn map<'i, T, U>(items: &'i [T], mut function: impl FnMut(&'i T) -> U) -> Vec<U> {
    let mut results = Vec::with_capacity(items.len());
    for item in items {
        results.push(function(item));
    }
    results
}

/// The result of a function for each item, up to the first `None`, which is the result then.
pub fn try_map<'i, T, U>(items: &'i [T], mut function: impl FnMut(&'i T) -> Option<U>) -> Option<Vec<U>> {
    let mut results = Vec::with_capacity(items.len());
    for item in items {
        results.push(function(item)?);
    }
    Some(results)
}

#[cfg(test)]
mod tests {
    use super::{map, try_map};

    #[test]
    fn results_stand_in_the_order_of_the_items() {
        let items = [3u8, 1, 2];
        assert_eq!(map(&items, |item| item * 2), [6, 2, 4]);
        assert_eq!(map(&[], |item: &u8| *item), []);
    }

    #[test]
    fn the_first_none_ends_it() {
        let mut seen = Vec::new();
        let halves = try_map(&[4u8, 3, 2], |item| {
            seen.push(*item);
            (item % 2 == 0).then_some(item / 2)
        });
        assert_eq!((halves, seen), (None, vec![4, 3]));
        assert_eq!(try_map(&[4u8, 2], |item| Some(item / 2)), Some(vec![2, 1]));
    }
}
