#[test]
fn heads_of_paths_and_types_are_imported() {
    let item = "fn f(grid: usize, x: Slice2<'_, f32>, s: &a::Float) {
        let i = thread::index() + thread::idx().x + vyre::lane::index() + y.block::<f32>();
    }";
    let imports = super::imports(item.parse().expect("tokens")).to_string();
    let names: Vec<&str> = imports
        .split("use ")
        .skip(1)
        .filter_map(|rest| rest.split(' ').next())
        .collect();
    assert_eq!(names, ["Slice2", "thread"]);
}
