use vyre::prelude::*;

#[vyre::device]
#[derive(Clone, Copy)]
struct Stage {
    full: shared::Barrier,
}

#[vyre::device]
#[derive(Clone, Copy)]
struct Held {
    token: shared::Token,
}

#[vyre::device]
#[derive(Clone, Copy)]
struct Both<'a> {
    full: &'a shared::Barrier,
}

#[vyre::device]
fn pair(both: (&shared::Barrier, &shared::Barrier)) {
    both.0.arrive_and_wait();
}

#[vyre::kernel(block = 64)]
fn of_all(y: &mut [u32]) {
    let all = shared::barriers::<2, 64>();
    all.arrive_and_wait();
    all[0].load(Ordering::Relaxed);
    y[0] = 1;
}

#[vyre::kernel(block = 64)]
fn in_memory(y: &mut [u32]) {
    let all = shared::barriers::<2, 64>();
    let tokens = shared::<[shared::Token; 64]>();
    tokens[thread::idx().x] = all[0].arrive();
    y[0] = 1;
}

#[vyre::kernel(block = 64)]
fn shown(y: &mut [u32]) {
    let all = shared::barriers::<2, 64>();
    let token = all[0].arrive();
    println!("{token:?}");
    all[0].wait(token);
    y[0] = 1;
}

#[vyre::kernel(block = 64)]
fn taken_apart(y: &mut [u32]) {
    let all = shared::barriers::<2, 64>();
    let (state, number) = all[0].arrive();
    y[0] = (state + number) as u32;
}

fn main() {}
