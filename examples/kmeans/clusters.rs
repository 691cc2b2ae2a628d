//! Lloyd's algorithm, on a device and by rayon. Both end with the same bits.

use indicatif::ProgressBar;
use rayon::prelude::*;
use vyre::prelude::*;
use vyre::random::Philox;

use super::kernels;
use super::points::Points;

/// Bytes of shared memory that every GPU has for a block.
const SHARED: usize = 48 << 10;

/// Clusters of points.
#[derive(Clone, Debug, PartialEq)]
pub struct Clusters {
    /// The centres, row by row.
    pub centres: Vec<f32>,
    /// The number of the centre of each point.
    pub labels: Vec<u32>,
    /// How many points each centre has.
    pub counts: Vec<u32>,
}

/// The sums of the points of each cluster, column by column and in units, and their counts.
type Sums = (Vec<i64>, Vec<u32>);

/// True if the sums of so many clusters fit into the shared memory of a block.
pub fn fits(clusters: usize, columns: usize) -> bool {
    shared_bytes(clusters, columns) <= SHARED
}

/// Each of the two slices begins at a multiple of 16 bytes.
fn shared_bytes(clusters: usize, columns: usize) -> usize {
    (8 * clusters * columns).next_multiple_of(16) + 4 * clusters
}

/// Units in 1, a power of two: the largest value has 30 bits, so that a sum of 2^32 values is less than 2^63.
fn scale(points: &Points) -> f32 {
    let largest = points
        .values
        .iter()
        .fold(f32::MIN_POSITIVE, |most, value| most.max(value.abs()));
    2f32.powi((29 - largest.log2().floor() as i32).min(100))
}

/// Points that are far from one another, as centres to begin with: each is chosen with a probability that grows with
/// the square of the distance from those before (D. Arthur and S. Vassilvitskii, *k-means++*, 2007).
pub fn seeds(points: &Points, clusters: usize, seed: u64, progress: &ProgressBar) -> Vec<f32> {
    let mut random = Philox::new(seed, 0, 0);
    let mut distances = vec![f64::INFINITY; points.count()];
    let mut next = random.below(points.count() as u32) as usize;
    let mut centres = Vec::new();
    for _ in 0..clusters {
        let centre = points.rows().nth(next).expect("a point");
        for (distance, row) in distances.iter_mut().zip(points.rows()) {
            *distance = distance.min(square(row, centre).into());
        }
        centres.extend(centre);
        let mut rest = random.uniform_f64() * distances.iter().sum::<f64>();
        let place = distances.iter().position(|&distance| {
            rest -= distance;
            rest < 0.0
        });
        next = place.unwrap_or(0);
        progress.inc(1);
    }
    centres
}

/// The square of a distance, in the order of the kernel.
fn square(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + (a - b) * (a - b))
}

/// Moves each centre to the mean of its points. One without points stays where it is.
fn mean(centres: &mut [f32], (sums, counts): &Sums, scale: f32) {
    let columns = centres.len() / counts.len();
    for (k, (centre, &sum)) in centres.iter_mut().zip(sums).enumerate() {
        if counts[k / columns] > 0 {
            *centre = (sum as f64 / f64::from(counts[k / columns]) / f64::from(scale)) as f32;
        }
    }
}

/// The algorithm on a device.
pub struct OnDevice {
    device: Device,
    rows: usize,
    columns: usize,
    scale: f32,
    points: DeviceBuffer<f32>,
    centres: DeviceBuffer<f32>,
    labels: DeviceBuffer<u32>,
    changed: DeviceBuffer<u32>,
    sums: DeviceBuffer<i64>,
    counts: DeviceBuffer<u32>,
}

impl OnDevice {
    /// Uploads points, and makes room for so many clusters.
    pub fn new(device: &Device, points: &Points, clusters: usize) -> vyre::Result<OnDevice> {
        let columns = points.names.len();
        Ok(OnDevice {
            device: device.clone(),
            rows: points.count(),
            columns,
            scale: scale(points),
            points: device.upload(&points.values)?,
            centres: device.zeros(clusters * columns)?,
            labels: device.zeros(points.count())?,
            changed: device.zeros(1)?,
            sums: device.zeros(clusters * columns)?,
            counts: device.zeros(clusters)?,
        })
    }

