use super::*;

fn written(template: &str, values: &[u64]) -> String {
    let template = Template::parse(template).expect("it is a template");
    assert_eq!(Template::parse(&template.to_string()), Ok(template.clone()));
    let mut out = String::new();
    template.write(values, &mut out);
    out
}

/// Compares with Rust's formatting of values of the types.
macro_rules! as_rust {
    ($($spec:literal: $($ty:ident $value:expr),+;)*) => { $($({
        let value: $ty = $value;
        let template = concat!("[{", stringify!($ty), ":", $spec, "}]");
        let rust = format!(concat!("[{:", $spec, "}]"), value);
        assert_eq!(written(template, &[bits!($ty, value)]), rust, "{template} of {value}");
    })+)* };
}
macro_rules! bits {
    (f32, $value:expr) => {
        u64::from($value.to_bits())
    };
    (f64, $value:expr) => {
        $value.to_bits()
    };
    // Bits above the type's width are ignored.
    (i64, $value:expr) => {
        $value as u64
    };
    (u64, $value:expr) => {
        $value
    };
    ($ty:ident, $value:expr) => {
        $value as u64 | 0xabcd << 40
    };
}

/// The bits of floats of 16 bits are written as in the crate `half`, and of a NaN those that a kernel sees.
#[test]
fn a_nan_has_no_sign() {
    assert_eq!(written("{f16:x} {f16:x}", &[0xfe01, 0xfc00]), "7e00 fc00");
    assert_eq!(written("{bf16:#X} {bf16}", &[0xffff, 0xffff]), "0x7FC0 NaN");
    assert_eq!(written("{f32:+} {f64:?}", &[0xffc0_0000, u64::MAX]), "NaN NaN");
}

#[test]
fn values_read_as_in_rust() {
    as_rust! {
        "": u8 200, i8 -7, i16 -300, u16 65535, i32 i32::MIN, u32 u32::MAX, i64 i64::MIN, u64 u64::MAX, bool true,
            bool false, f32 0.1, f32 1.0, f64 1e300, f64 -0.0, f32 f32::NAN, f64 f64::NEG_INFINITY, f32 1e-45;
        "?": i32 -1, bool true, f32 1.0, f32 0.1, f64 1e20, f64 f64::NAN, u8 3;
        "5": u32 42, i32 -42, f32 1.5, bool true, u64 1_000_000;
        "<7": u32 42, bool false, f64 2.5;
        "^7": u32 42, bool true, f32 0.25;
        ">7": bool true, i16 -3;
        "*^9": i32 -5, bool false;
        "}>6": u32 1;
        "+": i32 5, i32 -5, u8 0, f32 1.5, f32 -1.5;
        "05": i32 -5, u32 7, f32 -1.5, f32 f32::NAN, f64 f64::INFINITY, bool true;
        "+08.3": f32 2.0, f64 -2.0;
        "x": u32 255, i32 -1, i8 -1, u64 u64::MAX;
        "#x": u32 255, i16 -2;
        "#010X": u32 0xabc;
        "#b": u8 5, i8 -1;
        "o": u32 64;
        "08b": u8 5;
        ".3": f32 0.1, f64 123.456789, bool true, u32 7;
        "10.2": f32 3.2468, f64 -1e10;
        "e": f32 1234.5, u32 1500, i64 -70, f64 1e-7;
        "E": f64 1234.5;
        ".2e": f32 1234.5, u32 1567;
        ".2?": f32 1.0, f64 1e20;
        "#?": f32 1.0, i32 3;
        "<05": i32 -5, f32 2.5;
        "-5": i32 -5, f32 2.5;
        "x?": i32 -1, u8 171, f32 1.0, bool true;
        "#X?": u32 171, f64 1e20;
        "#06x?": u8 11, f32 0.5;
        "o": u32 0xb;
        "04x": u32 0xb, u32 0xab;
    }
}

