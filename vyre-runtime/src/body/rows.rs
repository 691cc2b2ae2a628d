//! Stores of the lanes of a chunk to consecutive elements that other blocks may access at the same time.
//!
//! Rust has relaxed atomic stores of scalars alone, and LLVM makes no vector of those. But a processor stores each scalar of
//! a vector as a whole, where the scalar is aligned: on x86-64 a store is cut, if at all, at multiples of eight bytes from its
//! start or between cache lines, and neither is within an aligned scalar of up to eight bytes. (The copies of arrays of
//! Java's virtual machines rely on it, too.) So an instruction that stores a vector, written as assembly, is the relaxed
//! stores of its scalars in any order, and no undefined behaviour where kernels race.

use super::memory::Memory;

/// Stores the values of all lanes to consecutive elements.
///
/// # Safety
/// As for [`Memory::store`], for each value.
#[inline(always)]
pub unsafe fn store_lanes<T: Memory, const N: usize>(values: [T; N], to: *mut T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if T::IS_DENSE && size_of::<[T; N]>().is_multiple_of(16) {
        // SAFETY: the caller vouches for the elements, and such values are their bytes.
        return unsafe { store_vectors(values, to) };
    }
    for (lane, value) in values.into_iter().enumerate() {
        // SAFETY: the caller vouches for each element.
        unsafe { T::store(value, to.add(lane)) };
    }
}

/// The same by vectors of 16 bytes.
///
/// # Safety
/// As for [`Memory::store`], for each value. The values are such vectors, and have no bytes between their scalars.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
unsafe fn store_vectors<T: Memory, const N: usize>(values: [T; N], to: *mut T) {
    use std::arch::asm;
    use std::arch::x86_64::{__m128i, _mm_loadu_si128};

    let (from, to) = (values.as_ptr().cast::<__m128i>(), to.cast::<__m128i>());
    // In the copy of a body for AVX older processors take long for an instruction of SSE, which this one is otherwise.
    let has_avx = super::has_fma();
    let mut at = 0;
    while at < size_of::<[T; N]>() / size_of::<__m128i>() {
        // SAFETY: the vectors are within the values, and those of the elements. The instruction stores aligned scalars.
        unsafe {
            let value = _mm_loadu_si128(from.add(at));
            let to = to.add(at);
            match has_avx {
                true => asm!(
                    "vmovups [{to}], {value}",
                    to = in(reg) to,
                    value = in(xmm_reg) value,
                    options(nostack, preserves_flags),
                ),
                false => asm!(
                    "movups [{to}], {value}",
                    to = in(reg) to,
                    value = in(xmm_reg) value,
                    options(nostack, preserves_flags),
                ),
            }
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::{Memory, store_lanes};

    /// Elements before, between and behind stay as they are, at any alignment that elements have.
    fn stores<T: Memory + PartialEq + std::fmt::Debug, const N: usize>(of: impl Fn(usize) -> T) {
        for first in 0..9 {
            let mut memory: Vec<T> = (0..N + 16).map(|_| of(0)).collect();
            let values: [T; N] = std::array::from_fn(|lane| of(lane + 1));
            // SAFETY: the elements are there, and nothing else refers to them.
            unsafe { store_lanes(values, memory.as_mut_ptr().add(first)) };
            for (at, value) in memory.iter().enumerate() {
                let expected = match at.checked_sub(first) {
                    Some(lane) if lane < N => of(lane + 1),
                    _ => of(0),
                };
                assert_eq!(*value, expected, "{N} from {first}, element {at}");
            }
        }
    }

    #[test]
    fn lanes_store_their_values_and_nothing_else() {
        stores::<u8, 8>(|it| it as u8);
        stores::<u8, 32>(|it| it as u8);
        stores::<bool, 16>(|it| it % 3 == 1);
        stores::<u16, 8>(|it| it as u16 * 259);
        stores::<i16, 32>(|it| -(it as i16));
        stores::<f32, 8>(|it| it as f32 * 0.5);
        stores::<f32, 32>(|it| it as f32 * 0.5);
        stores::<u64, 16>(|it| it as u64 * 0x1_0000_0001);
        stores::<[f32; 3], 8>(|it| [it as f32, 2.0, -1.0]);
        stores::<[[u8; 3]; 5], 8>(|it| [[it as u8; 3]; 5]);
        stores::<(), 8>(|_| ());
    }
}
