//! The public IR: [`Program`] and what it is made of.

mod access;
pub mod builder;
mod expr;
mod handle;
mod mma;
pub(crate) mod natural;
mod ops;
mod program;
mod span;
mod stmt;
mod types;
mod visit;

pub use access::Access;
pub use expr::{Expr, ExprId, ExprKind, Extent, Place, PlaceBase, PlaceId, Projection};
pub use handle::{Arena, Handle};
pub use mma::{Factor, MatrixLoad, Product, Role, Shape};
pub use ops::{
    AtomicOp, Axis, BinaryOp, Builtin, CLUSTER_COUNTER_BYTES, MemoryOrder, MemoryScope, NAMED_BARRIER_BYTES,
    NAMED_BARRIERS, SHARED_ALIGN, UnaryOp, WARP_SIZE, WarpOp, is_tile,
};
pub use program::{
    Body, Constant, ConstantTable, Entry, External, Function, Kernel, Local, MAX_CLUSTER_BLOCKS, Parameter, Program,
    SharedVariable,
};
pub use span::Span;
pub use stmt::{AssertMessage, Block, MAX_PTX_OPERANDS, MAX_PTX_RESULTS, Stmt, StmtKind};
pub use types::{Field, Layout, Scalar, Type, TypeId, Types};
pub use visit::{Mention, MentionMut, Use, each_stmt};
