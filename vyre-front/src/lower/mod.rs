//! Lowering: from the typed tree to a program.
//!
//! Expressions of a program have no effects, those of the source do. So an expression lowers to
//! statements followed by a value; if a later operand needs statements, the operands before it are
//! stored in variables, which preserves Rust's order of evaluation.
//!
//! The functions here return `None` if control diverges: nothing after that is lowered.

mod adt;
mod alias;
mod async_copy;
mod atomic;
mod binding;
mod call;
mod closure;
mod cluster;
mod constant;
mod control;
mod expr;
mod fragment;
mod function;
mod group;
mod inline_ptx;
mod intrinsic;
mod matrix;
mod message;
mod method;
mod operands;
mod place;
mod range;
mod reference;
mod regroup;
mod shared_memory;
mod split;
mod tile;
mod variant;
mod wide;

use proc_macro2::TokenStream;
use vyre_abi::list;
use vyre_ir::ir::builder::BodyBuilder;
use vyre_ir::ir::{
    Axis, BinaryOp, Builtin, ConstantTable, Entry, Expr as IrExpr, External, Function, Handle, Kernel, Local, Program,
    SharedVariable, Span, Stmt, StmtKind, TypeId,
};
use vyre_ir::transform::coarsen::{MIN_ELEMENTS, coarsen};
use vyre_ir::transform::contract_but;
use vyre_ir::transform::fast::fast_math_but;

use self::constant::Constant;
use self::function::Whole;
use self::matrix::Matrix;
use self::place::Shape;
use self::shared_memory::Dynamic;
use self::split::Split;
use crate::check::reach::Reached;
use crate::options::Options;
use crate::resolve::names::plain;
use crate::surface::{Spans, Surface};
use crate::syntax::tree::{Block, Expr, ExprKind, Origin, Tree};
use crate::types::adt::Form;
use crate::types::{Kind, Ty, Types};

type ExprId = Handle<IrExpr>;

/// The result of lowering.
pub(crate) struct Output {
    pub(crate) program: Program,
    pub(crate) kernel: Handle<Kernel>,
    pub(crate) spans: Spans,
    /// For each external of the program, its path.
    pub(crate) externals: Vec<TokenStream>,
    /// The shared variables of block collectives.
    pub(crate) collectives: Vec<Handle<SharedVariable>>,
    /// Mutable references that this lowering does not follow: to fields that lie in several parts of an enum.
    pub(crate) refused: Vec<Span>,
}

/// Lowers trees that inference has typed and found sound: those of a kernel and of the functions
/// that it reaches.
pub(crate) fn lower(reached: &Reached, options: &Options, surface: &Surface, file: String) -> Output {
    let mut output = Whole {
        program: Program {
            files: vec![file],
            ..Program::default()
        },
        spans: Spans::default(),
        externals: Vec::new(),
        one_axis: surface.dimensions == 1,
        threads: surface.block.iter().map(|&extent| u64::from(extent)).product(),
        barriers: Vec::new(),
        collectives: Vec::new(),
        outside: list::map(&reached.bodies, |_| None),
        handles: Vec::new(),
        refused: Vec::new(),
        constant: Constant::default(),
    };
    for function in &reached.functions {
        let handle = output.function(function, &reached.bodies);
        output.handles.push(handle);
    }
    let (parameters, body) = output.body(&reached.bodies, 0, None);
    let Whole {
        mut program,
        mut spans,
        externals,
        refused,
        constant,
        collectives,
        ..
    } = output;
    let span = locate(&mut spans, 0, surface.name.span());
    let name = plain(&surface.name);
    let kernel = program.kernels.push(Kernel {
        name: name.clone(),
        instance: Vec::new(),
        dimensions: surface.dimensions,
        block: surface.block,
        cluster: surface.cluster,
        min_blocks: surface.min_blocks,
        parameters,
        entries: vec![Entry {
            symbol: symbol(&name),
            predicate: None,
            coarsening: 1,
            body,
        }],
        span,
    });
    if options.fast_math || options.contract {
        constant.keep_functions(&mut program);
        match options.fast_math {
            true => fast_math_but(&mut program, &|of, expr| constant.keeps(of, expr)),
            false => contract_but(&mut program, &|of, expr| constant.keeps(of, expr)),
        }
    }
    coarsen(&mut program, kernel, MIN_ELEMENTS);
    Output {
        program,
        kernel,
        spans,
        externals,
        collectives,
        refused,
    }
}

