mod atomic {
    use core::sync::atomic::AtomicU32;

    #[vyre::kernel]
    fn show(hits: &[AtomicU32]) {
        println!("{:?}", hits[0]);
    }
}

// A slice has no length that the compiler knows.
#[vyre::kernel]
fn slice(x: &[f32]) {
    println!("{:?}", x);
}

#[vyre::device]
#[derive(Clone, Copy)]
struct Point {
    x: f32,
    y: f32,
}

#[vyre::kernel]
fn show(points: &[Point]) {
    println!("{:?}", points[0]);
}

#[vyre::device]
#[derive(Clone, Copy, Debug)]
struct Other {
    x: f32,
}

#[vyre::kernel]
fn display(others: &[Other]) {
    println!("{}", others[0]);
}

fn main() {}