    /// Labels the points; returns how many have another label than before.
    fn assign(&mut self, centres: &[f32]) -> vyre::Result<u32> {
        self.centres.write(centres)?;
        self.changed.fill(0)?;
        kernels::assign(
            self.points.view2(self.rows, self.columns)?,
            self.centres.view2(centres.len() / self.columns, self.columns)?,
            &mut self.labels,
            &mut self.changed,
        )
        .over(self.rows)
        .launch(&self.device)?;
        Ok(self.changed.download()?[0])
    }

    fn gather(&mut self) -> vyre::Result<Sums> {
        self.sums.fill(0)?;
        self.counts.fill(0)?;
        let shared_bytes = shared_bytes(self.counts.len(), self.columns);
        kernels::gather(
            self.points.view2(self.rows, self.columns)?,
            &self.labels,
            self.scale,
            &mut self.sums,
            &mut self.counts,
        )
        .grid(self.rows.div_ceil(256).min(512) as u32)
        .shared_bytes(shared_bytes)
        .launch(&self.device)?;
        Ok((self.sums.download()?, self.counts.download()?))
    }

    /// The labels of the points for given centres.
    pub fn labels(mut self, centres: &[f32]) -> vyre::Result<Vec<u32>> {
        self.assign(centres)?;
        self.labels.download()
    }

    /// Iterates until no point gets another label, or the limit is reached. Also returns the number of iterations.
    pub fn run(
        &mut self,
        mut centres: Vec<f32>,
        limit: usize,
        progress: &ProgressBar,
    ) -> vyre::Result<(Clusters, usize)> {
        self.labels.fill(u32::MAX)?;
        let mut iterations = 0;
        let counts = loop {
            let changed = self.assign(&centres)?;
            let sums = self.gather()?;
            iterations += 1;
            progress.inc(1);
            if changed == 0 || iterations == limit {
                break sums.1;
            }
            mean(&mut centres, &sums, self.scale);
        };
        let labels = self.labels.download()?;
        Ok((
            Clusters {
                centres,
                labels,
                counts,
            },
            iterations,
        ))
    }
}

/// The algorithm on the threads of rayon.
pub fn by_rayon(points: &Points, mut centres: Vec<f32>, limit: usize, progress: &ProgressBar) -> (Clusters, usize) {
    let (columns, scale) = (points.names.len(), scale(points));
    let clusters = centres.len() / columns;
    let mut labels = vec![u32::MAX; points.count()];
    let mut iterations = 0;
    let counts = loop {
        let rows = points.values.par_chunks_exact(columns);
        let changed: usize = labels
            .par_iter_mut()
            .zip(rows.clone())
            .map(|(label, row)| {
                let (mut nearest, mut least) = (0, f32::INFINITY);
                for (k, centre) in centres.chunks_exact(columns).enumerate() {
                    let square = square(row, centre);
                    if square < least {
                        (nearest, least) = (k as u32, square);
                    }
                }
                usize::from(std::mem::replace(label, nearest) != nearest)
            })
            .sum();
        let none = || (vec![0i64; clusters * columns], vec![0u32; clusters]);
        let sums = labels
            .par_iter()
            .zip(rows)
            .fold(none, |(mut sums, mut counts), (&label, row)| {
                counts[label as usize] += 1;
                let own = &mut sums[label as usize * columns..][..columns];
                own.iter_mut()
                    .zip(row)
                    .for_each(|(sum, value)| *sum += (value * scale) as i64);
                (sums, counts)
            })
            .reduce(none, |(mut sums, mut counts), (more, and)| {
                sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
                counts.iter_mut().zip(and).for_each(|(count, more)| *count += more);
                (sums, counts)
            });
        iterations += 1;
        progress.inc(1);
        if changed == 0 || iterations == limit {
            break sums.1;
        }
        mean(&mut centres, &sums, scale);
    };
    (
        Clusters {
            centres,
            labels,
            counts,
        },
        iterations,
    )
}
