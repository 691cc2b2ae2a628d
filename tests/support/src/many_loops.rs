//! Kernels with many loops, for tests of how long compiling takes.

use std::fmt::Write;

/// The text of a program whose kernel has `count` consecutive loops, each with its own counter and
/// a checked access.
pub fn many_loops(count: usize) -> String {
    let mut locals = String::new();
    let mut loops = String::new();
    for number in 0..count {
        let i = format!("counter{number}");
        let factor = number + 3;
        let _ = writeln!(locals, "        let {i}: u64");
        let _ = write!(
            loops,
            "        store {i} = cast u64(thread_index.x)
        loop {{
            if lt({i}, n) {{
            }} else {{
                break 0
            }}
            store sum = add(mul(sum, {factor}u32), x[{i}])
        }} step {{
            store {i} = add({i}, 1u64)
        }}
"
        );
    }
    format!(
        "vyre 1
file \"loops.rs\"
type &[u32]
type &mut [u32]
kernel loops(x: &[u32], out: &mut [u32], n: u64) dimensions 1 block 64 1 1 {{
    entry loops {{
        let sum: u32
{locals}{loops}        store out[cast u64(global_index.x)] = sum
    }}
}}"
    )
}
