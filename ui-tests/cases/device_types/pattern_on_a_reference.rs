#[vyre::device]
#[derive(Clone, Copy)]
struct Value {
    x: f32,
}

#[vyre::kernel]
fn fill(#[each] value: &Value, #[each] y: &mut f32) {
    let Value { x } = value;
    *y = *x;
}

fn main() {}
