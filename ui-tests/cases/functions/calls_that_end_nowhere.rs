//! Device items that mention one another in circles, or something without a mark: said once, and not of their kernels.
use vyre::prelude::*;

mod two {
    #[vyre::device]
    pub fn even(n: u32) -> bool {
        if n == 0 { true } else { odd(n - 1) }
    }

    #[vyre::device]
    fn odd(n: u32) -> bool {
        if n == 0 { false } else { even(n - 1) }
    }
}

mod three {
    #[vyre::device]
    pub fn first(n: u32) -> u32 {
        second(n)
    }

    #[vyre::device]
    fn second(n: u32) -> u32 {
        third(n)
    }

    #[vyre::device]
    fn third(n: u32) -> u32 {
        if n == 0 { 1 } else { first(n - 1) }
    }
}

mod unmarked {
    const fn square(x: usize) -> usize {
        x * x
    }

    #[vyre::device]
    pub const COUNT: usize = square(4);
}

/// No circle, though the names are those of one.
mod others {
    mod a {
        #[vyre::device]
        pub fn left(n: u32) -> u32 {
            right(n)
        }

        #[vyre::device]
        fn right(n: u32) -> u32 {
            n
        }
    }

    #[vyre::device]
    pub fn right(n: u32) -> u32 {
        left(n)
    }

    use a::left;
}

#[vyre::kernel]
fn launched(#[each] x: &mut u32) {
    *x += 1;
}

#[vyre::device]
fn launches(x: u32) -> u32 {
    launched(x);
    x
}

#[vyre::kernel(block = 32)]
fn all(#[each] x: &mut u32) {
    let table = [0u32; unmarked::COUNT];
    *x = two::even(*x) as u32 + three::first(*x) + table[thread::idx().x] + others::right(*x) + launches(*x);
}

fn main() {}
