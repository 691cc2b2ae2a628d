//! Structs, enums and tuples as values.

use super::{Compared, Deep, Kind, Many, Pair, Particle, Sign, Vec3, inner, run, state, r#struct, word};

#[test]
fn literals_and_fields() {
    same!(|x| {
        let p = Pair(x, x + 1);
        p.0 * 3 + p.1
    });
    same!(|x| {
        let p = Pair { 1: x, 0: 7 };
        p.0 * 3 + p.1
    });
    same!(|x| {
        let mut v = Vec3 {
            x: 1.0,
            y: x as f32,
            z: 0.5,
        };
        v.z += v.y;
        v.x = v.z * 2.0;
        (v.x + v.y) as u32
    });
    same!(|x| {
        let y = x as f32;
        let v = Vec3 { z: y, y, x: 3.0 };
        let w = Vec3 { x: 9.0, ..v };
        (w.x + w.y * 2.0 + w.z) as u32
    });
    same!(|x| { Pair(x, 2).1 + Vec3 { x: 2.5, y: 0.0, z: 0.0 }.x as u32 });
    same!(|x| {
        let mut p = Particle {
            position: Vec3 { x: 0.0, y: 1.0, z: 2.0 },
            mass: 0.5,
            kinds: [1, 2, 3, 4],
        };
        p.kinds[(x % 4) as usize] += x;
        p.position.y = p.mass * 8.0;
        let q = p;
        p.kinds[0] = 77;
        q.kinds[0] + q.kinds[1] * 3 + q.kinds[3] + q.position.y as u32 + p.kinds[0]
    });
    same!(|x| {
        let a: Many = [Pair(1, 2), Pair(x, 4), Pair(5, 6)];
        let mut a = a;
        a[1].1 += 2;
        a[(x % 3) as usize].0 + a[1].1
    });
    same!(|x| {
        let d = Deep {
            pair: Pair(x, 1),
            more: [inner::Flag { on: x > 2 }; inner::LENGTH],
        };
        d.pair.0 + d.more[7].on as u32
    });
    same!(|x| {
        let v = inner::ORIGIN;
        (v.x * 2.0 + inner::ORIGIN.y * 4.0 - v.z * 4.0) as u32 + x
    });
    same!(|x| {
        const A: [Pair; 2] = [Pair(1, 2), Pair(3, 4)];
        const B: u32 = A[1].0;
        A[(x % 2) as usize].1 + B
    });
    same!(|x| {
        let p = if x > 3 { Pair(x, 1) } else { Pair(2, x) };
        p.0 * 5 + p.1
    });
    same!(|x| {
        let p;
        if x > 3 {
            p = Pair(x, 1);
        } else {
            p = Pair(2, x);
        }
        let t = (p, x);
        t.0.1 + t.1
    });
    same!(|x| {
        let mut p = Pair(0, 1);
        for _ in 0..x % 16 {
            p = Pair(p.1, p.0 + p.1);
        }
        p.1
    });
    same!(|x| {
        let n = loop {
            break Pair(x, 3);
        };
        n.0 + n.1
    });
}

#[test]
fn odd_names() {
    same!(|x| {
        let s = r#struct {
            r#type: x,
            r#if: inner::Pair { of: 3 },
        };
        let p = Pair(s.r#type, s.r#if.of);
        p.0 + p.1
    });
    same!(|x| {
        let r#struct { r#type: t, r#if } = r#struct {
            r#type: x,
            r#if: inner::Pair { of: 3 },
        };
        t + r#if.of
    });
    same!(|x| {
        let state = if x > 3 { state::On } else { state::Off };
        word::max(x, 7) + (state == state::On) as word + word::from(true) + word::MAX / 2
    });
}

#[test]
fn enums() {
    same!(|x| {
        let k = if x == 0 {
            Kind::Solid
        } else if x < 4 {
            Kind::Liquid
        } else {
            Kind::Gas
        };
        k as u32
    });
    same!(|x| {
        let k = if x == 0 { Kind::Solid } else { Kind::Gas };
        match k {
            Kind::Solid => 3,
            Kind::Liquid => 4,
            Kind::Gas => x,
        }
    });
    same!(|x| {
        let k = if x % 2 == 0 { Kind::Liquid } else { Kind::Gas };
        (k == Kind::Gas) as u32 + 2 * (k != Kind::Solid) as u32
    });
    same!(|x| {
        let s = if x < 2 { Sign::Minus } else { Sign::Plus };
        s as i32 as u32 + Sign::Zero as u32
    });
    same!(|x| {
        let s = if x < 2 { Sign::Minus } else { Sign::Plus };
        (s as i8 as i32 + 9 + s as i64 as i32) as u32
    });
    same!(|x| {
        let t = (if x < 2 { Sign::Minus } else { Sign::Plus }, x);
        match t {
            (Sign::Minus, n) => n,
            (Sign::Zero | Sign::Plus, 5) => 1,
            (_, n) => n * 2,
        }
    });
    same!(|x| {
        const K: Kind = Kind::Liquid;
        let all = [Kind::Gas, K, Kind::Solid];
        all[(x % 3) as usize] as u32
    });
}

#[test]
fn comparisons_of_parts() {
    same!(|x| { (Pair(x, 3) == Pair(5, 3)) as u32 + 2 * (Pair(x, 3) != Pair(5, 3)) as u32 });
    same!(|x| { ((x, 3u8) == (2, 3)) as u32 + 2 * ([x, 1] != [1, 1]) as u32 });
    same!(|x| {
        let a = Compared {
            a: [1.0, x as f32, -0.0],
            pair: Pair(1, 2),
            kind: Kind::Solid,
            more: [Kind::Gas; 3],
        };
        let mut b = a;
        b.a[2] = 0.0;
        let same = a == b;
        b.a[0] = if x > 5 { f32::NAN } else { 1.0 };
        b.kind = if x == 1 { Kind::Gas } else { Kind::Solid };
        same as u32 + 2 * (a == b) as u32 + 4 * (b != b) as u32
    });
    same!(|x| {
        let p = Pair(x, x);
        assert_eq!(p, Pair(x, x));
        if p == Pair(3, 3) && (x, true) != (2, false) {
            1
        } else {
            0
        }
    });
}
