//! `nbody` against sums in double precision on the host, and the conservation of energy.

use crate::devices::devices;

#[path = "../../examples/nbody/main.rs"]
pub mod example;

use example::galaxies::Bodies;
use example::{BOUND, SOFTENING, STEP, Simulation};

/// The energy of all bodies together.
fn energy(bodies: &Bodies) -> f64 {
    let count = bodies.x.len();
    let mut energy = 0.0;
    for i in 0..count {
        let mass = f64::from(bodies.mass[i]);
        let [vx, vy, vz] = [bodies.vx[i], bodies.vy[i], bodies.vz[i]].map(f64::from);
        energy += 0.5 * mass * (vx * vx + vy * vy + vz * vz);
        for j in 0..i {
            energy -= mass * f64::from(bodies.mass[j]) / square(bodies, i, j).sqrt();
        }
    }
    energy
}

/// The softened square of the distance of two bodies.
fn square(bodies: &Bodies, i: usize, j: usize) -> f64 {
    let [dx, dy, dz] = [&bodies.x, &bodies.y, &bodies.z].map(|c| f64::from(c[j]) - f64::from(c[i]));
    dx * dx + dy * dy + dz * dz + f64::from(SOFTENING)
}

#[test]
fn accelerations_are_right() {
    // More than a tile, and no multiple of one.
    let bodies = Bodies::galaxies(300);
    for device in devices("accelerations") {
        let simulation = Simulation::new(&device, &bodies).unwrap();
        let ax = simulation.ax.download().unwrap();
        let ay = simulation.ay.download().unwrap();
        for i in 0..bodies.x.len() {
            let (mut x, mut y, mut size) = (0.0, 0.0, 0.0);
            for j in 0..bodies.x.len() {
                let square = square(&bodies, i, j);
                let pull = f64::from(bodies.mass[j]) / (square * square.sqrt());
                x += (f64::from(bodies.x[j]) - f64::from(bodies.x[i])) * pull;
                y += (f64::from(bodies.y[j]) - f64::from(bodies.y[i])) * pull;
                size += square.sqrt() * pull;
            }
            let error = (f64::from(ax[i]) - x).abs().max((f64::from(ay[i]) - y).abs());
            assert!(error < 1e-5 * size, "{}: body {i} is off by {error}", device.name());
        }
    }
}

#[test]
fn energy_is_right_and_stays() {
    let bodies = Bodies::galaxies(300);
    let before = energy(&bodies);
    for device in devices("energy") {
        let mut simulation = Simulation::new(&device, &bodies).unwrap();
        let on_device = simulation.energy().unwrap();
        assert!(
            ((on_device - before) / before).abs() < 1e-9,
            "{}: {on_device}, not {before}",
            device.name()
        );

        for _ in 0..100 {
            simulation.step().unwrap();
        }
        let mut after = Bodies::galaxies(300);
        after.x = simulation.x.download().unwrap();
        after.y = simulation.y.download().unwrap();
        after.z = simulation.z.download().unwrap();
        after.vx = simulation.vx.download().unwrap();
        after.vy = simulation.vy.download().unwrap();
        after.vz = simulation.vz.download().unwrap();
        let change = ((energy(&after) - before) / before).abs();
        assert!(
            change < BOUND,
            "{}: the energy has changed by {change} of itself",
            device.name()
        );
        // Something has happened.
        let moved = f64::from((after.x[0] - bodies.x[0]).abs());
        assert!(
            moved > 50.0 * f64::from(STEP) * 0.3,
            "{}: the centre has moved by {moved}",
            device.name()
        );
    }
}

#[test]
fn all_devices_go_the_same_way() {
    let bodies = Bodies::galaxies(300);
    let runs: Vec<_> = devices("orbits on all devices")
        .map(|device| {
            let mut simulation = Simulation::new(&device, &bodies).unwrap();
            for _ in 0..20 {
                simulation.step().unwrap();
            }
            let bits = |values: Vec<f32>| values.into_iter().map(f32::to_bits).collect::<Vec<_>>();
            (
                bits(simulation.x.download().unwrap()),
                bits(simulation.vz.download().unwrap()),
            )
        })
        .collect();
    assert!(
        runs.windows(2).all(|pair| pair[0] == pair[1]),
        "not the same to the last bit"
    );
}
