//! A variant that an import brings beside core's is not core's `Less`.
#[allow(unused_imports)]
use core::cmp::Ordering::{Equal, Greater};

mod orders {
    pub mod cmp {
        #[derive(Clone, Copy, PartialEq)]
        pub enum Ordering {
            Less,
        }
    }
}

use orders::cmp::Ordering::Less;

#[vyre::kernel]
fn of_another(#[each] x: &u32, #[each] y: &mut u32) {
    let order = Less;
    *y = x + (order == Less) as u32;
}

fn main() {}
