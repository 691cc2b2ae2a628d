//! Numbers that do not fit their types: rustc's lint alone.

#[vyre::device]
pub const SMALL: u8 = 300;

#[vyre::device]
pub const TABLE: [i8; 2] = [128, 1];

#[vyre::device]
#[derive(Clone, Copy)]
#[repr(u8)]
pub enum Mode {
    Slow = 0,
    Fast = 300,
}

fn main() {}
