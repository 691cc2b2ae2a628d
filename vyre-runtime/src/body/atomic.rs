//! Atomic operations of kernels, under the names of the IR's `AtomicOp`.
//!
//! [`Global`] cells are visible to other blocks, so they use the host's atomics. [`Local`] ones lie
//! in shared memory, whose block runs on one thread of the host, so plain accesses suffice. An
//! ordering that an operation does not allow is replaced by the nearest one that it allows.
//!
//! Every operation except `store` returns the old value.

use std::sync::atomic::{
    AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering, fence as host_fence,
};

use vyre_abi::semantics::{self, BF16, F16, Half};

/// A cell that other blocks may access concurrently.
#[derive(Clone, Copy, Debug)]
pub struct Global<T>(pub *mut T);

/// A cell that only this block accesses.
#[derive(Clone, Copy, Debug)]
pub struct Local<T>(pub *mut T);

/// The ordering of the load in an operation of this ordering.
const fn loading(order: Ordering) -> Ordering {
    match order {
        Ordering::Release => Ordering::Relaxed,
        Ordering::AcqRel => Ordering::Acquire,
        other => other,
    }
}

/// The ordering of the store in an operation of this ordering.
const fn storing(order: Ordering) -> Ordering {
    match order {
        Ordering::Acquire => Ordering::Relaxed,
        Ordering::AcqRel => Ordering::Release,
        other => other,
    }
}

/// A memory fence.
#[inline(always)]
pub fn fence(order: Ordering) {
    if order != Ordering::Relaxed {
        host_fence(order);
    }
}

