//! Two galaxies pass each other, with gravity between all pairs of stars.
//!
//! ```text
//! cargo run --release --example nbody -- [--cpu] [BODIES [STEPS [OUTPUT.png]]]
//! ```
//!
//! Writes a picture of the orbits, and checks that the total energy stays within [`BOUND`] of its
//! initial value: a leapfrog integrator neither gains nor loses energy in the long run.
#![allow(unreachable_pub, reason = "a program has no outside")]

pub mod galaxies;
pub mod kernels;
#[path = "../support/mod.rs"]
mod support;
mod trails;

use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use lexopt::Parser;
use vyre::prelude::*;

use galaxies::Bodies;
use support::command_line::{self, Arguments};
use trails::Trails;

/// Softening, a squared length: the force is reduced at distances below about its root.
pub const SOFTENING: f32 = 0.0025;
/// Time step.
pub const STEP: f32 = 0.004;
/// Bound of the relative change of the total energy.
pub const BOUND: f64 = 1e-3;

/// Bodies on a device.
pub struct Simulation {
    device: Device,
    /// Position.
    pub x: DeviceBuffer<f32>,
    /// Position.
    pub y: DeviceBuffer<f32>,
    /// Position.
    pub z: DeviceBuffer<f32>,
    /// Velocity.
    pub vx: DeviceBuffer<f32>,
    /// Velocity.
    pub vy: DeviceBuffer<f32>,
    /// Velocity.
    pub vz: DeviceBuffer<f32>,
    /// Acceleration.
    pub ax: DeviceBuffer<f32>,
    /// Acceleration.
    pub ay: DeviceBuffer<f32>,
    /// Acceleration.
    pub az: DeviceBuffer<f32>,
    mass: DeviceBuffer<f32>,
}

impl Simulation {
    /// Uploads bodies and computes their initial accelerations.
    pub fn new(device: &Device, bodies: &Bodies) -> vyre::Result<Simulation> {
        let count = bodies.x.len();
        let mut simulation = Simulation {
            device: device.clone(),
            x: device.upload(&bodies.x)?,
            y: device.upload(&bodies.y)?,
            z: device.upload(&bodies.z)?,
            vx: device.upload(&bodies.vx)?,
            vy: device.upload(&bodies.vy)?,
            vz: device.upload(&bodies.vz)?,
            ax: device.zeros(count)?,
            ay: device.zeros(count)?,
            az: device.zeros(count)?,
            mass: device.upload(&bodies.mass)?,
        };
        simulation.attract()?;
        Ok(simulation)
    }

    fn attract(&mut self) -> vyre::Result<()> {
        kernels::attract(
            &self.x,
            &self.y,
            &self.z,
            &self.mass,
            &mut self.ax,
            &mut self.ay,
            &mut self.az,
            SOFTENING,
        )
        .over(self.x.len())
        .launch(&self.device)
    }

    fn kick(&mut self, time: f32) -> vyre::Result<()> {
        kernels::kick(
            &mut self.vx,
            &mut self.vy,
            &mut self.vz,
            &self.ax,
            &self.ay,
            &self.az,
            time,
        )
        .launch(&self.device)
    }

    /// One leapfrog step: half a kick, a drift, half a kick.
    pub fn step(&mut self) -> vyre::Result<()> {
        self.kick(STEP / 2.0)?;
        kernels::drift(
            &mut self.x,
            &mut self.y,
            &mut self.z,
            &self.vx,
            &self.vy,
            &self.vz,
            STEP,
        )
        .launch(&self.device)?;
        self.attract()?;
        self.kick(STEP / 2.0)
    }

    /// The total energy.
    pub fn energy(&self) -> vyre::Result<f64> {
        let mut energies = self.device.zeros::<f64>(self.x.len())?;
        kernels::energy(
            &self.x,
            &self.y,
            &self.z,
            &self.mass,
            &self.vx,
            &self.vy,
            &self.vz,
            &mut energies,
            SOFTENING,
        )
        .over(self.x.len())
        .launch(&self.device)?;
        Ok(energies.download()?.iter().sum())
    }
}

const HELP: &str = "\
Two galaxies pass each other. Writes a picture of the orbits, and checks the energy.

usage: nbody [--cpu] [BODIES [STEPS [OUTPUT.png]]]

  BODIES       how many stars (32768; on the CPU 1024)
  STEPS        how many steps (650)
  OUTPUT.png   the picture to write (target/nbody.png)
  --cpu        computes on the CPU
";

fn main() -> ExitCode {
    command_line::run("nbody", HELP, program)
}

fn program(parser: &mut Parser, out: &mut dyn Write) -> command_line::Result<ExitCode> {
    let arguments = Arguments::read(parser)?.at_most(3)?;
    let device = support::device(arguments.cpu)?;
    let usual = if device.is_cuda() { 32768 } else { 1024 };
    let count = arguments.number(0, "BODIES", usual, 2..=1 << 22)?;
    let steps = arguments.number(1, "STEPS", 650, 1..=1 << 30)?;
    let output = arguments.path(2, "target/nbody.png");
    command_line::prepare_png(&output, None)?;
    writeln!(out, "{count} bodies, {steps} steps, on {}", device.name())?;
    support::explain_cpu(out, &device, arguments.cpu)?;

    let mut simulation = Simulation::new(&device, &Bodies::galaxies(count))?;
    let before = simulation.energy()?;
    let mut trails = Trails::new(steps);
    let mut took = Duration::ZERO;
    let mut worst = 0.0f64;
    let progress = support::progress::bar("step", steps as u64);
    for step in 0..steps {
        let started = Instant::now();
        simulation.step()?;
        device.synchronize()?;
        took += started.elapsed();
        trails.expose(&simulation.x.download()?, &simulation.y.download()?, count / 2);
        if step % 100 == 99 || step + 1 == steps {
            worst = worst.max(((simulation.energy()? - before) / before).abs());
        }
        progress.inc(1);
    }
    progress.finish_and_clear();

    let interactions = count as f64 * count as f64 * steps as f64;
    writeln!(
        out,
        "{:.3} s, {:.2} billion pairs a second",
        took.as_secs_f64(),
        interactions / took.as_secs_f64() / 1e9
    )?;
    writeln!(out, "energy before: {before:.6}; changed by at most {worst:.1e} of it")?;
    trails.write(&output, count / 2)?;
    writeln!(out, "wrote {}", output.display())?;
    if worst > BOUND {
        return Err(format!("the energy changed by more than {BOUND:.0e} of itself").into());
    }
    Ok(ExitCode::SUCCESS)
}
