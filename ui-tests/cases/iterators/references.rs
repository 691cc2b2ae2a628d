#[vyre::kernel]
fn fill(x: &[[u32; 2]], y: &mut [u32]) {
    let first = y.iter_mut().last();
    for pair in y.iter_mut().enumerate() {
        *pair.1 += pair.0 as u32;
    }
    let pair = (y.first_mut(), 1);
    let mut slot = y.last_mut();
    let last = y.windows(2).last();
    let halves = x.split_at(1);
}

fn main() {}
