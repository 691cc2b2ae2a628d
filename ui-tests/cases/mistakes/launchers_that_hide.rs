//! Launchers with the names of types and traits.

mod option {
    use vyre::prelude::*;

    #[vyre::kernel]
    fn option(y: &mut [f32]) {
        y[0] = 1.0;
    }

    fn first(x: &[f32]) -> Option<f32> {
        x.first().copied()
    }
}

mod device {
    use vyre::prelude::*;

    #[vyre::kernel]
    fn device(y: &mut [f32]) {
        y[0] = 1.0;
    }

    pub fn run(on: &Device) -> vyre::Result<()> {
        let mut y = on.zeros::<f32>(4)?;
        device(&mut y).over(4).launch(on)
    }
}

mod beside {
    use vyre::prelude::*;

    #[vyre::kernel]
    pub fn copy(#[each] x: &f32, #[each] y: &mut f32) {
        *y = *x;
    }

    #[vyre::kernel(T = [f32, u32])]
    pub fn other<T: Copy>(#[each] x: &T, #[each] y: &mut T) {
        *y = *x;
    }
}

mod derived {
    use vyre::prelude::*;

    #[derive(Clone, Copy)]
    #[vyre::device]
    pub struct Pair {
        a: f32,
        b: f32,
    }

    #[vyre::kernel]
    pub fn copy(#[each] x: &Pair, #[each] y: &mut Pair) {
        *y = *x;
    }
}

mod imported {
    use vyre::Device;

    #[vyre::kernel]
    fn device(y: &mut [f32]) {
        y[0] = 1.0;
    }

    pub fn run(on: &Device) -> vyre::Result<()> {
        let mut y = on.zeros::<f32>(4)?;
        device(&mut y).over(4).launch(on)
    }
}

mod generic {
    use vyre::prelude::*;

    #[vyre::kernel(T = [f32, u32])]
    pub fn number<T: Copy>(#[each] x: &T, #[each] y: &mut T) {
        *y = *x;
    }

    pub fn twice<T: Number>(x: T) -> T {
        x + x
    }
}

mod given {
    #[vyre::kernel(launcher = Vec)]
    pub fn fill(#[each] y: &mut f32) {
        *y = 1.0;
    }

    pub fn list() -> Vec<f32> {
        Vec::new()
    }
}

/// Kernels whose launchers hide no other meaning.
mod unused {
    use vyre::prelude::*;

    #[vyre::kernel]
    pub fn vec(#[each] y: &mut f32) {
        *y = 1.0;
    }

    #[vyre::kernel]
    pub fn result(#[each] y: &mut f32) {
        *y = 1.0;
    }

    #[vyre::kernel]
    pub fn string(#[each] y: &mut f32) {
        *y = 1.0;
    }
}

fn main() {}
