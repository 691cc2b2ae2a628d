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
