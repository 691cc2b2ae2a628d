//! Functions that are generic as the kernels that they launch.

use vyre::prelude::*;
use vyre::{Element, Launch};

/// x := factor * x
#[vyre::kernel(T = [f32, f64])]
pub fn scale<T: Float>(factor: T, #[each] x: &mut T) {
    *x *= factor;
}

/// Each window's sum in another type.
#[vyre::kernel(T = [u32, f32], WINDOW = [2, 3], U = [u64, f64])]
fn window_sums<T, const WINDOW: usize, U>(x: &[T], y: &mut [U])
where
    T: Number,
    U: Number,
{
    let i = thread::index();
    if i < y.len() {
        let mut sum = T::ZERO;
        for k in 0..WINDOW {
            sum += x[i + k];
        }
        y[i] = match sum > T::ONE {
            true => U::ONE,
            false => U::ZERO,
        };
    }
}

#[vyre::kernel(N = [1, 4])]
fn counted<const N: usize>(y: &mut [usize]) {
    y[thread::index()] = N;
}

#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pair<T> {
    first: T,
    second: T,
}

#[vyre::kernel(T = [i32, f32])]
fn swapped<T: Number>(#[each] pairs: &mut Pair<T>) {
    *pairs = Pair {
        first: pairs.second,
        second: pairs.first,
    };
}

fn twice<T: ScaleInstance>(x: &mut DeviceBuffer<T>) -> vyre::Result<()> {
    let (n, device) = (x.len() as u64, x.device());
    Launch::over(scale(T::from_f32(2.0), x), [n, 1, 1]).launch(&device)
}

/// A wrapper of a wrapper, with a method of the bound's own supertrait.
fn four_times<T: ScaleInstance>(device: &Device, x: &[T]) -> vyre::Result<Vec<T>> {
    let mut x = device.upload(x)?;
    twice(&mut x)?;
    twice(&mut x)?;
    x.download()
}

fn sums<T, const WINDOW: usize, U>(device: &Device, x: &[T]) -> vyre::Result<Vec<U>>
where
    T: WindowSumsInstance<WINDOW, U>,
    U: Number + Element,
{
    let x = device.upload(x)?;
    let mut y = device.zeros::<U>(x.len() + 1 - WINDOW)?;
    let n = y.len() as u64;
    Launch::over(window_sums::<T, WINDOW, U>(&x, &mut y), [n, 1, 1]).launch(device)?;
    y.download()
}

fn count<const N: usize>(device: &Device) -> vyre::Result<usize>
where
    (): CountedInstance<N>,
{
    let mut y = device.zeros(256)?;
    Launch::grid(counted::<N>(&mut y), [1, 1, 1]).launch(device)?;
    Ok(y.download()?[0])
}

fn swap<T: SwappedInstance>(device: &Device, first: T, second: T) -> vyre::Result<Pair<T>>
where
    Pair<T>: Element,
{
    let mut pairs = device.upload(&[Pair { first, second }])?;
    Launch::over(swapped(&mut pairs), [1, 1, 1]).launch(device)?;
    Ok(pairs.download()?[0])
}

#[test]
fn a_bound_is_enough_to_launch() -> vyre::Result<()> {
    for device in Device::all() {
        assert_eq!(four_times(&device, &[1.0f32, 0.5])?, [4.0, 2.0]);
        assert_eq!(four_times(&device, &[1.0f64, 0.5])?, [4.0, 2.0]);
        assert_eq!(sums::<u32, 2, u64>(&device, &[0, 1, 0, 2])?, [0, 0, 1]);
        assert_eq!(sums::<f32, 3, f64>(&device, &[0.0, 1.0, 0.0, 2.0])?, [0.0, 1.0]);
        assert_eq!((count::<1>(&device)?, count::<4>(&device)?), (1, 4));
        let pair = Pair { first: 2, second: 1 };
        assert_eq!(swap(&device, 1, 2)?, pair);
    }
    Ok(())
}

#[test]
fn a_known_launcher_has_its_own_methods() -> vyre::Result<()> {
    let device = Device::cpu();
    let mut x = device.upload(&[1.0f64])?;
    scale(3.0, &mut x).launch(&device)?;
    let mut y = [0.0f32];
    Scale::<f32>::dispatch(&device, 3.0, &mut y)?;
    let mut z = [0u64];
    WindowSums::<u32, 2, u64>::dispatch(&device, 1, &[1, 2], &mut z)?;
    assert_eq!((x.download()?[0], y[0], z[0]), (3.0, 0.0, 1));
    Ok(())
}
