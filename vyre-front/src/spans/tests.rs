use super::*;

#[test]
fn places_are_found_again() {
    let place = |number: u32| Place {
        file: number % 2,
        line: number / 30,
        column: number % 30,
    };
    let tokens: proc_macro2::TokenStream = "a ".repeat(2000).parse().expect("tokens");
    let spans: Vec<Span> = tokens.into_iter().map(|token| token.span()).collect();
    let mut known = Spans::default();
    for (number, span) in spans.iter().enumerate().skip(1) {
        known.insert(place(number as u32), *span);
        known.insert(place(number as u32), spans[0]);
    }
    for (number, span) in spans.iter().enumerate().skip(1) {
        assert_eq!(known.get(place(number as u32)).start(), span.start());
    }
    assert!(known.find(place(5000)).is_none());
}
