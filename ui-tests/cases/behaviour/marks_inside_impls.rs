//! Marks on an `impl` and in one are refused there, and calls of the functions with the same advice.

#[vyre::device]
#[derive(Clone, Copy)]
struct Meters {
    x: f32,
}

#[vyre::device]
impl Meters {
    fn twice(self) -> f32 {
        self.x * 2.0
    }
}

impl Meters {
    #[vyre::device]
    fn half(self) -> f32 {
        self.x * 0.5
    }

    #[vyre::device]
    fn of(x: f32) -> f32 {
        x
    }
}

#[vyre::kernel]
fn measured(meters: Meters, #[each] y: &mut f32) {
    *y = meters.twice() + meters.half() + Meters::of(*y);
}

fn main() {}
