//! A picture of clusters: the first two columns, a colour for each cluster.

use std::path::Path;

use super::clusters::Clusters;
use super::points::Points;
use super::support::command_line::Result;
use super::support::files::write_png;

/// Width of the picture in pixels.
pub const WIDTH: usize = 720;
/// Height of the picture in pixels.
pub const HEIGHT: usize = 540;

/// Colours that are told apart easily, one after the other.
const COLOURS: [[f32; 3]; 12] = [
    [0.90, 0.32, 0.24],
    [0.16, 0.53, 0.82],
    [0.96, 0.69, 0.16],
    [0.30, 0.66, 0.38],
    [0.58, 0.37, 0.74],
    [0.10, 0.70, 0.68],
    [0.93, 0.47, 0.66],
    [0.55, 0.42, 0.28],
    [0.98, 0.52, 0.14],
    [0.36, 0.42, 0.72],
    [0.66, 0.74, 0.20],
    [0.50, 0.54, 0.58],
];

fn colour(label: u32) -> [f32; 3] {
    COLOURS[label as usize % COLOURS.len()]
}

/// A sheet of paper, and the window of the plane that it shows.
pub struct Plot {
    low: [f32; 2],
    scale: [f32; 2],
    pixels: Vec<[f32; 3]>,
}

impl Plot {
    /// A sheet that has room for all points. A table of one column is drawn along a line.
    pub fn new(points: &Points) -> Plot {
        let (mut low, mut high) = ([f32::INFINITY; 2], [f32::NEG_INFINITY; 2]);
        for row in points.rows() {
            for (axis, value) in place(row).into_iter().enumerate() {
                low[axis] = low[axis].min(value);
                high[axis] = high[axis].max(value);
            }
        }
        let mut plot = Plot {
            low,
            scale: [0.0; 2],
            pixels: vec![[1.0; 3]; WIDTH * HEIGHT],
        };
        for (axis, pixels) in [WIDTH, HEIGHT].into_iter().enumerate() {
            let extent = (high[axis] - low[axis]).max(f32::MIN_POSITIVE);
            plot.scale[axis] = 0.92 * pixels as f32 / extent;
            plot.low[axis] -= 0.04 / 0.92 * extent;
        }
        plot
    }

    /// The points of the plane under the pixels, row by row.
    pub fn plane(&self) -> Points {
        let pixels = (0..WIDTH * HEIGHT).map(|i| [i % WIDTH, HEIGHT - 1 - i / WIDTH]);
        let values =
            pixels.flat_map(|pixel| [0, 1].map(|axis| self.low[axis] + (pixel[axis] as f32 + 0.5) / self.scale[axis]));
        Points {
            names: vec!["x".into(), "y".into()],
            values: values.collect(),
        }
    }

    /// Tints the pixels by their labels, with a line between different ones.
    pub fn tint(&mut self, labels: &[u32]) {
        for i in 0..labels.len() {
            let next = [i + 1, i + WIDTH].map(|next| labels[next.min(labels.len() - 1)]);
            let strength = if next != [labels[i]; 2] { 0.45 } else { 0.13 };
            self.blend(i, colour(labels[i]), strength);
        }
    }

    /// Draws the points, and a ring for each centre.
    pub fn draw(&mut self, points: &Points, clusters: &Clusters) {
        // Many points are drawn small and pale.
        let many = (points.count() as f32 / 2000.0).max(1.0f32);
        let (radius, strength) = ((2.4 / many.powf(0.25)).max(0.8), (0.75 / many.sqrt()).max(0.06));
        for (row, &label) in points.rows().zip(&clusters.labels) {
            self.disc(place(row), radius, colour(label), strength);
        }
        for centre in clusters.centres.chunks_exact(points.names.len()) {
            self.disc(place(centre), 8.0, [1.0; 3], 1.0);
            self.disc(place(centre), 6.0, [0.12; 3], 1.0);
        }
    }

    /// A disc with a soft edge.
    fn disc(&mut self, place: [f32; 2], radius: f32, colour: [f32; 3], strength: f32) {
        let [x, y] = [0, 1].map(|axis| (place[axis] - self.low[axis]) * self.scale[axis]);
        let (x, y) = (x, HEIGHT as f32 - y);
        let range = |middle: f32, end: usize| {
            let least = (middle - radius - 1.0).max(0.0) as usize;
            least..((middle + radius + 2.0) as usize).min(end)
        };
        for row in range(y, HEIGHT) {
            for column in range(x, WIDTH) {
                let distance = (column as f32 + 0.5 - x).hypot(row as f32 + 0.5 - y);
                let cover = (radius + 0.5 - distance).clamp(0.0, 1.0);
                self.blend(row * WIDTH + column, colour, cover * strength);
            }
        }
    }

    fn blend(&mut self, pixel: usize, colour: [f32; 3], strength: f32) {
        for (under, over) in self.pixels[pixel].iter_mut().zip(colour) {
            *under += strength * (over - *under);
        }
    }

    /// Writes a PNG file.
    pub fn write(&self, path: &Path) -> Result<()> {
        let bytes: Vec<u8> = self
            .pixels
            .as_flattened()
            .iter()
            .map(|v| (255.0 * v + 0.5) as u8)
            .collect();
        write_png(path, [WIDTH, HEIGHT], png::ColorType::Rgb, &bytes)
    }
}

fn place(row: &[f32]) -> [f32; 2] {
    [row[0], row.get(1).copied().unwrap_or(0.0)]
}
