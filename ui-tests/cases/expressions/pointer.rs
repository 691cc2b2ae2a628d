#[vyre::kernel]
fn first(x: &[f32], y: &mut [f32]) {
    let p = x as *const [f32];
    let q: *mut f32 = &mut y[0];
}

fn main() {}
