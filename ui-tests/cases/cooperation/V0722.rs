use vyre::prelude::*;

#[vyre::kernel]
fn returns(x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    if i >= x.len() {
        return;
    }
    y[i] = block::sum(x[i]);
}

#[vyre::device]
fn mean(value: f32) -> f32 {
    block::sum(value) / block::dim().x as f32
}

#[vyre::kernel]
fn element(#[each] x: &f32, #[each] y: &mut f32) {
    *y = *x - mean(*x);
}

fn main() {}
