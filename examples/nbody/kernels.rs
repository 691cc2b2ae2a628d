//! Gravity among many bodies, and their motion.

use vyre::prelude::*;

/// The acceleration of each body by all others.
///
/// The bodies are loaded tile by tile into shared memory, where every thread of the block reads all
/// of them. `softening`, a squared length, bounds the force between close bodies.
#[vyre::kernel(block = 256)]
pub fn attract(
    x: &[f32],
    y: &[f32],
    z: &[f32],
    mass: &[f32],
    ax: &mut [f32],
    ay: &mut [f32],
    az: &mut [f32],
    softening: f32,
) {
    let tile = shared::<[[f32; 256]; 4]>();
    let t = thread::idx().x;
    let i = thread::index();
    let (mut px, mut py, mut pz) = (0.0, 0.0, 0.0);
    if i < x.len() {
        px = x[i];
        py = y[i];
        pz = z[i];
    }

    let (mut sum_x, mut sum_y, mut sum_z) = (0.0, 0.0, 0.0);
    let mut first = 0;
    while first < x.len() {
        let j = first + t;
        if j < x.len() {
            tile[0][t] = x[j];
            tile[1][t] = y[j];
            tile[2][t] = z[j];
            tile[3][t] = mass[j];
        } else {
            // Past the last body: a body without mass.
            tile[0][t] = 0.0;
            tile[1][t] = 0.0;
            tile[2][t] = 0.0;
            tile[3][t] = 0.0;
        }
        block::sync();
        for k in 0..256 {
            let dx = tile[0][k] - px;
            let dy = tile[1][k] - py;
            let dz = tile[2][k] - pz;
            let square = dx * dx + dy * dy + dz * dz + softening;
            let pull = tile[3][k] / (square * square.sqrt());
            sum_x += dx * pull;
            sum_y += dy * pull;
            sum_z += dz * pull;
        }
        block::sync();
        first += 256;
    }
    if i < x.len() {
        ax[i] = sum_x;
        ay[i] = sum_y;
        az[i] = sum_z;
    }
}

/// Integrates the velocities over a time step.
#[vyre::kernel]
pub fn kick(
    #[each] vx: &mut f32,
    #[each] vy: &mut f32,
    #[each] vz: &mut f32,
    #[each] ax: &f32,
    #[each] ay: &f32,
    #[each] az: &f32,
    time: f32,
) {
    *vx += *ax * time;
    *vy += *ay * time;
    *vz += *az * time;
}

/// Integrates the positions over a time step.
#[vyre::kernel]
pub fn drift(
    #[each] x: &mut f32,
    #[each] y: &mut f32,
    #[each] z: &mut f32,
    #[each] vx: &f32,
    #[each] vy: &f32,
    #[each] vz: &f32,
    time: f32,
) {
    *x += *vx * time;
    *y += *vy * time;
    *z += *vz * time;
}

/// The energy of each body: kinetic, and half of the potential between it and each other body.
#[vyre::kernel(block = 256)]
pub fn energy(
    x: &[f32],
    y: &[f32],
    z: &[f32],
    mass: &[f32],
    vx: &[f32],
    vy: &[f32],
    vz: &[f32],
    out: &mut [f64],
    softening: f32,
) {
    let i = thread::index();
    if i < out.len() {
        let mut potential = 0.0;
        for j in 0..x.len() {
            if j != i {
                let dx = (x[j] - x[i]) as f64;
                let dy = (y[j] - y[i]) as f64;
                let dz = (z[j] - z[i]) as f64;
                potential -= mass[j] as f64 / (dx * dx + dy * dy + dz * dz + softening as f64).sqrt();
            }
        }
        let square = vx[i] as f64 * vx[i] as f64 + vy[i] as f64 * vy[i] as f64 + vz[i] as f64 * vz[i] as f64;
        out[i] = 0.5 * mass[i] as f64 * (square + potential);
    }
}
