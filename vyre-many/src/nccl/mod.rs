//! Ranks on GPUs, by NCCL.
//!
//! - `library` opens the library and declares its functions.
//! - `together` compares what the ranks of one process call, and lets them wait for each other where they have to.
//! - `order` is the order of operations of several communicators on devices that they share.
//! - `watch` is the thread that ends operations which would never end.
//!
//! NCCL itself neither compares what ranks call, nor gives up waiting. Ranks of one process compare their [`Signature`]s when they
//! call. Those of several processes tell each to the next rank over the links of the host, a message to its receiver, and nobody
//! waits for that: the thread sends and compares them.

mod library;
mod order;
pub(super) mod together;
mod watch;

use std::borrow::Cow;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use self::library::{BYTES, Comm, Config, Library, SUCCESS, UniqueId};
use self::together::{Call, Share, Text, Together};
use self::watch::{Handle, Pending, Watched};
use super::communicator::Communicator;
use super::frame::{Operation, Signature};
use super::group::{Receive, Send};
use super::mesh::Mesh;
use super::reduction::Reduction;
use vyre::{Device, Error, RankProblem, Result, View, ViewMut};
use vyre_runtime::kernel::{enqueue, mark, work_of};

/// A communicator of NCCL, and the thread that watches it.
pub(super) struct Nccl {
    watched: Arc<Watched>,
    thread: Option<JoinHandle<()>>,
}

/// The views that an operation uses.
#[derive(Default)]
struct Uses<'u, 'v> {
    reads: &'u [View<'v, u8>],
    writes: &'u [ViewMut<'v, u8>],
    /// Read and then written.
    updates: &'u [ViewMut<'v, u8>],
}

