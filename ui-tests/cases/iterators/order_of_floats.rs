//! The closure of `min_by` gives an `Ordering`.

#[vyre::kernel]
fn least(x: &[f32], #[each] y: &mut f32) {
    *y = x.iter().copied().min_by(|a, b| a.partial_cmp(b)).unwrap_or(0.0);
}

#[vyre::kernel]
fn most(x: &[f32], #[each] y: &mut f32) {
    *y = *x.iter().max_by(|a, b| a.partial_cmp(b)).unwrap();
}

fn main() {}
