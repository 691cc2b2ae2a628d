//! Asynchronous copies that are not waited for.

use vyre::prelude::*;

super::faults! { "copies.rs"
    own_copy: CopyRace
    others_copy: CopyRace
    next_copy: CopyRace
    source_of_a_copy: CopyRace
}

/// The example of `pipeline`: windows of rows. The numbers say what is left out.
#[vyre::kernel(block = 32, allow(races))]
fn windows(rows: usize, x: &[f32], y: &mut [f32], planted: u32) {
    let tile = shared::<[[f32; 32]; 2]>();
    let t = thread::idx().x;
    pipeline::copy(&mut tile[0][t], &x[t]);
    pipeline::commit();
    for row in 0..rows {
        if row + 1 < rows {
            pipeline::copy(&mut tile[(row + 1) % 2][t], &x[(row + 1) * 32 + t]); //~ own_copy //~ others_copy //~ next_copy
        }
        pipeline::commit();
        // All groups but the last one are done.
        if planted == 1 {
            pipeline::wait_prior::<2>();
        } else {
            pipeline::wait_prior::<1>();
        }
        if planted != 2 {
            block::sync();
        }
        let own = tile[row % 2][(t + 1) % 32]; //~ own_copy //~ others_copy //~ next_copy
        y[row * 32 + t] = own;
        if planted != 3 {
            block::sync();
        }
    }
}

fn run(device: &Device, planted: u32) -> vyre::Result<()> {
    let x = device.upload(&[1.0; 5 * 32])?;
    let mut y = device.zeros::<f32>(5 * 32)?;
    windows(5, &x, &mut y, planted).grid(1).launch(device)?;
    assert_eq!(y.download()?, [1.0; 5 * 32]);
    Ok(())
}

fn own_copy(device: &Device, planted: bool) -> vyre::Result<()> {
    run(device, u32::from(planted))
}

fn others_copy(device: &Device, planted: bool) -> vyre::Result<()> {
    run(device, 2 * u32::from(planted))
}

fn next_copy(device: &Device, planted: bool) -> vyre::Result<()> {
    run(device, 3 * u32::from(planted))
}

/// The source is overwritten while it may still be read.
#[vyre::kernel(block = 32, allow(races))]
fn double(x: &mut [u32], planted: bool) {
    let tile = shared::<[u32; 32]>();
    let t = thread::idx().x;
    pipeline::copy(&mut tile[t], &x[t]); //~ source_of_a_copy
    pipeline::commit();
    if !planted {
        pipeline::wait_prior::<0>();
    }
    x[t] = 0; //~ source_of_a_copy
    pipeline::wait_prior::<0>();
    x[t] = 2 * tile[t];
}

fn source_of_a_copy(device: &Device, planted: bool) -> vyre::Result<()> {
    let mut x = device.upload(&[1; 32])?;
    double(&mut x, planted).over(32).launch(device)?;
    assert_eq!(x.download()?.len(), 32);
    Ok(())
}