/// The name of an entry in PTX, whose names are of ASCII: other letters of a kernel's name by their numbers.
fn symbol(name: &str) -> String {
    let mut symbol = String::with_capacity(name.len());
    for letter in name.chars() {
        match letter.is_ascii() {
            true => symbol.push(letter),
            // No name of Rust has the mark, so that two names stay two.
            false => symbol += &format!("${:x}$", u32::from(letter)),
        }
    }
    // A name begins with a letter, or with a mark and more.
    symbol
}

/// The storage of a local of the tree.
#[derive(Clone, Copy)]
enum Storage {
    /// In a local of the program.
    Local(Handle<Local>),
    /// In a local of the program that refers to it.
    Reference(Handle<Local>),
    /// It is this thread's element of the slice in a local.
    Each(Handle<Local>),
    /// It refers to the place of this number.
    Alias(usize),
    /// It is `Some` of a reference to the place of this number, where the other local says so.
    Sought(usize, Handle<Local>),
    /// It names shared memory.
    Shared(Handle<SharedVariable>),
    /// It is a matrix with these parts.
    Matrix(Matrix),
    /// It names an index of the thread, block or grid.
    Index3(fn(Axis) -> Builtin),
    /// It is a constant.
    Constant(vyre_ir::ir::Constant),
    /// Nowhere: not declared yet, or of unit type.
    None,
}

/// A loop of the program, or a labelled block, that may be left.
struct Target {
    /// Number of loops around it.
    level: u32,
    /// The local that `break value` stores to.
    result: Option<Handle<Local>>,
    /// The type of its value.
    ty: Ty,
}

struct Lowering<'a, 'p> {
    b: BodyBuilder<'p>,
    tree: &'a Tree,
    /// For each local of the tree.
    storage: Vec<Storage>,
    /// The places that variables refer to.
    aliases: Vec<Shape<'static>>,
    /// The fields that lie in several parts of an enum, and the variables that hold them meanwhile.
    splits: Vec<Split>,
    /// Those that the call that is being written may change.
    lent: Vec<usize>,
    /// References to such fields that outlive a statement.
    refused: Vec<Span>,
    /// The program's locals that are written once and so keep their value between operands.
    fixed: Vec<Handle<Local>>,
    /// Those of variables that refer to one thing after another.
    moving: Vec<Handle<Local>>,
    /// For each loop and labelled block of the tree.
    targets: Vec<Option<Target>>,
    /// Number of the program's loops around this place.
    loops: u32,
    /// True if this place is in a `const` block.
    is_constant: bool,
    /// Expressions and calls of `const` blocks.
    constant: Constant,
    /// True if the kernel uses only the x axis.
    one_axis: bool,
    /// The index of this thread's element, where a parameter is `#[each]`.
    each: Option<Handle<Local>>,
    /// The value that the body yields.
    result: Ty,
    /// The functions that the tree calls, by number.
    calls: &'a [usize],
    closures: &'a [usize],
    /// The functions so far, those that it calls among them.
    handles: &'a [Handle<Function>],
    /// The index of the tree's file.
    file: u32,
    shared: Vec<Handle<SharedVariable>>,
    /// Bytes of dynamic shared memory that slices have taken so far.
    taken: Option<Handle<Local>>,
    /// The locals of the tree that name such slices.
    dynamics: Vec<(usize, Dynamic)>,
    externals: Vec<Handle<External>>,
    /// For each constant of the tree that is an array and used.
    tables: Vec<Option<Handle<ConstantTable>>>,
    spans: Spans,
}

impl Lowering<'_, '_> {
    /// Sets the location of new nodes to this token.
    fn at(&mut self, span: proc_macro2::Span) -> Span {
        let span = locate(&mut self.spans, self.file, span);
        self.b.span = span;
        span
    }

    /// Runs `build` in a block of its own.
    fn nested<R>(&mut self, build: impl FnOnce(&mut Self) -> R) -> (Vec<Stmt>, R) {
        let outer = self.b.begin_block();
        let result = build(self);
        (self.b.end_block(outer), result)
    }

