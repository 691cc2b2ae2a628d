//! Structs that ask for an alignment: their fields are loaded and stored by vector instructions, in every memory.

use vyre::prelude::*;
use vyre_runtime::kernel::Kernel;
use vyre_semantics::places::everywhere;

vyre_semantics::kernels! { Whole Parts Tiles Widths Apart Between Locals }

#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(16))]
struct Quad {
    x: f32,
    y: f32,
    z: f32,
    w: f32,
}

/// Two types of one size, and one narrow one. `repr(C)` is added.
#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(16))]
struct Mixed {
    count: u32,
    weight: f32,
    bytes: [i8; 4],
    halves: [u16; 2],
}

#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(16))]
struct Pair<T> {
    low: T,
    high: T,
}

fn quad(i: usize) -> Quad {
    let of = |k: usize| ((i * 31 + k * 7) % 101) as f32 * 0.25 - 9.0;
    Quad {
        x: of(0),
        y: of(1),
        z: of(2),
        w: of(3),
    }
}

fn quads(count: usize) -> Vec<Quad> {
    (0..count).map(quad).collect()
}

/// Slices, parts of slices that begin anywhere, and a parameter.
#[vyre::kernel]
fn whole(x: &[Quad], scale: Quad, y: &mut [Quad]) {
    let i = thread::index();
    if i < y.len() {
        let rest = &x[i % 3..];
        let q = rest[0];
        y[i] = Quad {
            x: q.w * scale.x,
            y: q.z * scale.y,
            z: q.y * scale.z,
            w: q.x + scale.w,
        };
    }
}

#[test]
fn structs_as_a_whole() {
    let (x, scale) = (
        quads(100),
        Quad {
            x: 2.0,
            y: -1.0,
            z: 0.5,
            w: 3.0,
        },
    );
    let expected = |i: usize| {
        let q = x[i % 3];
        Quad {
            x: q.w * scale.x,
            y: -q.z,
            z: q.y * scale.z,
            w: q.x + scale.w,
        }
    };
    everywhere(|place| {
        let (given, mut y) = (place.device().upload(&x)?, place.device().upload(&quads(70))?);
        place.over(whole(&given, scale, &mut y), 70)?;
        for (i, y) in y.download()?.into_iter().enumerate() {
            assert_eq!(y, expected(i), "{i} on {}", place.name());
        }
        Ok(())
    });
    let ptx = Whole::info().ptx;
    assert!(
        ptx.contains("ld.global.nc.v4.f32") && ptx.contains("st.global.v4.f32"),
        "{ptx}"
    );
}

/// Some fields: two neighbours, two that are none, three.
#[vyre::kernel]
fn parts(x: &[Quad], y: &mut [Quad]) {
    let i = thread::index();
    if i < y.len() {
        y[i].z = x[i].x + x[i].y;
        y[i].w = x[i].x - x[i].y;
        let j = (i + 1) % y.len();
        y[i].x = x[j].y * x[j].z;
    }
}

#[test]
fn some_fields() {
    let x = quads(70);
    everywhere(|place| {
        let (given, mut y) = (place.device().upload(&x)?, place.device().upload(&x)?);
        place.over(parts(&given, &mut y), 70)?;
        let y = y.download()?;
        for i in 0..70 {
            let j = (i + 1) % 70;
            let expected = Quad {
                x: x[j].y * x[j].z,
                y: quad(i).y,
                z: x[i].x + x[i].y,
                w: x[i].x - x[i].y,
            };
            assert_eq!(y[i], expected, "{i} on {}", place.name());
        }
        Ok(())
    });
    let ptx = Parts::info().ptx;
    assert!(
        ptx.contains("ld.global.nc.v2.f32") && ptx.contains("st.global.v2.f32"),
        "{ptx}"
    );
    assert!(!ptx.contains(".v4.f32"), "{ptx}");
}

/// Static and dynamic shared memory, and a struct in an array that is no multiple of 16 bytes.
#[vyre::kernel(block = 64)]
fn tiles(x: &[Quad], y: &mut [Quad], odd: &mut [[f32; 3]]) {
    let (i, t) = (thread::index(), thread::idx().x);
    let tile = shared::<[Quad; 64]>();
    let triples = shared::<[[f32; 3]; 64]>();
    tile[t] = x[i];
    triples[t] = [x[i].x, x[i].y, x[i].z];
    block::sync();
    let other = tile[63 - t];
    y[i] = Quad {
        x: other.y,
        y: other.x,
        z: other.w,
        w: other.z,
    };
    odd[i] = triples[63 - t];
}

#[test]
fn shared_memory() {
    let x = quads(128);
    everywhere(|place| {
        let device = place.device();
        let (given, mut y, mut odd) = (device.upload(&x)?, device.upload(&x)?, device.zeros::<[f32; 3]>(128)?);
        place.over(tiles(&given, &mut y, &mut odd), 128)?;
        let (y, odd) = (y.download()?, odd.download()?);
        for i in 0..128 {
            let o = x[i / 64 * 64 + 63 - i % 64];
            assert_eq!(
                y[i],
                Quad {
                    x: o.y,
                    y: o.x,
                    z: o.w,
                    w: o.z
                },
                "{i}"
            );
            assert_eq!(odd[i], [o.x, o.y, o.z], "{i}");
        }
        Ok(())
    });
    let ptx = Tiles::info().ptx;
    assert!(
        ptx.contains("ld.shared.v4.f32") && ptx.contains("st.shared.v4.f32"),
        "{ptx}"
    );
}

