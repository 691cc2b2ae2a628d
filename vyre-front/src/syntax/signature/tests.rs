use crate::syntax::signature::camel_case;

#[test]
fn launcher_names() {
    assert_eq!(camel_case("saxpy"), "Saxpy");
    assert_eq!(camel_case("scale_add"), "ScaleAdd");
    assert_eq!(camel_case("blur_3x3_"), "Blur3x3");
    assert_eq!(camel_case("r#match"), "Match");
    assert_eq!(camel_case("_"), "Kernel");
}
