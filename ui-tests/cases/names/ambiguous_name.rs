macro_rules! scaled {
    ($kernel:ident, $start:ident) => {
        #[vyre::kernel]
        fn $kernel(y: &mut [u32]) {
            let $start = y[0];
            let value = 2;
            y[0] = $start * value;
        }
    };
}

scaled!(doubled, value);

fn main() {}
