use super::*;

#[test]
fn frames_come_back() {
    let reductions = [Reduction::Sum, Reduction::Product, Reduction::Min, Reduction::Max];
    let mut operations: Vec<Operation> = reductions.map(Operation::AllReduce).into();
    operations.extend(reductions.map(Operation::ReduceScatter));
    operations.extend([
        Operation::AllGather,
        Operation::AllToAll,
        Operation::Message,
        Operation::Id,
    ]);
    operations.push(Operation::Broadcast { root: 7 });
    let mut frames: Vec<Frame> = operations
        .into_iter()
        .enumerate()
        .map(|(i, operation)| {
            let (element, length) = ("f32".to_owned(), i as u64);
            let signature = Signature {
                operation,
                element: element.into(),
                values: u64::MAX - length,
                length,
            };
            Frame::Data(signature, Arc::new(vec![9; i * 100]))
        })
        .collect();
    frames.push(Frame::Failed {
        rank: 3,
        reason: "größer".to_owned(),
    });
    let mut bytes = Vec::new();
    frames.iter().for_each(|frame| frame.write(&mut bytes).unwrap());
    let mut rest = &bytes[..];
    for frame in &frames {
        assert_eq!(Frame::read(&mut rest).unwrap().as_ref(), Some(frame));
    }
    assert_eq!(Frame::read(&mut rest).unwrap(), None);
    // A frame that breaks off anywhere is an error, and neither a frame nor an end.
    let mut last = Vec::new();
    frames[1].write(&mut last).unwrap();
    for end in 1..last.len() {
        assert!(Frame::read(&mut &last[..end]).is_err(), "{end} bytes");
    }
    assert!(Frame::read(&mut &[2u8; 9][..]).is_err());
}

/// Reads no more than a byte, and is interrupted before each.
struct Interrupted<'a>(&'a [u8], bool);

impl Read for Interrupted<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.1 = !self.1;
        match self.1 {
            true => Err(io::ErrorKind::Interrupted.into()),
            false => self.0.read(&mut to[..1]),
        }
    }
}

#[test]
fn a_signal_does_not_end_a_link() {
    let frame = Frame::Failed {
        rank: 1,
        reason: "a reason".to_owned(),
    };
    let mut bytes = Vec::new();
    frame.write(&mut bytes).unwrap();
    let mut from = Interrupted(&bytes, false);
    assert_eq!(Frame::read(&mut from).unwrap(), Some(frame));
    assert_eq!(Frame::read(&mut from).unwrap(), None);
}

#[test]
fn long_reasons_are_cut_between_characters() {
    let mut bytes = Vec::new();
    write_text(&mut bytes, &"ü".repeat(MAX_TEXT));
    assert_eq!(read_text(&mut &bytes[..]).unwrap(), "ü".repeat(MAX_TEXT / 2));
    bytes.clear();
    write_text(&mut bytes, &format!("a{}", "ü".repeat(MAX_TEXT)));
    assert_eq!(read_text(&mut &bytes[..]).unwrap().len(), MAX_TEXT - 1);
}
