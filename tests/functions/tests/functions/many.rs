//! Many device functions: a chain of a hundred macros, and functions a hundred deep.
use vyre::prelude::*;
use vyre_semantics::everywhere;

/// `$name(x)` is `x` and a number.
macro_rules! leaves {
    ($($name:ident $number:literal)*) => { $(
        #[vyre::device]
        fn $name(x: u32) -> u32 {
            x + $number
        }
    )* };
}
leaves! {
    leaf_0 0 leaf_1 1 leaf_2 2 leaf_3 3 leaf_4 4 leaf_5 5 leaf_6 6 leaf_7 7
    leaf_8 8 leaf_9 9 leaf_10 10 leaf_11 11 leaf_12 12 leaf_13 13 leaf_14 14 leaf_15 15
    leaf_16 16 leaf_17 17 leaf_18 18 leaf_19 19 leaf_20 20 leaf_21 21 leaf_22 22 leaf_23 23
    leaf_24 24 leaf_25 25 leaf_26 26 leaf_27 27 leaf_28 28 leaf_29 29 leaf_30 30 leaf_31 31
    leaf_32 32 leaf_33 33 leaf_34 34 leaf_35 35 leaf_36 36 leaf_37 37 leaf_38 38 leaf_39 39
    leaf_40 40 leaf_41 41 leaf_42 42 leaf_43 43 leaf_44 44 leaf_45 45 leaf_46 46 leaf_47 47
    leaf_48 48 leaf_49 49 leaf_50 50 leaf_51 51 leaf_52 52 leaf_53 53 leaf_54 54 leaf_55 55
    leaf_56 56 leaf_57 57 leaf_58 58 leaf_59 59 leaf_60 60 leaf_61 61 leaf_62 62 leaf_63 63
    leaf_64 64 leaf_65 65 leaf_66 66 leaf_67 67 leaf_68 68 leaf_69 69 leaf_70 70 leaf_71 71
    leaf_72 72 leaf_73 73 leaf_74 74 leaf_75 75 leaf_76 76 leaf_77 77 leaf_78 78 leaf_79 79
    leaf_80 80 leaf_81 81 leaf_82 82 leaf_83 83 leaf_84 84 leaf_85 85 leaf_86 86 leaf_87 87
    leaf_88 88 leaf_89 89 leaf_90 90 leaf_91 91 leaf_92 92 leaf_93 93 leaf_94 94 leaf_95 95
    leaf_96 96 leaf_97 97 leaf_98 98 leaf_99 99
}

/// Calls every leaf.
#[vyre::kernel]
fn of_a_hundred(y: &mut [u32]) {
    let mut sum = 0;
    sum += leaf_0(1);
    sum += leaf_1(1);
    sum += leaf_2(1);
    sum += leaf_3(1);
    sum += leaf_4(1);
    sum += leaf_5(1);
    sum += leaf_6(1);
    sum += leaf_7(1);
    sum += leaf_8(1);
    sum += leaf_9(1);
    sum += leaf_10(1);
    sum += leaf_11(1);
    sum += leaf_12(1);
    sum += leaf_13(1);
    sum += leaf_14(1);
    sum += leaf_15(1);
    sum += leaf_16(1);
    sum += leaf_17(1);
    sum += leaf_18(1);
    sum += leaf_19(1);
    sum += leaf_20(1);
    sum += leaf_21(1);
    sum += leaf_22(1);
    sum += leaf_23(1);
    sum += leaf_24(1);
    sum += leaf_25(1);
    sum += leaf_26(1);
    sum += leaf_27(1);
    sum += leaf_28(1);
    sum += leaf_29(1);
    sum += leaf_30(1);
    sum += leaf_31(1);
    sum += leaf_32(1);
    sum += leaf_33(1);
    sum += leaf_34(1);
    sum += leaf_35(1);
    sum += leaf_36(1);
    sum += leaf_37(1);
    sum += leaf_38(1);
    sum += leaf_39(1);
    sum += leaf_40(1);
    sum += leaf_41(1);
    sum += leaf_42(1);
    sum += leaf_43(1);
    sum += leaf_44(1);
    sum += leaf_45(1);
    sum += leaf_46(1);
    sum += leaf_47(1);
    sum += leaf_48(1);
    sum += leaf_49(1);
    sum += leaf_50(1);
    sum += leaf_51(1);
    sum += leaf_52(1);
    sum += leaf_53(1);
    sum += leaf_54(1);
    sum += leaf_55(1);
    sum += leaf_56(1);
    sum += leaf_57(1);
    sum += leaf_58(1);
    sum += leaf_59(1);
    sum += leaf_60(1);
    sum += leaf_61(1);
    sum += leaf_62(1);
    sum += leaf_63(1);
    sum += leaf_64(1);
    sum += leaf_65(1);
    sum += leaf_66(1);
    sum += leaf_67(1);
    sum += leaf_68(1);
    sum += leaf_69(1);
    sum += leaf_70(1);
    sum += leaf_71(1);
    sum += leaf_72(1);
    sum += leaf_73(1);
    sum += leaf_74(1);
    sum += leaf_75(1);
    sum += leaf_76(1);
    sum += leaf_77(1);
    sum += leaf_78(1);
    sum += leaf_79(1);
    sum += leaf_80(1);
    sum += leaf_81(1);
    sum += leaf_82(1);
    sum += leaf_83(1);
    sum += leaf_84(1);
    sum += leaf_85(1);
    sum += leaf_86(1);
    sum += leaf_87(1);
    sum += leaf_88(1);
    sum += leaf_89(1);
    sum += leaf_90(1);
    sum += leaf_91(1);
    sum += leaf_92(1);
    sum += leaf_93(1);
    sum += leaf_94(1);
    sum += leaf_95(1);
    sum += leaf_96(1);
    sum += leaf_97(1);
    sum += leaf_98(1);
    sum += leaf_99(1);
    y[thread::index()] = sum;
}

