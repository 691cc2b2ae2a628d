//! The variables in scope, and the places within them.

use vyre_core::ir::builder::Path;
use vyre_core::ir::{Axis, BinaryOp, Builtin, ConstantTable, ExprId, Handle, Local, Scalar, SharedVariable};
use vyre_core::ir::{Type, TypeId, Types};

use super::cooperation::Dynamic;
use super::items::{Builder, Maker};
use super::types::parts;

/// The base of a place.
#[derive(Clone, Copy)]
pub(super) enum Base {
    /// A variable.
    Local(Handle<Local>),
    /// The thread's own element of a slice.
    Own(Handle<Local>),
    /// A shared array.
    Shared(Handle<SharedVariable>),
    /// The thread's own element of a shared array.
    Cell(Handle<SharedVariable>),
    /// The thread's own element of a slice of dynamic shared memory.
    CellOf(Handle<Local>),
    /// The target of a reference variable.
    Behind(Handle<Local>),
    /// A table of constants.
    Table(Handle<ConstantTable>),
}

/// Something that places may begin with.
#[derive(Clone, Copy)]
pub(super) struct Root {
    pub(super) base: Base,
    pub(super) ty: TypeId,
    /// True if it may be written, as far as its type permits.
    pub(super) writable: bool,
    /// A slice that a kernel takes: the thread's number is an index.
    pub(super) whole: bool,
    /// Between which barriers it came to be: what it refers to may not be there later.
    pub(super) phase: u32,
}

/// Atomic cells.
#[derive(Clone, Copy)]
pub(super) struct Cells {
    pub(super) base: Base,
    pub(super) scalar: Scalar,
    /// True if the thread has exclusive access, false if only commutative operations are allowed.
    pub(super) alone: bool,
}

/// The scope of the current statements.
#[derive(Clone, Default)]
pub(super) struct Scope {
    pub(super) roots: Vec<Root>,
    pub(super) atomics: Vec<Cells>,
    /// Shared arrays of atomics that are not being written.
    pub(super) counters: Vec<Cells>,
    /// Number of enclosing loops.
    pub(super) loops: u32,
    /// The type of the result, if any, where the body may return early.
    pub(super) result: Option<Option<TypeId>>,
    /// The number of barriers before.
    pub(super) phase: u32,
    /// A variable that holds the thread's number in the launch.
    pub(super) number: Option<Handle<Local>>,
    /// True if the kernel has one dimension.
    pub(super) linear: bool,
    /// A variable into which all goes that threads get of each other.
    pub(super) mixed: Option<Handle<Local>>,
    /// The dynamic shared memory that the kernel takes.
    pub(super) dynamic: Option<Dynamic>,
    /// True if the kernel has grid barriers.
    pub(super) waits_for_grid: bool,
    /// True if no thread exits the kernel early.
    pub(super) stays: bool,
}

impl Root {
    /// The phase of what always refers to the same.
    pub(super) const FIXED: u32 = u32::MAX;

    pub(super) fn new(base: Base, ty: TypeId) -> Self {
        Root {
            base,
            ty,
            writable: true,
            whole: false,
            phase: 0,
        }
    }
}

impl Scope {
    /// The return type of an early exit, if allowed.
    pub(super) fn leaves(&self) -> Option<Option<TypeId>> {
        (!self.stays).then_some(None)
    }

    /// Adds a variable.
    pub(super) fn add(&mut self, local: Handle<Local>, ty: TypeId) {
        let phase = self.phase;
        self.roots.push(Root {
            phase,
            ..Root::new(Base::Local(local), ty)
        });
    }
}

/// One step into a value.
#[derive(Clone, Copy)]
enum Step {
    Field(u32),
    /// Into an array of this length.
    Element(u64),
    /// Into a slice.
    ElementOfSlice,
    Deref,
}

