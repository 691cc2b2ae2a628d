#[vyre::kernel]
fn row(y: &mut [u32]) {
    let width: u32 = crate::WIDTH;
    y[0] = width;
}