    /// An `if` of blocks that are built.
    fn branch(&mut self, condition: ExprId, then: Vec<Stmt>, otherwise: Vec<Stmt>) {
        self.b.push(StmtKind::If {
            condition,
            then,
            otherwise,
        });
    }

    fn ty(&mut self, ty: Ty) -> TypeId {
        ir_type(&self.tree.types, self.tree.types.by_value(ty), self.b.types())
    }

    /// The linear index of this thread.
    fn linear_index(&mut self) -> ExprId {
        self.b.builtin(match self.one_axis {
            true => Builtin::GlobalIndex(Axis::X),
            false => Builtin::LinearIndex,
        })
    }

    /// The statements before the body of a kernel with `#[each]` parameters: threads past the end of
    /// one of them leave.
    fn element(&mut self) {
        let tree = self.tree;
        let each = tree
            .locals
            .iter()
            .enumerate()
            .filter(|(_, local)| local.origin == Origin::Each);
        let mut inside = None;
        let mut index = None;
        for (number, local) in each {
            let Storage::Each(slice) = self.storage[number] else {
                continue;
            };
            self.at(local.name.span());
            let thread = *index.get_or_insert_with(|| {
                let value = self.linear_index();
                self.b.let_("", value)
            });
            let (i, place) = (self.b.get(thread), self.b.local_place(slice));
            let length = self.b.length(place);
            let below = self.b.binary(BinaryOp::Lt, i, length);
            inside = Some(match inside {
                None => below,
                Some(before) => self.b.and(before, below),
            });
        }
        if let Some(inside) = inside {
            self.b.if_(inside, |_| {}, |b| b.return_(None));
        }
        self.fixed.extend(index);
        self.each = index;
    }

    /// A statement for a block that is closed.
    fn store_to(&mut self, local: Handle<Local>, value: ExprId) -> Stmt {
        let path = self.b.local_place(local);
        let place = self.b.place(path);
        Stmt {
            kind: StmtKind::Store { place, value },
            span: self.b.span,
        }
    }
}

/// The place in the program of a token.
fn locate(spans: &mut Spans, file: u32, span: proc_macro2::Span) -> Span {
    let start = span.start();
    let place = Span {
        file,
        line: u32::try_from(start.line).unwrap_or(0),
        column: u32::try_from(start.column + 1).unwrap_or(0),
    };
    spans.insert(place, span);
    place
}

fn scalar(types: &Types, ty: Ty) -> vyre_ir::ir::Scalar {
    // Inference has found a primitive; anything else would show as an invalid program.
    types.as_cell(ty).map_or(vyre_ir::ir::Scalar::U64, |p| p.scalar())
}

fn ir_type(types: &Types, ty: Ty, to: &mut vyre_ir::ir::Types) -> TypeId {
    match types.kind(ty) {
        Kind::Primitive(primitive) if primitive.is_wide() => wide::words(*primitive, to),
        Kind::Primitive(primitive) => to.scalar(primitive.scalar()),
        Kind::Atomic(cell) => to.intern(vyre_ir::ir::Type::Atomic(cell.scalar())),
        Kind::Barrier => to.intern(vyre_ir::ir::Type::Atomic(vyre_ir::ir::Scalar::U64)),
        Kind::Token => {
            let word = to.scalar(vyre_ir::ir::Scalar::U64);
            to.intern(vyre_ir::ir::Type::Tuple(vec![word; 2]))
        }
        Kind::Adt(number) if types.adts[*number].form == Form::Struct => {
            let mut fields = Vec::new();
            for field in types.adts[*number].fields() {
                let (name, ty) = (field.name.to_string(), ir_type(types, field.ty, to));
                fields.push(vyre_ir::ir::Field { name, ty });
            }
            let name = types.show(ty).to_string();
            let align = types.adts[*number].align;
            to.intern(vyre_ir::ir::Type::Struct { name, align, fields })
        }
        Kind::Adt(_) if types.as_cell(ty).is_some() => to.scalar(scalar(types, ty)),
        Kind::Adt(_) => {
            let mut parts = Vec::new();
            for part in types.parts(ty).unwrap_or_default() {
                parts.push(ir_type(types, part, to));
            }
            to.intern(match types.has_layout(ty) {
                true => in_memory(types, ty, parts),
                false => vyre_ir::ir::Type::Tuple(parts),
            })
        }
        Kind::Index3 => {
            let axis = to.scalar(vyre_ir::ir::Scalar::U64);
            to.intern(vyre_ir::ir::Type::Tuple(vec![axis; 3]))
        }
        &Kind::Array(element, length) => {
            let element = ir_type(types, types.by_value(element), to);
            to.array(element, length)
        }
        &Kind::Reference(inner, mutable) => match *types.kind(inner) {
            Kind::Slice(element, _) => {
                let element = ir_type(types, element, to);
                to.slice(element, mutable)
            }
            // A variable that holds a reference stands for its target.
            Kind::Reference(..) if !types.is_plain(types.by_value(inner)) => ir_type(types, inner, to),
            _ => {
                let inner = ir_type(types, types.by_value(inner), to);
                to.reference(inner, mutable)
            }
        },
        Kind::Fragment(..) => match crate::types::fragment::fragment(types, ty) {
            Some((role, shape)) => {
                let (scalar, length) = shape.registers(role);
                let element = to.scalar(scalar);
                to.array(element, length)
            }
            None => to.unit(),
        },
        _ => to.unit(),
    }
}

