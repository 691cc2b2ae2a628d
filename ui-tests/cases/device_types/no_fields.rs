#[vyre::device]
#[derive(Clone, Copy)]
struct Mark;

#[vyre::device]
#[derive(Clone, Copy)]
enum Never {}

#[vyre::kernel]
fn buffer(marks: &[Mark], y: &mut [u32]) {
    y[0] = 1;
}

#[vyre::kernel]
fn parameter(mark: Mark, y: &mut [u32]) {
    y[0] = 1;
}

#[vyre::kernel]
fn array(y: &mut [u32]) {
    let marks = [Mark, Mark];
    let units = [(); 2];
    y[0] = 1;
}

fn main() {}
