//! A CUDA driver that is played on the host, so that the runtime's CUDA back end is tested without a
//! GPU, with failures that a real driver shows rarely.
//!
//! A process looks for the driver once. A test therefore makes a [`Stage`]: the driver's library, which the
//! build script compiles from the folder `driver/`, in a folder of its own. It runs itself again there, in a
//! process that finds this library first:
//!
//! ```no_run
//! use vyre_test_driver::{Driver, Stage};
//!
//! const TEST: &str = "the_name_of_the_test";
//! if let Some(driver) = Driver::of(TEST) {
//!     // The CUDA back end of this process is on the played driver.
//!     assert_eq!(driver.calls("cuInit"), 0);
//! } else if let Some(stage) = Stage::new("folder", TEST) {
//!     stage.run();
//! }
//! ```
//!
//! Its memory is that of the host, and its assembler looks at a few words of the PTX. Kernels do not
//! run. The PTX of a kernel says how it is assembled, loaded or launched, in comments:
//!
//! | comment | effect |
//! |---|---|
//! | `// played: meets 4` | it is assembled once as many have been in progress at the same time |
//! | `// played: held` | it is assembled after [`Driver::release`] |
//! | `// played: error` | the assembler fails with a log |
//! | `// played: late error` | loading it into the context fails with a log |
//! | `// played: module` | it is refused as a library, and not as a module |
//! | `// played: fault` | its launches report a fault at site 0 |
//!
//! A launch of an entry of the name `holds` does as [`Driver::hold`]. Those of entries whose names end in `__assumed` count
//! as [calls](Driver::calls) of `__assumed`.
//!
//! Machine code is a text, too: `\x7fELF sm_90`, a newline, entries as in PTX, and a zero.
//!
//! The nodes of a graph run one by one when it is launched, in the order that departs most from that in which they were
//! added, as far as the edges allow: a missing edge shows. So do those of a turn of a loop.
//!
//! Work is done when it is queued. After [`Driver::hold`] it does not seem to be over, until [`Driver::resume`].
//!
//! An assembler that waits for longer than 20 seconds fails.

mod driver;
mod stage;

pub use driver::Driver;
pub use stage::{Stage, plays};
