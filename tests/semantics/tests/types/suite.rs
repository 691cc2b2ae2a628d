//! Structs and enums of the user in buffers, parameters, shared memory and variables: the
//! interpreter, the CPU and, where there is one, a GPU, against plain Rust.

use vyre::{Error, FaultKind};
use vyre_semantics::everywhere;

use super::kernels::{self, Affine, Best, Particle, Phase, Step, Vec3};

fn vec3(n: usize) -> Vec3 {
    let n = n as f32;
    Vec3 {
        x: n * 0.25,
        y: 10.0 - n,
        z: n * n,
    }
}

fn particle(n: usize) -> Particle {
    Particle {
        position: vec3(n),
        velocity: vec3(n + 3),
        mass: 1.0 / (n as f64 + 1.0),
        near: [n as u16, 2, 3 * n as u16],
        phase: [Phase::Solid, Phase::Liquid, Phase::Gas][n % 3],
        free: n.is_multiple_of(2),
    }
}

#[test]
fn layouts_are_those_of_the_host() {
    assert_eq!((size_of::<Particle>(), align_of::<Particle>()), (40, 8));
    assert_eq!(std::mem::offset_of!(Particle, near), 32);
    assert_eq!(Phase::Gas as u8, 8);
}

#[test]
fn fields_are_read_and_written_in_place() {
    let step = Step {
        gravity: Vec3 {
            x: 0.0,
            y: -9.5,
            z: 0.25,
        },
        dt: 0.125,
    };
    let particles: Vec<Particle> = (0..300).map(particle).collect();
    let mut wanted = particles.clone();
    for p in wanted.iter_mut().filter(|p| p.free) {
        p.velocity.x += step.gravity.x * step.dt;
        p.velocity.y += step.gravity.y * step.dt;
        p.velocity.z += step.gravity.z * step.dt;
        p.position.x += p.velocity.x * step.dt;
        p.position.y += p.velocity.y * step.dt;
        p.position.z += p.velocity.z * step.dt;
    }
    everywhere(|place| {
        let mut there = place.device().upload(&particles)?;
        place.over(kernels::advance(step, &mut there), 300usize)?;
        assert_eq!(there.download()?, wanted);
        Ok(())
    });
}

#[test]
fn whole_structs_are_read_and_written() {
    let from: Vec<Particle> = (0..300).map(particle).collect();
    let renewed = |p: &Particle| {
        let phase = match p.phase {
            Phase::Solid => Phase::Liquid,
            Phase::Liquid if p.free => Phase::Gas,
            other => other,
        };
        Particle {
            position: p.position,
            velocity: p.position,
            mass: p.mass * 0.5,
            near: [p.near[0], p.near[0] + p.near[2], p.near[2]],
            phase,
            free: phase == Phase::Gas,
        }
    };
    let wanted: Vec<Particle> = from.iter().map(renewed).collect();
    everywhere(|place| {
        let there = place.device().upload(&from)?;
        let mut to = place.device().zeros::<Particle>(300)?;
        place.over(kernels::renew(&there, &mut to), 300usize)?;
        assert_eq!(to.download()?, wanted);
        Ok(())
    });
}

#[test]
fn structs_in_shared_memory() {
    let values: Vec<f32> = (0..1000).map(|i| (i * 7919 % 1009) as f32).collect();
    let least = |block: &[f32], first: usize| {
        let mut best = Best(f32::INFINITY, u32::MAX);
        for (i, &value) in block.iter().enumerate() {
            if value < best.0 {
                best = Best(value, (first + i) as u32);
            }
        }
        best
    };
    let wanted: Vec<Best> = values
        .chunks(64)
        .enumerate()
        .map(|(n, block)| least(block, n * 64))
        .collect();
    everywhere(|place| {
        let there = place.device().upload(&values)?;
        let mut found = place.device().zeros::<Best>(wanted.len())?;
        place.over(kernels::least(&there, &mut found), 1000usize)?;
        assert_eq!(found.download()?, wanted);
        Ok(())
    });
}

#[test]
fn arrays_as_elements() {
    let rows = [[vec3(1), vec3(2)], [vec3(3), vec3(4)], [vec3(5), vec3(6)]];
    let before: Vec<[f32; 3]> = (0..200).map(|n| [n as f32, 1.0, -(n as f32)]).collect();
    let turned = |(n, [x, y, z]): (usize, &[f32; 3])| {
        let [a, b] = rows[n % 3];
        [x * a.x + y * a.y + z * a.z, x * b.x + y * b.y + z * b.z, *z]
    };
    let wanted: Vec<[f32; 3]> = before.iter().enumerate().map(turned).collect();
    everywhere(|place| {
        let mut there = place.device().upload(&before)?;
        place.over(kernels::turn(&mut there, &place.device().upload(&rows)?), 200usize)?;
        assert_eq!(there.download()?, wanted);
        Ok(())
    });
}

#[test]
fn local_arrays_of_structs() {
    let keys: Vec<u32> = (0..800u32).map(|i| i.wrapping_mul(2_654_435_761) >> 7).collect();
    let order = |keys: &[u32]| {
        let mut all: Vec<usize> = (0..8).collect();
        all.sort_by_key(|&k| keys[k] % 100);
        all.iter().fold(0, |digits, &k| digits * 8 + k as u32)
    };
    let wanted: Vec<u32> = keys.chunks(8).map(order).collect();
    everywhere(|place| {
        let mut sorted = place.device().zeros::<u32>(100)?;
        place.over(kernels::sort(&place.device().upload(&keys)?, &mut sorted), 100usize)?;
        assert_eq!(sorted.download()?, wanted);
        Ok(())
    });
}

