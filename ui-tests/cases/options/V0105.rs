#[vyre::kernel(launcher = kernels::Fill)]
fn launcher_path(y: &mut [f32]) {
    y[0] = 1.0;
}

#[vyre::kernel(launcher = "Fill")]
fn launcher_string(y: &mut [f32]) {
    y[0] = 1.0;
}

fn main() {}
