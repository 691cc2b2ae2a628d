//! Each form of syntax very deep: what is accepted fits the stack that there is, and the rest is refused.

use std::path::Path;
use std::thread::Builder;

use proc_macro2::TokenStream;
use vyre_test_support::case::is_long;

use vyre_front::look;

use super::compiled;

/// The stack that rustc has for macros, less a part for itself.
const OF_MACROS: usize = 7 << 20;
/// The stack of tests and other threads.
const OF_THREADS: usize = 2 << 20;

/// The place of a form in a kernel.
#[derive(Clone, Copy)]
enum At {
    Value,
    Statement,
    Type,
    Pattern,
    Item,
}

use At::{Item, Pattern, Statement, Type, Value};

/// A form: what comes before and after the innermost part, once for each level.
type Form = (At, &'static str, &'static str, &'static str);

const FORMS: &[Form] = &[
    // Operators, each with all before it as its operand.
    (Value, "", "a", " + a"),
    (Value, "", "a", " - a * a"),
    (Value, "", "a", " & a"),
    (Value, "", "a", " | a"),
    (Value, "", "a", " << a"),
    (Value, "", "a", ">>a"),
    (Value, "", "x[0].min(a)", " + x[0].min(a)"),
    (Statement, "", "let q = c", " && c"),
    (Statement, "", "let q = a < 1", " || a < 1"),
    (Statement, "", "let q = a", " == a"),
    (Value, "", "a", " as u32"),
    (Value, "", "x", "[0]"),
    (Value, "", "a", ".x"),
    (Value, "", "a", ".min(1)"),
    (Value, "", "a", "?"),
    (Value, "", "a", ".await"),
    (Value, "", "a", "()"),
    (Value, "", "if c { 1 }", " else if c { 2 }"),
    (Value, "", "if c { 1 }", " else if let Some(q) = x.get(0) { *q }"),
    (Statement, "", "if c", " && let Some(q) = x.get(0)"),
    (Statement, "", "let q = x.iter()", ".map(|v| v + 1)"),
    // Operators before an operand.
    (Value, "!", "a", ""),
    (Value, "-", "a", ""),
    (Value, "*", "a", ""),
    (Value, "& ", "a", ""),
    (Value, "&&", "a", ""),
    (Value, "&mut ", "a", ""),
    (Value, "&raw const ", "a", ""),
    // Forms that extend to the end.
    (Value, "|q| ", "a", ""),
    (Value, "|| ", "a", ""),
    (Value, "move |q: u32| ", "a", ""),
    (Value, "1 + |q| ", "a", ""),
    (Value, "return ", "a", ""),
    (Value, "return -", "a", ""),
    (Value, "break 'a ", "a", ""),
    (Value, "a..", "a", ""),
    (Value, ".. ", "a", ""),
    (Value, "..=", "a", ""),
    (Statement, "y[0] = ", "a", ""),
    (Statement, "y[0] += ", "a", ""),
    (Statement, "y[0] <<= ", "a", ""),
    (Statement, "if ", "c", " {} else {}"),
    (Statement, "if a == ", "a", " {}"),
    (Statement, "while ", "c", " {}"),
    (Statement, "for _ in ", "0..2", " {}"),
    (Statement, "for S {} in ", "0..2", " {}"),
    (Value, "match ", "a", " { _ => 1 }"),
    (Value, "let Some(q) = ", "a", ""),
    // Brackets.
    (Value, "(", "a", ")"),
    (Value, "((a + a) * ", "a", ")"),
    (Value, "1 + (", "a", ") + 1"),
    (Value, "{", "a", "}"),
    (Value, "unsafe {", "a", "}"),
    (Value, "const {", "a", "}"),
    (Value, "async move {", "a", "}"),
    (Value, "{ let q = ", "a", "; q }"),
    (Value, "[", "a", "]"),
    (Value, "[", "a", "; 1]"),
    (Value, "(", "a", ",)"),
    (Value, "S { a: ", "a", " }"),
    (Value, "g(", "a", ")"),
    (Value, "a.min(", "a", ")"),
    (Value, "x[", "a", "]"),
    (Value, "if c { 1 } else {", "a", "}"),
    (Value, "match a { 0 => 1, _ => ", "a", " }"),
    (Value, "match a { _ => {", "a", "} }"),
    (Value, "match a { _ if ", "c", " => 1, _ => 2 }"),
    (Value, "|| -> u32 {", "a", "}"),
    (Statement, "if c {", "y[0] = a;", "}"),
    (Statement, "if { ", "c", "} {}"),
    (Statement, "while { ", "c", "} {}"),
    (Statement, "while c {", "y[0] = a;", "}"),
    (Statement, "loop {", "y[0] = a;", "break; }"),
    (Statement, "'a: {", "y[0] = a;", "}"),
    (Statement, "for _ in 0..2 {", "y[0] = a;", "}"),
    (Statement, "if c { y[0] = a; } else if c {", "y[0] = a;", "}"),
    (Statement, "let Some(q) = x.get(0) else {", "return;", "return; };"),
    (Statement, "let g = |q: u32| {", "a", "}; y[0] = g(1);"),
    (Statement, "fn g() {", "", "}"),
    (Statement, "assert!(", "c", ")"),
    (Statement, "#[cfg(all(", "debug_assertions", "))] {}"),
    // Types, in expressions too.
    (Value, "g::<", "u32", ">"),
    (Value, "a as A<", "u32", ">"),
    (Value, "<A<", "u32", "> as B>::C"),
    (Type, "& ", "u32", ""),
    (Type, "&mut ", "u32", ""),
    (Type, "&'a ", "u32", ""),
    (Type, "*const ", "u32", ""),
    (Type, "[", "u32", "; 1]"),
    (Type, "[", "u32", "]"),
    (Type, "(", "u32", ",)"),
    (Type, "(", "u32", ")"),
    (Type, "Option<", "u32", ">"),
    (Type, "Result<u32, ", "u32", ">"),
    (Type, "Result<u32, [", "u32", "; 1]>"),
    (Type, "A<B = ", "u32", ">"),
    (Type, "fn(", "u32", ")"),
    (Type, "fn() -> ", "u32", ""),
    (Type, "for<'a> fn(", "u32", ")"),
    (Type, "impl Fn() -> ", "u32", ""),
    (Type, "Box<dyn Fn() -> ", "u32", ">"),
    (Type, "<", "u32", " as A>::B"),
    (Type, "", "a", "::a"),
    (Type, "", "impl A", " + A"),
    (Type, "[u32; { let q: ", "u32", " = 1; 1 }]"),
    (Type, "A<{ B::<", "1", ">::C }>"),
    // Patterns.
    (Pattern, "&", "q", ""),
    (Pattern, "(", "q", ",)"),
    (Pattern, "[", "q", "]"),
    (Pattern, "(", "q", ")"),
    (Pattern, "S { a: ", "q", "}"),
    (Pattern, "Some(", "q", ")"),
    (Pattern, "q @ ", "q", ""),
    (Pattern, "", "1", " | 1"),
    (Pattern, "1..=", "2", ""),
    // Items.
    (Item, "mod a {", "", "}"),
    (Item, "", "use a", "::a"),
    (Item, "use a::{", "a", "};"),
    (Item, "", "const C: u32 = 1", " + 1"),
    (Item, "impl A { fn g() {", "", "} }"),
    (Item, "trait A { const C: [u32; ", "1", "]; }"),
];

/// Every fourth form, and all where tests are long.
fn forms() -> impl Iterator<Item = Form> {
    FORMS.iter().step_by(if is_long() { 1 } else { 4 }).copied()
}

fn repeated((at, before, inner, after): Form, depth: usize) -> String {
    let nested = format!("{}{inner}{}", before.repeat(depth), after.repeat(depth));
    let body = match at {
        Value => format!("y[0] = {nested};"),
        Statement => match nested.starts_with("if c &&") || nested == "if c" {
            true => format!("{nested} {{ y[0] = a; }}"),
            false => format!("{nested};"),
        },
        Type => format!("let v: {nested} = a;"),
        Pattern => format!("let {nested} = a;"),
        Item => return format!("{nested};\npub fn k(y: &mut [u32]) {{}}\n"),
    };
    format!("pub fn k(a: u32, c: bool, x: &[u32], y: &mut [u32]) {{ {body} }}\n")
}

/// The outcome on a thread with a stack of its own.
fn on<T: Send + 'static>(stack: usize, work: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = Builder::new().stack_size(stack).spawn(work).expect("a thread starts");
    thread.join().expect("nothing panics")
}

