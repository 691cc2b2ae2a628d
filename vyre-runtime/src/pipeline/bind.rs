//! The arguments of a call, held against the parameters of a kernel.

use std::borrow::Cow;
use std::ffi::c_void;

use smallvec::SmallVec;

use super::argument::{Argument, Given, Resident};
use crate::device::Device;
use crate::error::{ArgumentProblem, Error, Result};
use crate::interpret::signature::{Kind, Parameter};
use crate::launch::arguments::Arguments;
use crate::memory::buffer::DeviceBuffer;
use crate::memory::view::RawView;
use crate::programs::compiled::{CompiledKernel, Known};
use crate::sequence::step::{Frame, NodeParameters};

/// The arguments for which calls allocate no lists.
pub(super) const INLINE: usize = 8;

/// The views of the slices among the arguments.
pub(super) type Views<'v> = SmallVec<[RawView<'v>; INLINE]>;

/// Arguments that fit their parameters. Those that come from the host are in buffers.
pub(super) struct Bound<'c> {
    slots: Vec<Slot<'c>>,
    /// The buffers, in the order of their parameters.
    buffers: Vec<DeviceBuffer<u8>>,
}

enum Slot<'c> {
    /// The bits of a scalar.
    Value([u8; 8]),
    Bytes(&'c [u8]),
    Resident(RawView<'c>),
    /// The buffer of this number, and its length in elements.
    Own(usize, u64),
}

/// Holds the arguments against the parameters.
pub(super) fn check(device: &Device, kernel: &CompiledKernel, arguments: &[&Argument<'_>]) -> Result<()> {
    let parameters = kernel.parameters();
    let fails = |parameter: Cow<'static, str>, problem| Error::Argument {
        kernel: kernel.description().name.to_owned().into(),
        parameter,
        problem: Box::new(problem),
    };
    for (number, parameter) in parameters.iter().enumerate() {
        let checked = match arguments.get(number) {
            None => Err(ArgumentProblem::Missing),
            Some(Argument(given)) => check_one(kernel, parameter, given),
        };
        checked.map_err(|problem| fails(parameter.name.clone().into(), problem))?;
    }
    if arguments.len() > parameters.len() {
        let parameters = parameters.len();
        return Err(fails(
            format!("argument {}", parameters + 1).into(),
            ArgumentProblem::Unexpected { parameters },
        ));
    }
    for (parameter, Argument(given)) in parameters.iter().zip(arguments) {
        if let Given::Resident(resident) = given {
            let belongs = resident.view.allocation.device();
            if belongs != *device {
                return Err(Error::wrong_device(
                    kernel.description().name,
                    &parameter.name,
                    &belongs,
                    device,
                ));
            }
        }
    }
    Ok(())
}

/// Makes buffers for those arguments that come from the host. All of them fit their parameters.
pub(super) fn bind<'c>(
    device: &Device,
    kernel: &CompiledKernel,
    arguments: &[&Argument<'c>],
    upload: Upload<'_, 'c>,
) -> Result<Bound<'c>> {
    let mut bound = Bound {
        slots: Vec::with_capacity(arguments.len()),
        buffers: Vec::new(),
    };
    for (parameter, Argument(given)) in kernel.parameters().iter().zip(arguments) {
        bound.add(device, parameter, given, upload)?;
    }
    Ok(bound)
}

/// Copies bytes of the host into a new buffer.
pub(super) type Upload<'a, 'c> = &'a mut dyn FnMut(&'c [u8]) -> Result<DeviceBuffer<u8>>;

