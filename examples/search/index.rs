//! An index on the CPU: a vantage point tree (P. N. Yianilos, 1993).

use indicatif::ProgressBar;

use super::kernels::{rank, row_of};
use super::vectors::Vectors;

/// Ranks come from single precision: vectors whose distances differ by less may have them in the other order.
const SLACK: f64 = 1e-3;

/// The rows as a tree: the first row of a range is its vantage point, half of the others are near to it, half are far.
pub struct Index<'v> {
    vectors: &'v Vectors,
    rows: Vec<u32>,
    /// At the place of a vantage point, the distance up to which rows are near.
    radii: Vec<f64>,
}

/// The state of a search.
struct Search {
    own: u32,
    count: usize,
    /// The ranks of the best rows so far, the best one first.
    best: Vec<u64>,
    /// Distances that were computed.
    visits: usize,
}

impl<'v> Index<'v> {
    /// Sorts all rows into a tree.
    pub fn new(vectors: &'v Vectors, progress: &ProgressBar) -> Index<'v> {
        let rows = (0..vectors.words.len() as u32).collect::<Vec<_>>();
        let mut index = Index {
            vectors,
            radii: vec![0.0; rows.len()],
            rows,
        };
        index.build(0, index.rows.len(), progress);
        index
    }

    fn build(&mut self, start: usize, end: usize, progress: &ProgressBar) {
        if end - start > 1 {
            let middle = middle(start, end);
            let (vectors, vantage) = (self.vectors, self.rows[start]);
            let others = &mut self.rows[start + 1..end];
            let by = |row: &u32| distance(vectors, vantage, *row);
            let (_, &mut nearest_far, _) =
                others.select_nth_unstable_by(middle - start - 1, |a, b| by(a).total_cmp(&by(b)));
            self.radii[start] = by(&nearest_far);
            self.build(start + 1, middle, progress);
            self.build(middle, end, progress);
        }
        if start < end {
            progress.inc(1);
        }
    }

    /// The best `count` rows but the row itself, the best one first, and how many vectors were looked at.
    pub fn nearest(&self, own: u32, count: usize) -> (Vec<u32>, usize) {
        let mut search = Search {
            own,
            count,
            best: Vec::new(),
            visits: 0,
        };
        self.visit(&mut search, 0, self.rows.len());
        (search.best.into_iter().map(row_of).collect(), search.visits)
    }

    fn visit(&self, search: &mut Search, start: usize, end: usize) {
        if start == end {
            return;
        }
        let vantage = self.rows[start];
        let distance = distance(self.vectors, search.own, vantage);
        search.visits += 1;
        search.offer(rank(self.vectors.score(search.own, vantage), vantage), vantage);
        let (middle, radius) = (middle(start, end), self.radii[start]);
        let halves = [(start + 1, middle, distance - radius), (middle, end, radius - distance)];
        // By the triangle inequality, no row of a half is nearer than its gap.
        let first = usize::from(distance >= radius);
        for (start, end, gap) in [halves[first], halves[1 - first]] {
            if start < end && gap <= search.reach(self.vectors) + SLACK {
                self.visit(search, start, end);
            }
        }
    }
}

impl Search {
    fn offer(&mut self, rank: u64, row: u32) {
        let place = self.best.partition_point(|&better| better > rank);
        if row != self.own && place < self.count {
            self.best.insert(place, rank);
            self.best.truncate(self.count);
        }
    }

    /// The distance of the worst row that would be kept.
    fn reach(&self, vectors: &Vectors) -> f64 {
        match self.best.last() {
            Some(&worst) if self.best.len() == self.count => distance(vectors, self.own, row_of(worst)),
            _ => f64::INFINITY,
        }
    }
}

/// The first of the far rows of a range.
fn middle(start: usize, end: usize) -> usize {
    start + 1 + (end - start - 1) / 2
}

fn distance(vectors: &Vectors, a: u32, b: u32) -> f64 {
    let pairs = vectors.row(a).iter().zip(vectors.row(b));
    pairs
        .map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2))
        .sum::<f64>()
        .sqrt()
}
