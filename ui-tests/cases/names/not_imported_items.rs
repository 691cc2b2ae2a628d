//! Device items of the module around, which are not imported: rustc names the import.

#[vyre::device]
const WIDTHS: usize = 4;

#[vyre::device]
const GAIN: f32 = 2.0;

#[vyre::device]
fn half(x: f32) -> f32 {
    x / 2.0
}

mod kernels {
    #[vyre::kernel]
    pub fn length(#[each] y: &mut f32) {
        let all = [1.0f32; WIDTHS];
        *y = all[0];
    }

    #[vyre::kernel]
    pub fn value(#[each] y: &mut f32) {
        *y = WIDTHS as f32;
    }

    #[vyre::kernel]
    pub fn factor(#[each] y: &mut f32) {
        *y *= GAIN;
    }

    #[vyre::kernel]
    pub fn function(#[each] y: &mut f32) {
        *y = half(*y);
    }
}

fn main() {}
