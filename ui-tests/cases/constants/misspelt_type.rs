//! A type that is misspelt; and one that is missing, which rustc reports.

#[vyre::constant]
static TABLE: [f23; 2] = [0.0; 2];

#[vyre::device]
const N = 4;

#[vyre::kernel]
fn fill(#[each] x: &mut f32) {
    *x = TABLE[1] + N as f32;
}

fn main() {}
