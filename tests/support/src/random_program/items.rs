//! Items: externals, tables, shared variables, functions.

use vyre_core::ir::builder::BodyBuilder;
use vyre_core::ir::{
    ConstantTable, External, Function, Handle, Program, Scalar, SharedVariable, Span, Type, TypeId, Types,
};

use super::scope::{Base, Root, Scope};
use super::whole_blocks::Reserved;
use super::{Options, Random};

/// The passing mode of a function's parameter.
#[derive(Clone, Copy)]
pub(super) enum Taken {
    Value(TypeId),
    Reference { pointee: TypeId, mutable: bool },
    Slice { element: TypeId, mutable: bool },
}

/// Items that every body may mention.
#[derive(Default)]
pub(super) struct Data {
    pub(super) externals: Vec<(Handle<External>, Scalar)>,
    pub(super) tables: Vec<Root>,
    pub(super) shared: Vec<Shared>,
}

/// A shared array with a cell for each thread of a block.
#[derive(Clone, Copy)]
pub(super) struct Shared {
    pub(super) variable: Handle<SharedVariable>,
    pub(super) ty: TypeId,
    pub(super) element: TypeId,
    /// The scalar of atomic cells.
    pub(super) atomic: Option<Scalar>,
}

/// A function that bodies may call.
#[derive(Clone)]
pub(super) struct Callee {
    pub(super) handle: Handle<Function>,
    pub(super) parameters: Vec<Taken>,
    pub(super) result: TypeId,
}

/// Makes a program.
pub(super) struct Maker {
    pub(super) random: Random,
    pub(super) options: Options,
    /// Types of values that are no scalars.
    pub(super) aggregates: Vec<TypeId>,
    pub(super) data: Data,
    pub(super) functions: Vec<Callee>,
    /// Functions with barriers, which all threads of a block call together.
    pub(super) exchanging: Vec<Callee>,
    /// Threads of a block.
    pub(super) threads: u64,
    /// Blocks of a cluster, 0 where there are none.
    pub(super) cluster_blocks: u64,
    /// Shared memory with a purpose.
    pub(super) reserved: Reserved,
    /// The next barrier with a number that is not used yet.
    pub(super) named: u32,
    /// Limit of the non-leaf expressions of the current statement.
    pub(super) fuel: u32,
}

pub(super) type Builder<'b> = BodyBuilder<'b>;

impl Maker {
    pub(super) fn new(seed: u64, options: Options) -> Self {
        Maker {
            random: Random::new(seed),
            options,
            aggregates: Vec::new(),
            data: Data::default(),
            functions: Vec::new(),
            exchanging: Vec::new(),
            threads: 1,
            cluster_blocks: 0,
            reserved: Reserved::default(),
            named: 1,
            fuel: 0,
        }
    }

    pub(super) fn span(&mut self) -> Span {
        if !self.options.spans || self.random.once_in(8) {
            return Span::NONE;
        }
        Span {
            file: self.random.below(2) as u32,
            line: 1 + self.random.below(3) as u32,
            column: 1 + self.random.below(40) as u32,
        }
    }

    pub(super) fn name(&mut self, plain: &str) -> String {
        if self.options.odd_names {
            self.random
                .pick(&[plain, plain, "i", "", "r#type", "fn", "f32", "\u{e9} \"\\\n0xV0000001"])
                .to_owned()
        } else {
            plain.to_owned()
        }
    }

