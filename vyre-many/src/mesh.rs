//! Links between all ranks, by memory within a process and by TCP between processes.
//!
//! A rank sends to any other without waiting for it to receive: what comes is kept until it is asked for. So ranks may send
//! and receive in any order. A rank that ends, by its will or not, is seen by all others.

use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use super::frame::{Frame, Signature};
use super::inbox::{Inbox, Parcel};
use vyre::RankProblem;

/// The links of a rank.
#[derive(Debug)]
pub(super) struct Mesh {
    rank: usize,
    ranks: usize,
    inbox: Arc<Inbox>,
    links: Links,
}

#[derive(Debug)]
enum Links {
    /// The inboxes of all ranks.
    Threads(Vec<Arc<Inbox>>),
    /// A connection to each rank but this one.
    Tcp(Vec<Option<Mutex<TcpStream>>>),
}

impl Mesh {
    /// The links of as many ranks in this process.
    pub(super) fn threads(ranks: usize) -> Vec<Mesh> {
        let inboxes: Vec<_> = (0..ranks).map(|_| Arc::new(Inbox::new(ranks))).collect();
        let mesh = |rank: usize| Mesh {
            rank,
            ranks,
            inbox: inboxes[rank].clone(),
            links: Links::Threads(inboxes.clone()),
        };
        (0..ranks).map(mesh).collect()
    }

    /// Links by connections, one to each other rank. A thread for each reads what comes.
    pub(super) fn tcp(rank: usize, connections: Vec<Option<TcpStream>>) -> std::io::Result<Mesh> {
        let ranks = connections.len();
        let inbox = Arc::new(Inbox::new(ranks));
        for (from, connection) in connections.iter().enumerate() {
            let Some(connection) = connection else { continue };
            connection.set_nodelay(true)?;
            connection.set_read_timeout(None)?;
            let (mut connection, inbox) = (connection.try_clone()?, Arc::downgrade(&inbox));
            thread::Builder::new()
                .name(format!("vyre rank {from}"))
                .spawn(move || read_all(&mut connection, from, &inbox))?;
        }
        let links = connections.into_iter().map(|link| link.map(Mutex::new)).collect();
        Ok(Mesh {
            rank,
            ranks,
            inbox,
            links: Links::Tcp(links),
        })
    }

    pub(super) fn rank(&self) -> usize {
        self.rank
    }

    pub(super) fn ranks(&self) -> usize {
        self.ranks
    }

    /// The first problem of any rank, as far as it is known here.
    pub(super) fn failure(&self) -> Option<RankProblem> {
        self.inbox.failure()
    }

    /// Sends to another rank.
    pub(super) fn send(&self, to: usize, parcel: Parcel, limit: Duration) -> Result<(), RankProblem> {
        if let Some(failure) = self.failure() {
            return Err(failure);
        }
        match &self.links {
            _ if to == self.rank => self.inbox.push(to, parcel),
            Links::Threads(inboxes) => inboxes[to].push(self.rank, parcel),
            Links::Tcp(_) => self.write(to, &Frame::Data(parcel.0, parcel.1), limit)?,
        }
        Ok(())
    }

    fn write(&self, to: usize, frame: &Frame, limit: Duration) -> Result<(), RankProblem> {
        /// Sockets refuse to wait for no time at all.
        const LEAST: Duration = Duration::from_millis(1);
        let Links::Tcp(links) = &self.links else { return Ok(()) };
        let Some(link) = &links[to] else { return Ok(()) };
        let mut link = link.lock().unwrap_or_else(PoisonError::into_inner);
        let written = link
            .set_write_timeout(Some(limit.max(LEAST)))
            .and_then(|()| frame.write(&mut *link));
        written.map_err(|error| match error.kind() {
            std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut => RankProblem::Timeout {
                other: Some(to),
                operation: "a message".to_owned(),
                limit,
            },
            _ => RankProblem::Ended { other: to },
        })
    }

    /// Receives from another rank a part of this operation.
    pub(super) fn receive(
        &self,
        from: usize,
        signature: &Signature,
        limit: Duration,
    ) -> Result<Arc<Vec<u8>>, RankProblem> {
        match self.inbox.receive(from, deadline(limit))? {
            Some((theirs, data)) => same(from, signature, &theirs).map(|()| data),
            None => Err(RankProblem::Timeout {
                other: Some(from),
                operation: signature.to_string(),
                limit,
            }),
        }
    }

