use super::{HostConstant, constant, set_constant};
use crate::Device;

#[test]
fn constants_whose_keys_meet_are_not_read_past_their_end() {
    let device = Device::cpu();
    let key = 0x5EED;
    set_constant(&device, key, &[7_u32; 2]);
    let other = HostConstant { key, initial: &[1; 16] };
    assert_eq!(other.bytes(&device), [1; 16]);
    assert!(device.state().constants().of(&[other])[0].is_none());
    // SAFETY: the value that was set has another size.
    assert_eq!(unsafe { constant(&device, key, &[3_u32; 4]) }, [3; 4]);
    // SAFETY: this is its type.
    assert_eq!(unsafe { constant(&device, key, &[0_u32; 2]) }, [7; 2]);
}
