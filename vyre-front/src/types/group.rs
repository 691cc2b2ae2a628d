//! Groups of threads that kernels hold as values: `warp::Tile<8>`, `block::Barrier<1, 64>`.
//!
//! Such a value is fully described by its type, so it has no content in a program: its type
//! determines its methods.

/// A kind of group. Its types differ in at most two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    /// Some lanes of a warp: how many.
    Tile,
    /// Some warps of a block: the number of their barrier, and how many threads they have.
    Barrier,
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

    /// The fault of a group whose numbers nothing tells, and how to tell them.
    pub(crate) fn unsaid(self) -> (&'static str, &'static str) {
        match self {
            Group::Tile => (
                "nothing says how many lanes the tile has",
                "write 2, 4, 8, 16 or 32 of them: `warp::tile::<8>()`",
            ),
            Group::Barrier => (
                "nothing says which barrier this is, and for how many threads",
                "write both: `block::barrier::<1, 64>()`",
            ),
        }
    }

    /// Number of numeric arguments of its types.
    pub(crate) fn numbers(self) -> usize {
        match self {
            Group::Tile => 1,
            Group::Barrier => 2,
        }
    }
}
