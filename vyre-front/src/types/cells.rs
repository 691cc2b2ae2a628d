//! The layout in memory of enums whose variants have fields.
//!
//! With `#[repr(u32)]`, or another integer, Rust defines it (RFC 2195): each variant is laid out as a C struct whose first
//! field is the discriminant, and these structs lie over one another. A program knows no unions, so the enum is one
//! struct of *cells*, which do not overlap:
//!
//! - What lies in the same place with the same type in all variants that have something there, is a cell. Most fields
//!   are.
//! - Where different fields overlap, their scalars are looked at, and scalars that agree in place and type are cells.
//! - Scalars that overlap and differ are cut into unsigned integers of the smallest of their sizes. A field made of
//!   these is put together when it is read and cut when it is written ([`Place::Bytes`]).

use vyre_abi::list;
use vyre_abi::order::sort_by_key;
use vyre_ir::ir::{Constant, Scalar};

use super::adt::{MOST_BYTES, MOST_OF_A_FIELD, Variant};
use super::slots::{Place, Slots};
use super::{Kind, Ty, Types};
use crate::surface::Primitive;

/// What lies in memory somewhere: an offset and a size in bytes, and a type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    pub(crate) offset: u64,
    pub(crate) size: u64,
    pub(crate) ty: Ty,
}

impl Types {
    /// The parts of an enum that has a layout: its discriminant of type `tag`, then cells and bytes of padding.
    pub(super) fn cells(&self, variants: &[Variant], tag: Primitive) -> Slots {
        let size = u64::from(tag.scalar().size());
        let fields = self.fields_in_memory(variants, size);
        let mut all = fields.concat();
        all.retain(|it| it.size > 0);
        let mut cells = vec![Cell {
            offset: 0,
            size,
            ty: Ty::primitive(tag),
        }];
        for group in self.overlapping(&mut all) {
            if self.agree(&group) {
                cells.push(group[0]);
                continue;
            }
            let mut leaves = Vec::new();
            for field in group {
                self.scalars_at(field.ty, field.offset, &mut leaves);
            }
            for leaves in self.overlapping(&mut leaves) {
                if self.agree(&leaves) {
                    cells.push(leaves[0]);
                    continue;
                }
                let (mut size, mut offset, mut end) = (leaves[0].size, leaves[0].offset, 0);
                for leaf in &leaves {
                    size = size.min(leaf.size);
                    offset = offset.min(leaf.offset);
                    end = end.max(leaf.offset + leaf.size);
                }
                let ty = Ty::primitive(match size {
                    1 => Primitive::U8,
                    2 => Primitive::U16,
                    4 => Primitive::U32,
                    _ => Primitive::U64,
                });
                while offset < end {
                    cells.push(Cell { offset, size, ty });
                    offset += size;
                }
            }
        }
        // Padding keeps the cells in their places.
        let (mut parts, mut offsets, mut numbers, mut end) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for cell in &cells {
            let (start, size, _) = self.place_after(end, cell.ty);
            let missing = if start == cell.offset { 0 } else { cell.offset - end };
            for offset in end..end + missing {
                parts.push(Ty::primitive(Primitive::U8));
                offsets.push(offset);
            }
            numbers.push(parts.len() as u32);
            parts.push(cell.ty);
            offsets.push(cell.offset);
            end = cell.offset + size;
        }
        let place = |field: &Cell| {
            if field.size == 0 {
                return Place::Nowhere;
            }
            for (cell, number) in cells[1..].iter().zip(&numbers[1..]) {
                if cell.offset == field.offset && self.same(cell.ty, field.ty) {
                    return Place::Slot(*number);
                }
            }
            Place::Bytes(field.offset)
        };
        Slots {
            types: parts,
            numbers: list::map(variants, |variant| Constant::new(tag.scalar(), variant.bits)),
            places: list::map(&fields, |fields| list::map(fields, place)),
            offsets: Some(offsets),
        }
    }

