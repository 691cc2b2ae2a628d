//! A picture of the orbits, with a trail of light per body.

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

/// Accumulated light on a square plate that covers the x-y plane from -`reach` to `reach`.
pub struct Trails {
    size: usize,
    reach: f32,
    light: Vec<[f32; 3]>,
}

/// The colours of the two galaxies.
const COLOURS: [[f32; 3]; 2] = [[1.0, 0.55, 0.2], [0.25, 0.55, 1.0]];

impl Trails {
    /// A dark plate.
    pub fn new(size: usize, reach: f32) -> Trails {
        Trails {
            size,
            reach,
            light: vec![[0.0; 3]; size * size],
        }
    }

    /// Adds light at the positions of all bodies. The first `first` have one colour, the others
    /// another.
    pub fn expose(&mut self, x: &[f32], y: &[f32], first: usize) {
        let scale = self.size as f32 / (2.0 * self.reach);
        for (i, (&x, &y)) in x.iter().zip(y).enumerate() {
            let (column, row) = ((x + self.reach) * scale, (self.reach - y) * scale);
            if column >= 0.0 && row >= 0.0 && column < self.size as f32 && row < self.size as f32 {
                let spot = &mut self.light[row as usize * self.size + column as usize];
                for (light, colour) in spot.iter_mut().zip(COLOURS[usize::from(i >= first)]) {
                    *light += colour;
                }
            }
        }
    }

    /// Tone-maps and writes the plate: light of `full` maps to half of the maximal brightness.
    pub fn write(&self, path: &Path, full: f32) -> Result<(), Box<dyn Error>> {
        let tone = |light: f32| ((light / (light + full)).sqrt() * 255.0) as u8;
        let pixels: Vec<u8> = self.light.iter().flat_map(|spot| spot.map(tone)).collect();
        let file = File::create(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let mut encoder = png::Encoder::new(BufWriter::new(file), self.size as u32, self.size as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.write_header()?.write_image_data(&pixels)?;
        Ok(())
    }
}
