use super::*;

#[test]
fn scalars_are_pointed_at_in_place() {
    let (a, b) = (7u32, 0.5f64);
    let mut arguments = Arguments::new();
    arguments.value(&a);
    arguments.value(&b);
    assert_eq!(
        arguments.pointers(),
        [(&raw const a).cast::<c_void>(), (&raw const b).cast()]
    );
}
