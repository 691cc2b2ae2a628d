//! Sends and receives between two ranks, several at a time.

use std::fmt;
use std::sync::Arc;

use super::collective::signature;
use super::communicator::Communicator;
use super::frame::{Operation, Signature};
use vyre::{Element, Result, View, ViewMut};
use vyre_runtime::kernel::{bytes, bytes_mut};

/// Sends and receives that happen together, in no order of their own, so that ranks which exchange values do not wait for each
/// other in a circle. Those between the same two ranks are matched in the order of their calls.
///
/// ```
/// use vyre::prelude::*;
///
/// # fn main() -> vyre::Result<()> {
/// let from_left = vyre_many::on_each(&Device::cpus(4), |ranks| {
///     let own = ranks.device().upload(&[ranks.rank()])?;
///     let mut other = ranks.device().zeros::<usize>(1)?;
///     let (left, right) = ((ranks.rank() + 3) % 4, (ranks.rank() + 1) % 4);
///     ranks.group().receive(&mut other, left).send(&own, right).run()?;
///     Ok(other.download()?[0])
/// })?;
/// assert_eq!(from_left, [3, 0, 1, 2]);
/// # Ok(())
/// # }
/// ```
#[must_use = "nothing is sent before `.run()`"]
pub struct Group<'g> {
    communicator: &'g Communicator,
    pub(super) sends: Vec<Send<'g>>,
    pub(super) receives: Vec<Receive<'g>>,
}

pub(super) struct Send<'g> {
    pub(super) to: usize,
    pub(super) signature: Signature,
    pub(super) view: View<'g, u8>,
}

pub(super) struct Receive<'g> {
    pub(super) from: usize,
    pub(super) signature: Signature,
    pub(super) view: ViewMut<'g, u8>,
}

impl Communicator {
    /// A group of sends and receives, empty at first.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let mut ranks = vyre_many::Communicator::local(&Device::cpus(1))?;
    /// let alone = ranks.remove(0);
    /// let (x, mut y) = (alone.device().upload(&[1, 2])?, alone.device().zeros::<i32>(2)?);
    /// alone.group().send(&x, 0).receive(&mut y, 0).run()?; // to itself
    /// assert_eq!(y.download()?, [1, 2]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn group(&self) -> Group<'_> {
        Group {
            communicator: self,
            sends: Vec::new(),
            receives: Vec::new(),
        }
    }

    /// Sends elements to another rank, which [receives](Communicator::receive) as many of the type.
    ///
    /// On the CPU this does not wait for the other rank. On GPUs it does, on the device: ranks that exchange values use a
    /// [`group`](Communicator::group).
    ///
    /// ```
    /// use vyre_many;
    /// use vyre::prelude::*;
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let found = vyre_many::on_each(&Device::cpus(2), |ranks| {
    ///     let mut x = ranks.device().upload(&[[ranks.rank() as f32, 0.5]])?;
    ///     match ranks.rank() {
    ///         0 => ranks.send(&x, 1)?,
    ///         _ => ranks.receive(&mut x, 0)?,
    ///     }
    ///     Ok(x.download()?[0])
    /// })?;
    /// assert_eq!(found, [[0.0, 0.5]; 2]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Group::run`].
    #[doc(alias = "ncclSend")]
    pub fn send<'v, T: Element>(&self, x: impl Into<View<'v, T>>, to: usize) -> Result<()> {
        let x = x.into();
        self.group().send(x, to).run()
    }

    /// Receives elements that another rank [sends](Communicator::send).
    ///
    /// ```
    /// use vyre_many;
    /// use vyre::prelude::*;
    ///
    /// # fn main() -> vyre::Result<()> {
    /// vyre_many::on_each(&Device::cpus(2), |ranks| {
    ///     let mut x = ranks.device().zeros::<u32>(3)?;
    ///     match ranks.rank() {
    ///         0 => ranks.receive(x.slice_mut(..2)?, 1)?,
    ///         _ => ranks.send(&ranks.device().upload(&[5u32, 6])?, 0)?,
    ///     }
    ///     assert_eq!(x.download()?, if ranks.rank() == 0 { [5, 6, 0] } else { [0; 3] });
    ///     Ok(())
    /// })?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Group::run`].
    #[doc(alias = "ncclRecv")]
    pub fn receive<'v, T: Element>(&self, x: impl Into<ViewMut<'v, T>>, from: usize) -> Result<()> {
        let x = x.into();
        self.group().receive(x, from).run()
    }
}

