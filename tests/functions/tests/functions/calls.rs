//! Kernels that call device functions of this crate and of another one, on every back end: the
//! interpreter, the CPU and, if present, a GPU.

use vyre::prelude::*;
use vyre_functions as library;
use vyre_functions::by_ten::step as ten;
use vyre_functions::deep::deeper::{self, total as sum_of};
use vyre_functions::vec;
use vyre_semantics::{Place, everywhere, ptx};

/// Runs a kernel from words to words on this many of them, and compares with plain Rust.
macro_rules! same {
    ($place:ident, $launcher:ident, $plain:expr) => {{
        let words: Vec<u32> = (0..200).map(|i| i * 37 % 101).collect();
        let x = $place.device().upload(&words)?;
        let mut y = $place.device().zeros::<u32>(words.len())?;
        let kernel = $launcher {
            x: (&x).into(),
            y: (&mut y).into(),
        };
        $place.over(kernel, words.len())?;
        let plain: fn(u32) -> u32 = $plain;
        let wanted: Vec<u32> = words.into_iter().map(plain).collect();
        assert_eq!(y.download()?, wanted, "on {}", $place.name());
    }};
}

/// Precedes its callees.
#[vyre::kernel]
fn of_this_module(x: &[u32], y: &mut [u32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] = after(x[i]) + self::before::twice(x[i]);
    }
}

mod before {
    #[vyre::device]
    pub(crate) fn twice(x: u32) -> u32 {
        super::after(x) * 2
    }
}

#[vyre::device]
fn after(x: u32) -> u32 {
    x + 5
}

/// By a path, an import, a renamed one, and a glob.
#[vyre::kernel]
fn of_another_crate(x: &[u32], y: &mut [u32]) {
    let i = thread::index();
    if i < y.len() {
        let a = vyre_functions::half(x[i]) + library::mixed(x[i]);
        let b = ten(x[i]) + vyre_functions::by_one::step(x[i]) + sum_of(&[1, x[i]]);
        y[i] = a + b * deeper::WEIGHTS[2] + globbed::by_glob(x[i]);
    }
}

mod globbed {
    use vyre_functions::*;

    #[vyre::device]
    pub(super) fn by_glob(x: u32) -> u32 {
        half(x) + deep::deeper::WEIGHTS[0]
    }

    #[vyre::kernel]
    pub(super) fn called_alone(#[each] y: &mut u32) {
        *y = thrice(thrice(*y)) + half(2);
    }
}

#[test]
fn globs_bring_functions_to_kernels() {
    everywhere(|place| {
        let mut y = [1, 2, 3];
        globbed::CalledAlone::dispatch(place.device(), &mut y)?;
        assert_eq!(y, [10, 19, 28]);
        Ok(())
    });
}

/// `vec` is a device function here, and a macro elsewhere.
#[vyre::kernel]
fn like_a_macro(x: &[u32], y: &mut [u32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] = vec(x[i]);
    }
}

/// As one of the prelude, beside the kernel.
mod beside {
    use vyre::prelude::*;

    #[vyre::device]
    fn dbg(x: u32) -> u32 {
        x + 2
    }

    #[vyre::device]
    fn line(x: u32) -> u32 {
        dbg(x) * 2
    }

    #[vyre::kernel]
    pub(super) fn as_in_the_prelude(x: &[u32], y: &mut [u32]) {
        let i = thread::index();
        if i < y.len() {
            y[i] = line(x[i]) + dbg(1);
        }
    }
}
use beside::AsInThePrelude;

/// One name in two modules, both of them used by one kernel.
mod first {
    #[vyre::device]
    pub(super) fn helper(x: u32) -> u32 {
        local(x)
    }

    #[vyre::device]
    fn local(x: u32) -> u32 {
        x + 1
    }
}

mod second {
    #[vyre::device]
    pub(super) fn helper(x: u32) -> u32 {
        local(x)
    }

    #[vyre::device]
    fn local(x: u32) -> u32 {
        x * 3
    }
}

#[vyre::kernel]
fn two_of_a_name(x: &[u32], y: &mut [u32]) {
    use second::helper as other;
    let i = thread::index();
    if i < y.len() {
        y[i] = first::helper(x[i]) * 1000 + other(x[i]);
    }
}

/// Lengths and operands.
#[vyre::device]
const LENGTH: usize = library::BLOCK / 16;

/// Not marked: a number, which rustc supplies.
const PLAIN: u32 = 3;

#[vyre::kernel]
fn constants(x: &[u32], y: &mut [u32]) {
    const ROWS: usize = LENGTH * 2;
    let i = thread::index();
    if i < y.len() {
        // The element of a table of another crate is a length too.
        const EIGHT: usize = deeper::WEIGHTS[1] as usize;
        let mut table = [[PLAIN; LENGTH]; EIGHT];
        table[i % ROWS][i % LENGTH] = x[i];
        y[i] = table[7][3] + LENGTH as u32 + library::BLOCK as u32;
    }
}

#[test]
fn values() {
    everywhere(|place| {
        same!(place, OfThisModule, |x| x + 5 + (x + 5) * 2);
        same!(place, LikeAMacro, |x| vec![x + 1][0]);
        same!(place, AsInThePrelude, |x| (x + 2) * 2 + 3);
        same!(place, TwoOfAName, |x| (x + 1) * 1000 + x * 3);
        same!(place, OfAnotherCrate, |x| {
            let mixed = x * 1000 + x / 2 + 8 + x + 3;
            x / 2 + mixed + (x + 10 + x + 1 + 1 + x) * 9 + x / 2 + 7
        });
        Ok(())
    });
    assert_eq!(library::mixed(4), 4000 + 2 + 8 + 4 + 3);
}

