use proc_macro2::TokenStream;
use quote::quote;
use vyre_ir::validate::validate;

use super::{WarpRun, lanes};
use crate::driver;
use crate::generate::host::regions::regions;
use crate::generate::host::{access, locals};
use crate::resolve::names::Names;
use crate::tests::compiled;

/// The lanes of a kernel.
fn count(block: TokenStream, kernel: TokenStream) -> Option<u32> {
    of(block, kernel).map(|(count, _)| count)
}

/// For each region of a kernel, `+` if it has lanes. Runs of regions are in parentheses.
fn regions_of(block: TokenStream, kernel: TokenStream) -> String {
    of(block, kernel).map_or_else(String::new, |(_, regions)| regions)
}

fn of(block: TokenStream, kernel: TokenStream) -> Option<(u32, String)> {
    let lowered = driver::kernel(quote!(block = #block), kernel, &Names::default())
        .unwrap_or_else(|rejected| panic!("it is refused: {:?}", rejected.errors));
    let program = lowered.program;
    let valid = validate(&program).expect("a valid program");
    let kernel = &program.kernels[lowered.kernel];
    let body = &kernel.entries[0].body;
    let info = &valid.info().entries(lowered.kernel)[0].body;
    let declarations = locals::declarations(body, info, kernel.parameters.len());
    let accesses = access::accesses(&program.types, kernel, body, info, &declarations);
    let regions = match info.effects.pauses() {
        true => Some(regions((&program, valid.info()), kernel, body, info)?),
        false => None,
    };
    let found = lanes(
        (&program, valid.info()),
        kernel,
        (body, info),
        &accesses,
        regions.as_ref(),
    )?;
    let mut marks = String::new();
    for (number, plan) in found.plans.iter().enumerate() {
        let is_last = |run: &&WarpRun| run.first + run.regions - 1 == number;
        marks.extend(found.runs.iter().find(|run| run.first == number).map(|_| '('));
        marks.push(if plan.is_some() { '+' } else { '-' });
        marks.extend(found.runs.iter().find(is_last).map(|_| ')'));
    }
    Some((found.count, marks))
}

#[test]
fn neighbours_run_together_through_uniform_loops() {
    let powers = quote! {
        fn powers(x: &[u32], count: u32, y: &mut [u32]) {
            let i = thread::index();
            if i >= y.len() {
                return;
            }
            let mut power = y[i];
            for step in 0..count {
                power = power.wrapping_mul(x[i]) ^ (i as u32 + step);
            }
            y[i] = power;
        }
    };
    for (block, lanes) in [(256u32, Some(32)), (24, Some(16)), (8, Some(8)), (4, None)] {
        assert_eq!(count(quote!(#block), powers.clone()), lanes, "blocks of {block}");
    }
    let columns = quote! {
        fn columns(x: &[f32], width: usize, y: &mut [f32]) {
            let i = thread::index();
            if i < y.len() {
                let (row, column) = (i / width, i % width);
                let mut sum = 0.0;
                for d in 0..5 {
                    sum += x[(row + d).saturating_sub(2).min(y.len() / width - 1) * width + column];
                }
                y[i] = sum;
            }
        }
    };
    assert_eq!(count(quote!(256), columns), Some(32));
}

/// Each would see, or do, another thing than its threads one after the other, or would gain nothing.
#[test]
fn other_bodies_have_no_lanes() {
    let statements = [
        // Without a loop, at elements that are checked for the whole block.
        quote!(y[i] = x[i];),
        // A trip count that varies.
        quote!(for step in 0..x[i] {
            sum += step;
        }),
        // Elements that other threads store.
        quote!(for back in 0..3 {
            sum += y[i + back];
        }),
        // An element that this thread has stored.
        quote!(y[i] = 1; for _ in 0..3 { sum += y[i]; }),
        // A store in a loop, of what is loaded.
        quote!(for step in 0..3 {
            y[i] += step;
        }),
        // An element at an index from memory.
        quote!(for step in 0..3 {
            sum += x[x[i] as usize + step];
        }),
    ];
    for statements in statements {
        let text = statements.to_string();
        let kernel = quote! {
            fn k(x: &[u32], y: &mut [u32]) {
                let i = thread::index();
                let mut sum = 0;
                #statements
                y[i] = sum;
            }
        };
        assert_eq!(count(quote!(256), kernel), None, "{text}");
    }
}

#[test]
fn the_index_of_two_axes_is_known_through_its_tuple() {
    let product = quote! {
        fn product(a: &[f32], b: &[f32], n: usize, c: &mut [f32]) {
            let (column, row) = thread::index_2d();
            if row < n && column < n {
                let mut sum = 0.0;
                for k in 0..n {
                    sum += a[row * n + k] * b[k * n + column];
                }
                c[row * n + column] = sum;
            }
        }
    };
    assert_eq!(count(quote!([16, 16]), product), Some(16));
    // Without a loop, at elements that are not checked for the whole block.
    let stencil = quote! {
        fn stencil(x: &[f32], n: usize, y: &mut [f32]) {
            let (i, j, k) = thread::index_3d();
            if i > 0 && i < n - 1 && j > 0 && j < n - 1 {
                let at = (k * n + j) * n + i;
                y[at] = x[at - 1] + x[at + 1] + x[at - n] + x[at + n];
            }
        }
    };
    assert_eq!(count(quote!([32, 4, 2]), stencil), Some(32));
}

#[test]
fn regions_have_lanes_of_their_own() {
    let tiled = quote! {
        fn tiled(a: &[f32], b: &[f32], n: usize, c: &mut [f32]) {
            let left = shared::<[[f32; 16]; 16]>();
            let right = shared::<[[f32; 16]; 16]>();
            let (column, row) = thread::index_2d();
            let (x, y) = (thread::idx().x, thread::idx().y);
            let mut sum = 0.0;
            for tile in 0..n / 16 {
                left[y][x] = a[row * n + tile * 16 + x];
                right[y][x] = b[(tile * 16 + y) * n + column];
                block::sync();
                for k in 0..16 {
                    sum += left[y][k] * right[k][x];
                }
                block::sync();
            }
            c[row * n + column] = sum;
        }
    };
    // Neither what comes before the loop nor what comes after it.
    assert_eq!(regions_of(quote!([16, 16]), tiled), "-++-");
    let scan = quote! {
        fn scan(x: &[u32], y: &mut [u32]) {
            let cells = shared::<[u32; 256]>();
            let (i, t) = (thread::index(), thread::idx().x);
            cells[t] = x[i];
            block::sync();
            let mut distance = 1;
            while distance < 256 {
                let below = if t >= distance { cells[t - distance] } else { 0 };
                block::sync();
                cells[t] += below;
                block::sync();
                distance *= 2;
            }
            y[i] = cells[t];
        }
    };
    assert_eq!(regions_of(quote!(256), scan), "-++-");
    // Neighbours exchange elements.
    let sort = quote! {
        fn sort(x: &mut [u32]) {
            let keys = shared::<[u32; 256]>();
            let (i, t) = (thread::index(), thread::idx().x);
            keys[t] = x[i];
            block::sync();
            for step in 0..8 {
                let other = t ^ (1 << step);
                if other > t && keys[t] > keys[other] {
                    let kept = keys[t];
                    keys[t] = keys[other];
                    keys[other] = kept;
                }
                block::sync();
            }
            x[i] = keys[t];
        }
    };
    assert_eq!(regions_of(quote!(256), sort), "");
}

#[test]
fn a_kernel_with_lanes_has_a_copy_for_avx2() {
    let copies = |kernel| {
        let written = crate::expand(TokenStream::new(), kernel, compiled).to_string();
        written.matches("avx2").count()
    };
    let with_lanes = quote! {
        fn sums(x: &[u32], count: usize, y: &mut [u32]) {
            let i = thread::index();
            let mut sum = 0;
            for step in 0..count {
                sum += x[i + step];
            }
            y[i] = sum;
        }
    };
    assert_eq!(copies(with_lanes), 1);
    let without = quote! {
        fn twice(x: &[u32], y: &mut [u32]) {
            let i = thread::index();
            y[i] = x[i] * 2;
        }
    };
    assert_eq!(copies(without), 0);
}

/// Tiles in shared memory that are wider than the block: the first threads go round once more.
#[test]
fn tiles_with_a_halo_are_filled_together() {
    let kernel = quote! {
        fn k(marks: &[AtomicU32], grown: &[AtomicU32], round: usize, width: usize, y: &mut [u32]) {
            if round > 0 && grown[round - 1].load(Ordering::Relaxed) == 0 {
                return;
            }
            let tile = shared::<[[u32; 34]; 34]>();
            let (tx, ty) = (thread::idx().x, thread::idx().y);
            let mut faint = false;
            let mut row = ty;
            while row < 34 {
                let mut column = tx;
                while column < 34 {
                    let mut mark = 0;
                    if row < width {
                        mark = marks[row * width + column].load(Ordering::Relaxed);
                    }
                    tile[row][column] = mark;
                    faint |= mark == 1;
                    column += 32;
                }
                row += 8;
            }
            if block::sync_or(faint) {
                y[thread::index()] = tile[ty][33 - tx];
            }
        }
    };
    // The return is a region of its own.
    assert_eq!(regions_of(quote!([32, 8]), kernel), "++-");
}

/// Lanes that have given up must not have stored where their threads would not.
#[test]
fn what_atomic_loads_decide_is_not_stored_at_once() {
    let stores = [
        (quote!(tile[k * 32 + t] = slot;), "+"),
        (quote!(tile[k * 32 + slot as usize + t] = k as u32;), "-"),
        (
            quote!(if slot == 3 {
                tile[k * 32 + t] = 1;
            }),
            "-",
        ),
        (quote!(if slot == 3 { break; } tile[k * 32 + t] = 1;), "-"),
        (
            quote!(let mut at = t; if slot > 1 { at += 1; } tile[k * 32 + at] = 1;),
            "-",
        ),
    ];
    for (stores, expected) in stores {
        let text = stores.to_string();
        let kernel = quote! {
            fn k(slots: &[AtomicU32], count: usize, y: &mut [u32]) {
                let tile = shared::<[u32; 512]>();
                let t = thread::idx().x;
                for k in 0..8 {
                    let slot = slots[k].load(Ordering::Relaxed);
                    #stores
                }
                block::sync();
                y[thread::index()] = tile[511 - t];
            }
        };
        let found = regions_of(quote!(32), kernel);
        let first = if found.is_empty() { "-" } else { &found[..1] };
        assert_eq!(first, expected, "{text}");
    }
}

/// Regions that exchanges of a warp separate are one run up to the first one that stores.
#[test]
fn warps_go_through_several_regions() {
    let cases = [
        (
            quote!(sum += warp::shuffle_xor(sum, 1); sum += warp::shuffle_xor(sum, 2); y[i] = sum;),
            "(+++)",
        ),
        // A barrier of the block.
        (
            quote!(sum += warp::shuffle_xor(sum, 1); tile[t] = sum; block::sync(); y[i] = tile[255 - t] + sum;),
            "(++)-",
        ),
        // A store before an exchange.
        (
            quote!(sum += warp::shuffle_xor(sum, 1); tile[t] = sum; sum += warp::shuffle_xor(sum, 2); y[i] = sum;),
            "+++",
        ),
        // The distance of the first exchange would be the second one's in the next warp.
        (
            quote!(let mut d = 16; sum += warp::shuffle_xor(sum, d); d = 8; sum += warp::shuffle_xor(sum, d); y[i] = sum;),
            "(++)(++)",
        ),
        // What is stored at once was loaded by a region before.
        (
            quote!(sum += tile[t]; sum += warp::shuffle_xor(sum, 1); if sum > 3 { tile[t] = sum; } y[i] = sum;),
            "++",
        ),
        (
            quote!(for k in 0..3 { sum += warp::shuffle_xor(sum, 1) * k; } y[i] = sum;),
            "-(++)-",
        ),
    ];
    for (statements, expected) in cases {
        let text = statements.to_string();
        let kernel = quote! {
            fn k(x: &[u32], y: &mut [u32]) {
                let tile = shared::<[u32; 256]>();
                let (i, t) = (thread::index(), thread::idx().x);
                let mut sum = x[i];
                #statements
            }
        };
        assert_eq!(regions_of(quote!(256), kernel), expected, "{text}");
    }
}

/// A chunk that gives up after an atomic operation would carry it out twice.
#[test]
fn atomic_operations_are_carried_out_once() {
    let cases = [
        (
            quote!(while i < x.len() {
                counts[x[i] as usize].fetch_add(1, Ordering::Relaxed);
                i += 64;
            }),
            "+",
        ),
        (
            quote!(for k in 0..3 {
                let mut j = i;
                while j < x.len() {
                    part[(x[j] & 63) as usize].fetch_add(k, Ordering::Relaxed);
                    j += n;
                }
            }),
            "+",
        ),
        // All lanes share the variable that comes of the loop before.
        (
            quote!(for k in 0..3 {
                while i < x.len() {
                    part[(x[i] & 63) as usize].fetch_add(k, Ordering::Relaxed);
                    i += n;
                }
            }),
            "-",
        ),
        (
            quote!(while i < n {
                part[t].fetch_max(seed ^ i as u32, Ordering::Relaxed);
                i += 64;
            }),
            "+",
        ),
        // The index may be out of bounds.
        (
            quote!(while i < n {
                counts[x[i] as usize].fetch_add(1, Ordering::Relaxed);
                i += 64;
            }),
            "-",
        ),
        (
            quote!(while i < x.len() {
                cells[x[i] as usize].fetch_add(1, Ordering::Relaxed);
                i += 64;
            }),
            "-",
        ),
        (
            quote!(while i < x.len() {
                i += 64;
                counts[x[i] as usize].fetch_add(1, Ordering::Relaxed);
            }),
            "-",
        ),
        // The ends of a chunk may differ.
        (
            quote!(while i < n {
                counts[i / 64 % 256].fetch_add(1, Ordering::Relaxed);
                i += 64;
            }),
            "-",
        ),
        (
            quote!(while i < n {
                if i > 7 {
                    part[t].fetch_add(1, Ordering::Relaxed);
                }
                i += 64;
            }),
            "-",
        ),
        (
            quote!(while i < n { part[t].fetch_add(1, Ordering::Relaxed); i += 64; } y[i] = x[i] as u32;),
            "-",
        ),
        // What is stored at the end would come after the operations.
        (
            quote!(y[t] = 1; while i < n { part[t].fetch_add(1, Ordering::Relaxed); i += 64; }),
            "-",
        ),
        // Loads see what other lanes have added.
        (
            quote!(while i < n {
                part[t].fetch_add(part[0].load(Ordering::Relaxed), Ordering::Relaxed);
                i += 64;
            }),
            "-",
        ),
        // The trip count comes of an operation.
        (
            quote!(while (i as u32) < part[t].fetch_add(1, Ordering::Relaxed) {
                i += 64;
            }),
            "-",
        ),
    ];
    for (statements, expected) in cases {
        let text = statements.to_string();
        let kernel = quote! {
            fn k(x: &[u8], n: usize, seed: u32, cells: &[AtomicU32], y: &mut [u32]) {
                let counts = shared::<[AtomicU32; 256]>();
                let part = shared::<[AtomicU32; 64]>();
                let t = thread::idx().x;
                block::sync();
                let mut i = t;
                #statements
            }
        };
        let found = regions_of(quote!(64), kernel);
        assert_eq!(found.contains('+'), expected == "+", "{text}: {found}");
    }
}
