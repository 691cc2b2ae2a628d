//! The type of a constant from elsewhere is not in the tokens that vyre sees.
const SHIFT: u8 = 3;

#[vyre::kernel]
fn fill(y: &mut [u32]) {
    y[0] <<= SHIFT;
}

fn main() {}
