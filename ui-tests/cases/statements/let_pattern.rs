#[vyre::kernel]
fn fill(y: &mut [f32]) {
    let ref a = y[0];
    *a = 1.0;
}

#[vyre::kernel]
fn twice(y: &mut [f32]) {
    let pair = Some((1.0, 2.0));
    if let Some((ref mut a, _)) = pair {
        *a += 1.0;
    }
    y[0] = pair.map_or(0.0, |(a, _)| a);
}

fn main() {}
