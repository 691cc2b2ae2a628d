//! Slices of types of other crates as slices of elements.

use bytemuck::{NoUninit, Pod};

use crate::memory::element::Element;

/// Views host values of a type of another crate as elements, without a copy: to upload them, or to pass them to a
/// launcher's `dispatch`.
///
/// `P` is the type of the values, which is [`NoUninit`] or [`Pod`]; many crates implement these of `bytemuck` behind a
/// feature of that name. `T` is the element of the buffer, usually a struct marked `#[vyre::device]` with the same fields.
/// Both have the same size, the alignment of `T` is no greater than that of `P`, and every bit pattern is a value of `T`, so
/// it has neither `bool`s nor enums. Otherwise the build fails.
///
/// With the feature `bytemuck`.
///
/// ```
/// use vyre::prelude::*;
///
/// // Of another crate.
/// #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
/// #[repr(C)]
/// struct Vec2([f32; 2]);
///
/// #[vyre::device]
/// #[derive(Clone, Copy)]
/// struct Point {
///     x: f32,
///     y: f32,
/// }
///
/// #[vyre::kernel]
/// fn lengths(#[each] point: &Point, #[each] length: &mut f32) {
///     *length = (point.x * point.x + point.y * point.y).sqrt();
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let vectors = vec![Vec2([3.0, 4.0]); 100];
/// let points = device.upload::<Point>(vyre::cast(&vectors))?;
/// let mut found = device.zeros(100)?;
/// lengths(&points, &mut found).launch(&device)?;
/// assert_eq!(found.download()?, [5.0; 100]);
///
/// let mut found = [0.0; 100];
/// Lengths::dispatch(&device, vyre::cast(&vectors), &mut found)?;
/// assert_eq!(found, [5.0; 100]);
/// # Ok(())
/// # }
/// ```
///
/// Types of other sizes are refused, those of smaller alignment, and those that are not any bits:
///
/// ```compile_fail
/// let _: &[f32] = vyre::cast(&[1.0f64]);
/// ```
///
/// ```compile_fail
/// let _: &[f32] = vyre::cast(&[[0u8; 4]]);
/// ```
///
/// ```compile_fail
/// #[vyre::device]
/// #[derive(Clone, Copy)]
/// struct Flag {
///     set: bool,
/// }
///
/// let _: &[[Flag; 2]] = vyre::cast(&[[2u8; 2]]);
/// ```
pub fn cast<T: Element, P: NoUninit>(values: &[P]) -> &[T] {
    const { check::<T, P>() };
    // SAFETY: by the check, the types have the same size and the pointer is aligned. All bytes of `P` are initialised, and
    // any bytes are a value of `T`.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), values.len()) }
}

/// As [`cast`], for values that are overwritten: to download into them, or to pass them to a launcher's `dispatch`.
///
/// With the feature `bytemuck`.
///
/// ```
/// use vyre::prelude::*;
///
/// #[vyre::kernel]
/// fn mirror(#[each] point: &mut [f32; 2]) {
///     *point = [point[1], point[0]];
/// }
///
/// // Of another crate.
/// #[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
/// #[repr(C)]
/// struct Vec2 {
///     x: f32,
///     y: f32,
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let mut vectors = vec![Vec2 { x: 1.0, y: 2.0 }; 100];
/// let mut points = device.upload(vyre::cast(&vectors))?;
/// mirror(&mut points).launch(&device)?;
/// points.download_into(vyre::cast_mut(&mut vectors))?;
/// assert_eq!(vectors, [Vec2 { x: 2.0, y: 1.0 }; 100]);
/// # Ok(())
/// # }
/// ```
pub fn cast_mut<T: Element, P: Pod>(values: &mut [P]) -> &mut [T] {
    const { check::<T, P>() };
    // SAFETY: as for `cast`; the element has no padding, so all bytes that are written are initialised, and any bytes are a
    // value of `P`.
    unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), values.len()) }
}

/// Fails the build if a slice of `P` is no slice of `T`.
const fn check<T: Element, P>() {
    assert!(
        size_of::<T>() == size_of::<P>(),
        "vyre::cast: the type of the values and the element have different sizes"
    );
    assert!(
        align_of::<T>() <= align_of::<P>(),
        "vyre::cast: the element has a greater alignment than the type of the values; make it of smaller numbers or arrays"
    );
    assert!(
        T::ANY_BITS,
        "vyre::cast: the element holds a `bool` or an enum, of which not every bit pattern is a value, or has padding; hold \
         a `u8` or `u32`, and fill the padding"
    );
}
