//! The commonest mistake of porting: an enum that is not marked.
#[derive(Clone, Copy)]
enum Cell {
    Empty,
    Full(u32),
}

#[vyre::kernel]
fn variants(y: &mut [u32]) {
    let cell = Cell::Full(y[0]);
    y[0] = match cell {
        Cell::Empty => 0,
        Cell::Full(count) => count,
    };
}

#[vyre::kernel]
fn names(y: &mut [u32]) {
    let cell = Cell::Empty;
    y[0] = 1;
}

#[vyre::kernel]
fn without_size(y: &mut [u32]) {
    let none = [()];
    y[0] = 1;
}

#[vyre::kernel]
fn too_long(y: &mut [u32]) {
    let all = [0u8; 184467440737095516150];
    y[0] = 1;
}

fn main() {}