/// An enum with a layout: a struct of its parts, which lie where Rust has them.
fn in_memory(types: &Types, ty: Ty, parts: Vec<TypeId>) -> vyre_ir::ir::Type {
    let mut fields = Vec::with_capacity(parts.len());
    for ty in parts {
        let name = match fields.len() {
            0 => "tag".to_owned(),
            number => format!("part{number}"),
        };
        fields.push(vyre_ir::ir::Field { name, ty });
    }
    vyre_ir::ir::Type::Struct {
        name: types.show(ty).to_string(),
        align: types.size_and_align(ty).1,
        fields,
    }
}

fn parameter_type(types: &Types, ty: Ty, origin: Origin, to: &mut vyre_ir::ir::Types) -> TypeId {
    if let (Origin::Each, &Kind::Reference(inner, mutable)) = (origin, types.kind(ty)) {
        let element = ir_type(types, inner, to);
        return to.slice(element, mutable);
    }
    ir_type(types, ty, to)
}

/// The tables of the constant arrays that the body mentions.
fn tables(tree: &Tree, program: &mut Program, spans: &mut Spans, file: u32) -> Vec<Option<Handle<ConstantTable>>> {
    if tree.constants.is_empty() {
        return Vec::new();
    }
    let mut used = vec![false; tree.constants.len()];
    mentioned(&tree.body, &mut used);
    let mut tables = vec![None; used.len()];
    for (number, constant) in tree.constants.iter().enumerate() {
        if !used[number] || !is_table(&tree.types, constant.ty) {
            continue;
        }
        // Several bodies may mention one that the host sets.
        let known = program.host_tables().find(|(_, table)| table.host == constant.host);
        tables[number] = Some(match known {
            Some((table, _)) => table,
            None => {
                let ty = ir_type(&tree.types, constant.ty, &mut program.types);
                program.tables.push(ConstantTable {
                    name: constant.name.clone(),
                    ty,
                    values: constant.values.clone(),
                    host: constant.host,
                    span: locate(spans, file, constant.span),
                })
            }
        });
    }
    tables
}

/// True if a constant of the type is stored in a table: arrays of scalars are, others are
/// constructed.
fn is_table(types: &Types, ty: Ty) -> bool {
    match *types.kind(ty) {
        Kind::Array(element, _) => types.as_cell(element).is_some() || is_table(types, element),
        _ => false,
    }
}

fn mentioned(block: &Block, used: &mut [bool]) {
    block.each_child(&mut |expr| mentioned_in(expr, used));
}

fn mentioned_in(expr: &Expr, used: &mut [bool]) {
    if let ExprKind::Constant(constant) = expr.kind {
        used[constant] = true;
    }
    let mut blocks = Vec::new();
    expr.each_child(&mut |child| mentioned_in(child, used), &mut |block| blocks.push(block));
    for block in blocks {
        mentioned(block, used);
    }
}