fn tokens(text: &str) -> TokenStream {
    text.parse().unwrap_or_else(|error| panic!("{error}: {text:.200}"))
}

/// What the attribute says of an item.
fn expanded(text: &str) -> String {
    crate::expand(TokenStream::new(), tokens(text)).to_string()
}

/// What the build helper says of a file.
fn built(name: &str, text: &str) -> String {
    let said = compiled(
        &format!("nested-{name}"),
        &format!("#[vyre::kernel(allow(races))]\n{text}"),
    );
    said.err().map_or_else(String::new, |error| error.to_string())
}

const REFUSED: &str = "V0511: this is nested too deeply to be read";

fn is_too_deep(text: &str) -> bool {
    look(&tokens(text)).too_deep.is_some()
}

/// The stack grows with the depth, so all that is accepted fits where the deepest does.
#[test]
fn what_is_accepted_fits_the_stack_of_macros() {
    for form in forms() {
        // The first depth that does not fit is far from the largest, whose text takes long to read.
        let (mut fits, mut is_not) = (1, 64);
        while is_not < 30_000 && !is_too_deep(&repeated(form, is_not)) {
            (fits, is_not) = (is_not, is_not * 2);
        }
        while is_not - fits > 1 {
            let middle = (fits + is_not) / 2;
            match is_too_deep(&repeated(form, middle)) {
                true => is_not = middle,
                false => fits = middle,
            }
        }
        assert!(fits < 10_000, "not bounded: {}{}{}", form.1, form.2, form.3);
        let text = repeated(form, fits);
        assert!(!on(OF_MACROS, move || expanded(&text)).contains(REFUSED));
    }
}

