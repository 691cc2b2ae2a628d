use std::cmp::Ordering;

#[vyre::kernel]
fn unchangeable(x: &[u32], y: &mut [u32]) {
    let first = Some(x[0]);
    if let Some(v) = first.as_mut() {
        *v += 1;
    }
    y[0] = first.unwrap_or(0);
}

#[vyre::kernel]
fn of_other_lengths(x: &[u32], y: &mut [u32]) {
    y[0] = ([x[0], 1].cmp(&[1, 2, 3]) == Ordering::Less) as u32;
}

fn main() {}
