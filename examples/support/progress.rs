//! Progress of what takes long.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar of so many rows, steps or the like. It is hidden where standard error is no terminal.
pub fn bar(what: &str, count: u64) -> ProgressBar {
    let template = format!("{{wide_bar}} {what} {{pos}} of {{len}}, {{eta}} left");
    let style = ProgressStyle::with_template(&template).expect("the template has known keys");
    ProgressBar::new(count).with_style(style)
}

/// A bar of so many bytes.
pub fn bar_of_bytes(count: u64) -> ProgressBar {
    let template = "{wide_bar} {binary_bytes} of {binary_total_bytes}, {eta} left";
    let style = ProgressStyle::with_template(template).expect("the template has known keys");
    ProgressBar::new(count).with_style(style)
}

/// A bar of the steps of a rank: the first one shows those of all.
#[cfg(feature = "many")]
pub fn bar_of(ranks: &vyre::many::Communicator, steps: usize) -> ProgressBar {
    match ranks.rank() {
        0 => bar("step", steps as u64),
        _ => ProgressBar::hidden(),
    }
}
