//! The attribute on what does not travel, and with options.

#[vyre::device]
static SCALE: f32 = 2.0;

#[vyre::device(inline)]
fn half(x: f32) -> f32 {
    x * 0.5
}

#[vyre::device]
const RANGE: (f32, f32) = (0.0, 1.0);

struct Scale(f32);

impl Scale {
    #[vyre::device]
    fn of(&self, x: f32) -> f32 {
        x * self.0
    }
}

fn main() {}
