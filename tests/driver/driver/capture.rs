//! Streams that are captured into graphs, and the calls that a capture refuses, as a driver of CUDA 13 was seen to.
//!
//! A call that is refused makes the captures invalid that refuse it, and so do waits for a captured stream or event, and a
//! captured stream that is to wait for work outside. A stream that waits for an event of a captured one is captured, too.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ThreadId};

use crate::graph::{self, Work};
use crate::order;
use crate::result::*;

/// Modes, as numbers of `CUstreamCaptureMode`.
const GLOBAL: u32 = 0;
const RELAXED: u32 = 2;

/// A capture in progress.
struct Capture {
    /// The stream on which it began.
    origin: usize,
    streams: HashSet<usize>,
    mode: u32,
    thread: ThreadId,
    is_valid: bool,
    works: Vec<Work>,
}

#[derive(Default)]
struct State {
    captures: Vec<Capture>,
    /// The events that were last recorded in a capture, by its origin.
    events: HashMap<usize, usize>,
}

static STATE: Mutex<Option<State>> = Mutex::new(None);

thread_local! {
    static MODE: Cell<u32> = const { Cell::new(GLOBAL) };
}

fn with<T>(change: impl FnOnce(&mut State) -> T) -> T {
    change(
        STATE
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert_default(),
    )
}

impl State {
    fn of(&mut self, stream: usize) -> Option<&mut Capture> {
        self.captures
            .iter_mut()
            .find(|capture| capture.streams.contains(&stream))
    }

    /// Makes all captures invalid for which this holds; true if there is any.
    fn end(&mut self, wanted: impl Fn(&Capture) -> bool) -> bool {
        let mut any = false;
        for capture in self.captures.iter_mut().filter(|capture| wanted(capture)) {
            capture.is_valid = false;
            any = true;
        }
        any
    }
}

/// Functions that a capture refuses on its own thread and, in the global mode, on all others, unless the thread is relaxed.
const UNSAFE: [&str; 16] = [
    "cuStreamSynchronize",
    "cuStreamQuery",
    "cuEventQuery",
    "cuEventSynchronize",
    "cuMemAllocFromPoolAsync",
    "cuMemAllocAsync",
    "cuMemFreeAsync",
    "cuMemHostAlloc",
    "cuMemFreeHost",
    "cuMemAlloc_v2",
    "cuMemFree_v2",
    "cuMemPoolTrimTo",
    "cuMemPoolGetAttribute",
    "cuMemPoolSetAttribute",
    "cuGraphCreate",
    "cuGraphInstantiateWithFlags",
];

/// True if captures in progress refuse a call of this function.
pub(crate) fn refuses(name: &str) -> bool {
    let (mode, own) = (MODE.get(), thread::current().id());
    match name {
        "cuCtxSynchronize" => with(|state| state.end(|_| true)),
        _ if mode == RELAXED || !UNSAFE.contains(&name) => false,
        _ => with(|state| {
            state.end(|capture| match capture.thread == own {
                true => capture.mode != RELAXED,
                false => capture.mode == GLOBAL && mode == GLOBAL,
            })
        }),
    }
}

/// The result of a call for a captured stream that cannot be captured, which makes the capture invalid; `None` if the stream
/// is not captured.
pub(crate) fn breaks(stream: *mut c_void) -> Option<u32> {
    with(|state| {
        let origin = state.of(stream.addr())?.origin;
        state.end(|capture| capture.origin == origin);
        Some(CAPTURE_UNSUPPORTED)
    })
}

/// True if a stream is captured.
pub(crate) fn is_captured(stream: *mut c_void) -> bool {
    with(|state| state.of(stream.addr()).is_some())
}

/// Captures work; `None` if the stream is not captured, and the work is to be done.
pub(crate) fn take(stream: *mut c_void, work: impl FnOnce() -> Work) -> Option<u32> {
    with(|state| {
        let capture = state.of(stream.addr())?;
        if !capture.is_valid {
            return Some(CAPTURE_INVALIDATED);
        }
        capture.works.push(work());
        Some(SUCCESS)
    })
}

/// An event is recorded.
pub(crate) fn record(event: *mut c_void, stream: *mut c_void) -> u32 {
    with(|state| match state.of(stream.addr()) {
        Some(Capture { is_valid: false, .. }) => CAPTURE_INVALIDATED,
        Some(&mut Capture { origin, .. }) => {
            state.events.insert(event.addr(), origin);
            SUCCESS
        }
        None => {
            state.events.remove(&event.addr());
            SUCCESS
        }
    })
}

/// The host asks for an event.
pub(crate) fn ask(event: *mut c_void) -> u32 {
    with(|state| match state.events.get(&event.addr()).copied() {
        Some(origin) if state.end(|capture| capture.origin == origin) => CAPTURED_EVENT,
        _ => SUCCESS,
    })
}

/// A stream is made to wait for an event.
pub(crate) fn wait(stream: *mut c_void, event: *mut c_void) -> u32 {
    with(|state| {
        let of_event = state.events.get(&event.addr()).copied();
        let of_event = of_event.filter(|origin| state.captures.iter().any(|capture| capture.origin == *origin));
        let own = state.of(stream.addr()).map(|capture| capture.origin);
        match (own, of_event) {
            (Some(own), of_event) if of_event != Some(own) => {
                state.end(|capture| capture.origin == own);
                CAPTURE_ISOLATION
            }
            (None, Some(origin)) => {
                let capture = state.of(origin).expect("it is in progress");
                capture.streams.insert(stream.addr());
                SUCCESS
            }
            _ => SUCCESS,
        }
    })
}

functions! {
    fn cuStreamBeginCapture_v2(stream: *mut c_void, mode: u32) {
        if stream.is_null() || mode > RELAXED || !order::work(stream) {
            return INVALID_VALUE;
        }
        with(|state| {
            if state.of(stream.addr()).is_some() {
                return INVALID_VALUE;
            }
            state.captures.push(Capture {
                origin: stream.addr(),
                streams: HashSet::from([stream.addr()]),
                mode,
                thread: thread::current().id(),
                is_valid: true,
                works: Vec::new(),
            });
            SUCCESS
        })
    }

    fn cuStreamEndCapture(stream: *mut c_void, graph: *mut *mut c_void) {
        *graph = std::ptr::null_mut();
        let ended = with(|state| {
            let found = state.captures.iter().position(|capture| capture.origin == stream.addr());
            let Some(found) = found else { return Err(INVALID_VALUE) };
            let Capture { mode, thread, .. } = state.captures[found];
            if mode != RELAXED && thread != thread::current().id() {
                return Err(CAPTURE_WRONG_THREAD);
            }
            let capture = state.captures.swap_remove(found);
            match capture.is_valid {
                true => Ok(capture.works),
                false => Err(CAPTURE_INVALIDATED),
            }
        });
        match ended {
            Ok(works) => {
                *graph = graph::of_works(works);
                SUCCESS
            }
            Err(code) => code,
        }
    }

    fn cuStreamIsCapturing(stream: *mut c_void, status: *mut u32) {
        *status = with(|state| match state.of(stream.addr()) {
            None => 0,
            Some(capture) if capture.is_valid => 1,
            Some(_) => 2,
        });
        SUCCESS
    }

    fn cuThreadExchangeStreamCaptureMode(mode: *mut u32) {
        if *mode > RELAXED {
            return INVALID_VALUE;
        }
        *mode = MODE.replace(*mode);
        SUCCESS
    }
}