    pub(super) fn data(&mut self, program: &mut Program) {
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
            let of_host = self.options.constants && !self.random.once_in(3);
            let mut ty = program.types.scalar(scalar);
            let mut count = 1;
            // Those of the host may be scalars, too.
            let dimensions = if of_host {
                self.random.below(3)
            } else {
                1 + self.random.below(2)
            };
            for _ in 0..dimensions {
                let most = if self.options.constants && self.random.once_in(8) {
                    40
                } else {
                    5
                };
                let length = 1 + self.random.below(most);
                ty = program.types.array(ty, length);
                count *= length;
            }
            let table = program.tables.push(ConstantTable {
                name: self.name(&format!("table{number}")),
                ty,
                values: (0..count).map(|_| self.random.constant(scalar).bits).collect(),
                host: of_host.then(|| self.random.bits()),
                span: self.span(),
            });
            self.data.tables.push(Root {
                writable: false,
                ..Root::new(Base::Table(table), ty)
            });
        }
    }

    pub(super) fn shared(&mut self, program: &mut Program) {
        for number in 0..self.random.below(3) {
            let atomic = self.random.once_in(3).then(|| self.atomic_scalar());
            let types = &mut program.types;
            let element = match atomic {
                Some(scalar) => types.intern(Type::Atomic(scalar)),
                None => self.value_type(types),
            };
            let ty = types.array(element, self.threads);
            let variable = program.shared.push(SharedVariable {
                name: self.name(&format!("tile{number}")),
                ty,
                span: self.span(),
            });
            self.data.shared.push(Shared {
                variable,
                ty,
                element,
                atomic,
            });
        }
    }

    fn taken(&mut self, types: &Types) -> Taken {
        let ty = self.value_type(types);
        let mutable = self.random.once_in(2);
        match self.random.below(6) {
            0 | 1 => Taken::Reference { pointee: ty, mutable },
            2 => Taken::Slice { element: ty, mutable },
            _ => Taken::Value(ty),
        }
    }

    pub(super) fn function(&mut self, program: &mut Program, number: u64) {
        let count = 1 + self.random.below(4);
        let parameters: Vec<_> = (0..count).map(|_| self.taken(&program.types)).collect();
        // A function may return one of its references.
        let reference = parameters.iter().find_map(|&taken| match taken {
            Taken::Reference { .. } => Some(taken.ty(&mut program.types)),
            _ => None,
        });
        let result = match (reference, self.random.below(8)) {
            (Some(reference), 0..4) => reference,
            (_, 4) => program.types.unit(),
            _ => self.value_type(&program.types),
        };
        let name = self.name(&format!("f{number}"));
        let types: Vec<_> = parameters.iter().map(|taken| taken.ty(&mut program.types)).collect();
        let names: Vec<_> = (0..count).map(|number| self.name(&format!("p{number}"))).collect();
        let mut b = BodyBuilder::new(program);
        let mut scope = Scope::default();
        for (name, &ty) in names.iter().zip(&types) {
            b.span = self.span();
            let local = b.local(name, ty);
            scope.roots.push(Root::new(Base::Local(local), ty));
        }
        let is_reference = reference == Some(result);
        // A returned reference must not refer to the function's own variables.
        let handed = scope.roots.iter_mut().filter(|root| is_reference && root.ty == result);
        let handed: Vec<Root> = handed
            .map(|root| {
                root.phase = Root::FIXED;
                *root
            })
            .collect();
        scope.result = (!is_reference).then_some((result != b.types().unit()).then_some(result));
        self.variables(&mut b, &mut scope);
        self.statements(&mut b, &scope, 4, 2);
        if is_reference {
            self.refuel();
            let [first, second] = [0; 2].map(|_| match self.random.pick(&handed).base {
                Base::Local(local) => local,
                _ => unreachable!("parameters are locals"),
            });
            let condition = self.expr(&mut b, &scope, Scalar::Bool, 2);
            let (first, second) = (b.get(first), b.get(second));
            let chosen = b.select(condition, first, second);
            b.return_(Some(chosen));
        } else if result != b.types().unit() {
            self.refuel();
            let value = self.value(&mut b, &scope, result, 3);
            b.return_(Some(value));
        }
        let body = b.finish();
        let handle = program.functions.push(Function {
            name,
            parameters: count as u32,
            result,
            exact: false,
            body,
            span: self.span(),
        });
        self.functions.push(Callee {
            handle,
            parameters,
            result,
        });
    }

    /// A function in which each thread writes its cell of a shared variable and gets another one.
    pub(super) fn exchanging_function(&mut self, program: &mut Program) {
        let Some(&shared) = self.data.shared.iter().find(|shared| shared.atomic.is_none()) else {
            return;
        };
        let index = program.types.scalar(Scalar::U64);
        let threads = self.threads;
        let result = shared.element;
        let parameters = [("value", result), ("other", index)];
        let handle = program.build_function("exchange", &parameters, result, |b, p| {
            if self.options.cooperation {
                Maker::other_of_lane(b, p[1]);
            }
            let own = self.thread_number(b);
            let path = b.index(b.shared_place(shared.variable), own);
            let value = b.get(p[0]);
            b.store(path, value);
            self.shared_barrier(b);
            let (other, threads) = (b.get(p[1]), b.u64(threads));
            let other = b.binary(vyre_core::ir::BinaryOp::Rem, other, threads);
            let path = b.index(b.shared_place(shared.variable), other);
            let found = b.load(path);
            let found = b.let_("found", found);
            self.shared_barrier(b);
            let found = b.get(found);
            b.return_(Some(found));
        });
        self.exchanging.push(Callee {
            handle,
            parameters: vec![Taken::Value(result), Taken::Value(index)],
            result,
        });
    }
}

impl Taken {
    pub(super) fn ty(self, types: &mut Types) -> TypeId {
        match self {
            Taken::Value(ty) => ty,
            Taken::Reference { pointee, mutable } => types.reference(pointee, mutable),
            Taken::Slice { element, mutable } => types.slice(element, mutable),
        }
    }
}
