//! Several threads at a time: the lanes of a chunk, consecutive threads along x.
//!
//! The generator writes a body for them, where that is possible (`generate/host/lanes.rs` of `vyre-front`). It gives up
//! where the lanes do not do the same, or one of them would fault. Then the threads of the chunk run one after the other, and
//! what has been stored is stored once more. Builds with debug assertions have no such body.

use std::sync::OnceLock;

use vyre_abi::ops::WARP_SIZE;

use super::block::BlockContext;
use super::fault::{Left, Run};
use super::memory::Slice;
use super::regions::Threads;
use super::thread::Thread;
use super::warp::Exchanged;

/// True if bodies run for several threads at a time where they can: unless the variable `VYRE_CPU_LANES` is 0.
fn are_wanted() -> bool {
    static WANTED: OnceLock<bool> = OnceLock::new();
    *WANTED.get_or_init(|| std::env::var_os("VYRE_CPU_LANES").is_none_or(|it| it != "0"))
}

impl BlockContext<'_> {
    /// [`each`](Self::each), but `lanes` runs `N` threads at a time, from the one that it gets. Where it gives up, `fewer`
    /// runs `FEW`; where that gives up, because the first of them or the last one does not do as the others, this one runs
    /// alone. Chunks may overlap if threads may run again after they have run, as `AGAIN` says.
    #[inline(always)]
    pub fn each_lanes<'b, const N: u32, const FEW: u32, const AGAIN: bool>(
        &'b self,
        extent: [u32; 3],
        mut thread: impl FnMut(Thread<'b>) -> Run,
        mut lanes: impl FnMut(Thread<'b>) -> Run,
        mut fewer: impl FnMut(Thread<'b>) -> Run,
    ) {
        let first = Thread::new(self, extent, false);
        let wanted = are_wanted();
        for z in 0..extent[2] {
            for y in 0..extent[1] {
                let mut x = 0;
                while x < extent[0] {
                    let (begin, end) = (x, extent[0].min(x + N));
                    if wanted && end - x == N && lanes(first.with([x, y, z]).on_trial()).is_ok() {
                        x = end;
                        continue;
                    }
                    let small = wanted && FEW < N && end - begin >= FEW;
                    let (mut failed, mut back) = (false, 0);
                    while x < end {
                        let mut alone = end;
                        let at = if AGAIN && small { x.min(end - FEW) } else { x } - back;
                        if small && end - at >= FEW {
                            let ran = fewer(first.with([at, y, z]).on_trial()).is_ok();
                            if ran && back == 0 {
                                (x, failed) = (at + FEW, false);
                                continue;
                            }
                            // The last one of a row may be another case, as the first one may.
                            if !ran && back == 0 && AGAIN && at + FEW == end && at > begin {
                                back = 1;
                                continue;
                            }
                            if ran {
                                x = end - 1;
                            }
                            // The next one, then all those that have been tried.
                            alone = if failed { at + back + FEW } else { x + 1 };
                            (failed, back) = (!failed, 0);
                        }
                        while x < alone {
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
}

impl<'b> Threads<'b> {
    /// [`each`](Self::each), but `lanes` runs the region for `N` threads at a time, from the one that it gets.
    #[inline(always)]
    pub fn each_lanes<const N: usize>(
        &self,
        mut region: impl FnMut(Thread<'b>, usize) -> Run,
        mut lanes: impl FnMut(Thread<'b>, usize) -> Run,
    ) -> Run {
        let wanted = are_wanted();
        let [width, height, depth] = self.first.extent();
        let mut number = 0;
        for z in 0..depth {
            for y in 0..height {
                let mut x = 0;
                while x < width {
                    let end = width.min(x + N as u32);
                    if wanted && end - x == N as u32 && lanes(self.first.with([x, y, z]).on_trial(), number).is_ok() {
                        (x, number) = (end, number + N);
                        continue;
                    }
                    while x < end {
                        region(self.first.with([x, y, z]), number)?;
                        (x, number) = (x + 1, number + 1);
                    }
                }
            }
        }
        Ok(())
    }

    /// Runs code for whole warps, from their first threads, until one gives up; yields the number of threads that are done.
    /// For blocks whose width is a number of warps.
    #[inline(always)]
    pub fn each_warp(&self, mut warp: impl FnMut(Thread<'b>, usize) -> Run) -> usize {
        if !are_wanted() {
            return 0;
        }
        let [width, height, depth] = self.first.extent();
        let mut number = 0;
        for z in 0..depth {
            for y in 0..height {
                let mut x = 0;
                while x < width {
                    if warp(self.first.with([x, y, z]).on_trial(), number).is_err() {
                        return number;
                    }
                    (x, number) = (x + WARP_SIZE, number + WARP_SIZE as usize);
                }
            }
        }
        number
    }

    /// True if so many threads are all of the block.
    #[inline(always)]
    pub fn are_done(&self, done: usize) -> bool {
        done == self.first.threads()
    }

    /// [`each`](Self::each) for the threads from one on.
    pub fn each_from(&self, begin: usize, mut region: impl FnMut(Thread<'b>, usize) -> Run) -> Run {
        for number in begin..self.first.threads() {
            region(self.first.with(self.first.place(number)), number)?;
        }
        Ok(())
    }

    /// The same of [`each_left`](Self::each_left).
    #[inline(always)]
    pub fn each_left_lanes<const N: usize>(
        &self,
        mut region: impl FnMut(Thread<'b>, usize) -> Run<bool>,
        mut lanes: impl FnMut(Thread<'b>, usize) -> Run<bool>,
    ) -> Run {
        let wanted = are_wanted();
        let [width, height, depth] = self.first.extent();
        let threads = self.first.threads();
        let mut returned = self.first.context.returned.borrow_mut();
        let (mut stays, mut number) = (false, 0);
        for z in 0..depth {
            for y in 0..height {
                let mut x = 0;
                while x < width {
                    let chunk = N.min((width - x) as usize);
                    let are_left = returned
                        .get(number..number + chunk)
                        .is_none_or(|lanes| !lanes.contains(&true));
                    if wanted
                        && chunk == N
                        && are_left
                        && let Ok(return_) = lanes(self.first.with([x, y, z]).on_trial(), number)
                    {
                        if return_ {
                            returned.resize(threads, false);
                            returned[number..number + N].fill(true);
                        }
                        stays |= !return_;
                        (x, number) = (x + N as u32, number + N);
                        continue;
                    }
                    for _ in 0..chunk {
                        if returned.get(number) != Some(&true) {
                            match region(self.first.with([x, y, z]), number)? {
                                false => stays = true,
                                true => {
                                    returned.resize(threads, false);
                                    returned[number] = true;
                                }
                            }
                        }
                        (x, number) = (x + 1, number + 1);
                    }
                }
            }
        }
        if stays { Ok(()) } else { Err(Left) }
    }
}

impl<'b> Thread<'b> {
    /// The thread of a lane, from that of the first one.
    #[inline(always)]
    pub fn of_lane(self, lane: usize) -> Thread<'b> {
        let [x, y, z] = self.place_in_block();
        self.with([x + lane as u32, y, z])
    }

    /// Gives up unless the lanes agree.
    #[inline(always)]
    pub fn agree(&self, holds: bool) -> Run {
        if holds { Ok(()) } else { Err(Left) }
    }

    /// The value of the last lane. Gives up if the values of the lanes wrap.
    #[inline(always)]
    pub fn last_lane<T: Linear>(&self, first: T, lanes: usize) -> Run<T> {
        first.last(lanes).ok_or(Left)
    }

    /// The first of the elements of all lanes. Gives up if one is out of bounds.
    #[inline(always)]
    pub fn span<T>(&self, slice: Slice<T>, first: u64, lanes: usize) -> Run<*mut T> {
        let first = self.within(first, slice.length, lanes)?;
        // SAFETY: the index was compared with the length.
        Ok(unsafe { slice.at(first) })
    }

    /// The first of the indices of all lanes. Gives up if one is out of bounds.
    #[inline(always)]
    pub fn within(&self, first: u64, length: u64, lanes: usize) -> Run<usize> {
        self.agree(first < length && length - first >= lanes as u64)?;
        Ok(first as usize)
    }

    /// The value that all lanes have kept. Gives up if they differ.
    ///
    /// # Safety
    /// There are `N` values.
    #[inline(always)]
    pub unsafe fn kept_uniform<T: Exchanged, const N: usize>(&self, values: *const T) -> Run<T> {
        // SAFETY: the caller vouches for the values.
        let values = unsafe { values.cast::<[T; N]>().read() };
        let first = values[0];
        let mut others = 0;
        for value in values {
            others |= value.into_bits() ^ first.into_bits();
        }
        self.agree(others == 0)?;
        Ok(first)
    }

    /// The value that the first lane has kept. Gives up if the others are not one more each.
    ///
    /// # Safety
    /// There are `N` values.
    #[inline(always)]
    pub unsafe fn kept_linear<T: Exchanged + Linear, const N: usize>(&self, values: *const T) -> Run<T> {
        // SAFETY: the caller vouches for the values.
        let values = unsafe { values.cast::<[T; N]>().read() };
        let first = values[0];
        let mut others = 0;
        for (lane, value) in values.into_iter().enumerate() {
            others |= value.into_bits() ^ first.lane(lane).into_bits();
        }
        self.agree(others == 0)?;
        Ok(first)
    }
}

/// An integer that is one more in each lane.
pub trait Linear: Copy {
    /// Its value in a lane.
    fn lane(self, lane: usize) -> Self;
    /// Its value in the last of so many lanes; `None` if it wraps on the way.
    fn last(self, lanes: usize) -> Option<Self>;
}

macro_rules! linear {
    ($($ty:ty)*) => { $(
        impl Linear for $ty {
            #[inline(always)]
            fn lane(self, lane: usize) -> Self {
                self.wrapping_add(lane as $ty)
            }
            #[inline(always)]
            fn last(self, lanes: usize) -> Option<Self> {
                // There are 32 at most.
                self.checked_add((lanes - 1) as $ty)
            }
        }
    )* };
}
linear! { u8 u16 u32 u64 i8 i16 i32 i64 }

/// The values of all lanes.
#[inline(always)]
pub fn lanes<T: Exchanged, const N: usize>(mut of: impl FnMut(usize) -> T) -> [T; N] {
    // A plain loop: `from_fn` has a function in between that LLVM does not always inline.
    let mut values = [T::of_bits(0); N];
    for (lane, value) in values.iter_mut().enumerate() {
        *value = of(lane);
    }
    values
}

/// [`Linear::lane`].
#[inline(always)]
pub fn lane<T: Linear>(first: T, lane: usize) -> T {
    first.lane(lane)
}

/// One of two values that are both at hand, never by a branch.
#[inline(always)]
pub fn select<T>(condition: bool, then: T, otherwise: T) -> T {
    std::hint::select_unpredictable(condition, then, otherwise)
}
