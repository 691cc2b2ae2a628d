//! The picture of the speeds of kernels beside nvcc's: drawn from the table of the book.

use std::fmt::Write;
use std::path::Path;

use super::{BOOK, read};

/// Where the names end and the bars begin, in pixels.
const LEFT: f64 = 390.0;
/// The length of a bar for equal speed.
const EQUAL: f64 = 220.0;
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
    let (middle, bottom) = (LEFT + EQUAL, height - 8.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 780 {height}\" font-family=\"sans-serif\" role=\"img\">
  <title>The speed of vyre's kernels relative to those of nvcc</title>
  <style>
    .n {{ font-size: 13px; text-anchor: end; fill: #222 }}
    .v {{ font-size: 12px; fill: #444 }}
    .t {{ font-size: 14px; fill: #222 }}
    .m {{ font-size: 12px; text-anchor: middle; fill: #444 }}
  </style>
  <rect width=\"780\" height=\"{height}\" fill=\"#fff\"/>
  <text x=\"10\" y=\"22\" class=\"t\">Speed on one H200, relative to nvcc (time of nvcc / time of vyre): longer is faster</text>
  <text x=\"{middle}\" y=\"47\" class=\"m\">nvcc</text>
"
    );
    for (place, (name, own, theirs)) in rows.iter().enumerate() {
        let (top, speed) = (TOP + STEP * place as f64, theirs / own);
        let fill = if speed < 0.9 { "#e0a458" } else { "#4a7fc1" };
        let text = top + 12.0;
        let (length, end) = (EQUAL * speed, LEFT + EQUAL * speed + 6.0);
        let name = name.replace('&', "&amp;").replace('<', "&lt;");
        let left = LEFT - 8.0;
        writeln!(svg, "  <text x=\"{left}\" y=\"{text}\" class=\"n\">{name}</text>").expect("a text takes all");
        writeln!(
            svg,
            "  <rect x=\"{LEFT}\" y=\"{top}\" width=\"{length:.1}\" height=\"15\" fill=\"{fill}\"/>"
        )
        .expect("a text takes all");
        writeln!(svg, "  <text x=\"{end:.1}\" y=\"{text}\" class=\"v\">{speed:.2}</text>").expect("a text takes all");
    }
    writeln!(
        svg,
        "  <path d=\"M{middle} 52 V{bottom}\" stroke=\"#222\" stroke-dasharray=\"3 3\"/>\n</svg>"
    )
    .expect("a text takes all");
    svg
}
