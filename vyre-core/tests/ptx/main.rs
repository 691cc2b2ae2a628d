//! PTX: what it looks like, that `ptxas` takes it, and that it does what the interpreter does.

mod agreement;
mod assembler;
mod lazily;
mod loops;
mod operations;
mod registers;
mod snapshots;
