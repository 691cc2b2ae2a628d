//! Several threads at a time: the lanes of a chunk, consecutive threads along x.
//!
//! The generator writes a body for them, where that is possible (`generate/host/lanes.rs` of `vyre-build`). It gives up
//! where the lanes do not do the same, or one of them would fault, and then has changed nothing: the threads of the chunk
//! run one after the other.

use std::sync::OnceLock;

use super::block::BlockContext;
use super::fault::{Left, Run};
use super::memory::Slice;
use super::thread::Thread;

/// True if bodies run for several threads at a time where they can. The variable `VYRE_CPU_LANES` decides, if it is 0 or
/// 1; else the profile of the build: code that is not optimised gains nothing.
fn are_wanted(optimised: bool) -> bool {
    static FORCED: OnceLock<Option<bool>> = OnceLock::new();
    let forced = FORCED.get_or_init(|| match std::env::var("VYRE_CPU_LANES").as_deref() {
        Ok("0") => Some(false),
        Ok("1") => Some(true),
        _ => None,
    });
    forced.unwrap_or(optimised)
}

impl BlockContext<'_> {
    /// [`each`](Self::each), but `lanes` runs `N` threads at a time, from the one that it gets.
    #[inline(always)]
    pub fn each_lanes<'b, const N: u32>(
        &'b self,
        optimised: bool,
        extent: [u32; 3],
        mut thread: impl FnMut(Thread<'b>) -> Run,
        mut lanes: impl FnMut(Thread<'b>) -> Run,
    ) {
        let first = Thread::new(self, extent, false);
        let wanted = are_wanted(optimised);
        for z in 0..extent[2] {
            for y in 0..extent[1] {
                let mut x = 0;
                while x < extent[0] {
                    let end = extent[0].min(x + N);
                    if wanted && end - x == N && lanes(first.with([x, y, z]).on_trial()).is_ok() {
                        x = end;
                        continue;
                    }
                    while x < end {
                        if thread(first.with([x, y, z])).is_err() {
                            return;
                        }
                        x += 1;
                    }
                }
            }
        }
    }
}

impl Thread<'_> {
    /// Gives up unless the lanes agree.
    #[inline(always)]
    pub fn agree(&self, holds: bool) -> Run {
        if holds { Ok(()) } else { Err(Left) }
    }

    /// The value of the last lane. Gives up if the values of the lanes wrap.
    #[inline(always)]
    pub fn last_lane<T: Linear>(&self, first: T, lanes: u32) -> Run<T> {
        first.last(lanes).ok_or(Left)
    }

    /// The first of the elements of all lanes. Gives up if one is out of bounds.
    #[inline(always)]
    pub fn span<T>(&self, slice: Slice<T>, first: u64, lanes: u32) -> Run<*mut T> {
        self.agree(first < slice.length && slice.length - first >= u64::from(lanes))?;
        // SAFETY: the index was compared with the length.
        Ok(unsafe { slice.at(first as usize) })
    }
}

/// An integer that is one more in each lane.
pub trait Linear: Copy {
    /// Its value in a lane.
    fn lane(self, lane: usize) -> Self;
    /// Its value in the last of so many lanes; `None` if it wraps on the way.
    fn last(self, lanes: u32) -> Option<Self>;
}

macro_rules! linear {
    ($($ty:ty)*) => { $(
        impl Linear for $ty {
            #[inline(always)]
            fn lane(self, lane: usize) -> Self {
                self.wrapping_add(lane as $ty)
            }
            #[inline(always)]
            fn last(self, lanes: u32) -> Option<Self> {
                // There are 32 at most.
                self.checked_add((lanes - 1) as $ty)
            }
        }
    )* };
}
linear! { u8 u16 u32 u64 i8 i16 i32 i64 }

/// [`Linear::lane`].
#[inline(always)]
pub fn lane<T: Linear>(first: T, lane: usize) -> T {
    first.lane(lane)
}
