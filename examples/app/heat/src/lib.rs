//! Heat in a plate, on a GPU or on the CPU.

use vyre::{Device, DeviceBuffer};

mod kernels {
    vyre::include_kernels!("kernels");
}

pub use kernels::FLOW;

/// A plate, in the memory of a device.
#[derive(Debug)]
pub struct Plate {
    device: Device,
    width: usize,
    height: usize,
    now: DeviceBuffer<f32>,
    next: DeviceBuffer<f32>,
}

impl Plate {
    /// A plate whose cells have the given temperatures, row by row.
    ///
    /// # Panics
    /// If the temperatures do not make whole rows.
    pub fn new(device: &Device, temperatures: &[f32], width: usize) -> vyre::Result<Plate> {
        assert!(
            width > 0 && temperatures.len().is_multiple_of(width),
            "{} cells make no rows of {width}",
            temperatures.len()
        );
        Ok(Plate {
            device: device.clone(),
            width,
            height: temperatures.len() / width,
            now: device.upload(temperatures)?,
            next: device.zeros(temperatures.len())?,
        })
    }

    /// Lets heat flow for a number of steps. On a GPU it returns before they are done.
    pub fn run(&mut self, steps: usize) -> vyre::Result<()> {
        for _ in 0..steps {
            let next = self.next.view2_mut(self.height, self.width)?;
            kernels::step(self.now.view2(self.height, self.width)?, next)
                .over([self.width, self.height])
                .launch(&self.device)?;
            std::mem::swap(&mut self.now, &mut self.next);
        }
        Ok(())
    }

    /// The temperatures of the cells, row by row; waits for the steps.
    pub fn temperatures(&self) -> vyre::Result<Vec<f32>> {
        self.now.download()
    }
}
