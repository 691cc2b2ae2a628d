use super::*;

#[test]
fn mnemonics_are_unique() {
    let mut names: Vec<&str> = samples().iter().map(mnemonic).collect();
    names.sort_unstable();
    let repeated = names.windows(2).find(|pair| pair[0] == pair[1]);
    assert_eq!(repeated, None);
    assert!(!names.contains(&"root") && !names.contains(&"parameter"));
}
