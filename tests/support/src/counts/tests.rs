use std::collections::BTreeMap;

use super::table::Table;
use super::{Counts, ptx};

const PTX: &str = "\
.visible .entry first(
    .param .u64 p0
)
{
    .reg .b32 %r<6>;
    ld.param.u64 %rd1, [p0];
    ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1]; // not; here
    @!%p1 bra CHECK0;
    @%p2 st.shared.b16 [%rd2], %h1;
    cp.async.cg.shared.global [%r1], [%rd1], 16;
    ld.u8 %r1, [%rd1];
L1:
    ret;
CHECK0:
    mov.b32 %r4, 0;
CHECK0_1:
    st.global.u64 [%rd19], %rd17;
    ret;
}
.visible .entry second()
{
    ret;
}
";

fn table(ptx: &str, machine: Option<[u64; 5]>) -> Table {
    let counts = ptx::count(ptx).into_iter();
    Table::new(
        counts
            .map(|(name, ptx)| (name.to_owned(), Counts { ptx, machine }))
            .collect(),
    )
}

#[test]
fn cold_code_is_counted_apart() {
    let counted = ptx::count(PTX);
    let [("first", first), ("second", second)] = &counted[..] else {
        panic!("two entries")
    };
    let numbers = [first.instructions, first.cold, first.checks, first.sites];
    assert_eq!(numbers, [7, 3, 1, 2]);
    let accesses: Vec<_> = first
        .accesses
        .iter()
        .map(|((name, bits), &count)| (&**name, *bits, count))
        .collect();
    assert_eq!(
        accesses,
        [
            ("cp.async", 128, 1),
            ("ld.generic", 8, 1),
            ("ld.global.nc", 128, 1),
            ("st.shared", 16, 1)
        ]
    );
    assert_eq!((second.instructions, second.cold), (1, 0));
}

#[test]
fn a_table_reads_what_it_prints() {
    let table = table(PTX, Some([100, 32, 8, 16, 0]));
    let text = table.to_string();
    assert!(text.lines().all(|line| line.trim_end() == line), "{text}");
    let read = Table::parse(&text).expect("a table");
    assert_eq!(read.differences(&table), "");
    assert_eq!(read.to_string(), text);
}

#[test]
fn differences_are_in_percent() {
    let old = table(PTX, Some([100, 32, 0, 0, 0]));
    let new = table(&PTX.replace("    ld.u8 %r1, [%rd1];\n", ""), Some([103, 32, 8, 0, 0]));
    let said = old.differences(&new);
    assert!(
        said.starts_with("  first: ptx 7 -> 6 (-14.3 %), sass 100 -> 103 (+3.0 %), spilled 0 -> 8, accesses ["),
        "{said}"
    );
    assert_eq!(said.lines().count(), 2);
}

#[test]
fn without_an_assembler_only_ptx_is_compared() {
    let (old, new) = (table(PTX, Some([100, 32, 0, 0, 0])), table(PTX, None));
    assert_eq!(old.differences(&new), "");
    assert!(old.is_complete() && !new.is_complete());
}

#[test]
fn kernels_that_come_and_go_are_differences() {
    let (all, none) = (table(PTX, None), Table::new(BTreeMap::new()));
    assert_eq!(all.differences(&none).lines().count(), 2);
    assert_eq!(none.differences(&all).lines().count(), 2);
}
