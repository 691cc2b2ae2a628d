use vyre::prelude::*;

mod library {
    use vyre::prelude::*;

    #[vyre::device]
    pub fn twice<T: Float>(x: T) -> T {
        x + x
    }
}

#[vyre::device]
fn applied(x: f32, f: impl Fn(f32) -> f32) -> f32 {
    f(x)
}

mod own {
    use super::applied;
    use super::library::*;
    use vyre::prelude::*;

    fn twice<T: Float>(x: T) -> T {
        x
    }

    #[vyre::device]
    fn four_times<T: Float>(x: T) -> T {
        twice(twice::<T>(x))
    }

    #[vyre::kernel]
    fn multiply(#[each] x: &mut f32) {
        let twice = applied(twice(*x), twice);
        *x = four_times(twice);
    }

    #[vyre::kernel]
    fn pass(#[each] x: &mut f32) {
        *x = applied(*x, twice);
    }
}

fn main() {}
