//! A file that imports nothing of vyre's.

#[vyre::kernel]
fn fill(y: &mut [f32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] = 1.0;
    }
}

fn main() {}
