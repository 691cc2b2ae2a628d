//! Nothing.

#![no_std]
