use vyre::prelude::*;

type Slice<T> = [T];

#[vyre::kernel]
fn copy(x: &Slice<u32>, y: &mut [u32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] = x[i];
    }
}

#[vyre::device]
fn first(x: &Slice<u32>) -> u32 {
    x[0]
}

fn main() {}
