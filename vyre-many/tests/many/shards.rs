//! Buffers in blocks, against the same computation in one.

use vyre::prelude::*;
use vyre_many::{Blocks, Communicator, Sharded};

use crate::{LONG, problem, within};

/// A step of diffusion, with rows around the block and a border that stays. The block begins at row `first` of `rows`.
#[vyre::kernel]
fn diffuse(first: usize, rows: usize, width: usize, x: &[f32], y: &mut [f32]) {
    let (i, j) = thread::index_2d();
    if i < width && j * width + i < y.len() {
        let at = (j + 1) * width + i;
        let row = first + j;
        y[j * width + i] = if row == 0 || row + 1 == rows || i == 0 || i + 1 == width {
            x[at]
        } else {
            x[at] + 0.1 * ((x[at - 1] + x[at + 1]) + (x[at - width] + x[at + width]) - 4.0 * x[at])
        };
    }
}

fn plain(width: usize, x: &[f32]) -> Vec<f32> {
    let rows = x.len() / width;
    let mut y = x.to_vec();
    for row in 1..rows - 1 {
        for i in 1..width - 1 {
            let at = row * width + i;
            y[at] = x[at] + 0.1 * ((x[at - 1] + x[at + 1]) + (x[at - width] + x[at + width]) - 4.0 * x[at]);
        }
    }
    y
}

/// Steps of diffusion on all devices, in blocks, against those of one buffer in plain Rust.
pub(crate) fn diffuses(devices: &[Device], [width, rows]: [usize; 2], root: usize) {
    const STEPS: usize = 9;
    let start: Vec<f32> = (0..width * rows).map(|i| ((i * 37) % 101) as f32 / 3.0).collect();
    let expected = (0..STEPS).fold(start.clone(), |x, _| plain(width, &x));
    let found = vyre_many::on_each(devices, |own| {
        let blocks = Blocks::new(rows, width).halo(1);
        let source = if own.rank() == root { &start[..] } else { &[] };
        let mut x = Sharded::scatter(own, blocks, source, root)?;
        let mut y = Sharded::zeros(own, blocks)?;
        for _ in 0..STEPS {
            x.exchange_halo()?;
            let (first, count) = (x.rows().start, x.rows().len());
            diffuse(first, rows, width, x.padded(), y.own_mut())
                .over([width, count])
                .launch(own.device())?;
            std::mem::swap(&mut x, &mut y);
        }
        x.gather(root)
    })
    .unwrap();
    for (rank, result) in found.into_iter().enumerate() {
        assert_eq!(result.is_some(), rank == root);
        if let Some(result) = result {
            assert!(result == expected, "{} ranks", devices.len());
        }
    }
}

#[test]
fn blocks_with_halos_compute_what_one_buffer_does() {
    within(LONG, || {
        for ranks in 1..=6 {
            for root in [0, ranks - 1] {
                diffuses(&Device::cpus(ranks), [17, 23], root);
            }
        }
    });
}

#[test]
fn blocks_cover_all_rows_once() {
    for rows in [0, 1, 7, 100, usize::MAX / 2] {
        for ranks in [1, 2, 3, 8] {
            let blocks = Blocks::new(rows, 1);
            let parts: Vec<_> = (0..ranks).map(|rank| blocks.of(rank, ranks)).collect();
            assert_eq!((parts[0].start, parts[ranks - 1].end), (0, rows));
            assert!(parts.windows(2).all(|pair| pair[0].end == pair[1].start));
            let lengths = parts.iter().map(ExactSizeIterator::len);
            assert!(
                [ranks, usize::MAX]
                    .iter()
                    .all(|&rank| blocks.of(rank, ranks) == (rows..rows))
            );
            assert!(lengths.clone().max().unwrap() - lengths.min().unwrap() <= 1);
        }
    }
}

#[test]
fn halos_fit_the_blocks() {
    let ranks = Communicator::local(&Device::cpus(4)).unwrap();
    let error = Sharded::<f32>::zeros(&ranks[0], Blocks::new(7, 3).halo(2)).unwrap_err();
    assert!(matches!(problem(&error), vyre::RankProblem::Devices { .. }));
    let text = "7 rows among 4 ranks make blocks of 1 rows, and the halo has 2; use fewer ranks";
    assert!(error.to_string().contains(text), "{error}");
    assert!(Sharded::<f32>::zeros(&ranks[0], Blocks::new(8, 3).halo(2)).is_ok());
    // Fewer rows than ranks, without a halo.
    within(LONG, || {
        let found = vyre_many::on_each(&Device::cpus(4), |own| {
            Sharded::scatter(own, Blocks::new(2, 1), &[1, 2], 0)?.gather(3)
        });
        assert_eq!(found.unwrap()[3], Some(vec![1, 2]));
    });
}

#[test]
fn a_source_of_another_length_is_an_error_on_all_ranks() {
    within(LONG, || {
        let error = vyre_many::on_each(&Device::cpus(2), |own| {
            Sharded::scatter(own, Blocks::new(4, 1), &[1, 2, 3], 0).map(drop)
        });
        assert!(matches!(error, Err(vyre::Error::LengthMismatch { .. })), "{error:?}");
    });
}
