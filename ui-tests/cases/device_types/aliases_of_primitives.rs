// The functions of an alias are those of its type.
use vyre::thread;

type Real = f32;

#[vyre::device]
type Word = u32;

#[vyre::kernel]
fn unmarked(y: &mut [f32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] = Real::max(y[i], 1.0);
    }
}

#[vyre::kernel]
fn missing(y: &mut [u32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] = Word::maximum(y[i], 1);
    }
}

fn main() {}
