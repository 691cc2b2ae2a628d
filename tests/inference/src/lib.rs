//! Whether vyre types a kernel as rustc does, tried on some hundreds of small functions that
//! differ where inference must decide: literals, casts, shifts, methods, bindings. The functions
//! are in `tests/`; [`agree!`](vyre_semantics::agree) compiles each of them both ways.
