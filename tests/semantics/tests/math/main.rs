//! Functions of mathematics: kernels give the bits that the functions of `vyre::math` give on the host.

mod double;
mod generic;
mod halves;
mod names;
mod single;
