//! A method has a receiver, which no launch could supply.
struct Filter;

impl Filter {
    #[vyre::kernel]
    fn double(&self, x: &mut [f32]) {
        x[0] *= 2.0;
    }
}

fn main() {
    Filter.double(&mut [1.0]);
}
