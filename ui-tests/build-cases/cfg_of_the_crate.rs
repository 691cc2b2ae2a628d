#[vyre::device]
#[derive(Clone, Copy)]
struct Point {
    x: f32,
    #[cfg(test)]
    y: f32,
}

#[vyre::kernel]
fn fill(points: &[Point], y: &mut [f32]) {
    #[cfg(doc)]
    let i = 0;
    #[cfg(not(doc))]
    let i = thread::index();
    y[i] = points[i].x;
}
