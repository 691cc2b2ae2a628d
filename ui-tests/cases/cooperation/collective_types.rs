use vyre::prelude::*;

#[vyre::kernel]
fn truth(y: &mut [bool]) {
    let i = thread::index();
    y[i] = block::sum(y[i]);
}

#[vyre::kernel]
fn bits(y: &mut [f32]) {
    let i = thread::index();
    y[i] = block::xor(y[i]);
}

#[vyre::kernel]
fn closure(y: &mut [f32]) {
    let i = thread::index();
    y[i] = block::reduce(y[i], |a, b| a > b);
}

#[vyre::kernel]
fn arguments(y: &mut [f32]) {
    let i = thread::index();
    y[i] = block::inclusive_scan(y[i]);
}

#[vyre::kernel]
fn unknown(y: &mut [f32]) {
    let i = thread::index();
    y[i] = block::total(y[i]);
}

fn main() {}
