//! Programs: the builder and the text form that make them, the validator, and the interpreter that runs
//! them. Each is tested through what the crate makes public.

mod build;
mod interp;
mod polls;
mod split;
mod text;
mod validate;
