#[vyre::device]
fn f(a: u64, b: u64, c: u64, d: u64) -> u64 {
    let mut x = [a, b, c];
    let largest = |from: usize| x[from..].iter().copied().max().unwrap_or(3);
    let found = largest((d % 4) as usize) ^ largest(1);
    x[0] = found;
    x[0] + x[1]
}
