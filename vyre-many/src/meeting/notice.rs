//! Progress of a meeting, on a terminal: the ranks that are missing.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

/// The delay before the first line.
const FIRST: Duration = Duration::from_secs(2);

/// The time between two lines.
const AGAIN: Duration = Duration::from_secs(30);

/// When to tell next what is waited for.
pub(super) struct Notice(Instant);

impl Notice {
    pub(super) fn new() -> Notice {
        Notice(Instant::now() + FIRST)
    }

    /// The earlier one of a moment and the next line.
    pub(super) fn until(&self, moment: Instant) -> Instant {
        self.0.min(moment)
    }

    /// Writes a line to standard error, if it is time for one and that is a terminal.
    pub(super) fn tell(&mut self, line: impl FnOnce() -> String) {
        let now = Instant::now();
        if now < self.0 {
            return;
        }
        self.0 = now + AGAIN;
        if io::stderr().is_terminal() {
            eprintln!("vyre: {}", line());
        }
    }
}

/// The line of rank 0, which knows who is missing, and who of them has another secret.
pub(super) fn missing(missing: &[usize], refused: &[usize], address: &str) -> String {
    let list = |ranks: &[usize]| {
        /// Longer lists are cut.
        const SHOWN: usize = 16;
        let numbers: Vec<_> = ranks.iter().take(SHOWN).map(usize::to_string).collect();
        let more = if ranks.len() > SHOWN { ", .." } else { "" };
        format!(
            "rank{} {}{more}",
            if ranks.len() == 1 { "" } else { "s" },
            numbers.join(", ")
        )
    };
    let line = format!("waiting for {} at {address}", list(missing));
    let wrong: Vec<usize> = missing.iter().copied().filter(|rank| refused.contains(rank)).collect();
    match wrong.is_empty() {
        true => line,
        false => format!("{line}; {} came with another secret", list(&wrong)),
    }
}
