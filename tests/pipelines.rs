//! Programs that are embedded in launchers, compiled at run time: the same bits as those of the launchers, on the CPU
//! and on a GPU if there is one.

use vyre::ir::text;
use vyre::prelude::*;
use vyre::{Config, Error, Kernel, KernelInfo, Outputs, Pipeline, Slice2, SliceMut2};

fn devices(test: &str) -> Vec<Device> {
    let devices = Device::all();
    if !devices.iter().any(Device::is_cuda) {
        use std::io::Write;
        // Not by `println!`, which the test harness keeps to itself.
        let _ = writeln!(std::io::stderr(), "SKIP-GPU {test}: skipped: no CUDA device");
    }
    devices
}

/// The program of a launcher, as a pipeline.
fn pipeline(device: &Device, kernel: &KernelInfo) -> Pipeline {
    let program = match text::parse(kernel.program) {
        Ok(program) => program,
        Err(error) => panic!("{error}"),
    };
    // SAFETY: the calls below pass what the launchers would.
    unsafe { device.compile_trusted(program) }.unwrap()
}

fn bytes<T: vyre::Plain>(values: &[T]) -> Vec<u8> {
    // SAFETY: such types have no padding.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }.to_vec()
}

fn values<T: vyre::Plain>(outputs: &Outputs, name: &str) -> Vec<T> {
    outputs.get(name).and_then(|output| output.values()).unwrap()
}

/// Has a coarsened entry beside the plain one.
#[vyre::kernel]
fn scale(a: f32, #[each] x: &f32, #[each] y: &mut f32) {
    *y = a.mul_add(*x, *y / 3.0).sqrt();
}

#[test]
fn element_wise() {
    for device in devices("element_wise") {
        let pipeline = pipeline(&device, Scale::info());
        // The interpreter takes long over as many elements as the coarsened entry is for.
        let lengths = [1, 1000, if device.is_cuda() { 1 << 20 } else { 2000 }];
        for length in lengths {
            let x: Vec<f32> = (0..length).map(|i| i as f32 * 0.7).collect();
            let mut expected = vec![2.0; length];
            Scale::dispatch(&device, 1.5, &x, &mut expected).unwrap();
            let (x, y) = (bytes(&x), bytes(&vec![2.0f32; length]));
            let outputs = pipeline
                .call()
                .value(1.5f32)
                .bytes(&x)
                .bytes(&y)
                .over(length)
                .run()
                .unwrap();
            assert!(values::<f32>(&outputs, "y") == expected);
        }
    }
}

#[vyre::kernel(block = 64)]
fn sums(x: &[u32], y: &mut [u32]) {
    let tile = shared::<[u32; 64]>();
    let (i, t) = (thread::index(), thread::idx().x as usize);
    tile[t] = if i < x.len() { x[i] } else { 0 };
    block::sync();
    let mut half = 32;
    while half > 0 {
        if t < half {
            let other = tile[t + half];
            tile[t] += other;
        }
        block::sync();
        half /= 2;
    }
    if t == 0 {
        y[block::idx().x as usize] = tile[0];
    }
}

#[test]
fn shared_memory_and_barriers() {
    for device in devices("shared_memory_and_barriers") {
        let x: Vec<u32> = (0..1000).map(|i| i * i).collect();
        let mut expected = vec![0; 16];
        Sums::dispatch(&device, 1000, &x, &mut expected).unwrap();
        let sums: Vec<u32> = x.chunks(64).map(|chunk| chunk.iter().sum()).collect();
        assert_eq!(expected, sums);
        let x = bytes(&x);
        let pipeline = pipeline(&device, Sums::info());
        let outputs = pipeline.call().bytes(&x).zeroed(16).over(1000).run().unwrap();
        assert_eq!(values::<u32>(&outputs, "y"), expected);
        // A fault names the same place, here for a result that has no room.
        let typed = Sums::dispatch(&device, 1000, &[1; 1000], &mut [0; 15]).unwrap_err();
        let called = pipeline.call().bytes(&x).zeroed(15).over(1000).run().unwrap_err();
        assert_eq!(called, typed);
    }
}

#[vyre::kernel(block = [8, 8])]
fn transpose(x: Slice2<f64>, mut y: SliceMut2<f64>) {
    let (column, row) = thread::index_2d();
    if row < x.rows() && column < x.cols() {
        y[[column, row]] = x[[row, column]];
    }
}

