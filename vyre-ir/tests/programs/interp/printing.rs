//! Printed lines and their order.

use vyre_ir::interp::{Options, launch_printing};

use super::{parse, valid};

fn printed(block: &str, body: &str, grid: [u32; 3]) -> (bool, String) {
    let text = format!("file \"k.rs\"\nkernel k() dimensions 3 block {block} {{ entry k {{\n{body}\n}} }}");
    let program = parse(&text);
    let kernel = program.kernel("k").expect("the program has a kernel `k`");
    let mut output = String::new();
    let result = launch_printing(&valid(&program), kernel, &mut [], grid, Options::default(), &mut output);
    (result.is_ok(), output)
}

#[test]
fn threads_print_in_their_order_between_barriers() {
    let body = r#"
        print "{u32}.{u32} ", block_index.x, thread_index.x
        barrier
        print "| ""#;
    assert_eq!(
        printed("2 1 1", body, [2, 1, 1]),
        (true, "0.0 0.1 | | 1.0 1.1 | | ".to_owned())
    );
}

#[test]
fn what_was_printed_before_a_fault_stays() {
    let body = r#"
        print "{{{bool:>6}}}\n", eq(thread_index.x, 0u32)
        assert false, panic "no"
        print "never""#;
    assert_eq!(printed("2 1 1", body, [1; 3]), (false, "{  true}\n".to_owned()));
}
