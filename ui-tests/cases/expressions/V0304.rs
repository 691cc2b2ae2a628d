#[vyre::kernel]
fn string_of_host(y: &mut [f32]) {
    let _name = String::new();
    y[0] = 1.0;
}

#[vyre::kernel]
fn vec_macro(y: &mut [f32]) {
    let _values = vec![0.0f32; 4];
    y[0] = 1.0;
}

fn main() {}