/// A call of NCCL: its name and its result.
type Called = (&'static str, u32);

impl Nccl {
    /// Starts NCCL on all ranks of a mesh, which all call this.
    pub(super) fn start(
        mesh: &Arc<Mesh>,
        together: Option<Arc<Together>>,
        device: &Device,
        limit: Duration,
    ) -> Result<Nccl> {
        let error = |problem| Error::Ranks {
            rank: mesh.rank(),
            ranks: mesh.ranks(),
            problem: Box::new(problem),
        };
        let library = Library::get().map_err(|problem| error(mesh.fail(problem)))?;
        let id = share_id(library, mesh, limit).map_err(|problem| error(mesh.fail(problem)))?;
        let watched = Arc::new(Watched::new(library, mesh, together, device.default_stream()));
        let watching = watched.clone();
        let thread = thread::Builder::new()
            .name("vyre nccl".to_owned())
            .spawn(move || watching.watch());
        let thread = thread.map_err(|reason| {
            let other = mesh.rank();
            let reason = reason.to_string();
            error(mesh.fail(RankProblem::Failed { other, reason }))
        })?;
        // Dropped after an error, which the thread has to know then.
        let nccl = Nccl {
            watched,
            thread: Some(thread),
        };
        let initialised = nccl.watched.stream.with_raw(|_| nccl.initialise(id, limit))?;
        initialised.map_err(|problem| error(mesh.fail(problem)))?;
        Ok(nccl)
    }

    /// Makes the communicator, while the context of the device is the current one.
    fn initialise(&self, id: UniqueId, limit: Duration) -> Result<(), RankProblem> {
        let Watched { library, mesh, .. } = &*self.watched;
        let mut config = Config::blocking();
        let (mut made, ranks, rank): (Comm, _, _) = (ptr::null_mut(), mesh.ranks() as c_int, mesh.rank() as c_int);
        let call = "ncclCommInitRankConfig";
        let share = match &self.watched.together {
            Some(together) => {
                let call = Call::collective(mesh.rank(), mesh.ranks(), &start_signature());
                Some(together.meet(mesh, call, limit)?)
            }
            None => None,
        };
        if let Some(share) = &share {
            share.begin();
        }
        let mut comm = self.watched.comm();
        self.watched.call(Text::Function(call), limit, || {
            // Inside of a group, the function returns with a communicator that the end of the group completes: until then
            // it can be aborted.
            let (name, code) = grouped(library, || {
                // SAFETY: the pointers are valid, and the context of the device is the current one.
                let code = unsafe { (library.ncclCommInitRankConfig)(&raw mut made, ranks, id, rank, &raw mut config) };
                if !made.is_null() {
                    self.watched.set(&mut comm, Handle(made));
                }
                is_good(call, code)
            });
            (if name == "ncclGroupEnd" { call } else { name }, code)
        })
    }

    pub(super) fn all_reduce(
        &self,
        own: &Communicator,
        signature: &Signature,
        x: ViewMut<'_, u8>,
        element: u32,
        reduction: Reduction,
    ) -> Result<()> {
        let (at, count) = (pointer(x.address()), signature.length as usize);
        let uses = Uses {
            updates: &[x],
            ..Uses::default()
        };
        self.collective(own, signature, uses, &mut |library, comm, stream| {
            // SAFETY: the addresses are those of as many elements of the type, which `enqueue` orders.
            let code = unsafe { (library.ncclAllReduce)(at, at, count, element, reduction.code(), comm, stream) };
            ("ncclAllReduce", code)
        })
    }

    pub(super) fn reduce_scatter(
        &self,
        own: &Communicator,
        signature: &Signature,
        x: View<'_, u8>,
        out: ViewMut<'_, u8>,
        element: u32,
        reduction: Reduction,
    ) -> Result<()> {
        let (from, to, count) = (pointer(x.address()), pointer(out.address()), signature.length as usize);
        let uses = Uses {
            reads: &[x],
            writes: &[out],
            ..Uses::default()
        };
        self.collective(own, signature, uses, &mut |library, comm, stream| {
            // SAFETY: as in `all_reduce`; the source has as many elements for each rank.
            let code = unsafe { (library.ncclReduceScatter)(from, to, count, element, reduction.code(), comm, stream) };
            ("ncclReduceScatter", code)
        })
    }

    /// Gathers `x` of all ranks, in bytes.
    pub(super) fn all_gather(
        &self,
        own: &Communicator,
        signature: &Signature,
        x: View<'_, u8>,
        out: ViewMut<'_, u8>,
    ) -> Result<()> {
        let (from, to, count) = (pointer(x.address()), pointer(out.address()), x.len());
        let uses = Uses {
            reads: &[x],
            writes: &[out],
            ..Uses::default()
        };
        self.collective(own, signature, uses, &mut |library, comm, stream| {
            // SAFETY: as in `all_reduce`; the target has room for as many bytes of each rank.
            let code = unsafe { (library.ncclAllGather)(from, to, count, BYTES, comm, stream) };
            ("ncclAllGather", code)
        })
    }

    pub(super) fn broadcast(
        &self,
        own: &Communicator,
        signature: &Signature,
        x: ViewMut<'_, u8>,
        root: usize,
    ) -> Result<()> {
        let (at, count) = (pointer(x.address()), x.len());
        let uses = match own.rank() == root {
            true => Uses {
                updates: &[x],
                ..Uses::default()
            },
            false => Uses {
                writes: &[x],
                ..Uses::default()
            },
        };
        self.collective(own, signature, uses, &mut |library, comm, stream| {
            // SAFETY: as in `all_reduce`.
            let code = unsafe { (library.ncclBroadcast)(at, at, count, BYTES, root as c_int, comm, stream) };
            ("ncclBroadcast", code)
        })
    }

    /// Gives each rank its part of `x`, in bytes.
    pub(super) fn all_to_all(
        &self,
        own: &Communicator,
        signature: &Signature,
        x: View<'_, u8>,
        out: ViewMut<'_, u8>,
    ) -> Result<()> {
        let (from, to, part) = (x.address(), out.address(), x.len() / own.ranks());
        let uses = Uses {
            reads: &[x],
            writes: &[out],
            ..Uses::default()
        };
        self.collective(own, signature, uses, &mut |library, comm, stream| {
            grouped(library, || {
                for rank in 0..own.ranks() {
                    let at = (rank * part) as u64;
                    let (source, target, other) = (pointer(from + at), pointer(to + at), rank as c_int);
                    // SAFETY: as in `all_reduce`; both have a part for each rank.
                    let sent = unsafe { (library.ncclSend)(source, part, BYTES, other, comm, stream) };
                    is_good("ncclSend", sent)?;
                    // SAFETY: as above.
                    let received = unsafe { (library.ncclRecv)(target, part, BYTES, other, comm, stream) };
                    is_good("ncclRecv", received)?;
                }
                Ok(())
            })
        })
    }

    /// Messages between pairs of ranks.
    pub(super) fn group(&self, own: &Communicator, sends: Vec<Send<'_>>, receives: Vec<Receive<'_>>) -> Result<()> {
        let call = Call {
            text: Text::Messages,
            sends: sends.iter().map(|send| (send.to, send.signature.clone())).collect(),
            receives: (receives.iter())
                .map(|receive| (receive.from, receive.signature.clone()))
                .collect(),
        };
        let outgoing: Vec<_> = sends
            .iter()
            .map(|send| (send.to, send.view.address(), send.view.len()))
            .collect();
        let incoming = |receive: &Receive<'_>| (receive.from, receive.view.address(), receive.view.len());
        let incoming: Vec<_> = receives.iter().map(incoming).collect();
        let reads: Vec<_> = sends.into_iter().map(|send| send.view).collect();
        let writes: Vec<_> = receives.into_iter().map(|receive| receive.view).collect();
        let uses = Uses {
            reads: &reads,
            writes: &writes,
            ..Uses::default()
        };
        self.queue(own, call, uses, &mut |library, comm, stream| {
            grouped(library, || {
                for &(to, address, bytes) in &outgoing {
                    // SAFETY: as in `all_reduce`.
                    let sent = unsafe { (library.ncclSend)(pointer(address), bytes, BYTES, to as c_int, comm, stream) };
                    is_good("ncclSend", sent)?;
                }
                for &(from, address, bytes) in &incoming {
                    let (target, from) = (pointer(address), from as c_int);
                    // SAFETY: as in `all_reduce`.
                    let received = unsafe { (library.ncclRecv)(target, bytes, BYTES, from, comm, stream) };
                    is_good("ncclRecv", received)?;
                }
                Ok(())
            })
        })
    }

    /// Queues an operation of all ranks.
    fn collective(
        &self,
        own: &Communicator,
        signature: &Signature,
        uses: Uses<'_, '_>,
        work: &mut dyn FnMut(&Library, Comm, *mut c_void) -> Called,
    ) -> Result<()> {
        self.queue(own, Call::collective(own.rank(), own.ranks(), signature), uses, work)
    }

    /// Meets the other ranks, if they are of this process, and waits for the turn of the operation. Else notes what to tell them.
    fn meet(&self, own: &Communicator, call: Call) -> Result<Option<Share<'_>>> {
        let watched = &*self.watched;
        if let Some(together) = &watched.together {
            let share = together.meet(&watched.mesh, call, own.limit);
            let share = share.map_err(|problem| own.error(problem))?;
            share.begin();
            share.follow(own.stream())?;
            return Ok(Some(share));
        }
        (call.sends.iter()).for_each(|(to, signature)| watched.tell(*to, signature));
        (call.receives.iter()).for_each(|(from, signature)| watched.expect(*from, signature));
        Ok(None)
    }

    fn queue(
        &self,
        own: &Communicator,
        call: Call,
        uses: Uses<'_, '_>,
        work: &mut dyn FnMut(&Library, Comm, *mut c_void) -> Called,
    ) -> Result<()> {
        let watched = &*self.watched;
        let text = call.text.clone();
        let (mut call, mut events) = (Some(call), None);
        let mut queue = |stream: *mut c_void| {
            let share = match call.take() {
                Some(call) => self.meet(own, call)?,
                None => None,
            };
            // After the stream was made to wait for other uses of the buffers: their time is not that of the operation. Where
            // nothing came in between, it begins with the end of the last one.
            let before = match work_of(own.stream()) {
                Some(work) if watched.is_last(work) => None,
                _ => Some(mark(own.stream())?),
            };
            let comm = watched.comm();
            let Some(Handle(comm)) = *comm else {
                let problem = watched
                    .mesh
                    .failure()
                    .unwrap_or(RankProblem::Ended { other: own.rank() });
                return Err(own.error(problem));
            };
            let called = watched.call(text.clone(), own.limit, || work(watched.library, comm, stream));
            called.map_err(|problem| own.error(problem))?;
            let after = mark(own.stream())?;
            if let Some(share) = share {
                share.ends(after.clone());
            }
            events = Some((before, after));
            Ok(())
        };
        let Uses { reads, writes, updates } = uses;
        // SAFETY: NCCL queues on the stream what accesses these bytes, as the operations above tell it.
        let noted = unsafe { enqueue("a communicator", own.stream(), reads, writes, updates, &mut queue)? };
        let (before, after) = events.expect("the call was made");
        let added = watched.add(Pending {
            operation: text,
            before,
            after,
            limit: own.limit,
            noted,
            work: work_of(own.stream()),
        });
        added.map_err(|problem| own.error(problem))
    }
}