/// A matrix is four parameters: a slice, the numbers of its rows and columns, and its pitch.
#[test]
fn matrices() {
    for device in devices("matrices") {
        let pipeline = pipeline(&device, Transpose::info());
        let x: Vec<f64> = (0..15 * 20).map(f64::from).collect();
        let mut expected = vec![0.0; 20 * 15];
        let (from, to) = (
            Slice2::new(&x, 15, 20).unwrap(),
            SliceMut2::new(&mut expected, 20, 15).unwrap(),
        );
        Transpose::dispatch(&device, [20, 15], from, to).unwrap();
        assert_eq!((expected[1], expected[15]), (20.0, 1.0));
        let x = bytes(&x);
        let call = pipeline.call().bytes(&x).value(15u32).value(20u32).value(20u32);
        let mut call = call.zeroed(300).value(20u32).value(15u32).value(15u32).over([20, 15]);
        assert_eq!(values::<f64>(&call.run().unwrap(), "y"), expected);
    }
}

/// The checks of the first launch of a call hold until the call changes.
#[test]
fn a_call_is_launched_again_and_changed() {
    for device in devices("a_call_is_launched_again_and_changed") {
        let pipeline = pipeline(&device, Scale::info());
        let x = device.upload(&[1.0f32; 1000]).unwrap();
        let mut y = device.upload(&[3.0f32; 1000]).unwrap();
        let mut expected = vec![3.0f32; 1000];
        let step = |y: &mut [f32]| y.iter_mut().for_each(|y| *y = 2.0f32.mul_add(1.0, *y / 3.0).sqrt());
        let mut call = pipeline
            .call()
            .value(2.0f32)
            .resident(&x)
            .resident_mut(&mut y)
            .over(1000);
        for _ in 0..3 {
            call.launch().unwrap();
            step(&mut expected);
        }
        // Another extent, and one that the options set in its place.
        call = call.over(256);
        call.launch().unwrap();
        step(&mut expected[..256]);
        call = call.config(&Config::new().grid([2, 1, 1]));
        call.launch().unwrap();
        step(&mut expected[..512]);
        call = call.config(&Config::new().profile("profiling").grid([1, 1, 1]));
        call.launch().unwrap();
        step(&mut expected[..256]);
        // A refused launch leaves nothing to be taken for checked.
        call = call.value(1u32);
        for _ in 0..2 {
            let error = call.launch().unwrap_err();
            assert!(matches!(error, Error::Argument { .. }), "{error}");
        }
        drop(call);
        assert_eq!(y.download().unwrap(), expected, "on {device}");
    }
}

/// A struct of slices, whose fields are the arguments of calls.
#[vyre::device]
struct Rows<'a> {
    x: &'a [u32],
    sums: &'a mut [u32],
    columns: u32,
}

#[vyre::kernel(block = 64)]
fn sum_rows(rows: Rows<'_>) {
    let i = thread::index();
    if i < rows.sums.len() {
        let columns = rows.columns as usize;
        let mut sum = 0;
        for column in 0..columns {
            sum += rows.x[i * columns + column];
        }
        rows.sums[i] = sum;
    }
}

#[test]
fn structs_of_slices() {
    for device in devices("structs_of_slices") {
        let x: Vec<u32> = (0..1000).map(|i| i * i).collect();
        let expected: Vec<u32> = x.chunks(10).map(|row| row.iter().sum()).collect();
        let pipeline = pipeline(&device, SumRows::info());
        let call = |columns: u32| {
            pipeline
                .call()
                .bytes(&bytes(&x))
                .zeroed(100)
                .value(columns)
                .over(100)
                .run()
        };
        assert_eq!(values::<u32>(&call(10).unwrap(), "rows.sums"), expected);
        let mut sums = [0; 100];
        let rows = Rows {
            x: &x,
            sums: &mut sums,
            columns: 10,
        };
        SumRows::dispatch(&device, 100, rows).unwrap();
        assert_eq!(sums[..], expected);

        // A sequence holds the buffers.
        let (given, mut sums) = (device.upload(&x).unwrap(), device.zeros::<u32>(100).unwrap());
        let mut steps = vyre::Sequence::new(&device);
        let views = RowsViews {
            x: &given,
            sums: &mut sums,
            columns: 10,
        };
        steps.launch(sum_rows(views).over(100)).unwrap();
        let last = steps.read(&sums, 90..).unwrap();
        let read = steps.run().unwrap();
        assert_eq!(read.get(&last).unwrap(), &expected[90..]);

        // A fault is that of a slice which is a parameter.
        let mut sums = [0; 100];
        let rows = Rows {
            x: &x,
            sums: &mut sums,
            columns: 11,
        };
        let typed = SumRows::dispatch(&device, 100, rows).unwrap_err();
        assert_eq!(call(11).unwrap_err(), typed);
        let Error::Fault(fault) = typed else { panic!("{typed}") };
        assert_eq!(fault.kind, vyre::FaultKind::IndexOutOfBounds);
        assert_eq!(fault.values[1], 1000);
    }
}
