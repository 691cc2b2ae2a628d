//! How well a cache serves.

use super::Stats;

/// Hits and misses of a cache, with those lookups of which nobody knows: a driver does not tell whether it had compiled
/// something before.
///
/// `pipeline_cache().audit()` has those of a device's compiled programs, [`Stats::load_audit`] those of loaded
/// kernels. Of two audits, or of several devices, [`CacheAudit::add`] makes one.
///
/// ```
/// use vyre::CacheAudit;
///
/// let mut audit = CacheAudit::default();
/// assert_eq!((audit.rate(), audit.is_below(0.9)), (None, false)); // no data, no alarm
/// for hit in [Some(true), Some(true), Some(false), None] {
///     audit.observe(hit);
/// }
/// assert_eq!(audit.rate(), Some(2.0 / 3.0));
/// assert!(audit.is_below(0.7) && !audit.is_below(0.6));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct CacheAudit {
    /// Lookups that found what they asked for.
    pub hits: u64,
    /// Lookups that did not.
    pub misses: u64,
    /// Lookups of which nobody knows.
    pub unknowns: u64,
}

impl CacheAudit {
    /// Counts a lookup: a hit, a miss, or unknown.
    ///
    /// ```
    /// let mut audit = vyre::CacheAudit::default();
    /// audit.observe(None);
    /// assert_eq!(audit.unknowns, 1);
    /// ```
    pub fn observe(&mut self, hit: Option<bool>) {
        *match hit {
            Some(true) => &mut self.hits,
            Some(false) => &mut self.misses,
            None => &mut self.unknowns,
        } += 1;
    }

    /// Adds the lookups of another cache.
    ///
    /// ```
    /// let mut all = vyre::CacheAudit::default();
    /// for device in vyre::Device::all() {
    ///     all.add(device.stats().load_audit());
    /// }
    /// println!("{:?}", all.rate());
    /// ```
    pub fn add(&mut self, other: CacheAudit) {
        self.hits += other.hits;
        self.misses += other.misses;
        self.unknowns += other.unknowns;
    }

    /// The share of hits in the known lookups, from 0 to 1; `None` if there are none.
    ///
    /// ```
    /// let mut audit = vyre::CacheAudit::default();
    /// audit.observe(Some(true));
    /// assert_eq!(audit.rate(), Some(1.0));
    /// ```
    pub fn rate(&self) -> Option<f64> {
        let known = self.hits + self.misses;
        (known != 0).then(|| self.hits as f64 / known as f64)
    }

    /// True if the rate is known and below a threshold: a reason for an alarm. No data is none, and a threshold of 0 never is.
    ///
    /// ```
    /// let mut audit = vyre::CacheAudit::default();
    /// audit.observe(Some(false));
    /// assert!(audit.is_below(0.5) && !audit.is_below(0.0));
    /// ```
    pub fn is_below(&self, threshold: f64) -> bool {
        self.rate().is_some_and(|rate| rate < threshold)
    }
}

impl Stats {
    /// How the kernels of a GPU were loaded: a hit from machine code of the program; a miss where a program was lowered
    /// again; unknown from PTX, for the driver may have had its machine code from an earlier process.
    ///
    /// ```
    /// let audit = vyre::Device::cpu().stats().load_audit();
    /// assert_eq!(audit.rate(), None); // the CPU loads none
    /// ```
    pub fn load_audit(&self) -> CacheAudit {
        CacheAudit {
            hits: self.cubins_loaded,
            misses: self.programs_lowered,
            unknowns: self.ptx_loaded,
        }
    }
}
