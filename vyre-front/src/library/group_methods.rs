//! The methods of groups of threads: `warp::tile::<8>().sum(x)`.

use super::intrinsics::{FUNCTIONS, Form, Function};
use crate::types::group::Group;

/// The operation of a group's method.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OfGroup {
    /// Yields the number of the thread in the group, a `usize`.
    Lane,
    /// Yields which of the groups this is, a `usize`.
    Index,
    /// Yields the number of threads, a `usize`.
    Size,
    /// Waits for the threads.
    Sync,
    /// Arrives without waiting.
    Arrive,
    /// The operation of the function of `warp` of the same name, among the group.
    Call(&'static Function),
}

impl Group {
    /// The methods, for messages.
    pub(crate) fn methods(self) -> &'static str {
        match self {
            Group::Tile => "it has those that the functions of `warp` are, `lane`, `index` and `size`",
            Group::Barrier => "it has `sync` and `arrive`",
        }
    }

    /// The operation of a method.
    pub(crate) fn method(self, name: &str) -> Option<OfGroup> {
        match (self, name) {
            (Group::Tile, "lane") => Some(OfGroup::Lane),
            (Group::Tile, "index") => Some(OfGroup::Index),
            (Group::Tile, "size") => Some(OfGroup::Size),
            (Group::Tile, "sync") => Some(OfGroup::Sync),
            (Group::Barrier, "sync") => Some(OfGroup::Sync),
            (Group::Barrier, "arrive") => Some(OfGroup::Arrive),
            (Group::Barrier, _) => None,
            (Group::Tile, _) => FUNCTIONS.iter().find_map(|entry| match &entry.form {
                Form::Call(function) if entry.path.strip_prefix("warp::") == Some(name) => {
                    Some(OfGroup::Call(function))
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
            OfGroup::Call(function) => function.takes.len(),
            _ => 0,
        }
    }
}
