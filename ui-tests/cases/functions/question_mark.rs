//! rustc alone speaks of a `?` that the result of the function does not take.

#[vyre::device]
fn at(x: &[u32], i: usize) -> Result<u32, u32> {
    let v = x.get(i)?;
    Ok(*v)
}

fn main() {}
