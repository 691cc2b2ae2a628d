use vyre::prelude::*;

#[vyre::kernel(deny(bounds_checks))]
fn scatter(to: &[u32], x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    if i < x.len() {
        store::relaxed(&mut y[to[i] as usize], x[i] + x[to[i] as usize]);
        let part = &x[..to[i] as usize];
        store::relaxed(&mut y[0], part[part.len() / 2]);
    }
}

#[vyre::kernel(deny(bound_checks))]
fn misspelt(y: &mut [f32]) {
    y[0] = 1.0;
}

#[vyre::kernel(deny(warnings))]
fn other(y: &mut [f32]) {
    y[0] = 1.0;
}

#[vyre::kernel(deny)]
fn alone(y: &mut [f32]) {
    y[0] = 1.0;
}

#[vyre::kernel(deny = bounds_checks)]
fn with_value(y: &mut [f32]) {
    y[0] = 1.0;
}

#[vyre::kernel(deny())]
fn without_names(y: &mut [f32]) {
    y[0] = 1.0;
}

fn main() {}