/// The steps into a type, with the types behind them.
fn steps(types: &Types, ty: TypeId, write: bool) -> Vec<(Step, TypeId)> {
    match &types[ty] {
        &Type::Array { element, length } => vec![(Step::Element(length), element)],
        &Type::Slice { element, mutable } if mutable || !write => vec![(Step::ElementOfSlice, element)],
        &Type::Reference { pointee, mutable } if mutable || !write => vec![(Step::Deref, pointee)],
        Type::Tuple(_) | Type::Struct { .. } => {
            let fields = parts(types, ty).into_iter().enumerate();
            fields.map(|(number, ty)| (Step::Field(number as u32), ty)).collect()
        }
        _ => Vec::new(),
    }
}

/// True if a value of one type contains one of another.
fn reaches(types: &Types, from: TypeId, wanted: TypeId, write: bool) -> bool {
    from == wanted
        || steps(types, from, write)
            .into_iter()
            .any(|(_, part)| reaches(types, part, wanted, write))
}

/// The types of values that lie in one of a type.
fn inside(types: &Types, ty: TypeId, write: bool, found: &mut Vec<TypeId>) {
    if !matches!(types[ty], Type::Reference { .. } | Type::Slice { .. } | Type::Atomic(_)) {
        found.push(ty);
    }
    for (_, part) in steps(types, ty, write) {
        inside(types, part, write, found);
    }
}

impl Maker {
    /// A place of a type, if there is one; with `write` one that may be written.
    pub(super) fn place(&mut self, b: &mut Builder<'_>, scope: &Scope, wanted: TypeId, write: bool) -> Option<Path> {
        let types = &*b.types();
        let roots = scope.roots.iter().chain(&self.data.tables);
        let fits = |root: &&Root| (root.writable || !write) && reaches(types, root.ty, wanted, write);
        let fitting: Vec<Root> = roots.filter(fits).copied().collect();
        if fitting.is_empty() {
            return None;
        }
        let root = self.random.pick(&fitting);
        Some(self.walk(b, scope, root, wanted, write))
    }

    /// Some place that may be written, and the type of the value there.
    pub(super) fn target(&mut self, b: &mut Builder<'_>, scope: &Scope) -> Option<(Path, TypeId)> {
        let mut targets = Vec::new();
        for &root in scope.roots.iter().filter(|root| root.writable) {
            let mut found = Vec::new();
            inside(b.types(), root.ty, true, &mut found);
            // Each variable as often as any other, however much is inside.
            if !found.is_empty() {
                targets.push((root, self.random.pick(&found)));
            }
        }
        if targets.is_empty() {
            return None;
        }
        let (root, ty) = self.random.pick(&targets);
        Some((self.walk(b, scope, root, ty, true), ty))
    }

    /// From a root to a value of a type that lies in it.
    fn walk(&mut self, b: &mut Builder<'_>, scope: &Scope, root: Root, wanted: TypeId, write: bool) -> Path {
        let mut path = self.start(b, scope, root.base);
        loop {
            let ty = b.path_type(&path);
            let types = &*b.types();
            let mut next = steps(types, ty, write);
            next.retain(|&(_, part)| reaches(types, part, wanted, write));
            if next.is_empty() || ty == wanted && self.random.once_in(2) {
                return path;
            }
            path = match self.random.pick(&next).0 {
                Step::Field(field) => b.field(path, field),
                Step::Deref => b.deref(path),
                Step::Element(length) => {
                    let (index, checked) = self.index(b, scope, length);
                    b.index_with(path, index, checked)
                }
                Step::ElementOfSlice => {
                    let (index, checked) = self.index_of_slice(b, scope, root);
                    b.index_with(path, index, checked)
                }
            };
        }
    }

