//! Names of what reports are about: memory, threads, places in the source.

use super::clock::Who;
use super::{Does, Party};
use crate::interp::block::place;
use crate::interp::code::Code;
use crate::interp::memory::Pointer;
use crate::interp::memory::Width;
use crate::ir::{Constant, Kernel, Program, Scalar, Span, Type, TypeId};
use crate::semantics;

/// Copies of what the names consist of: the recorder outlives no launch, but is in its memory.
#[derive(Debug)]
pub(super) struct Names {
    program: Program,
    pub(super) kernel: String,
    extents: [u32; 3],
    /// The offset of each shared variable that the code uses, and its index.
    shared: Vec<(u64, usize)>,
    /// The start of dynamic shared memory, and the size of a block's.
    dynamic: u64,
    shared_size: u64,
    /// The parameters that are slices, by their regions.
    parameters: Vec<(Pointer, usize)>,
    /// The types of the parameters, with their names.
    slices: Vec<(String, TypeId)>,
    /// The coordinates of blocks, by their numbers.
    pub(super) blocks: Vec<[u32; 3]>,
}

impl Names {
    pub(super) fn new(code: &Code<'_>, kernel: &Kernel, dynamic: u64, shared_size: u64) -> Self {
        // Bodies are large, and no name is in them.
        let source = code.program;
        let program = Program {
            files: source.files.clone(),
            types: source.types.clone(),
            shared: source.shared.clone(),
            ..Program::default()
        };
        let mut shared: Vec<(u64, usize)> = (source.shared.handles())
            .map(|variable| (code.shared_offset(variable), variable.index()))
            .filter(|(offset, _)| *offset != u64::MAX)
            .collect();
        shared.sort_unstable();
        let slices = kernel.parameters.iter().map(|it| (it.name.clone(), it.ty)).collect();
        Names {
            program,
            kernel: kernel.name.clone(),
            extents: kernel.block,
            shared,
            dynamic,
            shared_size,
            parameters: Vec::new(),
            slices,
            blocks: Vec::new(),
        }
    }

    pub(super) fn add_parameter(&mut self, at: Pointer, parameter: usize) {
        self.parameters.push((at, parameter));
    }

    /// A thread that does something. The copies of a thread have its name.
    pub(super) fn party(&self, who: Who, does: Does, span: Span) -> Party {
        let threads = self.extents.iter().product::<u32>().max(1);
        Party {
            does,
            file: match self.program.files.get(span.file as usize) {
                Some(file) if span.is_some() => file.clone(),
                _ => String::new(),
            },
            line: span.line,
            column: span.column,
            block: self.blocks.get(who.block as usize).copied().unwrap_or_default(),
            thread: place(u64::from(u32::from(who.slot) % threads), self.extents),
            threads: 1,
        }
    }

    /// The memory at a pointer.
    pub(super) fn object(&self, at: Pointer) -> String {
        if at.is_shared() {
            return self.shared_object(at.offset());
        }
        let parameter = self.parameters.iter().find(|(start, _)| start.region() == at.region());
        let Some((name, ty)) = parameter.and_then(|(_, number)| self.slices.get(*number)) else {
            return "memory".to_owned();
        };
        let mut text = format!("`{name}");
        match self.program.types[*ty] {
            Type::Slice { element, .. } => self.element(element, at.offset(), &mut text),
            _ => self.part(*ty, at.offset(), &mut text),
        }
        text + "`"
    }

    /// The place of a byte of a slice.
    pub(super) fn at(&self, parameter: usize, offset: u64) -> Option<Pointer> {
        let slice = self.parameters.iter().find(|(_, number)| *number == parameter);
        slice.map(|(start, _)| start.add(offset))
    }

    /// The scalar at a byte of a slice, and where it starts.
    pub(super) fn scalar_at(&self, parameter: usize, offset: u64) -> (u64, Scalar) {
        let byte = (offset, Scalar::U8);
        let Some((_, ty)) = self.slices.get(parameter) else {
            return byte;
        };
        let types = &self.program.types;
        let (mut ty, mut start) = (*ty, 0);
        loop {
            let element = |element: TypeId| {
                let size = types.layout(element).size.max(1);
                (element, start + (offset - start) / size * size)
            };
            let layout = types.layout(ty);
            let field = layout.offsets.iter().rposition(|at| start + *at <= offset);
            (ty, start) = match (&types[ty], field) {
                (Type::Scalar(scalar), _) => return (start, *scalar),
                // An atomic of halves is a pair of them.
                (Type::Atomic(scalar), _) => {
                    let size = u64::from(scalar.size());
                    return (start + (offset - start) / size * size, *scalar);
                }
                (Type::Slice { element: ty, .. } | Type::Array { element: ty, .. }, _) => element(*ty),
                (Type::Tuple(fields), Some(field)) => (fields[field], start + layout.offsets[field]),
                (Type::Struct { fields, .. }, Some(field)) => (fields[field].ty, start + layout.offsets[field]),
                _ => return byte,
            };
        }
    }

    fn shared_object(&self, offset: u64) -> String {
        let offset = offset % self.shared_size.max(1);
        if offset >= self.dynamic {
            return format!("byte {} of dynamic shared memory", offset - self.dynamic);
        }
        let variable = self.shared.iter().rev().find(|(start, _)| *start <= offset);
        let Some(&(start, index)) = variable else {
            return "shared memory".to_owned();
        };
        let variable = &self.program.shared[crate::ir::Handle::new(index)];
        let mut text = format!("`{}", variable.name);
        self.part(variable.ty, offset - start, &mut text);
        text + "` in shared memory"
    }

    fn element(&self, element: TypeId, offset: u64, text: &mut String) {
        let size = self.program.types.layout(element).size.max(1);
        text.push_str(&format!("[{}]", offset / size));
        self.part(element, offset % size, text);
    }

    /// Adds the path to the scalar at an offset.
    fn part(&self, ty: TypeId, offset: u64, text: &mut String) {
        let types = &self.program.types;
        let layout = types.layout(ty);
        let field = layout.offsets.iter().rposition(|start| *start <= offset);
        match (&types[ty], field) {
            (Type::Array { element, .. }, _) => self.element(*element, offset, text),
            (Type::Tuple(fields), Some(field)) => {
                text.push_str(&format!(".{field}"));
                self.part(fields[field], offset - layout.offsets[field], text);
            }
            (Type::Struct { fields, .. }, Some(field)) => {
                text.push_str(&format!(".{}", fields[field].name));
                self.part(fields[field].ty, offset - layout.offsets[field], text);
            }
            _ => {}
        }
    }
}

/// The text of a scalar in memory.
pub(super) fn value(scalar: Scalar, bytes: &[u8]) -> String {
    let constant = Constant::new(scalar, Width::of(scalar).read(bytes));
    match scalar {
        Scalar::Bool => (constant.bits != 0).to_string(),
        Scalar::F32 => format!("{:?}", f32::from_bits(constant.bits as u32)),
        Scalar::F64 => format!("{:?}", f64::from_bits(constant.bits)),
        _ if scalar.is_half() => {
            let wide = semantics::cast(constant, Scalar::F32);
            format!("{:?}", f32::from_bits(wide.bits as u32))
        }
        _ => constant.as_i128().to_string(),
    }
}
