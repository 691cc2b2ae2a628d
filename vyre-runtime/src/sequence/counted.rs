//! Reads of as many elements as a counter on the device says, as steps.

use super::step::{Counted, Range, Step};
use super::{Place, Sequence};
use crate::error::Result;
use crate::memory::counted::{Count, check_one};
use crate::memory::view::RawView;
use crate::{Element, View};

impl Sequence {
    /// Records a copy to the host of the first elements of a buffer, as many as a counter on the device says when the step
    /// runs: one `u32` or `u64`. Returns their place in the [`Readback`](crate::Readback) of a run, which has that many. In a
    /// loop the last turn counts.
    ///
    /// The host learns the count with the elements, by the wait for the run. So page-locked memory of the host is kept for
    /// as many elements as the buffer has, but only those that are counted are copied. For one read by itself there is
    /// [`View::download_counted`].
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// use vyre::Sequence;
    ///
    /// /// Appends the indices of negative elements.
    /// #[vyre::kernel]
    /// fn find(#[each] x: &f32, places: &[AtomicU32], count: &[AtomicU32]) {
    ///     if *x < 0.0 {
    ///         let at = count[0].fetch_add(1, Ordering::Relaxed) as usize;
    ///         places[at].store(thread::index() as u32, Ordering::Relaxed);
    ///     }
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let x = device.upload(&[1.0, -1.0, 2.0, -3.0, -0.5])?;
    /// let (mut places, mut count) = (device.zeros::<u32>(5)?, device.zeros::<u32>(1)?);
    /// let mut steps = Sequence::new(&device);
    /// steps.fill(&mut count, 0)?;
    /// steps.launch(find(&x, places.as_atomics(), count.as_atomics()).over(5))?;
    /// let found = steps.read_counted(&places, &count)?;
    /// let values = steps.run()?; // one wait
    /// let mut found = values.get(&found).unwrap().to_vec();
    /// found.sort();
    /// assert_eq!(found, [1, 3, 4]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch) unless there is one counter,
    /// [`Error::WrongDevice`](crate::Error::WrongDevice). Nothing is recorded then. A run whose counter says more than
    /// the buffer has is [`Error::CountOutOfBounds`](crate::Error::CountOutOfBounds); the buffer keeps what it has.
    pub fn read_counted<'v, 'c, T: Element, C: Count>(
        &mut self,
        source: impl Into<View<'v, T>>,
        count: impl Into<View<'c, C>>,
    ) -> Result<Place<T>> {
        let (source, count) = (source.into(), count.into());
        check_one(count.raw())?;
        self.check_view("the buffer", source.raw())?;
        self.check_view("the counter", count.raw())?;
        let (slot, place) = self.layout.counted(source.len());
        let (from, counter) = (self.read_range::<T>(source.raw()), self.read_range::<C>(count.raw()));
        let is_wide = size_of::<C>() == size_of::<u64>();
        self.steps.push(Step::ReadCounted(Box::new(Counted {
            from,
            counter,
            is_wide,
            slot,
        })));
        Ok(place)
    }

    /// Holds the memory of a view that is read, also of an empty one.
    fn read_range<T>(&mut self, view: &RawView<'_>) -> Range {
        self.holdings.hold(view.allocation, false);
        Range {
            allocation: view.allocation.hold(),
            address: view.address,
            bytes: view.length as usize * size_of::<T>(),
        }
    }
}