    /// The next message of another rank that has arrived, if there is one.
    #[cfg(feature = "nccl")]
    pub(super) fn try_receive(&self, from: usize) -> Result<Option<Signature>, RankProblem> {
        let parcel = self.inbox.receive(from, Instant::now())?;
        Ok(parcel.map(|(signature, _)| signature))
    }

    /// True if another rank has ended, or says that it sends nothing more.
    #[cfg(feature = "nccl")]
    pub(super) fn has_ended(&self, other: usize) -> bool {
        self.inbox.has_ended(other)
    }

    /// Another rank that has ended.
    #[cfg(feature = "nccl")]
    pub(super) fn ended(&self) -> Option<usize> {
        (0..self.ranks).find(|&other| other != self.rank && self.has_ended(other))
    }

    /// True if all other ranks have ended.
    #[cfg(feature = "nccl")]
    pub(super) fn is_last(&self) -> bool {
        (0..self.ranks).all(|other| other == self.rank || self.has_ended(other))
    }

    /// Says to the other ranks that this one sends nothing more.
    pub(super) fn close(&self) {
        match &self.links {
            Links::Threads(inboxes) => inboxes.iter().for_each(|inbox| inbox.end(self.rank)),
            Links::Tcp(links) => {
                for link in links.iter().flatten() {
                    let link = link.lock().unwrap_or_else(PoisonError::into_inner);
                    // Messages in flight still arrive. The other side may be gone already.
                    drop(link.shutdown(Shutdown::Write));
                }
            }
        }
    }

    /// Aborts the communicator on all ranks. Returns the first problem that this rank knows of.
    pub(super) fn fail(&self, problem: RankProblem) -> RankProblem {
        /// Aborting does not wait for ranks that read nothing.
        const LIMIT: Duration = Duration::from_secs(1);
        if let Some(first) = self.failure() {
            return first;
        }
        let reason = problem.to_string();
        let first = self.inbox.fail(problem);
        for to in (0..self.ranks).filter(|&to| to != self.rank) {
            let (rank, reason) = (self.rank, reason.clone());
            match &self.links {
                Links::Threads(inboxes) => drop(inboxes[to].fail(RankProblem::Failed { other: rank, reason })),
                Links::Tcp(_) => {
                    let rank = rank as u32;
                    // One that cannot be told sees the connection end, or that nothing comes.
                    drop(self.write(to, &Frame::Failed { rank, reason }, LIMIT));
                }
            }
        }
        first
    }
}

/// The moment when a time is over that begins now; far away for a time that has no end.
pub(super) fn deadline(limit: Duration) -> Instant {
    const FAR: Duration = Duration::from_secs(365 * 24 * 3600);
    Instant::now() + limit.min(FAR)
}

/// Refuses an operation of another rank that is not the own one.
pub(super) fn same(other: usize, own: &Signature, theirs: &Signature) -> Result<(), RankProblem> {
    match own == theirs {
        true => Ok(()),
        false => Err(RankProblem::Differ {
            other,
            own: own.to_string(),
            theirs: theirs.to_string(),
        }),
    }
}

/// Reads what a rank sends until it ends. What comes after this rank has ended is not kept; it is read all the same, since
/// closing the connection before would take back what was sent.
fn read_all(connection: &mut TcpStream, from: usize, inbox: &Weak<Inbox>) {
    loop {
        let read = Frame::read(connection);
        let is_end = matches!(read, Ok(None) | Err(_));
        match (inbox.upgrade(), read) {
            (None, _) if is_end => return,
            (None, _) => {}
            (Some(inbox), Ok(Some(Frame::Data(signature, data)))) => inbox.push(from, (signature, data)),
            (Some(inbox), Ok(Some(Frame::Failed { rank, reason }))) => drop(inbox.fail(RankProblem::Failed {
                other: rank as usize,
                reason,
            })),
            // The process has ended, or what it sends makes no sense.
            (Some(inbox), Ok(None) | Err(_)) => return inbox.end(from),
        }
    }
}

impl Drop for Mesh {
    fn drop(&mut self) {
        self.close();
    }
}

#[cfg(test)]
mod tests;
