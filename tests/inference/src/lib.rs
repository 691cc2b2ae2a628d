//! Tests that vyre infers the same types as rustc, on several hundred small functions in which
//! inference matters: literals, casts, shifts, methods, bindings. The functions are in `tests/`;
//! [`agree!`](vyre_semantics::agree) compiles each of them both ways.
