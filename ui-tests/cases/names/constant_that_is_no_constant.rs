mod config {
    pub const RADIUS: usize = 3;
}

#[vyre::kernel]
fn blur(y: &mut [f32]) {
    const TAPS: usize = config::RADIUS + 1;
    y[0] = TAPS as f32;
}

fn main() {}
