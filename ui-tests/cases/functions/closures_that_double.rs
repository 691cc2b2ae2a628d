#[vyre::kernel]
fn mix(#[each] x: &mut u32) {
    let f0 = |a: u32| a + 1;
    let f1 = |a: u32| f0(a) + f0(a);
    let f2 = |a: u32| f1(a) + f1(a);
    let f3 = |a: u32| f2(a) + f2(a);
    let f4 = |a: u32| f3(a) + f3(a);
    let f5 = |a: u32| f4(a) + f4(a);
    let f6 = |a: u32| f5(a) + f5(a);
    let f7 = |a: u32| f6(a) + f6(a);
    let f8 = |a: u32| f7(a) + f7(a);
    let f9 = |a: u32| f8(a) + f8(a);
    let f10 = |a: u32| f9(a) + f9(a);
    let f11 = |a: u32| f10(a) + f10(a);
    let f12 = |a: u32| f11(a) + f11(a);
    let f13 = |a: u32| f12(a) + f12(a);
    let f14 = |a: u32| f13(a) + f13(a);
    let f15 = |a: u32| f14(a) + f14(a);
    let f16 = |a: u32| f15(a) + f15(a);
    let f17 = |a: u32| f16(a) + f16(a);
    let f18 = |a: u32| f17(a) + f17(a);
    let f19 = |a: u32| f18(a) + f18(a);
    let f20 = |a: u32| f19(a) + f19(a);
    let f21 = |a: u32| f20(a) + f20(a);
    let f22 = |a: u32| f21(a) + f21(a);
    let f23 = |a: u32| f22(a) + f22(a);
    *x = f23(*x);
}

fn main() {}
