use super::*;

fn written(template: &str, values: &[u64]) -> String {
    let template = Template::parse(template).expect("it is a template");
    assert_eq!(Template::parse(&template.to_string()), Ok(template.clone()));
    let mut out = String::new();
    template.write(values, &mut out);
    out
}

/// Compares with what Rust writes for values of the types.
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
    // Bits past the type do not count.
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
    }
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
        ("{0}", TemplateError::Type),
        ("{u32:w$}", TemplateError::Spec),
        ("{u32:.*}", TemplateError::Spec),
        ("{u32:x?}", TemplateError::Spec),
        ("{u32:99999}", TemplateError::Spec),
        ("{u32:.}", TemplateError::Spec),
        ("{u32:é}", TemplateError::Spec),
    ] {
        assert_eq!(Template::parse(text), Err(error), "{text}");
    }
}
