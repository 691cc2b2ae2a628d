#[vyre::kernel]
fn fill(x: &[f32], y: &mut [f32]) {
    let mut part = x;
    let mut next = || part = &part[1..];
    next();
    let first = y.get_mut(0);
    let set = |value: f32| {
        if let Some(first) = first {
            *first = value;
        }
    };
    set(part[0]);
}

fn main() {}
