//! The reports of a checked launch.

use std::fmt;

use super::{Action, Does, Kind};

/// A fault that checking mode has found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The kind.
    pub kind: Kind,
    /// The name of the kernel.
    pub kernel: String,
    /// The memory that it is about, as `tile[3]`; empty if it is about none.
    pub object: String,
    /// Those who take part: of a race the earlier access and the later one.
    pub parties: Vec<Party>,
    /// The values of the object in one order of the threads and in the reverse one, of [`Kind::Order`] alone.
    pub values: Option<[String; 2]>,
    /// What is missing.
    pub missing: &'static str,
}

/// A thread, and what it does.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Party {
    /// What it does.
    pub does: Does,
    /// The source file; empty if the program does not say.
    pub file: String,
    /// The line, from 1; 0 if the program does not say.
    pub line: u32,
    /// The column, from 1; 0 if the program does not say.
    pub column: u32,
    /// The block.
    pub block: [u32; 3],
    /// The thread in its block.
    pub thread: [u32; 3],
    /// The number of threads that do the same; the first one is named.
    pub threads: u32,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Action::Read => "read",
            Action::Write => "write",
            Action::AtomicRead => "atomic read",
            Action::AtomicWrite => "atomic write",
            Action::CopyRead => "read by an asynchronous copy",
            Action::CopyWrite => "write by an asynchronous copy",
        })
    }
}

impl fmt::Display for Does {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Does::Access(action) => action.fmt(f),
            Does::Addresses => f.write_str("address of it"),
            Does::Barrier => f.write_str("waits at the barrier of the block"),
            Does::ClusterBarrier => f.write_str("waits at the barrier of the cluster"),
            Does::GridBarrier => f.write_str("waits at the barrier of the grid"),
            Does::NamedBarrier(number) => write!(f, "waits at the named barrier {number}"),
            Does::WarpOperation => f.write_str("waits at a warp operation"),
            Does::Loop(object) if object.is_empty() => f.write_str("repeats a loop that changes nothing"),
            Does::Loop(object) => write!(f, "waits in a loop for a change of {object}"),
            Does::Ended => f.write_str("has ended"),
        }
    }
}

impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.does.fmt(f)?;
        if self.line != 0 {
            write!(f, " at {}:{}:{}", self.file, self.line, self.column)?;
        }
        write!(f, ", block {:?}, thread {:?}", self.block, self.thread)?;
        match self.threads {
            0 | 1 => Ok(()),
            2 => f.write_str(" and another one"),
            threads => write!(f, " and {} others", threads - 1),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let object = &self.object;
        match self.kind {
            Kind::Race => write!(f, "race on {object}")?,
            Kind::MixedRace => write!(f, "race of an atomic access and a plain one on {object}")?,
            Kind::ScopeRace => write!(f, "race on {object}: an atomic access at the scope of another block")?,
            Kind::CopyRace => write!(f, "race with an asynchronous copy on {object}")?,
            Kind::Unwritten => write!(f, "{object} is read, and nothing has written it")?,
            Kind::Skipped => f.write_str("some threads do not come to this barrier or warp operation")?,
            Kind::Divergence => f.write_str("threads wait at different barriers or warp operations")?,
            Kind::Deadlock => f.write_str("deadlock: all threads wait")?,
            Kind::Outside => f.write_str(object)?,
            Kind::Order => write!(f, "{object} depends on the order of the threads")?,
        }
        if let Some([one, other]) = &self.values {
            write!(f, ": {one} in one order, {other} in the reverse one")?;
        }
        write!(f, "\n  in kernel `{}`", self.kernel)?;
        for party in &self.parties {
            write!(f, "\n  {party}")?;
        }
        if !self.missing.is_empty() {
            write!(f, "\n  {}", self.missing)?;
        }
        Ok(())
    }
}