impl<'g> Group<'g> {
    /// Adds a send to a rank, which may be this one.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// vyre_many::on_each(&Device::cpus(2), |ranks| {
    ///     let other = 1 - ranks.rank();
    ///     let (own, mut theirs) = (ranks.device().upload(&[ranks.rank()])?, ranks.device().zeros::<usize>(1)?);
    ///     ranks.group().send(&own, other).receive(&mut theirs, other).run()?;
    ///     assert_eq!(theirs.download()?, [other]);
    ///     Ok(())
    /// })?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn send<'v: 'g, T: Element>(mut self, x: impl Into<View<'v, T>>, to: usize) -> Group<'g> {
        let x = x.into();
        self.sends.push(Send {
            to,
            signature: signature::<T>(Operation::Message, x.len()),
            view: bytes(x),
        });
        self
    }

    /// Adds a receive from a rank.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let received = vyre_many::on_each(&Device::cpus(3), |ranks| {
    ///     let own = ranks.device().upload(&[ranks.rank()])?;
    ///     let mut all = ranks.device().zeros::<usize>(3)?;
    ///     let mut group = ranks.group().send(&own, 0);
    ///     let mut rest = all.as_view_mut();
    ///     if ranks.rank() == 0 {
    ///         for from in 0..3 {
    ///             let (place, others) = rest.split_at_mut(1)?;
    ///             group = group.receive(place, from);
    ///             rest = others;
    ///         }
    ///     }
    ///     group.run()?;
    ///     all.download()
    /// })?;
    /// assert_eq!(received[0], [0, 1, 2]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn receive<'v: 'g, T: Element>(mut self, x: impl Into<ViewMut<'v, T>>, from: usize) -> Group<'g> {
        let x = x.into();
        self.receives.push(Receive {
            from,
            signature: signature::<T>(Operation::Message, x.len()),
            // SAFETY: what is received are as many elements of this type, which the signature tells.
            view: unsafe { bytes_mut(x) },
        });
        self
    }

    /// Sends and receives all.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let mut ranks = vyre_many::Communicator::local(&Device::cpus(1))?;
    /// ranks.remove(0).group().run()?; // nothing
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`RankProblem::NoSuchRank`](vyre::RankProblem::NoSuchRank); else those of
    /// [`all_reduce`](Communicator::all_reduce).
    pub fn run(self) -> Result<()> {
        let communicator = self.communicator;
        communicator.operate(|| {
            for send in &self.sends {
                communicator.owns(&send.view.device())?;
                communicator.has(send.to)?;
            }
            for receive in &self.receives {
                communicator.owns(&receive.view.device())?;
                communicator.has(receive.from)?;
            }
            #[cfg(feature = "nccl")]
            if let Some(nccl) = communicator.nccl() {
                return nccl.group(communicator, self.sends, self.receives);
            }
            for send in self.sends {
                let parcel = (send.signature, Arc::new(send.view.download()?));
                let sent = communicator.mesh().send(send.to, parcel, communicator.limit);
                sent.map_err(|problem| communicator.error(problem))?;
            }
            for mut receive in self.receives {
                let (from, limit) = (receive.from, communicator.limit);
                let data = communicator.mesh().receive(from, &receive.signature, limit);
                receive
                    .view
                    .write(&data.map_err(|problem| communicator.error(problem))?)?;
            }
            Ok(())
        })
    }
}

impl fmt::Debug for Group<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sends, receives) = (self.sends.len(), self.receives.len());
        write!(f, "Group of {sends} sends and {receives} receives")
    }
}
