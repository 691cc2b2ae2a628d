//! Random valid programs, from a seed.
//!
//! The programs end, have no undefined behaviour and no races, and unless asked for no faults: what
//! they compute is defined, so that back ends can be compared on them. How each is kept:
//!
//! - Loops count to small constants; functions call earlier functions alone.
//! - Divisors are made positive, indices are taken modulo a length, unchecked accesses have constant
//!   indices that fit. Every slice that a kernel takes has [`LENGTH`] elements.
//! - A thread writes its own element of each output, the one of its number in the launch. Shared
//!   memory is written whole before a barrier and read after it, outside of branches. Atomics have
//!   one operation for each cell, and their results are dropped.
//! - The sign of a computed NaN is unspecified and visible through `copysign` alone, so that takes
//!   its sign from an integer.

mod exprs;
mod numbers;
mod stmts;

pub use numbers::Random;

use vyre_core::interp::Argument;
use vyre_core::ir::builder::BodyBuilder;
use vyre_core::ir::{
    AtomicOp, Axis, BinaryOp, Builtin, Constant, ConstantTable, Entry, ExprId, ExprKind, External, Function, Handle,
    Kernel, Local, Parameter, Program, Scalar, SharedVariable, Span, Type, TypeId,
};

/// Elements of each slice that a kernel takes.
pub const LENGTH: u64 = 64;

/// What the programs may do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Divide by anything, index with anything, assert: whether a launch faults, and which thread
    /// does first, depends on the arguments.
    pub faults: bool,
    /// Give nodes places in source files, and variables odd names.
    pub decorated: bool,
    /// Leave some externals without a value, so that the program cannot run.
    pub open_externals: bool,
}

/// A program with one kernel.
#[derive(Clone, Debug)]
pub struct RandomProgram {
    /// The program.
    pub program: Program,
    /// Its kernel.
    pub kernel: Handle<Kernel>,
    /// The blocks to launch.
    pub grid: [u32; 3],
}

/// What a kernel gets for a parameter, in order of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A scalar.
    Scalar(Constant),
    /// A struct or tuple.
    Bytes(Vec<u8>),
    /// A slice of [`LENGTH`] elements.
    Slice(Vec<u8>),
}

impl Input {
    /// What the interpreter takes.
    pub fn argument(&mut self) -> Argument<'_> {
        match self {
            Input::Scalar(constant) => Argument::Scalar(*constant),
            Input::Bytes(bytes) => Argument::Bytes(bytes),
            Input::Slice(bytes) => Argument::Slice(bytes),
        }
    }
}

impl RandomProgram {
    /// Random arguments for the kernel.
    pub fn inputs(&self, random: &mut Random) -> Vec<Input> {
        let types = &self.program.types;
        let parameters = &self.program.kernels[self.kernel].parameters;
        let input = |parameter: &Parameter| match types[parameter.ty] {
            Type::Scalar(scalar) => Input::Scalar(random.constant(scalar)),
            Type::Slice { element, .. } => {
                let mut bytes = Vec::new();
                for _ in 0..LENGTH {
                    value_bytes(&self.program, element, random, &mut bytes);
                }
                Input::Slice(bytes)
            }
            _ => {
                let mut bytes = Vec::new();
                value_bytes(&self.program, parameter.ty, random, &mut bytes);
                Input::Bytes(bytes)
            }
        };
        parameters.iter().map(input).collect()
    }
}

/// Appends a random value of a type, with zeros for padding.
fn value_bytes(program: &Program, ty: TypeId, random: &mut Random, bytes: &mut Vec<u8>) {
    let layout = program.types.layout(ty);
    let start = bytes.len();
    match &program.types[ty] {
        Type::Scalar(scalar) | Type::Atomic(scalar) => {
            let bits = random.constant(*scalar).bits.to_le_bytes();
            bytes.extend(&bits[..scalar.size() as usize]);
        }
        Type::Tuple(fields) => {
            for (&field, offset) in fields.iter().zip(layout.offsets) {
                bytes.resize(start + offset as usize, 0);
                value_bytes(program, field, random, bytes);
            }
        }
        other => unreachable!("kernels of random programs take no {other:?}"),
    }
    bytes.resize(start + layout.size as usize, 0);
}

