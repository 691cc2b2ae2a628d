//! Shapes and their intersection with rays.

use super::vector::Vector;

/// A ray: origin and direction.
#[derive(Clone, Copy)]
pub struct Ray {
    pub origin: Vector,
    pub direction: Vector,
}

/// An intersection of a ray and a shape.
#[derive(Clone, Copy)]
pub struct Hit {
    /// In units of the length of the ray's direction.
    pub distance: f64,
    /// Outward, of length one.
    pub normal: Vector,
}

/// A solid.
pub enum Shape {
    /// Centre and radius.
    Ball(Vector, f64),
    /// Upright: centre of the base, radius, height.
    Cylinder(Vector, f64, f64),
    /// Upright, the apex above: centre of the base, radius, height.
    Cone(Vector, f64, f64),
    /// Centre, half extents along the axes, and the cosine and sine of a rotation about the
    /// vertical axis.
    Block(Vector, Vector, (f64, f64)),
    /// The half-space behind a plane: a point on it, and the normal.
    Plane(Vector, Vector),
}

/// Nearer hits are the surface that the ray starts from.
const NEAREST: f64 = 1e-6;

impl Shape {
    /// The first intersection of the ray and the surface.
    pub fn hit(&self, ray: Ray) -> Option<Hit> {
        match *self {
            Shape::Ball(centre, radius) => ball(ray, centre, radius),
            Shape::Cylinder(base, radius, height) => {
                let from = ray.origin - base;
                let d = ray.direction;
                let side = roots(d.0 * d.0 + d.2 * d.2, from.0 * d.0 + from.2 * d.2, {
                    from.0 * from.0 + from.2 * from.2 - radius * radius
                })
                .into_iter()
                .flatten()
                .map(|t| (t, from + d * t))
                .find(|(_, p)| p.1 >= 0.0 && p.1 <= height)
                .map(|(distance, p)| Hit {
                    distance,
                    normal: Vector(p.0, 0.0, p.2) * (1.0 / radius),
                });
                nearer(
                    side,
                    nearer(disc(ray, base, 0.0, radius), disc(ray, base, height, radius)),
                )
            }
            Shape::Cone(base, radius, height) => {
                // x^2 + z^2 = k^2 (height - y)^2
                let k = radius / height;
                let from = ray.origin - base;
                let d = ray.direction;
                let below = height - from.1;
                let side = roots(
                    d.0 * d.0 + d.2 * d.2 - k * k * d.1 * d.1,
                    from.0 * d.0 + from.2 * d.2 + k * k * below * d.1,
                    from.0 * from.0 + from.2 * from.2 - k * k * below * below,
                )
                .into_iter()
                .flatten()
                .map(|t| (t, from + d * t))
                .find(|(_, p)| p.1 >= 0.0 && p.1 <= height)
                .map(|(distance, p)| Hit {
                    distance,
                    normal: Vector(p.0, k * k * (height - p.1), p.2).unit(),
                });
                nearer(side, disc(ray, base, 0.0, radius))
            }
            Shape::Block(centre, half, (cos, sin)) => {
                let turn = |v: Vector| Vector(cos * v.0 - sin * v.2, v.1, sin * v.0 + cos * v.2);
                let back = |v: Vector| Vector(cos * v.0 + sin * v.2, v.1, cos * v.2 - sin * v.0);
                let hit = block(turn(ray.origin - centre), turn(ray.direction), half)?;
                Some(Hit {
                    normal: back(hit.normal),
                    ..hit
                })
            }
            Shape::Plane(point, normal) => {
                let distance = (point - ray.origin).dot(normal) / ray.direction.dot(normal);
                (distance > NEAREST).then_some(Hit { distance, normal })
            }
        }
    }
}

fn ball(ray: Ray, centre: Vector, radius: f64) -> Option<Hit> {
    let from = ray.origin - centre;
    let d = ray.direction;
    let distance = roots(d.dot(d), from.dot(d), from.dot(from) - radius * radius)
        .into_iter()
        .flatten()
        .next()?;
    Some(Hit {
        distance,
        normal: (from + d * distance) * (1.0 / radius),
    })
}

/// A horizontal disc, `height` above `base`; its normal faces the ray.
fn disc(ray: Ray, base: Vector, height: f64, radius: f64) -> Option<Hit> {
    let from = ray.origin - base;
    let distance = (height - from.1) / ray.direction.1;
    let p = from + ray.direction * distance;
    (distance > NEAREST && p.0 * p.0 + p.2 * p.2 <= radius * radius).then_some(Hit {
        distance,
        normal: Vector(0.0, if ray.direction.1 < 0.0 { 1.0 } else { -1.0 }, 0.0),
    })
}

/// A block about the origin, by the slab method.
fn block(origin: Vector, d: Vector, half: Vector) -> Option<Hit> {
    let mut enter = (f64::NEG_INFINITY, Vector(0.0, 0.0, 0.0));
    let mut leave = f64::INFINITY;
    for (o, d, half, axis) in [
        (origin.0, d.0, half.0, Vector(1.0, 0.0, 0.0)),
        (origin.1, d.1, half.1, Vector(0.0, 1.0, 0.0)),
        (origin.2, d.2, half.2, Vector(0.0, 0.0, 1.0)),
    ] {
        let facing = if d > 0.0 { -1.0 } else { 1.0 };
        let near = (facing * half - o) / d;
        let far = (-facing * half - o) / d;
        if near > enter.0 {
            enter = (near, axis * facing);
        }
        leave = leave.min(far);
    }
    (enter.0 > NEAREST && enter.0 <= leave).then_some(Hit {
        distance: enter.0,
        normal: enter.1,
    })
}

/// The roots past [`NEAREST`] of `a t^2 + 2 b t + c`, the smaller first.
fn roots(a: f64, b: f64, c: f64) -> [Option<f64>; 2] {
    let under = b * b - a * c;
    if under < 0.0 {
        return [None, None];
    }
    let root = under.sqrt();
    let (first, second) = ((-b - root) / a, (-b + root) / a);
    [first.min(second), first.max(second)].map(|t| (t > NEAREST).then_some(t))
}

fn nearer(a: Option<Hit>, b: Option<Hit>) -> Option<Hit> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if a.distance <= b.distance { a } else { b }),
        (a, b) => a.or(b),
    }
}
