//! Warms a plate in two places, and draws it.

use heat::Plate;
use vyre::Device;

const WIDTH: usize = 72;
const HEIGHT: usize = 24;

fn main() -> vyre::Result<()> {
    let device = Device::best()?;
    let mut cells = vec![0.0; WIDTH * HEIGHT];
    for (x, y, temperature) in [(18, 8, 4000.0), (50, 15, 9000.0)] {
        cells[y * WIDTH + x] = temperature;
    }
    let mut plate = Plate::new(&device, &cells, WIDTH)?;
    plate.run(150)?;
    for row in plate.temperatures()?.chunks(WIDTH) {
        let shade = |&heat: &f32| b" .:-=+*#%@"[(heat.sqrt() * 1.2).min(9.0) as usize] as char;
        println!("{}", row.iter().map(shade).collect::<String>());
    }
    println!("computed on {device}");
    Ok(())
}
