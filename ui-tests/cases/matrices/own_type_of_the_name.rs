pub struct Slice2<'a, T>(&'a [T]);

impl<T> Slice2<'_, T> {
    fn rows(&self) -> usize {
        self.0.len()
    }
}

#[vyre::kernel]
fn count(a: Slice2<'_, f32>, y: &mut [usize]) {
    y[0] = a.rows();
}

fn main() {}
