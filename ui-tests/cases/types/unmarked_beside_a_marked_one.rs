//! A type without the mark, where another module has a marked one of its name.

mod marked {
    #[vyre::device]
    #[derive(Clone, Copy)]
    pub struct Point {
        pub x: f32,
    }
}

#[derive(Clone, Copy)]
struct Point {
    x: f32,
}

#[vyre::kernel]
fn shift(#[each] point: &mut Point) {
    point.x += 1.0;
}

fn main() {}
