use super::*;

#[test]
fn results_become_opaque() {
    for function in [
        quote!(
            fn f(x: &[fn() -> u8]) {
                g()
            }
        ),
        quote!(
            fn f(x: &[fn() -> u8]) -> () {
                g()
            }
        ),
    ] {
        let wanted = quote!(
            fn f(x: &[fn() -> u8]) -> impl ::core::marker::Sized {
                g()
            }
        );
        assert_eq!(with_opaque_result(&function).to_string(), wanted.to_string());
    }
    let function = quote!(
        fn f<T>(x: T)
        where
            T: Fn() -> u8,
        {
            g()
        }
    );
    let wanted = quote!(
        fn f<T>(x: T) -> impl ::core::marker::Sized
        where
            T: Fn() -> u8,
        {
            g()
        }
    );
    assert_eq!(with_opaque_result(&function).to_string(), wanted.to_string());
}
