#[vyre::kernel]
fn set(y: &mut [u32]) {
    y[0] = unsafe { vyre::ptx!("mov.b32 {result}, 7;") };
}

fn main() {}