#[test]
fn constants_are_lengths() {
    everywhere(|place| {
        let x = place.device().upload(&[9u32; 10])?;
        let mut y = place.device().zeros::<u32>(10)?;
        let kernel = Constants {
            x: (&x).into(),
            y: (&mut y).into(),
        };
        place.over(kernel, 10)?;
        let wanted: Vec<u32> = (0..10).map(|i| if i == 7 { 9 + 4 + 64 } else { 3 + 4 + 64 }).collect();
        assert_eq!(y.download()?, wanted);
        Ok(())
    });
}

/// Barriers, shared memory and atomics in functions of another crate.
#[vyre::kernel(block = 64)]
fn sums(x: &[u32], sums: &mut [u32], bins: &[AtomicU32]) {
    let i = thread::index();
    let value = if i < x.len() { x[i] } else { 0 };
    let sum = library::block_sum(value);
    if thread::idx().x == 0 {
        // SAFETY: a launch has as many blocks as there are sums, and one thread of each comes here.
        unsafe { *sums.get_unchecked_mut(block::idx().x) = sum };
    }
    library::count(bins, value);
}

#[test]
fn what_threads_share() {
    everywhere(|place| {
        let words: Vec<u32> = (0..128).collect();
        let x = place.device().upload(&words)?;
        let mut totals = place.device().zeros::<u32>(2)?;
        let mut bins = place.device().zeros::<u32>(8)?;
        let kernel = Sums {
            x: (&x).into(),
            sums: (&mut totals).into(),
            bins: (&mut bins).into(),
        };
        place.grid(kernel, [2, 1, 1])?;
        assert_eq!(totals.download()?, [64 * 63 / 2, 64 * 63 / 2 + 64 * 64]);
        assert_eq!(bins.download()?, [16; 8]);
        Ok(())
    });
}

/// All of it inside a function, the kernel first.
#[test]
fn inside_a_function() {
    #[vyre::kernel]
    fn kernel(x: &[u32], y: &mut [u32]) {
        let i = thread::index();
        if i < y.len() {
            y[i] = inner(x[i]) + WIDTH as u32;
        }
    }
    #[vyre::device]
    #[allow(unreachable_pub, reason = "what is public is exported, here too")]
    pub fn inner(x: u32) -> u32 {
        innermost(x) + library::half(x)
    }
    #[vyre::device]
    fn innermost(x: u32) -> u32 {
        [x; WIDTH][WIDTH - 1] * 2
    }
    #[vyre::device]
    const WIDTH: usize = 3;
    everywhere(|place| {
        same!(place, Kernel, |x| x * 2 + x / 2 + 3);
        Ok(())
    });
}

/// A function and a kernel that a macro has written.
macro_rules! written {
    ($kernel:ident $launcher:ident $function:ident $x:ident => $body:expr) => {
        #[vyre::device]
        fn $function($x: u32) -> u32 {
            let other = 1;
            $body + other
        }
        #[vyre::kernel]
        fn $kernel(x: &[u32], y: &mut [u32]) {
            let i = thread::index();
            if i < y.len() {
                y[i] = $function(x[i]);
            }
        }
    };
}
written! { squares Squares square_and_one n => n * n }

#[test]
fn written_by_a_macro() {
    everywhere(|place| {
        same!(place, Squares, |x| x * x + 1);
        Ok(())
    });
}

#[vyre::kernel]
fn faulty(x: &[u32], y: &mut [u32]) {
    y[0] = beyond(x);
}

/// The line of the index in the function after it.
const BEYOND: u32 = line!() + 4;

#[vyre::device]
fn beyond(x: &[u32]) -> u32 {
    x[x.len()]
}

#[test]
fn faults_say_where_the_function_stands() {
    fn said(place: &Place) -> vyre::Result<String> {
        let x = place.device().upload(&[1u32])?;
        let mut y = place.device().zeros::<u32>(1)?;
        let kernel = Faulty {
            x: (&x).into(),
            y: (&mut y).into(),
        };
        Ok(place.over(kernel, 1).expect_err("out of bounds").to_string())
    }
    everywhere(|place| {
        let said = said(place)?;
        assert!(said.contains(&format!("functions/calls.rs:{BEYOND}:5")), "{said}");
        Ok(())
    });
}

/// A fault in a function of another crate.
#[vyre::kernel(block = 1)]
fn faulty_elsewhere(x: &[u32], y: &mut [u32]) {
    y[0] = library::row_sum::<3, u32>(x, 1);
}

#[test]
fn faults_say_which_crate_the_function_is_of() {
    everywhere(|place| {
        let x = place.device().upload(&[1u32; 4])?;
        let mut y = place.device().zeros::<u32>(1)?;
        let kernel = FaultyElsewhere {
            x: (&x).into(),
            y: (&mut y).into(),
        };
        let said = place.over(kernel, 1).expect_err("out of bounds").to_string();
        let is_there =
            said.contains("functions/src/lib.rs:") && said.contains("index 4 of `matrix` is out of bounds of length 4");
        assert!(is_there, "{said}");
        Ok(())
    });
}

#[test]
fn ptxas_accepts_it() {
    use vyre::Kernel as _;
    ptx::assembled(&[
        OfThisModule::info(),
        OfAnotherCrate::info(),
        LikeAMacro::info(),
        TwoOfAName::info(),
        Constants::info(),
        Sums::info(),
        Squares::info(),
        Faulty::info(),
        FaultyElsewhere::info(),
    ]);
}
