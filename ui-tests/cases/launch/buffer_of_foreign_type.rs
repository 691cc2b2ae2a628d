//! Elements of buffers are scalars.
use vyre::prelude::*;

fn main() -> vyre::Result<()> {
    let device = Device::cpu();
    let _names = device.upload(&[String::new()])?;
    Ok(())
}
