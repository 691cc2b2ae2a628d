//! Timing of the steps of a computation.

use std::time::{Duration, Instant};

use vyre::prelude::*;

/// Times named steps; keeps the shortest time over several iterations.
pub struct Clock {
    device: Option<Device>,
    started: Instant,
    steps: Vec<(&'static str, Duration)>,
}

impl Clock {
    /// For steps on the host, or on a device that each step waits for.
    pub fn new(device: Option<&Device>) -> Clock {
        Clock {
            device: device.cloned(),
            started: Instant::now(),
            steps: Vec::new(),
        }
    }

    /// Starts the first step of an iteration.
    pub fn start(&mut self) {
        self.started = Instant::now();
    }

    /// Ends a step and starts the next.
    pub fn lap(&mut self, name: &'static str) -> vyre::Result<()> {
        if let Some(device) = &self.device {
            device.synchronize()?;
        }
        let took = self.started.elapsed();
        match self.steps.iter_mut().find(|(known, _)| *known == name) {
            Some((_, shortest)) => *shortest = took.min(*shortest),
            None => self.steps.push((name, took)),
        }
        self.started = Instant::now();
        Ok(())
    }

    /// The steps, in order.
    pub fn steps(&self) -> &[(&'static str, Duration)] {
        &self.steps
    }

    /// The time of a step.
    pub fn step(&self, name: &str) -> Option<Duration> {
        self.steps
            .iter()
            .find(|(known, _)| *known == name)
            .map(|&(_, time)| time)
    }

    /// All steps together.
    pub fn total(&self) -> Duration {
        self.steps.iter().map(|(_, time)| *time).sum()
    }
}
