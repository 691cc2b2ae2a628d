#[vyre::device]
fn step(x: u32) -> u32 {
    x ^ (x << 5)
}

#[vyre::device]
fn steps(x: u32) -> u32 {
    step(step(step(step(step(step(step(step(step(step(step(step(x))))))))))))
}

#[vyre::device]
fn more(x: u32) -> u32 {
    steps(steps(steps(steps(steps(steps(steps(steps(steps(steps(steps(steps(x))))))))))))
}

#[vyre::device]
fn most(x: u32) -> u32 {
    more(more(more(more(more(more(more(more(more(more(more(more(x))))))))))))
}

#[vyre::kernel]
fn mix(#[each] x: &mut u32) {
    *x = most(most(most(most(most(most(most(most(most(most(most(most(*x))))))))))));
}

fn main() {}
