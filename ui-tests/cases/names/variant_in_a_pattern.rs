use vyre::prelude::*;

#[vyre::device]
#[derive(Clone, Copy)]
enum Phase {
    Solid,
    Liquid,
}
use Phase::Liquid;

#[vyre::device]
fn melt(phase: Phase) -> Phase {
    match phase {
        Liquid => Phase::Solid,
        other => other,
    }
}

fn main() {}
