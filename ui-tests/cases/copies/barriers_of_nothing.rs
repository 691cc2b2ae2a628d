use vyre::shared;

#[vyre::kernel(block = 64)]
fn none(y: &mut [u32]) {
    let all = shared::barriers::<1, 0>();
    let many = shared::barriers::<2, 2000000>();
    shared::barriers::<1, 64>()[0].arrive_and_wait();
    let untyped = shared::barriers();
    all[0].arrive_and_wait();
    many[0].arrive_and_wait();
    untyped[0].arrive_and_wait();
    y[0] = 1;
}

fn main() {}
