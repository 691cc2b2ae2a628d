//! The picture of the speeds of kernels beside nvcc's: drawn from the table of the book.

use std::fmt::Write;
use std::path::Path;

use super::{BOOK, read};

/// Where the names end and the bars begin, in pixels.
const LEFT: f64 = 390.0;
/// The length of a bar for equal speed.
const EQUAL: f64 = 220.0;
/// The speed at which longer bars are cut. Their values stand inside, as those of all bars.
const MOST: f64 = 1.6;
/// Bars of a lower speed have the other colour.
const SLOW: f64 = 0.9;
/// The whole picture.
const WIDTH: f64 = 780.0;
/// From one bar to the next.
const STEP: f64 = 20.0;
/// Above the first bar.
const TOP: f64 = 58.0;

#[test]
fn the_speed_bars_are_those_of_the_table() {
    let rows = rows(&read(Path::new(BOOK).join("performance.md")));
    assert!(rows.len() > 10, "the table has {} rows", rows.len());
    let file = Path::new(BOOK).join("images/speed.svg");
    if let Err(difference) = vyre_test_support::snapshot::compare(&file, &drawn(&rows)) {
        panic!("{difference}");
    }
}

#[test]
fn all_bars_end_inside_the_picture() {
    let rows =
        [("even", 1.0, 1.0), ("long", 1.0, 100.0), ("slow", 2.0, 1.0)].map(|(name, a, b)| (name.to_string(), a, b));
    let picture = drawn(&rows);
    let ends: Vec<f64> = picture
        .lines()
        .filter_map(|line| line.split_once("<path d=\"M390 ")?.1.split_once(" H"))
        .map(|(_, rest)| {
            rest.split([' ', '"'])
                .next()
                .and_then(|end| end.parse().ok())
                .expect("a place")
        })
        .collect();
    assert_eq!(ends, [LEFT + EQUAL, LEFT + MOST * EQUAL, LEFT + EQUAL / 2.0]);
    assert!(ends.iter().all(|&end| end < WIDTH), "{ends:?}");
    for value in ["1.00", "100.00", "0.50"] {
        assert!(picture.contains(&format!("class=\"value\">{value}<")), "{picture}");
    }
}

/// The kernels of the table with the time of vyre's and that of nvcc's.
fn rows(page: &str) -> Vec<(String, f64, f64)> {
    let table = page
        .lines()
        .skip_while(|line| *line != "| kernel | vyre | nvcc | ratio |");
    let rows = table.skip(2).take_while(|line| line.starts_with('|'));
    let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("`{text}` is no time"));
    rows.map(|row| match row.split('|').map(str::trim).collect::<Vec<_>>()[..] {
        ["", name, own, theirs, _, ""] => (name.replace('`', ""), number(own), number(theirs)),
        _ => panic!("{row}"),
    })
    .collect()
}

fn drawn(rows: &[(String, f64, f64)]) -> String {
    let height = TOP + STEP * rows.len() as f64 + 8.0;
    let (middle, bottom) = (LEFT + EQUAL, height - 6.0);
    let mut bars = String::new();
    for (place, (name, own, theirs)) in rows.iter().enumerate() {
        let (top, speed) = (TOP + STEP * place as f64, theirs / own);
        let (text, left, value) = (top + 12.0, LEFT - 8.0, LEFT + 8.0);
        let class = if speed < SLOW { "slow" } else { "fast" };
        let name = name.replace('&', "&amp;").replace('<', "&lt;");
        let shape = shape(top, speed);
        write!(
            bars,
            "  <text x=\"{left}\" y=\"{text}\" class=\"name\">{name}</text>
  <path d=\"{shape}\" class=\"{class}\"/>
  <text x=\"{value}\" y=\"{text}\" class=\"value\">{speed:.2}</text>
"
        )
        .expect("a text takes all");
    }
    let (percent, cut) = (100.0 * (1.0 - SLOW), MOST);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" role=\"img\">
  <title>The speed of vyre's kernels relative to those of nvcc</title>
  <style>
    .back {{ fill: #fff }} .fast {{ fill: #2f66a8 }} .slow {{ fill: #9a5b00 }}
    text {{ font-size: 12px; fill: #222 }}
    .head {{ font-size: 14px }} .name {{ font-size: 13px; text-anchor: end }} .value {{ fill: #fff }}
    .middle {{ text-anchor: middle }} .line {{ stroke: #222; stroke-dasharray: 3 3 }}
    @media (prefers-color-scheme: dark) {{
      .back {{ fill: #0d1117 }} .fast {{ fill: #6ea8e8 }} .slow {{ fill: #e0a458 }}
      text {{ fill: #e6e6e6 }} .value {{ fill: #0d1117 }} .line {{ stroke: #e6e6e6 }}
    }}
  </style>
  <rect width=\"{WIDTH}\" height=\"{height}\" class=\"back\"/>
  <text x=\"10\" y=\"22\" class=\"head\">Speed on one H200, relative to nvcc (time of nvcc / time of vyre): longer is faster</text>
  <rect x=\"10\" y=\"36\" width=\"24\" height=\"12\" class=\"fast\"/>
  <text x=\"40\" y=\"46\">faster, or within {percent:.0} %</text>
  <rect x=\"190\" y=\"36\" width=\"24\" height=\"12\" class=\"slow\"/>
  <text x=\"220\" y=\"46\">slower</text>
  <path d=\"{cut_sign}\" class=\"fast\"/>
  <text x=\"310\" y=\"46\">cut at {cut}</text>
  <text x=\"{middle}\" y=\"46\" class=\"middle\">as fast as nvcc</text>
{bars}  <path d=\"M{middle} 52 V{bottom}\" class=\"line\"/>
</svg>
",
        cut_sign = "M280 36 H302 l-4 4 l4 4 l-4 4 H280 z",
    )
}

/// A bar. The end of one that is cut is jagged.
fn shape(top: f64, speed: f64) -> String {
    let end = LEFT + EQUAL * speed.min(MOST);
    if speed > MOST {
        format!("M{LEFT} {top} H{end:.1} l-5 5 l5 5 l-5 5 H{LEFT} z")
    } else {
        format!("M{LEFT} {top} H{end:.1} v15 H{LEFT} z")
    }
}
