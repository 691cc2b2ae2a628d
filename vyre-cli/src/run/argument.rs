//! How arguments are written.

use vyre_core::interp::Argument;
use vyre_core::ir::{Constant, ConstantTable, Scalar, Type, TypeId, Types};
use vyre_core::semantics;

use crate::Result;

/// The help text about arguments.
pub(super) const HELP: &str = "\
Arguments:
  3, -1.5, true       a number; in a struct or array it stands for each scalar
  [1, 2, 3]           the elements of a slice, or the scalars of a struct or array in order
  64*0                a slice of 64 elements, each 0
  64*iota             0, 1, 2, ...
  64*random           random bits, of floats numbers from 0 to 1; the same in each run
  64*random:7         others, by a seed
  64*unwritten        zeros, which `--check` takes for memory without values";

/// The longest slice, in bytes.
const MAX_BYTES: u64 = 1 << 30;

/// An argument of a kernel.
pub(super) enum Given {
    Scalar(Constant),
    Bytes(Vec<u8>),
    Slice(Vec<u8>),
    /// A slice without values.
    Unwritten(Vec<u8>),
}

impl Given {
    pub(super) fn argument(&mut self) -> Argument<'_> {
        match self {
            Given::Scalar(constant) => Argument::Scalar(*constant),
            Given::Bytes(bytes) => Argument::Bytes(bytes),
            Given::Slice(bytes) | Given::Unwritten(bytes) => Argument::Slice(bytes),
        }
    }

    pub(super) fn is_unwritten(&self) -> bool {
        matches!(self, Given::Unwritten(_))
    }

    /// The values that a table has unless the host gives others.
    pub(super) fn table(types: &Types, table: &ConstantTable) -> Given {
        let scalar = table.scalar(types).unwrap_or(Scalar::U8);
        let bytes = table
            .values
            .iter()
            .flat_map(|bits| bits.to_le_bytes()[..scalar.size() as usize].to_vec());
        Given::Bytes(bytes.collect())
    }
}

/// The argument of a type.
pub(super) fn parse(types: &Types, ty: TypeId, text: &str) -> Result<Given> {
    match &types[ty] {
        Type::Slice { element, .. } => {
            let (length, mut pattern) = match text.split_once('*') {
                Some((length, pattern)) => {
                    let length = length
                        .trim()
                        .parse()
                        .map_err(|_| format!("`{}` is no length", length.trim()))?;
                    (Some(length), Pattern::parse(pattern.trim())?)
                }
                None => (None, Pattern::parse(text)?),
            };
            let length = match (length, &pattern) {
                (Some(length), _) => length,
                (None, Pattern::List(list)) => list.len() as u64 / scalars(types, *element).max(1),
                (None, _) => return Err(format!("a slice has a length: write `64*{text}`")),
            };
            let bytes = length.saturating_mul(types.layout(*element).size);
            if bytes > MAX_BYTES {
                return Err(format!("{length} elements take more than 1 GiB"));
            }
            if matches!(pattern, Pattern::Unwritten) {
                return Ok(Given::Unwritten(vec![0; bytes as usize]));
            }
            let mut out = Vec::with_capacity(bytes as usize);
            for _ in 0..length {
                pattern.write(types, *element, &mut out)?;
            }
            pattern.finish()?;
            Ok(Given::Slice(out))
        }
        Type::Scalar(scalar) => Ok(Given::Scalar(Pattern::parse(text)?.next(*scalar)?)),
        _ => {
            let (mut pattern, mut bytes) = (Pattern::parse(text)?, Vec::new());
            pattern.write(types, ty, &mut bytes)?;
            pattern.finish()?;
            Ok(Given::Bytes(bytes))
        }
    }
}

/// The number of scalars in a value.
fn scalars(types: &Types, ty: TypeId) -> u64 {
    match &types[ty] {
        Type::Tuple(fields) => fields.iter().map(|&field| scalars(types, field)).sum(),
        Type::Struct { fields, .. } => fields.iter().map(|field| scalars(types, field.ty)).sum(),
        Type::Array { element, length } => length.saturating_mul(scalars(types, *element)),
        _ => 1,
    }
}

/// The values of scalars, one after the other.
enum Pattern {
    All(String),
    Count(u64),
    Random(u64),
    /// No values; of slices alone.
    Unwritten,
    /// The rest of a list, last element first.
    List(Vec<String>),
}

