// rustc says it of references too, and vyre nothing.
use vyre::thread;

#[vyre::kernel]
fn never(y: &mut [u32]) {
    let i = thread::index();
    let from;
    let values: &[u32] = from;
    y[i] = values[i];
}

#[vyre::kernel]
fn perhaps(x: &[u32], y: &mut [u32]) {
    let i = thread::index();
    let values: &[u32];
    if i < x.len() {
        values = x;
    }
    y[i] = values[i];
}

fn main() {}
