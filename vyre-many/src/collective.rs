//! Operations of all ranks.

use std::any::{TypeId, type_name};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::communicator::Communicator;
use super::frame::{Operation, Signature};
use super::reduction::{Reducible, Reduction};
use vyre::{Device, DeviceBuffer, Element, Error, RankProblem, Result, View, ViewMut};
use vyre_runtime::kernel::{bytes, bytes_mut, uninitialized};

pub(super) fn signature<T: Element>(operation: Operation, length: usize) -> Signature {
    Signature {
        operation,
        element: type_name::<T>().into(),
        values: if T::ANY_BITS { 0 } else { number_of::<T>() },
        length: length as u64,
    }
}

/// A number for a type, the same in all processes of a program.
fn number_of<T: 'static>() -> u64 {
    // Its keys are always the same.
    let mut hasher = DefaultHasher::new();
    TypeId::of::<T>().hash(&mut hasher);
    hasher.finish()
}

impl Communicator {
    /// Replaces the elements of all ranks by their reduction, element by element.
    ///
    /// Floats are added in the order of the ranks on the CPU, and on GPUs if the communicator is
    /// [`deterministic`](Communicator::deterministic); else in the order that NCCL chooses.
    ///
    /// ```
    /// use vyre_many::Reduction;
    /// use vyre::prelude::*;
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let sums = vyre_many::on_each(&Device::cpus(3), |ranks| {
    ///     let mut x = ranks.device().upload(&[1, ranks.rank() as i32])?;
    ///     ranks.all_reduce(&mut x, Reduction::Sum)?;
    ///     x.download()
    /// })?;
    /// assert_eq!(sums, [[3, 3]; 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::WrongDevice`] for a buffer of another device, [`Error::Fault`] if a launch that wrote it is known to have
    /// faulted, [`Error::Ranks`] if the lengths or types of ranks differ, if one fails, ends or does not come in time, or errors
    /// of the driver. After an error the communicator is aborted on all ranks, and the contents of `x` are unspecified.
    #[doc(alias = "ncclAllReduce")]
    pub fn all_reduce<'v, T: Reducible>(&self, x: impl Into<ViewMut<'v, T>>, reduction: Reduction) -> Result<()> {
        let mut x = x.into();
        let signature = signature::<T>(Operation::AllReduce(reduction), x.len());
        self.operate(|| {
            self.owns(&x.device())?;
            if self.ranks() == 1 {
                return Ok(());
            }
            #[cfg(feature = "nccl")]
            if let Some(nccl) = self.nccl() {
                if !self.is_deterministic {
                    // SAFETY: NCCL writes numbers of the type.
                    let x = unsafe { bytes_mut(x) };
                    return nccl.all_reduce(self, &signature, x, T::NCCL, reduction);
                }
                // SAFETY: NCCL writes all of it before it is read.
                let mut parts = unsafe { uninitialized::<T>(self.stream(), x.len() * self.ranks())? };
                // SAFETY: what is written are the elements of the ranks.
                let gathered = unsafe { bytes_mut(parts.as_view_mut()) };
                nccl.all_gather(self, &signature, bytes(x.as_view()), gathered)?;
                return T::combine(self.stream(), self.device(), reduction, parts.as_view(), x);
            }
            let own = Arc::new(bytes(x.as_view()).download()?);
            let mut parts = self.exchange(&signature, |_| own.clone())?;
            parts[self.rank()] = own;
            let parts = self.upload::<T>(&parts, x.len())?;
            T::combine(self.stream(), self.device(), reduction, parts.as_view(), x.reborrow())
        })
    }

    /// Writes the elements of all ranks to `out`, one rank after the other.
    ///
    /// ```
    /// use vyre_many;
    /// use vyre::prelude::*;
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let all = vyre_many::on_each(&Device::cpus(3), |ranks| {
    ///     let own = ranks.device().upload(&[ranks.rank() as u8, 9])?;
    ///     let mut all = ranks.device().zeros(6)?;
    ///     ranks.all_gather(&own, &mut all)?;
    ///     all.download()
    /// })?;
    /// assert_eq!(all, [[0, 9, 1, 9, 2, 9]; 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] unless `out` has as many elements as all ranks together; else those of
    /// [`all_reduce`](Communicator::all_reduce).
    #[doc(alias = "ncclAllGather")]
    pub fn all_gather<'x, 'o, T: Element>(
        &self,
        x: impl Into<View<'x, T>>,
        out: impl Into<ViewMut<'o, T>>,
    ) -> Result<()> {
        let (x, mut out) = (x.into(), out.into());
        let length = x.len();
        let signature = signature::<T>(Operation::AllGather, length);
        self.operate(|| {
            self.owns(&x.device())?;
            self.owns(&out.device())?;
            equal("the elements of all ranks", length * self.ranks(), "`out`", out.len())?;
            #[cfg(feature = "nccl")]
            if let Some(nccl) = self.nccl() {
                // SAFETY: what is written are the elements of the ranks.
                return nccl.all_gather(self, &signature, bytes(x), unsafe { bytes_mut(out) });
            }
            let own = match self.ranks() {
                1 => Arc::default(),
                _ => Arc::new(bytes(x).download()?),
            };
            let received = self.exchange(&signature, |_| own.clone())?;
            self.write_parts(&received, x, &mut out, length)
        })
    }

    /// Reduces the elements of all ranks, of which each gets a part of the result: rank 0 the first, and so on. The order is
    /// that of [`all_reduce`](Communicator::all_reduce).
    ///
    /// ```
    /// use vyre_many::Reduction;
    /// use vyre::prelude::*;
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let parts = vyre_many::on_each(&Device::cpus(2), |ranks| {
    ///     let x = ranks.device().upload(&[1u32, 2, 3, 4])?;
    ///     let mut part = ranks.device().zeros(2)?;
    ///     ranks.reduce_scatter(&x, &mut part, Reduction::Product)?;
    ///     part.download()
    /// })?;
    /// assert_eq!(parts, [[1, 4], [9, 16]]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] unless `x` has as many elements as the parts of all ranks together; else those of
    /// [`all_reduce`](Communicator::all_reduce).
    #[doc(alias = "ncclReduceScatter")]
    pub fn reduce_scatter<'x, 'o, T: Reducible>(
        &self,
        x: impl Into<View<'x, T>>,
        out: impl Into<ViewMut<'o, T>>,
        reduction: Reduction,
    ) -> Result<()> {
        let (x, mut out) = (x.into(), out.into());
        let length = out.len();
        let signature = signature::<T>(Operation::ReduceScatter(reduction), length);
        self.operate(|| {
            self.owns(&x.device())?;
            self.owns(&out.device())?;
            equal("the parts of all ranks", length * self.ranks(), "the source", x.len())?;
            if self.ranks() == 1 {
                return out.copy_from(x);
            }
            #[cfg(feature = "nccl")]
            if let Some(nccl) = self.nccl() {
                if !self.is_deterministic {
                    // SAFETY: NCCL writes numbers of the type.
                    let out = unsafe { bytes_mut(out) };
                    return nccl.reduce_scatter(self, &signature, bytes(x), out, T::NCCL, reduction);
                }
                // SAFETY: NCCL writes all of it before it is read.
                let mut parts = unsafe { uninitialized::<T>(self.stream(), x.len())? };
                // SAFETY: what is written are the elements of the ranks.
                let received = unsafe { bytes_mut(parts.as_view_mut()) };
                nccl.all_to_all(self, &signature, bytes(x), received)?;
                return T::combine(self.stream(), self.device(), reduction, parts.as_view(), out);
            }
            let parts = split(&bytes(x).download()?, self.ranks());
            let mut received = self.exchange(&signature, |to| parts[to].clone())?;
            received[self.rank()] = parts[self.rank()].clone();
            let received = self.upload::<T>(&received, length)?;
            T::combine(
                self.stream(),
                self.device(),
                reduction,
                received.as_view(),
                out.reborrow(),
            )
        })
    }

    /// Replaces the elements of all ranks by those of one.
    ///
    /// ```
    /// use vyre_many;
    /// use vyre::prelude::*;
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let all = vyre_many::on_each(&Device::cpus(3), |ranks| {
    ///     let mut x = ranks.device().upload(&[ranks.rank() as i64])?;
    ///     ranks.broadcast(&mut x, 2)?;
    ///     x.download()
    /// })?;
    /// assert_eq!(all, [[2]; 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`RankProblem::NoSuchRank`]; else those of [`all_reduce`](Communicator::all_reduce).
    #[doc(alias = "ncclBroadcast")]
    pub fn broadcast<'v, T: Element>(&self, x: impl Into<ViewMut<'v, T>>, root: usize) -> Result<()> {
        let x = x.into();
        let operation = Operation::Broadcast { root: root as u32 };
        let signature = signature::<T>(operation, x.len());
        self.operate(|| {
            self.owns(&x.device())?;
            self.has(root)?;
            if self.ranks() == 1 {
                return Ok(());
            }
            #[cfg(feature = "nccl")]
            if let Some(nccl) = self.nccl() {
                // SAFETY: what is written are the elements of the root.
                return nccl.broadcast(self, &signature, unsafe { bytes_mut(x) }, root);
            }
            let own = match self.rank() == root {
                true => Arc::new(bytes(x.as_view()).download()?),
                false => Arc::default(),
            };
            let received = self.exchange(&signature, |_| own.clone())?;
            if self.rank() != root {
                // SAFETY: the bytes are those of as many elements of this type, by the signature.
                unsafe { bytes_mut(x) }.write(&received[root])?;
            }
            Ok(())
        })
    }

    /// Gives each rank a part of the elements of all: the first part of every rank to rank 0, in the order of the ranks, and so
    /// on, as a transposition of parts.
    ///
    /// ```
    /// use vyre_many;
    /// use vyre::prelude::*;
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let rows = vyre_many::on_each(&Device::cpus(2), |ranks| {
    ///     let first = 10 * ranks.rank() as u32;
    ///     let row = ranks.device().upload(&[first, first + 1])?;
    ///     let mut column = ranks.device().zeros(2)?;
    ///     ranks.all_to_all(&row, &mut column)?;
    ///     column.download()
    /// })?;
    /// assert_eq!(rows, [[0, 10], [1, 11]]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] if the lengths differ or are no multiple of the number of ranks; else those of
    /// [`all_reduce`](Communicator::all_reduce).
    #[doc(alias = "ncclAlltoAll")]
    pub fn all_to_all<'x, 'o, T: Element>(
        &self,
        x: impl Into<View<'x, T>>,
        out: impl Into<ViewMut<'o, T>>,
    ) -> Result<()> {
        let (x, mut out) = (x.into(), out.into());
        let length = x.len() / self.ranks();
        let signature = signature::<T>(Operation::AllToAll, length);
        self.operate(|| {
            self.owns(&x.device())?;
            self.owns(&out.device())?;
            equal("parts for all ranks", length * self.ranks(), "the source", x.len())?;
            equal("the source", x.len(), "`out`", out.len())?;
            #[cfg(feature = "nccl")]
            if let Some(nccl) = self.nccl() {
                // SAFETY: what is written are elements of the ranks.
                return nccl.all_to_all(self, &signature, bytes(x), unsafe { bytes_mut(out) });
            }
            let parts = match self.ranks() {
                1 => vec![Arc::default()],
                ranks => split(&bytes(x).download()?, ranks),
            };
            let received = self.exchange(&signature, |to| parts[to].clone())?;
            let own = x.slice(self.rank() * length..(self.rank() + 1) * length)?;
            self.write_parts(&received, own, &mut out, length)
        })
    }

    /// Writes the parts of all ranks, of which the own one is on the device.
    fn write_parts<T: Element>(
        &self,
        received: &[Arc<Vec<u8>>],
        own: View<'_, T>,
        out: &mut ViewMut<'_, T>,
        length: usize,
    ) -> Result<()> {
        for (rank, part) in received.iter().enumerate() {
            let mut target = out.slice_mut(rank * length..(rank + 1) * length)?;
            match rank == self.rank() {
                true => target.copy_from(own)?,
                // SAFETY: the bytes are those of as many elements of this type, by the signature.
                false => unsafe { bytes_mut(target) }.write(part)?,
            }
        }
        Ok(())
    }

    /// The parts of all ranks on the device, each of so many elements.
    fn upload<T: Element>(&self, parts: &[Arc<Vec<u8>>], length: usize) -> Result<DeviceBuffer<T>> {
        // SAFETY: all of it is written below.
        let mut buffer = unsafe { uninitialized::<T>(self.stream(), length * parts.len())? };
        for (rank, part) in parts.iter().enumerate() {
            let target = buffer.slice_mut(rank * length..(rank + 1) * length)?;
            // SAFETY: the bytes are those of as many elements of this type, by the signature.
            unsafe { bytes_mut(target) }.write(part)?;
        }
        Ok(buffer)
    }

    pub(super) fn owns(&self, device: &Device) -> Result<()> {
        match device == self.device() {
            true => Ok(()),
            false => Err(Error::WrongDevice {
                user: "a communicator".into(),
                what: "a buffer".into(),
                belongs: device.to_string().into(),
                wanted: self.device().to_string().into(),
            }),
        }
    }

    pub(super) fn has(&self, number: usize) -> Result<()> {
        match number < self.ranks() {
            true => Ok(()),
            false => Err(self.error(RankProblem::NoSuchRank { number })),
        }
    }
}

/// Parts of the same length.
fn split(all: &[u8], parts: usize) -> Vec<Arc<Vec<u8>>> {
    let length = all.len() / parts;
    let part = |rank: usize| Arc::new(all[rank * length..(rank + 1) * length].to_vec());
    (0..parts).map(part).collect()
}

/// An error if two lengths differ.
pub(super) fn equal(
    first: &'static str,
    first_length: usize,
    second: &'static str,
    second_length: usize,
) -> Result<()> {
    match first_length == second_length {
        true => Ok(()),
        false => Err(Error::LengthMismatch {
            first: first.into(),
            first_length,
            second: second.into(),
            second_length,
        }),
    }
}
