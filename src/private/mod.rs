//! What generated code refers to. Not for users; it changes without notice.

mod witness;

pub use vyre_core::meaning;
pub use vyre_runtime::kernel::*;
pub use vyre_runtime::{host, *};
pub use witness::{Ty, is, same, tag};
