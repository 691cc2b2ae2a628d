//! Methods that give or take an `Ordering` or `Option`, where the names in scope are others.

/// Here `Ordering` is that of atomics.
mod of_atomics {
    use vyre::prelude::*;
    use vyre_semantics::agree;

    #[allow(dead_code, reason = "it is in scope")]
    const RELAXED: Ordering = Ordering::Relaxed;

    agree! {
        fn then(a: i32, b: i32) -> bool { a.cmp(&b).then(b.cmp(&3)).is_lt() }
        fn reversed(a: i32, b: i32) -> i32 { a.cmp(&b).reverse() as i32 }
        fn total(a: f32, b: f32) -> bool { !a.is_nan() && !b.is_nan() && a.total_cmp(&b).is_ge() }
        fn behind_references(a: f32, b: f32) -> bool {
            let (one, other) = (&a, &&b);
            let order = one.partial_cmp(*other);
            let held = &order;
            order.is_some() && held.is_some_and(|order| order.is_lt())
        }
        fn then_with(a: u64, b: u64) -> i8 { a.cmp(&b).then_with(|| b.cmp(&3)) as i8 }
    }
}

/// Here `Some` and `None` are those of another enum.
mod of_an_own_enum {
    use vyre_semantics::agree;

    #[allow(dead_code, reason = "its variants are in scope")]
    enum Amount {
        Some,
        None,
    }

    #[allow(unused_imports, reason = "its variants are in scope")]
    use Amount::*;

    agree! {
        fn product(a: i32, b: i32) -> i32 { a.checked_mul(b).unwrap_or(5) }
        fn equal(a: i32, b: i32) -> bool { a.cmp(&b).is_eq() }
    }
}

/// Here the variants of core's `Ordering` have no path before them, by a glob and by their names.
mod by_their_names {
    use std::cmp::Ordering::*;

    use vyre_semantics::agree;

    mod one_by_one {
        use core::cmp::Ordering::{Greater, Less};

        use vyre_semantics::agree;

        agree! {
            fn compared(a: i32, b: i32) -> bool { a.cmp(&b) == Less || b.cmp(&3) != Greater }
        }
    }

    agree! {
        fn matched(a: i32, b: i32) -> u32 {
            match a.cmp(&b) {
                Less => 1,
                Equal => 2,
                Greater => 3,
            }
        }
        fn in_options(a: f32, b: f32) -> u32 {
            match a.partial_cmp(&b) {
                Some(Less | Equal) => 1,
                Some(Greater) => 2,
                None => 3,
            }
        }
    }
}

/// Here core's `Ordering` has another name, by one import and by that of its module.
mod by_another_name {
    use std::cmp;
    use std::cmp::Ordering as Order;

    use vyre_semantics::agree;

    agree! {
        fn renamed(a: i32, b: i32) -> u32 {
            match a.cmp(&b) {
                Order::Less => 1,
                Order::Equal => 2,
                Order::Greater => 3,
            }
        }
        fn of_its_module(a: f32, b: f32) -> bool {
            a.partial_cmp(&b) == Some(cmp::Ordering::Less) || a.partial_cmp(&b).is_some_and(|order| order != Order::Greater)
        }
    }
}

/// Comparisons of `bool`, arrays and slices.
mod of_sequences {
    use vyre_semantics::agree;

    agree! {
        fn of_bools(a: bool, b: bool) -> i8 {
            (a.cmp(&b) as i8) * 9 + (a.max(b) as i8) * 3 + a.min(b) as i8 + b.partial_cmp(&a).map_or(50, |order| order as i8 * 27)
        }
        fn of_arrays(a: i32, b: i32) -> i8 {
            let (one, other) = ([a, b, 3], [b, a, 3]);
            let nested = [[one[0], 1], [b, a]].cmp(&[[one[0], 1], [a, b]]) as i8;
            let held = &one;
            one.cmp(&other) as i8 + nested * 3 + [a > 3, b > 3].cmp(&[b > 3, a > 3]) as i8 * 9 + held.cmp(&other) as i8 * 27
        }
        fn of_slices(a: i32, b: i32) -> i8 {
            let values = [a, b, a, b, a];
            let (one, other) = (&values[..2], &values[2..]);
            one.cmp(other) as i8 + values[1..3].cmp(&values[..(a as usize) % 4]) as i8 * 3
        }
        fn of_floats(a: f32, b: f32) -> i8 {
            let order = [a, b, 1.0].partial_cmp(&[b, a, 1.0]);
            match order { Some(order) => order as i8, None => 7 }
        }
    }
}
