//! A program: kernels, the functions and data that they use, and the bodies of both.

use vyre_abi::scalar::Scalar;

use super::expr::{Expr, ExprId, Place};
use super::handle::{Arena, Handle};
use super::span::Span;
use super::stmt::Block;
use super::types::{Type, TypeId, Types};

/// A typed, structured program: what the front end makes of Rust, what tools build by
/// [`builder`](super::builder), what the text form prints, and what every back end starts from.
#[derive(Clone, Debug, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Program {
    /// The names of the source files that spans point into.
    pub files: Vec<String>,
    /// The types.
    pub types: Types,
    /// Constants whose values the crate's compiler supplies.
    pub externals: Arena<External>,
    /// Tables of constants in memory.
    pub tables: Arena<ConstantTable>,
    /// Variables in shared memory. A kernel occupies those that it or its callees mention.
    pub shared: Arena<SharedVariable>,
    /// Device functions.
    pub functions: Arena<Function>,
    /// Kernels.
    pub kernels: Arena<Kernel>,
}

/// A constant whose value is not in the tokens that the front end sees: a Rust `const` from
/// elsewhere. Const evaluation writes its value into the embedded PTX and text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct External {
    /// The path in the source.
    pub name: String,
    /// Its type.
    pub scalar: Scalar,
    /// The bits, as in [`Constant`](super::Constant); `None` while the crate compiles.
    pub value: Option<u64>,
    /// Where it is used first.
    pub span: Span,
}

/// Constants in memory that no thread writes: those of the program, or others that the host gives at the
/// launch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ConstantTable {
    /// The name in the source.
    pub name: String,
    /// An array, or an array of arrays, of scalars; of those that the host gives also a scalar.
    pub ty: TypeId,
    /// The scalars in order of memory, bits as in [`Constant`](super::Constant).
    pub values: Vec<u64>,
    /// If the host may give other values, a number that tells this table from all others. Every launch of a
    /// kernel of the program gives the values of these tables, in order, after the parameters.
    pub host: Option<u64>,
    /// Where it is defined.
    pub span: Span,
}

impl ConstantTable {
    /// The scalar that the table is made of; that of a valid one is known.
    pub fn scalar(&self, types: &Types) -> Option<Scalar> {
        let mut ty = self.ty;
        loop {
            match types[ty] {
                Type::Scalar(scalar) => return Some(scalar),
                Type::Array { element, .. } => ty = element,
                _ => return None,
            }
        }
    }
}

/// A variable in the shared memory of a block. Its content is unspecified when a block starts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SharedVariable {
    /// The name in the source.
    pub name: String,
    /// The type: scalars, atomics, arrays, structs, tuples; no references.
    pub ty: TypeId,
    /// Where it is declared.
    pub span: Span,
}

/// A parameter or variable, private to the thread. It holds zero bits until it is written first.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Local {
    /// The name in the source; empty for one that the compiler made.
    pub name: String,
    /// The type.
    pub ty: TypeId,
    /// Where it is declared.
    pub span: Span,
}

/// Code: statements with the locals, expressions and places that they mention.
#[derive(Clone, Debug, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Body {
    /// The parameters in order, then the variables.
    pub locals: Arena<Local>,
    /// The expressions.
    pub exprs: Arena<Expr>,
    /// The places.
    pub places: Arena<Place>,
    /// The statements.
    pub block: Block,
}

/// A function that kernels call.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Function {
    /// The name in the source.
    pub name: String,
    /// Number of parameters: the first locals of the body.
    pub parameters: u32,
    /// Type of the result; unit where there is none.
    pub result: TypeId,
    /// The code.
    pub body: Body,
    /// Where it is defined.
    pub span: Span,
}

/// A parameter of a kernel: a scalar, a struct, tuple or array made of at most 64 scalars, or a slice.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Parameter {
    /// The name in the source.
    pub name: String,
    /// The type.
    pub ty: TypeId,
    /// Where it is declared.
    pub span: Span,
}

/// A kernel, or one named instance of a generic one.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Kernel {
    /// The name in the source.
    pub name: String,
    /// The generic arguments of this instance, name and value as written, in order of declaration;
    /// empty for a kernel without generics.
    pub instance: Vec<(String, String)>,
    /// Axes of a launch that the kernel uses: 1, 2 or 3.
    pub dimensions: u32,
    /// Threads of a block along x, y and z; 1 along axes that the kernel does not use.
    pub block: [u32; 3],
    /// Blocks of a cluster along x, y and z, at most [`MAX_CLUSTER_BLOCKS`](super::MAX_CLUSTER_BLOCKS) in all: they run at the same
    /// time, wait for each other, and access each other's shared memory. A launch has whole clusters.
    /// `None` where the kernel has no clusters.
    pub cluster: Option<[u32; 3]>,
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// The ways to run it. A launch takes the first whose predicate holds; the last has none.
    pub entries: Vec<Entry>,
    /// Where it is defined.
    pub span: Span,
}

/// One way to run a kernel, for launches of which its predicate holds.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Entry {
    /// The name of the machine code's entry point, unique in the program.
    pub symbol: String,
    /// A `bool` over constants, parameters and lengths, evaluated on the host at the launch;
    /// `None` holds always.
    pub predicate: Option<ExprId>,
    /// Neighbouring indices along x that one thread covers: the launch divides its domain's x
    /// extent by block size times this. 1 unless the entry was coarsened.
    pub coarsening: u32,
    /// The code; its first locals are the kernel's parameters.
    pub body: Body,
}

impl Kernel {
    /// Blocks of a cluster; 1 where there are none.
    pub fn cluster_blocks(&self) -> u32 {
        self.cluster.map_or(1, |cluster| cluster.iter().product())
    }

    /// Threads of a block.
    pub fn block_threads(&self) -> u64 {
        self.block.iter().map(|&extent| u64::from(extent)).product()
    }
}

impl Program {
    /// The tables whose values every launch gives.
    pub fn host_tables(&self) -> impl Iterator<Item = (Handle<ConstantTable>, &ConstantTable)> {
        self.tables.iter().filter(|(_, table)| table.host.is_some())
    }

    /// The kernel of a name, the first instance where it has several.
    pub fn kernel(&self, name: &str) -> Option<Handle<Kernel>> {
        self.kernels
            .iter()
            .find(|(_, kernel)| kernel.name == name)
            .map(|(handle, _)| handle)
    }
}
