static mut COUNT: u32 = 0;

#[vyre::kernel]
fn fill(y: &mut [u32]) {
    unsafe {
        COUNT += 1;
    }
    y[0] = 1;
}

fn main() {}
