#[vyre::kernel]
fn of_a_reference(x: Option<&[f32]>, y: &mut [f32]) {
    y[0] = 0.0;
}

#[vyre::kernel]
fn in_a_slice(x: &[Option<f32>], y: &mut [f32]) {
    y[0] = 0.0;
}

#[vyre::kernel]
fn behind_a_reference(x: &Option<f32>, y: &mut [f32]) {
    y[0] = 0.0;
}

#[vyre::kernel]
fn of_what_is_not_there(x: Option<Vec<f32>>, y: &mut [f32]) {
    y[0] = 0.0;
}

fn main() {}
