//! Structs of slices as one argument, on every back end.

use vyre::prelude::*;
use vyre::{KernelInfo, Views};
use vyre_runtime::kernel::Kernel;
use vyre_semantics::places::everywhere;
use vyre_semantics::ptx::assemble_quickly;

use self::meshes::Mesh;

mod meshes {
    /// A node, which another module defines.
    #[vyre::device]
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub(super) struct Node {
        pub(super) at: [f32; 2],
        pub(super) fixed: u32,
    }

    /// Values, elements that are structs, and a slice to write.
    #[vyre::device]
    pub(super) struct Mesh<'a> {
        pub(super) x: &'a [f32],
        pub(super) weights: &'a [f32],
        pub(super) nodes: &'a [Node],
        /// The result.
        pub(super) out: &'a mut [f32],
        pub(super) shift: Node,
        pub(super) n: u32,
    }
}

use self::meshes::{MeshViews, Node};

#[vyre::kernel]
fn smooth(mesh: Mesh<'_>, k: f32) {
    let i = thread::index();
    if i < mesh.out.len() && i < mesh.n as usize {
        let node = mesh.nodes[i % mesh.nodes.len()];
        mesh.out[i] = mesh.x[i] * k * mesh.weights[i] + node.at[1] + mesh.shift.at[0];
    }
}

/// The same in plain Rust.
fn smoothed(mesh: &mut Mesh<'_>, k: f32) {
    for i in 0..mesh.out.len().min(mesh.n as usize) {
        let node = mesh.nodes[i % mesh.nodes.len()];
        mesh.out[i] = mesh.x[i] * k * mesh.weights[i] + node.at[1] + mesh.shift.at[0];
    }
}

const LENGTH: usize = 1000;

fn values(step: f32) -> Vec<f32> {
    (0..LENGTH).map(|i| (i % 97) as f32 * step - 3.0).collect()
}

fn nodes() -> Vec<Node> {
    let node = |i| Node {
        at: [i as f32, 0.5 * i as f32],
        fixed: i,
    };
    (0..7).map(node).collect()
}

const SHIFT: Node = Node {
    at: [0.25, 9.0],
    fixed: 1,
};

#[test]
fn as_plain_rust() {
    let (x, weights, nodes, n) = (values(0.5), values(0.125), nodes(), LENGTH as u32 - 3);
    let mut expected = vec![7.0; LENGTH];
    let mut mesh = Mesh {
        x: &x,
        weights: &weights,
        nodes: &nodes,
        out: &mut expected,
        shift: SHIFT,
        n,
    };
    smoothed(&mut mesh, 0.75);
    everywhere(|place| {
        let device = place.device();
        let (x, weights) = (device.upload(&x)?, device.upload(&weights)?);
        let (nodes, mut out) = (device.upload(&nodes)?, device.upload(&[7.0; LENGTH])?);
        let views = MeshViews {
            x: &x,
            weights: &weights,
            nodes: &nodes,
            out: &mut out,
            shift: SHIFT,
            n,
        };
        place.over(smooth(views, 0.75), LENGTH)?;
        assert_eq!(out.download()?, expected, "on {}", place.name());
        // Parts of buffers, and a field that is set later.
        let mut half = device.zeros(LENGTH / 2)?;
        let views = MeshViews {
            x: x.slice(1..)?,
            weights: weights.slice(1..)?,
            nodes: nodes.slice(..)?,
            out: &mut half,
            shift: SHIFT,
            n,
        };
        let mut launch = smooth(views, 0.75);
        launch.mesh.nodes = nodes.slice(1..)?;
        launch.mesh.shift.at[0] = 1.25;
        place.over(launch, LENGTH / 2)?;
        assert_eq!(
            half.download()?[..6],
            expected[1..7].iter().map(|v| v + 1.0).collect::<Vec<_>>()
        );
        Ok(())
    });
}

/// Its fields are parameters of the program, whose names lead to them.
#[test]
fn names() {
    assert_eq!(
        Smooth::info().parameters,
        [
            "mesh.x",
            "mesh.weights",
            "mesh.nodes",
            "mesh.out",
            "mesh.shift",
            "mesh.n",
            "k"
        ]
    );
}

#[test]
fn dispatched() {
    let (x, weights, nodes) = (values(0.5), values(0.125), nodes());
    let (mut expected, mut out) = (vec![1.0; LENGTH], vec![1.0; LENGTH]);
    let of = |out| Mesh {
        x: &x,
        weights: &weights,
        nodes: &nodes,
        out,
        shift: SHIFT,
        n: 900,
    };
    smoothed(&mut of(&mut expected), 2.0);
    Smooth::dispatch(&Device::cpu(), LENGTH, of(&mut out), 2.0).unwrap();
    assert_eq!(out, expected);
}

