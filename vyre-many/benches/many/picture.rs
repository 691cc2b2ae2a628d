//! A picture of how programs scale.

use std::fmt::Write;

/// The speed of a program with some GPUs, relative to one.
#[derive(Clone)]
pub(crate) struct Bar {
    pub(crate) name: String,
    pub(crate) ideal: f64,
    pub(crate) speed: f64,
}

/// Where the names end and the bars begin, in pixels.
const LEFT: f64 = 300.0;
/// The length of the longest bar.
const LONGEST: f64 = 400.0;
/// From one bar to the next.
const STEP: f64 = 24.0;
/// Above the first bar.
const TOP: f64 = 42.0;

/// Bars with a mark where each would end if it were as many times as fast as it has GPUs.
pub(crate) fn drawn(device: &str, bars: &[Bar]) -> String {
    let height = TOP + STEP * bars.len() as f64 + 8.0;
    let most = bars.iter().map(|bar| bar.ideal).fold(1.0, f64::max);
    let unit = LONGEST / most;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 780 {height}\" font-family=\"sans-serif\" role=\"img\">
  <title>The speed of programs on several GPUs relative to one</title>
  <style>
    .n {{ font-size: 13px; text-anchor: end; fill: #222 }}
    .v {{ font-size: 12px; fill: #444 }}
    .t {{ font-size: 14px; fill: #222 }}
    .back {{ fill: #fff }} .bar {{ fill: #4a7fc1 }} .ideal {{ stroke: #222; stroke-width: 2 }}
    @media (prefers-color-scheme: dark) {{
      .n, .v, .t {{ fill: #e6e6e6 }} .back {{ fill: #0d1117 }} .bar {{ fill: #6ea8e8 }} .ideal {{ stroke: #e6e6e6 }}
    }}
  </style>
  <rect width=\"780\" height=\"{height}\" class=\"back\"/>
  <text x=\"10\" y=\"22\" class=\"t\">Speed on several {device}, relative to one; the line marks as many times as GPUs</text>
"
    );
    for (place, Bar { name, ideal, speed }) in bars.iter().enumerate() {
        let top = TOP + STEP * place as f64;
        let (text, bottom, left) = (top + 13.0, top + 18.0, LEFT - 8.0);
        let (length, mark) = (unit * speed, LEFT + unit * ideal);
        let end = LEFT + length.max(unit * ideal) + 8.0;
        write!(
            svg,
            "  <text x=\"{left}\" y=\"{text}\" class=\"n\">{name}</text>
  <rect x=\"{LEFT}\" y=\"{top}\" width=\"{length:.1}\" height=\"18\" class=\"bar\"/>
  <path d=\"M{mark:.1} {top} V{bottom}\" class=\"ideal\"/>
  <text x=\"{end:.1}\" y=\"{text}\" class=\"v\">{speed:.2}</text>
"
        )
        .expect("a text takes all");
    }
    svg + "</svg>\n"
}
