//! A rank's end of a communicator.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::frame::Signature;
use super::meeting;
use super::mesh::Mesh;
#[cfg(feature = "nccl")]
use super::nccl::{self, Nccl};
use super::ranks::{LIMIT, Ranks};
use vyre::{Device, Error, RankProblem, Result, Stream};
use vyre_runtime::kernel::with_default_stream;

/// A rank among others that exchange the contents of buffers: on GPUs by NCCL, on the CPU by memory and TCP.
///
/// All ranks call the same operations in the same order, each in a thread or process of its own. An operation is queued like
/// a launch, on a stream that the communicator has for itself or on that of [`on`](Communicator::on), and is ordered with
/// launches that use the same buffers. On the CPU it is done when the call returns.
///
/// After an error of an operation, on any rank, the communicator is aborted on all: no rank waits for ever, and later calls
/// are errors. So it is when a rank ends while others wait for it, or does not come in time. On GPUs an operation that was
/// queued may fail later; a wait for its stream tells that, and so does a download of what it writes, as with launches.
///
/// Several communicators of a process may have the same GPUs. Their operations come to all GPUs in one order, and what becomes
/// of one communicator is nothing to another. Where ranks are processes, all of them call the operations of communicators that
/// share GPUs in the same order.
///
/// ```
/// use vyre_many::Reduction;
/// use vyre::prelude::*;
///
/// # fn main() -> vyre::Result<()> {
/// let sums = vyre_many::on_each(&Device::cpus(4), |ranks| {
///     let mut x = ranks.device().upload(&[ranks.rank() as f32; 3])?;
///     ranks.all_reduce(&mut x, Reduction::Sum)?;
///     x.download()
/// })?;
/// assert_eq!(sums, [[6.0; 3]; 4]);
/// # Ok(())
/// # }
/// ```
pub struct Communicator {
    shared: Arc<Shared>,
    stream: Stream,
    pub(super) limit: Duration,
    pub(super) is_deterministic: bool,
}

struct Shared {
    // Dropped first, while the others can still be told.
    #[cfg(feature = "nccl")]
    nccl: Option<Nccl>,
    mesh: Arc<Mesh>,
    device: Device,
    /// Held by the operation that is being queued: operations have one order.
    turn: Mutex<()>,
}

/// State shared by the ranks of one process on several GPUs.
#[derive(Clone, Default)]
#[cfg(feature = "nccl")]
struct Together(Option<Arc<nccl::together::Together>>);

#[derive(Clone, Copy, Default)]
#[cfg(not(feature = "nccl"))]
struct Together();

impl Together {
    #[cfg(feature = "nccl")]
    fn of(devices: &[Device]) -> Together {
        let is_shared = devices.len() > 1 && devices.iter().all(Device::is_cuda);
        Together(is_shared.then(|| Arc::new(nccl::together::Together::new(devices))))
    }

    #[cfg(not(feature = "nccl"))]
    fn of(_: &[Device]) -> Together {
        Together()
    }
}

impl Shared {
    fn begin(self, limit: Duration) -> Communicator {
        Communicator {
            stream: self.device.default_stream(),
            shared: Arc::new(self),
            limit,
            is_deterministic: false,
        }
    }
}

