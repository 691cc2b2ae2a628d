use vyre::shared;

#[vyre::kernel(block = 64)]
fn by_hand(y: &mut [u32]) {
    let all = shared::<[shared::Barrier; 2]>();
    all[0].arrive_and_wait();
    y[0] = 1;
}

#[vyre::device]
fn takes(barrier: shared::Barrier) {
    barrier.arrive_and_wait();
}

fn main() {}
