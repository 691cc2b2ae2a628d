//! Structs of slices where kernels and device functions do not take them.

use vyre::prelude::*;

#[vyre::device]
struct Mesh<'a> {
    x: &'a [f32],
    out: &'a mut [f32],
    n: u32,
}

#[vyre::kernel]
fn elided(mesh: Mesh, k: f32) {
    mesh.out[thread::index()] = mesh.x[0] * k;
}

#[vyre::kernel]
fn by_reference(mesh: &Mesh<'_>, y: &mut [f32]) {
    y[thread::index()] = mesh.x[0];
}

#[vyre::kernel]
fn buffer(meshes: &[Mesh<'_>], y: &mut [f32]) {
    y[thread::index()] = meshes[0].x[0];
}

#[vyre::kernel]
fn renamed(mesh: Mesh<'_>) {
    let other = mesh;
    other.out[thread::index()] = 1.0;
}

#[vyre::kernel]
fn taken_apart(mesh: Mesh<'_>) {
    let Mesh { x, out, n: _ } = mesh;
    out[thread::index()] = x[0];
}

#[vyre::kernel]
fn assigned(mut mesh: Mesh<'_>) {
    mesh.x = &mesh.x[1..];
    mesh.out[thread::index()] = mesh.x[0];
}

#[vyre::kernel]
fn not_mutable(mesh: Mesh<'_>) {
    mesh.n += 1;
    mesh.out[thread::index()] = mesh.n as f32;
}

#[vyre::kernel]
fn no_such_field(mesh: Mesh<'_>) {
    mesh.out[thread::index()] = mesh.y[0];
}

#[vyre::kernel]
fn annotated(x: &[f32], y: &mut [f32]) {
    let mesh: Mesh<'_> = Mesh { x, out: y, n: 3 };
    mesh.out[0] = 1.0;
}

#[vyre::device]
fn store(Mesh { out, .. }: Mesh<'_>, i: usize) {
    out[i] = 1.0;
}

#[vyre::kernel]
fn replaced(mut mesh: Mesh<'_>) {
    mesh = mesh;
    mesh.out[0] = 1.0;
}

#[vyre::kernel]
fn compared(#[each] mesh: Mesh<'_>) {
    mesh.out[0] = 1.0;
}

#[vyre::kernel]
fn with_types(mesh: Mesh<'_, f32>) {
    mesh.out[0] = 1.0;
}

#[vyre::device]
fn first(x: &[f32]) -> f32 {
    x[0]
}

#[vyre::kernel]
fn passed(mesh: Mesh<'_>) {
    mesh.out[thread::index()] = first(&mesh);
}

#[vyre::kernel(block = 64)]
fn of_the_block(mesh: Mesh<'_>, y: &mut [f32]) {
    y[thread::index()] = block::sum(mesh);
}

#[vyre::device]
struct Tables<'a> {
    a: Slice2<'a, f32>,
    b: Slice2<'a, f32>,
}

#[vyre::kernel]
fn matrices(mut tables: Tables<'_>, y: &mut [f32]) {
    tables.a = tables.b;
    y[thread::index()] = tables.a[[0, 0]];
}

fn main() {}
