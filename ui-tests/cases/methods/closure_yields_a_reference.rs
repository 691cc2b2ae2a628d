#[vyre::kernel]
fn pick(x: &[f32], n: &[u32], y: &mut [f32]) {
    let place = n[0].checked_sub(1).map(|at| &x[at as usize]);
    y[0] = place.copied().unwrap_or(0.0);
}

/// A function of the library has no fault of its own.
#[vyre::kernel]
fn or_else(x: &[f32], y: &mut [f32]) {
    y[0] = *x.get(y.len()).unwrap_or_else(|| &x[0]);
}

fn main() {}
