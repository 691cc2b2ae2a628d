use vyre::prelude::*;

#[allow(non_upper_case_globals)]
const limit: u32 = 5;

#[vyre::kernel]
fn choose(#[each] x: &u32, #[each] y: &mut u32) {
    *y = match *x {
        limit => 1,
        _ => 2,
    };
}

fn main() {}
