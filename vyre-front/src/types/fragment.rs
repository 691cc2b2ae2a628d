//! Fragments of matrices: the supported types and products.

use vyre_ir::ir::{Factor, MatrixLoad, Product, Role, Scalar, Shape};

use super::{Kind, Ty, Types};
use crate::surface::Primitive;

/// The fragment types by name, such as `mma::A`.
pub(crate) fn role(name: &str) -> Option<Role> {
    match name {
        "A" => Some(Role::A),
        "B" => Some(Role::B),
        "C" => Some(Role::C),
        _ => None,
    }
}

/// The methods of fragments, besides `len`.
pub(crate) const METHODS: [&str; 4] = ["row", "column", "store", "store_transposed"];

/// The role and shape of a fragment type; `None` if no product has such fragments.
pub(crate) fn fragment(types: &Types, ty: Ty) -> Option<(Role, Shape)> {
    let &Kind::Fragment(role, element, rows, columns) = types.kind(ty) else {
        return None;
    };
    let extent = (types.length(rows), types.length(columns));
    for product in Product::ALL {
        let shape = product.shape();
        let (rows, columns) = shape.extent(role);
        if is_of(types, role, element, shape) && (rows.into(), columns.into()) == extent {
            return Some((role, shape));
        }
    }
    None
}

/// The extents of the fragments of a role and an element; `None` where those of the type are not known yet, or exist.
pub(crate) fn others(types: &Types, ty: Ty) -> Option<Vec<(u32, u32)>> {
    let &Kind::Fragment(role, element, rows, columns) = types.kind(ty) else {
        return None;
    };
    let is_known = matches!(types.kind(element), Kind::Primitive(_) | Kind::Tf32)
        && super::is_known(types.length(rows))
        && super::is_known(types.length(columns));
    if !is_known || fragment(types, ty).is_some() {
        return None;
    }
    let mut found = Vec::new();
    for product in Product::ALL {
        let shape = product.shape();
        if is_of(types, role, element, shape) && !found.contains(&shape.extent(role)) {
            found.push(shape.extent(role));
        }
    }
    Some(found)
}

/// The type in which products of these factors are summed, where that is not the third type.
pub(crate) fn other_sum(types: &Types, [a, b, c]: [Ty; 3]) -> Option<Scalar> {
    let [(Role::A, a), (Role::B, b), (Role::C, c)] = [fragment(types, a)?, fragment(types, b)?, fragment(types, c)?]
    else {
        return None;
    };
    let mut other = None;
    for product in Product::ALL {
        let shape = product.shape();
        if (shape.m, shape.k, shape.left) == (a.m, a.k, a.left)
            && (shape.n, shape.k, shape.right) == (b.n, b.k, b.right)
        {
            if shape.sum == c.sum {
                return None;
            }
            other = other.or(Some(shape.sum));
        }
    }
    other
}

fn is_of(types: &Types, role: Role, element: Ty, shape: Shape) -> bool {
    match role {
        Role::C => types.as_primitive(element).map(Primitive::scalar) == Some(shape.sum),
        Role::A => factor(types, element) == Some(shape.left),
        Role::B => factor(types, element) == Some(shape.right),
    }
}

/// The loading of fragments of a type by a whole warp from the rows of a tile, which are those of
/// the matrix or, if `transposed`, its columns: by the hardware, or element by element. `None` if
/// unsupported.
pub(crate) fn tile_load(types: &Types, ty: Ty, transposed: bool) -> Option<(Role, Shape, Option<MatrixLoad>)> {
    let (role, shape) = fragment(types, ty)?;
    // A lane's elements of a row of A, or of a column of B, fill a register.
    let across = match role {
        Role::A => transposed,
        Role::B => !transposed,
        Role::C => return None,
    };
    let (scalar, count) = shape.registers(role);
    if across && shape.left == Factor::Tf32 {
        return Some((role, shape, None));
    }
    let exists = scalar == Scalar::U32 && (!across || shape.left.packed() == 2);
    let load = MatrixLoad::of(count, across).filter(|_| exists)?;
    Some((role, shape, Some(load)))
}

/// The product of fragments of these types.
pub(crate) fn product(types: &Types, [a, b, c]: [Ty; 3]) -> Option<Product> {
    let [(Role::A, a), (Role::B, b), (Role::C, c)] = [fragment(types, a)?, fragment(types, b)?, fragment(types, c)?]
    else {
        return None;
    };
    let fits = |shape: Shape| {
        (shape.m, shape.k, shape.left) == (a.m, a.k, a.left)
            && (shape.n, shape.k, shape.right) == (b.n, b.k, b.right)
            && (shape.m, shape.n, shape.sum) == (c.m, c.n, c.sum)
    };
    Product::ALL.iter().copied().find(|product| fits(product.shape()))
}

fn factor(types: &Types, element: Ty) -> Option<Factor> {
    match types.kind(element) {
        Kind::Tf32 => Some(Factor::Tf32),
        Kind::Primitive(Primitive::I8) => Some(Factor::I8),
        Kind::Primitive(Primitive::U8) => Some(Factor::U8),
        Kind::Primitive(Primitive::F16) => Some(Factor::F16),
        Kind::Primitive(Primitive::BF16) => Some(Factor::BF16),
        Kind::Primitive(Primitive::F64) => Some(Factor::F64),
        _ => None,
    }
}