/// Widths and precisions that are values, and units, read as in Rust.
#[test]
fn counts_are_values() {
    for (width, digits) in [(0usize, 3usize), (9, 0), (12, 2)] {
        let values = [width as u64, digits as u64, 1.5f64.to_bits()];
        for (template, rust) in [
            ("{let u64}{let u64}{f64:0$.1$}", format!("{:width$.digits$}", 1.5)),
            (
                "{let u64}{let u64}{f64:*^+00$.1$e}",
                format!("{:*^+0width$.digits$e}", 1.5),
            ),
            (
                "{let u64}{let u64}{f64:.1$?}{2:>0$}",
                format!("{:.digits$?}{:>width$}", 1.5, 1.5),
            ),
            (
                "{let u64}{u64:<0$}{let f64}{():<0$.1$?}",
                format!("{digits:<width$}{:<width$.digits$?}", ()),
            ),
        ] {
            assert_eq!(written(template, &values), rust, "{template}");
        }
    }
    // Rust would panic.
    assert_eq!(written("{let u64}{u8:0$}", &[u64::MAX, 1]).len(), 65535);
}

#[test]
fn one_case_is_written() {
    let option = "<{match bool}{case 0}None{case 1}Some({i32:>3}){end}>";
    assert_eq!(written(option, &[0, 7]), "<None>");
    assert_eq!(written(option, &[1, 7]), "<Some(  7)>");
    let nested = "{match u32}{case 0}a{u8}{case 5}b{match bool}{case 1}c{u8}{end}d{1}{case 7}{1}{end}e{u16}";
    assert_eq!(written(nested, &[0, 1, 2, 3, 4]), "a1e4");
    assert_eq!(written(nested, &[5, 1, 0, 3, 4]), "bd1e4");
    assert_eq!(written(nested, &[5, 1, 3, 3, 4]), "bc3d1e4");
    assert_eq!(written(nested, &[7, 1, 1, 3, 4]), "1e4");
    assert_eq!(written(nested, &[6, 1, 1, 3, 4]), "e4");
    // Bits above the type's width are ignored.
    assert_eq!(
        written("{match i8}{case 255}x{end}{match 0}{case 1}y{end}", &[0xfff]),
        "x"
    );
}

#[test]
fn text_and_braces() {
    assert_eq!(written("a {{b}} {u32}, {i8:?}!\n", &[7, 0xff]), "a {b} 7, -1!\n");
    assert_eq!(written("", &[]), "");
    assert_eq!(written("{u32}{u32}", &[1]), "10");
    assert_eq!(Template::plain("{x} }").to_string(), "{{x}} }}");
    assert_eq!(render("no template {", &[]), "no template {");
}

#[test]
fn damaged_templates_are_errors() {
    for (text, error) in [
        ("{", TemplateError::Brace),
        ("}", TemplateError::Brace),
        ("a } b", TemplateError::Brace),
        ("{u32", TemplateError::Brace),
        ("{}", TemplateError::Type),
        ("{usize}", TemplateError::Type),
        ("{0}", TemplateError::Number),
        ("{u32:0$}", TemplateError::Number),
        ("{u32}{u32:.0$}", TemplateError::Number),
        ("{match 0}{end}", TemplateError::Number),
        ("{let}", TemplateError::Type),
        ("{set u32}", TemplateError::Case),
        ("{end}", TemplateError::Case),
        ("{case 0}", TemplateError::Case),
        ("{match u32}{case 0}", TemplateError::Case),
        ("{match u32}{case -1}{end}", TemplateError::Case),
        ("{u32:w$}", TemplateError::Spec),
        ("{u32:.*}", TemplateError::Spec),
        ("{u32:$}", TemplateError::Spec),
        ("{u32:99999}", TemplateError::Spec),
        ("{u32:.}", TemplateError::Spec),
        ("{u32:é}", TemplateError::Spec),
    ] {
        assert_eq!(Template::parse(text), Err(error), "{text}");
    }
}