/// Words of every width, and of two types.
#[vyre::kernel]
fn widths(mixed: &mut [Mixed], doubles: &mut [Pair<f64>], words: &mut [Pair<u64>]) {
    let i = thread::index();
    if i < mixed.len() {
        let m = mixed[i];
        mixed[i] = Mixed {
            count: m.count + m.halves[1] as u32 + m.halves[0] as u32,
            weight: m.weight * 2.0,
            bytes: [m.bytes[3], m.bytes[2], m.bytes[1], m.bytes[0]],
            halves: [m.halves[1], 7],
        };
        doubles[i] = Pair {
            low: doubles[i].high,
            high: doubles[i].low,
        };
        words[i] = Pair {
            low: words[i].high + 1,
            high: words[i].low,
        };
    }
}

#[test]
fn every_width() {
    let mixed = |i: usize| Mixed {
        count: i as u32 * 3,
        weight: i as f32 - 4.5,
        bytes: [i as i8, -1, -(i as i8), 100],
        halves: [i as u16, 65535 - i as u16],
    };
    everywhere(|place| {
        let device = place.device();
        let m: Vec<Mixed> = (0..40).map(mixed).collect();
        let d: Vec<Pair<f64>> = (0..40)
            .map(|i| Pair {
                low: f64::from(i),
                high: -0.5,
            })
            .collect();
        let w: Vec<Pair<u64>> = (0..40)
            .map(|i| Pair {
                low: i,
                high: 1 << (i + 10),
            })
            .collect();
        let (mut m, mut d, mut w) = (device.upload(&m)?, device.upload(&d)?, device.upload(&w)?);
        place.over(widths(&mut m, &mut d, &mut w), 40)?;
        let (m, d, w) = (m.download()?, d.download()?, w.download()?);
        for i in 0..40 {
            let old = mixed(i);
            let expected = Mixed {
                count: old.count + u32::from(old.halves[1]) + u32::from(old.halves[0]),
                weight: old.weight * 2.0,
                bytes: [old.bytes[3], old.bytes[2], old.bytes[1], old.bytes[0]],
                halves: [old.halves[1], 7],
            };
            assert_eq!(m[i], expected, "{i}");
            assert_eq!(
                d[i],
                Pair {
                    low: -0.5,
                    high: i as f64
                }
            );
            assert_eq!(
                w[i],
                Pair {
                    low: (1 << (i + 10)) + 1,
                    high: i as u64
                }
            );
        }
        Ok(())
    });
    let ptx = Widths::info().ptx;
    for wanted in ["v2.b32", "v4.s8", "v2.u16", "v2.f64", "v2.u64"] {
        assert!(ptx.contains(&format!("ld.global.{wanted}")), "{wanted}: {ptx}");
        assert!(ptx.contains(&format!("st.global.{wanted}")), "{wanted}: {ptx}");
    }
}

/// A store between the loads of two fields may change the second one, so it stays between them.
#[vyre::kernel(block = 1)]
fn apart(x: &mut [Quad], from: u32) {
    let first = x[from as usize].x;
    x[0].y = first + 1.0;
    x[1].y = x[from as usize].y;
}

#[test]
fn stores_stay_between_loads() {
    everywhere(|place| {
        let mut x = place.device().upload(&quads(2))?;
        place.over(apart(&mut x, 0), 1)?;
        let x = x.download()?;
        assert_eq!([x[0].y, x[1].y], [quad(0).x + 1.0; 2]);
        Ok(())
    });
}

/// A bounds check between two stores: the first is done where the second fails.
#[vyre::kernel(block = 1)]
fn between(x: &mut [Quad], y: &mut [f32], at: u32) {
    x[0].x = 1.5;
    y[at as usize] = 2.0;
    x[0].y = 2.5;
}

#[test]
fn faults_stay_between_stores() {
    everywhere(|place| {
        let (mut x, mut y) = (place.device().upload(&quads(1))?, place.device().zeros::<f32>(1)?);
        place.over(between(&mut x, &mut y, 0), 1)?;
        assert_eq!(
            x.download()?,
            [Quad {
                x: 1.5,
                y: 2.5,
                ..quad(0)
            }]
        );
        Ok(())
    });
    let ptx = Between::info().ptx;
    assert!(!ptx.contains("v2.f32"), "{ptx}");
}

/// Arrays of structs of one thread.
#[vyre::kernel]
fn locals(x: &[Quad], by: u32, y: &mut [Quad]) {
    let i = thread::index();
    if i < y.len() {
        let mut all = [x[i]; 6];
        for k in 0..6 {
            all[(k * by as usize) % 6].z += k as f32;
        }
        y[i] = all[(i + by as usize) % 6];
    }
}

#[test]
fn arrays_of_a_thread() {
    let x = quads(20);
    everywhere(|place| {
        let (given, mut y) = (place.device().upload(&x)?, place.device().upload(&x)?);
        place.over(locals(&given, 5, &mut y), 20)?;
        let y = y.download()?;
        for i in 0..20 {
            let mut all = [x[i]; 6];
            for k in 0..6 {
                all[(k * 5) % 6].z += k as f32;
            }
            assert_eq!(y[i], all[(i + 5) % 6], "{i}");
        }
        Ok(())
    });
}
