//! The messages between ranks: operations with their data, failures, farewells.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Read, Write};
use std::sync::Arc;

use super::reduction::Reduction;

/// The operation that a frame belongs to. All ranks that take part have the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Signature {
    pub(super) operation: Operation,
    /// The name of the type of the elements.
    pub(super) element: Cow<'static, str>,
    /// A number for the type, since names do not tell all types apart; 0 where any bytes are values of it.
    pub(super) values: u64,
    /// The number of elements that each rank gives; for operations that gather or scatter, those of one rank.
    pub(super) length: u64,
}

/// An operation of several ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    AllReduce(Reduction),
    ReduceScatter(Reduction),
    AllGather,
    AllToAll,
    Broadcast {
        root: u32,
    },
    /// A send or a receive.
    Message,
    /// The id of a communicator of NCCL, before any operation.
    Id,
}

impl Operation {
    /// A number for the operation and one for its parameter.
    fn code(self) -> (u8, u32) {
        match self {
            Operation::AllReduce(reduction) => (0, reduction.code()),
            Operation::ReduceScatter(reduction) => (1, reduction.code()),
            Operation::AllGather => (2, 0),
            Operation::AllToAll => (3, 0),
            Operation::Broadcast { root } => (4, root),
            Operation::Message => (5, 0),
            Operation::Id => (6, 0),
        }
    }

    fn of_code((kind, parameter): (u8, u32)) -> Option<Operation> {
        Some(match kind {
            0 => Operation::AllReduce(Reduction::of_code(parameter)?),
            1 => Operation::ReduceScatter(Reduction::of_code(parameter)?),
            2 => Operation::AllGather,
            3 => Operation::AllToAll,
            4 => Operation::Broadcast { root: parameter },
            5 => Operation::Message,
            6 => Operation::Id,
            _ => return None,
        })
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.operation {
            Operation::AllReduce(reduction) => write!(f, "`all_reduce` by {reduction:?}")?,
            Operation::ReduceScatter(reduction) => write!(f, "`reduce_scatter` by {reduction:?}")?,
            Operation::AllGather => f.write_str("`all_gather`")?,
            Operation::AllToAll => f.write_str("`all_to_all`")?,
            Operation::Broadcast { root } => write!(f, "`broadcast` from rank {root}")?,
            Operation::Message => f.write_str("`send` and `receive`")?,
            Operation::Id => return f.write_str("the start of NCCL"),
        }
        write!(f, " of {} elements of `{}`", self.length, self.element)
    }
}

/// A message from a rank to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// A part of an operation.
    Data(Signature, Arc<Vec<u8>>),
    /// The communicator was aborted, because of a rank, for a reason.
    Failed { rank: u32, reason: String },
}

/// The longest text of a frame, in bytes.
const MAX_TEXT: usize = 1 << 16;

impl Frame {
    pub(super) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let mut head = Vec::with_capacity(64);
        match self {
            Frame::Data(signature, data) => {
                let (kind, parameter) = signature.operation.code();
                head.extend([0, kind]);
                head.extend(parameter.to_le_bytes());
                head.extend(signature.length.to_le_bytes());
                write_text(&mut head, &signature.element);
                head.extend(signature.values.to_le_bytes());
                head.extend((data.len() as u64).to_le_bytes());
                to.write_all(&head)?;
                to.write_all(data)
            }
            Frame::Failed { rank, reason } => {
                head.push(1);
                head.extend(rank.to_le_bytes());
                write_text(&mut head, reason);
                to.write_all(&head)
            }
        }
    }

    /// Reads a frame; `None` where the other side has ended between two.
    pub(super) fn read(from: &mut impl Read) -> io::Result<Option<Frame>> {
        let mut tag = [0];
        let read = loop {
            match from.read(&mut tag) {
                // By a signal, which is no end.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        match read {
            0 => return Ok(None),
            _ if tag[0] == 1 => {
                return Ok(Some(Frame::Failed {
                    rank: u32::from_le_bytes(array(from)?),
                    reason: read_text(from)?,
                }));
            }
            _ if tag[0] != 0 => return Err(malformed()),
            _ => {}
        }
        let [kind] = array(from)?;
        let parameter = u32::from_le_bytes(array(from)?);
        let operation = Operation::of_code((kind, parameter)).ok_or_else(malformed)?;
        let length = u64::from_le_bytes(array(from)?);
        let element = read_text(from)?.into();
        let values = u64::from_le_bytes(array(from)?);
        let bytes = u64::from_le_bytes(array(from)?);
        // Grows with what comes, so that a wrong number does not take all memory.
        let mut data = Vec::new();
        let read = from.take(bytes).read_to_end(&mut data)?;
        if read as u64 != bytes {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let signature = Signature {
            operation,
            element,
            values,
            length,
        };
        Ok(Some(Frame::Data(signature, Arc::new(data))))
    }
}

pub(super) fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "no message of a rank")
}

pub(super) fn array<const N: usize>(from: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

pub(super) fn write_text(to: &mut Vec<u8>, text: &str) {
    let longest = MAX_TEXT.min(text.len());
    let end = (0..=longest).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    to.extend((end as u32).to_le_bytes());
    to.extend(&text.as_bytes()[..end]);
}

pub(super) fn read_text(from: &mut impl Read) -> io::Result<String> {
    let length = u32::from_le_bytes(array(from)?) as usize;
    if length > MAX_TEXT {
        return Err(malformed());
    }
    let mut bytes = vec![0; length];
    from.read_exact(&mut bytes)?;
    String::from_utf8(bytes).map_err(|_| malformed())
}

#[cfg(test)]
mod tests;
