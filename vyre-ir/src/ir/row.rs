//! The properties of an intrinsic.

use super::{Role, Scalar, Shape};

/// The properties of an intrinsic.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The name in both text forms.
    pub name: &'static str,
    /// The operands.
    pub operands: &'static [Operand],
    /// The result.
    pub result: Output,
    /// The result in the SSA graph, if it differs.
    pub graph_result: Option<Output>,
    /// True if it orders memory accesses of its threads.
    pub orders_memory: bool,
    /// The threads that reach it together, so that it must not be duplicated on different paths.
    pub among: Among,
    /// The lanes of its tile, if it is among those of one. In the SSA graph its last operand is then
    /// a mask of them.
    pub tile: Option<u32>,
    /// True if it needs all lanes of the warp: blocks consist of whole warps, and threads exit early
    /// only by faults.
    pub whole_warps: bool,
    /// The type of its [`Operand::Value`], if it is fixed.
    pub value: Option<Scalar>,
    /// True if devices below its `.target` run a sequence of other operations in its place.
    pub has_sequence: bool,
    /// The product whose fragments it takes.
    pub shape: Option<Shape>,
    /// The elements of its [`Operand::Row`].
    pub row_element: Option<Scalar>,
    /// The number of elements that it copies to its first operand from its second one.
    pub copied: Option<u64>,
    /// The lowest PTX `.version`.
    pub version: (u32, u32),
    /// The lowest `.target`.
    pub target: u32,
    /// True if programs may contain it, rather than only the SSA graph.
    pub in_programs: bool,
}

/// An operand of an intrinsic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A scalar.
    Scalar(Scalar),
    /// Any scalar; in the SSA graph 32 or 64 bits.
    Value,
    /// An integer or a `bool`; in the SSA graph 32 or 64 bits.
    Bits,
    /// A fragment of the row's product: an array of its registers, and in the SSA graph one operand
    /// for each register of the machine.
    Fragment(Role),
    /// A slice that holds a row of a matrix, which is read.
    Row,
    /// A reference or slice that is read through.
    Source,
    /// A mutable reference or slice that is written through.
    Target,
}

/// The result of an intrinsic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// None.
    Nothing,
    /// A scalar.
    Scalar(Scalar),
    /// A value of the first operand's type.
    First,
    /// An array, and in the SSA graph several results.
    Array {
        /// The type of the elements.
        element: Scalar,
        /// Their number.
        length: u64,
    },
}

/// The threads that reach an intrinsic together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Among {
    /// Each thread by itself.
    Thread,
    /// The threads of a warp, or of a tile of it.
    Warp,
    /// Those of a block, or some warps of it.
    Block,
    /// Those of a cluster of blocks.
    Cluster,
    /// Those of the grid.
    Grid,
}

impl Row {
    /// The default row: no operands and result, each thread by itself, on all devices.
    pub(super) const PLAIN: Row = Row {
        name: "",
        operands: &[],
        result: Output::Nothing,
        graph_result: None,
        orders_memory: false,
        among: Among::Thread,
        tile: None,
        whole_warps: false,
        value: None,
        has_sequence: false,
        shape: None,
        row_element: None,
        copied: None,
        version: (6, 0),
        target: 70,
        in_programs: true,
    };

    /// The result in the SSA graph.
    pub fn yields(&self) -> Output {
        self.graph_result.unwrap_or(self.result)
    }

    /// The number of operands in the SSA graph.
    pub fn graph_operands(&self) -> usize {
        let mut count = usize::from(self.tile.is_some());
        for operand in self.operands {
            count += match (operand, self.shape) {
                (Operand::Fragment(role), Some(shape)) => shape.machine_registers(*role).1 as usize,
                _ => 1,
            };
        }
        count
    }

    /// True if it accesses memory through its operands.
    pub fn accesses_memory(&self) -> bool {
        self.operands.iter().any(Operand::is_address)
    }

    /// The array of a lane's registers that is an operand, in programs.
    pub fn fragment(&self, role: Role) -> Option<Output> {
        Some(Output::of_array(self.shape?.registers(role)))
    }
}

impl Operand {
    /// The matrices of a product.
    pub(super) const FRAGMENTS: [Operand; 3] = [
        Operand::Fragment(Role::A),
        Operand::Fragment(Role::B),
        Operand::Fragment(Role::C),
    ];

    /// True if memory is accessed through it.
    pub fn is_address(&self) -> bool {
        matches!(self, Operand::Row | Operand::Source | Operand::Target)
    }
}

impl Output {
    /// An array.
    pub(super) const fn of_array((element, length): (Scalar, u64)) -> Output {
        Output::Array { element, length }
    }
}
