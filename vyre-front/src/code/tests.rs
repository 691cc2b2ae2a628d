use super::*;
use quote::quote;

#[test]
fn templates_are_those_of_quote() {
    let span = Span::call_site();
    let (name, parts) = (
        Ident::new("x", span),
        vec![Literal::u8_suffixed(1), Literal::u8_suffixed(2)],
    );
    let nothing: Option<Code> = None;
    let body = code!(span=> loop { break 'outer; } #nothing);
    let made = code!(span=> 'outer: { let mut #name = f::<u8>([#parts], 3)?; if a && !b { #body } });
    let wanted = quote!('outer: {
        let mut x = f::<u8>([1u8, 2u8], 3)?;
        if a && !b {
            loop {
                break 'outer;
            }
        }
    });
    assert_eq!(TokenStream::from(made).to_string(), wanted.to_string());
    let made = code!(span=>
        /// A `type`.
        #[must_use = "it is used"]
        struct Named;
    );
    let wanted = quote!(
        #[doc = " A `type`."]
        #[must_use = "it is used"]
        struct Named;
    );
    assert_eq!(TokenStream::from(made).to_string(), wanted.to_string());
}
