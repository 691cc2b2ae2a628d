//! A result that does not agree with the signature of a device function, and traits without a mark: one error each.

#[vyre::device]
fn semicolon(x: f32) -> f32 {
    x * x;
}

#[vyre::device]
fn no_result(x: f32) {
    x * x
}

trait Op {
    fn apply(a: f32, b: f32) -> f32;
}

struct Add;

impl Op for Add {
    fn apply(a: f32, b: f32) -> f32 {
        a + b
    }
}

#[vyre::device]
fn combine<O: Op>(a: f32, b: f32) -> f32 {
    O::apply(a, b)
}

#[vyre::kernel(O = [Add])]
fn kernel<O: Op>(x: &[f32], y: &mut [f32]) {
    y[0] = O::apply(x[0], y[0]);
}

#[vyre::device]
static TILE: [f32; 64] = [0.0; 64];

#[vyre::kernel]
fn tile(y: &mut [f32]) {
    y[0] = TILE[0];
}

/// rustc says that `&f32` has no `Default`.
#[vyre::kernel]
fn default(x: &[f32], y: &mut [f32]) {
    y[0] = *x.get(1).unwrap_or_default();
}

fn main() {}
