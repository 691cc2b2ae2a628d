//! Statistics of a device.
//!
//! Counters are relaxed atomics: each is exact once the threads that count have met the one that reads, and a
//! snapshot of several may mix a moment with the next.

mod audit;
mod memory;

pub use audit::CacheAudit;
pub use memory::MemoryUsage;
pub(crate) use memory::{Gauge, PoolUsage};

use std::sync::atomic::{AtomicU64, Ordering};

/// A number that only grows until it is reset.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    #[inline]
    pub(crate) fn add(&self, amount: u64) {
        self.0.fetch_add(amount, Ordering::Relaxed);
    }

    /// Adds to a counter that no other thread changes meanwhile, because all hold one lock: without an atomic addition,
    /// which takes as long as twenty ordinary ones.
    #[inline]
    pub(crate) fn add_alone(&self, amount: u64) {
        let count = self.0.load(Ordering::Relaxed);
        self.0.store(count + amount, Ordering::Relaxed);
    }

    /// Makes it at least this.
    pub(crate) fn raise(&self, to: u64) {
        self.0.fetch_max(to, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn reset(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

/// Defines the statistics, and the counters of those that the device keeps; each stream keeps the others.
macro_rules! statistics {
    (
        streams { $($(#[$of_stream:meta])* $stream:ident,)* }
        device { $($(#[$of_device:meta])* $device:ident,)* }
        maxima { $($(#[$of_maximum:meta])* $maximum:ident,)* }
    ) => {
        /// What a device has done since it was opened or since [`Device::reset_stats`](crate::Device::reset_stats),
        /// by all threads of the process.
        ///
        /// ```
        /// # fn main() -> vyre::Result<()> {
        /// let device = vyre::Device::best()?;
        /// let before = device.stats();
        /// let x = device.upload(&[1.0f32; 1000])?;
        /// assert_eq!(x.download()?.len(), 1000);
        /// let done = device.stats().since(&before);
        /// assert_eq!((done.uploaded_bytes, done.downloaded_bytes), (4000, 4000));
        /// for (name, value) in done.metrics() {
        ///     println!("vyre_{name} {value}");
        /// }
        /// # Ok(())
        /// # }
        /// ```
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[non_exhaustive]
        pub struct Stats {
            $($(#[$of_stream])* pub $stream: u64,)*
            $($(#[$of_device])* pub $device: u64,)*
            $($(#[$of_maximum])* pub $maximum: u64,)*
        }

        impl Stats {
            /// The numbers by name, for exporters. A name is that of the field and does not change; new ones may
            /// be added.
            ///
            /// ```
            /// # use vyre::prelude::*;
            /// # fn main() -> vyre::Result<()> {
            /// for (name, value) in Device::best()?.stats().metrics() {
            ///     println!("vyre_{name} {value}");
            /// }
            /// # Ok(())
            /// # }
            /// ```
            pub fn metrics(&self) -> Vec<(&'static str, u64)> {
                vec![
                    $((stringify!($stream), self.$stream),)*
                    $((stringify!($device), self.$device),)*
                    $((stringify!($maximum), self.$maximum),)*
                ]
            }

            /// What was done after an earlier snapshot; 0 where the statistics were reset in between. Maxima are
            /// those of all time.
            ///
            /// ```
            /// # use vyre::prelude::*;
            /// # fn main() -> vyre::Result<()> {
            /// let device = Device::best()?;
            /// let before = device.stats();
            /// let x = device.zeros::<f32>(10)?;
            /// drop(x);
            /// let done = device.stats().since(&before);
            /// assert_eq!((done.allocations, done.frees), (1, 1));
            /// # Ok(())
            /// # }
            /// ```
            #[must_use]
            pub fn since(&self, earlier: &Stats) -> Stats {
                Stats {
                    $($stream: self.$stream.saturating_sub(earlier.$stream),)*
                    $($device: self.$device.saturating_sub(earlier.$device),)*
                    $($maximum: self.$maximum,)*
                }
            }
        }

        /// The counters of a device.
        #[derive(Debug, Default)]
        pub(crate) struct Counters {
            $(pub(crate) $device: Counter,)*
            $(pub(crate) $maximum: Counter,)*
            /// Bytes of live buffers.
            pub(crate) buffers: Gauge,
        }

        impl Counters {
            /// The numbers now; those of streams are 0.
            pub(crate) fn snapshot(&self) -> Stats {
                Stats {
                    $($device: self.$device.get(),)*
                    $($maximum: self.$maximum.get(),)*
                    ..Stats::default()
                }
            }

            pub(crate) fn reset(&self) {
                $(self.$device.reset();)*
                $(self.$maximum.reset();)*
                self.buffers.reset_high_water();
            }
        }
    };
}

statistics! {
    streams {
        /// Launches that were queued; on the CPU, that ran. An empty domain is none. Those in a fixpoint that the device
        /// repeats count for one turn.
        launches,
    }
    device {
        /// Launches that faulted, as far as waits have collected them.
        faults,
        /// Bytes copied from the host.
        uploaded_bytes,
        /// Bytes copied to the host.
        downloaded_bytes,
        /// Bytes copied within the device.
        copied_bytes,
        /// Bytes copied from another GPU by the GPUs themselves.
        peer_bytes,
        /// Bytes copied from another GPU through memory of the host, because the two have no way to each other.
        staged_bytes,
        /// Buffers allocated, without empty ones.
        allocations,
        /// Buffers freed, without empty ones.
        frees,
        /// Allocations that the pool served from memory that it held, with those of the runtime itself. When
        /// several threads allocate at a time, one that grows the pool may count for another one. Always 0 on the
        /// CPU, which has no pool.
        pool_hits,
        /// Kernels loaded by the driver. Always 0 on the CPU, whose kernels are part of the program.
        kernels_loaded,
        /// Kernels loaded from machine code of the program.
        cubins_loaded,
        /// Machine code of the program for this device that the driver refused, so that other code or PTX took its
        /// place.
        cubins_refused,
        /// Kernels loaded from PTX, which the driver assembled, or whose machine code it found in its cache.
        ptx_loaded,
        /// Kernels whose program was lowered again, because device or driver do not take their PTX. With the feature
        /// `programs` only.
        programs_lowered,
        /// Events recorded to order one stream after another, and to find launches that are over. Always 0 on
        /// the CPU.
        events_recorded,
        /// Launches of CUDA graphs: of one that has long loops, of each of its parts. Always 0 on the CPU.
        graph_launches,
        /// Turns of loops of graphs that the host has launched, because the driver is older than CUDA 12.4, or the body is
        /// too large for a loop of the device. Always 0 on the CPU.
        graph_turns,
        /// Launches that were timed, by [`Launch::launch_timed`](crate::Launch::launch_timed).
        timed_launches,
        /// Timed launches without a time of the device: of empty domains.
        timed_without_device,
        /// Nanoseconds of timed launches on the host, from the call to the end of the work.
        timed_wall_ns,
        /// Nanoseconds of timed launches on the device.
        timed_device_ns,
        /// Nanoseconds in which timed launches were checked and queued; on the CPU, and ran.
        timed_enqueue_ns,
        /// Nanoseconds in which the host waited for timed launches.
        timed_wait_ns,
    }
    maxima {
        /// The longest time of a timed launch on the device, in nanoseconds.
        timed_device_max_ns,
    }
}

#[cfg(test)]
mod tests;
