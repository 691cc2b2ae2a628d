//! The outputs of a call.

use super::bind::Bound;
use super::ready::Ready;
use crate::error::{Error, Result};
use crate::launch::submission::Launched;
use crate::memory::together::Reads;
use crate::memory::transfer;
use crate::programs::compiled::CompiledKernel;

/// The slices that a call has written and that came from the host, in the order of their parameters.
///
/// [`Call::run_into`](crate::Call::run_into) uses their memory again: if lengths stay what they were, nothing is
/// allocated, and the bytes stay at their addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outputs {
    list: Vec<Output>,
}

/// A slice that a call has written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    name: String,
    bytes: Vec<u8>,
}

impl Output {
    /// The name of the parameter.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The elements, one after the other, each in the layout of C.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The elements as numbers of a type; `None` if they are no whole number of these.
    ///
    /// ```
    /// # fn main() -> vyre_runtime::Result<()> {
    /// use vyre_core::build::{self, slice_mut};
    /// use vyre_runtime::{Argument, Device};
    ///
    /// let mut program = Default::default();
    /// build::kernel(&mut program, "index", &[32], (slice_mut::<u32>("y"),), |k, (y,)| {
    ///     let i = k.linear_index();
    ///     k.if_(i.lt(y.len()), || y.set(i, i.cast::<u32>()));
    /// });
    /// let outputs = Device::cpu().dispatch(&program, [Argument::zeroed(3)], 3)?;
    /// assert_eq!(outputs.list()[0].values::<u32>(), Some(vec![0, 1, 2]));
    /// # Ok(())
    /// # }
    /// ```
    pub fn values<T: crate::Plain>(&self) -> Option<Vec<T>> {
        if size_of::<T>() == 0 || !self.bytes.len().is_multiple_of(size_of::<T>()) {
            return None;
        }
        let values = self.bytes.chunks_exact(size_of::<T>());
        // SAFETY: a chunk has the size of a value, and all bits are values of such types.
        Some(
            values
                .map(|chunk| unsafe { chunk.as_ptr().cast::<T>().read_unaligned() })
                .collect(),
        )
    }

    /// Takes the bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

impl Outputs {
    /// None yet, for [`Call::run_into`](crate::Call::run_into).
    pub fn new() -> Outputs {
        Outputs::default()
    }

    /// All of them.
    pub fn list(&self) -> &[Output] {
        &self.list
    }

    /// The one of a parameter.
    pub fn get(&self, name: &str) -> Option<&Output> {
        self.list.iter().find(|output| output.name == name)
    }

    /// Takes all of them.
    pub fn into_list(self) -> Vec<Output> {
        self.list
    }

    /// Takes over outputs by their names. Memory that is there is used again.
    pub(super) fn fill<'b>(&mut self, outputs: impl ExactSizeIterator<Item = (&'b String, &'b [u8])>) -> Result<()> {
        self.list.resize_with(outputs.len(), Output::default);
        for (output, (name, bytes)) in self.list.iter_mut().zip(outputs) {
            output.name.clone_from(name);
            output.bytes.clear();
            output
                .bytes
                .try_reserve_exact(bytes.len())
                .map_err(|_| Error::out_of_memory(bytes.len()))?;
            output.bytes.extend_from_slice(bytes);
        }
        Ok(())
    }

    /// Makes room for what a call will write. Nothing has run yet.
    pub(super) fn reserve(&mut self, kernel: &CompiledKernel, bound: &Bound<'_>) -> Result<()> {
        let mut count = 0;
        for (name, buffer) in bound.outputs(kernel) {
            if self.list.len() == count {
                self.list.push(Output::default());
            }
            let output = &mut self.list[count];
            output.name = name;
            let more = buffer.len().saturating_sub(output.bytes.len());
            output
                .bytes
                .try_reserve_exact(more)
                .map_err(|_| Error::out_of_memory(buffer.len()))?;
            output.bytes.resize(buffer.len(), 0);
            count += 1;
        }
        self.list.truncate(count);
        Ok(())
    }

    /// Queues the copies of what a call will have written, and has its stream waited for. [`reserve`](Outputs::reserve) has
    /// made room.
    pub(super) fn start_read<'h>(
        &'h mut self,
        call: &Ready<'_>,
        launched: Option<&Launched>,
        reads: &mut Reads<'h>,
    ) -> Result<()> {
        let stream = call.stream_of(launched);
        reads.on(stream);
        for (output, (_, buffer)) in self.list.iter_mut().zip(call.bound.outputs(call.kernel)) {
            let allocation = buffer.allocation();
            let ticket = allocation.begin_inside(stream, false)?;
            // SAFETY: the buffer is the call's own, has as many bytes as the output, and the stream follows all work on it.
            unsafe { reads.start(stream, allocation.address(), &mut output.bytes)? };
            allocation.end(stream, false, ticket);
            call.device()
                .state()
                .counters()
                .downloaded_bytes
                .add(buffer.len() as u64);
        }
        Ok(())
    }

    /// Reads what a call has written. [`reserve`](Outputs::reserve) has made room.
    pub(super) fn read(&mut self, kernel: &CompiledKernel, bound: &Bound<'_>) -> Result<()> {
        for (output, (_, buffer)) in self.list.iter_mut().zip(bound.outputs(kernel)) {
            transfer::download_own(buffer.as_view().raw(), &mut output.bytes)?;
        }
        Ok(())
    }
}