/// The program of a seed.
pub fn random_program(seed: u64, options: Options) -> RandomProgram {
    let mut maker = Maker {
        random: Random::new(seed),
        options,
        functions: Vec::new(),
        data: Data::default(),
    };
    let mut program = Program::default();
    maker.data(&mut program);
    for number in 0..maker.random.below(4) {
        maker.function(&mut program, number);
    }
    let kernel = maker.kernel(&mut program);
    RandomProgram {
        program,
        kernel,
        grid: [2, 1, 1],
    }
}

/// The operations that a cell of the atomics gets, by its index.
const ATOMIC_OPS: [AtomicOp; 6] = [
    AtomicOp::Add,
    AtomicOp::And,
    AtomicOp::Or,
    AtomicOp::Xor,
    AtomicOp::Min,
    AtomicOp::Max,
];

/// The scalars of tuples in random programs.
const PAIR: [Scalar; 2] = [Scalar::U8, Scalar::F64];

/// How functions take their parameters.
#[derive(Clone, Copy)]
enum Taken {
    Scalar(Scalar),
    Pair,
    Slice(Scalar),
    Mutable(Scalar),
}

/// Items that every body may mention.
#[derive(Default)]
struct Data {
    externals: Vec<(Handle<External>, Scalar)>,
    tables: Vec<(Handle<ConstantTable>, Scalar, u64)>,
    shared: Vec<(Handle<SharedVariable>, Scalar)>,
}

struct Callee {
    handle: Handle<Function>,
    parameters: Vec<Taken>,
    result: Scalar,
}

struct Maker {
    random: Random,
    options: Options,
    functions: Vec<Callee>,
    data: Data,
}

/// What the statements at hand may mention.
#[derive(Clone, Default)]
struct Scope {
    /// Scalars that may be read.
    scalars: Vec<(Handle<Local>, Scalar)>,
    /// Of these the first may also be written: loop counters come after them.
    writable: usize,
    /// Pairs of [`PAIR`].
    pairs: Vec<Handle<Local>>,
    /// Arrays of scalars.
    arrays: Vec<(Handle<Local>, Scalar, u64)>,
    /// Slices of at least one element.
    slices: Vec<(Handle<Local>, Scalar)>,
    /// `&mut` of scalars.
    references: Vec<(Handle<Local>, Scalar)>,
    /// Atomics, with a cell for each of [`ATOMIC_OPS`].
    atomics: Vec<(Handle<Local>, Scalar)>,
    /// Loops around the statements.
    loops: u32,
    /// The result, where the body may return early.
    result: Option<Option<Scalar>>,
}

type Builder<'b> = BodyBuilder<'b>;

/// Items.
impl Maker {
    fn scalar(&mut self) -> Scalar {
        self.random.pick(&Scalar::ALL)
    }

    fn span(&mut self) -> Span {
        if !self.options.decorated || self.random.once_in(8) {
            return Span::NONE;
        }
        Span {
            file: self.random.below(2) as u32,
            line: 1 + self.random.below(3) as u32,
            column: 1 + self.random.below(40) as u32,
        }
    }

    fn name(&mut self, plain: &str) -> String {
        if self.options.decorated {
            self.random
                .pick(&[plain, plain, "i", "", "r#type", "fn", "f32", "\u{e9} \"\\\n0xV0000001"])
                .to_owned()
        } else {
            plain.to_owned()
        }
    }

