#[vyre::kernel]
fn of_a_reference(x: Option<&f32>, y: &mut [f32]) {
    y[0] = 0.0;
}

#[vyre::kernel]
fn of_a_matrix(x: Option<vyre::Slice2<'_, f32>>, y: &mut [f32]) {
    y[0] = 0.0;
}

#[vyre::kernel]
fn of_each(#[each] x: Option<&f32>, #[each] y: &mut f32) {
    *y = 0.0;
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

#[vyre::kernel]
fn of_a_tuple(x: Option<(f32, f32)>, y: &mut [f32]) {
    y[0] = 0.0;
}

#[vyre::kernel]
fn of_an_option(x: Option<Option<f32>>, y: &mut [f32]) {
    y[0] = 0.0;
}

use vyre::Device;

fn main() {
    let device = Device::best().unwrap();
    let mut y = device.zeros::<f32>(1).unwrap();
    of_what_is_not_there(None, &mut y).over(1).launch(&device).unwrap();
}