fn check_one(kernel: &CompiledKernel, parameter: &Parameter, given: &Given<'_>) -> Result<(), ArgumentProblem> {
    let types = &kernel.program().types;
    let whole = |bytes: u64, element: u64| match bytes.is_multiple_of(element) {
        true => Ok(()),
        false => Err(ArgumentProblem::Length { bytes, element }),
    };
    let bools = |offset: Option<usize>| match offset {
        Some(offset) => Err(ArgumentProblem::Bool { offset: offset as u64 }),
        None => Ok(()),
    };
    match (&parameter.kind, given) {
        (Kind::Value(scalar), Given::Value(value)) if value.scalar == *scalar => Ok(()),
        (Kind::Aggregate(content), Given::Bytes(bytes)) => match bytes.len() as u64 == content.size {
            true => bools(content.wrong_bool(types, bytes)),
            false => Err(ArgumentProblem::Size {
                bytes: bytes.len() as u64,
                expected: content.size,
            }),
        },
        (Kind::Slice { element, .. }, Given::Bytes(bytes)) => {
            whole(bytes.len() as u64, element.size)?;
            bools(element.wrong_bool(types, bytes))
        }
        (Kind::Slice { .. }, Given::Zeroed(_)) => Ok(()),
        (Kind::Slice { element, writes }, Given::Resident(resident)) => {
            whole(resident.bytes(), element.size)?;
            let address = resident.view.address;
            if !address.is_multiple_of(element.align.max(1)) {
                return Err(ArgumentProblem::Alignment {
                    address,
                    alignment: element.align,
                });
            }
            match *writes && !resident.mutable {
                true => Err(ArgumentProblem::ReadOnly),
                false => Ok(()),
            }
        }
        (kind, given) => Err(ArgumentProblem::Kind {
            expected: kind.describe(),
            given: given.describe(),
        }),
    }
}

impl<'c> Bound<'c> {
    /// Adds an argument that fits its parameter.
    fn add(&mut self, device: &Device, parameter: &Parameter, given: &Given<'c>, upload: Upload<'_, 'c>) -> Result<()> {
        let element = match &parameter.kind {
            Kind::Slice { element, .. } => element.size,
            Kind::Value(_) | Kind::Aggregate(_) => 1,
        };
        let slot = match (parameter.kind, given) {
            (_, Given::Value(value)) => Slot::Value(value.bits.to_le_bytes()),
            (Kind::Slice { .. }, Given::Bytes(bytes)) => {
                self.buffers.push(upload(bytes)?);
                Slot::Own(self.buffers.len() - 1, bytes.len() as u64 / element)
            }
            (_, Given::Bytes(bytes)) => Slot::Bytes(bytes),
            (_, Given::Zeroed(length)) => {
                let bytes = usize::try_from(element).ok().and_then(|size| length.checked_mul(size));
                let bytes = bytes.ok_or(Error::out_of_memory(usize::MAX))?;
                self.buffers.push(device.zeros(bytes)?);
                Slot::Own(self.buffers.len() - 1, *length as u64)
            }
            (_, Given::Resident(Resident { view, .. })) => Slot::Resident(RawView {
                length: view.length * self::bytes_per(given) / element,
                ..*view
            }),
        };
        self.slots.push(slot);
        Ok(())
    }

