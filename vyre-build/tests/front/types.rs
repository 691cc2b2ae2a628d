//! Structs and enums of the user, against plain Rust: each body stands once in a kernel and once in
//! a closure.

#![allow(
    clippy::all,
    dead_code,
    unreachable_pub,
    unused_variables,
    reason = "the bodies are what kernels look like, odd ones included"
)]

use std::str::FromStr;

use vyre_build::front::{self, Names};
use vyre_core::interp;
use vyre_core::valid::validate;

/// Defines items for the closures, and their text for the kernels.
macro_rules! items {
    ($($items:tt)*) => {
        $($items)*
        const ITEMS: &str = stringify!($($items)*);
    };
}
/// Nothing: kernels know the attribute, rustc does not.
macro_rules! device_items {
    ($($items:tt)*) => { items! { $($items)* } };
}
device_items! {
    #[derive(Clone, Copy)]
    #[repr(C)]
    struct Vec3 { x: f32, y: f32, z: f32 }

    #[derive(Clone, Copy)]
    struct Particle { position: Vec3, mass: f32, kinds: [u32; 4] }

    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Pair(u32, u32);

    #[derive(Clone, Copy, PartialEq)]
    struct Compared { a: [f32; 3], pair: Pair, kind: Kind, more: [Kind; 3] }

    #[derive(Clone, Copy)]
    #[allow(non_camel_case_types)]
    struct r#struct { r#type: u32, r#if: inner::Pair }

    #[derive(Clone, Copy, PartialEq)]
    #[repr(u8)]
    enum Kind { Solid, Liquid = 5, Gas }

    #[derive(Clone, Copy)]
    enum Sign { Minus = -1, Zero, Plus }

    type Many = [Pair; 3];

    mod inner {
        #[derive(Clone, Copy)]
        pub struct Deep { pub pair: super::Pair, pub more: [Flag; LENGTH] }
        pub const LENGTH: usize = 8;
        /// Another struct of this name.
        #[derive(Clone, Copy)]
        pub struct Pair { pub of: u32 }
        #[derive(Clone, Copy)]
        pub struct Flag { pub on: bool }
        pub const ORIGIN: super::Vec3 = super::Vec3 { x: 1.0, y: X, z: -2.5 };
        const X: f32 = 0.5;
    }
}
use inner::Deep;

/// The names of the items, each type marked as one of the device.
fn names() -> Names {
    let mut file = syn::parse_file(&format!("{ITEMS} use inner::Deep;")).expect("the items are Rust");
    mark(&mut file.items);
    Names::of_file("types.rs", &file)
}

fn mark(items: &mut [syn::Item]) {
    for item in items {
        let attributes = match item {
            syn::Item::Struct(item) => &mut item.attrs,
            syn::Item::Enum(item) => &mut item.attrs,
            syn::Item::Mod(item) => {
                mark(&mut item.content.as_mut().expect("an inline module").1);
                continue;
            }
            _ => continue,
        };
        attributes.push(syn::parse_quote!(#[vyre::device]));
    }
}

/// Runs `fn k(xs: &[u32], ys: &mut [u32])` with this body of each element.
fn run(body: &str, inputs: &[u32]) -> Vec<u32> {
    let source = format!(
        "fn k(xs: &[u32], ys: &mut [u32]) {{
            let i = thread::index();
            if i < xs.len() {{ let x = xs[i]; ys[i] = {body}; }}
        }}"
    );
    let tokens = proc_macro2::TokenStream::from_str(&source).expect("the source has tokens");
    let lowered = match front::kernel(Default::default(), tokens, &names()) {
        Ok(lowered) => lowered,
        Err(rejected) => panic!("{:#?} or left to rustc\n{source}", rejected.errors),
    };
    let program = match validate(&lowered.program) {
        Ok(program) => program,
        Err(faults) => panic!("{faults:#?}\n{}", vyre_core::text::print(&lowered.program)),
    };
    vyre_core::compile(program, &Default::default()).expect("compiles");
    let text = vyre_core::text::print(&lowered.program);
    let parsed = vyre_core::text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(vyre_core::text::print(&parsed), text);
    let mut x: Vec<u8> = inputs.iter().flat_map(|x| x.to_le_bytes()).collect();
    let mut y = vec![0u8; x.len()];
    let mut arguments = [interp::Argument::Slice(&mut x), interp::Argument::Slice(&mut y)];
    interp::launch(program, lowered.kernel, &mut arguments, [1, 1, 1]).expect("runs");
    y.chunks(4)
        .map(|word| u32::from_le_bytes(word.try_into().expect("4 bytes")))
        .collect()
}

