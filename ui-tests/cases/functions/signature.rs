//! Signatures that device functions do not have.

#[vyre::device]
fn first(x: &[f32]) -> &f32 {
    &x[0]
}

#[vyre::device]
fn of_references(x: (&mut f32, f32)) -> f32 {
    *x.0
}

#[vyre::device]
async fn later() {}

#[vyre::device]
fn pair((a, b): (f32, f32)) -> f32 {
    a + b
}

trait Norm {
    fn sqrt(self) -> Self;
}

#[vyre::device]
fn generic<T: Norm>(x: T) -> T {
    x.sqrt()
}

#[vyre::device]
fn scaled<const BY: char>(x: u32) -> u32 {
    x * BY as u32
}

fn main() {}
