//! A call of the kernel itself: not a device function, and recursion besides.
#[vyre::kernel]
fn fill(n: u32, y: &mut [u32]) {
    if n > 0 {
        fill(n - 1, y);
    }
}

fn main() {}
