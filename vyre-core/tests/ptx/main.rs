//! PTX: what it looks like, that `ptxas` takes it, and that it does what the interpreter does.

mod agreement;
mod memory;
mod operations;
mod snapshots;
