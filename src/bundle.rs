//! Structs of slices as arguments of kernels.

use vyre_runtime::kernel::Arguments;

/// A struct of slices, which a kernel takes as one argument.
///
/// `#[vyre::device]` implements it for a struct with a lifetime. See [the attribute](macro@crate::device).
///
/// # Safety
/// `arguments` pushes the argument of each field, in order.
#[diagnostic::on_unimplemented(
    message = "V0209: `{Self}` is no struct of slices that vyre knows",
    label = "a kernel takes it as one argument",
    note = "help: put `#[vyre::device]` on the struct"
)]
pub unsafe trait Bundle {
    /// The struct with a view in the place of each slice, which a launcher holds.
    type Views<'v>;

    /// Pushes the arguments.
    #[doc(hidden)]
    fn arguments<'a>(views: &'a Self::Views<'_>, arguments: &mut Arguments<'a>);
}

/// The argument of a launch for a struct of slices: of `Mesh` a `MeshViews`, whose fields are buffers or views, and values.
///
/// A function that has the buffers may return `impl Views<'_, Mesh<'_>>`:
///
/// ```
/// use vyre::Views;
/// use vyre::prelude::*;
///
/// #[vyre::device]
/// struct Mesh<'a> {
///     x: &'a [f32],
///     out: &'a mut [f32],
///     n: u32,
/// }
///
/// #[vyre::kernel]
/// fn double(mesh: Mesh<'_>) {
///     let i = thread::index();
///     if i < mesh.n as usize && i < mesh.out.len() {
///         mesh.out[i] = 2.0 * mesh.x[i];
///     }
/// }
///
/// /// The same on a device.
/// struct DeviceMesh {
///     x: DeviceBuffer<f32>,
///     out: DeviceBuffer<f32>,
///     n: u32,
/// }
///
/// impl DeviceMesh {
///     fn views(&mut self) -> impl Views<'_, Mesh<'_>> {
///         MeshViews { x: &self.x, out: &mut self.out, n: self.n }
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let mut mesh = DeviceMesh { x: device.upload(&[1.0, 2.0, 3.0])?, out: device.zeros(3)?, n: 3 };
/// double(mesh.views()).over(3).launch(&device)?;
/// assert_eq!(mesh.out.download()?, [2.0, 4.0, 6.0]);
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "V0220: a parameter `{B}` takes its views, not `{Self}`",
    label = "write the struct of views, whose name ends in `Views`",
    note = "help: of `Mesh<'_>` it is `MeshViews {{ x: &x, out: &mut out, n }}`, with a buffer for each slice"
)]
pub trait Views<'v, B: Bundle> {
    /// The struct that the launcher holds.
    fn views(self) -> B::Views<'v>;
}