impl Drop for Nccl {
    fn drop(&mut self) {
        self.watched.close();
        if let Some(thread) = self.thread.take() {
            // It does not panic, and if it did, the communicator would be left as it is.
            drop(thread.join());
        }
    }
}

/// The start of a communicator, which all ranks make.
fn start_signature() -> Signature {
    Signature {
        operation: Operation::Id,
        element: Cow::Borrowed(""),
        values: 0,
        length: 1,
    }
}

/// Makes the id of a communicator on rank 0 known to all.
fn share_id(library: &Library, mesh: &Mesh, limit: Duration) -> Result<UniqueId, RankProblem> {
    let signature = start_signature();
    let mut id = UniqueId([0; 128]);
    if mesh.rank() != 0 {
        let bytes = mesh.receive(0, &signature, limit)?;
        id.0 = bytes.as_slice().try_into().map_err(|_| RankProblem::Failed {
            other: 0,
            reason: "its id has another length".to_owned(),
        })?;
        return Ok(id);
    }
    // SAFETY: the pointer is valid for a write.
    let code = unsafe { (library.ncclGetUniqueId)(&raw mut id) };
    if code != SUCCESS {
        return Err(library.problem("ncclGetUniqueId", code, ptr::null_mut()));
    }
    let bytes = Arc::new(id.0.to_vec());
    (1..mesh.ranks()).try_for_each(|to| mesh.send(to, (signature.clone(), bytes.clone()), limit))?;
    Ok(id)
}

/// Calls that NCCL begins together.
fn grouped(library: &Library, calls: impl FnOnce() -> Result<(), Called>) -> Called {
    // SAFETY: it has no arguments.
    let started = unsafe { (library.ncclGroupStart)() };
    if started != SUCCESS {
        return ("ncclGroupStart", started);
    }
    let called = calls();
    // SAFETY: as above; a group was started.
    let ended = unsafe { (library.ncclGroupEnd)() };
    called.err().unwrap_or(("ncclGroupEnd", ended))
}

fn is_good(call: &'static str, code: u32) -> Result<(), Called> {
    match code == SUCCESS {
        true => Ok(()),
        false => Err((call, code)),
    }
}

/// An address of device memory, for NCCL.
fn pointer(address: u64) -> *mut c_void {
    ptr::without_provenance_mut(address as usize)
}

#[cfg(test)]
mod tests;
