//! Initial state: two discs of stars about heavy centres, passing each other.

/// Positions, velocities and masses of bodies, as a structure of arrays.
#[derive(Default)]
pub struct Bodies {
    /// Position.
    pub x: Vec<f32>,
    /// Position.
    pub y: Vec<f32>,
    /// Position.
    pub z: Vec<f32>,
    /// Velocity.
    pub vx: Vec<f32>,
    /// Velocity.
    pub vy: Vec<f32>,
    /// Velocity.
    pub vz: Vec<f32>,
    /// Mass.
    pub mass: Vec<f32>,
}

/// Mass of all stars of a disc, as a fraction of its centre's mass.
const DISC: f32 = 0.04;

impl Bodies {
    /// Two galaxies of `count` bodies in total; the first `count / 2` are the first galaxy.
    pub fn galaxies(count: usize) -> Bodies {
        let mut bodies = Bodies::default();
        let mut random = Random(2026);
        let first = count / 2;
        bodies.galaxy(&mut random, first, [-1.5, -0.55, 0.0], [0.35, -0.1, 0.0], (1.0, 0.0));
        bodies.galaxy(
            &mut random,
            count - first,
            [1.5, 0.55, 0.1],
            [-0.35, 0.1, 0.0],
            (0.6, 0.8),
        );
        bodies
    }

    fn galaxy(
        &mut self,
        random: &mut Random,
        count: usize,
        centre: [f32; 3],
        velocity: [f32; 3],
        (cos, sin): (f32, f32),
    ) {
        if count == 0 {
            return;
        }
        self.push(centre, velocity, 1.0);
        for _ in 1..count {
            // A random point of a ring, denser near its inner edge.
            let (u, v, square) = loop {
                let (u, v) = (2.0 * random.next() - 1.0, 2.0 * random.next() - 1.0);
                let square = u * u + v * v;
                if (0.02..=1.0).contains(&square) && random.next() < 0.25 / square.sqrt() {
                    break (u, v, square);
                }
            };
            // On a circle about the centre, in a plane that is tilted about the x axis.
            let speed = (1.0 / square.sqrt()).sqrt();
            let (du, dv) = (-v / square.sqrt() * speed, u / square.sqrt() * speed);
            let height = 0.02 * (2.0 * random.next() - 1.0);
            let position = [u, v * cos - height * sin, v * sin + height * cos];
            let circling = [du, dv * cos, dv * sin];
            self.push(
                [0, 1, 2].map(|k| centre[k] + position[k]),
                [0, 1, 2].map(|k| velocity[k] + circling[k]),
                DISC / (count - 1) as f32,
            );
        }
    }

    fn push(&mut self, [x, y, z]: [f32; 3], [vx, vy, vz]: [f32; 3], mass: f32) {
        self.x.push(x);
        self.y.push(y);
        self.z.push(z);
        self.vx.push(vx);
        self.vy.push(vy);
        self.vz.push(vz);
        self.mass.push(mass);
    }
}

/// Pseudorandom numbers in [0, 1), the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1 << 24) as f32
    }
}
