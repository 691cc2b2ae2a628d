//! The public IR: [`Program`] and its parts.
//!
//! Scalars, constants, and the operations shared with the runtime are defined in `vyre-abi`, below
//! both; they are part of the IR and re-exported here.

mod access;
pub mod builder;
mod expr;
mod handle;
#[doc(hidden)]
pub mod immediates;
mod intrinsic;
pub mod limits;
#[doc(hidden)]
pub mod natural;
#[doc(hidden)]
pub mod needs;
mod ops;
mod place_name;
mod program;
mod ptx_place;
mod row;
mod span;
mod stmt;
mod types;
mod unassigned;
mod visit;

pub use access::Access;
pub use expr::{Expr, ExprId, ExprKind, Extent, Place, PlaceBase, PlaceId, Projection};
pub use handle::{Arena, Handle};
pub use immediates::{Immediates, Number, Word};
pub use intrinsic::Intrinsic;
pub use limits::{MAX_CLUSTER_BLOCKS, MAX_RESIDENT_BLOCKS, MAX_RESIDENT_THREADS, NAMED_BARRIERS, SHARED_ALIGN};
pub use needs::PtxLimits;
pub use ops::{AtomicOp, Axis, Builtin, CLUSTER_COUNTER_BYTES, MemoryOrder, MemoryScope, NAMED_BARRIER_BYTES};
pub use program::{Body, ConstantTable, Entry, External, Function, Kernel, Local, Parameter, Program, SharedVariable};
pub use ptx_place::PtxPlace;
pub use row::{Among, Operand, Output, Row};
pub use span::Span;
pub use stmt::{AssertMessage, Block, MAX_PTX_OPERANDS, MAX_PTX_RESULTS, PTX_VERSIONS, Stmt, StmtKind, is_ptx_version};
pub use types::{Field, Layout, Type, TypeId, Types};
pub(crate) use unassigned::unassigned_reads;
pub use visit::{Mention, MentionMut, Use, each_stmt};
pub use vyre_abi::ops::mma::{Factor, MatrixLoad, Product, Role, Shape};
pub use vyre_abi::ops::{BinaryOp, Shuffle, UnaryOp, WARP_SIZE, is_tile};
pub use vyre_abi::scalar::{Constant, Scalar};
