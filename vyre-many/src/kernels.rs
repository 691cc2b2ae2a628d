//! The kernels of reductions.

use vyre::prelude::*;

/// Combines the elements at `i`, `i + n`, `i + 2n` and so on, in this order, for a result of `n` elements. The operations are
/// those of `Reduction::code`.
#[vyre::kernel(T = [i32, u32, i64, u64, f32, f64])]
pub fn combine<T: Number>(operation: u32, parts: &[T], out: &mut [T]) {
    let i = thread::index();
    if i < out.len() {
        let mut total = parts[i];
        let mut at = i + out.len();
        while at < parts.len() {
            let next = parts[at];
            // A NaN is equal to nothing, and gives way to any number.
            let same = total;
            let is_nan = same != total;
            if operation == 0 {
                total += next;
            } else if operation == 1 {
                total *= next;
            } else if operation == 2 {
                if next > total || is_nan {
                    total = next;
                }
            } else if next < total || is_nan {
                total = next;
            }
            at += out.len();
        }
        out[i] = total;
    }
}
