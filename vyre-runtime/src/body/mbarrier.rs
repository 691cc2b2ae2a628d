//! Mbarriers, at which threads arrive and wait apart: cells in shared memory.
//!
//! Their block runs on one thread of the host, so plain accesses do, by whatever way the cell is known.

use std::sync::atomic::Ordering;

use vyre_abi::semantics::mbarrier;

use super::atomic::{Global, Local};

macro_rules! barriers {
    ($($cell:ident)*) => { $(
        /// # Safety
        /// The pointer of each method is aligned and valid, and no other block accesses it.
        #[allow(clippy::missing_safety_doc, reason = "stated once for all methods")]
        impl $cell<u64> {
            /// Initialises the cell as a barrier for `count` arrivals per phase.
            pub unsafe fn barrier_init(self, count: u64, _: Ordering) {
                // SAFETY: the caller vouches for the pointer.
                unsafe { self.0.write(mbarrier::init(count)) }
            }

            /// Arrives; returns a token of the phase.
            pub unsafe fn barrier_arrive(self, _: Ordering) -> u64 {
                // SAFETY: the caller vouches for the pointer.
                unsafe {
                    let token = self.0.read();
                    self.0.write(mbarrier::arrive(token));
                    token
                }
            }

            /// 1 if the phase of the token is complete, else 0.
            pub unsafe fn barrier_opened(self, token: u64, _: Ordering) -> u64 {
                // SAFETY: the caller vouches for the pointer.
                mbarrier::test_wait(unsafe { self.0.read() }, token)
            }

            /// A number that tells it from the other barriers of its block.
            pub unsafe fn barrier_number(self, _: Ordering) -> u64 {
                self.0.addr() as u64
            }

            /// Makes the phase wait for copies, which are complete already.
            pub unsafe fn barrier_copies(self, _: Ordering) {}
        }
    )* };
}
barriers!(Local Global);
