use vyre::prelude::*;

const TWO: u32 = 2;

#[vyre::kernel(cluster = 9)]
fn nine(y: &mut [u32]) {
    y[thread::index()] = cluster::block_rank() as u32;
}

#[vyre::kernel(block = [8, 8], cluster = [4, 4])]
fn sixteen(y: &mut [u32]) {
    y[thread::index()] = 1;
}

#[vyre::kernel(cluster = [2, 0])]
fn none(y: &mut [u32]) {
    y[thread::index()] = 1;
}

#[vyre::kernel(cluster = TWO)]
fn constant(y: &mut [u32]) {
    y[thread::index()] = 1;
}

#[vyre::kernel(cluster = [1, 1, 1, 1])]
fn four_axes(y: &mut [u32]) {
    y[thread::index()] = 1;
}

#[vyre::kernel(block = 64, cluster = [2, 2])]
fn more_axes(y: &mut [u32]) {
    y[thread::index()] = 1;
}

#[vyre::kernel(cluster)]
fn without(y: &mut [u32]) {
    y[thread::index()] = 1;
}

fn main() {}
