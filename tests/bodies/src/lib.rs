//! Programs made by the builder, with the launchers that the build script generated for them.

pub mod programs;
pub mod random;

/// The launchers, one for each program.
#[allow(
    missing_docs,
    unused,
    clippy::all,
    clippy::undocumented_unsafe_blocks,
    reason = "generated text"
)]
pub mod launchers {
    /// A constant whose value is known only to rustc.
    pub const WIDTH: usize = 5;
    /// The same, of another type.
    pub const SCALE: f32 = 2.5;

    include!(concat!(env!("OUT_DIR"), "/launchers.rs"));
}
