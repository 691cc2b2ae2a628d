#[vyre::device]
#[derive(Clone, Copy)]
#[repr(u32)]
enum Side {
    Left = 1,
    Right,
}

#[vyre::kernel]
fn fill(#[each] side: &mut Side) {
    *side = Side::Left;
}

fn main() {}
