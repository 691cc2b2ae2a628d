//! Items: structs, enums, constants, functions.

use super::behaviour::Behaviour;
use super::types::{Prim, Ty};
use super::{FUEL, Maker};

/// The items of a program besides its function.
#[derive(Default)]
pub(super) struct Items {
    /// The items as text.
    pub(super) text: String,
    pub(super) structs: Vec<Struct>,
    pub(super) enums: Vec<Enum>,
    pub(super) functions: Vec<Function>,
    /// Constants by name.
    pub(super) constants: Vec<(String, Ty)>,
    /// The module of types with behaviour, if there is one.
    pub(super) behaviour: Option<Behaviour>,
}

#[derive(Clone, Debug)]
pub(super) struct Struct {
    pub(super) name: String,
    /// Names, numbers where the struct is a tuple, and types.
    pub(super) fields: Vec<(String, Ty)>,
    pub(super) compares: bool,
    /// True if it has the methods `turned`, `raise` and `WIDE`, and a `+`.
    pub(super) behaves: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Enum {
    pub(super) name: String,
    pub(super) variants: Vec<Variant>,
    pub(super) compares: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Variant {
    pub(super) name: String,
    pub(super) fields: Vec<Ty>,
    /// The names of its fields, if any.
    pub(super) names: Vec<String>,
}

/// The passing mode of an argument.
#[derive(Clone, Debug)]
pub(super) enum Taken {
    Value(Ty),
    Reference(Ty),
    MutReference(Ty),
    /// A slice, of any array of these.
    Slice(Ty),
}

#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) parameters: Vec<Taken>,
    pub(super) result: Ty,
}

impl Variant {
    /// The variant with these values, or patterns, of its fields.
    pub(super) fn with(&self, of: &str, fields: &[String]) -> String {
        let name = format!("{of}::{}", self.name);
        match (self.fields.is_empty(), self.names.is_empty()) {
            (true, _) => name,
            (_, true) => format!("{name}({})", fields.join(", ")),
            _ => {
                let fields = self
                    .names
                    .iter()
                    .zip(fields)
                    .map(|(name, value)| format!("{name}: {value}"));
                format!("{name} {{ {} }}", fields.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

impl Struct {
    /// The struct with these values, or patterns, of its fields.
    pub(super) fn with(&self, fields: &[String]) -> String {
        if self.fields[0].0 == "0" {
            return format!("{}({})", self.name, fields.join(", "));
        }
        let fields = self.fields.iter().zip(fields);
        let fields = fields.map(|((name, _), value)| match name == value {
            true => name.clone(),
            false => format!("{name}: {value}"),
        });
        format!("{} {{ {} }}", self.name, fields.collect::<Vec<_>>().join(", "))
    }
}

const BITS: &str = "#[vyre::device] fn bits32(x: f32) -> u64 { if x.is_nan() { 7 } else { x.to_bits() as u64 } }
#[vyre::device] fn bits64(x: f64) -> u64 { if x.is_nan() { 7 } else { x.to_bits() } }
#[vyre::device] fn pick<T: Copy, const N: usize>(of: [T; N], at: usize) -> T { of[at % N] }
#[vyre::device] fn sum<T: Copy + core::ops::Add<Output = T>>(of: &[T], start: T) -> T {
    let mut all = start;
    for one in of { all = all + *one; }
    all
}
#[vyre::device] fn larger<T: PartialOrd + Copy>(one: T, other: T) -> T { if one < other { other } else { one } }
#[vyre::device] fn twice<T: Copy>(value: T, f: impl Fn(T) -> T) -> T { f(f(value)) }
#[vyre::device] fn times<F: FnMut(u32)>(count: u32, mut f: F) { for i in 0..count { f(i); } }
";

impl Maker {
    pub(super) fn make_items(&mut self) {
        self.items.text = format!("{BITS}{}", super::library::FUNCTIONS);
        for number in 0..self.random.below(3) {
            self.make_struct(number);
        }
        for number in 0..self.random.below(3) {
            self.make_enum(number);
        }
        for number in 0..self.random.below(3) {
            let prim = self.prim();
            let length = 1 + self.random.below(4);
            let ty = match self.random.below(2) {
                0 => Ty::Prim(prim),
                _ => Ty::Array(Box::new(Ty::Prim(prim)), length),
            };
            let value = self.constant(&ty);
            let written = self.written(&ty);
            let name = format!("K{number}");
            self.items.text += &format!("#[vyre::device] const {name}: {written} = {value};\n");
            self.items.constants.push((name, ty));
        }
        if self.random.once_in(3) {
            self.make_behaviour();
        }
        for number in 0..self.random.below(4) {
            self.make_function(number);
        }
    }

    /// A constant value.
    fn constant(&mut self, ty: &Ty) -> String {
        match ty {
            Ty::Array(element, length) => {
                let elements: Vec<String> = (0..*length).map(|_| self.constant(element)).collect();
                format!("[{}]", elements.join(", "))
            }
            Ty::Prim(prim) => self.literal(*prim, true),
            _ => unreachable!("constants are scalars and arrays of them"),
        }
    }

    /// Fields of one width leave no padding.
    fn make_struct(&mut self, number: u64) {
        let any = self.prim();
        let same: Vec<Prim> = [&[Prim::Bool, Prim::F32, Prim::F64], &Prim::INTEGERS[..]]
            .concat()
            .into_iter()
            .filter(|prim| prim.bits().max(8) == any.bits().max(8))
            .collect();
        let named = self.random.once_in(2);
        let mut fields = Vec::new();
        for field in 0..1 + self.random.below(3) {
            let name = if named { format!("f{field}") } else { field.to_string() };
            let prim = Ty::Prim(self.random.pick(&same));
            let ty = match self.random.once_in(4) {
                true => Ty::Array(Box::new(prim), 1 + self.random.below(3)),
                false => prim,
            };
            fields.push((name, ty));
        }
        let (name, compares) = (format!("S{number}"), self.random.once_in(2));
        let derives = if compares {
            "Clone, Copy, PartialEq"
        } else {
            "Clone, Copy"
        };
        let written: Vec<String> = (fields.iter())
            .map(|(name, ty)| match named {
                true => format!("pub {name}: {}", self.written(ty)),
                false => format!("pub {}", self.written(ty)),
            })
            .collect();
        let written = written.join(", ");
        let shape = if named {
            format!(" {{ {written} }}")
        } else {
            format!("({written});")
        };
        let behaves = self.random.once_in(2);
        let definition = Struct {
            name: name.clone(),
            fields,
            compares,
            behaves,
        };
        let text = match behaves {
            false => format!("#[vyre::device] #[derive({derives})] pub struct {name}{shape}\n"),
            true => {
                let behaviour = self.behaviour(&definition);
                format!(
                    "#[vyre::device] mod m{number} {{ #[derive({derives})] pub struct {name}{shape}\n{behaviour} }}\n\
                     use m{number}::{name};\n"
                )
            }
        };
        self.items.text += &text;
        self.items.structs.push(definition);
    }

    /// Methods, a constant and an operator.
    fn behaviour(&mut self, of: &Struct) -> String {
        let name = &of.name;
        let turned = |field: &str, ty: &Ty| match ty {
            Ty::Prim(Prim::Bool) => format!("!self.{field}"),
            Ty::Prim(prim) if prim.is_float() => format!("-self.{field}"),
            Ty::Prim(_) => format!("self.{field} ^ 5"),
            _ => format!("self.{field}"),
        };
        let added = |field: &str, ty: &Ty| match ty {
            Ty::Prim(Prim::Bool) => format!("self.{field} ^ other.{field}"),
            Ty::Prim(_) => format!("self.{field} + other.{field}"),
            _ => format!("other.{field}"),
        };
        let all = |f: &dyn Fn(&str, &Ty) -> String| {
            let fields: Vec<String> = of.fields.iter().map(|(field, ty)| f(field, ty)).collect();
            of.with(&fields)
        };
        let (turned, added) = (all(&turned), all(&added));
        let first = &of.fields[0].0;
        let raise = match &of.fields[0].1 {
            Ty::Prim(Prim::Bool) => format!("self.{first} = !self.{first} || by > 7;"),
            Ty::Prim(prim) => format!("self.{first} += by as {};", prim.name()),
            _ => "let _ = by;".to_owned(),
        };
        let wide = self.random.below(9);
        format!(
            "impl {name} {{ pub const WIDE: u8 = {wide}; pub fn turned(self) -> Self {{ {turned} }} \
             pub fn raise(&mut self, by: u8) {{ {raise} }} }}\n\
             impl core::ops::Add for {name} {{ type Output = Self; fn add(self, other: Self) -> Self {{ {added} }} }}"
        )
    }

    fn make_enum(&mut self, number: u64) {
        let name = format!("E{number}");
        let mut variants = Vec::new();
        for variant in 0..2 + self.random.below(3) {
            let fields: Vec<Ty> = (0..self.random.below(3)).map(|_| self.ty(1)).collect();
            let named = !fields.is_empty() && self.random.once_in(3);
            let names = if named {
                (0..fields.len()).map(|field| format!("g{field}")).collect()
            } else {
                Vec::new()
            };
            variants.push(Variant {
                name: format!("V{variant}"),
                fields,
                names,
            });
        }
        let comparable = variants
            .iter()
            .flat_map(|variant| &variant.fields)
            .all(|ty| self.compares(ty));
        let compares = comparable && self.random.once_in(2);
        let derives = if compares {
            "Clone, Copy, PartialEq"
        } else {
            "Clone, Copy"
        };
        let mut text = format!("#[vyre::device] #[derive({derives})] enum {name} {{ ");
        for variant in &variants {
            let fields: Vec<String> = variant.fields.iter().map(|ty| self.written(ty)).collect();
            // Written like a pattern, but with types.
            text += variant.with("", &fields).trim_start_matches("::");
            text += ", ";
        }
        self.items.text += &(text + "}\n");
        self.items.enums.push(Enum {
            name,
            variants,
            compares,
        });
    }

    fn make_function(&mut self, number: u64) {
        let count = 1 + self.random.below(3);
        let parameters: Vec<Taken> = (0..count)
            .map(|_| {
                let ty = self.ty(1);
                match self.random.below(6) {
                    0 => Taken::Reference(ty),
                    1 => Taken::MutReference(ty),
                    2 => Taken::Slice(Ty::Prim(self.prim())),
                    _ => Taken::Value(ty),
                }
            })
            .collect();
        let result = self.ty(1);
        let name = format!("g{number}");
        let outside = std::mem::take(&mut self.variables);
        let mut written = Vec::new();
        let mut text = String::new();
        for (number, taken) in parameters.iter().enumerate() {
            let name = format!("q{number}");
            let mutable = self.random.once_in(2);
            let prefix = if mutable { "mut " } else { "" };
            match taken {
                Taken::Value(ty) => {
                    written.push(format!("{prefix}{name}: {}", self.written(ty)));
                    self.add(&name, ty.clone(), mutable);
                }
                Taken::Reference(ty) => {
                    written.push(format!("{name}: &{}", self.written(ty)));
                    text += &format!("let r{number} = *{name};\n");
                    self.add(&format!("r{number}"), ty.clone(), false);
                }
                Taken::MutReference(ty) => {
                    written.push(format!("{name}: &mut {}", self.written(ty)));
                    // A place, written so wherever it stands.
                    self.add(&format!("(*{name})"), ty.clone(), true);
                }
                Taken::Slice(ty) => {
                    written.push(format!("{name}: &[{}]", self.written(ty)));
                    text += &format!("let r{number} = {name}[{name}.len() - 1];\n");
                    self.add(&format!("r{number}"), ty.clone(), false);
                }
            }
        }
        self.result = Some(result.clone());
        text += &self.statements(3, 2);
        self.fuel = FUEL;
        let value = self.value(&result, 3).text;
        self.result = None;
        self.variables = outside;
        let (written, of) = (written.join(", "), self.written(&result));
        self.items.text += &format!("#[vyre::device] fn {name}({written}) -> {of} {{\n{text}{value}\n}}\n");
        self.items.functions.push(Function {
            name,
            parameters,
            result,
        });
    }
}
