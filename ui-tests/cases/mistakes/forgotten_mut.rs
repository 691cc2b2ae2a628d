//! Variables without `mut` that are changed: rustc says so, and says it alone.

#[vyre::device]
fn set(own: &mut [u32]) {
    own[0] = 1;
}

#[vyre::kernel]
fn part(y: &mut [u32], from: usize) {
    let own = [1, 2, 3, 4];
    set(&mut own[from..]);
    y[0] = own[1];
}

#[vyre::kernel]
fn halves(y: &mut [u32], middle: usize) {
    let (mut low, high) = y.split_at_mut(middle);
    core::mem::swap(&mut low, &mut high);
    low[0] = 1;
    high[0] = 2;
}

#[vyre::kernel]
fn method(y: &mut [u32]) {
    let own = [1, 2, 3, 4];
    own.reverse();
    y[0] = own[1];
}

#[vyre::kernel]
fn assigned(y: &mut [u32], z: &mut [u32]) {
    let to = &mut y[1..];
    to[0] = 1;
    to = &mut z[1..];
    to[0] = 2;
}

#[vyre::kernel]
fn parameter(y: &mut [u32], n: u32) {
    n += 1;
    y[0] = n;
}

fn main() {}
