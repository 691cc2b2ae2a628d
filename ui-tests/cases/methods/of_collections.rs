//! A method of slices that a number does not have, or that lacks its argument, is rustc's error alone.

#[vyre::kernel]
fn range_without_parentheses(x: &[u32], y: &mut [u32]) {
    let mut last = 0;
    for k in 0..x.len().rev() {
        last = x[k];
    }
    y[0] = last;
}

#[vyre::kernel]
fn elements_of_a_number(n: u32, y: &mut [u32]) {
    y[0] = n.iter().sum();
}

#[vyre::kernel]
fn windows_of_no_length(x: &[f32], y: &mut [f32]) {
    for w in x.windows() {
        y[0] += w[1] - w[0];
    }
}

fn main() {}
