//! A file of the same name as another one.

/// Doubles each number.
#[vyre::kernel]
pub fn levels(#[each] y: &mut u32) {
    *y *= 2;
}
