//! The meaning of records of faults and prints, by the numbers of their kernels.

use std::collections::VecDeque;
use std::sync::Arc;

use vyre_abi::fault::{Fault, FaultKind, FaultRecord};
use vyre_abi::kernel::{Location, Site};

use crate::load::kernel::KernelDescription;
use crate::sync::Mutex;

/// Unloaded kernels of which records are still understood. A record is read at the next wait for its stream; a
/// program that makes kernels all day must not keep the names of all of them.
const ENDED: usize = 1024;

/// The kernels of a device: those that are loaded, and those that were unloaded last.
#[derive(Default)]
pub(in crate::cuda) struct ReportTable(Mutex<Table>);

#[derive(Default)]
struct Table {
    /// The number of the last kernel.
    last: u64,
    known: Vec<(u64, Arc<Reports>)>,
    /// The unloaded ones, oldest first.
    ended: VecDeque<u64>,
}

impl Table {
    fn place(&self, number: u64) -> Option<usize> {
        self.known.binary_search_by_key(&number, |&(number, _)| number).ok()
    }
}

impl ReportTable {
    /// Numbers a kernel that is loaded.
    pub(in crate::cuda) fn add(&self, kernel: &KernelDescription<'_>) -> u64 {
        let reports = Arc::new(Reports::of(kernel));
        let mut table = self.0.lock();
        table.last += 1;
        let number = table.last;
        table.known.push((number, reports));
        number
    }

    /// Notes that a kernel was unloaded.
    pub(in crate::cuda) fn end(&self, number: u64) {
        let mut table = self.0.lock();
        table.ended.push_back(number);
        if table.ended.len() > ENDED
            && let Some(oldest) = table.ended.pop_front()
            && let Some(place) = table.place(oldest)
        {
            table.known.remove(place);
        }
    }

    /// The name of a kernel.
    pub(in crate::cuda) fn name(&self, number: u64) -> Option<String> {
        self.get(number).map(|kernel| kernel.name.clone())
    }

    /// The meaning of the records of a kernel.
    pub(in crate::cuda) fn get(&self, number: u64) -> Option<Arc<Reports>> {
        let table = self.0.lock();
        table.place(number).map(|place| table.known[place].1.clone())
    }
}

/// The meaning of the records of a kernel: copies, because it outlives the kernel.
pub(in crate::cuda) struct Reports {
    name: String,
    sites: Vec<OwnSite>,
    prints: Vec<String>,
}

/// A [`Site`] with texts of its own.
struct OwnSite {
    kind: FaultKind,
    file: String,
    line: u32,
    column: u32,
    message: String,
}

impl Reports {
    fn of(kernel: &KernelDescription<'_>) -> Reports {
        let site = |site: &Site<'_>| OwnSite {
            kind: site.kind,
            file: site.location.file.to_owned(),
            line: site.location.line,
            column: site.location.column,
            message: site.message.to_owned(),
        };
        Reports {
            name: kernel.name.to_owned(),
            sites: kernel.sites.iter().map(site).collect(),
            prints: kernel.prints.iter().copied().map(str::to_owned).collect(),
        }
    }

    /// The fault that a record describes; `None` if the kernel has no such site.
    pub(in crate::cuda) fn fault(&self, record: &FaultRecord) -> Option<Fault> {
        let own = self.sites.get(record.site as usize)?;
        let site = Site {
            kind: own.kind,
            location: Location {
                file: &own.file,
                line: own.line,
                column: own.column,
            },
            message: &own.message,
        };
        Some(site.fault(&self.name, &record.message_values(), record.block, record.thread))
    }

    /// The template of a site that prints.
    pub(in crate::cuda) fn template(&self, site: u32) -> Option<&str> {
        Some(self.prints.get(site as usize)?)
    }
}

#[cfg(test)]
mod tests;
