//! A `return` behind the last collective is right; one in a loop around it is not.
use vyre::prelude::*;

#[vyre::kernel]
fn behind(x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    let sum = block::sum(if i < x.len() { x[i] } else { 0.0 });
    if thread::idx().x != 0 {
        return;
    }
    y[block::idx().x] = sum;
}

#[vyre::kernel]
fn in_a_loop(x: &[f32], y: &mut [f32]) {
    for k in 0..4 {
        let sum = block::sum(x[k]);
        if thread::idx().x == k {
            return;
        }
        y[k] = sum;
    }
}

#[vyre::device]
fn mean(value: f32) -> f32 {
    block::sum(value) / block::dim().x as f32
}

#[vyre::kernel]
fn before_a_function(x: &[f32], y: &mut [f32]) {
    let first = block::sum(x[0]);
    if thread::idx().x == 3 {
        return;
    }
    y[0] = first + mean(x[0]);
}

#[vyre::kernel]
fn before_a_closure(x: &[f32], y: &mut [f32]) {
    let of = |v: f32| block::sum(v);
    if thread::idx().x == 3 {
        return;
    }
    y[0] = of(x[0]);
}

fn main() {}