    fn data(&mut self, program: &mut Program) {
        program.files = vec!["src/main.rs".to_owned(), "src/\"odd\".rs".to_owned()];
        for number in 0..self.random.below(3) {
            let scalar = self.scalar();
            let open = self.options.open_externals && self.random.once_in(2);
            let value = (!open).then(|| self.random.constant(scalar).bits);
            let external = program.externals.push(External {
                name: self.name(&format!("limit{number}")),
                scalar,
                value,
                span: self.span(),
            });
            self.data.externals.push((external, scalar));
        }
        for number in 0..self.random.below(3) {
            let scalar = self.scalar();
            let length = 1 + self.random.below(5);
            let element = program.types.scalar(scalar);
            let table = program.tables.push(ConstantTable {
                name: self.name(&format!("table{number}")),
                ty: program.types.array(element, length),
                values: (0..length).map(|_| self.random.constant(scalar).bits).collect(),
                span: self.span(),
            });
            self.data.tables.push((table, scalar, length));
        }
    }

    fn function(&mut self, program: &mut Program, number: u64) {
        let count = 1 + self.random.below(4);
        let taken: Vec<_> = (0..count)
            .map(|_| {
                let scalar = self.scalar();
                match self.random.below(6) {
                    0 => Taken::Pair,
                    1 => Taken::Slice(scalar),
                    2 => Taken::Mutable(scalar),
                    _ => Taken::Scalar(scalar),
                }
            })
            .collect();
        let result = self.scalar();
        let types: Vec<_> = taken.iter().map(|&taken| taken_type(program, taken)).collect();
        let names: Vec<_> = (0..count).map(|number| self.name(&format!("p{number}"))).collect();
        let parameters: Vec<_> = names.iter().map(String::as_str).zip(types).collect();
        let mut b = BodyBuilder::new(program);
        let mut scope = Scope {
            result: Some(Some(result)),
            ..Scope::default()
        };
        for (&(name, ty), &taken) in parameters.iter().zip(&taken) {
            b.span = self.span();
            let local = b.local(name, ty);
            match taken {
                Taken::Scalar(scalar) => scope.scalars.push((local, scalar)),
                Taken::Pair => scope.pairs.push(local),
                Taken::Slice(scalar) => scope.slices.push((local, scalar)),
                Taken::Mutable(scalar) => scope.references.push((local, scalar)),
            }
        }
        self.variables(&mut b, &mut scope);
        self.statements(&mut b, &scope, 4, 2);
        let value = self.expr(&mut b, &scope, result, 3);
        b.return_(Some(value));
        let body = b.finish();
        let handle = program.functions.push(Function {
            name: self.name(&format!("f{number}")),
            parameters: count as u32,
            result: program.types.scalar(result),
            body,
            span: self.span(),
        });
        self.functions.push(Callee {
            handle,
            parameters: taken,
            result,
        });
    }

    fn kernel(&mut self, program: &mut Program) -> Handle<Kernel> {
        let dimensions = 1 + self.random.below(3) as usize;
        let block = self.random.pick(&[[32, 1, 1], [8, 4, 1], [4, 2, 4]]);
        let block = if dimensions < 3 { [32, 1, 1] } else { block };
        let threads = block.iter().product::<u32>();
        if self.random.once_in(2) {
            let scalar = self.scalar();
            let element = program.types.scalar(scalar);
            let shared = program.shared.push(SharedVariable {
                name: self.name("tile"),
                ty: program.types.array(element, u64::from(threads)),
                span: self.span(),
            });
            self.data.shared.push((shared, scalar));
        }
        let parameters = self.kernel_parameters(program);
        let mut entries = Vec::new();
        if self.random.once_in(3) {
            entries.push(self.entry(program, &parameters, "first", true));
        }
        entries.push(self.entry(program, &parameters, "last", false));
        program.kernels.push(Kernel {
            name: self.name("random"),
            instance: if self.random.once_in(4) {
                vec![("T".to_owned(), self.name("f32"))]
            } else {
                Vec::new()
            },
            dimensions: dimensions as u32,
            block,
            parameters,
            entries,
            span: self.span(),
        })
    }

