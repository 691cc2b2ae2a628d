use vyre::prelude::*;

#[vyre::kernel]
fn of_an_atomic(x: &[core::sync::atomic::AtomicU32], y: &mut [u32]) {
    y[0] = vyre::load::volatile(&x[0]);
}

#[vyre::kernel]
fn of_another_type(y: &mut [f32]) {
    vyre::store::streaming(&mut y[0], 1u32);
}

#[vyre::kernel]
fn prefetch_of_a_value(x: &[f32], y: &mut [f32]) {
    prefetch::l2(x[0]);
    y[0] = prefetch::l1(&x[0]);
}

#[vyre::kernel]
fn without_a_reference(x: &[f32], y: &mut [f32]) {
    y[0] = vyre::load::streaming(x[0]);
}

fn main() {}
