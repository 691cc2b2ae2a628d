#[vyre::kernel]
fn too_few(x: &[f32]) {
    println!("{}", );
}

#[vyre::kernel]
fn of_c(x: &[f32]) {
    print!("{:.6f}", x[0]);
}

#[vyre::kernel]
fn a_brace(x: &[f32]) {
    assert!(x[0] > 0.0, "{ {}", x[0]);
}

fn main() {}
