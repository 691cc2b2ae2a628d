// Tuples, arrays and structs of names may be declared without a value; other patterns may not.
use vyre::thread;

#[vyre::kernel]
fn of_a_reference(y: &mut [f32]) {
    let i = thread::index();
    let &a: &f32;
    a = 1.0;
    y[i] = a;
}

#[vyre::kernel]
fn with_a_rest(y: &mut [f32]) {
    let i = thread::index();
    let [a, ..]: [f32; 3];
    a = 1.0;
    y[i] = a;
}

#[vyre::kernel]
fn never(y: &mut [f32]) {
    let i = thread::index();
    let (a);
    y[i] = a;
}

fn main() {}
