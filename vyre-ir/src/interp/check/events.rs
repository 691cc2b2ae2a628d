//! The events of a launch: accesses, barriers, fences, copies, and threads that are stuck.

use std::any::Any;
use std::rc::Rc;

use vyre_abi::semantics::mbarrier;

use super::clock::{Clock, Who};
use super::shadow::{Access, Region};
use super::sync::{self, CellState, acquires, releases};
use super::{
    Action, Atomic, AtomicOp, Code, Does, Kind, MemoryScope, Party, Pointer, Record, Recorder, SHARED, Scalar, Span,
    Type, TypeId, Types, add_parts, bodies, has_block_scope, order, smallest,
};
use crate::ir::MemoryOrder;

impl Record for Recorder {
    fn order(&self, salt: u64, count: u64) -> Vec<usize> {
        let mut order = match self.seed {
            0 if self.is_reversed => (0..count as usize).collect(),
            0 => Vec::new(),
            seed => order::shuffled(seed, salt, count),
        };
        if self.is_reversed {
            order.reverse();
        }
        order
    }

    fn block(&self) -> usize {
        self.block
    }

    fn add_region(&mut self, code: &Code<'_>, at: Pointer, parameter: Option<(usize, TypeId)>) {
        let types = &code.program.types;
        let mut region = Region::new(1, false, true);
        if let Some((number, ty)) = parameter {
            self.names.add_parameter(at, number);
            if let Type::Slice { element, mutable } = types[ty] {
                region = Region::new(smallest(types, element), mutable || types.has_atomics(element), true);
                region.unwritten = self.unwritten.iter().find(|it| it.parameter == number).cloned();
                region.keeps_atomics = bodies(code).any(|body| {
                    body.places.iter().any(|(_, place)| place.access.is_concurrent()) || has_block_scope(body)
                });
                region.keeps_atomics |= self.keeps_writers;
            }
        }
        let index = (at.region() - SHARED) as usize;
        while self.regions.len() < index {
            self.regions.push(Region::new(1, false, true));
        }
        self.regions.push(region);
    }

    fn start(&mut self, blocks: &[[u32; 3]]) {
        self.first += self.running.len() as u32;
        self.running.clear();
        for &block in blocks {
            self.names.blocks.push(block);
            self.running
                .push((0..self.threads).map(|_| sync::Thread::default()).collect());
        }
        self.regions[0].clear();
        self.cells.retain(|(region, _), _| *region != SHARED);
        self.named.clear();
        self.block = 0;
    }

    fn enter_block(&mut self, block: usize) {
        self.block = block;
    }

    fn enter_thread(&mut self, thread: usize) {
        self.thread = thread;
    }

    fn plain(&mut self, types: &Types, (at, ty): (Pointer, TypeId), action: Action, span: Span) {
        if at.is_private() {
            return;
        }
        let parts = self.parts[ty.index()].get_or_insert_with(|| {
            let mut parts = Vec::new();
            add_parts(types, ty, 0, &mut parts);
            parts.into()
        });
        if let [(0, size)] = **parts {
            return self.access(at, size, (action, !action.writes()), false, span);
        }
        for &(start, size) in Rc::clone(parts).iter() {
            self.access(at.add(start), size, (action, !action.writes()), false, span);
        }
    }

    fn unwritten_local(&mut self, name: &str, span: Span) {
        let access = Access::new(self.who(self.thread), 0, Action::Read, span);
        let missing = "a write of this element before it is missing";
        self.report(Kind::Unwritten, format!("`{name}`"), &[access], missing, 0);
    }

    fn stuck(&mut self, kind: Kind, threads: Vec<(usize, usize, Does, Span)>) {
        let mut parties: Vec<Party> = Vec::new();
        for (block, thread, does, span) in threads {
            let who = Who {
                block: self.first + block as u32,
                slot: thread as u16,
            };
            let party = self.names.party(who, does, span);
            let is_same =
                |other: &&mut Party| (&other.does, other.line, other.column) == (&party.does, party.line, party.column);
            match parties.iter_mut().find(is_same) {
                Some(first) => first.threads += 1,
                None => parties.push(party),
            }
        }
        let mut places = [(Span::NONE, Action::Read); 2];
        for ((place, _), party) in places.iter_mut().zip(&parties) {
            (place.line, place.column) = (party.line, party.column);
        }
        if self.known.insert((kind, places, 0)) {
            let missing = match kind {
                Kind::Skipped => "move it out of the condition, or let the others return before",
                Kind::Divergence => "all threads that it waits for have to come to the same one",
                _ => "",
            };
            self.add(kind, String::new(), parties, missing);
        }
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }

    fn polled(&self, block: usize, thread: usize) -> Option<(String, Span)> {
        let (at, span) = self.running.get(block)?.get(thread)?.polled?;
        Some((self.names.object(at), span))
    }

    fn barrier(&mut self, threads: &[(usize, usize)]) {
        let mut all = Clock::default();
        let mut last = Clock::default();
        for &(block, number) in threads {
            let who = Who {
                block: self.first + block as u32,
                slot: number as u16,
            };
            let thread = &mut self.running[block][number];
            if !thread.clock.is_same(&last) {
                all.join(&thread.clock);
                last = thread.clock.clone();
            }
            all.advance(who, thread.time);
            thread.time += 1;
        }
        for &(block, number) in threads {
            self.running[block][number].clock = all.clone();
        }
    }

