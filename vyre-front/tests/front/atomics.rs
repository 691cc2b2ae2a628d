//! Methods of atomics, against those of Rust: the same calls stand in a kernel and here.

use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

use crate::support::{run, slice};

/// Checks what methods of an atomic return, and what they leave.
macro_rules! same_calls {
    ($cell:ident of $scalar:ident: $($method:ident)*) => {$(
        for (first, operand) in [(12 as $scalar, 10 as $scalar), (10, 12), (7, -3i32 as $scalar), (-3i32 as $scalar, 7)] {
            let cell = $cell::new(first);
            let expected = [cell.$method(operand, Ordering::Relaxed), cell.load(Ordering::Relaxed)];
            let source = format!(
                "fn k(c: &[{cell}], x: &[{scalar}], y: &mut [{scalar}]) {{
                    if thread::index() == 0 {{ y[0] = c[0].{method}(x[0], Ordering::Relaxed); y[1] = c[0].load(Ordering::Relaxed); }}
                }}",
                cell = stringify!($cell),
                scalar = stringify!($scalar),
                method = stringify!($method),
            );
            let mut data = [slice(&[first]), slice(&[operand]), slice(&[0 as $scalar; 2])];
            run(&source, &mut data, [1, 1, 1]).expect("it runs");
            assert_eq!(data[2].values::<$scalar>(), expected, "of {first} and {operand}: {source}");
        }
    )*};
}

#[test]
fn methods_do_what_those_of_rust_do() {
    same_calls!(AtomicU32 of u32: swap fetch_add fetch_sub fetch_and fetch_or fetch_xor fetch_nand fetch_min fetch_max);
    same_calls!(AtomicI32 of i32: swap fetch_add fetch_sub fetch_and fetch_or fetch_xor fetch_nand fetch_min fetch_max);
}
