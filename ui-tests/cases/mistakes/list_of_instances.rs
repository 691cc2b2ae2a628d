#[vyre::kernel(T = f32)]
fn scale<T: vyre::Number>(#[each] y: &mut T) {
    *y += *y;
}

fn main() {}
