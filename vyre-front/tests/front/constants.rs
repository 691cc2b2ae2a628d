//! Constants of a file, against plain Rust: the same tokens stand in the file and here.

use crate::support::{Data, in_file, run_lowered, slice};

const SMALL: [u32; 8] = [0, 1, 2, 3, 4, 5, 9, 20];

/// Checks that the constants `u32` have the values in kernels that they have in plain Rust.
macro_rules! constants {
    ($($name:ident = $value:expr;)*) => {{
        $(#[allow(clippy::all, reason = "odd constants are included")] const $name: u32 = $value;)*
        let items = [$(concat!("#[device] const ", stringify!($name), ": u32 = ", stringify!($value), ";")),*];
        let stores = [$(stringify!($name)),*].iter().enumerate();
        let stores: String = stores.map(|(number, name)| format!("y[{number}] = {name};")).collect();
        let source = format!("{} fn k(y: &mut [u32]) {{ {stores} }}", items.concat());
        let lowered = match in_file(&source) {
            Ok(lowered) => lowered,
            Err(rejected) => panic!("{:?}, elsewhere: {}\n{source}", rejected.errors, rejected.elsewhere),
        };
        let mut data: [Data; 1] = [slice(&[0u32; 16])];
        run_lowered(&lowered, &mut data, [1, 1, 1]).expect("it runs");
        let expected = [$($name),*];
        assert_eq!(data[0].values::<u32>()[..expected.len()], expected, "{source}");
    }};
}

#[test]
fn with_names_of_their_own() {
    constants! {
        TAKEN = if let Some(x) = Some(3) { x } else { 4 };
        OTHER = if let Some(x) = None::<u32> && x > 3 { x } else { 4 };
        INSIDE = 1 + if let (2, x) = (2, 7) { x } else { 4 };
        CHOSEN = if TAKEN > 2 { let k = 4; k * k } else { 5 };
        SCOPED = 2 * { let k = TAKEN; k + 1 } + [1, match OTHER { 4 => 9, _ => 8 }][1];
        TESTED = (if let 3 = TAKEN { true } else { false }) as u32;
        LEFT = 'out: { if let Some(x) = Some(5) { break 'out x; } 6 };
    }
}

/// All elements count, the last one of each array, too.
#[test]
fn arrays_that_functions_make() {
    crate::behaviour::in_module!({
        const fn squares() -> [u32; 5] { let mut t = [0; 5]; let mut i = 0; while i < 5 { t[i] = (i * i + 3) as u32; i += 1; } t }
        const fn pairs() -> [[i16; 2]; 3] { let mut t = [[0; 2]; 3]; let mut i = 0; while i < 6 { t[i / 2][i % 2] = 5 - 3 * i as i16; i += 1; } t }
        pub const SQUARES: [u32; 5] = squares();
        pub const PAIRS: [[i16; 2]; 3] = pairs();
    } |x: u32| -> i32 { SQUARES[x as usize % 5] as i32 * 100 + PAIRS[x as usize % 3][x as usize / 3 % 2] as i32 }, SMALL);
}
