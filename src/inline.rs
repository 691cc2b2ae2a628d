//! The macro `ptx!`.

/// Inline PTX in a kernel, with a block of Rust that runs in its place on a CPU.
///
/// ```
/// use vyre::prelude::*;
///
/// /// The upper halves of the products.
/// #[vyre::kernel]
/// fn high(#[each] x: &u32, #[each] y: &mut u32) {
///     let (a, b) = (*x, *y);
///     // SAFETY: the instruction has no effect but its result.
///     *y = unsafe {
///         ptx!("mul.hi.u32 {result}, {0}, {1};", a, b => u32 { ((a as u64 * b as u64) >> 32) as u32 })
///     };
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut y = [1 << 31, 3];
/// High::dispatch(&Device::best()?, &[6, 1 << 31], &mut y)?;
/// assert_eq!(y, [3, 1]);
/// # Ok(())
/// # }
/// ```
///
/// The text may have several instructions, and may declare registers, since it has a scope of its own. `{0}`,
/// `{1}` and so on are the registers of the operands, up to twelve, and `{result}` is that of the result;
/// braces of PTX are doubled, `{{` and `}}`. Operands and result have 16, 32 or 64 bits: `i16`, `u16`, `f16`,
/// `bf16`, `u32`, `i32`, `f32`, `u64`, `i64`, `usize`, `isize`, `f64`. A result of up to four is a tuple,
/// `=> (u32, u32)`, with the registers `{result.0}` and so on; without a result the type is `()`.
///
/// Each module has PTX 6.0. Instructions of a later version name it before the text: `ptx!(version = "7.8", ..)`. The kernel
/// then needs a driver that takes this version, and `ptxas` one of its age; the CPU needs neither.
///
/// Without a block, `=> u32` alone, a thread that reaches the instructions on a CPU faults.
///
/// # Safety
/// The instructions are valid on every GPU on which the kernel is loaded, have no effect but their result and
/// on memory that nothing else in the kernel refers to, and compute what the block computes.
#[macro_export]
macro_rules! ptx {
    (version = $version:literal, $($rest:tt)*) => {
        $crate::ptx!($($rest)*)
    };
    ($text:literal $(, $operand:expr)* => $result:ty $host:block) => {{
        $crate::__private::ptx($text);
        $($crate::__private::used(&$operand);)*
        let result: $result = $host;
        result
    }};
    ($text:literal $(, $operand:expr)* => $result:ty) => {
        $crate::ptx!($text $(, $operand)* => $result { $crate::__private::any() })
    };
}
