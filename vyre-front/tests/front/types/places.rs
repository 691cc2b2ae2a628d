//! Destructuring, and references to parts of values.

use super::{Deep, Pair, Particle, Vec3, inner, run};

#[test]
fn patterns() {
    same!(|x| {
        let Pair(a, b) = Pair(x, 3);
        a * b
    });
    same!(|x| {
        let Vec3 { x: a, z, .. } = Vec3 {
            x: 2.0,
            y: 1.0,
            z: x as f32,
        };
        (a + z) as u32
    });
    same!(|x| {
        let (Pair(a, ..), mut b) = (Pair(x, 3), 4);
        b += a;
        b
    });
    same!(|x| {
        let Deep { pair: Pair(a, _), more } = Deep {
            pair: Pair(x, 1),
            more: [inner::Flag { on: true }; 8],
        };
        a + more[2].on as u32
    });
    same!(|x| {
        match Pair(x, x / 2) {
            Pair(0, b) => b + 1,
            Pair(a, 1) => a * 10,
            Pair(a @ 4..=9, b) if b > 2 => a + b,
            Pair(.., b) => b,
        }
    });
    same!(|x| {
        match Pair(x, 3) {
            Pair(1 | 2, n) => n,
            Pair(mut a, _) => {
                a += 1;
                a
            }
        }
    });
    same!(|x| {
        match (x % 3, Pair(x, 4)) {
            (0, Pair(a, b)) => a + b,
            (n, Pair(a, _)) if n == 1 => a,
            _ => 9,
        }
    });
    same!(|x| {
        match (x, (x + 1, 2)) {
            (0, (a, b)) => a + b,
            (_, (7, b)) => b,
            (a, (_, b)) => a * b,
        }
    });
    same!(|x| {
        match (Vec3 { x: 1.0, y: 2.0, z: 3.0 }) {
            Vec3 { x: a, y: b, z: _ } => (a + b) as u32 + x,
        }
    });
}

#[test]
fn assignments_to_some_parts() {
    same!(|x| {
        let (a, b);
        let t = [x, 6, 7];
        [a, .., b] = t;
        a * 10 + b
    });
    same!(|x| {
        let (a, b, c);
        (a, ..) = (x, 5.0, true);
        (.., (b, ..), c) = (7, (a, 1.0), x + 1);
        (..) = (a, b);
        [..] = [a];
        a + 3 * b + 5 * c
    });
    // Parts that are left out are evaluated.
    same!(|x| {
        let a;
        let mut calls = 0;
        let mut next = || {
            calls += 1;
            calls + x
        };
        (.., a) = (next(), next(), next());
        a + calls * 100
    });
    same!(|x| {
        let pair = (x, (1.0, x + 2));
        let a;
        (.., (_, a)) = pair;
        a
    });
}

#[test]
fn references_to_places() {
    same!(|x| {
        let mut a = [1, 2, x];
        let r = &mut a[2];
        *r += 1;
        *r *= 2;
        a[2] + a[0]
    });
    same!(|x| {
        let mut a = [1, 2, x];
        let mut i = 1;
        let r = &mut a[i];
        i = 0;
        *r += 5;
        a[i] * 10 + a[1]
    });
    same!(|x| {
        let mut p = Pair(x, 1);
        let r = &mut p;
        r.0 += 3;
        r.1 = r.0;
        let s = &r.1;
        *s + p.0
    });
    same!(|x| {
        let grid = [[1, 2, 3], [4, 5, x]];
        let row = &grid[(x % 2) as usize];
        row[2] + row[0] + row.len() as u32
    });
    same!(|x| {
        let mut v = x;
        let r = &mut v;
        *r += 1;
        let q = &mut *r;
        *q += 1;
        v
    });
    same!(|x| {
        let mut s = 0;
        for k in 0..3 {
            let mut a = [k, x, 2];
            let r = &mut a[k as usize];
            *r += 1;
            s += a[k as usize];
        }
        s
    });
    same!(|x| {
        let mut p = [Particle {
            position: Vec3 { x: 0.0, y: 1.0, z: 2.0 },
            mass: 0.5,
            kinds: [1, 2, 3, x],
        }; 2];
        let k = &mut p[1].kinds;
        k[3] += 1;
        let q = p[1];
        q.kinds[3] + p[0].kinds[3]
    });
}