    /// The size and alignment of an enum with a layout.
    pub(super) fn layout_of_variants(&self, ty: Ty, tag: Primitive) -> (u64, u64) {
        let size = u64::from(tag.scalar().size());
        let variants = self.as_tagged(ty).map_or(&[][..], |of| &of.variants);
        let (mut end, mut align) = (size, size);
        for variant in variants {
            // Each field is asked once: asking twice would double the work with each enum in an enum.
            let mut end_of_variant = size;
            for field in &variant.fields {
                let (offset, size, of_field) = self.place_after(end_of_variant, field.ty);
                end_of_variant = offset.saturating_add(size).min(MOST_BYTES);
                align = align.max(of_field);
            }
            end = end.max(end_of_variant);
        }
        (end.next_multiple_of(align), align)
    }

    /// The fields of variants, each behind a discriminant of so many bytes.
    fn fields_in_memory(&self, variants: &[Variant], tag: u64) -> Vec<Vec<Cell>> {
        list::map(variants, |variant| {
            let mut end = tag;
            list::map(&variant.fields, |field| {
                let (offset, size, _) = self.place_after(end, field.ty);
                end = offset.saturating_add(size).min(MOST_BYTES);
                Cell {
                    offset,
                    size,
                    ty: field.ty,
                }
            })
        })
    }

    /// Those that overlap, directly or through others, together; in the order of memory.
    fn overlapping(&self, all: &mut [Cell]) -> Vec<Vec<Cell>> {
        sort_by_key(all, |it| it.offset.into());
        let (mut groups, mut end): (Vec<Vec<Cell>>, u64) = (Vec::new(), 0);
        for &mut it in all {
            match groups.last_mut() {
                Some(group) if it.offset < end => group.push(it),
                _ => groups.push(vec![it]),
            }
            end = end.max(it.offset + it.size);
        }
        groups
    }

    /// True if all are one thing in one place.
    fn agree(&self, group: &[Cell]) -> bool {
        group
            .iter()
            .all(|it| it.offset == group[0].offset && self.same(it.ty, group[0].ty))
    }

    /// Appends the scalars of a value that lies at an offset.
    fn scalars_at(&self, ty: Ty, offset: u64, to: &mut Vec<Cell>) {
        if let Some(cell) = self.as_cell(ty) {
            let (size, ty) = (u64::from(cell.scalar().size()), Ty::primitive(cell));
            return to.push(Cell { offset, size, ty });
        }
        // Arrays of unknown lengths have no layout yet, and longer ones than fields may be no scalars.
        if matches!(*self.kind(ty), Kind::Array(_, length) if self.length(length) > MOST_OF_A_FIELD) {
            return;
        }
        for part in self.parts_at(ty, offset) {
            self.scalars_at(part.ty, part.offset, to);
        }
    }

    /// The parts of a value with parts that lies at an offset.
    pub(crate) fn parts_at(&self, ty: Ty, offset: u64) -> Vec<Cell> {
        let part = |ty, offset| Cell {
            offset,
            size: self.size_and_align(ty).0,
            ty,
        };
        if let Kind::Array(element, length) = *self.kind(ty) {
            let (size, _) = self.size_and_align(element);
            let mut parts = Vec::new();
            for number in 0..length {
                parts.push(part(element, offset + number * size));
            }
            return parts;
        }
        if let Some(slots) = self.slots(ty)
            && let Some(offsets) = slots.offsets
        {
            let mut offsets = offsets.iter();
            return list::map(&slots.types, |&ty| part(ty, offset + offsets.next().unwrap_or(&0)));
        }
        let mut end = 0;
        let mut parts = Vec::new();
        for field in self.fields(ty).unwrap_or_default() {
            let (start, size, _) = self.place_after(end, field);
            parts.push(part(field, offset + start));
            end = start + size;
        }
        parts
    }
}

/// The unsigned integer of the size of a scalar.
pub(crate) fn unsigned(scalar: Scalar) -> Scalar {
    match scalar.size() {
        1 => Scalar::U8,
        2 => Scalar::U16,
        4 => Scalar::U32,
        _ => Scalar::U64,
    }
}
