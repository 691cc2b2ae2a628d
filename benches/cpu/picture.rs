//! A picture of the speed of kernels beside plain Rust.

use std::fmt::Write;

/// Where the names end and the bars begin, in pixels.
const LEFT: f64 = 170.0;
/// The length of a bar at the speed of plain Rust.
const UNIT: f64 = 200.0;
/// The longest bar, as a multiple of that. Longer ones are cut, and their number says so.
const MOST: f64 = 2.5;
/// From one bar to the next.
const STEP: f64 = 22.0;
/// Above the first bar.
const TOP: f64 = 42.0;

/// Bars of the time of plain Rust divided by that of vyre, by name; those with true are beside a twin of the same algorithm.
pub(crate) fn drawn(bars: &[(String, f64, bool)], mean: f64) -> String {
    let (bottom, mark) = (TOP + STEP * bars.len() as f64, LEFT + UNIT);
    let height = bottom + 30.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 780 {height}\" font-family=\"sans-serif\" role=\"img\">
  <title>The speed of kernels on one thread of a CPU relative to plain Rust</title>
  <style>
    text {{ fill: #222 }}
    .p {{ fill: #fff }}
    .n {{ font-size: 13px; text-anchor: end }}
    .v {{ font-size: 12px }}
    .t {{ font-size: 14px }}
    .b {{ fill: #4a7fc1 }}
    .w {{ fill: #8fa8c4 }}
    path {{ stroke: #222; stroke-width: 1.5 }}
    @media (prefers-color-scheme: dark) {{
      text {{ fill: #ddd }}
      .p {{ fill: #1b1d21 }}
      .b {{ fill: #6b9bd8 }}
      .w {{ fill: #55687f }}
      path {{ stroke: #ddd }}
    }}
  </style>
  <rect width=\"780\" height=\"{height}\" class=\"p\"/>
  <text x=\"10\" y=\"22\" class=\"t\">Speed on one thread relative to plain Rust, which the line marks; the mean is {mean:.2}</text>
"
    );
    for (place, (name, speed, is_twin)) in bars.iter().enumerate() {
        let top = TOP + STEP * place as f64;
        let (text, left, length) = (top + 12.0, LEFT - 8.0, UNIT * speed.min(MOST));
        let (end, class) = (LEFT + length.max(UNIT) + 8.0, if *is_twin { "w" } else { "b" });
        writeln!(
            svg,
            "  <text x=\"{left}\" y=\"{text}\" class=\"n\">{name}</text>
  <rect x=\"{LEFT}\" y=\"{top}\" width=\"{length:.1}\" height=\"16\" class=\"{class}\"/>
  <text x=\"{end:.1}\" y=\"{text}\" class=\"v\">{speed:.2}</text>"
        )
        .expect("a text takes all");
    }
    let (low, note) = (TOP - 4.0, bottom + 16.0);
    write!(
        svg,
        "  <path d=\"M{mark} {low} V{bottom}\"/>
  <text x=\"10\" y=\"{note}\" class=\"v\">Pale bars: beside plain Rust of the kernel's algorithm, since one writes another on a CPU.</text>
</svg>
"
    )
    .expect("a text takes all");
    svg
}
