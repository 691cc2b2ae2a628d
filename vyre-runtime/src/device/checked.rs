//! The CPU in checking mode.

use super::{Device, DeviceState, Kind};
use crate::checking::Checking;
use crate::sync::Mutex;

static CHECKED: Mutex<Option<&'static DeviceState>> = Mutex::new(None);

impl Device {
    /// The CPU in checking mode: kernels run in the reference interpreter, which records what their threads do. A launch
    /// with data races, reads of memory that nothing has written, skipped barriers, deadlocks or accesses out of bounds is
    /// [`Error::Check`](crate::Error::Check), told where a fault is: by the next wait or download. It names both parties of a race with file,
    /// line, block and thread. Where nothing is found, the results are those of [`Device::cpu`].
    ///
    /// It is for tests, and tens of times as slow. The environment says more: `VYRE_CHECK=1` makes [`Device::best`] and
    /// [`Device::cpu`] such a device, `VYRE_CHECK=order` runs each launch in two orders of its threads and compares the
    /// results, and `VYRE_CHECK_SEED=7` gives all launches the order that a report has named.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// use vyre::Error;
    ///
    /// /// Each thread reads the element of the next one. A `block::sync()` is missing.
    /// #[vyre::kernel(block = 32, allow(races))]
    /// fn rotate(x: &mut [u32]) {
    ///     let tile = shared::<[u32; 32]>();
    ///     let i = thread::idx().x;
    ///     tile[i] = x[i];
    ///     x[i] = tile[(i + 1) % 32];
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let error = Rotate::dispatch(&Device::checked(), 32, &mut [0; 32]).unwrap_err();
    /// let Error::Check(found) = error else { panic!("{error}") };
    /// println!("{found}"); // race on `tile[1]` in shared memory ..
    /// # Ok(())
    /// # }
    /// ```
    pub fn checked() -> Device {
        match Checking::of_environment() {
            Checking::Off => {}
            _ => return Device::cpu(),
        }
        let mut open = CHECKED.lock();
        if let Some(state) = open.filter(|device| !device.backend.is_closed()) {
            return Device::of(state);
        }
        let state = DeviceState::of_cpu(Kind::Checked, &Checking::of_choice());
        *open = Some(state);
        Device::of(state)
    }
}
