//! The fault channel: how a report travels from a thread on a GPU to the host.
//!
//! A thread that faults writes one [`FaultRecord`] and exits. Only the first record of each launch
//! is kept. On CUDA a kernel that can fault or print has a hidden last parameter of 24 bytes, the
//! [`FaultChannel`]: the address of the device's [`FaultControl`], the number of the launch and the
//! kernel. The protocol of the faulting thread:
//!
//! 1. `old = atomic_max(control.launch, channel.launch)`, device scope. Loops that wait for other
//!    threads compare `control.launch` with `channel.launch` and exit if they are equal.
//! 2. If `old < channel.launch` and `atomic_exchange(control.claimed, 1) == 0`: write all fields of
//!    `*control.record` (host-mapped memory), a system fence, then `record.written = 1`.
//! 3. Return from the kernel. There is no trap, so the context stays usable.
//!
//! The host reads the record after it has synchronized with the stream, then clears `claimed` and
//! `written`. Launch numbers count from 1 on each stream and never decrease.
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
    /// Number of this launch on its stream.
    pub launch: u64,
    /// The host's id of the kernel, copied to the record's `kernel` field.
    pub kernel: u64,
}

/// In device memory, one per stream. 48 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FaultControl {
    /// Number of the last launch in which a thread faulted; 0 for none. Offset 0.
    pub launch: u64,
    /// Device address of the [`FaultRecord`]. Offset 8.
    pub record: u64,
    /// 1 once a thread has claimed the record. Offset 16.
    pub claimed: u32,
    /// Zero. Offset 20.
    pub reserved: u32,
    /// Device address of the [`PrintBuffer`](crate::print::PrintBuffer); 0 before the first launch
    /// of a kernel that prints. Offset 24.
    pub prints: u64,
    /// Blocks that have arrived at a grid barrier of the running cooperative launch; 0 when it
    /// begins. Offset 32.
    pub arrived: u64,
    /// Number of the last launch with grid barriers in which a block has ended; 0 for none. Offset
    /// 40.
    pub ended: u64,
}

/// In host-mapped memory, one per stream. 112 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FaultRecord {
    /// The channel's `kernel`. Offset 0.
    pub kernel: u64,
    /// Two values, documented at [`FaultKind`](super::FaultKind). Offset 8.
    pub values: [u64; 2],
    /// The block. Offset 24.
    pub block: [u32; 3],
    /// The thread. Offset 36.
    pub thread: [u32; 3],
    /// Index into the kernel's sites. Offset 48.
    pub site: u32,
    /// 1 once the record is complete. Offset 52.
    pub written: u32,
    /// Zero. Offset 56.
    pub reserved: u64,
    /// The values of a message after the first two. Offset 64.
    pub more: [u64; MAX_FAULT_VALUES - 2],
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
    assert!(size_of::<FaultChannel>() == 24 && size_of::<FaultControl>() == 48 && size_of::<FaultRecord>() == 112);
