//! Patterns that take values apart and what references refer to, in `let`, `for`, closures and `match`, with types of
//! which rustc takes the same view.

use vyre_semantics::everywhere;

#[vyre::device]
#[derive(Clone, Copy)]
struct Span {
    low: u32,
    high: u32,
}

#[vyre::device]
#[derive(Clone, Copy)]
enum Only {
    Pair(u32, Span),
}

#[vyre::device]
fn width(span: &Span, pair: &(u32, f32)) -> u32 {
    let Span { low, high } = span;
    let scaled = match pair {
        (0, by) => *by as u32,
        (n, _) => n.count_ones(),
    };
    high.wrapping_sub(*low) + scaled
}

#[vyre::kernel]
fn apart(#[each] span: &Span, #[each] widths: &mut u32, #[each] sums: &mut u32) {
    let Only::Pair(factor, whole @ Span { low, .. }) = Only::Pair(3, *span);
    let mut pairs = [(low, 2u32), (whole.high, 5)];
    for (n, by) in &mut pairs {
        *n += *by * factor;
    }
    if let Some((n, by)) = pairs.get_mut(1) {
        *by ^= *n;
    }
    let mut sum = 0u32;
    for (i, (n, by)) in pairs.iter().enumerate() {
        sum = sum.wrapping_mul(31).wrapping_add(n ^ by) + i as u32;
    }
    let larger = |(n, by): &(u32, u32)| if n > by { *n } else { *by };
    *widths = width(span, &(low, 2.5));
    *sums = sum + larger(&pairs[0]);
}

fn apart_of(span: Span) -> (u32, u32) {
    let mut pairs = [(span.low + 6, 2), (span.high + 15, 5)];
    pairs[1].1 ^= pairs[1].0;
    let sum = 31 * (pairs[0].0 ^ 2) + (pairs[1].0 ^ pairs[1].1) + 1;
    let by = if span.low == 0 { 2 } else { span.low.count_ones() };
    (span.high - span.low + by, sum + pairs[0].0.max(2))
}

#[test]
fn parts_behind_references() {
    everywhere(|place| {
        let spans: Vec<Span> = (0..9)
            .map(|low| Span {
                low,
                high: low * low + 4,
            })
            .collect();
        let input = place.device().upload(&spans)?;
        let mut widths = place.device().zeros::<u32>(spans.len())?;
        let mut sums = place.device().zeros::<u32>(spans.len())?;
        let kernel = Apart {
            span: (&input).into(),
            widths: (&mut widths).into(),
            sums: (&mut sums).into(),
        };
        place.over(kernel, spans.len())?;
        let found: Vec<(u32, u32)> = widths.download()?.into_iter().zip(sums.download()?).collect();
        let expected: Vec<(u32, u32)> = spans.into_iter().map(apart_of).collect();
        assert_eq!(found, expected, "on {}", place.name());
        Ok(())
    });
}
