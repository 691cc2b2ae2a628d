//! The still life: its shapes, materials and lighting.

use super::shape::{Hit, Ray, Shape};
use super::vector::Vector;

/// The material of a surface.
enum Paint {
    /// One colour, with gloss and reflectivity from 0 to 1.
    Plain { colour: Vector, gloss: f64, mirror: f64 },
    /// Boards along the z axis, with gaps between them.
    Boards,
    /// Horizontal bands of two colours.
    Bands { colours: [Vector; 2], width: f64 },
}

/// Objects, and a camera.
pub struct Scene {
    things: Vec<(Shape, Paint)>,
    eye: Vector,
    forward: Vector,
    right: Vector,
    up: Vector,
}

/// The corner of the square lamp, and its two sides.
const LAMP: [Vector; 3] = [Vector(-5.5, 7.0, -3.5), Vector(1.6, 0.0, 0.0), Vector(0.0, 0.6, 1.6)];

/// Rays per pixel along x and along y.
const GRID: usize = 4;

/// Limit of reflections along a ray.
const BOUNCES: usize = 4;

fn matt(colour: Vector) -> Paint {
    Paint::Plain {
        colour,
        gloss: 0.0,
        mirror: 0.0,
    }
}

fn glazed(colour: Vector) -> Paint {
    Paint::Plain {
        colour,
        gloss: 0.7,
        mirror: 0.08,
    }
}

/// A table, a wall, fruit, books, a candle and a silver ball.
pub fn still_life() -> Scene {
    use Shape::*;
    let orange = Vector(0.95, 0.42, 0.06);
    let plum = Vector(0.28, 0.07, 0.22);
    let lime = Vector(0.52, 0.68, 0.12);
    let wax = Vector(0.93, 0.88, 0.74);
    let mut things = vec![
        (Plane(Vector(0.0, 0.0, 0.0), Vector(0.0, 1.0, 0.0)), Paint::Boards),
        (
            Plane(Vector(0.0, 0.0, 4.2), Vector(0.0, 0.0, -1.0)),
            matt(Vector(0.42, 0.47, 0.5)),
        ),
        // Two books with a candle on them.
        (
            Block(Vector(-2.1, 0.22, 1.5), Vector(1.15, 0.22, 0.8), (0.96, 0.28)),
            matt(Vector(0.55, 0.1, 0.09)),
        ),
        (
            Block(Vector(-2.05, 0.6, 1.5), Vector(0.95, 0.16, 0.66), (0.8, -0.6)),
            matt(Vector(0.1, 0.24, 0.38)),
        ),
        (
            Cylinder(Vector(-2.1, 0.76, 1.5), 0.42, 0.08),
            glazed(Vector(0.75, 0.6, 0.25)),
        ),
        (Cylinder(Vector(-2.1, 0.84, 1.5), 0.2, 1.35), matt(wax)),
        (Cone(Vector(-2.1, 2.22, 1.5), 0.07, 0.3), matt(Vector(1.6, 1.1, 0.4))),
        // A striped vase.
        (
            Cylinder(Vector(2.35, 0.0, 2.0), 0.62, 1.9),
            Paint::Bands {
                colours: [Vector(0.86, 0.86, 0.82), Vector(0.12, 0.3, 0.45)],
                width: 0.19,
            },
        ),
        // A silver ball, and a cone beside it.
        (
            Ball(Vector(0.25, 0.95, 1.6), 0.95),
            Paint::Plain {
                colour: Vector(0.82, 0.83, 0.85),
                gloss: 1.0,
                mirror: 0.86,
            },
        ),
        (Cone(Vector(1.45, 0.0, 0.3), 0.5, 1.15), matt(Vector(0.85, 0.72, 0.2))),
        // Fruit.
        (Ball(Vector(-0.95, 0.5, 0.1), 0.5), glazed(orange)),
        (Ball(Vector(-0.05, 0.43, -0.55), 0.43), glazed(orange)),
        (Ball(Vector(2.5, 0.36, -0.1), 0.36), glazed(lime)),
        (
            Block(Vector(-2.55, 0.3, -0.35), Vector(0.3, 0.3, 0.3), (0.8, 0.6)),
            matt(Vector(0.8, 0.78, 0.7)),
        ),
    ];
    for (x, y, z) in [
        (0.75, 0.2, -1.0),
        (1.14, 0.2, -0.88),
        (0.98, 0.2, -1.3),
        (1.37, 0.2, -1.22),
        (1.0, 0.53, -1.08),
        (0.6, 0.2, -1.4),
    ] {
        things.push((Ball(Vector(x, y, z), 0.2), glazed(plum)));
    }

    let eye = Vector(0.3, 2.5, -6.4);
    let forward = (Vector(0.1, 0.85, 0.6) - eye).unit();
    let right = Vector(0.0, 1.0, 0.0).cross(forward).unit();
    Scene {
        things,
        eye,
        forward,
        right,
        up: forward.cross(right),
    }
}

