//! Warp shuffles, votes and matrix operations.
//!
//! A thread publishes its operand and suspends. When all threads of its tile, which is the warp or
//! a part of it, have done so or have exited, the scheduler copies the operands, and the threads
//! resume and read those of the others; later operands do not interfere. If nothing else makes
//! progress while threads of a tile wait elsewhere, for example at a barrier, the block faults.

use std::cell::{Cell, RefCell};
use std::ops::Range;

use vyre_abi::ops::mma::{MatrixLoad, Product};
use vyre_abi::ops::{Shuffle, WARP_SIZE};
use vyre_abi::semantics::{BF16, Exchange, F16, Fragments, MatrixOp, matrix_op};

use super::block::Pause;
use super::thread::{Gate, Thread};

/// The warp operations of a block whose threads are futures, and matrix operations of any, reused by a worker from block to block.
#[derive(Debug)]
pub(super) struct Warps {
    state: RefCell<State>,
    at_matrices: Cell<bool>,
}

#[derive(Debug)]
struct State {
    /// The value that each thread of the block has published.
    offers: Vec<u64>,
    warps: Vec<Warp>,
    /// The fragments that each thread gives to a product or load of matrices, and then gets; empty before the first one.
    fragments: Vec<Fragments>,
}

/// The last operation of each lane of a warp.
#[derive(Clone, Copy, Debug, Default)]
struct Warp {
    exchange: Exchange,
    /// The matrix product or load that its threads are at.
    of_matrices: Option<MatrixOp>,
}

impl Warps {
    pub(super) const fn new() -> Self {
        Warps {
            state: RefCell::new(State {
                offers: Vec::new(),
                warps: Vec::new(),
                fragments: Vec::new(),
            }),
            at_matrices: Cell::new(false),
        }
    }

    fn publish(&self, thread: usize, threads: usize, bits: u64) {
        let mut state = self.state.borrow_mut();
        if state.offers.len() < threads {
            let warps = threads.div_ceil(WARP_SIZE as usize);
            state.offers.resize(warps * WARP_SIZE as usize, 0);
            state.warps.resize(warps, Warp::default());
        }
        state.offers[thread] = bits;
    }

    /// Executes the operation of a tile of a warp among these lanes, each of which has published an
    /// operand.
    pub(super) fn exchange(&self, number: usize, tile: Range<usize>, there: u32) {
        let state = &mut *self.state.borrow_mut();
        let (Some(warp), Some(offers)) = (
            state.warps.get_mut(number),
            state.offers.chunks_exact(WARP_SIZE as usize).nth(number),
        ) else {
            return;
        };
        let fragments = state.fragments.chunks_exact_mut(WARP_SIZE as usize).nth(number);
        if let (Some(op), Some(lanes)) = (warp.of_matrices.take(), fragments) {
            return matrix_op(op, lanes);
        }
        for lane in tile {
            let is_there = there >> lane & 1 == 1;
            warp.exchange.give(lane, is_there.then_some(offers[lane]));
        }
    }

    /// True if the threads of a block have passed operands to an operation of matrices since the last call.
    pub(super) fn take_matrices(&self) -> bool {
        self.at_matrices.replace(false)
    }

    fn offer_fragments(&self, thread: usize, threads: usize, op: MatrixOp, fragments: Fragments) {
        self.publish(thread, threads, 0);
        self.at_matrices.set(true);
        let state = &mut *self.state.borrow_mut();
        let held = state.offers.len().max(state.fragments.len());
        state.fragments.resize(held, Fragments::default());
        state.fragments[thread] = fragments;
        state.warps[thread / WARP_SIZE as usize].of_matrices = Some(op);
    }

    /// The result of the thread's last product or load of matrices.
    fn words(&self, thread: usize) -> [u64; 4] {
        self.state.borrow().fragments[thread].c
    }

    /// Reads the last operation of the warp of a thread that has published an operand, and that.
    fn read<R>(&self, thread: usize, read: impl FnOnce(&Exchange, u64) -> R) -> R {
        let state = self.state.borrow();
        read(&state.warps[thread / WARP_SIZE as usize].exchange, state.offers[thread])
    }
}

/// A scalar operand.
pub trait Exchanged: Copy {
    /// Its bits.
    fn into_bits(self) -> u64;
    /// The scalar of these bits.
    fn of_bits(bits: u64) -> Self;
}

macro_rules! exchanged {
    ($($ty:ident: $bits:ident,)*) => { $(
        impl Exchanged for $ty {
            #[inline(always)]
            fn into_bits(self) -> u64 {
                self as $bits as u64
            }
            #[inline(always)]
            fn of_bits(bits: u64) -> Self {
                bits as $ty
            }
        }
    )* };
}
exchanged! { u8: u8, u16: u16, u32: u32, u64: u64, i8: u8, i16: u16, i32: u32, i64: u64, }

impl Exchanged for bool {
    #[inline(always)]
    fn into_bits(self) -> u64 {
        self.into()
    }
    #[inline(always)]
    fn of_bits(bits: u64) -> Self {
        bits != 0
    }
}

macro_rules! exchanged_floats {
    ($($ty:ident: $bits:ident,)*) => { $(
        impl Exchanged for $ty {
            #[inline(always)]
            fn into_bits(self) -> u64 {
                self.to_bits().into()
            }
            #[inline(always)]
            fn of_bits(bits: u64) -> Self {
                $ty::from_bits(bits as $bits)
            }
        }
    )* };
}
exchanged_floats! { F16: u16, BF16: u16, f32: u32, f64: u64, }

