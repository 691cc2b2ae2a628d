//! A picture of the paths: light where many of them pass.

use std::path::Path;

use super::support::command_line::Result;
use super::support::files::write_png;

const WIDTH: usize = 960;
const HEIGHT: usize = 540;

/// Light on a plate: prices upwards from 0, time to the right.
pub struct Plate {
    highest: f32,
    light: Vec<[f32; 3]>,
}

impl Plate {
    /// A dark plate, which shows prices below `highest`.
    pub fn new(highest: f32) -> Plate {
        Plate {
            highest,
            light: vec![[0.0; 3]; WIDTH * HEIGHT],
        }
    }

    /// Adds a line through prices at equal intervals. In each column the light spreads over the pixels that the line
    /// crosses there.
    pub fn draw(&mut self, prices: &[f32], colour: [f32; 3]) {
        let row = |column: usize| {
            let place = column as f32 / WIDTH as f32 * (prices.len() - 1) as f32;
            let (step, part) = (place as usize, place.fract());
            let next = prices[(step + 1).min(prices.len() - 1)];
            (1.0 - (prices[step] + (next - prices[step]) * part) / self.highest) * HEIGHT as f32
        };
        for column in 0..WIDTH {
            let (start, end) = (row(column), row(column + 1));
            let (top, bottom) = (start.min(end).max(0.0) as usize, start.max(end).max(0.0) as usize);
            let share = 1.0 / (bottom - top + 1) as f32;
            for row in top..=bottom.min(HEIGHT - 1) {
                for (light, colour) in self.light[row * WIDTH + column].iter_mut().zip(colour) {
                    *light += colour * share;
                }
            }
        }
    }

    /// Writes the plate: light of `full` has half of the greatest brightness.
    pub fn write(&self, path: &Path, full: f32) -> Result<()> {
        let tone = |light: f32| ((light / (light + full)).sqrt() * 255.0) as u8;
        let pixels: Vec<u8> = self.light.iter().flat_map(|spot| spot.map(tone)).collect();
        write_png(path, [WIDTH, HEIGHT], png::ColorType::Rgb, &pixels)
    }
}
