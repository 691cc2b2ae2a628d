//! Buffers and views, on every device that there is.

mod support;

use support::{cuda, devices};
use vyre_runtime::{Device, Element, Error, View};

#[test]
fn what_is_uploaded_comes_back() {
    fn round_trip<T: Element + PartialEq + std::fmt::Debug>(device: &Device, values: &[T]) {
        let buffer = device.upload(values).unwrap();
        assert_eq!((buffer.len(), buffer.is_empty()), (values.len(), values.is_empty()));
        assert_eq!(buffer.download().unwrap(), values);
        assert_eq!(buffer.try_clone().unwrap().download().unwrap(), values);
    }
    for device in devices("what_is_uploaded_comes_back") {
        round_trip(&device, &[true, false, true]);
        round_trip(&device, &[-1i8, 2]);
        round_trip(&device, &[1u8; 1000]);
        round_trip(&device, &[i16::MIN, 5]);
        round_trip(&device, &[u64::MAX, 0, 1]);
        round_trip(&device, &[usize::MAX]);
        round_trip(&device, &[1.5f32, -0.0]);
        round_trip(&device, &[f64::MAX]);
        round_trip::<f64>(&device, &[]);
        round_trip(&device, &[[1u16, 2, 3], [4, 5, 6]]);
        round_trip(&device, &[[[false; 2]; 3]; 5]);
        round_trip(&device, &[[0u8; 0]; 7]);
        round_trip(&device, &(0..1_000_003u32).collect::<Vec<_>>());
    }
}

#[test]
fn zeros_are_zero_even_where_memory_was_used() {
    for device in devices("zeros_are_zero_even_where_memory_was_used") {
        for _ in 0..20 {
            drop(device.upload(&[u32::MAX; 5000]).unwrap());
            assert_eq!(device.zeros::<u32>(5000).unwrap().download().unwrap(), [0; 5000]);
        }
        assert_eq!(device.zeros::<u32>(0).unwrap().download().unwrap(), []);
    }
}

#[test]
fn parts_are_written_copied_and_read() {
    for device in devices("parts_are_written_copied_and_read") {
        let mut buffer = device.upload(&[0u32, 1, 2, 3, 4, 5, 6, 7]).unwrap();
        buffer.slice_mut(2..4).unwrap().write(&[20, 30]).unwrap();
        assert_eq!(buffer.slice(1..=4).unwrap().download().unwrap(), [1, 20, 30, 4]);
        let (mut low, mut high) = buffer.split_at_mut(5).unwrap();
        high.slice_mut(1..).unwrap().copy_from(low.slice(..2).unwrap()).unwrap();
        low.reborrow()
            .slice_mut(..1)
            .unwrap()
            .copy_from(high.slice_mut(..1).unwrap())
            .unwrap();
        assert_eq!(buffer.download().unwrap(), [5, 1, 20, 30, 4, 5, 0, 1]);
        buffer.write(&[9; 8]).unwrap();
        let mut target = [0; 8];
        buffer.download_into(&mut target).unwrap();
        assert_eq!(target, [9; 8]);
        let nested: View<u32> = buffer.slice(2..6).unwrap().slice(1..3).unwrap();
        assert_eq!((nested.len(), nested.address() - buffer.as_view().address()), (2, 12));
    }
}

#[test]
fn buffers_are_filled() {
    fn filled<T: Element + PartialEq + std::fmt::Debug>(device: &Device, old: T, new: T) {
        for length in [0, 1, 2, 3, 7, 64, 1025] {
            let mut buffer = device.upload(&vec![old; length + 2]).unwrap();
            buffer.slice_mut(1..=length).unwrap().fill(new).unwrap();
            let mut expected = vec![new; length + 2];
            (expected[0], expected[length + 1]) = (old, old);
            assert_eq!(buffer.download().unwrap(), expected);
            buffer.fill(new).unwrap();
            assert_eq!(buffer.download().unwrap(), vec![new; length + 2]);
        }
    }
    for device in devices("buffers_are_filled") {
        filled(&device, false, true);
        filled(&device, 1u8, 200);
        filled(&device, -1i16, 513);
        filled(&device, 0u16, 0x7f7f);
        filled(&device, 1.0f32, -2.5);
        filled(&device, 1.0f64, 0.1);
        filled(&device, 7u64, 0x0101_0101_0101_0101);
        filled(&device, 7u64, 0x0102_0304_0102_0304);
        filled(&device, 7usize, usize::MAX);
        filled(&device, [1u8; 3], [1, 2, 3]);
        filled(&device, [9u16; 3], [1, 2, 3]);
        filled(&device, [9u8; 6], [1, 2, 1, 2, 1, 2]);
        filled(&device, [[1i32; 2]; 3], [[1, -2], [3, 4], [5, 6]]);
        filled(&device, [0u8; 0], []);
        filled(&device, [0u8; 1000], std::array::from_fn(|i| i as u8));
    }
}

