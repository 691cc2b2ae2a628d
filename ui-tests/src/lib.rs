//! Mistakes in kernels and launches, each a small program in `cases/` beside what the compiler must
//! say about it. `tests/ui` compiles them.
