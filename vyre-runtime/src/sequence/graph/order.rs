//! The edges of a graph: which earlier nodes a node comes after, because both use the same memory and one of them writes
//! it.

use std::ops::Range;

use vyre_abi::order::sort_by_key;

/// Memory whose uses are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Resource {
    /// An allocation of the device, by its number.
    Allocation(u64),
    /// A place that is read to, by its number.
    Place(usize),
    /// The counter of blocks at a grid barrier, which all launches have in common.
    GridBarrier,
}

impl Resource {
    /// A number of its own.
    pub(super) fn key(self) -> u128 {
        match self {
            Resource::Allocation(number) => number.into(),
            Resource::Place(number) => 1 << 64 | number as u128,
            Resource::GridBarrier => 2 << 64,
        }
    }
}

/// The use of a resource by a node.
pub(super) struct Access {
    pub(super) resource: Resource,
    /// In bytes.
    pub(super) range: Range<u64>,
    pub(super) writes: bool,
}

impl Access {
    pub(super) fn whole(resource: Resource, writes: bool) -> Access {
        Access {
            resource,
            range: 0..u64::MAX,
            writes,
        }
    }
}

/// The uses until now that later ones may have to follow.
#[derive(Default)]
pub(super) struct Order {
    /// Those of each resource, in the order of their keys.
    uses: Vec<(u128, Vec<(usize, Access)>)>,
    /// For each node those that it comes after, ascending.
    after: Vec<Vec<usize>>,
}

impl Order {
    /// Adds the next node.
    pub(super) fn add(&mut self, accesses: Vec<Access>) {
        let node = self.after.len();
        let mut after = Vec::new();
        for access in accesses {
            let key = access.resource.key();
            let found = self.uses.binary_search_by_key(&key, |&(key, _)| key);
            let place = found.unwrap_or_else(|place| {
                self.uses.insert(place, (key, Vec::new()));
                place
            });
            let uses = &mut self.uses[place].1;
            for (earlier, other) in &*uses {
                let overlap = other.range.start < access.range.end && access.range.start < other.range.end;
                if overlap && (access.writes || other.writes) {
                    after.push(*earlier);
                }
            }
            if access.writes {
                // Whoever conflicts with a use that is covered conflicts with this one.
                uses.retain(|(_, earlier)| {
                    earlier.range.start < access.range.start || access.range.end < earlier.range.end
                });
            }
            uses.push((node, access));
        }
        sort_by_key(&mut after, |&node| node as u128);
        after.dedup();
        // A node may use the same memory twice, for reading.
        after.retain(|&earlier| earlier != node);
        // What another one of them comes after needs no edge.
        let mut implied: Vec<usize> = Vec::new();
        after.iter().for_each(|&earlier| implied.extend(&self.after[earlier]));
        sort_by_key(&mut implied, |&node| node as u128);
        after.retain(|earlier| implied.binary_search(earlier).is_err());
        self.after.push(after);
    }

    pub(super) fn into_edges(self) -> Vec<Vec<usize>> {
        self.after
    }
}

#[cfg(test)]
mod tests;