impl Pattern {
    fn parse(text: &str) -> Result<Pattern> {
        if let Some(list) = text.strip_prefix('[') {
            let list = list.strip_suffix(']').ok_or_else(|| format!("`{text}` lacks a `]`"))?;
            let words = list
                .split(',')
                .map(|word| word.trim().to_owned())
                .filter(|word| !word.is_empty());
            return Ok(Pattern::List(words.rev().collect()));
        }
        Ok(match text.split_once(':').unwrap_or((text, "")) {
            ("iota", "") => Pattern::Count(0),
            ("unwritten", "") => Pattern::Unwritten,
            ("random", "") => Pattern::Random(1),
            ("random", seed) => Pattern::Random(seed.parse().map_err(|_| format!("`{seed}` is no seed"))?),
            _ => Pattern::All(text.to_owned()),
        })
    }

    /// A list that is longer than the argument is an error.
    fn finish(&self) -> Result<()> {
        match self {
            Pattern::List(list) if !list.is_empty() => Err(format!("the list has {} elements too many", list.len())),
            _ => Ok(()),
        }
    }

    /// The next scalar.
    fn next(&mut self, scalar: Scalar) -> Result<Constant> {
        match self {
            Pattern::All(text) => number(scalar, text),
            Pattern::Unwritten => number(scalar, "unwritten"),
            Pattern::List(list) => {
                let text = list.pop().ok_or("the list is too short")?;
                number(scalar, &text)
            }
            Pattern::Count(count) => {
                *count += 1;
                Ok(semantics::cast(Constant::u64(*count - 1), scalar))
            }
            Pattern::Random(state) => {
                let bits = random(state);
                let unit = (bits >> 11) as f64 / (1u64 << 53) as f64;
                Ok(match scalar {
                    _ if scalar.is_float() => semantics::cast(Constant::new(Scalar::F64, unit.to_bits()), scalar),
                    Scalar::Bool => Constant::bool(bits >> 63 == 1),
                    _ => Constant::new(scalar, bits),
                })
            }
        }
    }

    /// A value with the layout of its type.
    fn write(&mut self, types: &Types, ty: TypeId, out: &mut Vec<u8>) -> Result<()> {
        let layout = types.layout(ty);
        let start = out.len();
        let fields: Vec<TypeId> = match &types[ty] {
            Type::Atomic(scalar) if scalar.is_half() => {
                for _ in 0..2 {
                    let bits = self.next(*scalar)?.bits.to_le_bytes();
                    out.extend_from_slice(&bits[..scalar.size() as usize]);
                }
                return Ok(());
            }
            Type::Scalar(scalar) | Type::Atomic(scalar) => {
                let bits = self.next(*scalar)?.bits.to_le_bytes();
                out.extend_from_slice(&bits[..scalar.size() as usize]);
                return Ok(());
            }
            Type::Array { element, length } => {
                return (0..*length).try_for_each(|_| self.write(types, *element, out));
            }
            Type::Tuple(fields) => fields.clone(),
            Type::Struct { fields, .. } => fields.iter().map(|field| field.ty).collect(),
            Type::Reference { .. } | Type::Slice { .. } => return Err("references cannot be given".to_owned()),
        };
        for (field, offset) in fields.into_iter().zip(&layout.offsets) {
            out.resize(start + *offset as usize, 0);
            self.write(types, field, out)?;
        }
        out.resize(start + layout.size as usize, 0);
        Ok(())
    }
}

/// A number of a type.
fn number(scalar: Scalar, text: &str) -> Result<Constant> {
    let wrong = || format!("`{text}` is no `{}`", scalar.name());
    let digits = text.replace('_', "");
    if scalar == Scalar::Bool {
        return digits.parse().map(Constant::bool).map_err(|_| wrong());
    }
    if scalar.is_float() {
        let number: f64 = digits.parse().map_err(|_| wrong())?;
        // A decimal of `f32` is rounded once.
        return Ok(match scalar {
            Scalar::F32 => Constant::new(scalar, digits.parse::<f32>().map_err(|_| wrong())?.to_bits().into()),
            _ => semantics::cast(Constant::new(Scalar::F64, number.to_bits()), scalar),
        });
    }
    let number = match digits.strip_prefix("0x") {
        Some(digits) => i128::from(u64::from_str_radix(digits, 16).map_err(|_| wrong())?),
        None => digits.parse().map_err(|_| wrong())?,
    };
    let constant = Constant::new(scalar, number as u64);
    match constant.as_i128() == number {
        true => Ok(constant),
        false => Err(format!("{text} does not fit in `{}`", scalar.name())),
    }
}

/// The next word of SplitMix64.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut word = *state;
    word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}
