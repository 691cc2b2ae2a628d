//! Suggestions for misspelt names.

use crate::surface::Primitive;

/// The name among `known` that `given` was probably meant to be.
pub fn nearest<'k>(given: &str, known: &[&'k str]) -> Option<&'k str> {
    // Functions of other libraries have a name for each type: `shuffle_f32`.
    if let Some((stem, ty)) = given.rsplit_once('_')
        && Primitive::from_name(ty).is_some()
        && let Some(name) = known.iter().find(|name| **name == stem)
    {
        return Some(name);
    }
    nearest_within(1 + last(given).len() / 5, given, known)
}

/// The last name of a path. Its modules are mostly right, and would let short names differ in each letter.
fn last(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

/// The name among `known` at the least distance from `given`, which is at most `most`. Half of the letters or more are no
/// mistake: a name of one or two letters is like any other of them.
pub(crate) fn nearest_within<'k>(most: usize, given: &str, known: &[&'k str]) -> Option<&'k str> {
    let most = most.min(last(given).len().saturating_sub(1) / 2);
    let mut best = (most + 1, None);
    for name in known {
        let distance = distance(given, name, most);
        if distance < best.0 {
            best = (distance, Some(*name));
        }
    }
    best.1
}

/// The type of numbers that was probably meant by a name that is no type.
pub(crate) fn meant(given: &str) -> Option<&'static str> {
    const OTHERS: [(&str, &str); 24] = [
        ("int", "i32"),
        ("uint", "u32"),
        ("unsigned", "u32"),
        ("long", "i64"),
        ("float", "f32"),
        ("double", "f64"),
        ("size_t", "usize"),
        ("half", "f16"),
        ("__half", "f16"),
        ("float16", "f16"),
        ("bfloat16", "bf16"),
        ("nv_bfloat16", "bf16"),
        ("__nv_bfloat16", "bf16"),
        ("half2", "[f16; 2]"),
        ("float2", "[f32; 2]"),
        ("float3", "[f32; 3]"),
        ("float4", "[f32; 4]"),
        ("double2", "[f64; 2]"),
        ("int2", "[i32; 2]"),
        ("int3", "[i32; 3]"),
        ("int4", "[i32; 4]"),
        ("uint2", "[u32; 2]"),
        ("uint4", "[u32; 4]"),
        ("uchar4", "[u8; 4]"),
    ];
    for (other, meant) in OTHERS {
        if other == given {
            return Some(meant);
        }
    }
    // The names are short: one letter more or less makes another of them, so the letters are the same.
    let given = given.to_ascii_lowercase();
    for known in Primitive::ALL {
        let name = known.name();
        if name.len() == given.len() && name.chars().all(|letter| given.contains(letter)) {
            return Some(name);
        }
    }
    None
}

/// The edit distance of two names, in which a swap of neighbours counts once, or more than `most`.
fn distance(a: &str, b: &str, most: usize) -> usize {
    if a.len().abs_diff(b.len()) > most {
        return most + 1;
    }
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut above: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut next = vec![i + 1; b.len() + 1];
        for j in 0..b.len() {
            let substituted = row[j] + usize::from(a[i] != b[j]);
            next[j + 1] = substituted.min(next[j] + 1).min(row[j + 1] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                next[j + 1] = next[j + 1].min(above[j - 1] + 1);
            }
        }
        above = std::mem::replace(&mut row, next);
    }
    row[b.len()]
}

#[cfg(test)]
mod tests;