macro_rules! same {
    (|$x:ident| $body:block) => {{
        let plain = |$x: u32| -> u32 { $body };
        let inputs = [0u32, 1, 2, 3, 5, 6, 7, 100, 1000];
        let expected: Vec<u32> = inputs.iter().map(|&x| plain(x)).collect();
        assert_eq!(run(stringify!($body), &inputs), expected, "{}", stringify!($body));
    }};
}

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
}

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

#[test]
fn loops_over_elements() {
    same!(|x| {
        let a = [1, x, 3];
        let mut s = 0;
        for v in a {
            s = s * 3 + v;
        }
        s
    });
    same!(|x| {
        let a = [1, x, 3];
        let mut s = 0;
        for v in &a {
            s = s * 3 + *v;
        }
        s
    });
    same!(|x| {
        let a = [1, x, 3];
        let mut s = 0;
        for v in a.iter() {
            s = s * 3 + v;
        }
        s
    });
    same!(|x| {
        let a = [1, x, 3];
        let mut s = 0;
        for &v in a.iter().rev() {
            s = s * 3 + v;
        }
        s
    });
    same!(|x| {
        let a = [1, x, 3];
        let mut s = 0;
        for v in a.iter().copied() {
            s = s * 3 + v;
        }
        s
    });
    same!(|x| {
        let mut a = [1, x, 3];
        for v in a.iter_mut() {
            *v += 2;
        }
        for v in &mut a {
            *v *= 2;
        }
        a[0] + a[1] * 3 + a[2]
    });
    same!(|x| {
        let mut a = [1, x, 3];
        let mut s = 0;
        for v in a {
            a[2] = 7;
            s = s * 3 + v;
        }
        s + a[2]
    });
    same!(|x| {
        let a = [Pair(1, 2), Pair(x, 4)];
        let mut s = 0;
        for (i, p) in a.iter().enumerate() {
            if i == 0 {
                continue;
            }
            s += p.0 * 3 + p.1 + i as u32;
        }
        s
    });
    same!(|x| {
        let a = [Pair(1, 2), Pair(x, 4)];
        let mut s = 0;
        for (i, &Pair(p, _)) in a.iter().enumerate() {
            s += p + i as u32;
        }
        s
    });
    same!(|x| {
        let a = [[1, 2], [x, 4]];
        let mut s = 0;
        for row in &a {
            for v in row {
                s = s * 5 + v;
            }
        }
        s
    });
    same!(|x| {
        let a = [[1, 2], [x, 4]];
        let mut s = 0;
        'o: for row in a {
            for mut v in row {
                v += 1;
                if v == 4 {
                    break 'o;
                }
                s = s * 5 + v;
            }
        }
        s
    });
    same!(|x| {
        let mut s = 0;
        for v in [x, 2, 5] {
            s += v;
        }
        s
    });
}

#[test]
fn conditions_that_take_apart() {
    same!(|x| { if let Pair(3, b) = Pair(x, 8) { b } else { 1 } });
    same!(|x| {
        let k = if x > 2 { Kind::Gas } else { Kind::Solid };
        let mut e = 0;
        if let Kind::Gas = k {
            e = 5;
        }
        let n = if let Kind::Solid = k { 1 } else { 2 };
        n + e
    });
    same!(|x| {
        let mut p = Pair(x % 16, 0);
        while let Pair(1.., n) = p {
            p = Pair(p.0 - 1, n + 2);
            if n > 12 {
                break;
            }
        }
        p.1
    });
    same!(|x| {
        let y = if let (0 | 1, n) = (x, 4) {
            let m = n + 1;
            m
        } else if let 2 = x {
            7
        } else {
            x
        };
        let z = y;
        z
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

#[test]
fn matches_as_a_macro() {
    same!(|x| {
        let k = if x > 2 { Kind::Gas } else { Kind::Solid };
        matches!(k, Kind::Gas | Kind::Liquid) as u32
    });
    same!(|x| { (matches!(Pair(x, 3), Pair(1..=5, n) if n > 2) && !matches!((x, 1), (3, _),)) as u32 });
}
