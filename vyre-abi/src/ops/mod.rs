//! Operations that the runtime executes too: on scalars, and warp-level operations.
//!
//! Each is defined once, in a table: name, meaning, operand types. The name is the variant's name
//! in the text form.

pub mod mma;
mod scalar;
mod warp;

pub use crate::__operations as operations;
pub use scalar::{BinaryOp, UnaryOp};
pub use warp::{Shuffle, WARP_SIZE, is_tile};

/// Defines an enum of operations with its `ALL` list and its names.
#[macro_export]
#[doc(hidden)]
macro_rules! __operations {
    ($(#[$meta:meta])* $enum:ident { $($(#[$doc:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub enum $enum { $($(#[$doc])* $variant,)* }

        impl $enum {
            /// Every operation, in the order of the enum.
            pub const ALL: &'static [$enum] = &[$($enum::$variant,)*];

            /// The name in the text form.
            pub const fn name(self) -> &'static str {
                match self { $($enum::$variant => $name,)* }
            }

            /// The operation of this name, or `None`.
            pub fn from_name(name: &str) -> Option<$enum> {
                Self::ALL.iter().copied().find(|op| op.name() == name)
            }
        }
    };
}
