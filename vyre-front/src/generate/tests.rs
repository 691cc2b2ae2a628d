use super::*;
use crate::driver;
use crate::resolve::names::Names;
use quote::quote;

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

/// rustc reports it in the function, which no constant of the kernel can wait for.
#[test]
fn a_mismatch_in_a_called_function_waits_for_code() {
    let file = syn::parse_quote! {
        #[vyre::device]
        fn twice<T: Number>(x: T) -> T {
            let y: u32 = x;
            x + x
        }
    };
    let names = Names::of_file("kernels.rs", &file);
    let kernel = quote!(
        fn kernel(x: &[f32], y: &mut [f32]) {
            y[0] = twice(x[0]);
        }
    );
    let rejected = driver::kernel(quote!(), kernel, &names).expect_err("it is refused");
    assert!(rejected.errors.is_empty());
    let text = stub(&rejected).to_string();
    assert!(text.contains("fn late < T > ()") && text.contains("V0902"), "{text}");
    assert!(!text.contains("refuse ("), "{text}");
}

/// A constant or a type that was left to rustc, without any note, fails the build if rustc finds nothing either.
#[test]
fn what_is_left_to_rustc_has_a_guard() {
    let left = |errors: Vec<Diagnostic>, elsewhere| Rejected {
        surface: None,
        checked: quote!(),
        errors,
        elsewhere,
        hides: false,
        wanted: Vec::new(),
        unused: Vec::new(),
        notes: Vec::new(),
    };
    let items: [syn::Item; 5] = [
        syn::parse_quote!(
            const C: u32 = 3;
        ),
        syn::parse_quote!(
            struct S<'a>(&'a [f32]);
        ),
        syn::parse_quote!(
            enum E {
                A,
            }
        ),
        syn::parse_quote!(
            struct G<T>(T);
        ),
        syn::parse_quote!(
            type A<T> = G<T>;
        ),
    ];
    for item in items {
        let guard = device::guard(&item, &left(Vec::new(), false)).to_string();
        let is_late = guard.contains("static LATE : fn () = late :: < () > ;");
        assert!(is_late && guard.contains("V0902"), "{guard}");
        let error = errors::diagnostic(Code::Expression, Span::call_site(), "refused", "nothing");
        for reported in [left(vec![error], false), left(Vec::new(), true)] {
            assert!(device::guard(&item, &reported).is_empty());
        }
    }
}

/// An alias of the user's may have the name `Atomic`, and lead to atomics of another struct: its elements would be taken for
/// those of this one.
#[test]
fn a_struct_of_atomics_is_claimed_with_its_arguments() {
    let file = syn::parse_quote! {
        #[vyre::device]
        #[derive(Clone, Copy, vyre::Atomics)]
        struct Stats {
            hits: u32,
        }
    };
    let names = Names::of_file("kernels.rs", &file);
    let kernel = quote!(
        fn kernel(stats: &[Atomic<Stats>]) {
            stats[0].hits.fetch_add(1, Ordering::Relaxed);
        }
    );
    let lowered = driver::kernel(TokenStream::new(), kernel, &names).expect("it is right");
    let checked = lowered.checked.to_string();
    let claims: Vec<&str> = checked.split("alias :: <").skip(1).collect();
    let is_of_stats = |claim: &&str| claim.contains("tag :: Own <") && claim.contains(", Atomic < Stats > >");
    assert!(claims.iter().any(is_of_stats), "{claims:?}");
}