    /// Scalars and a pair, then slices to read, slices to write, atomics.
    fn kernel_parameters(&mut self, program: &mut Program) -> Vec<Parameter> {
        let mut types = Vec::new();
        for _ in 0..self.random.below(4) {
            types.push(program.types.scalar(self.scalar()));
        }
        if self.random.once_in(2) {
            types.push(taken_type(program, Taken::Pair));
        }
        for _ in 0..self.random.below(4) {
            types.push(taken_type(program, Taken::Slice(self.scalar())));
        }
        for _ in 0..1 + self.random.below(3) {
            let element = program.types.scalar(self.scalar());
            types.push(program.types.slice(element, true));
        }
        if self.random.once_in(2) {
            let scalar = self.random.pick(&[Scalar::I32, Scalar::U32, Scalar::I64, Scalar::U64]);
            let cell = program.types.intern(Type::Atomic(scalar));
            types.push(program.types.slice(cell, false));
        }
        let mut number = 0;
        types
            .into_iter()
            .map(|ty| {
                number += 1;
                Parameter {
                    name: self.name(&format!("a{number}")),
                    ty,
                    span: self.span(),
                }
            })
            .collect()
    }

    fn entry(&mut self, program: &mut Program, parameters: &[Parameter], symbol: &str, conditional: bool) -> Entry {
        let mut b = BodyBuilder::new(program);
        let mut scope = Scope::default();
        let mut outputs = Vec::new();
        for parameter in parameters {
            b.span = parameter.span;
            let local = b.local(&parameter.name, parameter.ty);
            match b.types()[parameter.ty] {
                Type::Scalar(scalar) => scope.scalars.push((local, scalar)),
                Type::Slice { element, mutable } => match (&b.types()[element], mutable) {
                    (&Type::Scalar(scalar), false) => scope.slices.push((local, scalar)),
                    (&Type::Scalar(scalar), true) => outputs.push((local, scalar)),
                    (&Type::Atomic(scalar), _) => scope.atomics.push((local, scalar)),
                    _ => {}
                },
                _ => scope.pairs.push(local),
            }
        }
        let predicate = conditional.then(|| self.predicate(&mut b, &scope));
        self.variables(&mut b, &mut scope);
        self.statements(&mut b, &scope, 5, 3);
        if !self.data.shared.is_empty() {
            self.exchange(&mut b, &mut scope);
            self.statements(&mut b, &scope, 3, 2);
        }
        scope.result = Some(None);
        self.statements(&mut b, &scope, 2, 1);
        for &(output, scalar) in &outputs {
            let value = self.expr(&mut b, &scope, scalar, 4);
            let value = b.let_("", value);
            let (index, length) = (b.builtin(Builtin::LinearIndex), b.length(b.local_place(output)));
            let inside = b.binary(BinaryOp::Lt, index, length);
            b.if_(
                inside,
                |b| {
                    let index = b.builtin(Builtin::LinearIndex);
                    let path = b.index(b.local_place(output), index);
                    let value = b.get(value);
                    b.store(path, value);
                },
                |_| {},
            );
        }
        Entry {
            symbol: symbol.to_owned(),
            predicate,
            coarsening: 1,
            body: b.finish(),
        }
    }

    /// Something that is true of some arguments: parameters, and the length of a slice.
    fn predicate(&mut self, b: &mut Builder<'_>, scope: &Scope) -> ExprId {
        b.span = self.span();
        let mut known = b.bool(self.random.once_in(2));
        for &(local, scalar) in &scope.scalars {
            let value = b.get(local);
            let limit = b.constant(self.random.constant(scalar));
            let compared = b.binary(BinaryOp::Lt, value, limit);
            known = b.and(compared, known);
        }
        for &(local, _) in &scope.slices {
            let (length, four) = (b.length(b.local_place(local)), b.u64(4));
            let (rest, zero) = (b.binary(BinaryOp::Rem, length, four), b.u64(0));
            let compared = b.binary(BinaryOp::Eq, rest, zero);
            known = b.or(known, compared);
        }
        known
    }

