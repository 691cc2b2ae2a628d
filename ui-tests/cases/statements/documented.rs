//! Documentation of what is no item: rustc's own words.
#![deny(unused_doc_comments)]

#[vyre::kernel]
fn fill(
    /// The values to fill.
    y: &mut [f32],
) {
    /// The value.
    let one = 1.0;
    y[0] = one;
}

fn main() {}