impl Thread<'_> {
    /// The lane index of the thread.
    #[inline(always)]
    pub fn lane(&self) -> u32 {
        self.number() as u32 % WARP_SIZE
    }

    /// Passes a value to the operation of the tile that comes next.
    #[inline(always)]
    fn publish<T: Exchanged>(&self, value: T) {
        let warps = &self.context.scratch.warps;
        warps.publish(self.number(), self.threads(), value.into_bits());
    }

    /// The value of another lane of the tile, or this lane's where there is none; `from` is the index of the shuffle in
    /// [`Shuffle::ALL`].
    #[inline(always)]
    pub async fn shuffle<T: Exchanged>(&self, site: usize, from: usize, tile: u32, value: T, amount: u32) -> T {
        self.publish(value);
        self.meet(site, tile).await;
        let (from, lane) = (Shuffle::ALL[from], self.lane());
        self.read(|exchange, own| T::of_bits(exchange.shuffled(from, tile, lane, amount).unwrap_or(own)))
    }

    /// The active lanes of the tile that pass `true`.
    #[inline(always)]
    pub async fn ballot(&self, site: usize, tile: u32, predicate: bool) -> u32 {
        self.publish(predicate);
        self.meet(site, tile).await;
        let lane = self.lane();
        self.read(|exchange, _| exchange.ballot(tile, lane))
    }

    /// The active lanes of the tile that pass the same value.
    #[inline(always)]
    pub async fn match_any<T: Exchanged>(&self, site: usize, tile: u32, value: T) -> u32 {
        self.publish(value);
        self.meet(site, tile).await;
        let lane = self.lane();
        self.read(|exchange, own| exchange.matching(tile, lane, own))
    }

    /// The values that the active lanes of the tile pass, combined in the order of
    /// [`reduced`](vyre_abi::semantics::Exchange::reduced).
    #[inline(always)]
    pub async fn reduce<T: Exchanged>(&self, site: usize, tile: u32, value: T, combine: impl Fn(T, T) -> T) -> T {
        self.publish(value);
        self.meet(site, tile).await;
        let lane = self.lane();
        let combine = |a, b| combine(T::of_bits(a), T::of_bits(b)).into_bits();
        self.read(|exchange, _| T::of_bits(exchange.reduced(tile, lane, combine)))
    }

    /// Passes this lane's fragments to a matrix multiply-add; `product` is its index in [`Product::ALL`].
    pub fn offer_factors<A: Exchanged, B: Exchanged, C: Exchanged, const L: usize, const M: usize, const N: usize>(
        &self,
        product: usize,
        a: [A; L],
        b: [B; M],
        c: [C; N],
    ) {
        let mut fragments = Fragments::default();
        fill(&mut fragments.a, a);
        fill(&mut fragments.b, b);
        fill(&mut fragments.c, c);
        self.offer_fragments(MatrixOp::MultiplyAdd(Product::ALL[product]), fragments);
    }

    /// Passes this lane's row to a load of matrices; `load` is the index of the load in [`MatrixLoad::ALL`].
    pub fn offer_row<T: Exchanged, const L: usize>(&self, load: usize, row: [T; L]) {
        let mut fragments = Fragments::default();
        // In a word of 32 bits.
        let held = L / 4;
        for (place, element) in row.into_iter().enumerate() {
            fragments.a[place / held] |= element.into_bits() << (place % held * (32 / held));
        }
        self.offer_fragments(MatrixOp::Load(MatrixLoad::ALL[load]), fragments);
    }

    /// This lane's fragment of the result of the last multiply-add, or its words of the matrices loaded last.
    pub fn words<C: Exchanged, const N: usize>(&self) -> [C; N] {
        let words = self.context.scratch.warps.words(self.number());
        std::array::from_fn(|word| C::of_bits(words[word]))
    }

    fn offer_fragments(&self, op: MatrixOp, fragments: Fragments) {
        let warps = &self.context.scratch.warps;
        warps.offer_fragments(self.number(), self.threads(), op, fragments);
    }

    /// [`offer_factors`](Self::offer_factors), and after the operation [`words`](Self::words).
    pub async fn multiply_add<
        A: Exchanged,
        B: Exchanged,
        C: Exchanged,
        const L: usize,
        const M: usize,
        const N: usize,
    >(
        &self,
        site: usize,
        product: usize,
        a: [A; L],
        b: [B; M],
        c: [C; N],
    ) -> [C; N] {
        self.offer_factors(product, a, b, c);
        self.meet(site, WARP_SIZE).await;
        self.words()
    }

    /// [`offer_row`](Self::offer_row), and after the operation [`words`](Self::words).
    pub async fn load_matrices<T: Exchanged, const L: usize, const N: usize>(
        &self,
        site: usize,
        load: usize,
        row: [T; L],
    ) -> [u32; N] {
        self.offer_row(load, row);
        self.meet(site, WARP_SIZE).await;
        self.words()
    }

    /// Waits for the tile.
    #[inline(always)]
    pub async fn warp_barrier(&self, site: usize, tile: u32) {
        self.publish(false);
        self.meet(site, tile).await;
    }

    /// Waits until the operation of the tile has taken place.
    fn meet(&self, site: usize, tile: u32) -> Gate<'_> {
        Gate::new(self.context, Pause::Exchange(tile, self.spot(site)))
    }

    /// Reads the last operation of the thread's warp, and what the thread passed to it.
    #[inline(always)]
    fn read<R>(&self, read: impl FnOnce(&Exchange, u64) -> R) -> R {
        self.context.scratch.warps.read(self.number(), read)
    }
}

/// Writes the bits of a fragment.
fn fill<T: Exchanged>(words: &mut [u64], fragment: impl IntoIterator<Item = T>) {
    for (word, register) in words.iter_mut().zip(fragment) {
        *word = register.into_bits();
    }
}
