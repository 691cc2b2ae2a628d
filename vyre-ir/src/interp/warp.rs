//! Warp operations: the lanes of a tile exchange what they offer.

use vyre_abi::semantics::{Exchange, Fragments, MatrixOp, matrix_op};

use super::block::{Machine, bytes_of};
use super::intrinsic::Offer;
use super::thread::{State, Thread};
use super::value::Value;
use crate::ir::{Output, WARP_SIZE};

impl Machine<'_, '_> {
    /// Executes the warp operation of each tile all of whose active lanes are at the same one; true
    /// if there is such a tile. `number` is that of the first lane in the block.
    pub(super) fn exchange(&self, number: usize, warp: &mut [Thread]) -> bool {
        let mut exchanged = false;
        let mut lane = 0;
        while let Some(thread) = warp.get(lane) {
            // The first waiting thread determines the size of the tile; if its tile is incomplete,
            // the next thread may wait for a smaller tile.
            let tile = match &thread.offer {
                Some(offer) if thread.state == State::Exchanging => {
                    offer.intrinsic.row().tile.unwrap_or(WARP_SIZE) as usize
                }
                _ => 1,
            };
            let first = lane / tile * tile;
            let end = warp.len().min(first + tile);
            let moved = tile > 1 && self.exchange_tile(number + first, &mut warp[first..end]);
            exchanged |= moved;
            lane = if moved { end } else { lane + 1 };
        }
        exchanged
    }

    /// The same for one tile.
    fn exchange_tile(&self, number: usize, lanes: &mut [Thread]) -> bool {
        let mut there = lanes.iter().filter(|thread| thread.state != State::Left);
        let Some(first) = there.next() else { return false };
        if first.state != State::Exchanging
            || there.any(|other| other.state != State::Exchanging || !first.waits_with(other))
        {
            return false;
        }
        self.record_exchange(number, lanes);
        if let Some(Offer {
            intrinsic,
            fragments: Some((op, _)),
            ..
        }) = first.offer
        {
            self.of_matrices(op, intrinsic.row().result, lanes);
            return true;
        }
        let mut exchange = Exchange::default();
        for (lane, thread) in lanes.iter().enumerate() {
            exchange.give(lane, thread.offer.as_ref().map(|offer| offer.value));
        }
        for (lane, thread) in (0..).zip(lanes) {
            let Some(own) = &thread.offer else { continue };
            let value = own.outcome(&exchange, lane);
            thread.take(self, &Value::Word(value));
        }
        true
    }

    /// Gives each thread of a warp its fragment of a product, or its loaded words.
    fn of_matrices(&self, op: MatrixOp, result: Output, warp: &mut [Thread]) {
        let Output::Array { element, length } = result else {
            return;
        };
        let mut lanes = Vec::with_capacity(warp.len());
        for thread in &*warp {
            let fragments = thread.offer.as_ref().and_then(|offer| offer.fragments.as_ref());
            lanes.push(fragments.map_or_else(Fragments::default, |(_, fragments)| **fragments));
        }
        matrix_op(op, &mut lanes);
        for (thread, fragments) in warp.iter_mut().zip(&lanes) {
            let bytes = bytes_of(&fragments.c[..length as usize], element.size() as usize);
            thread.take(self, &Value::Bytes(bytes));
        }
    }
}