    fn arrive(&mut self, thread: usize, barrier: u32, opening: u32) {
        let who = self.who(thread);
        let published = self.running[self.block][thread].publish(who);
        self.named.remove(&(who.block, barrier, opening.wrapping_sub(2)));
        self.named
            .entry((who.block, barrier, opening))
            .or_default()
            .join(&published);
    }

    fn pass(&mut self, thread: usize, barrier: u32, opening: u32) {
        let who = self.who(thread);
        if let Some(published) = self.named.get(&(who.block, barrier, opening)) {
            self.running[self.block][thread].clock.join(published);
        }
    }

    fn atomic(&mut self, at: Pointer, atomic: Atomic, span: Span) {
        let Atomic {
            op,
            order,
            scope,
            writes,
            size,
        } = atomic;
        let action = if writes {
            Action::AtomicWrite
        } else {
            Action::AtomicRead
        };
        let in_block = scope == MemoryScope::Block;
        let reads = op != AtomicOp::Store;
        self.access(at, size, (action, reads), in_block, span);
        let own = self.who(self.thread);
        let cluster = own.block / self.cluster;
        let thread = &mut self.running[self.block][self.thread];
        let cell = self.cells.entry((at.region(), at.offset())).or_default();
        if reads {
            thread.polled = Some((at, span));
            let near = cell
                .near
                .as_ref()
                .filter(|(by, _)| *by == cluster)
                .map(|(_, clock)| clock);
            for clock in [Some(&cell.clock), near].into_iter().flatten() {
                if acquires(order) {
                    thread.clock.join(clock);
                } else {
                    thread.seen.join(clock);
                    if cell.writer == cluster {
                        thread.seen_near.join(clock);
                    }
                }
            }
        }
        if !writes {
            return;
        }
        // An update goes on with the release sequence that it has read from; a store ends it.
        if op == AtomicOp::Store {
            (cell.clock, cell.near) = (Clock::default(), None);
        }
        let published = match releases(order) {
            true => Some((thread.publish(own), in_block)),
            false => thread.fence.clone(),
        };
        cell.writer = cluster;
        match published {
            Some((clock, near)) if near || in_block => match &mut cell.near {
                Some((by, known)) if *by == cluster => known.join(&clock),
                known => *known = Some((cluster, clock)),
            },
            Some((clock, _)) => cell.clock.join(&clock),
            None => {}
        }
    }

    fn fence(&mut self, order: MemoryOrder, scope: MemoryScope) {
        let own = self.who(self.thread);
        let thread = &mut self.running[self.block][self.thread];
        let in_block = scope == MemoryScope::Block;
        if acquires(order) {
            let seen = if in_block { &thread.seen_near } else { &thread.seen };
            thread.clock.join(seen);
        }
        if releases(order) {
            thread.fence = Some((thread.publish(own), in_block));
        }
    }

    fn phase(&mut self, at: Pointer, op: AtomicOp, states: [u64; 2], opened: bool, span: Span) {
        let size = u64::from(Scalar::U64.size());
        let action = match op {
            AtomicOp::BarrierInit => (Action::Write, false),
            AtomicOp::BarrierArrive => (Action::AtomicWrite, true),
            AtomicOp::BarrierNumber => return,
            _ => (Action::AtomicRead, true),
        };
        self.access(at, size, action, false, span);
        let (own, copies) = (self.who(self.thread), self.copies_of(self.thread));
        let thread = &mut self.running[self.block][self.thread];
        let cell = self.cells.entry((at.region(), at.offset())).or_default();
        match op {
            AtomicOp::BarrierInit => *cell = CellState::default(),
            AtomicOp::BarrierArrive => {
                cell.arrivals.join(&thread.publish(own));
                if mbarrier::test_wait(states[1], states[0]) != 0 {
                    cell.opened = std::mem::take(&mut cell.arrivals);
                }
            }
            AtomicOp::BarrierCopies => cell.arrivals.advance(copies, thread.copies),
            _ => {
                thread.polled = Some((at, span));
                if opened {
                    thread.clock.join(&cell.opened);
                }
            }
        }
    }

    fn begin_copy(&mut self) {
        self.running[self.block][self.thread].copies += 1;
    }

    fn bytes(&mut self, at: Pointer, size: u64, action: Action, span: Span) {
        if !at.is_private() {
            self.access(at, size, (action, !action.writes()), false, span);
        }
    }

    fn commit(&mut self) {
        let thread = &mut self.running[self.block][self.thread];
        thread.groups.push_back(thread.copies);
    }

    fn wait_for_copies(&mut self, pending: u32) {
        let copies = self.copies_of(self.thread);
        let thread = &mut self.running[self.block][self.thread];
        while thread.groups.len() > pending as usize {
            if let Some(last) = thread.groups.pop_front() {
                thread.clock.advance(copies, last);
            }
        }
    }
}
