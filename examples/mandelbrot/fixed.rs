//! Numbers with a fixed point and as many bits as a deep zoom needs.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Neg, Sub};

/// A number of a magnitude below 2^32, with a multiple of 32 bits behind the point.
#[derive(Clone, Debug, PartialEq)]
pub struct Fixed {
    negative: bool,
    /// The integer part, then the fraction, the most significant word first.
    words: Vec<u32>,
}

impl Fixed {
    /// Reads a decimal number without an exponent. `words` words of 32 bits stand behind the point.
    pub fn parse(text: &str, words: usize) -> Option<Fixed> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (integer, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        if !fraction.bytes().all(|digit| digit.is_ascii_digit()) || !integer.bytes().all(|digit| digit.is_ascii_digit())
        {
            return None;
        }
        let mut number = Fixed {
            negative,
            words: vec![0; words + 1],
        };
        for digit in fraction.bytes().rev() {
            number.words[0] = u32::from(digit - b'0');
            number.divide(10);
        }
        number.words[0] = integer.parse().ok()?;
        Some(number)
    }

    /// A double, whose bits past the last word are lost.
    pub fn new(value: f64, words: usize) -> Fixed {
        let mut rest = value.abs();
        let mut number = Fixed {
            negative: value < 0.0,
            words: Vec::new(),
        };
        for _ in 0..=words {
            number.words.push(rest as u32);
            // Exact: subtracting the integer part and multiplying by a power of two lose no bits.
            rest = (rest - rest.floor()) * 4_294_967_296.0;
        }
        number
    }

    /// Words behind the point.
    pub fn precision(&self) -> usize {
        self.words.len() - 1
    }

    /// One of the two nearest doubles.
    pub fn to_f64(&self) -> f64 {
        let size = self
            .words
            .iter()
            .rev()
            .fold(0.0, |sum, &word| sum / 4_294_967_296.0 + f64::from(word));
        if self.negative { -size } else { size }
    }

    fn divide(&mut self, divisor: u32) {
        let mut remainder = 0;
        for word in &mut self.words {
            let dividend = remainder << 32 | u64::from(*word);
            *word = (dividend / u64::from(divisor)) as u32;
            remainder = dividend % u64::from(divisor);
        }
    }

    /// The sum or, if `subtract`, the difference of the magnitudes, of which the first is no smaller then.
    fn combine(large: &[u32], small: &[u32], subtract: bool) -> Vec<u32> {
        let mut words = large.to_vec();
        let mut carry = 0;
        for (word, &other) in words.iter_mut().zip(small).rev() {
            let other = i64::from(other);
            let sum = i64::from(*word) + carry + if subtract { -other } else { other };
            *word = sum as u32;
            carry = sum >> 32;
        }
        words
    }
}

impl Neg for &Fixed {
    type Output = Fixed;

    fn neg(self) -> Fixed {
        Fixed {
            negative: !self.negative,
            words: self.words.clone(),
        }
    }
}

impl Add for &Fixed {
    type Output = Fixed;

    fn add(self, other: &Fixed) -> Fixed {
        let (large, small) = match self.words.cmp(&other.words) {
            Ordering::Less => (other, self),
            _ => (self, other),
        };
        let words = Fixed::combine(&large.words, &small.words, large.negative != small.negative);
        Fixed {
            negative: large.negative,
            words,
        }
    }
}

impl Sub for &Fixed {
    type Output = Fixed;

    fn sub(self, other: &Fixed) -> Fixed {
        self + &-other
    }
}

impl Mul for &Fixed {
    type Output = Fixed;

    /// The product, cut after the last word.
    fn mul(self, other: &Fixed) -> Fixed {
        let count = self.words.len();
        // The product of words i and j belongs to the words i + j and, its high half, i + j - 1.
        let mut sums = vec![0u128; 2 * count];
        for (i, &left) in self.words.iter().enumerate() {
            for (j, &right) in other.words.iter().enumerate() {
                sums[i + j + 1] += u128::from(u64::from(left) * u64::from(right));
            }
        }
        for k in (1..sums.len()).rev() {
            sums[k - 1] += sums[k] >> 32;
            sums[k] &= 0xffff_ffff;
        }
        Fixed {
            negative: self.negative != other.negative,
            words: sums[1..=count].iter().map(|&word| word as u32).collect(),
        }
    }
}
