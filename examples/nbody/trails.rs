//! A picture of the orbits: a trail of light behind each body, which fades with time.

use std::path::Path;

use super::support::command_line::Result;
use super::support::files::write_png;

/// Width of the picture in pixels.
const WIDTH: usize = 660;
/// Height of the picture in pixels.
const HEIGHT: usize = 460;
/// Pixels to a unit of length.
const SCALE: f32 = 130.0;
/// Longest distance of two spots of a trail, in pixels.
const SPACING: f32 = 0.7;
/// Share of the exposure after which a trail has faded to 1/e of its light.
const FADING: f32 = 0.22;

/// The colours of the two galaxies.
const COLOURS: [[f32; 3]; 2] = [[1.0, 0.50, 0.16], [0.20, 0.52, 1.0]];

/// Light on a plate.
pub struct Trails {
    light: Vec<[f32; 3]>,
    /// Where the bodies were before, in pixels.
    places: Vec<[f32; 2]>,
    steps: usize,
    exposed: usize,
}

impl Trails {
    /// A dark plate, to be exposed for so many steps.
    pub fn new(steps: usize) -> Trails {
        Trails {
            light: vec![[0.0; 3]; WIDTH * HEIGHT],
            places: Vec::new(),
            steps,
            exposed: 0,
        }
    }

    /// Adds light between the last positions of all bodies and these. The first `first` have one colour, the others
    /// another.
    pub fn expose(&mut self, x: &[f32], y: &[f32], first: usize) {
        self.exposed += 1;
        let age = (self.steps - self.exposed.min(self.steps)) as f32 / self.steps as f32;
        let light = (-age / FADING).exp();
        let places: Vec<[f32; 2]> = x.iter().zip(y).map(|(&x, &y)| place(x, y)).collect();
        let before = std::mem::replace(&mut self.places, places);
        for i in 0..before.len() {
            let ([x, y], [to_x, to_y]) = (before[i], self.places[i]);
            // As many spots as it takes for a line; together they have the light of one.
            let spots = ((to_x - x).hypot(to_y - y) / SPACING).ceil().clamp(1.0, 100.0);
            for spot in 0..spots as usize {
                let share = spot as f32 / spots;
                let at = [x + share * (to_x - x), y + share * (to_y - y)];
                self.spot(at, COLOURS[usize::from(i >= first)], light / spots);
            }
        }
    }

    /// Adds light to the four pixels around a place.
    fn spot(&mut self, [x, y]: [f32; 2], colour: [f32; 3], light: f32) {
        let (left, top) = ((x - 0.5).floor(), (y - 0.5).floor());
        let (right_share, lower_share) = (x - 0.5 - left, y - 0.5 - top);
        for (dy, vertical) in [(0, 1.0 - lower_share), (1, lower_share)] {
            for (dx, horizontal) in [(0, 1.0 - right_share), (1, right_share)] {
                let (column, row) = (left as isize + dx, top as isize + dy);
                if (0..WIDTH as isize).contains(&column) && (0..HEIGHT as isize).contains(&row) {
                    let pixel = &mut self.light[row as usize * WIDTH + column as usize];
                    for (sum, colour) in pixel.iter_mut().zip(colour) {
                        *sum += colour * light * horizontal * vertical;
                    }
                }
            }
        }
    }

    /// Draws the bodies where they are now, the heavy centres of both galaxies larger, and writes the plate as a PNG file.
    pub fn write(mut self, path: &Path, first: usize) -> Result<()> {
        // The light of all trails together fills the plate evenly, whatever the number of bodies and steps.
        let bodies = self.places.len();
        let even = 0.9 / (bodies as f32 * self.steps as f32 * FADING / (0.25 * (WIDTH * HEIGHT) as f32));
        for pixel in &mut self.light {
            *pixel = pixel.map(|light| light * even);
        }
        let star = (600.0 / bodies as f32).min(1.0).sqrt();
        for (i, [x, y]) in std::mem::take(&mut self.places).into_iter().enumerate() {
            let is_centre = i == 0 || i == first;
            let (radius, light) = if is_centre { (9.0f32, 2.5) } else { (1.3, 0.9 * star) };
            let reach = (3.0 * radius) as i32;
            for dy in -reach..=reach {
                for dx in -reach..=reach {
                    let glow = (-((dx * dx + dy * dy) as f32) / (radius * radius)).exp();
                    let colour = COLOURS[usize::from(i >= first)].map(|part| 0.35 * part + 0.65);
                    self.spot([x + dx as f32, y + dy as f32], colour, light * glow);
                }
            }
        }
        let tone =
            |light: f32, ground: f32| (255.0 * (ground + (1.0 - ground) * (1.0 - (-light).exp())).powf(0.8)) as u8;
        let pixels: Vec<u8> = self
            .light
            .iter()
            .flat_map(|&[red, green, blue]| [tone(red, 0.012), tone(green, 0.014), tone(blue, 0.03)])
            .collect();
        write_png(path, [WIDTH, HEIGHT], png::ColorType::Rgb, &pixels)
    }
}

/// The pixel of a position; the middle of the picture is zero.
fn place(x: f32, y: f32) -> [f32; 2] {
    [0.5 * WIDTH as f32 + SCALE * x, 0.5 * HEIGHT as f32 - SCALE * y]
}
