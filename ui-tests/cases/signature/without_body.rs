extern "C" {
    #[vyre::kernel]
    fn double(x: &mut [f32]);
}

fn main() {}
