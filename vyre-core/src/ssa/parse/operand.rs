//! Types and operands.

use vyre_ir::ir::{Axis, Handle, Scalar};

use super::line::Line;
use super::{Parsed, Reader};
use crate::ssa::op::{Object, Op, Special};
use crate::ssa::{Space, Ty, Value};

/// The type of a name.
pub(super) fn ty(name: &str) -> Parsed<Ty> {
    const PLAIN: [Ty; 8] = [
        Ty::Unit,
        Ty::Bool,
        Ty::I32,
        Ty::I64,
        Ty::F16,
        Ty::BF16,
        Ty::F32,
        Ty::F64,
    ];
    const SPACES: [Space; 7] = [
        Space::Global,
        Space::Shared,
        Space::Cluster,
        Space::Local,
        Space::Const,
        Space::Param,
        Space::Generic,
    ];
    let all = PLAIN.into_iter().chain(SPACES.map(Ty::Pointer));
    let mut found = all.filter(|ty| ty.to_string() == name);
    found.next().ok_or_else(|| format!("`{name}` is no type"))
}

impl Reader {
    /// A value or a root.
    pub(super) fn operand(&mut self, line: &mut Line<'_>) -> Parsed<Value> {
        let word = line.word();
        if let Some(number) = word.strip_prefix('v').and_then(|digits| digits.parse::<usize>().ok()) {
            self.used[number] = true;
            return Ok(Handle::new(number));
        }
        let (op, ty) = root(word).ok_or_else(|| format!("`{word}` is no operand"))?;
        Ok(match op {
            Op::Constant(bits) => self.function.constant(ty, bits),
            op => self.function.root(op, ty),
        })
    }
}

fn root(word: &str) -> Option<(Op, Ty)> {
    let address = |object: Object, space: Space| Some((Op::Address(object), Ty::Pointer(space)));
    let special = |special: Special| Some((Op::Special(special), Ty::I32));
    match word {
        "true" => return Some((Op::Constant(1), Ty::Bool)),
        "false" => return Some((Op::Constant(0), Ty::Bool)),
        "lane" => return special(Special::Lane),
        "shared_bytes" => return special(Special::SharedBytes),
        "dynamic" => return address(Object::Dynamic, Space::Shared),
        _ => {}
    }
    if let Some((register, axis)) = word.split_once('.')
        && let Some(axis) = Axis::from_name(axis)
    {
        return special(match register {
            "thread" => Special::Thread(axis),
            "block" => Special::Block(axis),
            "grid" => Special::Grid(axis),
            _ => return None,
        });
    }
    if let Some(argument) = word.strip_prefix("argument") {
        let (place, name) = argument.split_once('.')?;
        let (parameter, offset) = place.split_once('+')?;
        let (scalar, ty) = match Scalar::from_name(name) {
            Some(scalar) => (scalar, Ty::of(scalar)),
            None => (Scalar::U64, ty(name).ok()?),
        };
        let op = Op::Argument {
            parameter: parameter.parse().ok()?,
            offset: offset.parse().ok()?,
            scalar,
        };
        return Some((op, ty));
    }
    if let Some(parameter) = word.strip_prefix("parameter") {
        let (number, size) = parameter.strip_suffix(']')?.split_once('[')?;
        let (number, size) = (number.parse().ok()?, size.parse().ok()?);
        return address(Object::Parameter { number, size }, Space::Param);
    }
    if let Some(shared) = number_behind(word, "shared") {
        return address(Object::Shared(Handle::new(shared)), Space::Shared);
    }
    if let Some(local) = number_behind(word, "local") {
        return address(Object::Local(local as u32), Space::Local);
    }
    if let Some(table) = number_behind(word, "table") {
        return address(Object::Table(Handle::new(table)), Space::Const);
    }
    let (text, name) = word.rsplit_once('_')?;
    let ty = ty(name).ok()?;
    if let Some(external) = number_behind(text, "external") {
        return Some((Op::External(Handle::new(external)), ty));
    }
    if let Some(table) = number_behind(text, "table") {
        return Some((Op::Address(Object::Table(Handle::new(table))), ty));
    }
    constant(text, ty).map(|bits| (Op::Constant(bits), ty))
}

fn number_behind(word: &str, prefix: &str) -> Option<usize> {
    word.strip_prefix(prefix)?.parse().ok()
}

/// The bits of a constant.
fn constant(text: &str, ty: Ty) -> Option<u64> {
    if let Some(digits) = text.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok();
    }
    match ty {
        Ty::F32 => text.parse::<f32>().ok().map(|number| number.to_bits().into()),
        Ty::F64 => text.parse::<f64>().ok().map(f64::to_bits),
        Ty::I32 => text.parse::<i32>().ok().map(|number| u64::from(number as u32)),
        Ty::I64 => text.parse::<i64>().ok().map(|number| number as u64),
        _ => None,
    }
}
