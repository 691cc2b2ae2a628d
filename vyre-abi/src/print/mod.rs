//! Print records: the transport of a kernel's output to the host.
//!
//! A stream has one [`PrintBuffer`] on its device, allocated at the first launch of a kernel that
//! prints. Its address is in [`FaultControl::prints`](crate::fault::FaultControl::prints). A thread
//! that prints:
//!
//! 1. `at = atomic_add(buffer.cursor, bytes)`, device scope, where `bytes` is the size of its
//!    record: 16, and 8 for each value.
//! 2. If `at + bytes > buffer.capacity` it adds 1 to `buffer.lost` and continues.
//! 3. Otherwise it writes its record at offset `at` after the [`PrintBuffer`]: the `kernel` of the
//!    channel, which is not zero, a word with the site's index in the low half and the number of
//!    values in the high half, and one word per value. Bits above the width of a value's type are
//!    unspecified.
//!
//! The host reads the records after it has synchronized with the stream, then clears the header and
//! the written part. The buffer is zero initially, so the records end at the first kernel of zero.

/// The header before the records. 32 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrintBuffer {
    /// Offset of the next record, in bytes; past `capacity` once one was lost. Offset 0.
    pub cursor: u64,
    /// Bytes for records. Offset 8.
    pub capacity: u64,
    /// Records that did not fit. Offset 16.
    pub lost: u64,
    /// Zero. Offset 24.
    pub reserved: u64,
}

/// Capacity of a stream's records, in bytes: the limit of the output between two synchronizations.
pub const CAPACITY: u64 = 1 << 20;

/// Limit of the values of one `println!`.
pub const MAX_PRINT_VALUES: usize = 32;

/// Words of a record's header.
pub const HEADER_WORDS: usize = 2;

const _: () = assert!(size_of::<PrintBuffer>() == 32);

/// The output of one `println!` of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'w> {
    /// The number of the kernel on its device, from 1.
    pub kernel: u64,
    /// The index of the site in the kernel.
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

/// The message about lost records.
pub fn lost(count: u64) -> String {
    format!("[vyre: {count} more lines are lost: a stream keeps {CAPACITY} bytes of them between waits]\n")
}

#[cfg(test)]
mod tests;
