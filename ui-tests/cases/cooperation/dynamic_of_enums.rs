use vyre::prelude::*;

#[vyre::device]
#[derive(Clone, Copy)]
#[repr(u32)]
enum Kind {
    Sand = 0,
    Water = 1,
}

#[vyre::device]
#[derive(Clone, Copy)]
struct Cell {
    kind: Kind,
    height: u32,
}

#[vyre::kernel]
fn kinds(out: &mut [u32]) {
    let cells = shared::slice::<[Cell; 4]>(8);
    let seen = shared::dynamic::<(u32, bool)>();
    out[0] = cells[0][1].height + seen[0].0;
}

fn main() {}
