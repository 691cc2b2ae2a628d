//! Print records: how the output of kernels reaches the host.
//!
//! A stream has one [`PrintBuffer`] on its device, from the first launch of a kernel that prints.
//! [`FaultControl::prints`](crate::fault::FaultControl::prints) says where. A thread that prints:
//!
//! 1. `at = atomic_add(buffer.cursor, bytes)`, device scope, where `bytes` is the size of its record:
//!    16, and 8 for each value.
//! 2. If `at + bytes > buffer.capacity` it adds 1 to `buffer.lost` and goes on.
//! 3. Else it writes its record `at` bytes behind the [`PrintBuffer`]: the `kernel` of the channel,
//!    which is not zero, the number of the site in the low half of a word and the number of values
//!    in its high half, and the bits of each value in a word of its own. Bits past the type of a
//!    value are unspecified.
//!
//! The host reads the records after it has waited for the stream, then clears the header and as much
//! as was written. All of the buffer is zero at first, so the records end where the kernel is zero.

/// What stands before the records. 32 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrintBuffer {
    /// Where the next record goes, in bytes; past `capacity` once one was lost. Offset 0.
    pub cursor: u64,
    /// Bytes for records. Offset 8.
    pub capacity: u64,
    /// Records that found no room. Offset 16.
    pub lost: u64,
    /// Zero. Offset 24.
    pub reserved: u64,
}

/// Bytes for records that a stream has: what kernels print between two waits.
pub const CAPACITY: u64 = 1 << 20;

/// The most values that one `println!` may have.
pub const MAX_PRINT_VALUES: usize = 32;

/// Words of a record before its values.
pub const HEADER_WORDS: usize = 2;

const _: () = assert!(size_of::<PrintBuffer>() == 32);

/// What a thread has printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'w> {
    /// The host's name for the kernel.
    pub kernel: u64,
    /// The number of the site in the kernel.
    pub site: u32,
    /// The bits of the values.
    pub values: &'w [u64],
}

/// The records at the start of the buffer, in order.
pub fn records(mut words: &[u64]) -> impl Iterator<Item = Record<'_>> {
    std::iter::from_fn(move || {
        let (&kernel, rest) = words.split_first()?;
        let (&second, rest) = rest.split_first()?;
        if kernel == 0 {
            return None;
        }
        let (values, rest) = rest.split_at_checked((second >> 32) as usize)?;
        words = rest;
        Some(Record {
            kernel,
            site: second as u32,
            values,
        })
    })
}

/// The second word of a record.
pub fn site_word(site: u32, values: usize) -> u64 {
    u64::from(site) | (values as u64) << 32
}

/// What is said where records were lost.
pub fn lost(count: u64) -> String {
    format!("[vyre: {count} more lines are lost: a stream keeps {CAPACITY} bytes of them between waits]\n")
}

#[cfg(test)]
mod tests;
