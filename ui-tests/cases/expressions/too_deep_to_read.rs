#[vyre::kernel]
fn brackets(y: &mut [u32]) {
    y[0] = ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((
        ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((y[0]))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
        ))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))));
}

#[vyre::kernel]
fn types(y: &mut [u32]) {
    let _: Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<
        Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<
        Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<
        Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<
        Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<
        Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<
        Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<
        Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<
        Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<Option<
        Option<Option<Option<Option<u32>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>
        >>>>>>>>>>>>>>>>>>>>>>>>>>>>>> = None;
}

fn main() {}
