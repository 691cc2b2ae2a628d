//! Helpers that examples share: the command line, device selection, timing, and progress.
#![allow(dead_code, reason = "no example uses all of it")]

pub mod clock;
pub mod command_line;
pub mod files;
pub mod progress;

use std::io::{self, Write};

use vyre::prelude::*;

/// The CPU if requested, else the best device.
pub fn device(cpu: bool) -> vyre::Result<Device> {
    if cpu { Ok(Device::cpu()) } else { Device::best() }
}

/// Says why there is no GPU, if the CPU takes its place without having been requested.
pub fn explain_cpu(out: &mut dyn Write, device: &Device, cpu: bool) -> io::Result<()> {
    match device.why() {
        Some(reason) if !cpu => writeln!(out, "no GPU is used: {reason}"),
        _ => Ok(()),
    }
}