/// Operations of a [`Local`] cell, each defined by the function that computes the new value.
macro_rules! local {
    ($type:ty, $same:expr; { $($(#[$doc:meta])* $name:ident($old:ident, $value:ident) $body:expr;)* }) => {
        /// # Safety
        /// The pointer of each method is aligned and valid, and no other block accesses it.
        #[allow(clippy::missing_safety_doc, reason = "stated once for all methods")]
        impl Local<$type> {
            /// The value.
            #[inline(always)]
            pub unsafe fn load(self, _: Ordering) -> $type {
                // SAFETY: the caller vouches for the pointer.
                unsafe { self.0.read() }
            }

            /// Writes a value.
            #[inline(always)]
            pub unsafe fn store(self, value: $type, _: Ordering) {
                // SAFETY: the caller vouches for the pointer.
                unsafe { self.0.write(value) }
            }

            /// Writes `new` if the cell has the bits of `expected`, or both are NaNs.
            #[inline(always)]
            pub unsafe fn compare_exchange(self, expected: $type, new: $type, _: Ordering) -> $type {
                // SAFETY: the caller vouches for the pointer.
                unsafe {
                    let old = self.0.read();
                    if $same(old, expected) {
                        self.0.write(new);
                    }
                    old
                }
            }

            $(
                $(#[$doc])*
                #[inline(always)]
                pub unsafe fn $name(self, $value: $type, _: Ordering) -> $type {
                    // SAFETY: the caller vouches for the pointer.
                    unsafe {
                        let $old = self.0.read();
                        self.0.write($body);
                        $old
                    }
                }
            )*
        }
    };
}

/// Operations of a [`Global`] cell: those of the host's atomic under another name, and those made
/// of a compare-and-swap loop.
macro_rules! global {
    (
        $type:ty, $atomic:ty, $bits:ty, $to:expr, $from:expr, $same:expr;
        native { $($(#[$native_doc:meta])* $native:ident = $method:ident;)* }
        loop { $($(#[$doc:meta])* $name:ident($old:ident, $value:ident) $body:expr;)* }
    ) => {
        /// # Safety
        /// The pointer of each method is aligned and valid, and all other accesses to it are
        /// atomic.
        #[allow(clippy::missing_safety_doc, reason = "stated once for all methods")]
        impl Global<$type> {
            #[inline(always)]
            unsafe fn cell<'a>(self) -> &'a $atomic {
                // SAFETY: the caller vouches for the pointer.
                unsafe { <$atomic>::from_ptr(self.0.cast::<$bits>()) }
            }

            /// The value.
            #[inline(always)]
            pub unsafe fn load(self, order: Ordering) -> $type {
                // SAFETY: the caller vouches for the pointer.
                $from(unsafe { self.cell() }.load(loading(order)))
            }

            /// Writes a value.
            #[inline(always)]
            pub unsafe fn store(self, value: $type, order: Ordering) {
                // SAFETY: the caller vouches for the pointer.
                unsafe { self.cell() }.store($to(value), storing(order));
            }

            /// Writes a value.
            #[inline(always)]
            pub unsafe fn exchange(self, value: $type, order: Ordering) -> $type {
                // SAFETY: the caller vouches for the pointer.
                $from(unsafe { self.cell() }.swap($to(value), order))
            }

            /// Writes `new` if the cell has the bits of `expected`, or both are NaNs.
            #[inline(always)]
            pub unsafe fn compare_exchange(self, expected: $type, new: $type, order: Ordering) -> $type {
                // SAFETY: the caller vouches for the pointer.
                let cell = unsafe { self.cell() };
                let mut bits = $to(expected);
                loop {
                    match cell.compare_exchange(bits, $to(new), order, loading(order)) {
                        // Another NaN.
                        Err(old) if $same($from(old), expected) => bits = old,
                        Ok(old) | Err(old) => return $from(old),
                    }
                }
            }

            $(
                $(#[$native_doc])*
                #[inline(always)]
                pub unsafe fn $native(self, value: $type, order: Ordering) -> $type {
                    // SAFETY: the caller vouches for the pointer.
                    unsafe { self.cell() }.$method(value, order)
                }
            )*

            $(
                $(#[$doc])*
                #[inline]
                pub unsafe fn $name(self, $value: $type, order: Ordering) -> $type {
                    // SAFETY: the caller vouches for the pointer.
                    let cell = unsafe { self.cell() };
                    let mut seen = cell.load(Ordering::Relaxed);
                    loop {
                        let $old = $from(seen);
                        match cell.compare_exchange_weak(seen, $to($body), order, Ordering::Relaxed) {
                            Ok(_) => return $old,
                            Err(now) => seen = now,
                        }
                    }
                }
            )*
        }
    };
}

/// Booleans are bytes of 0 or 1; any other byte in memory counts as 1.
macro_rules! bools {
    ($($cell:ident)*) => {$(
        /// # Safety
        /// The pointer of each method is valid; a global one is accessed by atomic operations only,
        /// a local one by this block only.
        #[allow(clippy::missing_safety_doc, reason = "stated once for all methods")]
        impl $cell<bool> {
            bools! { $cell:
                /// Writes a value.
                exchange;
                /// Logical and.
                and;
                /// Logical or.
                or;
                /// Logical exclusive or.
                xor;
            }

            #[inline(always)]
            const fn byte(self) -> $cell<u8> {
                $cell(self.0.cast())
            }

            /// The value.
            #[inline(always)]
            pub unsafe fn load(self, order: Ordering) -> bool {
                // SAFETY: the caller vouches for the pointer.
                unsafe { self.byte().load(order) != 0 }
            }

            /// Writes a value.
            #[inline(always)]
            pub unsafe fn store(self, value: bool, order: Ordering) {
                // SAFETY: the caller vouches for the pointer.
                unsafe { self.byte().store(u8::from(value), order) }
            }

            /// Writes `new` if the cell holds `expected`.
            #[inline(always)]
            pub unsafe fn compare_exchange(self, expected: bool, new: bool, order: Ordering) -> bool {
                // SAFETY: the caller vouches for the pointer.
                unsafe { self.byte().compare_exchange(u8::from(expected), u8::from(new), order) != 0 }
            }

            /// The inverse of the logical and.
            #[inline(always)]
            pub unsafe fn nand(self, value: bool, order: Ordering) -> bool {
                // SAFETY: the caller vouches for the pointer.
                unsafe { if value { self.xor(true, order) } else { self.exchange(true, order) } }
            }
        }
    )*};
    ($cell:ident: $($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub unsafe fn $name(self, value: bool, order: Ordering) -> bool {
            // SAFETY: the caller vouches for the pointer.
            unsafe { self.byte().$name(u8::from(value), order) != 0 }
        }
    )*};
}
bools! { Global Local }

macro_rules! integers {
    ($($type:ty, $atomic:ty;)*) => {$(
        global! {
            $type, $atomic, $type, std::convert::identity, std::convert::identity, |old: $type, expected| old == expected;
            native {
                /// Adds; wraps.
                add = fetch_add;
                /// Subtracts; wraps.
                sub = fetch_sub;
                /// Bitwise and.
                and = fetch_and;
                /// Bitwise or.
                or = fetch_or;
                /// Bitwise exclusive or.
                xor = fetch_xor;
                /// The inverse of the bitwise and.
                nand = fetch_nand;
                /// Minimum.
                min = fetch_min;
                /// Maximum.
                max = fetch_max;
            }
            loop {}
        }
        local! {
            $type, |old: $type, expected| old == expected; {
                /// Writes a value.
                exchange(old, value) value;
                /// Adds; wraps.
                add(old, value) old.wrapping_add(value);
                /// Subtracts; wraps.
                sub(old, value) old.wrapping_sub(value);
                /// Bitwise and.
                and(old, value) old & value;
                /// Bitwise or.
                or(old, value) old | value;
                /// Bitwise exclusive or.
                xor(old, value) old ^ value;
                /// The inverse of the bitwise and.
                nand(old, value) !(old & value);
                /// Minimum.
                min(old, value) old.min(value);
                /// Maximum.
                max(old, value) old.max(value);
            }
        }
    )*};
}
integers! {
    i8, AtomicI8;
    i16, AtomicI16;
    u8, AtomicU8;
    u16, AtomicU16;
    i32, AtomicI32;
    i64, AtomicI64;
    u32, AtomicU32;
    u64, AtomicU64;
}

macro_rules! floats {
    ($($type:ty, $atomic:ty, $bits:ty;)*) => {$(
        global! {
            $type, $atomic, $bits, <$type>::to_bits, <$type>::from_bits, semantics::same_bits;
            native {}
            loop {
                /// Adds.
                add(old, value) old + value;
                /// Subtracts.
                sub(old, value) old - value;
                /// Minimum; a NaN loses.
                min(old, value) semantics::min(old, value);
                /// Maximum; a NaN loses.
                max(old, value) semantics::max(old, value);
            }
        }
        local! {
            $type, semantics::same_bits; {
                /// Writes a value.
                exchange(old, value) value;
                /// Adds.
                add(old, value) old + value;
                /// Subtracts.
                sub(old, value) old - value;
                /// Minimum; a NaN loses.
                min(old, value) semantics::min(old, value);
                /// Maximum; a NaN loses.
                max(old, value) semantics::max(old, value);
            }
        }
    )*};
}
floats! {
    f32, AtomicU32, u32;
    f64, AtomicU64, u64;
}

/// Pairs of floats of 16 bits, in a word.
macro_rules! pairs {
    ($($cell:ident $half:ident;)*) => {$(
        /// # Safety
        /// The pointer of each method is aligned to four bytes and valid; a global one is accessed
        /// by atomic operations only, a local one by this block only.
        #[allow(clippy::missing_safety_doc, reason = "stated once for all methods")]
        impl $cell<[$half; 2]> {
            #[inline(always)]
            const fn word(self) -> $cell<u32> {
                $cell(self.0.cast())
            }

            #[inline(always)]
            fn halves(word: u32) -> [$half; 2] {
                [word as u16, (word >> 16) as u16].map($half::from_bits)
            }

            #[inline(always)]
            fn bits([low, high]: [$half; 2]) -> u32 {
                u32::from(low.to_bits()) | u32::from(high.to_bits()) << 16
            }

            /// The value.
            #[inline(always)]
            pub unsafe fn load(self, order: Ordering) -> [$half; 2] {
                // SAFETY: the caller vouches for the pointer.
                Self::halves(unsafe { self.word().load(order) })
            }

            /// Writes a value.
            #[inline(always)]
            pub unsafe fn store(self, value: [$half; 2], order: Ordering) {
                // SAFETY: the caller vouches for the pointer.
                unsafe { self.word().store(Self::bits(value), order) }
            }

            /// Writes a value.
            #[inline(always)]
            pub unsafe fn exchange(self, value: [$half; 2], order: Ordering) -> [$half; 2] {
                // SAFETY: the caller vouches for the pointer.
                Self::halves(unsafe { self.word().exchange(Self::bits(value), order) })
            }

            /// Writes `new` if each half of the cell has the bits of the one that is `expected`, or both are NaNs.
            #[inline]
            pub unsafe fn compare_exchange(self, expected: [$half; 2], new: [$half; 2], order: Ordering) -> [$half; 2] {
                let (mut bits, new) = (Self::bits(expected), Self::bits(new));
                loop {
                    // SAFETY: the caller vouches for the pointer.
                    let now = unsafe { self.word().compare_exchange(bits, new, order) };
                    let old = Self::halves(now);
                    // Again where another NaN is the only difference.
                    if now == bits || old.map(semantics::to_bits) != expected.map(semantics::to_bits) {
                        return old;
                    }
                    bits = now;
                }
            }

            /// Adds each half separately.
            #[inline]
            pub unsafe fn add(self, value: [$half; 2], order: Ordering) -> [$half; 2] {
                // SAFETY: the caller vouches for the pointer.
                unsafe { self.change(order, value, |old, value| old + value) }
            }

            /// Subtracts each half separately.
            #[inline]
            pub unsafe fn sub(self, value: [$half; 2], order: Ordering) -> [$half; 2] {
                // SAFETY: the caller vouches for the pointer.
                unsafe { self.change(order, value, |old, value| old - value) }
            }

            /// Minimum of each half separately; a NaN loses.
            #[inline]
            pub unsafe fn min(self, value: [$half; 2], order: Ordering) -> [$half; 2] {
                // SAFETY: the caller vouches for the pointer.
                unsafe { self.change(order, value, semantics::min) }
            }

            /// Maximum of each half separately; a NaN loses.
            #[inline]
            pub unsafe fn max(self, value: [$half; 2], order: Ordering) -> [$half; 2] {
                // SAFETY: the caller vouches for the pointer.
                unsafe { self.change(order, value, semantics::max) }
            }

            /// Computed in `f32` and rounded, like all sums.
            #[inline]
            unsafe fn change(self, order: Ordering, value: [$half; 2], new: fn(f32, f32) -> f32) -> [$half; 2] {
                let value = value.map($half::widen);
                // SAFETY: the caller vouches for the pointer.
                let mut seen = unsafe { self.word().load(Ordering::Relaxed) };
                loop {
                    let old = Self::halves(seen);
                    let new = Self::bits([0, 1].map(|i| $half::narrow(new(old[i].widen(), value[i]))));
                    // SAFETY: as above.
                    let now = unsafe { self.word().compare_exchange(seen, new, order) };
                    if now == seen {
                        return Self::halves(seen);
                    }
                    seen = now;
                }
            }
        }
    )*};
}
pairs! {
    Global F16;
    Global BF16;
    Local F16;
    Local BF16;
}
