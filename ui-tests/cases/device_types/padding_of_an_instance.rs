#[vyre::device]
#[derive(Clone, Copy)]
struct Entry<K, V> {
    key: K,
    value: V,
}

#[vyre::device]
fn entry<K: Copy, V: Copy>(key: K, value: V) -> Entry<K, V> {
    Entry { key, value }
}

#[vyre::device]
#[derive(Clone, Copy)]
struct Two {
    a: Entry<u32, f32>,
    b: Entry<u16, f64>,
}

#[vyre::kernel]
fn from_memory(entries: &[Entry<u8, f32>], y: &mut [f32]) {
    y[0] = entries[0].value;
}

#[vyre::kernel]
fn literal(y: &mut [f32]) {
    let inner = Entry { key: 1u16, value: 1.0f32 };
    let again = Entry::<u16, f32> { ..inner };
    y[0] = again.value;
}

#[vyre::kernel]
fn called(y: &mut [f32]) {
    y[0] = entry(1u8, 1.0f32).value;
}

fn main() {}
