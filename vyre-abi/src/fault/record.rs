//! The fault channel: how a report travels from a thread on a GPU to the host.
//!
//! A thread that faults writes one [`FaultRecord`] and exits. Only the first record of each launch
//! is kept. On CUDA a kernel that can fault or print has a hidden last parameter of 24 bytes, the
//! [`FaultChannel`]: the address of the stream's [`FaultControl`], the number of the launch and the
//! kernel. A stream has a list of [`FAULT_RECORDS`] free records.
//!
//! A launch of a CUDA graph has its parameters frozen, and each replay needs other numbers. So the number of a
//! launch is `control.base + channel.launch`, called `launch` below. On a stream the base is always 0. A graph has a
//! control of its own, whose base its first node advances at each replay by more than the launches of the last one. The
//! turns of a loop of a graph share their numbers: a loop goes on while `control.launch` is at most `control.base`, so
//! only one turn faults.
//!
//! The protocol of the faulting thread:
//!
//! 1. `old = atomic_max(control.launch, launch)`, device scope. Loops that wait for other threads exit if
//!    `control.launch` is at least `launch`. It exceeds it if another launch of the same replay has faulted, after
//!    which all results of the replay are unspecified.
//! 2. If `old < launch` and `record = atomic_exchange(control.free, 0)` is not 0: `control.free = record.next`,
//!    write all other fields of the record (host-mapped memory), a system fence, then `record.written = 1`. The
//!    launches of a stream run one after the other, but those of a graph may run at the same time: the exchange gives a
//!    record to one thread, and who finds none meanwhile leaves without.
//! 3. Return from the kernel. There is no trap, so the context stays usable.
//!
//! The host looks at the first record's `written` after each wait. Once it is set, the host
//! synchronizes with the stream, reads the records, clears `written`, and makes all of them free again.
//! If no record was left, the launches after that of the last record up to `control.launch` may have
//! faulted, too. Launch numbers are unique on a device, and increase on each stream.
//!
//! The compiler takes every offset from these structures, so this is the only place that defines
//! the layout.

use std::mem::offset_of;

use super::MAX_FAULT_VALUES;

/// The hidden last parameter of a CUDA entry that can fault. 24 bytes, alignment 8.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FaultChannel {
    /// Device address of the [`FaultControl`].
    pub control: u64,
    /// Number of this launch, less the `base` of the control.
    pub launch: u64,
    /// The number of the kernel on its device, from 1, copied to the record's `kernel` field.
    pub kernel: u64,
}

/// In device memory, one per stream and one per CUDA graph. 48 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FaultControl {
    /// Number of the last launch in which a thread faulted; 0 for none. Offset 0.
    pub launch: u64,
    /// Device address of the first free [`FaultRecord`]; 0 for none. Offset 8.
    pub free: u64,
    /// Device address of the [`PrintBuffer`](crate::print::PrintBuffer); 0 before the first launch
    /// of a kernel that prints. Offset 16.
    pub prints: u64,
    /// What blocks of the running cooperative launch have added at its grid barriers, all together the
    /// highest bit at each; 0 when it begins. Offset 24.
    pub arrived: u64,
    /// Number of the last launch with grid barriers in which a block has ended; 0 for none. Offset
    /// 32.
    pub ended: u64,
    /// What is added to the `launch` of a channel; 0 on a stream. Offset 40.
    pub base: u64,
}

/// Number of the records of a stream.
pub const FAULT_RECORDS: u32 = 64;

/// In host-mapped memory, [`FAULT_RECORDS`] per stream. 128 bytes, alignment 16: a thread writes it in
/// vectors of 16 bytes.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug)]
pub struct FaultRecord {
    /// The channel's `kernel`. Offset 0.
    pub kernel: u64,
    /// The number of the launch. Offset 8.
    pub launch: u64,
    /// Two values, documented at [`FaultKind`](super::FaultKind). Offset 16.
    pub values: [u64; 2],
    /// The block. Offset 32.
    pub block: [u32; 3],
    /// The thread. Offset 44.
    pub thread: [u32; 3],
    /// Index into the kernel's sites. Offset 56.
    pub site: u32,
    /// 1 once the record is complete. Offset 60.
    pub written: u32,
    /// The values of a message after the first two. Offset 64.
    pub more: [u64; MAX_FAULT_VALUES - 2],
    /// Device address of the next record; 0 for none. Written by the host. Offset 112.
    pub next: u64,
}

impl FaultRecord {
    /// The values of a message in order.
    pub fn message_values(&self) -> [u64; MAX_FAULT_VALUES] {
        let mut values = [0; MAX_FAULT_VALUES];
        let (first, more) = values.split_at_mut(self.values.len());
        first.copy_from_slice(&self.values);
        more.copy_from_slice(&self.more);
        values
    }
}

/// The offset of a message's value in a [`FaultRecord`].
pub const fn value_offset(number: usize) -> usize {
    match number {
        0 | 1 => offset_of!(FaultRecord, values) + 8 * number,
        _ => offset_of!(FaultRecord, more) + 8 * (number - 2),
    }
}

// The driver copies the channel into the kernel's parameters, and the compiler counts its bytes.
const _: () =
    assert!(size_of::<FaultChannel>() == 24 && size_of::<FaultControl>() == 48 && size_of::<FaultRecord>() == 128);
