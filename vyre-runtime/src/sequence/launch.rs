//! Launches as steps.

use super::step::{Frame, Node, NodeKernel, NodeParameters, Step};
use super::{Sequence, check_kept};
use crate::backend::check_resident;
use crate::error::{Error, Result};
use crate::launch::Launch;
use crate::launch::arguments::Arguments;
use crate::launch::conditions::Conditions;
use crate::launch::kernel::Kernel;
use crate::launch::submission::{self, Submission};

/// A launch in a [`Graph`](crate::Graph) whose arguments can be [exchanged](crate::Graph::set), from [`Sequence::node`].
///
/// ```
/// # use vyre::prelude::*;
/// use vyre::{LaunchNode, Sequence};
///
/// # #[vyre::kernel]
/// # fn set(#[each] x: &mut u32, value: u32) {
/// #     *x = value;
/// # }
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let mut x = device.zeros(3)?;
/// let mut steps = Sequence::new(&device);
/// let node: LaunchNode = steps.node(set(&mut x, 1).over(3))?;
/// let mut graph = steps.into_graph()?;
/// for value in 2..5 {
///     graph.set(&node, set(&mut x, value).over(3))?;
///     graph.run()?;
///     assert_eq!(x.download()?, [value; 3]);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchNode {
    /// The number of the sequence.
    pub(super) sequence: u64,
    /// The number among its launches; `None` if nothing was recorded.
    pub(super) number: Option<usize>,
}

/// A launch, or a call of a pipeline, which a [`Sequence`] records.
#[diagnostic::on_unimplemented(
    message = "a sequence records launches, and `{Self}` is none",
    label = "a kernel with its domain is one: `kernel(..).over(n)`",
    note = "help: say how many threads there are, `.over(n)` or `.grid(n)`, and leave `.launch(&device)` out: `run` launches it"
)]
pub trait Recordable: sealed::Sealed {
    #[doc(hidden)]
    fn record(self, sequence: &mut Sequence) -> Result<()>;
}

/// The reason why a sequence records no launch in parts.
pub(crate) const IN_SEQUENCE: &str = "a sequence holds no launches in parts; launch it on a stream";

pub(crate) mod sealed {
    #[doc(hidden)]
    pub trait Sealed {}
}

impl<K: Kernel> sealed::Sealed for Launch<K> {}

impl<K: Kernel> Recordable for Launch<K> {
    fn record(self, sequence: &mut Sequence) -> Result<()> {
        self.kernel.check()?;
        let info = K::info();
        if self.is_split() {
            return Err(submission::no_split(info, &sequence.device(), IN_SEQUENCE));
        }
        let conditions = Conditions::of(info, &self.kernel);
        let entry = submission::entry(info, self.kernel.entry(), self.extent, || self.kernel.elements());
        let (frame, kernel) = Frame::of(self.kernel);
        let mut arguments = Arguments::new();
        // SAFETY: the frame keeps the launcher, and during this call its borrows last.
        unsafe { kernel.as_ref() }.arguments(&mut arguments);
        // SAFETY: these are the arguments of the kernel, by the contract of `Kernel`.
        unsafe { conditions.check(arguments.pointers(), self.extent, self.shared_bytes)? };
        // SAFETY: the pointers lead into the launcher, by the contract of `Kernel`.
        let parameters = unsafe { NodeParameters::new(arguments.pointers(), frame) };
        let submission = Submission {
            kernel: info,
            interpreter: None,
            arguments: &mut arguments,
            entry,
            extent: self.extent,
            stream: self.stream.as_ref(),
            shared_bytes: self.shared_bytes,
            captured: false,
        };
        // SAFETY: the arguments and the entry are those of the kernel, by the contract of `Kernel`.
        unsafe { sequence.record(submission, parameters, Box::new(info)) }
    }
}

impl Sequence {
    /// Records a launch, after all that can be checked of it before it runs.
    ///
    /// # Safety
    /// The arguments are those of the kernel, and the predicate of the entry holds for them. The parameters have the same
    /// values, and the node's kernel is that of the submission.
    pub(crate) unsafe fn record(
        &mut self,
        submission: Submission<'_, '_>,
        parameters: NodeParameters,
        kernel: Box<dyn NodeKernel>,
    ) -> Result<()> {
        let device = self.device();
        let checked = submission.check(&device)?;
        let Submission {
            kernel: description,
            arguments,
            entry,
            extent,
            stream,
            shared_bytes,
            ..
        } = submission;
        if stream.is_some_and(|stream| !std::ptr::eq(stream.state(), self.stream.state())) {
            return Err(Error::StreamInSequence {
                kernel: description.name.to_owned().into(),
            });
        }
        if checked.is_none() {
            return Ok(());
        }
        for argument in arguments.uses() {
            check_kept(argument.allocation)?;
        }
        // A launch does these when it runs.
        let backend = device.state().backend();
        backend.load(description)?;
        backend.limits().check_dynamic(description, shared_bytes)?;
        let coarsening = match device.is_cuda() {
            true => description.entries.get(entry).map_or(1, |entry| entry.coarsening),
            // The body for the CPU covers single indices.
            false => 1,
        };
        let grid = extent.grid(description, coarsening, backend.limits())?;
        if description.cooperative {
            let queue = self.stream.state().queue();
            let blocks = queue.resident_blocks(description, entry, shared_bytes)?;
            check_resident(description, grid, blocks)?;
        }
        for argument in arguments.uses() {
            self.holdings.hold(argument.allocation, argument.writes);
        }
        let uses = arguments.uses().iter();
        let uses = uses
            .map(|argument| (argument.allocation.id(), argument.writes))
            .collect();
        self.launches += 1;
        self.steps.push(Step::Launch(Box::new(Node {
            kernel,
            number: self.launches,
            parameters,
            uses,
            entry,
            extent,
            shared_bytes,
            #[cfg(feature = "programs")]
            on_host: None,
        })));
        Ok(())
    }
}
