//! Types that are not there: rustc's own errors, each once, with what there is instead.

#[vyre::device]
#[derive(Clone, Copy)]
struct Point {
    x: f32,
}

#[vyre::kernel]
fn by_value(p: Piont, y: &mut [f32]) {
    y[0] = p.x;
}

#[vyre::kernel]
fn in_a_slice(p: &[Piont], y: &mut [f32]) {
    y[0] = p[0].x;
}

#[vyre::kernel]
fn of_a_variable(y: &mut [f32]) {
    let p: Piont = Point { x: 1.0 };
    y[0] = p.x;
}

#[vyre::kernel]
fn of_a_literal(y: &mut [f32]) {
    y[0] = Piont { x: 1.0 }.x;
}

#[vyre::kernel]
fn of_a_function(y: &mut [f32]) {
    y[0] = Piont::new(1.0);
}

#[vyre::device]
fn of_a_parameter(p: Piont) -> f32 {
    p.x
}

#[vyre::device]
type Alias = [Piont; 2];

#[vyre::kernel]
fn calls(y: &mut [f32]) {
    y[0] = of_a_parameter(Point { x: 1.0 });
}

fn main() {}
