//! Error messages of rustc for incomplete launches. The prelude imports these traits, and no type
//! satisfies their bounds; a launcher's own method of the same name takes precedence.

use std::marker::PhantomData;

use vyre_runtime::kernel::Kernel;
use vyre_runtime::{Device, Launch, Stream};

/// A launcher that determines its number of threads.
#[diagnostic::on_unimplemented(
    message = "V0219: nothing says how many threads `{Self}` is launched with",
    label = "say it before the launch",
    note = "help: cover what the kernel works on, `.over(n).launch(&device)`, or say how many blocks there are, `.grid(n)`; \
            no domain is needed where all slices of a kernel are `#[each]`"
)]
pub trait HasDomain: Kernel {
    /// The result of a launch. Where the bound does not hold, rustc reports no error in later calls on it:
    /// `.launch(&device).over(n)`.
    type Launched;
    /// A launch.
    fn launched(self) -> Self::Launched;
}

/// A launch that determines the size of its blocks: none does.
#[diagnostic::on_unimplemented(
    message = "V0221: a launch does not say how many threads a block has",
    label = "the kernel says it",
    note = "help: write it at the kernel, `#[vyre::kernel(block = 64)]`, and only the number of threads or of blocks at the \
            launch: `.over(n)`, `.grid(n)`"
)]
pub trait HasBlock {}

/// The size of the blocks of any launch.
pub trait Blocks: Sized {
    /// The launch, as the block of the kernel stands.
    fn block<B>(self, _shape: B) -> Self
    where
        Self: HasBlock,
    {
        self
    }
}
impl<K: Kernel> Blocks for Launch<K> {}

/// The launch of any launcher.
pub trait Launches: Kernel + Sized {
    /// Launches the kernel.
    fn launch(self, _device: &Device) -> <Self as HasDomain>::Launched
    where
        Self: HasDomain,
    {
        self.launched()
    }

    /// The launch on a stream.
    fn on(self, _stream: &Stream) -> <Self as HasDomain>::Launched
    where
        Self: HasDomain,
    {
        self.launched()
    }

    /// The launch with dynamic shared memory.
    fn shared_bytes(self, _bytes: usize) -> <Self as HasDomain>::Launched
    where
        Self: HasDomain,
    {
        self.launched()
    }

    /// The launcher, as the block of the kernel stands.
    fn block<B>(self, _shape: B) -> Self
    where
        Self: HasBlock,
    {
        self
    }
}
impl<K: Kernel> Launches for K {}

/// A placeholder for the launcher of a generic kernel.
#[derive(Debug)]
pub struct Launcher<T: ?Sized>(PhantomData<T>);

/// An instance named in the source.
#[diagnostic::on_unimplemented(
    message = "V0218: nothing says which instance of the generic kernel is dispatched",
    label = "a launcher is that of an instance",
    note = "help: name its types and lengths behind the name: `::<f32>::dispatch(..)`, `::<f32, 16>::dispatch(..)`"
)]
pub trait NamedInstance {
    /// The type that dispatches it.
    type Dispatch;
}

/// A launcher without a known type. If the type is known, calling a non-function is not a second
/// error.
pub trait Dispatches
where
    Launcher<Self>: NamedInstance,
{
    /// A placeholder for the function of this name.
    #[allow(non_upper_case_globals, reason = "it is called as the function is")]
    const dispatch: <Launcher<Self> as NamedInstance>::Dispatch;
}
