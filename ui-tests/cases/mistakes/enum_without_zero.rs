//! An enum whose bytes are never all zero.
use vyre::prelude::*;

#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u32)]
enum Phase {
    Solid = 1,
    Liquid = 2,
}

fn main() -> vyre::Result<()> {
    let _ = Device::cpu().zeros::<Phase>(3)?;
    Ok(())
}
