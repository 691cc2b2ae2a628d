//! Calls of pipelines in sequences, on the CPU, and on a GPU if there is one.

mod support;

use support::{alone, devices};
use vyre_core::build::{self, slice, slice_mut, value};
use vyre_core::ir::Program;
use vyre_runtime::{ArgumentProblem, Error, Sequence};

/// `y[i] = a * x[i] + y[i]`
fn saxpy() -> Program {
    let mut program = Program::default();
    let parameters = (value::<f32>("a"), slice::<f32>("x"), slice_mut::<f32>("y"));
    build::kernel(&mut program, "saxpy", &[64], parameters, |k, (a, x, y)| {
        let i = k.linear_index();
        k.if_(i.lt(y.len()), || y.set(i, a * x.at(i) + y.at(i)));
    });
    program
}

#[test]
fn calls_are_recorded() {
    let _alone = alone();
    for device in devices("calls_are_recorded") {
        let pipeline = device.compile(saxpy()).unwrap();
        let x = device.upload(&[1.0f32, 2.0, 3.0]).unwrap();
        let mut y = device.zeros::<f32>(3).unwrap();
        let mut steps = Sequence::new(&device);
        // Bytes are copied now, and go with the sequence; so does the pipeline.
        let bytes: Vec<u8> = [10.0f32, 20.0, 30.0].iter().flat_map(|x| x.to_le_bytes()).collect();
        let call = pipeline.call().value(2.0f32).bytes(&bytes).resident_mut(&mut y).over(3);
        steps.launch(call).unwrap();
        drop(bytes);
        steps
            .repeat(2, |body| {
                body.launch(pipeline.call().value(0.5f32).resident(&x).resident_mut(&mut y).over(3))
            })
            .unwrap();
        let all = steps.read(&y, ..).unwrap();
        drop((pipeline, x, y));
        device.keep_pipelines(0);
        for turn in 1..=3 {
            let values = steps.run().unwrap();
            let expected = [21.0, 42.0, 63.0].map(|each| each * turn as f32);
            assert_eq!(values.get(&all), Some(&expected[..]));
        }
        device.keep_pipelines(64);
    }
}

#[test]
fn bad_calls_are_refused() {
    let _alone = alone();
    for device in devices("bad_calls_are_refused") {
        let pipeline = device.compile(saxpy()).unwrap();
        let x = device.upload(&[1.0f32; 3]).unwrap();
        let mut y = device.zeros::<f32>(3).unwrap();
        let mut steps = Sequence::new(&device);
        // An output that is not resident would be lost.
        let error = steps
            .launch(pipeline.call().value(1.0f32).resident(&x).zeroed(3).over(3))
            .unwrap_err();
        assert!(error.to_string().contains("nobody would see"), "{error}");
        let error = steps
            .launch(pipeline.call().value(1.0f32).resident(&x).resident_mut(&mut y))
            .unwrap_err();
        let Error::Argument { problem, .. } = error else {
            panic!("{error}")
        };
        assert_eq!(*problem, ArgumentProblem::Missing);
        let other = device.stream().unwrap();
        let call = pipeline
            .call()
            .value(1.0f32)
            .resident(&x)
            .resident_mut(&mut y)
            .over(3)
            .on(&other);
        assert!(matches!(steps.launch(call), Err(Error::StreamInSequence { .. })));
        steps.run().unwrap();
        assert_eq!(y.download().unwrap(), [0.0; 3]);
    }
}

#[test]
fn a_started_call_is_waited_for() {
    let _alone = alone();
    for device in devices("a_started_call_is_waited_for") {
        let pipeline = device.compile(saxpy()).unwrap();
        let bytes = |values: &[f32]| -> Vec<u8> { values.iter().flat_map(|x| x.to_le_bytes()).collect() };
        let (x, y) = (bytes(&[1.0, 2.0, 3.0]), bytes(&[10.0, 10.0, 10.0]));
        let call = |a: f32| pipeline.call().value(a).bytes(&x).bytes(&y).over(3);
        let first = call(1.0).start().unwrap();
        let second = call(2.0).start().unwrap();
        let third = pollster::block_on(call(3.0).start().unwrap()).unwrap();
        assert_eq!(third, call(3.0).run().unwrap());
        assert_eq!(third.get("y").unwrap().values::<f32>().unwrap(), [13.0, 16.0, 19.0]);
        assert_eq!(first.wait().unwrap(), call(1.0).run().unwrap());
        let mut outputs = third;
        second.wait_into(&mut outputs).unwrap();
        assert_eq!(outputs, call(2.0).run().unwrap());
        // Over an empty domain nothing runs.
        let nothing = pipeline
            .call()
            .value(1.0f32)
            .bytes(&x)
            .bytes(&y)
            .over(0)
            .start()
            .unwrap();
        assert_eq!(nothing.wait().unwrap().get("y").unwrap().bytes(), y);
        // A buffer that the kernel writes is no output.
        let mut resident = device.zeros::<f32>(3).unwrap();
        let started = pipeline
            .call()
            .value(1.0f32)
            .bytes(&x)
            .resident_mut(&mut resident)
            .over(3)
            .start();
        assert!(started.unwrap().wait().unwrap().list().is_empty());
        assert_eq!(resident.download().unwrap(), [1.0, 2.0, 3.0]);
        // Its fault, once.
        let short = pipeline
            .call()
            .value(1.0f32)
            .bytes(&x[..4])
            .bytes(&y)
            .over(3)
            .start()
            .unwrap();
        assert!(matches!(short.wait(), Err(Error::Fault(_))));
        device.synchronize().unwrap();
    }
}
