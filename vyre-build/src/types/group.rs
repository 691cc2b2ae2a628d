//! Groups of threads that kernels hold as values: `warp::Tile<8>`, `block::Barrier<1, 64>`.
//!
//! All that there is to such a value is its type, so it has no content in a program: what its methods
//! do, the type says.

use crate::library::intrinsics::{Exchange, FUNCTIONS, Function};

/// A kind of group. Its types differ in numbers, of which there are at most two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    /// Some lanes of a warp: how many.
    Tile,
    /// Some warps of a block: the number of their barrier, and how many threads they have.
    Barrier,
}

/// What a method of a group does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OfGroup {
    /// Yields the number of the thread in the group, a `usize`.
    Lane,
    /// Yields which of the groups this is, a `usize`.
    Index,
    /// Yields how many threads there are, a `usize`.
    Size,
    /// Waits for the threads.
    Sync,
    /// Lets others go on that wait for the threads.
    Arrive,
    /// What the function of `warp` of the same name does, among the group.
    Exchange(Exchange),
}

impl Group {
    const ALL: [Group; 2] = [Group::Tile, Group::Barrier];

    /// The group of a type by the last part of its path.
    pub(crate) fn of_type(name: &str) -> Option<Group> {
        Group::ALL.into_iter().find(|group| group.name() == name)
    }

    /// The name of its types.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Group::Tile => "Tile",
            Group::Barrier => "Barrier",
        }
    }

    /// The function that makes one.
    pub(crate) fn function(self) -> &'static str {
        match self {
            Group::Tile => "warp::tile",
            Group::Barrier => "block::barrier",
        }
    }

    /// How many numbers its types have.
    pub(crate) fn numbers(self) -> usize {
        match self {
            Group::Tile => 1,
            Group::Barrier => 2,
        }
    }

    /// What methods there are, for messages.
    pub(crate) fn methods(self) -> &'static str {
        match self {
            Group::Tile => "it has those that the functions of `warp` are, `lane`, `index` and `size`",
            Group::Barrier => "it has `sync` and `arrive`",
        }
    }

    /// What a method does.
    pub(crate) fn method(self, name: &str) -> Option<OfGroup> {
        match (self, name) {
            (Group::Tile, "lane") => Some(OfGroup::Lane),
            (Group::Tile, "index") => Some(OfGroup::Index),
            (Group::Tile, "size") => Some(OfGroup::Size),
            (Group::Tile, "sync") => Some(OfGroup::Sync),
            (Group::Barrier, "sync") => Some(OfGroup::Sync),
            (Group::Barrier, "arrive") => Some(OfGroup::Arrive),
            (Group::Barrier, _) => None,
            (Group::Tile, _) => FUNCTIONS.iter().find_map(|entry| match entry.function {
                Function::Exchange(exchange) if entry.path.strip_prefix("warp::") == Some(name) => {
                    Some(OfGroup::Exchange(exchange))
                }
                _ => None,
            }),
        }
    }
}

impl OfGroup {
    /// Number of arguments.
    pub(crate) fn arguments(self) -> usize {
        match self {
            OfGroup::Exchange(exchange) => Function::Exchange(exchange).arguments(),
            _ => 0,
        }
    }
}