    pub(super) fn start(&mut self, b: &mut Builder<'_>, scope: &Scope, base: Base) -> Path {
        match base {
            Base::Local(local) => b.local_place(local),
            Base::Shared(variable) => b.shared_place(variable),
            Base::Table(table) => b.table_place(table),
            Base::Behind(reference) => b.deref(b.local_place(reference)),
            Base::Own(slice) => {
                let own = self.number(b, scope);
                let checked = !self.random.once_in(4);
                b.index_with(b.local_place(slice), own, checked)
            }
            Base::Cell(variable) => {
                let own = self.thread_number(b);
                let checked = !self.random.once_in(4);
                b.index_with(b.shared_place(variable), own, checked)
            }
            Base::CellOf(slice) => {
                let own = self.thread_number(b);
                let checked = !self.random.once_in(4);
                b.index_with(b.local_place(slice), own, checked)
            }
        }
    }

    /// The thread's number in the launch.
    pub(super) fn number(&mut self, b: &mut Builder<'_>, scope: &Scope) -> ExprId {
        match (scope.number, self.random.below(4)) {
            (Some(number), 0..2) => b.get(number),
            (_, 2) if scope.linear => b.builtin(Builtin::GlobalIndex(Axis::X)),
            _ => b.builtin(Builtin::LinearIndex),
        }
    }

    /// The thread's place in its block, x fastest, as `u64`.
    pub(super) fn thread_number(&mut self, b: &mut Builder<'_>) -> ExprId {
        let mut number = b.builtin(Builtin::ThreadIndex(Axis::Z));
        for axis in [Axis::Y, Axis::X] {
            let extent = b.builtin(Builtin::BlockSize(axis));
            let scaled = b.binary(BinaryOp::Mul, number, extent);
            let place = b.builtin(Builtin::ThreadIndex(axis));
            number = b.binary(BinaryOp::Add, scaled, place);
        }
        b.cast(number, Scalar::U64)
    }

    /// An index below `length`, and whether it is to be checked.
    pub(super) fn index(&mut self, b: &mut Builder<'_>, scope: &Scope, length: u64) -> (ExprId, bool) {
        let checked = !self.random.once_in(3);
        if self.wild(48) {
            return (self.leaf(b, scope, Scalar::U64), true);
        }
        if self.random.once_in(3) {
            return (b.u64(self.random.below(length)), checked);
        }
        let any = self.any_index(b, scope);
        let index = if length.is_power_of_two() && self.random.once_in(2) {
            let mask = b.u64(length - 1);
            b.binary(BinaryOp::And, any, mask)
        } else {
            let length = b.u64(length);
            b.binary(BinaryOp::Rem, any, length)
        };
        (index, checked)
    }

    fn index_of_slice(&mut self, b: &mut Builder<'_>, scope: &Scope, slice: Root) -> (ExprId, bool) {
        let checked = !self.random.once_in(3);
        let Base::Local(local) = slice.base else {
            unreachable!("slices lie in variables");
        };
        if self.wild(48) {
            return (self.leaf(b, scope, Scalar::U64), true);
        }
        match self.random.below(4) {
            0 => (b.u64(0), checked),
            1 | 2 if slice.whole => (self.number(b, scope), checked),
            _ => {
                let (any, length) = (self.any_index(b, scope), b.length(b.local_place(local)));
                (b.binary(BinaryOp::Rem, any, length), checked)
            }
        }
    }

    /// A number to make an index of.
    fn any_index(&mut self, b: &mut Builder<'_>, scope: &Scope) -> ExprId {
        match self.random.below(4) {
            0 => {
                let (own, more) = (self.number(b, scope), b.u64(self.random.below(5)));
                b.binary(BinaryOp::Add, own, more)
            }
            1 => {
                let scalar = self.random.pick(&[Scalar::U8, Scalar::U32, Scalar::I32, Scalar::I64]);
                let any = self.leaf(b, scope, scalar);
                b.cast(any, Scalar::U64)
            }
            _ => self.leaf(b, scope, Scalar::U64),
        }
    }

    /// Once in `times`, where faults are wanted.
    pub(super) fn wild(&mut self, times: u64) -> bool {
        self.options.faults && self.random.once_in(times)
    }
}
