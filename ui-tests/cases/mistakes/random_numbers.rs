use vyre::prelude::*;
use vyre::random::Philox;

#[vyre::kernel]
fn of_another_spelling(#[each] y: &mut f32) {
    let mut rng = Philox::new(1, thread::index() as u64, 0);
    *y = rng.gen_range(0.0..1.0);
}

#[vyre::kernel]
fn of_a_range(#[each] y: &mut f32) {
    let mut rng = Philox::new(1, thread::index() as u64, 0);
    *y = rng.random_range(0.0..1.0);
}

#[vyre::kernel]
fn of_a_type(#[each] y: &mut f32) {
    let mut rng = Philox::new(1, thread::index() as u64, 0);
    *y = rng.r#gen::<f32>();
}

fn main() {}
