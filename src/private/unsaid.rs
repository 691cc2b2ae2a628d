//! What rustc says of a launch that leaves something open. The prelude brings these traits into scope, and no type
//! fulfils their bounds: where a launcher has a method of the name it takes precedence.

use std::marker::PhantomData;

use vyre_runtime::kernel::Kernel;
use vyre_runtime::{Device, Launch, Result};

/// A launcher that knows how many threads it needs.
#[diagnostic::on_unimplemented(
    message = "V0219: nothing says how many threads `{Self}` is launched with",
    label = "say it before the launch",
    note = "help: cover what the kernel works on, `.over(n).launch(&device)`, or say how many blocks there are, `.grid(n)`; \
            no domain is needed where all slices of a kernel are `#[each]`"
)]
pub trait HasDomain: Kernel {
    /// What the launch covers.
    fn domain(&self) -> [u64; 3];
}

/// The launch of any launcher.
pub trait Launches: Kernel + Sized {
    /// Launches the kernel with the threads that it needs.
    ///
    /// # Errors
    /// Those of [`Launch::launch`].
    fn launch(self, device: &Device) -> Result<()>
    where
        Self: HasDomain,
    {
        let domain = self.domain();
        Launch::over(self, domain).launch(device)
    }
}
impl<K: Kernel> Launches for K {}

/// Stands for the launcher of a generic kernel.
#[derive(Debug)]
pub struct Launcher<T: ?Sized>(PhantomData<T>);

/// An instance that the source names.
#[diagnostic::on_unimplemented(
    message = "V0218: nothing says which instance of the generic kernel is dispatched",
    label = "a launcher is that of an instance",
    note = "help: name its types and lengths: `Duplicate::<f32>::dispatch(..)`"
)]
pub trait NamedInstance {
    /// What dispatches it.
    type Dispatch;
}

/// A launcher of which no type is known. To call what is no function is no second error where its type is one.
pub trait Dispatches
where
    Launcher<Self>: NamedInstance,
{
    /// Stands for the function of this name.
    #[allow(non_upper_case_globals, reason = "it is called as the function is")]
    const dispatch: <Launcher<Self> as NamedInstance>::Dispatch;
}
