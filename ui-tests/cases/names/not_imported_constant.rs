//! A length that a constant of the module around has: rustc names the import.

#[vyre::device]
const WIDTHS: usize = 4;

mod kernels {
    #[vyre::kernel]
    pub fn fill(#[each] y: &mut f32) {
        let all = [1.0f32; WIDTHS];
        *y = all[0];
    }
}

fn main() {}
