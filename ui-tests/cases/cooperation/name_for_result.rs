use vyre::prelude::*;

#[vyre::kernel]
fn claim(owners: &[AtomicU32], out: &mut [u32]) {
    let i = thread::index();
    out[i] = match owners[i].compare_exchange(0, 1, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(old) => old,
        failed => failed.unwrap_err(),
    };
}

fn main() {}
