//! rustc gives no attribute a module that is another file: its error, and none at what the module has.

#[vyre::device]
#[path = "../../modules/geometry.rs"]
mod geometry;

#[vyre::kernel]
fn halve(#[each] y: &mut f32) {
    *y = geometry::half(*y);
}

#[vyre::kernel]
fn points(#[each] p: &geometry::Point, #[each] y: &mut f32) {
    *y = p.x;
}

#[vyre::device]
fn quarter(x: f32) -> f32 {
    geometry::half(x) * 0.5
}

#[vyre::kernel]
fn quarters(#[each] y: &mut f32) {
    *y = quarter(*y);
}

fn main() {}
