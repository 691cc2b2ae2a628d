//! Spans: for subscribers of `tracing`, and as ranges of NVTX.

#[cfg(feature = "nvtx")]
mod nvtx {
    use crate::support::saxpy;
    use vyre_runtime::{Device, Result};
    use vyre_test_driver::{Driver, Stage};

    fn work() -> Result<()> {
        let device = Device::cuda(0)?;
        let x = device.upload(&[1.0f32; 100])?;
        let mut y = device.zeros::<f32>(100)?;
        saxpy(2.0, &x, &mut y).over(100).launch(&device)?;
        y.download()?;
        device.synchronize()
    }

    /// The played driver is the profiler's library, too.
    #[test]
    fn a_profiler_gets_ranges() {
        const TEST: &str = "spans::nvtx::a_profiler_gets_ranges";
        if let Some(driver) = Driver::of(TEST) {
            work().unwrap();
            let expected = "+ vyre: open 0\n-\n+ vyre: upload 400\n-\n+ vyre: launch saxpy\n+ vyre: load saxpy\n-\n-\n\
                            + vyre: download 400\n-\n+ vyre: wait Played GPU (cuda:0)\n-\n";
            assert_eq!(driver.ranges(), expected);
        } else if let Some(mut stage) = Stage::new(env!("CARGO_TARGET_TMPDIR"), TEST) {
            let library = stage.folder().join("libcuda.so.1");
            stage.env("NVTX_INJECTION64_PATH", library).run();
        }
    }

    /// A library that is missing, or is none of a profiler, changes nothing.
    #[test]
    fn a_wrong_library_is_left_alone() {
        const TEST: &str = "spans::nvtx::a_wrong_library_is_left_alone";
        if let Some(driver) = Driver::of(TEST) {
            work().unwrap();
            assert_eq!(driver.ranges(), "");
        } else if let Some(mut stage) = Stage::new(env!("CARGO_TARGET_TMPDIR"), TEST) {
            for path in ["", "/nowhere/libprofiler.so", "libc.so.6"] {
                stage.env("NVTX_INJECTION64_PATH", path).run();
            }
        }
    }
}

#[cfg(feature = "tracing")]
mod subscribers {
    use crate::support::saxpy;
    use std::fmt::Write;
    use std::sync::{Arc, Mutex};
    use tracing::field::{Field, Visit};
    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Metadata, Subscriber};
    use vyre_runtime::Device;

    /// Writes down the spans that are made.
    struct Recorder(Arc<Mutex<String>>);

    struct Fields<'a>(&'a mut String);

    impl Visit for Fields<'_> {
        fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
            write!(self.0, " {field}={value:?}").unwrap();
        }
    }

    impl Subscriber for Recorder {
        fn enabled(&self, metadata: &Metadata<'_>) -> bool {
            metadata.target() == "vyre"
        }

        fn new_span(&self, span: &Attributes<'_>) -> Id {
            let mut text = self.0.lock().unwrap();
            text.push_str(span.metadata().name());
            span.record(&mut Fields(&mut text));
            text.push('\n');
            Id::from_u64(1)
        }

        fn record(&self, _: &Id, _: &Record<'_>) {}
        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn event(&self, _: &Event<'_>) {}
        fn enter(&self, _: &Id) {}
        fn exit(&self, _: &Id) {}
    }

    #[test]
    fn subscribers_get_spans() {
        let device = Device::cpu();
        let text = Arc::new(Mutex::new(String::new()));
        tracing::subscriber::with_default(Recorder(text.clone()), || {
            let x = device.upload(&[1.0f32; 100]).unwrap();
            let mut y = x.try_clone().unwrap();
            saxpy(2.0, &x, &mut y).over(100).launch(&device).unwrap();
            y.write(&[0.0; 100]).unwrap();
            y.download().unwrap();
            device.default_stream().synchronize().unwrap();
        });
        let expected = "upload bytes=400\ncopy bytes=400\nlaunch kernel=\"saxpy\"\nupload bytes=400\n\
                        download bytes=400\nwait device=\"CPU\"\n";
        assert_eq!(*text.lock().unwrap(), expected);
    }
}