#[test]
fn references_and_loops_over_elements() {
    let weights = [0.5f32, 1.5, -2.0, 4.0, 8.25];
    let particles: Vec<Particle> = (0..100).map(particle).collect();
    let rows: Vec<[u32; 4]> = (0..90).map(|n| [n, 1, 2 * n, 7]).collect();
    let (mut wanted, mut wanted_rows) = (particles.clone(), rows.clone());
    for (i, p) in wanted.iter_mut().enumerate() {
        for (k, w) in weights.iter().enumerate() {
            match k % 3 {
                0 => p.velocity.x += w,
                1 => p.velocity.y += w,
                _ => p.velocity.z -= w,
            }
        }
        p.near = p.near.map(|n| n + 1);
        if p.phase == Phase::Gas {
            p.near[2] = 0;
        }
        if let Some(row) = wanted_rows.get_mut(i) {
            row.rotate_right(1);
            let mut sum = p.near.iter().rev().fold(0, |sum, &n| sum * 3 + u32::from(n));
            while sum >= 10 {
                sum /= 2;
            }
            row[0] += sum;
        }
    }
    everywhere(|place| {
        let mut there = place.device().upload(&particles)?;
        let mut rows = place.device().upload(&rows)?;
        let weights = place.device().upload(&weights)?;
        place.over(kernels::visit(&weights, &mut there, &mut rows), 100usize)?;
        assert_eq!(there.download()?, wanted);
        assert_eq!(rows.download()?, wanted_rows);
        Ok(())
    });
}

#[test]
fn a_reference_to_nothing_is_a_fault() {
    everywhere(|place| {
        let mut particles = place.device().upload(&[particle(1)])?;
        let error = place.over(kernels::refer(3, &mut particles), 1usize).unwrap_err();
        let Error::Fault(fault) = error else { panic!("{error}") };
        assert_eq!((fault.kind, fault.values), (FaultKind::IndexOutOfBounds, [3, 1]));
        Ok(())
    });
}

#[test]
fn arrays_by_value() {
    let by = Affine {
        rows: [[1.0, 0.5, 0.0], [0.0, -2.0, 4.0], [0.25, 0.0, 3.0]],
        shift: [10.0, 20.0, 30.0],
        axes: [true, false, true, false],
    };
    let order = [2, 1, 0];
    let before: Vec<[f32; 3]> = (0..100).map(|n| [n as f32, 1.0, -(n as f32)]).collect();
    let transformed = |old: &[f32; 3]| {
        let mut v = *old;
        for (k, axis) in order.iter().map(|&axis| axis as usize).enumerate() {
            if by.axes[axis] {
                let products = by.rows[axis].iter().zip(old);
                v[k] = products.fold(by.shift[axis], |sum, (a, b)| sum + a * b);
            }
        }
        v
    };
    let wanted: Vec<[f32; 3]> = before.iter().map(transformed).collect();
    everywhere(|place| {
        let mut there = place.device().upload(&before)?;
        place.over(kernels::transform(by, order, &mut there), 100usize)?;
        assert_eq!(there.download()?, wanted);
        Ok(())
    });
}

#[test]
fn whole_structs_are_compared() {
    let a: Vec<Particle> = (0..60).map(particle).collect();
    let mut b = a.clone();
    for (n, p) in b.iter_mut().enumerate() {
        match n % 6 {
            0 => p.free = !p.free,
            1 => p.near[2] += 1,
            2 => p.velocity.y = f32::NAN,
            3 => {
                p.phase = if p.phase == Phase::Gas {
                    Phase::Solid
                } else {
                    Phase::Gas
                }
            }
            _ => {}
        }
    }
    let wanted: Vec<bool> = a.iter().zip(&b).map(|(a, b)| a == b).collect();
    everywhere(|place| {
        let (a, b) = (place.device().upload(&a)?, place.device().upload(&b)?);
        let mut same = place.device().zeros::<bool>(60)?;
        place.over(kernels::same(&a, &b, &mut same), 60usize)?;
        assert_eq!(same.download()?, wanted);
        Ok(())
    });
}

#[test]
fn an_index_out_of_bounds_is_a_fault() {
    everywhere(|place| {
        let mut particles = place.device().upload(&[particle(1)])?;
        let error = place.over(kernels::beyond(1, &mut particles), 1usize).unwrap_err();
        let Error::Fault(fault) = error else { panic!("{error}") };
        assert_eq!((fault.kind, fault.values), (FaultKind::IndexOutOfBounds, [1, 1]));
        Ok(())
    });
}

#[test]
fn types_with_parameters() {
    let node = |i: u32| kernels::Node {
        key: (i * 7 % 11) as f32,
        below: [i * 3 % 13, (i + 5) % 13],
    };
    let nodes: Vec<kernels::Fork<f32>> = (0..13).map(node).collect();
    let (root, begin) = (node(20), kernels::spans::Span { low: 0.0, high: 4.5 });
    everywhere(|place| {
        let there = place.device().upload(&nodes)?;
        let mut keys = place.device().upload(&[begin; 40])?;
        place.over(kernels::descend(root, &there, &mut keys), 40usize)?;
        for (i, keys) in keys.download()?.into_iter().enumerate() {
            let mut wanted = kernels::spans::way(&nodes, root, i as u32);
            wanted.extend(4.5);
            assert_eq!(keys, wanted);
        }
        Ok(())
    });
}