impl Scene {
    /// The colour of a pixel: the mean of a grid of rays, each with its own sample points on the
    /// lamp.
    pub fn pixel(&self, x: usize, y: usize, width: usize, height: usize) -> [u8; 3] {
        let mut sum = Vector(0.0, 0.0, 0.0);
        for i in 0..GRID * GRID {
            let (dx, dy) = centre_of_cell(i);
            let across = ((x as f64 + dx) - width as f64 / 2.0) / height as f64;
            let upward = (height as f64 / 2.0 - (y as f64 + dy)) / height as f64;
            let direction = self.forward * 1.55 + self.right * across + self.up * upward;
            sum = sum
                + self.light(
                    Ray {
                        origin: self.eye,
                        direction: direction.unit(),
                    },
                    i,
                    BOUNCES,
                );
        }
        let mean = sum * (1.0 / (GRID * GRID) as f64);
        // A square root approximates the usual gamma of 2.2.
        [mean.0, mean.1, mean.2].map(|light| (light.sqrt().min(1.0) * 255.0 + 0.5) as u8)
    }

    /// The light that returns along a ray.
    fn light(&self, ray: Ray, sample: usize, bounces: usize) -> Vector {
        let Some((hit, paint)) = self.first(ray) else {
            return Vector(0.03, 0.035, 0.04);
        };
        let point = ray.origin + ray.direction * hit.distance;
        let (colour, gloss, mirror) = paint.at(point);

        // Four points of the lamp; together, the rays of a pixel sample all of its cells.
        let mut lit = 0.0;
        let mut shine = 0.0;
        for k in 0..4 {
            let (u, v) = centre_of_cell((sample * 5 + k * 4 + k) % (GRID * GRID));
            let to_lamp = LAMP[0] + LAMP[1] * u + LAMP[2] * v - point;
            let facing = hit.normal.dot(to_lamp.unit());
            if facing > 0.0
                && !self.blocked(Ray {
                    origin: point,
                    direction: to_lamp,
                })
            {
                lit += facing / 4.0;
                let glint = ray.direction.reflect(hit.normal).dot(to_lamp.unit()).max(0.0);
                let glint = glint * glint * glint * glint;
                let glint = glint * glint * glint * glint;
                shine += glint * glint * glint / 4.0;
            }
        }
        // Ambient light: more from above and from the front than from below.
        let room = 0.2 + 0.08 * hit.normal.1 - 0.06 * hit.normal.2;
        let mut light = colour * ((1.05 * lit + room) * (1.0 - mirror)) + Vector(1.0, 0.97, 0.9) * (shine * gloss);
        if mirror > 0.0 && bounces > 0 {
            let onward = Ray {
                origin: point,
                direction: ray.direction.reflect(hit.normal),
            };
            light = light + self.light(onward, sample, bounces - 1).filter(colour) * mirror;
        }
        light
    }

    fn first(&self, ray: Ray) -> Option<(Hit, &Paint)> {
        let mut first: Option<(Hit, &Paint)> = None;
        for (shape, paint) in &self.things {
            if let Some(hit) = shape.hit(ray)
                && first
                    .as_ref()
                    .is_none_or(|(nearest, _)| hit.distance < nearest.distance)
            {
                first = Some((hit, paint));
            }
        }
        first
    }

    /// True if an object lies between the ray's origin and the end of its direction.
    fn blocked(&self, ray: Ray) -> bool {
        self.things
            .iter()
            .any(|(shape, _)| shape.hit(ray).is_some_and(|hit| hit.distance < 1.0))
    }
}

impl Paint {
    /// Colour, gloss and reflectivity at a point.
    fn at(&self, p: Vector) -> (Vector, f64, f64) {
        match *self {
            Paint::Plain { colour, gloss, mirror } => (colour, gloss, mirror),
            Paint::Boards => {
                let across = p.0 / 0.9 + 0.3;
                let board = across.floor();
                let gap = across - board;
                if !(0.012..=0.988).contains(&gap) {
                    return (Vector(0.08, 0.05, 0.03), 0.0, 0.0);
                }
                // Each board has its own tone.
                let tone = 0.82 + 0.18 * (board * 0.618 - (board * 0.618).floor());
                (Vector(0.52, 0.36, 0.22) * tone, 0.05, 0.05)
            }
            Paint::Bands { colours, width } => {
                let band = (p.1 / width).floor();
                (colours[if band % 2.0 == 0.0 { 0 } else { 1 }], 0.5, 0.05)
            }
        }
    }
}

/// The centre of one of the cells of a unit square.
fn centre_of_cell(i: usize) -> (f64, f64) {
    let step = 1.0 / GRID as f64;
    (
        ((i % GRID) as f64 + 0.5) * step,
        ((i / GRID % GRID) as f64 + 0.5) * step,
    )
}
