//! The tests are in `tests/check`.
