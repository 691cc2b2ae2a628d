#[vyre::kernel]
fn fill(y: &mut [u32]) {
    #[cfg(debug_assertions)]
    let checked = 1;
}

fn main() {}
