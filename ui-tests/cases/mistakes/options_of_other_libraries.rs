use vyre::prelude::*;

#[vyre::kernel(grid = 64, block = 256)]
fn of_the_launch(y: &mut [f32]) {
    y[thread::index()] = 0.0;
}

#[vyre::kernel(block_size = 256)]
fn of_kaio(y: &mut [f32]) {
    y[thread::index()] = 0.0;
}

#[vyre::kernel(launch)]
fn of_cubecl(y: &mut [f32]) {
    y[thread::index()] = 0.0;
}

#[vyre::kernel(workgroup_size = [64, 1, 1])]
fn of_wgpu(y: &mut [f32]) {
    y[thread::index()] = 0.0;
}

#[vyre::kernel]
fn with_a_builtin(#[builtin(global_invocation_id)] id: [u32; 3], y: &mut [f32]) {
    y[id[0] as usize] = 0.0;
}

#[vyre::kernel]
fn with_a_constant(x: &[f32], y: &mut [f32], #[comptime] n: u32) {
    y[thread::index()] = x[n as usize];
}

#[vyre::kernel]
fn with_an_unrolled_loop(x: &[f32], y: &mut [f32]) {
    #[unroll]
    for k in 0..4 {
        y[thread::index()] += x[k];
    }
}

fn main() {}
