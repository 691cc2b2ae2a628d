#[vyre::device]
fn inner(k: u32, n: usize) -> u32 {
    let mut all = [k; 70_000];
    all[n] = 7;
    all[n + 1]
}

#[vyre::device]
fn outer(k: u32, n: usize) -> u32 {
    let mut all = [k; 70_000];
    all[n] = inner(k, n);
    all[n + 1]
}

#[vyre::kernel]
fn arrays_of_calls(n: usize, #[each] x: &mut u32) {
    *x = outer(*x, n);
}

#[vyre::device]
fn large(k: u32) -> [u32; 40_000] {
    [k; 40_000]
}

#[vyre::kernel]
fn arrays_of_results(n: usize, #[each] x: &mut u32) {
    *x = large(1)[n] + large(2)[n] + large(3)[n] + large(4)[n];
}

fn main() {}
