//! Launches whose extent is on the device, as steps.

use std::ffi::c_void;
use std::sync::Arc;

use super::Sequence;
use super::launch::sealed::Sealed;
use super::launch::{IN_SEQUENCE, Recordable};
use super::step::{Frame, NodeKernel, NodeParameters, OnHost, Step};
use crate::error::Result;
use crate::launch::arguments::Arguments;
use crate::launch::conditions::Conditions;
use crate::launch::kernel::Kernel;
use crate::launch::over_device::{self, OverDevice};
use crate::launch::submission::{self, Submission, checked_axes};
use crate::load::kernel::KernelDescription;
use crate::memory::allocation::Allocation;
use crate::programs::compiled::Compiled;

impl<K: Kernel> Sealed for OverDevice<'_, K> {}

impl<K: Kernel> Recordable for OverDevice<'_, K> {
    fn record(self, sequence: &mut Sequence) -> Result<()> {
        let OverDevice { largest, extent } = self;
        let (device, info, extent) = (sequence.device(), K::info(), *extent.raw());
        largest.kernel.check()?;
        checked_axes(info.dimensions, extent.length as usize)?;
        if largest.is_split() {
            return Err(submission::no_split(info, &device, IN_SEQUENCE));
        }
        sequence.check_view("the extent", &extent)?;
        let compiled = over_device::compiled(&device, info)?;
        let (frame, kept) = Frame::of((largest.kernel, [extent.address, extent.length]));
        // SAFETY: the frame keeps both, and during this call the borrows of the launcher last.
        let (kernel, words) = unsafe { kept.as_ref() };
        let mut arguments = Arguments::new();
        kernel.arguments(&mut arguments);
        // SAFETY: the arguments are those of the kernel, by the contract of `Kernel`.
        unsafe {
            Conditions::of(info, kernel).check_largest(arguments.pointers(), largest.extent, largest.shared_bytes)?
        };
        let mut pointers: Vec<*const c_void> = arguments.pointers().to_vec();
        let mut submission = Submission {
            kernel: info,
            interpreter: None,
            arguments: &mut arguments,
            entry: info.entries.len().saturating_sub(1),
            extent: largest.extent,
            stream: largest.stream.as_ref(),
            shared_bytes: largest.shared_bytes,
            captured: false,
        };
        if device.is_cuda() {
            submission.arguments.push(&extent, false);
            submission.kernel = compiled.kernels[0].description();
            submission.entry = 0;
            pointers.extend(words.iter().map(|word| (&raw const *word).cast()));
            // SAFETY: the pointers lead into the frame.
            let parameters = unsafe { NodeParameters::new(&pointers, frame) };
            let kernel = Box::new(First(Arc::clone(&compiled)));
            // SAFETY: the program is that of the kernel with the extent as one more parameter, and one entry.
            return unsafe { sequence.record(submission, parameters, kernel) };
        }
        let grid = submission.extent.grid(info, 1, device.state().backend().limits());
        // SAFETY: the pointers lead into the frame.
        let parameters = unsafe { NodeParameters::new(&pointers, frame) };
        let before = sequence.launches;
        // SAFETY: the arguments are those of the kernel, by the contract of `Kernel`, and its last entry takes any.
        unsafe { sequence.record(submission, parameters, Box::new(info))? };
        if sequence.launches != before
            && let Some(Step::Launch(node)) = sequence.steps.last_mut()
        {
            node.uses.push((Allocation::id(extent.allocation), false));
            node.on_host = Some(OnHost {
                info,
                address: extent.address,
                axes: extent.length as usize,
                grid: grid?,
            });
            sequence.holdings.hold(extent.allocation, false);
        }
        Ok(())
    }
}

/// The one kernel of a program.
struct First(Arc<Compiled>);

impl NodeKernel for First {
    fn description(&self) -> &KernelDescription<'_> {
        self.0.kernels[0].description()
    }
}
