//! Items that users call have examples.

use std::fs;
use std::path::Path;

use crate::read;

/// The sources of the items that users call in kernels and around them.
const ITEMS: &[&str] = &[
    "src/barrier.rs",
    "src/block.rs",
    "src/cluster.rs",
    "src/grid.rs",
    "src/lane.rs",
    "src/mma.rs",
    "src/pipeline.rs",
    "src/shared.rs",
    "src/system.rs",
    "src/thread.rs",
    "src/tile.rs",
    "src/warp.rs",
    "vyre-primitives/src/call.rs",
    "vyre-primitives/src/histogram.rs",
    "vyre-primitives/src/reduce.rs",
    "vyre-primitives/src/scan.rs",
    "vyre-primitives/src/segments.rs",
    "vyre-primitives/src/select.rs",
    "vyre-primitives/src/sort.rs",
    "vyre-runtime/src/device/catalogue.rs",
    "vyre-runtime/src/device/event.rs",
    "vyre-runtime/src/device/life.rs",
    "vyre-runtime/src/device/mod.rs",
    "vyre-runtime/src/device/queries.rs",
    "vyre-runtime/src/device/raw.rs",
    "vyre-runtime/src/device/stream.rs",
    "vyre-runtime/src/device/telemetry.rs",
    "vyre-runtime/src/error/mod.rs",
    "vyre-runtime/src/launch/fits.rs",
    "vyre-runtime/src/launch/mod.rs",
    "vyre-runtime/src/launch/timing.rs",
    "vyre-runtime/src/memory/buffer.rs",
    "vyre-runtime/src/memory/foreign.rs",
    "vyre-runtime/src/memory/handles.rs",
    "vyre-runtime/src/memory/interop.rs",
    "vyre-runtime/src/memory/pinned.rs",
    "vyre-runtime/src/memory/shape2.rs",
    "vyre-runtime/src/memory/slice2.rs",
    "vyre-runtime/src/memory/uninit.rs",
    "vyre-runtime/src/memory/view.rs",
    "vyre-runtime/src/memory/view2.rs",
    "vyre-runtime/src/profile/known.rs",
    "vyre-runtime/src/profile/mod.rs",
    "vyre-runtime/src/stats/audit.rs",
    "vyre-runtime/src/stats/memory.rs",
    "vyre-runtime/src/stats/mod.rs",
];

/// The types whose methods have examples wherever they stand.
const TYPES: &[&str] = &[
    "Device",
    "DeviceBuffer",
    "Launch",
    "Slice",
    "Slice2",
    "SliceMut2",
    "Stream",
    "View",
    "View2",
    "ViewMut",
    "ViewMut2",
];

/// Generated code calls these.
const OF_GENERATED_CODE: &[&str] = &["pub fn run<K", "pub fn download_own<"];

/// The public items of a file without an example, as they begin: all of them, or the methods of [`TYPES`]. Lines and no
/// syntax tree, so that items in the macros of a file count.
fn without_examples(text: &str, all: bool) -> Vec<&str> {
    let mut without = Vec::new();
    let (mut comment, mut of_type) = (String::new(), false);
    for line in text.lines() {
        if line.starts_with("impl") {
            of_type = self_type(line).is_some_and(|name| TYPES.contains(&name));
        } else if line.starts_with('}') {
            of_type = false;
        }
        let line = line.trim();
        if line.starts_with("///") || line.starts_with("#[") {
            comment += line;
            continue;
        }
        let is_function = ["pub fn ", "pub const fn ", "pub unsafe fn ", "pub const unsafe fn "]
            .iter()
            .any(|start| line.starts_with(start));
        let is_type = ["pub struct ", "pub enum "].iter().any(|start| line.starts_with(start));
        let counts = is_function && (all || of_type) || is_type && all;
        let is_shown = comment.contains("```") || comment.contains("#[doc(hidden)]");
        if counts && !is_shown && !OF_GENERATED_CODE.iter().any(|start| line.starts_with(start)) {
            without.push(line);
        }
        comment.clear();
    }
    without
}

/// The name of the type of an `impl`, without its path and its arguments.
fn self_type(line: &str) -> Option<&str> {
    let mut depth = 0i32;
    // The generic parameters of the `impl`, where it has some, end with their last bracket.
    let parameters = line.strip_prefix("impl")?;
    let end = match parameters.starts_with('<') {
        true => parameters.char_indices().find_map(|(place, char)| {
            depth += i32::from(char == '<') - i32::from(char == '>');
            (depth == 0).then_some(place + 1)
        })?,
        false => 0,
    };
    let named = parameters[end..].rsplit(" for ").next()?.trim_start();
    let path = named.split(['<', ' ']).next()?;
    path.rsplit("::").next()
}

/// Calls a function with each source under a folder.
fn each_source(folder: &Path, visit: &mut dyn FnMut(&str)) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            each_source(&path, visit);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            visit(&path.to_str().unwrap().replace('\\', "/"));
        }
    }
}

#[test]
fn items_have_examples() {
    let mut without = Vec::new();
    let mut methods = 0;
    let mut files = 0;
    for folder in ["src", "vyre-primitives/src", "vyre-runtime/src"] {
        each_source(Path::new(folder), &mut |file| {
            // Generated code alone sees these.
            if file.starts_with("vyre-runtime/src/body/") || file.starts_with("src/private/") {
                return;
            }
            let text = read(file);
            let all = ITEMS.contains(&file);
            files += usize::from(all);
            methods += text
                .lines()
                .filter_map(self_type)
                .filter(|name| TYPES.contains(name))
                .count();
            without.extend(
                without_examples(&text, all)
                    .iter()
                    .map(|item| format!("{file}: {item}")),
            );
        });
    }
    assert_eq!(files, ITEMS.len(), "a file of the list has another name");
    assert!(methods > 30, "only {methods} implementations of the types were found");
    assert!(without.is_empty(), "no example shows\n{}", without.join("\n"));
}

#[test]
fn methods_without_examples_are_found() {
    let text = "\
/// A device.
pub struct Device;

impl<T: Into<Option<u32>>> memory::View<'_, T> {
    /// ```
    /// shown();
    /// ```
    pub fn shown(&self) {}

    /// Not shown.
    pub const unsafe fn not_shown(&self) {}

    #[doc(hidden)]
    pub fn hidden(&self) {}
}

impl Other {
    pub fn other(&self) {}
}

impl From<Other> for Device {
    pub fn from(other: Other) {}
}
";
    let names = [
        "pub const unsafe fn not_shown(&self) {}",
        "pub fn from(other: Other) {}",
    ];
    assert_eq!(without_examples(text, false), names);
    let all = ["pub struct Device;", names[0], "pub fn other(&self) {}", names[1]];
    assert_eq!(without_examples(text, true), all);
}