    /// Variables of every kind, with values.
    fn variables(&mut self, b: &mut Builder<'_>, scope: &mut Scope) {
        for number in 0..2 + self.random.below(4) {
            let scalar = self.scalar();
            b.span = self.span();
            let name = self.name(&format!("v{number}"));
            let value = self.expr(b, scope, scalar, 2);
            let local = b.let_(&name, value);
            scope.scalars.push((local, scalar));
        }
        for number in 0..self.random.below(3) {
            let scalar = self.scalar();
            let length = 1 + self.random.below(4);
            let value = self.expr(b, scope, scalar, 2);
            let value = b.repeat(value, length);
            let local = b.let_(&self.name(&format!("array{number}")), value);
            scope.arrays.push((local, scalar, length));
        }
        if self.random.once_in(2) {
            let value = self.pair(b, scope, 2);
            let local = b.let_(&self.name("pair"), value);
            scope.pairs.push(local);
        }
        // Part of an array or slice, of one element at least.
        let whole: Vec<_> = scope
            .arrays
            .iter()
            .copied()
            .chain(scope.slices.iter().map(|&(local, scalar)| (local, scalar, 1)))
            .collect();
        if !whole.is_empty() && self.random.once_in(2) {
            let (local, scalar, length) = self.random.pick(&whole);
            let start = self.random.below(length);
            let (start, end) = (b.u64(start), b.u64(length));
            let part = b.subslice(b.local_place(local), start, end, false);
            let part = b.let_(&self.name("part"), part);
            scope.slices.push((part, scalar));
        }
        let own: Vec<_> = scope.scalars.clone();
        if let (false, true) = (own.is_empty(), self.random.once_in(3)) {
            let (local, scalar) = self.random.pick(&own);
            let reference = b.reference(b.local_place(local), true);
            let reference = b.let_(&self.name("r"), reference);
            scope.references.push((reference, scalar));
        }
        scope.writable = scope.scalars.len();
    }

    /// Each thread writes its cell of shared memory and reads another one.
    fn exchange(&mut self, b: &mut Builder<'_>, scope: &mut Scope) {
        for (shared, scalar) in self.data.shared.clone() {
            let value = self.expr(b, scope, scalar, 3);
            let own = self.thread_number(b);
            let path = b.index(b.shared_place(shared), own);
            b.store(path, value);
            b.barrier();
            let any = self.expr(b, scope, Scalar::U64, 2);
            let threads = b.u64(32);
            let other = b.binary(BinaryOp::Rem, any, threads);
            let path = b.index(b.shared_place(shared), other);
            let value = b.load(path);
            let local = b.let_("", value);
            b.barrier();
            scope.scalars.insert(0, (local, scalar));
            scope.writable += 1;
        }
    }

    /// The thread's place in its block, x fastest, as `u64`.
    fn thread_number(&mut self, b: &mut Builder<'_>) -> ExprId {
        let mut number = b.builtin(Builtin::ThreadIndex(Axis::Z));
        for axis in [Axis::Y, Axis::X] {
            let extent = b.builtin(Builtin::BlockSize(axis));
            let scaled = b.binary(BinaryOp::Mul, number, extent);
            let place = b.builtin(Builtin::ThreadIndex(axis));
            number = b.binary(BinaryOp::Add, scaled, place);
        }
        b.cast(number, Scalar::U64)
    }
}

fn taken_type(program: &mut Program, taken: Taken) -> TypeId {
    let types = &mut program.types;
    match taken {
        Taken::Scalar(scalar) => types.scalar(scalar),
        Taken::Pair => {
            let fields = PAIR.map(|scalar| types.scalar(scalar));
            types.intern(Type::Tuple(fields.to_vec()))
        }
        Taken::Slice(scalar) => {
            let element = types.scalar(scalar);
            types.slice(element, false)
        }
        Taken::Mutable(scalar) => {
            let pointee = types.scalar(scalar);
            types.reference(pointee, true)
        }
    }
}

/// Whether an expression is there that the text form of a random program must express; used to
/// see that the generator reaches what it should.
pub fn mentions(program: &Program, found: impl Fn(&ExprKind) -> bool) -> bool {
    let functions = program.functions.iter().map(|(_, function)| &function.body);
    let entries = program.kernels.iter().flat_map(|(_, kernel)| &kernel.entries);
    functions
        .chain(entries.map(|entry| &entry.body))
        .any(|body| body.exprs.iter().any(|(_, expr)| found(&expr.kind)))
}
