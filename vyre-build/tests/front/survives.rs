//! Any tokens are read without a panic, and what is accepted is valid.

use std::str::FromStr;

use proc_macro2::{Group, TokenStream, TokenTree};
use vyre_build::front::{self, Names};
use vyre_core::valid::validate;

/// Kernels with every form of the language, to be taken apart.
const KERNELS: &[&str] = &[
    "fn a(s: f32, x: &[f32], y: &mut [f32]) { let i = thread::index(); if i < y.len() { y[i] = s * x[i] + y[i]; } }",
    "fn b(#[each] x: &i32, #[each] y: &mut i32, n: i32) { *y += x.wrapping_add(n) << 3u8; for j in (0..=n).rev() { *y -= j; } }",
    "fn c(h: &[AtomicU32], x: &[u8]) { let l = shared::<[AtomicU32; 256]>(); let t = thread::idx(); l[t.x].store(0, Ordering::Relaxed);
        block::sync(); const N: usize = 1 << 4; let mut a = [0u32; N]; for i in (0..N).step_by(3) { a[i] += x[i] as u32; }
        if h[0].compare_exchange(0, a[1], Ordering::SeqCst, Ordering::Relaxed).is_err() { return; } }",
    "fn d(x: &mut [f64], w: u32) { let (a, mut b) = (1, 2.0); let r = 'l: loop { b *= 0.5; if b < 0.1 && w > a { break 'l b; } else { continue; } };
        let t = if w == WIDTH { (r, 1u8) } else { (0.0, b'x') }; assert!(t.0 >= 0.0, \"sign\"); let q; { q = -t.0; } x[t.1 as usize] = q.mul_add(2., f64::from(w)); }",
];

/// A small generator of numbers; the tests need no more.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % n.max(1)
    }
}

/// The stream with one token removed, doubled, swapped with its neighbour, or replaced.
pub(crate) fn mutate(stream: TokenStream, pool: &[TokenTree], random: &mut Random) -> TokenStream {
    let mut tokens: Vec<TokenTree> = stream.into_iter().collect();
    if tokens.is_empty() {
        return tokens.into_iter().collect();
    }
    let at = random.below(tokens.len());
    if let TokenTree::Group(group) = &tokens[at]
        && random.below(8) != 0
    {
        tokens[at] = TokenTree::Group(Group::new(group.delimiter(), mutate(group.stream(), pool, random)));
        return tokens.into_iter().collect();
    }
    match random.below(6) {
        0 => drop(tokens.remove(at)),
        1 => tokens.insert(at, tokens[at].clone()),
        2 => {
            let next = (at + 1) % tokens.len();
            tokens.swap(at, next);
        }
        3 => tokens[at] = pool[random.below(pool.len())].clone(),
        // A token of its own kind leaves most functions whole.
        _ => {
            let kind = std::mem::discriminant(&tokens[at]);
            let alike: Vec<_> = pool
                .iter()
                .filter(|token| std::mem::discriminant(*token) == kind)
                .collect();
            if !alike.is_empty() {
                tokens[at] = alike[random.below(alike.len())].clone();
            }
        }
    }
    tokens.into_iter().collect()
}

pub(crate) fn flatten(stream: TokenStream, pool: &mut Vec<TokenTree>) {
    for token in stream {
        if let TokenTree::Group(group) = &token {
            flatten(group.stream(), pool);
        }
        pool.push(token);
    }
}

#[test]
fn mutated_kernels() {
    let kernels: Vec<TokenStream> = KERNELS
        .iter()
        .map(|text| TokenStream::from_str(text).expect("tokens"))
        .collect();
    let mut pool = Vec::new();
    kernels.iter().for_each(|kernel| flatten(kernel.clone(), &mut pool));
    let mut random = Random::new(1);
    let rounds = std::env::var("VYRE_FUZZ_ROUNDS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(4000);
    let mut accepted = 0;
    for round in 0..rounds {
        let mut item = kernels[round % kernels.len()].clone();
        for _ in 0..1 + random.below(3) {
            item = mutate(item, &pool, &mut random);
        }
        let text = item.to_string();
        // A panic names the tokens.
        let result = std::panic::catch_unwind(|| front::kernel(TokenStream::new(), item, &Names::default()));
        match result.unwrap_or_else(|_| panic!("panicked on {text}")) {
            Ok(lowered) => {
                accepted += 1;
                if let Err(faults) = validate(&lowered.program) {
                    panic!(
                        "invalid: {faults:?}\n{text}\n{}",
                        vyre_core::text::print(&lowered.program)
                    );
                }
            }
            Err(rejected) => {
                assert!(rejected.errors.len() < 50, "{} errors on {text}", rejected.errors.len());
            }
        }
    }
    assert!(accepted > rounds / 100, "{accepted} of {rounds} accepted");
}
