//! `kmeans` against rayon, against sums in double precision, and against the clusters that the points were made of.

use indicatif::ProgressBar;

use crate::devices::devices;

#[path = "../../examples/kmeans/main.rs"]
pub mod example;

use example::clusters::{Clusters, OnDevice, by_rayon, fits, seeds};
use example::points::Points;

const FILE: &str = "examples/data/spiral.csv";

#[test]
fn file_is_what_the_program_makes() {
    let text = std::fs::read_to_string(FILE).unwrap().replace("\r\n", "\n");
    assert_eq!(text, Points::spiral(2400).text());
}

/// Each point has its nearest centre, and each centre is the mean of its points, in double precision.
fn assert_converged(points: &Points, clusters: &Clusters) {
    let columns = points.names.len();
    let mut sums = vec![0.0; clusters.centres.len()];
    for (row, &label) in points.rows().zip(&clusters.labels) {
        let square = |centre: &[f32]| -> f64 {
            let pairs = row.iter().zip(centre);
            pairs.map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2)).sum()
        };
        let squares: Vec<f64> = clusters.centres.chunks_exact(columns).map(square).collect();
        let least = squares.iter().fold(f64::INFINITY, |least, &square| least.min(square));
        assert!(squares[label as usize] <= least * (1.0 + 1e-5) + 1e-12);
        for (column, value) in row.iter().enumerate() {
            sums[label as usize * columns + column] += f64::from(*value);
        }
    }
    for (k, (sum, centre)) in sums.iter().zip(&clusters.centres).enumerate() {
        let count = clusters
            .labels
            .iter()
            .filter(|&&label| label as usize == k / columns)
            .count();
        assert_eq!(count, clusters.counts[k / columns] as usize);
        if count > 0 {
            assert!(
                (sum / count as f64 - f64::from(*centre)).abs() < 1e-5,
                "centre {k}: {centre}"
            );
        }
    }
}

#[test]
fn clusters_of_the_file_are_found() {
    let points = Points::read(FILE.as_ref()).unwrap();
    let seeds = seeds(&points, 12, example::SEED, &ProgressBar::hidden());
    let (expected, iterations) = by_rayon(&points, seeds.clone(), 300, &ProgressBar::hidden());
    assert!(iterations < 300);
    assert_converged(&points, &expected);
    // Two arms of six centres, as `Points::spiral` has them.
    for cluster in 0..12 {
        let (arm, along) = (f64::from(cluster % 2), f64::from(cluster / 2));
        let (sin, cos) = (std::f64::consts::PI * (arm + 0.32 * along)).sin_cos();
        let middle = [(2.0 + 1.1 * along) * cos, (2.0 + 1.1 * along) * sin];
        let near = expected
            .centres
            .chunks_exact(2)
            .filter(|centre| (f64::from(centre[0]) - middle[0]).hypot(f64::from(centre[1]) - middle[1]) < 0.25);
        assert_eq!(near.count(), 1, "at {middle:?}");
    }
    for device in devices("clusters of the file") {
        let mut on_device = OnDevice::new(&device, &points, 12).unwrap();
        assert_eq!(
            on_device.run(seeds.clone(), 300, &ProgressBar::hidden()).unwrap(),
            (expected.clone(), iterations),
            "{device}"
        );
    }
}

#[test]
fn all_shapes_agree_with_rayon() {
    // Points of one to five columns, counts about the size of a block, as many clusters as points, and equal points.
    for (count, columns, clusters) in [(1, 1, 1), (255, 3, 4), (256, 5, 17), (257, 2, 257), (1000, 4, 9)] {
        let names = vec![String::new(); columns];
        let made = Points::spiral(count * columns).values.into_iter().take(count * columns);
        let values: Vec<f32> = made.map(|value| (value * 4.0).round() * 1e6).collect();
        let points = Points { names, values };
        let seeds = seeds(&points, clusters, 5, &ProgressBar::hidden());
        let expected = by_rayon(&points, seeds.clone(), 300, &ProgressBar::hidden());
        for device in devices("shapes of points") {
            let mut on_device = OnDevice::new(&device, &points, clusters).unwrap();
            let found = on_device.run(seeds.clone(), 300, &ProgressBar::hidden()).unwrap();
            assert_eq!(found, expected, "{count} points of {columns} columns on {device}");
        }
    }
    assert!(fits(1024, 4) && !fits(1366, 4));
}

#[test]
fn tables_are_read() {
    let points = Points::parse("\"width\", height\r\n1,2.5\r\n\r\n-3e2 , 4\n").unwrap();
    assert_eq!(
        (points.names[0].as_str(), points.names[1].as_str()),
        ("width", "height")
    );
    assert_eq!(points.values, [1.0, 2.5, -300.0, 4.0]);
    assert_eq!(Points::parse("1,2\n3,4").unwrap().names, ["column 1", "column 2"]);
    let faults = [
        ("", "the file has no points"),
        ("x,y\n", "the file has no points"),
        ("x,y\n1,2\n3\n", "line 3: 1 columns, where the first line has 2"),
        ("x,y\n1,2\n\n3,four\n", "line 4: \"four\" is no number"),
        ("1\ninf\n", "line 2: \"inf\" is no number"),
        ("1\nNaN\n", "line 2: \"NaN\" is no number"),
    ];
    for (text, fault) in faults {
        assert_eq!(Points::parse(text).unwrap_err(), fault, "{text:?}");
    }
}