#[test]
fn deep_forms_are_refused_by_all() {
    let most = if is_long() { 20_000 } else { 10_000 };
    for (number, form) in forms().enumerate() {
        for depth in [100, 3_000, most] {
            let text = repeated(form, depth);
            let is_deep = is_too_deep(&text);
            assert!(is_deep || depth < most, "{depth} deep");
            let file = text.clone();
            let said = on(OF_THREADS, move || built(&number.to_string(), &file));
            assert_eq!(said.contains(REFUSED), is_deep, "{said:.300}");
            if is_deep {
                assert!(on(OF_THREADS, move || expanded(&text)).contains(REFUSED));
            }
        }
    }
}

/// True of a case of the UI tests that is refused for its depth.
fn is_refused(path: &Path) -> bool {
    std::fs::read_to_string(path.with_extension("stderr")).is_ok_and(|errors| errors.contains("V0511"))
}

/// What people write is far from the limit: the sources of the repository, each file as one item.
#[test]
fn sources_are_not_too_deep() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("..")];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() && name != "target" && !name.starts_with('.') {
                folders.push(path);
            } else if name.ends_with(".rs") && !is_refused(&path) {
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                if let Ok(tokens) = text.parse() {
                    files += 1;
                    assert!(look(&tokens).too_deep.is_none(), "{}", path.display());
                }
            }
        }
    }
    assert!(files > 500, "{files} files");
}

/// Items that use one another, each the one before.
fn chain(item: impl Fn(usize) -> String, kernel: &str) -> String {
    (0..300).map(item).collect::<String>() + kernel
}

#[test]
fn chains_of_items_are_bounded() {
    let structs = |number: usize| match number {
        0 => "#[vyre::device] #[derive(Clone, Copy)] struct S0 { a: u32 }\n".to_owned(),
        _ => format!(
            "#[vyre::device] #[derive(Clone, Copy)] struct S{number} {{ a: S{} }}\n",
            number - 1
        ),
    };
    let aliases = |number: usize| match number {
        0 => "type S0 = u32;\n".to_owned(),
        _ => format!("type S{number} = S{};\n", number - 1),
    };
    let constants = |number: usize| match number {
        0 => "const S0: u32 = 0;\n".to_owned(),
        _ => format!("const S{number}: u32 = S{} + 1;\n", number - 1),
    };
    let functions = |number: usize| match number {
        0 => "#[vyre::device] fn s0() -> u32 { 0 }\n".to_owned(),
        _ => format!("#[vyre::device] fn s{number}() -> u32 {{ s{}() }}\n", number - 1),
    };
    let kernel = |with: &str| format!("#[vyre::kernel(allow(races))] fn k(y: &mut [u32]) {{ {with} y[0] = 1; }}");
    let cases = [
        (
            "structs",
            chain(structs, &kernel("let s: Option<S299> = None;")),
            "V0511",
        ),
        ("aliases", chain(aliases, &kernel("let s: S299 = 1;")), "V0511"),
        ("constants", chain(constants, &kernel("let s = S299;")), "V0511"),
        ("functions", chain(functions, &kernel("let s = s299();")), "V0712"),
    ];
    for (name, text, code) in cases {
        let Err(error) = compiled(&format!("chain-{name}"), &text) else {
            panic!("{name} are nested")
        };
        assert!(error.to_string().contains(code), "{name}: {error:.300}");
    }
}

/// Their layout took twice as long for each enum in an enum.
#[test]
fn enums_in_enums_are_laid_out_once() {
    let enums = |number: usize| match number {
        0 => "#[vyre::device] #[derive(Clone, Copy)] enum E0 { A(u32), B }\n".to_owned(),
        _ => format!(
            "#[vyre::device] #[derive(Clone, Copy)] enum E{number} {{ A(E{}), B }}\n",
            number - 1
        ),
    };
    let items: String = (0..40).map(enums).collect();
    let kernel =
        "#[vyre::kernel(allow(races))] fn k(y: &mut [u32]) { let e = E39::B; y[0] = matches!(e, E39::B) as u32; }";
    compiled("nested-enums", &(items + kernel)).unwrap_or_else(|error| panic!("{error}"));
}
