use vyre::prelude::*;

#[vyre::kernel]
fn count(a: Slice2<'_, f32>, y: &mut [usize]) {
    y[0] = a.len();
}

fn main() {}
