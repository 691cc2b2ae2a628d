//! rustc refuses these, and one error suffices.
use vyre::prelude::*;

#[vyre::kernel]
fn or(x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    if i < 3 || let Some(v) = x.get(i) {
        y[i] = *v;
    }
}

#[vyre::kernel]
fn parenthesised(x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    if (let Some(v) = x.get(i)) && *v > 3.0 {
        y[i] = *v;
    }
}

#[vyre::kernel]
fn value(x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    let is_there = i < y.len() && let Some(_) = x.get(i);
    if is_there {
        y[i] = 1.0;
    }
}

fn main() {}
