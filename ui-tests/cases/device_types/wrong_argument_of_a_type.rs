#[vyre::device]
#[derive(Clone, Copy)]
struct Pair<T> {
    a: T,
    b: T,
}

#[vyre::kernel]
fn fill(y: &mut [f32]) {
    let pair = Pair { a: 1.0f32, b: 2.0f64 };
    let other: Pair<u32> = pair;
    let many = Pair::<f32, f32> { a: 1.0, b: 2.0 };
    y[0] = other.a as f32 + many.a;
}

#[vyre::kernel]
fn missing(x: &[Pair], y: &mut [f32]) {
    y[0] = x[0].a;
}

#[vyre::device]
#[derive(Clone, Copy)]
struct Matrix<const R: usize, const C: usize> {
    rows: [[f32; C]; R],
}

#[vyre::kernel]
fn number_missing(m: Matrix<2>, #[each] y: &mut f32) {
    *y = m.rows[0][0];
}

fn main() {}
