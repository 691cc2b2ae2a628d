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

/// A reduction of a block has a branch for blocks that end with a part of a warp; the size of the block decides it.
#[test]
fn branches_that_are_not_taken_leave_the_cpu_body() {
    let names = Names::of_file("kernels.rs", &syn::parse_quote!());
    let decided = |options: TokenStream, body: TokenStream| {
        let kernel = quote!(
            fn kernel(x: &[u32], y: &mut [u32]) {
                #body
            }
        );
        let lowered = driver::kernel(options, kernel, &names).expect("it is right");
        let valid = validate(&lowered.program).expect("it is valid");
        let decided = decided::decided(&valid, lowered.kernel)?;
        let valid = validate(&decided).expect("it is valid, too");
        let reach = &valid.info().entries(lowered.kernel).last()?.reach;
        let called = reach
            .functions
            .iter()
            .map(|&function| decided.functions[function].name.clone());
        let body = &decided.kernels[lowered.kernel].entries.last()?.body;
        Some((called.collect::<Vec<_>>(), body.block.len()))
    };
    let calls = |called: &[String], name: &str| called.iter().any(|it| it == name);
    let sum = quote!(y[0] = block::sum(x[thread::index()]););
    let (whole, _) = decided(quote!(block = 256), sum.clone()).expect("a branch is decided");
    assert!(calls(&whole, "join") && !calls(&whole, "join_part"), "{whole:?}");
    let (part, _) = decided(quote!(block = 100), sum).expect("a branch is decided");
    assert!(!calls(&part, "join") && calls(&part, "join_part"), "{part:?}");
    // The size of the grid, a variable that is assigned twice, one that a path does not assign, and a parameter are unknown.
    for unknown in [
        quote!(if grid::dim().x == 2 {
            y[0] = 1;
        }),
        quote!(
            let mut n = 1;
            n += x.len();
            if n == 1 { y[0] = 1; }
        ),
        quote!(
            let mut n = 0;
            if x.len() > 3 { n = 1; }
            if n == 1 { y[0] = 1; }
        ),
        quote!(if x.is_empty() {
            y[0] = 1;
        }),
    ] {
        assert_eq!(decided(quote!(), unknown.clone()), None, "{unknown}");
    }
    // Statements behind a jump that is taken are left out; a condition that faults stays.
    let jumped = decided(
        quote!(block = 64),
        quote!(if block::dim().x == 64 { return; } y[0] = 1;),
    );
    assert_eq!(jumped, Some((Vec::new(), 1)));
    assert_eq!(
        decided(
            quote!(block = 64),
            quote!(if 1 / (block::dim().x - 64) == 0 {
                y[0] = 1;
            })
        ),
        None
    );
}
