#[vyre::kernel]
fn array_parameter(weights: [f32; 100], y: &mut [f32]) {
    y[0] = weights[0];
}

#[vyre::kernel]
fn function_pointer(f: fn(f32) -> f32, y: &mut [f32]) {
    y[0] = f(y[0]);
}

#[vyre::kernel]
fn raw_pointer(x: *const f32, y: &mut [f32]) {
    y[0] = 1.0;
}

#[vyre::kernel]
fn trait_object(f: &dyn Fn(f32) -> f32, y: &mut [f32]) {
    y[0] = f(y[0]);
}

#[vyre::kernel]
fn unit(x: (), y: &mut [f32]) {
    y[0] = 1.0;
}

fn main() {}