impl Communicator {
    /// Communicators of ranks that are threads of this process, one for each device, in this order. Each is used by a thread
    /// of its own: [`on_each`](super::on_each) starts them.
    ///
    /// ```
    /// use std::thread;
    /// use vyre_many::Communicator;
    /// use vyre::prelude::*;
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let ranks = Communicator::local(&Device::cpus(2))?;
    /// thread::scope(|scope| {
    ///     for rank in ranks {
    ///         scope.spawn(move || {
    ///             let mut x = rank.device().upload(&[rank.rank(); 2]).unwrap();
    ///             rank.broadcast(&mut x, 1).unwrap();
    ///             assert_eq!(x.download().unwrap(), [1, 1]);
    ///         });
    ///     }
    /// });
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`RankProblem::Devices`] for no device, one that is named twice, or devices of both kinds; on several GPUs those of
    /// loading and starting NCCL.
    pub fn local(devices: &[Device]) -> Result<Vec<Communicator>> {
        let refuse = |rank, reason: String| Error::Ranks {
            rank,
            ranks: devices.len(),
            problem: Box::new(RankProblem::Devices { reason }),
        };
        let Some(first) = devices.first() else {
            return Err(refuse(0, "there are no devices; give one for each rank".to_owned()));
        };
        for (rank, device) in devices.iter().enumerate() {
            if let Some(other) = devices[..rank].iter().position(|other| other == device) {
                return Err(refuse(
                    rank,
                    format!(
                        "rank {other} has the same device, {device}; name each once, and use `Device::cpus` for several of the CPU"
                    ),
                ));
            }
            if device.is_cuda() != first.is_cuda() {
                let problem = Box::new(meeting::mixed(0, first.is_cuda(), rank));
                let ranks = devices.len();
                return Err(Error::Ranks { rank, ranks, problem });
            }
        }
        let meshes = Mesh::threads(devices.len());
        let together = &Together::of(devices);
        // NCCL starts when all ranks call it.
        thread::scope(|scope| {
            let start = |(mesh, device): (Mesh, &Device)| {
                let device = device.clone();
                scope.spawn(move || Communicator::over(mesh, together.clone(), &device, LIMIT))
            };
            let started: Vec<_> = meshes.into_iter().zip(devices).map(start).collect();
            let joined = started
                .into_iter()
                .map(|one| one.join().expect("starting does not panic"));
            joined.collect()
        })
    }

    /// The communicator of this process among those of a launcher, which all call this.
    ///
    /// ```
    /// use vyre_many::{Communicator, Ranks};
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let ranks = Ranks::from_env()?;
    /// let communicator = Communicator::new(&ranks.device()?, ranks)?;
    /// assert!(communicator.rank() < communicator.ranks());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Ranks`] if the ranks do not meet in time, if some are missing or doubled, if they know of different numbers of
    /// ranks or different secrets, or are on devices of both kinds; on several GPUs those of loading and starting NCCL.
    pub fn new(device: &Device, ranks: Ranks) -> Result<Communicator> {
        if ranks.rank >= ranks.ranks {
            return Err(ranks.error(RankProblem::NoSuchRank { number: ranks.rank }));
        }
        let mesh = match ranks.ranks {
            1 => Mesh::threads(1).pop().expect("one rank"),
            _ => meeting::meet(&ranks, device.is_cuda()).map_err(|problem| ranks.error(problem))?,
        };
        Communicator::over(mesh, Together::default(), device, ranks.limit)
    }

    fn over(mesh: Mesh, together: Together, device: &Device, limit: Duration) -> Result<Communicator> {
        // A stream of its own: a fault of what is queued there is none of another communicator's.
        let device = &match mesh.ranks() {
            1 => device.clone(),
            _ => with_default_stream(&device.stream()?),
        };
        #[cfg(feature = "nccl")]
        if device.is_cuda() && mesh.ranks() > 1 {
            return Communicator::with_nccl(mesh, together.0, device, limit);
        }
        #[cfg(not(feature = "nccl"))]
        let Together() = together;
        #[cfg(not(feature = "nccl"))]
        if device.is_cuda() && mesh.ranks() > 1 {
            return Err(Error::Ranks {
                rank: mesh.rank(),
                ranks: mesh.ranks(),
                problem: Box::new(RankProblem::NeedsFeature),
            });
        }
        let shared = Shared {
            #[cfg(feature = "nccl")]
            nccl: None,
            mesh: Arc::new(mesh),
            device: device.clone(),
            turn: Mutex::new(()),
        };
        Ok(shared.begin(limit))
    }

    /// As `over`, by NCCL for one rank too.
    #[cfg(feature = "nccl")]
    pub(super) fn with_nccl(
        mesh: Mesh,
        together: Option<Arc<nccl::together::Together>>,
        device: &Device,
        limit: Duration,
    ) -> Result<Communicator> {
        let mesh = Arc::new(mesh);
        let shared = Shared {
            nccl: Some(Nccl::start(&mesh, together, device, limit)?),
            mesh,
            device: device.clone(),
            turn: Mutex::new(()),
        };
        Ok(shared.begin(limit))
    }

    /// The same rank, whose operations are queued on another stream.
    ///
    /// ```
    /// use vyre_many::Reduction;
    /// use vyre::prelude::*;
    ///
    /// # fn main() -> vyre::Result<()> {
    /// vyre_many::on_each(&Device::cpus(2), |ranks| {
    ///     let stream = ranks.device().stream()?;
    ///     let mut x = ranks.device().upload(&[1u64])?;
    ///     ranks.on(&stream)?.all_reduce(&mut x, Reduction::Sum)?;
    ///     assert_eq!(x.download()?, [2]); // ordered, as with any stream
    ///     Ok(())
    /// })?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::WrongDevice`] for a stream of another device.
    pub fn on(&self, stream: &Stream) -> Result<Communicator> {
        if stream.device() != self.shared.device {
            return Err(Error::WrongDevice {
                user: "a communicator".into(),
                what: "the stream".into(),
                belongs: stream.device().to_string().into(),
                wanted: self.shared.device.to_string().into(),
            });
        }
        Ok(Communicator {
            shared: self.shared.clone(),
            stream: stream.clone(),
            limit: self.limit,
            is_deterministic: self.is_deterministic,
        })
    }

    /// Waits so long for other ranks in each operation; by default 300 s, or the time of [`Ranks`].
    ///
    /// ```
    /// use std::time::Duration;
    /// use vyre_many::Reduction;
    /// use vyre::prelude::*;
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let mut ranks = vyre_many::Communicator::local(&Device::cpus(2))?;
    /// let first = ranks.remove(0).timeout(Duration::from_millis(20));
    /// let mut x = first.device().upload(&[1.0])?;
    /// // Rank 1 does nothing.
    /// let error = first.all_reduce(&mut x, Reduction::Sum).unwrap_err();
    /// assert!(error.to_string().contains("rank 1 did not take part"), "{error}");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Communicator {
        self.limit = limit;
        self
    }

    /// Reduces in the order of the ranks, with the same bits on GPUs as on the CPU, where it is always so: the values of
    /// ranks 0 and 1 are combined, the result with that of rank 2, and so on.
    ///
    /// NCCL's own order depends on its version, the machine and the length. This order needs memory for the values of all
    /// ranks, and an all-gather, which for `n` ranks moves `n / 2` times the bytes of NCCL's all-reduce.
    ///
    /// ```
    /// use vyre_many::Reduction;
    /// use vyre::prelude::*;
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let parts = [1.0e30f32, -1.0e30, 1.0];
    /// let sums = vyre_many::on_each(&Device::cpus(3), |ranks| {
    ///     let mut x = ranks.device().upload(&[parts[ranks.rank()]])?;
    ///     ranks.deterministic().all_reduce(&mut x, Reduction::Sum)?;
    ///     Ok(x.download()?[0])
    /// })?;
    /// assert_eq!(sums, [1.0; 3]); // another order gives 0
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn deterministic(&self) -> Communicator {
        Communicator {
            shared: self.shared.clone(),
            stream: self.stream.clone(),
            limit: self.limit,
            is_deterministic: true,
        }
    }

    /// The number of this rank, from 0.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let ranks = vyre_many::Communicator::local(&Device::cpus(2))?;
    /// assert_eq!(ranks[1].rank(), 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn rank(&self) -> usize {
        self.shared.mesh.rank()
    }

    /// The number of ranks.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let ranks = vyre_many::Communicator::local(&Device::cpus(2))?;
    /// assert_eq!(ranks[1].ranks(), 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn ranks(&self) -> usize {
        self.shared.mesh.ranks()
    }

    /// The device of this rank. Among several ranks its default stream is one of the communicator's own, where launches that
    /// name no stream are queued, too.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let devices = Device::cpus(2);
    /// let ranks = vyre_many::Communicator::local(&devices)?;
    /// assert_eq!(ranks[1].device(), &devices[1]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn device(&self) -> &Device {
        &self.shared.device
    }

    pub(super) fn stream(&self) -> &Stream {
        &self.stream
    }

    pub(super) fn mesh(&self) -> &Mesh {
        &self.shared.mesh
    }

    #[cfg(feature = "nccl")]
    pub(super) fn nccl(&self) -> Option<&Nccl> {
        self.shared.nccl.as_ref()
    }

    pub(super) fn error(&self, problem: RankProblem) -> Error {
        Error::Ranks {
            rank: self.rank(),
            ranks: self.ranks(),
            problem: Box::new(problem),
        }
    }

    /// Runs an operation. If it fails, aborts the communicator on all ranks.
    pub(super) fn operate(&self, work: impl FnOnce() -> Result<()>) -> Result<()> {
        let _turn = self.shared.turn.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(problem) = self.mesh().failure() {
            return Err(self.error(problem));
        }
        work().map_err(|error| match error {
            Error::Ranks { problem, .. } => self.error(self.mesh().fail(*problem)),
            error => {
                self.mesh().fail(RankProblem::Failed {
                    other: self.rank(),
                    reason: error.to_string(),
                });
                error
            }
        })
    }

    /// Sends bytes to other ranks and receives what they send, one frame for each: an operation of all ranks that goes through
    /// the host. The own entry of the result is empty.
    pub(super) fn exchange(
        &self,
        signature: &Signature,
        outgoing: impl Fn(usize) -> Arc<Vec<u8>>,
    ) -> Result<Vec<Arc<Vec<u8>>>> {
        let others = (0..self.ranks()).filter(|&other| other != self.rank());
        for other in others.clone() {
            let parcel = (signature.clone(), outgoing(other));
            let sent = self.mesh().send(other, parcel, self.limit);
            sent.map_err(|problem| self.error(problem))?;
        }
        let mut received = vec![Arc::default(); self.ranks()];
        for other in others {
            let data = self.mesh().receive(other, signature, self.limit);
            received[other] = data.map_err(|problem| self.error(problem))?;
        }
        Ok(received)
    }
}

impl fmt::Debug for Communicator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Communicator of rank {} of {} on {}",
            self.rank(),
            self.ranks(),
            self.device()
        )
    }
}
