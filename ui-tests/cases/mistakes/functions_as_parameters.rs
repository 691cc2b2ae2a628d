#[vyre::kernel]
fn generic<F: Fn(f32) -> f32>(f: F, #[each] y: &mut f32) {
    *y = f(*y);
}

#[vyre::kernel]
fn in_a_clause<F>(f: F, #[each] y: &mut f32)
where
    F: Fn(f32) -> f32,
{
    *y = f(*y);
}

#[vyre::kernel]
fn anonymous(f: impl Fn(f32) -> f32, #[each] y: &mut f32) {
    *y = f(*y);
}

fn main() {}
