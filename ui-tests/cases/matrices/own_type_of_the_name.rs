pub struct Slice2<'a, T>(&'a [T]);

impl<T> core::ops::Index<[usize; 2]> for Slice2<'_, T> {
    type Output = T;

    fn index(&self, place: [usize; 2]) -> &T {
        &self.0[place[0]]
    }
}

#[vyre::kernel]
fn first(a: Slice2<'_, f32>, y: &mut [f32]) {
    y[0] = a[[0, 1]];
}

fn main() {}