#[test]
fn filling_is_in_order() {
    for device in devices("filling_is_in_order") {
        let mut one = device.upload(&vec![1.0f64; 1 << 20]).unwrap();
        let mut other = device.zeros(1 << 20).unwrap();
        for round in 0..10 {
            let value = f64::from(round) + 0.1;
            one.fill(value).unwrap();
            other.copy_from(&one).unwrap();
            one.fill(-1.0).unwrap();
            assert_eq!(other.slice((1 << 20) - 2..).unwrap().download().unwrap(), [value; 2]);
        }
    }
}

#[test]
fn wrong_lengths_and_ranges_are_refused() {
    for device in devices("wrong_lengths_and_ranges_are_refused") {
        let mut buffer = device.upload(&[1u8, 2, 3]).unwrap();
        let mismatch = |first: &'static str, first_length, second: &'static str, second_length| Error::LengthMismatch {
            first: first.into(),
            first_length,
            second: second.into(),
            second_length,
        };
        assert_eq!(buffer.write(&[1, 2]), Err(mismatch("the source", 2, "the buffer", 3)));
        assert_eq!(
            buffer.download_into(&mut [0; 4]),
            Err(mismatch("the buffer", 3, "the target", 4))
        );
        let other = device.zeros(2).unwrap();
        assert_eq!(
            buffer.copy_from(&other),
            Err(mismatch("the source", 2, "the buffer", 3))
        );
        let out = |start, end| Error::RangeOutOfBounds { start, end, length: 3 };
        assert_eq!(buffer.slice(1..4).unwrap_err(), out(1, 4));
        #[allow(clippy::reversed_empty_ranges, reason = "that is what is tested")]
        let reversed = buffer.slice(2..1);
        assert_eq!(reversed.unwrap_err(), out(2, 1));
        assert_eq!(buffer.slice(0..=usize::MAX).unwrap_err(), out(0, usize::MAX));
        assert_eq!(buffer.slice_mut(4..).unwrap_err(), out(4, 3));
        assert_eq!(buffer.split_at_mut(4).unwrap_err(), out(0, 4));
        assert!(buffer.slice(3..).unwrap().is_empty());
        assert_eq!(buffer.download().unwrap(), [1, 2, 3]);
    }
}

#[test]
fn buffers_are_copied_between_devices() {
    let cpu = Device::cpu();
    for device in devices("buffers_are_copied_between_devices") {
        let source = cpu.upload(&[1u32, 2, 3, 4]).unwrap();
        let mut there = device.zeros(2).unwrap();
        there.copy_from(source.slice(1..3).unwrap()).unwrap();
        let mut back = cpu.zeros(2).unwrap();
        back.copy_from(&there).unwrap();
        assert_eq!(back.download().unwrap(), [2, 3]);
    }
}

#[test]
fn devices_describe_themselves() {
    let cpu = Device::cpu();
    assert_eq!(
        (cpu.name(), cpu.to_string().as_str(), cpu.is_cuda()),
        ("CPU", "CPU", false)
    );
    assert_eq!(cpu, Device::cpu());
    let all = Device::all();
    assert_eq!(all.last(), Some(&cpu));
    assert_eq!(Device::best().unwrap(), all[0]);
    let buffer = cpu.zeros::<f32>(3).unwrap();
    assert_eq!(format!("{buffer:?}"), "DeviceBuffer<f32>[3] on CPU");
    assert_eq!(buffer.device(), cpu);
    let Some(device) = cuda("devices_describe_themselves") else {
        return;
    };
    assert!(
        device.is_cuda() && device.to_string().ends_with(" (cuda:0)"),
        "{device}"
    );
    assert_eq!(device, Device::cuda(0).unwrap());
    assert_ne!(device, cpu);
    assert!(matches!(
        Device::cuda(1000),
        Err(Error::NoDevice {
            index: 1000,
            count: 1..
        })
    ));
}

#[test]
fn a_machine_without_a_driver_says_so() {
    let Err(error) = Device::cuda(0) else { return };
    assert!(
        matches!(error, Error::NoDriver { .. } | Error::NoDevice { .. }),
        "{error:?}"
    );
    assert!(error.to_string().contains("Device::cpu()"), "{error}");
    assert_eq!(Device::best().unwrap(), Device::cpu());
    assert_eq!(Device::all(), [Device::cpu()]);
}