/// By a device function of the whole, by reference and by value, and by functions of fields.
#[vyre::device]
fn value(mesh: &Mesh<'_>, i: usize) -> f32 {
    mesh.x[i] * mesh.weights[i % mesh.weights.len()] + mesh.shift.at[0] + last(mesh.nodes) + mesh.out[i]
}

#[vyre::device]
fn last(nodes: &[Node]) -> f32 {
    nodes[nodes.len() - 1].at[0]
}

#[vyre::device]
fn store(mesh: Mesh<'_>, i: usize, value: f32) {
    mesh.out[i] = value * mesh.n as f32;
}

#[vyre::kernel]
fn by_functions(k: f32, mut mesh: Mesh<'_>) {
    let i = thread::index();
    mesh.n += 1;
    if i < mesh.out.len() {
        let scaled = |v: f32| v * k + mesh.x[0];
        let value = scaled(value(&mesh, i));
        store(mesh, i, value);
    }
}

#[test]
fn functions() {
    let (x, weights, nodes) = (values(0.5), values(0.125), nodes());
    let plain = |i: usize| {
        let value = x[i] * weights[i % 5] + 0.25 + 6.0 + 7.0;
        (value * 0.5 + x[0]) * 10.0
    };
    let expected: Vec<f32> = (0..LENGTH).map(plain).collect();
    everywhere(|place| {
        let device = place.device();
        let (x, weights) = (device.upload(&x)?, device.upload(&weights)?);
        let (nodes, mut out) = (device.upload(&nodes)?, device.upload(&[7.0; LENGTH])?);
        let weights = weights.slice(..5)?;
        let views = MeshViews {
            x: &x,
            weights,
            nodes: &nodes,
            out: &mut out,
            shift: SHIFT,
            n: 9,
        };
        place.over(by_functions(0.5, views), LENGTH)?;
        assert_eq!(out.download()?, expected, "on {}", place.name());
        Ok(())
    });
}

/// By functions that write through `&mut`, and pass it on.
#[vyre::device]
fn add(mesh: &mut Mesh<'_>, i: usize, value: f32) {
    mesh.out[i] += value;
    count(mesh, 1);
    mesh.shift.at[0] += value_behind(mesh, i);
}

#[vyre::device]
fn count(mesh: &mut Mesh<'_>, by: u32) {
    mesh.n += by;
}

#[vyre::device]
fn value_behind(mesh: &Mesh<'_>, i: usize) -> f32 {
    mesh.out[i] * 0.5 + mesh.n as f32
}

#[vyre::kernel]
fn written(mut mesh: Mesh<'_>) {
    let i = thread::index();
    if i < mesh.out.len() {
        for k in 0..3 {
            let value = mesh.x[(i + k) % mesh.x.len()];
            add(&mut mesh, i, value);
        }
        mesh.out[i] += mesh.shift.at[0] + mesh.n as f32 + mesh.shift.at[1];
    }
}

#[test]
fn mutable_references() {
    let (x, weights, nodes) = (values(0.5), values(0.125), nodes());
    let plain = |i: usize| {
        let (mut out, mut n, mut shift) = (7.0, 5, SHIFT.at[0]);
        for k in 0..3 {
            out += x[(i + k) % x.len()];
            n += 1;
            shift += out * 0.5 + n as f32;
        }
        out + (shift + n as f32 + SHIFT.at[1])
    };
    let expected: Vec<f32> = (0..LENGTH).map(plain).collect();
    everywhere(|place| {
        let device = place.device();
        let (x, weights) = (device.upload(&x)?, device.upload(&weights)?);
        let (nodes, mut out) = (device.upload(&nodes)?, device.upload(&[7.0; LENGTH])?);
        let views = MeshViews {
            x: &x,
            weights: &weights,
            nodes: &nodes,
            out: &mut out,
            shift: SHIFT,
            n: 5,
        };
        place.over(written(views), LENGTH)?;
        assert_eq!(out.download()?, expected, "on {}", place.name());
        Ok(())
    });
}

/// Atomics, matrices and slices that integers of all types index, beside an `#[each]`.
#[vyre::device]
struct Lookup<'a> {
    table: &'a Slice<u32>,
    counts: &'a [AtomicU32],
    square: Slice2<'a, u32>,
    sums: SliceMut2<'a, u32>,
}