    fn each_view(&self) -> impl Iterator<Item = RawView<'_>> {
        self.slots.iter().filter_map(|slot| match slot {
            Slot::Resident(view) => Some(*view),
            Slot::Own(buffer, length) => Some(RawView {
                length: *length,
                ..*self.buffers[*buffer].as_view().raw()
            }),
            Slot::Value(_) | Slot::Bytes(_) => None,
        })
    }

    /// The views of all slices, in order.
    pub(super) fn views(&self) -> Views<'_> {
        self.each_view().collect()
    }

    /// The facts that the entry's predicate may ask for.
    pub(super) fn known<'b>(&'b self, parameters: &'b [Parameter]) -> impl Iterator<Item = Known<'b>> + Clone {
        parameters.iter().zip(&self.slots).map(|(parameter, slot)| match slot {
            Slot::Value(bits) => match parameter.kind {
                Kind::Value(scalar) => Known::Value(vyre_core::ir::Constant::new(scalar, u64::from_le_bytes(*bits))),
                Kind::Aggregate(_) | Kind::Slice { .. } => Known::Bytes(bits),
            },
            Slot::Bytes(bytes) => Known::Bytes(bytes),
            Slot::Resident(view) => Known::Length(view.length),
            Slot::Own(_, length) => Known::Length(*length),
        })
    }

    /// Pushes the arguments, with the result of [`views`](Bound::views).
    pub(super) fn push<'b>(&'b self, kernel: &CompiledKernel, views: &'b [RawView<'b>], arguments: &mut Arguments<'b>) {
        let mut views = views.iter();
        for (number, slot) in self.slots.iter().enumerate() {
            match slot {
                Slot::Value(bits) => arguments.bytes(bits),
                Slot::Bytes(bytes) => arguments.bytes(bytes),
                Slot::Resident(_) | Slot::Own(..) => {
                    if let Some(view) = views.next() {
                        arguments.push(view, kernel.writes(number));
                    }
                }
            }
        }
    }

    /// Pushes arguments none of which is in a buffer of the call's own.
    pub(super) fn push_kept<'b>(&'b self, kernel: &CompiledKernel, arguments: &mut Arguments<'b>) {
        for (number, slot) in self.slots.iter().enumerate() {
            match slot {
                Slot::Value(bits) => arguments.bytes(bits),
                Slot::Bytes(bytes) => arguments.bytes(bytes),
                Slot::Resident(view) => arguments.push(view, kernel.writes(number)),
                Slot::Own(..) => unreachable!("no argument is in a buffer of the call's own"),
            }
        }
    }

    /// The parameters of a recorded launch with the result of [`views`](Bound::views): copies of them all.
    pub(super) fn parameters(&self, views: &[RawView<'_>]) -> Result<NodeParameters> {
        const ALIGNMENT: usize = 64;
        let mut words: Vec<Cow<'_, [u8]>> = Vec::new();
        let mut views = views.iter();
        for slot in &self.slots {
            match slot {
                Slot::Value(bits) => words.push(bits[..].into()),
                Slot::Bytes(bytes) => words.push((*bytes).into()),
                Slot::Resident(_) | Slot::Own(..) => {
                    if let Some(view) = views.next() {
                        words.push(view.address.to_le_bytes().to_vec().into());
                        words.push(view.length.to_le_bytes().to_vec().into());
                    }
                }
            }
        }
        let room = |bytes: &[u8]| bytes.len().next_multiple_of(ALIGNMENT);
        let (frame, memory) = Frame::zeroed(words.iter().map(|bytes| room(bytes)).sum())?;
        let mut next = memory.as_ptr();
        let pointers = words.iter().map(|bytes| {
            let at = next;
            // SAFETY: the frame has room for all of them, each at a multiple of the alignment.
            unsafe {
                at.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
                next = at.add(room(bytes));
            }
            at.cast_const().cast()
        });
        let pointers: Vec<*const c_void> = pointers.collect();
        // SAFETY: they lead into the frame, which holds these values.
        Ok(unsafe { NodeParameters::new(&pointers, frame) })
    }

    /// The most elements of a slice.
    pub(super) fn elements(&self) -> Option<usize> {
        self.each_view().map(|view| view.length as usize).max()
    }

    /// The outputs: names of parameters that the kernel writes, and the buffers made for them.
    pub(super) fn outputs(&self, kernel: &CompiledKernel) -> impl Iterator<Item = (String, &DeviceBuffer<u8>)> {
        let slots = self.slots.iter().zip(kernel.parameters()).enumerate();
        slots.filter_map(|(number, (slot, parameter))| match slot {
            Slot::Own(buffer, _) if kernel.writes(number) => Some((parameter.name.clone(), &self.buffers[*buffer])),
            _ => None,
        })
    }

    /// The buffers of the outputs, in order.
    pub(super) fn into_outputs(self, kernel: &CompiledKernel) -> Vec<DeviceBuffer<u8>> {
        let Bound { slots, buffers } = self;
        let own = slots.iter().enumerate().filter_map(|(number, slot)| match slot {
            Slot::Own(..) => Some(kernel.writes(number)),
            _ => None,
        });
        let kept = buffers.into_iter().zip(own).filter(|(_, writes)| *writes);
        kept.map(|(buffer, _)| buffer).collect()
    }
}

fn bytes_per(given: &Given<'_>) -> u64 {
    match given {
        Given::Resident(resident) => resident.element as u64,
        _ => 1,
    }
}