/// Calls every leaf from a function.
#[vyre::device]
fn all_leaves(x: u32) -> u32 {
    let mut sum = 0;
    sum += leaf_0(x);
    sum += leaf_1(x);
    sum += leaf_2(x);
    sum += leaf_3(x);
    sum += leaf_4(x);
    sum += leaf_5(x);
    sum += leaf_6(x);
    sum += leaf_7(x);
    sum += leaf_8(x);
    sum += leaf_9(x);
    sum += leaf_10(x);
    sum += leaf_11(x);
    sum += leaf_12(x);
    sum += leaf_13(x);
    sum += leaf_14(x);
    sum += leaf_15(x);
    sum += leaf_16(x);
    sum += leaf_17(x);
    sum += leaf_18(x);
    sum += leaf_19(x);
    sum += leaf_20(x);
    sum += leaf_21(x);
    sum += leaf_22(x);
    sum += leaf_23(x);
    sum += leaf_24(x);
    sum += leaf_25(x);
    sum += leaf_26(x);
    sum += leaf_27(x);
    sum += leaf_28(x);
    sum += leaf_29(x);
    sum += leaf_30(x);
    sum += leaf_31(x);
    sum += leaf_32(x);
    sum += leaf_33(x);
    sum += leaf_34(x);
    sum += leaf_35(x);
    sum += leaf_36(x);
    sum += leaf_37(x);
    sum += leaf_38(x);
    sum += leaf_39(x);
    sum += leaf_40(x);
    sum += leaf_41(x);
    sum += leaf_42(x);
    sum += leaf_43(x);
    sum += leaf_44(x);
    sum += leaf_45(x);
    sum += leaf_46(x);
    sum += leaf_47(x);
    sum += leaf_48(x);
    sum += leaf_49(x);
    sum += leaf_50(x);
    sum += leaf_51(x);
    sum += leaf_52(x);
    sum += leaf_53(x);
    sum += leaf_54(x);
    sum += leaf_55(x);
    sum += leaf_56(x);
    sum += leaf_57(x);
    sum += leaf_58(x);
    sum += leaf_59(x);
    sum += leaf_60(x);
    sum += leaf_61(x);
    sum += leaf_62(x);
    sum += leaf_63(x);
    sum += leaf_64(x);
    sum += leaf_65(x);
    sum += leaf_66(x);
    sum += leaf_67(x);
    sum += leaf_68(x);
    sum += leaf_69(x);
    sum += leaf_70(x);
    sum += leaf_71(x);
    sum += leaf_72(x);
    sum += leaf_73(x);
    sum += leaf_74(x);
    sum += leaf_75(x);
    sum += leaf_76(x);
    sum += leaf_77(x);
    sum += leaf_78(x);
    sum += leaf_79(x);
    sum += leaf_80(x);
    sum += leaf_81(x);
    sum += leaf_82(x);
    sum += leaf_83(x);
    sum += leaf_84(x);
    sum += leaf_85(x);
    sum += leaf_86(x);
    sum += leaf_87(x);
    sum += leaf_88(x);
    sum += leaf_89(x);
    sum += leaf_90(x);
    sum += leaf_91(x);
    sum += leaf_92(x);
    sum += leaf_93(x);
    sum += leaf_94(x);
    sum += leaf_95(x);
    sum += leaf_96(x);
    sum += leaf_97(x);
    sum += leaf_98(x);
    sum += leaf_99(x);
    sum
}

/// Each function calls the one before it.
macro_rules! tower {
    ($first:ident $($rest:ident)*) => { tower! { @ $first $($rest)* } };
    (@ $below:ident $name:ident $($rest:ident)*) => {
        #[vyre::device]
        fn $name(x: u32) -> u32 {
            $below(x) + leaf_7(1)
        }
        tower! { @ $name $($rest)* }
    };
    (@ $last:ident) => {
        #[vyre::kernel]
        fn of_a_tower(y: &mut [u32]) {
            y[thread::index()] = $last(3) + all_leaves(1);
        }
    };
}
tower! { leaf_0 a b c d e f g h i j k l m n o p }

#[test]
fn hundreds_of_functions() {
    everywhere(|place| {
        let mut y = place.device().zeros::<u32>(256)?;
        place.grid(OfAHundred { y: (&mut y).into() }, [1, 1, 1])?;
        assert_eq!(y.download()?, [100 + 99 * 50; 256]);
        place.grid(OfATower { y: (&mut y).into() }, [1, 1, 1])?;
        assert_eq!(y.download()?, [3 + 16 * 8 + 100 + 99 * 50; 256]);
        Ok(())
    });
}
