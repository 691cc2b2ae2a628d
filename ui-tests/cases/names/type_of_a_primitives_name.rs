use vyre::prelude::*;

#[allow(non_camel_case_types)]
type f32 = f64;

#[vyre::kernel]
fn thirds(#[each] x: &u32, #[each] y: &mut u32) {
    *y = (*x as f32 / 3.0 * 1e9) as u32;
}

fn main() {}
