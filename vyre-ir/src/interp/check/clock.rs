//! Vector clocks: what a thread knows of the past of the others.
//!
//! Blocks are numbered in the order in which they start. Each thread has two slots in its block: one for itself, and one
//! for the asynchronous copies that it starts, which run beside it. Most clocks of a block are equal, because a barrier
//! gives all of its threads the same one, so they share their parts.

use std::collections::BTreeMap;
use std::rc::Rc;

/// A slot of a block: a thread, or the copies of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Who {
    pub(super) block: u32,
    pub(super) slot: u16,
}

/// The time of each slot up to which its past is known, by blocks; 0 where nothing is.
#[derive(Clone, Debug, Default)]
pub(super) struct Clock(Option<Rc<Parts>>);

type Parts = BTreeMap<u32, Rc<Vec<u32>>>;

impl Clock {
    pub(super) fn time(&self, who: Who) -> u32 {
        let block = self.0.as_ref().and_then(|parts| parts.get(&who.block));
        block
            .and_then(|block| block.get(usize::from(who.slot)))
            .map_or(0, |time| *time)
    }

    /// True if both are known to be equal, because they share their parts.
    pub(super) fn is_same(&self, other: &Clock) -> bool {
        match (&self.0, &other.0) {
            (Some(ours), Some(theirs)) => Rc::ptr_eq(ours, theirs),
            (ours, theirs) => ours.is_none() && theirs.is_none(),
        }
    }

    /// Advances a slot to a time.
    pub(super) fn advance(&mut self, who: Who, time: u32) {
        if self.time(who) >= time {
            return;
        }
        let parts = Rc::make_mut(self.0.get_or_insert_default());
        let block = Rc::make_mut(parts.entry(who.block).or_default());
        let slot = usize::from(who.slot);
        if block.len() <= slot {
            block.resize(slot + 1, 0);
        }
        block[slot] = time;
    }

    /// Learns all that the other clock knows.
    pub(super) fn join(&mut self, other: &Clock) {
        if self.is_same(other) {
            return;
        }
        let Some(parts) = &other.0 else { return };
        let Some(own) = &mut self.0 else {
            *self = other.clone();
            return;
        };
        for (number, theirs) in parts.iter() {
            let known = own.get(number);
            let is_known = |ours: &Rc<Vec<u32>>| {
                Rc::ptr_eq(ours, theirs)
                    || ours.len() >= theirs.len() && ours.iter().zip(theirs.iter()).all(|(ours, theirs)| ours >= theirs)
            };
            if known.is_some_and(is_known) {
                continue;
            }
            let Some(ours) = Rc::make_mut(own).get_mut(number) else {
                Rc::make_mut(own).insert(*number, Rc::clone(theirs));
                continue;
            };
            let ours = Rc::make_mut(ours);
            ours.resize(ours.len().max(theirs.len()), 0);
            for (ours, theirs) in ours.iter_mut().zip(theirs.iter()) {
                *ours = (*ours).max(*theirs);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Clock, Who};

    #[test]
    fn a_join_knows_what_both_know() {
        let at = |block, slot| Who { block, slot };
        let (mut a, mut b) = (Clock::default(), Clock::default());
        a.advance(at(0, 3), 5);
        a.advance(at(0, 1), 2);
        b.advance(at(0, 3), 4);
        b.advance(at(0, 7), 9);
        b.advance(at(2, 0), 1);
        let before = a.clone();
        a.join(&b);
        assert_eq!(
            [at(0, 3), at(0, 1), at(0, 7), at(2, 0), at(1, 0)].map(|who| a.time(who)),
            [5, 2, 9, 1, 0]
        );
        // The parts that clocks share are copied before they change.
        assert_eq!((before.time(at(0, 7)), b.time(at(0, 1))), (0, 0));
        a.advance(at(0, 3), 1);
        assert_eq!(a.time(at(0, 3)), 5);
    }
}
