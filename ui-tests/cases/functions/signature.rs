//! Signatures that device functions do not have.

#[vyre::device]
fn first(x: &[f32]) -> &f32 {
    &x[0]
}

#[vyre::device]
fn of_references(x: (&f32, f32)) -> f32 {
    *x.0
}

#[vyre::device]
async fn later() {}

#[vyre::device]
fn pair((a, b): (f32, f32)) -> f32 {
    a + b
}

#[vyre::device]
fn generic<T>(x: u32) -> u32 {
    x
}

fn main() {}
