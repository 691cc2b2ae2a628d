#[vyre::kernel]
fn vec_of_host(x: Vec<f32>, y: &mut [f32]) {
    y[0] = 0.0;
}

#[vyre::kernel]
fn vec_reference(x: &Vec<f32>, y: &mut [f32]) {
    y[0] = x[0];
}

fn main() {}
