//! The kernels of reductions.

use vyre::prelude::*;

/// Combines the elements at `i`, `i + n`, `i + 2n` and so on, in this order, for a result of `n` elements. The operations are
/// those of `Reduction::code`.
#[vyre_macros::kernel(T = [i32, u32, i64, u64, f32, f64])]
pub fn combine<T: Number>(operation: u32, parts: &[T], out: &mut [T]) {
    let i = thread::index();
    if i < out.len() {
        let mut total = parts[i];
        let mut at = i + out.len();
        while at < parts.len() {
            let next = parts[at];
            if operation == 0 {
                total += next;
            } else if operation == 1 {
                total *= next;
            } else if operation == 2 {
                // A NaN is equal to nothing, and gives way to any number.
                if next > total || total != total {
                    total = next;
                }
            } else if next < total || total != total {
                total = next;
            }
            at += out.len();
        }
        out[i] = total;
    }
}