#[vyre::device]
fn set(tables: &mut Lookup<'_>, at: [usize; 2], value: u32) {
    tables.sums[[at[0], at[1]]] = tables.square[[at[1], at[0]]] + value;
}

#[vyre::kernel]
fn tables(mut tables: Lookup<'_>, #[each] x: &u32) {
    let value = tables.table[*x % 4];
    tables.counts[value as usize % tables.counts.len()].fetch_add(*x, Ordering::Relaxed);
    let (row, column) = (thread::index() / 8, thread::index() % 8);
    set(&mut tables, [row, column], value);
}

#[test]
fn all_kinds() {
    everywhere(|place| {
        let device = place.device();
        let x: Vec<u32> = (0..64).collect();
        let square: Vec<u32> = (0..64).map(|i| i * 100).collect();
        let (given, table) = (device.upload(&x)?, device.upload(&[3, 1, 4, 1])?);
        let (square, mut sums) = (device.upload(&square)?, device.zeros::<u32>(64)?);
        let mut counts = device.zeros::<u32>(4)?;
        let views = LookupViews {
            table: &table,
            counts: &mut counts,
            square: square.view2(8, 8)?,
            sums: sums.view2_mut(8, 8)?,
        };
        place.over(tables(views, &given), 64)?;
        let expected: Vec<u32> = (0..64u32)
            .map(|i| (i % 8 * 8 + i / 8) * 100 + [3, 1, 4, 1][i as usize % 4])
            .collect();
        assert_eq!(sums.download()?, expected, "on {}", place.name());
        let sum = |of: u32| (0..64).filter(|i| [3, 1, 4, 1][*i as usize % 4] % 4 == of).sum::<u32>();
        assert_eq!(counts.download()?, [0, 1, 2, 3].map(sum), "on {}", place.name());
        Ok(())
    });
}

/// Instances of a generic kernel.
#[vyre::device]
struct Keyed<'a> {
    keys: &'a [u32],
    sizes: &'a mut [u32],
}

#[vyre::kernel(T = [f32, u32], N = [2, 3])]
fn counted<T: Number, const N: usize>(of: Keyed<'_>, values: &[T], limit: T) {
    let i = thread::index();
    if i < of.sizes.len() && i < values.len() {
        of.sizes[i] = if values[i] < limit {
            of.keys[i] * N as u32
        } else {
            of.keys[i]
        };
    }
}

fn keyed<'b>(keys: &'b DeviceBuffer<u32>, sizes: &'b mut DeviceBuffer<u32>) -> impl Views<'b, Keyed<'b>> {
    KeyedViews { keys, sizes }
}

#[test]
fn generic() {
    everywhere(|place| {
        let device = place.device();
        let (keys, mut sizes) = (device.upload(&[1, 2, 3, 4])?, device.zeros(4)?);
        let values = device.upload(&[4.0f32, 1.0, 3.0, 2.0])?;
        place.over(
            counted::<f32, 3>(
                KeyedViews {
                    keys: &keys,
                    sizes: &mut sizes,
                },
                &values,
                2.5,
            ),
            4,
        )?;
        assert_eq!(sizes.download()?, [1, 6, 3, 12], "on {}", place.name());
        let values = device.upload(&[4u32, 1, 3, 2])?;
        place.over(counted::<u32, 2>(keyed(&keys, &mut sizes), &values, 4), 4)?;
        assert_eq!(sizes.download()?, [1, 4, 6, 8], "on {}", place.name());
        Ok(())
    });
}

/// The kernel with the fields as parameters.
mod apart {
    use super::Node;
    use vyre::prelude::*;

    #[vyre::kernel]
    pub(super) fn smooth(x: &[f32], weights: &[f32], nodes: &[Node], out: &mut [f32], shift: Node, n: u32, k: f32) {
        let i = thread::index();
        if i < out.len() && i < n as usize {
            let node = nodes[i % nodes.len()];
            out[i] = x[i] * k * weights[i] + node.at[1] + shift.at[0];
        }
    }
}

/// The machine code is the same.
#[test]
fn ptx_of_fields() {
    let instructions = |info: &KernelInfo| {
        let lines = info.ptx.lines().filter(|line| !line.trim_start().starts_with(".loc"));
        let lines: Vec<_> = lines.filter(|line| !line.starts_with(".file")).collect();
        lines.join("\n").replace("mesh_", "").replace("mesh.", "")
    };
    let ptx = instructions(Smooth::info());
    assert!(ptx.contains("fma") || ptx.contains("mul.rn.f32"), "{ptx}");
    assert_eq!(ptx, instructions(apart::Smooth::info()));
    assemble_quickly(ByFunctions::info());
}
